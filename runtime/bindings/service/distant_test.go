package service

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"eddy/runtime/rpc"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// A Worker in another session is reached by fetch(), which carries method, URL, headers, body, cf and props both ways.
// What its handler throws arrives; a session that has ended is a lost connection. A WebSocket arrives, and RPC is
// refused where only a function answers.
func TestDistant(t *testing.T) {
	w := newTown(t)
	w.elsewhere = map[string]DistantWorker{"far": func(req *http.Request, o DistantOptions) (*worker.Response, error) {
		switch req.URL.Path {
		case "/throw":
			f := rpc.Standard("RangeError", "too far")
			f.Remote, f.Retryable = true, true
			return nil, f
		case "/socket":
			end, kept := websocket.NewPipe()
			kept.Send(websocket.Message{Text: "hi"})
			return &worker.Response{Status: 101, Null: true, WebSocket: end}, nil
		case "/gone":
			return nil, errors.New("connection refused")
		}
		var body []byte
		if req.Body != nil {
			var err error
			if body, err = io.ReadAll(req.Body); err != nil {
				return nil, err
			}
		}
		text := fmt.Sprintf(
			"%s %s %s %s %s %s props:%t", req.Method, req.URL, req.Header.Get("X-A"), body, o.Entrypoint, o.CF,
			len(o.Props) > 0)
		return &worker.Response{
			Status: 203, Header: http.Header{"X-B": {"b"}}, Body: io.NopCloser(strings.NewReader(text)),
			Length: int64(len(text))}, nil
	}}
	files := archive(t, "distant")
	near := w.start("near", files["main.js"],
		Binding{Key: "FAR", Service: "far", Entrypoint: "Door", PropsJSON: `{"p":1}`, Directory: w},
		Binding{Key: "NOWHERE", Service: "nowhere", Directory: w})
	w.expect(near, files["expect"])
}
