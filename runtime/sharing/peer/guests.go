package peer

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"

	"eddy/runtime/clock"
)

// ServeHTTP takes a link and serves it until it ends.
func (h *ownerSide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !authorized(r, h.o.Token) {
		http.Error(w, "The token of this session is in running.json of its state directory.", http.StatusForbidden)
		return
	}
	h.mu.Lock()
	closed := h.closed
	if !closed {
		h.serving.Add(1)
	}
	h.mu.Unlock()
	if closed {
		http.Error(w, "The session is being stopped.", http.StatusServiceUnavailable)
		return
	}
	defer h.serving.Done()
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // answered by Accept
	}
	c := &conn{h: h, pipe: newPipe(ws), deliveries: map[uint64]*delivery{}, detach: map[string]func(){},
		idle: make(chan struct{})}
	defer c.pipe.end()
	if err := c.welcome(); err != nil {
		return
	}
	h.o.changed(Change{Kind: Joined, Session: c.session})
	h.introduce()
	err = c.serve()
	c.end()
	h.introduce()
	h.o.changed(Change{Kind: Left, Session: c.session, Err: err})
}

// drain takes the guests' consumers off and waits until what they have in flight is settled, or ctx ends.
func (h *ownerSide) drain(ctx context.Context) {
	h.mu.Lock()
	conns := slices.Collect(maps.Keys(h.conns))
	h.mu.Unlock()
	for _, c := range conns {
		c.detachAll()
	}
	for _, c := range conns {
		select {
		case <-c.whenIdle():
		case <-ctx.Done():
		}
	}
}

// byeTime bounds how long the guests have to close their links after the bye.
const byeTime = 300 * time.Millisecond

// close says bye to the guests and ends the links. The broker is still open.
func (h *ownerSide) close() {
	h.mu.Lock()
	h.closed = true
	conns := slices.Collect(maps.Keys(h.conns))
	h.mu.Unlock()
	for _, c := range conns {
		c.bye()
	}
	late := clock.AfterPatience(clock.Real{}, byeTime, func() {
		for _, c := range conns {
			_ = c.pipe.ws.CloseNow() // its goroutine ends then
		}
	})
	h.serving.Wait()
	late.Stop()
	h.unwatch()
}
