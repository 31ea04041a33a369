package peer

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"eddy/runtime/clock"
)

// WirePath is where every session of a shared state directory takes wires for its Workers, under its URL.
const WirePath = Path + "/wire"

// JournalPath is where every node of a cluster gives what was recorded on it, as a stream of entries (package journal):
// what there is, unless past=0 is asked for; and with follow=1 what comes, until the caller ends it. Then after=SPAN
// says that the caller has had all up to that entry: it gets those behind it.
const JournalPath = Path + "/journal"

// TellPath is where every node of a cluster tells another one what it knows by itself, as JSON: its objects, or what
// the explorer asks.
const TellPath = Path + "/tell"

// Headers of the answer of JournalPath. JournalLast is the span of the last entry before those that come,
// [JournalEmpty] if there is none, for who has asked for no past. JournalResumed, for who has said what it has had, is
// [JournalWhole] if nothing is missing behind that, [JournalPart] if the entry is not there any more: what there is
// comes.
const (
	JournalLast    = "Eddy-Journal-Last"
	JournalEmpty   = "none"
	JournalResumed = "Eddy-Journal-Resumed"
	JournalWhole   = "whole"
	JournalPart    = "part"
)

// DialWire opens the connection of a wire to the session at an address. It goes over a WebSocket, whose messages have
// no meaning of their own: frames may begin and end anywhere in them.
func DialWire(ctx context.Context, to Address) (io.ReadWriteCloser, error) {
	ctx, cancel := clock.WithPatience(ctx, handshakeTime)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, to.URL+WirePath, &websocket.DialOptions{
		HTTPClient: to.client(), Host: "localhost", HTTPHeader: http.Header{"Authorization": {"Bearer " + to.Token}},
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return nil, err
	}
	if to.Cert != "" {
		watch(ws)
	}
	return stream(ws), nil
}

// ServeWire takes the connection of a wire and runs it; run returns when it is over.
func ServeWire(w http.ResponseWriter, r *http.Request, token string, run func(io.ReadWriteCloser)) {
	if !authorized(r, token) {
		http.Error(w, "The token of this session is known to the sessions that share its state directory.",
			http.StatusForbidden)
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // answered by Accept
	}
	// The server forgets a connection that it has given away, also if a call panics: the other side must hear of it.
	defer func() { _ = ws.CloseNow() }() // it may be closed
	run(stream(ws))
}

// ErrNotRunning says that a session does not run the Worker that was called.
var ErrNotRunning = errors.New("the Worker is not running")

func authorized(r *http.Request, token string) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && token != "" && subtle.ConstantTimeCompare([]byte(got), []byte(token)) == 1
}

// cut is a connection whose Close waits for nobody.
type cut struct {
	io.ReadWriter
	ws *websocket.Conn
}

// Close implements io.Closer.
func (c cut) Close() error { return c.ws.CloseNow() }

// pingTime is how long the other node may take to answer a ping before a connection counts as broken, and the pause
// between two pings. A machine that is lost says nothing. That this process stood still says nothing of the other.
const pingTime = 10 * time.Second

// watch ends a connection whose other side does not answer. Somebody reads from the connection meanwhile.
func watch(ws *websocket.Conn) {
	go func() {
		for {
			ctx, cancel := clock.WithPatience(context.Background(), pingTime)
			err := ws.Ping(ctx)
			if err == nil {
				<-ctx.Done() // the pause
			}
			cancel()
			if err != nil {
				_ = ws.CloseNow() // it may have ended
				return
			}
		}
	}()
}

func stream(ws *websocket.Conn) io.ReadWriteCloser {
	ws.SetReadLimit(-1)
	return cut{websocket.NetConn(context.Background(), ws, websocket.MessageBinary), ws}
}
