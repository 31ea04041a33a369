package pipeline

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"eddy/runtime/bindings/objectstore"
)

// Away are the records of a pipeline of a cluster, wherever they are. It implements [http.Handler]. Any goroutine.
type Away struct{ Way objectstore.Way }

// ask is a call as it crosses nodes. The lines of an add are its body.
type ask struct {
	Op    string `json:"op"`
	After int64  `json:"after,omitempty"`
}

// answer is what the node says that has the records. The lines of a next are its body.
type answer struct {
	Number int64 `json:"number,omitempty"`
}

// ServeHTTP implements [http.Handler].
func (a Away) ServeHTTP(w http.ResponseWriter, r *http.Request) { take(w, r, a.Add) }

// Add appends lines of JSON.
func (a Away) Add(lines []byte) error {
	_, err := a.Way.Call(ask{Op: "add"}, lines, false, &answer{})
	return err
}

// Next is as of [Records].
func (a Away) Next(after int64) (b Batch, err error) {
	var got answer
	b.Lines, err = objectstore.Whole(a.Way, ask{Op: "next", After: after}, nil, true, &got, maxPiece)
	b.Number = got.Number
	return b, err
}

// maxPiece bounds what a next gives, in bytes.
const maxPiece = 64 << 20

// Serve implements [objectstore.Service].
func (r *Records) Serve(head []byte, body io.Reader) (objectstore.Told, error) {
	var q ask
	if err := json.Unmarshal(head, &q); err != nil {
		return objectstore.Told{}, fmt.Errorf("a call to a pipeline: %w", err)
	}
	switch q.Op {
	case "add":
		lines, err := io.ReadAll(io.LimitReader(body, maxRequest+1))
		if err != nil {
			return objectstore.Told{}, objectstore.ErrDisconnected // the caller has gone
		}
		if len(lines) > maxRequest {
			return objectstore.Told{}, errTooLarge
		}
		if err := r.Add(lines); err != nil {
			return objectstore.Told{}, err
		}
		return objectstore.Tell(answer{})
	case "next":
		b, err := r.Next(q.After)
		if err != nil {
			return objectstore.Told{}, err
		}
		if len(b.Lines) == 0 {
			return objectstore.Tell(answer{Number: b.Number})
		}
		return objectstore.TellBody(answer{Number: b.Number}, b.Lines)
	}
	return objectstore.Told{}, fmt.Errorf("a pipeline knows no %q", q.Op)
}

var _ objectstore.Service = (*Records)(nil)
