package inspector

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

// debugged is a Worker with a debugger's port.
type debugged struct {
	t      testing.TB
	server *Inspector
	worker *worker.Worker
	web    *httptest.Server
}

// start starts the Worker of testdata, so that debuggers can look into it.
func start(t testing.TB) *debugged {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", "shop.ts"))
	if err != nil {
		t.Fatal(err)
	}
	flags, _ := worker.ResolveFlags("2026-04-01", nil)
	dir := t.TempDir()
	file := filepath.Join(dir, "index.ts")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Build(bundle.Options{Dir: dir, Entry: file, Stops: true,
		Virtual: []bundle.VirtualModule{{Name: "cloudflare:workers"}}})
	if err != nil {
		t.Fatal(err)
	}
	d := &debugged{t: t, server: New(Options{Port: -1})}
	o := worker.Options{Name: "shop", Flags: flags, Script: &worker.Script{Bundle: b},
		Clock: d.server.Clock(clock.Real{}), CPULimit: time.Minute}
	d.server.Attach(&o)
	if d.worker, err = worker.Start(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	d.web = httptest.NewServer(d.server)
	t.Cleanup(func() {
		d.server.Close()
		d.web.Close()
		d.worker.Close()
	})
	return d
}

// get sends the Worker a request; the status comes when it has answered.
func (d *debugged) get(path string) <-chan int {
	status := make(chan int, 1)
	go func() {
		r := httptest.NewRequest("GET", "http://shop.test"+path, nil)
		res, err := d.worker.Fetch(context.Background(), r, worker.FetchOptions{})
		if err != nil {
			d.t.Error(err)
			status <- 0
			return
		}
		res.Body.Close()
		status <- res.Status
	}()
	return status
}

// person is a client of the protocol.
type person struct {
	t      testing.TB
	conn   *websocket.Conn
	number int
	events []event
}

type event struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *errorReply
}

func (d *debugged) connect(header http.Header) (*person, error) {
	conn, _, err := websocket.Dial(context.Background(), d.web.URL, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	d.t.Cleanup(func() { conn.CloseNow() })
	return &person{t: d.t, conn: conn}, nil
}

func (d *debugged) attach() *person {
	d.t.Helper()
	g, err := d.connect(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	g.call("Runtime.enable", nil, nil)
	g.call("Debugger.enable", nil, nil)
	return g
}

func (g *person) read() event {
	g.t.Helper()
	_, data, err := g.conn.Read(context.Background())
	if err != nil {
		g.t.Fatal(err)
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		g.t.Fatal(err)
	}
	return e
}

func (g *person) write(data []byte) {
	g.t.Helper()
	if err := g.conn.Write(context.Background(), websocket.MessageText, data); err != nil {
		g.t.Fatal(err)
	}
}

func (g *person) call(method string, params, into any) *errorReply {
	g.t.Helper()
	g.number++
	if params == nil {
		params = struct{}{}
	}
	data, err := json.Marshal(map[string]any{"id": g.number, "method": method, "params": params})
	if err != nil {
		g.t.Fatal(err)
	}
	g.write(data)
	for {
		e := g.read()
		if e.ID != g.number {
			g.events = append(g.events, e)
			continue
		}
		if into != nil && e.Error == nil {
			if err := json.Unmarshal(e.Result, into); err != nil {
				g.t.Fatal(err)
			}
		}
		return e.Error
	}
}

// wait takes the next event of a name.
func (g *person) wait(method string) event {
	g.t.Helper()
	for i, e := range g.events {
		if e.Method == method {
			g.events = append(g.events[:i:i], g.events[i+1:]...)
			return e
		}
	}
	for {
		e := g.read()
		if e.Method == method {
			return e
		}
		g.events = append(g.events, e)
	}
}
