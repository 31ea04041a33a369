package sharing

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"eddy/durableobject/objectjs"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
	"eddy/runtime/sharing/peer"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/sockets"
	"eddy/runtime/webapi/websocket"
)

// Callees are what other sessions may call. Any goroutine.
type Callees interface {
	// Entry is an entrypoint of a Worker, which fails all calls if the Worker does not run here.
	Entry(worker, entrypoint string, props []byte) rpc.Client
	// ObjectClient is a Durable Object, likewise.
	ObjectClient(worker string, to objectjs.DistantObject) rpc.Client
	// FetchObject is fetch() of a Durable Object that ObjectClient has given. It does not wait. done is called once.
	FetchObject(to rpc.Client, req *http.Request, cf string, hops eventloop.Hops,
		done func(*fetch.Parts, *websocket.End, *rpc.RemoteError))
	// ConnectObject is connect() of one. It does not wait.
	ConnectObject(to rpc.Client, j *sockets.Joint, hops eventloop.Hops)
}

// wires are the connections to other sessions over which their Workers and objects are called, and those over which
// they call the ones of this session.
type wires struct {
	local Callees
	token string // that callers must have
	name  string // of the session, for people
	// fetch serves requests.
	fetch func(wire.Asked)

	gone chan struct{} // closed by close, under mu

	mu  sync.Mutex                  // guards the rest
	to  map[peer.Address]*wire.Wire // that this session has opened
	all map[*wire.Wire]bool
	// dialled are closed when the connection of a wire that this session has opened is there, or will not be.
	dialled map[*wire.Wire]chan struct{}
	served  sync.WaitGroup // of the goroutines of all
}

func newWires(local Callees, token, name string, fetch func(wire.Asked)) *wires {
	return &wires{fetch: fetch, name: name, local: local, token: token, gone: make(chan struct{}),
		to: map[peer.Address]*wire.Wire{}, all: map[*wire.Wire]bool{}, dialled: map[*wire.Wire]chan struct{}{}}
}

// make starts one; nil once they are closed. Call it with mu held, and done when its goroutine ends.
func (ws *wires) make() *wire.Wire {
	if ws.isClosed() {
		return nil
	}
	w := wire.New(wire.Options{
		Name: ws.name,
		Entry: func(e wire.Entry) rpc.Client {
			return ws.local.Entry(e.Worker, e.Entrypoint, e.Props)
		},
		Open: ws.object, Fetch: ws.fetch,
	})
	ws.all[w] = true
	ws.served.Add(1)
	return w
}

func (ws *wires) done(w *wire.Wire) {
	ws.mu.Lock()
	delete(ws.all, w)
	ws.mu.Unlock()
	ws.served.Done()
}

// open is the wire to an address: the one that there is, or a new one, which takes calls before it is connected.
func (ws *wires) open(to peer.Address) *wire.Wire {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w := ws.to[to]; w != nil {
		if _, over := w.Ended(); !over {
			return w
		}
	}
	w := ws.make()
	if w == nil {
		return nil
	}
	ws.to[to] = w
	dialled := make(chan struct{})
	ws.dialled[w] = dialled
	go func() {
		defer ws.done(w)
		conn, err := peer.DialWire(context.Background(), to)
		if err != nil {
			w.End(err)
		}
		close(dialled)
		if err == nil {
			err = w.Run(conn)
		}
		w.End(err)
		ws.mu.Lock()
		defer ws.mu.Unlock()
		delete(ws.dialled, w)
		if ws.to[to] == w {
			delete(ws.to, to)
		}
	}()
	return w
}

// connect is open that waits for the connection; nil if there is none.
func (ws *wires) connect(ctx context.Context, to peer.Address) *wire.Wire {
	w := ws.open(to)
	if w == nil {
		return nil
	}
	ws.mu.Lock()
	dialled := ws.dialled[w]
	ws.mu.Unlock()
	if dialled != nil {
		select {
		case <-dialled:
		case <-ctx.Done():
			return nil
		}
	}
	if _, over := w.Ended(); over {
		return nil
	}
	return w
}

// connected is the wire to an address if its connection is there; nil otherwise.
func (ws *wires) connected(to peer.Address) *wire.Wire {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.to[to]
	if w == nil {
		return nil
	}
	select {
	case <-ws.dialled[w]:
	default:
		return nil
	}
	if _, over := w.Ended(); over {
		return nil
	}
	return w
}

// serve takes a wire of another session.
func (ws *wires) serve(w http.ResponseWriter, r *http.Request) {
	peer.ServeWire(w, r, ws.token, func(conn io.ReadWriteCloser) {
		ws.mu.Lock()
		x := ws.make()
		ws.mu.Unlock()
		if x == nil {
			_ = conn.Close() // the session is being stopped
			return
		}
		defer ws.done(x)
		_ = x.Run(conn) // the other side hears of it, too, and its calls say so
	})
}

// isClosed is called with mu held.
func (ws *wires) isClosed() bool {
	select {
	case <-ws.gone:
		return true
	default:
		return false
	}
}

// close ends all, and waits for their goroutines.
func (ws *wires) close() {
	ws.mu.Lock()
	if !ws.isClosed() {
		close(ws.gone)
	}
	all := ws.all
	ws.all = map[*wire.Wire]bool{}
	ws.mu.Unlock()
	for w := range all {
		w.End(nil)
	}
	ws.served.Wait()
}

// object is a Durable Object of this session, by its [distantName] in JSON.
func (ws *wires) object(name []byte) rpc.Client {
	var to distantName
	if err := json.Unmarshal(name, &to); err != nil {
		return rpc.Broken{Failure: rpc.FailType(err.Error())}
	}
	return ws.local.ObjectClient(to.Worker, to.Object)
}

// distantName is the name of an object on a wire.
type distantName struct {
	Worker string                 `json:"worker"`
	Object objectjs.DistantObject `json:"object"`
}
