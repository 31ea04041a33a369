package front

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// liveReloadPath is where pages wait for the next reload, with --live-reload.
const liveReloadPath = "/cdn-cgi/live-reload"

// liveReloadScript is put at the end of every page. A browser connects again by itself when the session was away.
const liveReloadScript = "\n<script defer type=\"application/javascript\">new EventSource(\"" + liveReloadPath +
	"\").onmessage = () => location.reload();</script>\n"

// Pages are the browser's pages that wait for a reload (--live-reload). Any goroutine.
type Pages struct {
	mu sync.Mutex // guards the rest
	// next is closed by the next reload.
	next chan struct{}
	// end is closed by End.
	end chan struct{}
}

// ended is closed by End.
func (l *Pages) ended() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == nil {
		l.end = make(chan struct{})
	}
	return l.end
}

// End lets go of all pages, which would keep the port from closing. Nothing is served afterwards.
func (l *Pages) End() {
	end := l.ended()
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-end:
	default:
		close(end)
	}
}

func (l *Pages) wait() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = make(chan struct{})
	}
	return l.next
}

// Reload makes all pages load themselves again.
func (l *Pages) Reload() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next != nil {
		close(l.next)
		l.next = nil
	}
}

// serve is a stream of events, one for each reload.
func (l *Pages) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	for {
		next := l.wait()
		// The comment tells the client that it has not missed anything from here on.
		if _, err := io.WriteString(w, ": waiting\n\n"); err != nil || rc.Flush() != nil {
			return
		}
		select {
		case <-next:
			if _, err := fmt.Fprint(w, "data: reload\n\n"); err != nil || rc.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-l.ended():
			return
		}
	}
}

// livePage tells whether a response is a page that the script can be put behind.
func livePage(h http.Header, status int) bool {
	return !bodyless(status) && h.Get("Content-Encoding") == "" && strings.HasPrefix(h.Get("Content-Type"), "text/html")
}
