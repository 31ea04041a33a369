package peer

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// CallPath is where every session of a shared state directory takes requests for its Workers, under its URL.
const CallPath = Path + "/call"

// callHeader carries a [Call] one way and a [Reply] the other, as JSON in base64: the headers of the Workers' own
// request and response are data, and mean nothing to the HTTP in between.
const callHeader = "Eddy-Peer-Call"

// Call is fetch() of a service binding or of a Durable Object's stub whose Worker runs in another session.
type Call struct {
	Worker     string `json:"worker"`
	Entrypoint string `json:"entrypoint,omitempty"`
	// Object says which Durable Object is meant, in terms that the two sessions know; nil is the entrypoint.
	Object json.RawMessage `json:"object,omitempty"`
	// Props is ctx.props of the callee, encoded; nil is {}. Cause is what the call is caused by, as traceparent has it.
	Props  []byte      `json:"props,omitempty"`
	CF     string      `json:"cf,omitempty"` // JSON
	Cause  string      `json:"cause,omitempty"`
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header"`
	// HasBody says that there is a body, Length how long it is, -1 if unknown.
	HasBody bool  `json:"hasBody,omitempty"`
	Length  int64 `json:"length,omitempty"`
}

// Reply is the answer to a call; its body is the HTTP response's.
type Reply struct {
	Status     int         `json:"status"`
	StatusText string      `json:"statusText,omitempty"`
	Header     http.Header `json:"header,omitempty"`
	Null       bool        `json:"null,omitempty"` // the body is null
	Length     int64       `json:"length"`         // -1 if unknown
	Encoding   string      `json:"encoding,omitempty"`
	// Thrown is set instead if the handler threw.
	Thrown *Thrown `json:"thrown,omitempty"`
}

// Thrown is what a handler threw.
type Thrown struct {
	Name    string          `json:"name"`
	Message string          `json:"message"`
	Flags   map[string]bool `json:"flags,omitempty"`
}

// Error is Name: Message.
func (t *Thrown) Error() string { return t.Name + ": " + t.Message }

// ErrNotRunning says that a session does not run the Worker that was called.
var ErrNotRunning = errors.New("the Worker is not running")

// calls has no limit on time: a handler may take as long as it likes.
var calls = &http.Client{
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true,
		DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Do makes a call to the session at an address. The reply's body must be closed. A handler that threw is a *[Thrown].
func Do(ctx context.Context, to Address, c Call, body io.Reader) (*Reply, io.ReadCloser, error) {
	head, err := json.Marshal(c)
	if err != nil {
		return nil, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL+CallPath, body)
	if err != nil {
		return nil, nil, err
	}
	if c.HasBody {
		req.ContentLength = c.Length
	}
	req.Host = "localhost"
	req.Header.Set("Authorization", "Bearer "+to.Token)
	req.Header.Set(callHeader, base64.StdEncoding.EncodeToString(head))
	res, err := calls.Do(req)
	if err != nil {
		return nil, nil, err
	}
	reply := &Reply{}
	if err = readHead(res.Header, reply); err != nil || res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10)) // for the error's text only
		err = fmt.Errorf("the session at %s answered %s: %s", to.URL, res.Status, strings.TrimSpace(string(text)))
		if res.StatusCode == http.StatusNotFound {
			err = ErrNotRunning
		}
	} else if reply.Thrown != nil {
		err = reply.Thrown
	}
	if err != nil {
		return nil, nil, errors.Join(err, res.Body.Close())
	}
	return reply, res.Body, nil
}

func readHead(h http.Header, into any) error {
	b, err := base64.StdEncoding.DecodeString(h.Get(callHeader))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// ServeCall takes a call: handle answers it through reply, which is called once and gives the writer of the body.
// handle returns [ErrNotRunning] instead if the Worker is not there.
func ServeCall(w http.ResponseWriter, r *http.Request, token string,
	handle func(c Call, body io.ReadCloser, reply func(Reply) (io.Writer, error)) error) {
	if !authorized(r, token) {
		http.Error(w, "The token of this session is known to the sessions that share its state directory.",
			http.StatusForbidden)
		return
	}
	var c Call
	if err := readHead(r.Header, &c); err != nil || r.Method != http.MethodPost {
		http.Error(w, fmt.Sprintf("expected POST with a call in %s", callHeader), http.StatusBadRequest)
		return
	}
	rc := http.NewResponseController(w)
	// The Worker may answer before it has read the whole request. If the connection cannot do that, the request is read
	// first.
	_ = rc.EnableFullDuplex()
	err := handle(c, r.Body, func(reply Reply) (io.Writer, error) {
		head, err := json.Marshal(reply)
		if err != nil {
			return nil, err
		}
		w.Header().Set(callHeader, base64.StdEncoding.EncodeToString(head))
		w.Header()["Content-Type"] = nil
		w.WriteHeader(http.StatusOK)
		return flushing{w, rc}, rc.Flush()
	})
	if errors.Is(err, ErrNotRunning) {
		http.Error(w, err.Error(), http.StatusNotFound)
	} else if err != nil {
		panic(http.ErrAbortHandler) // the head is out: the only honest end is a connection that breaks off
	}
}

// flushing lets every piece of a body out at once.
type flushing struct {
	w  io.Writer
	rc *http.ResponseController
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil {
		err = f.rc.Flush()
	}
	return n, err
}

func authorized(r *http.Request, token string) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && token != "" && subtle.ConstantTimeCompare([]byte(got), []byte(token)) == 1
}
