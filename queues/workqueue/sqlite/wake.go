package sqlite

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"

	"eddy/queues/workqueue/internal/work"
	"eddy/runtime/sqlite"
)

// hub joins the stores of this process that have one file open, so that they wake each other, and watches the file for
// what other processes write.
type hub struct {
	path   string
	notify *fsnotify.Watcher // nil where the system has none
	wakes  work.Watchers

	mu     sync.Mutex // guards what follows
	stores map[*store]bool
}

var hubs struct {
	sync.Mutex // guards byPath, and joining and leaving
	byPath     map[string]*hub
}

func joinHub(path string, s *store) *hub {
	hubs.Lock()
	defer hubs.Unlock()
	h := hubs.byPath[path]
	if h == nil {
		h = &hub{path: path, stores: map[*store]bool{}}
		if notify, err := fsnotify.NewWatcher(); err == nil {
			if err := notify.Add(filepath.Dir(path)); err == nil {
				h.notify = notify
				go h.listen(notify)
			} else {
				// Without a watcher, polling finds what other processes write.
				_ = notify.Close()
			}
		}
		if hubs.byPath == nil {
			hubs.byPath = map[string]*hub{}
		}
		hubs.byPath[path] = h
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stores[s] = true
	return h
}

func (h *hub) leave(s *store) {
	hubs.Lock()
	defer hubs.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.stores, s)
	if len(h.stores) > 0 {
		return
	}
	delete(hubs.byPath, h.path)
	if h.notify != nil {
		_ = h.notify.Close() // nobody listens any more
	}
}

// listen asks a store whether another process has written, whenever the log changes.
func (h *hub) listen(notify *fsnotify.Watcher) {
	for {
		select {
		case event, ok := <-notify.Events:
			if !ok {
				return
			}
			if strings.HasPrefix(filepath.Base(event.Name),
				filepath.Base(h.path)) && event.Has(fsnotify.Write|fsnotify.Create) {
				h.ask()
			}
		case _, ok := <-notify.Errors:
			if !ok {
				return
			}
			h.wakes.WakeAll() // events were lost
		}
	}
}

// ask lets a store find out whether another connection has written since it was last asked.
func (h *hub) ask() {
	if !h.wakes.Any() {
		return
	}
	h.mu.Lock()
	var s *store
	for s = range h.stores {
		break
	}
	h.mu.Unlock()
	if s == nil {
		return
	}
	select {
	case s.peeks <- struct{}{}:
	default: // it is about to look
	}
}

// peek wakes everybody if another process has written. Called by the store's goroutine.
func (s *store) peek() {
	var version int64
	err := s.conn.run("PRAGMA data_version", func(st *sqlite.Stmt) { version = st.Int(0) })
	if err != nil || version != s.version { // an error comes again, and is reported, at the next claim
		s.version = version
		s.hub.wakes.WakeAll()
	}
}

// Watch implements work.Store.
func (s *store) Watch(topic string, w *work.Watcher) (stop func(), err error) {
	return s.hub.wakes.Add(topic, w), nil
}
