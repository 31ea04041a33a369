package objectjs

import (
	"errors"
	"net/http"
	"testing"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/sockets"
	"eddy/runtime/webapi/websocket"
)

// A stub reaches an object of another session by fetch(): under the same id, with its name, method, headers, body and
// cf; what it throws arrives. A class that a migration gave an older one's objects is found by name, since only its own
// session knows what the namespace is called. RPC and WebSockets go as well.
func TestDistant(t *testing.T) {
	far := newBenchAt(t, t.TempDir(), Options{Key: func(_, class string) string {
		if class == "Renamed" {
			return "far-Older"
		}
		return ""
	}})
	far.start(config{name: "far", classes: []string{"Room", "Renamed"}}, script("distant_far.js"))
	near := newBenchAt(t, t.TempDir(), Options{Distant: func(worker string, to DistantObject) Distant {
		switch worker {
		case "far":
			return away{far.objs.Client(worker, to), far.objs}
		case "ended":
			return away{Client: rpc.Broken{Failure: rpc.Disconnected()}}
		}
		return nil
	}})
	w := near.start(config{name: "near", others: map[string]Class{
		"ROOM": {Worker: "far", Name: "Room"}, "RENAMED": {Worker: "far", Name: "Renamed"},
		"ENDED": {Worker: "ended", Name: "X"}, "NOBODY": {Worker: "nobody", Name: "X"},
	}}, script("distant_near.js"))
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
		{"/socket", "echo hi"},
	} {
		near.expect(w, c[0], c[1])
	}
	noID := DistantObject{Class: "X", ID: "00", Name: "a", Named: true}
	if c, ok := near.objs.Client("nobody", noID).(rpc.Broken); !ok {
		t.Errorf("an id that is none is taken: %v", c)
	}
	req, err := http.NewRequest("GET", "http://far/", nil)
	if err != nil {
		t.Fatal(err)
	}
	id := near.objs.namespace(Class{Worker: "nobody", Name: "X"}, false)
	failed := make(chan error, 1)
	away{near.objs.Client("nobody", DistantObject{Class: "X", ID: near.objs.ID(id.key, "a")}),
		near.objs}.Fetch(req, "", eventloop.Hops{}, func(_ *fetch.Parts, _ *websocket.End, err error) { failed <- err })
	err = <-failed
	if err == nil || err.Error() != "Network connection lost." {
		t.Errorf("a Worker that does not run: %v", err)
	}
}

// away is an object of another bench, as a session sees it; one without a bench has ended.
type away struct {
	rpc.Client
	to *Objects
}

// Fetch implements [Distant].
func (a away) Fetch(req *http.Request, cf string, hops eventloop.Hops, done Answered) {
	if a.to == nil {
		go done(nil, nil, errors.New("connection refused"))
		return
	}
	a.to.Fetch(a.Client, req, cf, hops, func(p *fetch.Parts, end *websocket.End, f *rpc.RemoteError) {
		if f != nil {
			done(nil, nil, f)
			return
		}
		done(p, end, nil)
	})
}

// Connect implements [Distant].
func (a away) Connect(j *sockets.Joint, hops eventloop.Hops) {
	if a.to == nil {
		j.Refuse()
		return
	}
	a.to.Connect(a.Client, j, hops)
}
