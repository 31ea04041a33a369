package objectjs

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
)

// A stub reaches an object of another session by fetch(): under the same id, with its name, method, headers, body and
// cf; what it throws arrives. A class that a migration gave an older one's objects is found by name, since only its own
// session knows what the namespace is called. RPC goes the way of its own; WebSockets are refused by
// name.
func TestDistant(t *testing.T) {
	far := newBenchAt(t, t.TempDir(), Options{Key: func(_, class string) string {
		if class == "Renamed" {
			return "far-Older"
		}
		return ""
	}})
	far.start(config{name: "far", classes: []string{"Room", "Renamed"}}, script("distant_far.js"))
	near := newBenchAt(t, t.TempDir(), Options{Elsewhere: func(worker string) DistantFetch {
		switch worker {
		case "far":
			return func(req *http.Request, to DistantObject, cf string) (*fetch.Parts, error) {
				return far.objs.Fetch(req.Context(), worker, to, req, cf)
			}
		case "ended":
			return func(*http.Request, DistantObject, string) (*fetch.Parts, error) {
				return nil, errors.New("connection refused")
			}
		}
		return nil
	}, Distant: func(worker string, to DistantObject) rpc.Client {
		if worker == "far" {
			return far.objs.Client(worker, to)
		}
		return nil
	}})
	w := near.start(config{name: "near", others: map[string]Class{
		"ROOM": {Worker: "far", Name: "Room"}, "RENAMED": {Worker: "far", Name: "Renamed"},
		"ENDED": {Worker: "ended", Name: "X"}, "NOBODY": {Worker: "nobody", Name: "X"},
	}}, script("distant_near.js"))
	const only = ` to a Durable Object of Worker "far" is not carried between sessions that share a state directory. ` +
		`Run both in one session: eddy dev -c ONE -c ANOTHER`
	for _, c := range [][2]string{
		{"/named", "201 PUT http://far/x h body 7 a ID 1"},
		{"/again", "201 GET http://far/x    a ID 2"},
		{"/unique", "201 GET http://far/x     ID 1"},
		{"/renamed", "201 GET http://far/x    a another id 1"},
		{"/stranger", "TypeError: Durable Object ID is not valid for this namespace."},
		{"/null", "204 null"},
		{"/throw", "RangeError: too far"},
		{"/ended", "Error: Network connection lost. (retryable)"},
		{"/nobody", `503 Worker "nobody" not found. Make sure it is running locally.`},
		{"/rpc", "TypeError: The RPC receiver does not implement the method \"hello\"."},
		{"/socket", "Error: A WebSocket" + only},
	} {
		near.expect(w, c[0], c[1])
	}
	req, err := http.NewRequest("GET", "http://far/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := near.objs.Fetch(context.Background(), "nobody",
		DistantObject{Class: "X", ID: "00", Name: "a", Named: true}, req, ""); err == nil {
		t.Error("an id that is none is taken")
	}
	id := near.objs.namespace(Class{Worker: "nobody", Name: "X"}, false)
	if _, err := near.objs.Fetch(context.Background(), "nobody",
		DistantObject{Class: "X", ID: near.objs.ID(id.key, "a")}, req, ""); !errors.Is(err, ErrNotServed) {
		t.Errorf("a Worker that does not run: %v", err)
	}
}
