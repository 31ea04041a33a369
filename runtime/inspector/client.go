package inspector

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/coder/websocket"
)

// client is one connected debugger. What it has enabled is guarded by the server's mutex.
type client struct {
	target *target
	conn   *websocket.Conn

	debugs, looks bool // Debugger.enable, Runtime.enable
	inactive      bool // breakpoints are not active
	skips         bool
	exceptions    int32
	blackbox      []*pattern
	profiling     profiling

	serving sync.Mutex // held while a message is served
	out     struct {
		sync.Mutex
		list [][]byte
		more chan struct{}
	}
	last    chan struct{} // closed by finish: what is queued is the last
	written chan struct{} // closed when nothing more is written
}

// maxMessage bounds what a client may send at once.
const maxMessage = 16 << 20

// request is a message of a client; reply and notice are those to it.
type request struct {
	ID        int64           `json:"id"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	SessionID string          `json:"sessionId"`
}

type reply struct {
	ID     int64       `json:"id"`
	Result any         `json:"result,omitempty"`
	Error  *errorReply `json:"error,omitempty"`
}

type notice struct {
	Method string `json:"method"`
	Params any    `json:"params"`
}

// errorReply is an error of the protocol, in the form of JSON-RPC.
type errorReply struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *errorReply) Error() string { return e.Message }

// The codes of JSON-RPC 2.0.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeNoMethod = -32601
	codeParams   = -32602
	codeServer   = -32000
)

// serveClient talks to a debugger until it goes or the server is closed.
func serveClient(ctx context.Context, t *target, conn *websocket.Conn) {
	conn.SetReadLimit(maxMessage)
	c := &client{target: t, conn: conn, last: make(chan struct{}), written: make(chan struct{})}
	c.out.more = make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.server.mu.Lock()
	t.clients = append(t.clients, c)
	t.server.mu.Unlock()
	defer c.gone()
	go c.write(ctx)
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			conn.CloseNow()
			return
		}
		c.serving.Lock()
		c.serve(data)
		c.serving.Unlock()
	}
}

// finish ends the connection, after the answers that are owed: what a client has let go on may end the program before
// the client has heard that it may. It is called once, and waits for a slow client until ctx ends.
func (c *client) finish(ctx context.Context) {
	c.serving.Lock() // a message that is being served is answered
	close(c.last)
	c.serving.Unlock()
	select {
	case <-c.written:
	case <-ctx.Done():
	}
	c.conn.CloseNow()
}

// gone takes back what the client has set, before it is forgotten.
func (c *client) gone() {
	c.profiling.end()
	c.disable()
	t := c.target
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	t.clients = slices.DeleteFunc(t.clients, func(other *client) bool { return other == c })
}

// disable takes back what the client has set at the debugger, as V8 does, and lets a script go on that nobody else
// looks at.
func (c *client) disable() {
	t := c.target
	t.remove(func(b *breakpoint) bool { return b.of == c })
	c.change(func() {
		c.debugs, c.inactive, c.skips, c.exceptions, c.blackbox = false, false, false, pauseOnNone, nil
	})
	if t.watched.Load() {
		return
	}
	if r := t.pausedRealm(); r != nil {
		r.goOn(stepNone)
	}
}

// serve does what a message asks for. A method that needs the loop answers later.
func (c *client) serve(data []byte) {
	var q request
	if err := json.Unmarshal(data, &q); err != nil {
		c.send(reply{Error: &errorReply{codeParse, "JSON: " + err.Error()}})
		return
	}
	m, ok := methods[q.Method]
	if !ok {
		c.send(reply{ID: q.ID, Error: &errorReply{codeNoMethod, "'" + q.Method + "' wasn't found"}})
		return
	}
	if len(q.Params) == 0 || string(q.Params) == "null" {
		q.Params = json.RawMessage("{}")
	}
	var told atomic.Bool // an interrupt may come while an answer is made
	m.serve(c, q.Params, func(result any, err error) {
		if told.Swap(true) {
			return
		}
		if err != nil {
			failure := &errorReply{codeServer, err.Error()}
			errors.As(err, &failure)
			c.send(reply{ID: q.ID, Error: failure})
			return
		}
		if result == nil {
			result = struct{}{}
		}
		c.send(reply{ID: q.ID, Result: result})
	})
}

// event tells the client of something.
func (c *client) event(method string, params any) { c.send(notice{method, params}) }

// send queues a message. Any goroutine; it never waits for the client.
func (c *client) send(message any) {
	data, err := json.Marshal(message)
	if err != nil {
		r, ok := message.(reply)
		if !ok {
			return // an event that has no JSON: nothing that this package makes
		}
		data, _ = json.Marshal(reply{ID: r.ID, Error: &errorReply{codeServer, err.Error()}})
	}
	c.out.Lock()
	c.out.list = append(c.out.list, data)
	c.out.Unlock()
	select {
	case c.out.more <- struct{}{}:
	default:
	}
}

func (c *client) write(ctx context.Context) {
	defer close(c.written)
	for last := false; !last; {
		select {
		case <-c.out.more:
		case <-c.last:
			last = true
		case <-ctx.Done():
			return
		}
		c.out.Lock()
		list := c.out.list
		c.out.list = nil
		c.out.Unlock()
		for _, data := range list {
			if c.conn.Write(ctx, websocket.MessageText, data) != nil {
				return // the reader sees that the connection has ended
			}
		}
	}
}

// greet tells the client of a realm: its context, its scripts, where breakpoints stand in it.
func (c *client) greet(r *realm) {
	s := c.target.server
	s.mu.Lock()
	defer s.mu.Unlock()
	c.greetLocked(r, c.looks, c.debugs)
}

func (c *client) greetLocked(r *realm, looks, debugs bool) {
	if looks {
		c.event("Runtime.executionContextCreated", map[string]any{"context": map[string]any{
			"id": r.number, "origin": "", "name": c.target.name, "uniqueId": r.unique(),
			"auxData": map[string]any{"isDefault": true},
		}})
	}
	if !debugs {
		return
	}
	for i := range r.stops.Files {
		c.event("Debugger.scriptParsed", r.scriptParsed(i))
	}
	for _, b := range c.target.breakpoints {
		for _, n := range r.places(b) {
			stop := r.stops.Stops[n]
			c.event("Debugger.breakpointResolved", resolved(b, r.location(stop.File, stop.Line, stop.Column)))
		}
	}
}

// unique is the name of a realm's context that no other ever has.
func (r *realm) unique() string { return r.target.id + "." + strconv.Itoa(r.number) }
