package peer

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// WirePath is where every session of a shared state directory takes wires for its Workers, under its URL.
const WirePath = Path + "/wire"

// DialWire opens the connection of a wire to the session at an address. It goes over a WebSocket, whose messages have
// no meaning of their own: frames may begin and end anywhere in them.
func DialWire(ctx context.Context, to Address) (io.ReadWriteCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true}}
	ws, _, err := websocket.Dial(ctx, to.URL+WirePath, &websocket.DialOptions{
		HTTPClient: client, Host: "localhost", HTTPHeader: http.Header{"Authorization": {"Bearer " + to.Token}},
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return nil, err
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

func stream(ws *websocket.Conn) io.ReadWriteCloser {
	ws.SetReadLimit(-1)
	return cut{websocket.NetConn(context.Background(), ws, websocket.MessageBinary), ws}
}
