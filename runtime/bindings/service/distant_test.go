package service

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// A Worker in another session is reached by fetch(), which carries method, URL, headers, body, cf and props both ways. What
// its handler throws arrives; a session that has ended is a lost connection. RPC and WebSockets are refused by name.
func TestDistant(t *testing.T) {
	w := newTown(t)
	w.elsewhere = map[string]Distant{"far": func(req *http.Request, o DistantOptions) (*worker.Response, error) {
		switch req.URL.Path {
		case "/throw":
			f := rpc.Standard("RangeError", "too far")
			f.Remote, f.Retryable = true, true
			return nil, f
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
		text := fmt.Sprintf("%s %s %s %s %s %s props:%t", req.Method, req.URL, req.Header.Get("X-A"), body, o.Entrypoint, o.CF, len(o.Props) > 0)
		return &worker.Response{Status: 203, Header: http.Header{"X-B": {"b"}}, Body: io.NopCloser(strings.NewReader(text)), Length: int64(len(text))}, nil
	}}
	wk := w.start("near", `
const show = (e) => e.name + ": " + e.message + (e.retryable ? " (retryable)" : "");
const tests = {
	fetch: async (env) => {
		const r = await env.FAR.fetch("http://far/x?y", { method: "PUT", body: "body", headers: { "x-a": "a" }, cf: { k: 1 } });
		return r.status + " " + r.headers.get("x-b") + " " + await r.text();
	},
	throw: (env) => env.FAR.fetch("http://far/throw"),
	gone: (env) => env.FAR.fetch("http://far/gone"),
	rpc: (env) => env.FAR.hello(),
	socket: (env) => env.FAR.fetch("http://far/", { headers: { upgrade: "websocket" } }),
	nowhere: async (env) => { const r = await env.NOWHERE.fetch("http://nowhere/"); return r.status + " " + await r.text() },
};
export default { async fetch(req, env) { try { return new Response(await tests[new URL(req.url).pathname.slice(1)](env)) } catch (e) { return new Response(show(e)) } } };
`,
		Binding{Key: "FAR", Service: "far", Entrypoint: "Door", PropsJSON: `{"p":1}`, Directory: w},
		Binding{Key: "NOWHERE", Service: "nowhere", Directory: w})
	const only = " is not carried between sessions that share a state directory: only fetch() is. Run both in one session: eddy dev -c ONE -c ANOTHER"
	for _, c := range [][2]string{
		{"/fetch", `203 b PUT http://far/x?y a body Door {"k":1} props:true`},
		{"/throw", "RangeError: too far (retryable)"},
		{"/gone", "Error: Network connection lost. (retryable)"},
		{"/rpc", `Error: RPC to Worker "far"` + only},
		{"/socket", `Error: A WebSocket to Worker "far"` + only},
		{"/nowhere", `503 Worker "nowhere" not found. Make sure it is running locally.`},
	} {
		w.expect(wk, c[0], c[1])
	}
}
