package vectorize

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"eddy/runtime/bindings/objectstore"
)

// AwayIndex is a vector index of a cluster, wherever it is. It implements [http.Handler]. Any goroutine.
type AwayIndex struct {
	Way objectstore.Way
	// Dimensions and Metric are as in [Options]; they go along with each call, so those of the caller's Worker count.
	Dimensions int
	Metric     string
}

// ask is a call as it crosses nodes. Its arguments are the body, as in the client's requests.
type ask struct {
	Op         string `json:"op"`
	Dimensions int    `json:"dimensions,omitempty"`
	Metric     string `json:"metric,omitempty"`
}

// said is the head of an answer, which is the body.
type said struct {
	Status int `json:"status"`
}

// maxAsked and maxAnswered bound the bodies of a call and of its answer, in bytes: a thousand vectors of 1,536 numbers
// with 10 KiB of metadata each.
const (
	maxAsked    = 128 << 20
	maxAnswered = 128 << 20
)

// reading are the operations that change nothing.
var reading = map[string]bool{"info": true, "query": true, "getByIds": true}

// ServeHTTP answers what the platform's client asks (BIND-72).
func (a AwayIndex) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	status, text, err := a.send(r)
	if err != nil {
		var answer any
		status, answer = problem(err)
		text, _ = json.Marshal(answer) // texts and numbers
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // it goes into memory
}

func (a AwayIndex) send(r *http.Request) (status int, text []byte, err error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxAsked+1))
	if err == nil && len(data) > maxAsked {
		err = refusal{40007, fmt.Sprintf("a call of more than %d bytes", maxAsked)}
	}
	if err != nil {
		return 0, nil, err
	}
	q := ask{Op: operation(r), Dimensions: a.Dimensions, Metric: a.Metric}
	var head said
	text, err = objectstore.Whole(a.Way, q, data, reading[q.Op], &head, maxAnswered)
	return head.Status, text, err
}

// Serve implements [objectstore.Service].
func (x *VectorIndex) Serve(head []byte, body io.Reader) (objectstore.Told, error) {
	var q ask
	if err := json.Unmarshal(head, &q); err != nil {
		return objectstore.Told{}, fmt.Errorf("a call to a vector index: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(body, maxAsked))
	if err != nil {
		return objectstore.Told{}, objectstore.ErrDisconnected // the caller has gone
	}
	as := &VectorIndex{o: x.o, db: x.db}
	as.o.Dimensions, as.o.Metric = q.Dimensions, q.Metric
	answer, err := as.do(q.Op, data)
	status := http.StatusOK
	if _, wrong := err.(refusal); wrong {
		status, answer = problem(err)
	} else if err != nil {
		return objectstore.Told{}, err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return objectstore.Told{}, err
	}
	return objectstore.TellBody(said{status}, text)
}

var _ objectstore.Service = (*VectorIndex)(nil)
