package inspector

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"
)

// pauseOnExceptions is the client's wish about errors.
const (
	pauseOnNone int32 = iota
	pauseOnUncaught
	pauseOnCaught
	pauseOnAll
)

// target is one Worker by its name, see the package documentation. What is not atomic is guarded by server.mu.
type target struct {
	server *Inspector
	name   string
	id     string // of its address, which cannot be guessed

	realms      []*realm
	clients     []*client
	breakpoints []*breakpoint
	said        []said // to the console, for clients that come later

	// turn is held by the realm that pauses.
	turn sync.Mutex
	// watched says that a client has enabled the debugger.
	watched    atomic.Bool
	active     atomic.Bool // breakpoints are
	skip       atomic.Bool // all pauses are skipped
	exceptions atomic.Int32
	breakNow   atomic.Bool // pause at the next statement
	breakStart atomic.Bool // pause at the first one
	blackboxes atomic.Pointer[[]*pattern]
}

// join shows a realm to the clients.
func (t *target) join(r *realm) {
	s := t.server
	s.mu.Lock()
	s.contexts++
	r.number = s.contexts
	r.first = s.scripts + 1
	s.scripts += len(r.stops.Files)
	t.realms = append(t.realms, r)
	t.armLocked()
	clients := slices.Clone(t.clients)
	s.mu.Unlock()
	for _, c := range clients {
		c.greet(r)
	}
}

// part takes a realm away that has stopped.
func (t *target) part(r *realm) {
	s := t.server
	s.mu.Lock()
	t.realms = slices.DeleteFunc(t.realms, func(other *realm) bool { return other == r })
	s.mu.Unlock()
	t.toRuntimes("Runtime.executionContextDestroyed", map[string]any{
		"executionContextId": r.number, "executionContextUniqueId": r.unique()})
}

// newest is the realm that runs the Worker's present code, nil if none does.
func (t *target) newest() *realm {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	if len(t.realms) == 0 {
		return nil
	}
	return t.realms[len(t.realms)-1]
}

// find is the first realm for which f is true, nil if there is none.
func (t *target) find(f func(*realm) bool) *realm {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	for _, r := range t.realms {
		if f(r) {
			return r
		}
	}
	return nil
}

// pausedRealm is the realm that pauses, nil if none does.
func (t *target) pausedRealm() *realm {
	return t.find(func(r *realm) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.paused != nil && !r.paused.ended
	})
}

// toDebuggers sends an event to the clients that debug, toRuntimes to those that look at values.
func (t *target) toDebuggers(method string, params any) {
	t.each(func(c *client) bool { return c.debugs }, method, params)
}

func (t *target) toRuntimes(method string, params any) {
	t.each(func(c *client) bool { return c.looks }, method, params)
}

func (t *target) each(which func(*client) bool, method string, params any) {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	for _, c := range t.clients {
		if which(c) {
			c.event(method, params)
		}
	}
}

// settleLocked puts together what the clients wish.
func (t *target) settleLocked() {
	watched, active, skip, mode := false, false, false, pauseOnNone
	var patterns []*pattern
	for _, c := range t.clients {
		if !c.debugs {
			continue
		}
		watched = true
		active = active || !c.inactive
		skip = skip || c.skips
		mode = max(mode, c.exceptions)
		patterns = append(patterns, c.blackbox...)
	}
	t.watched.Store(watched)
	t.active.Store(active)
	t.skip.Store(skip)
	t.exceptions.Store(mode)
	t.blackboxes.Store(&patterns)
	t.armLocked()
}

// hides tells whether nobody wants to stop in a file by stepping.
func (t *target) hides(r *realm, file int) bool {
	list := t.blackboxes.Load()
	if list == nil {
		return false
	}
	for _, p := range *list {
		if p.matches(r.stops.Files[file].URL) {
			return true
		}
	}
	return false
}

// scriptParsed tells of a file of a realm.
func (r *realm) scriptParsed(file int) map[string]any {
	f := r.stops.Files[file]
	lines := strings.Split(f.Text, "\n")
	return map[string]any{
		"scriptId": r.script(file), "url": f.URL, "startLine": 0, "startColumn": 0, "endLine": len(lines) - 1,
		"endColumn": len(lines[len(lines)-1]), "executionContextId": r.number, "hash": hashOf(f.Text), "buildId": "",
		"isLiveEdit": false, "sourceMapURL": "", "hasSourceURL": false, "isModule": true, "length": len(f.Text),
		"scriptLanguage": "JavaScript", "embedderName": f.URL,
		"executionContextAuxData": map[string]any{"isDefault": true},
	}
}

// fileOf is the index of a script's file in a realm, false if it is another realm's.
func (r *realm) fileOf(id runtime.ScriptID) (int, bool) {
	n := number(string(id)) - r.first
	return n, n >= 0 && n < len(r.stops.Files)
}

// resolved is a breakpoint's event for a realm that has come later.
func resolved(b *breakpoint, at *debugger.Location) map[string]any {
	return map[string]any{"breakpointId": b.id, "location": at}
}
