package explorer

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"eddy/queues"
)

// pace is the shortest time between two words of the live stream. A page is fetched at most as often.
const pace = 100 * time.Millisecond

// live is a stream of server-sent events that says "change" whenever something in the session may have changed.
func (x *Server) live(w http.ResponseWriter, r *http.Request) {
	changed := make(chan struct{}, 1)
	note := func() {
		select {
		case changed <- struct{}{}:
		default: // somebody has said so
		}
	}
	if x.o.Observe != nil {
		cancel, err := x.o.Observe(func(queues.Activity) { note() })
		if err != nil {
			x.refuse(w, r, err)
			return
		}
		defer cancel()
	}
	watching, end := context.WithCancel(r.Context())
	defer end()
	go x.window.watch(watching, note)
	rc := http.NewResponseController(w)
	header(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprint(w, "retry: 500\n: open\n\n")
	for {
		if rc.Flush() != nil {
			return
		}
		select {
		case <-changed:
			fmt.Fprint(w, "event: change\ndata:\n\n")
			if rc.Flush() != nil {
				return
			}
			select {
			case <-time.After(pace):
			case <-r.Context().Done():
				return
			case <-x.done.Done():
				return
			}
		case <-r.Context().Done():
			return
		case <-x.done.Done():
			return
		}
	}
}
