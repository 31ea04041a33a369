package runtime

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// flowEpoch is what an instance told between its beginning, or a restart, and its end.
type flowEpoch struct {
	attempts map[string]bool   // step and attempt
	stored   map[string]string // results that run has had, by step
	reached  map[string]int    // when a wait was first begun
	types    map[string]string // of waits
	got      map[string]string // what a wait gave
	taken    map[string]string // the wait that has an event
}

// flowSent is an event that somebody sent to an instance.
type flowSent struct {
	instance, typ string
	acked         int // when its sending was confirmed; 0 if it was not
}

// flowModel hears what instances do, in whatever process, and says what must not be. It is the server that the
// workflows tell.
type flowModel struct {
	fail func(format string, args ...any)
	// told gets a token for everything that is told, as long as there is room.
	told chan struct{}

	mu        sync.Mutex // guards all below
	now       int        // counts what was told and confirmed
	epochs    map[string]*flowEpoch
	sent      map[string]*flowSent
	restarted map[string]bool // restarts that may have happened
	ended     map[string]bool // a hint: only the status is sure
	left      []string        // instances that have to end
	whole     chan struct{}   // closed when they have; nil after that
}

func newFlowModel(fail func(string, ...any)) *flowModel {
	return &flowModel{fail: fail, told: make(chan struct{}, 1000), epochs: map[string]*flowEpoch{},
		sent: map[string]*flowSent{}, restarted: map[string]bool{}, ended: map[string]bool{}}
}

// ServeHTTP implements [http.Handler].
func (m *flowModel) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	b, err := io.ReadAll(req.Body)
	words := strings.Fields(string(b))
	if err != nil || len(words) < 3 {
		return // the process was killed while it told
	}
	m.mu.Lock()
	m.now++
	m.hear(words[0], words[0]+"/"+words[1], words[2], append(words[3:], "", ""))
	m.mu.Unlock()
	select {
	case m.told <- struct{}{}:
	default:
	}
}

func (m *flowModel) hear(instance, who, verb string, args []string) {
	e := m.epochs[who]
	if e == nil {
		e = &flowEpoch{map[string]bool{}, map[string]string{}, map[string]int{}, map[string]string{},
			map[string]string{}, map[string]string{}}
		m.epochs[who] = e
	}
	key, value := args[0], args[1]
	switch verb {
	case "begin":
		if v, ok := e.stored[key]; ok {
			m.fail("%s: attempt %s of %s begins, which has given %s", who, value, key, v)
		}
		if e.attempts[key+"/"+value] {
			m.fail("%s: attempt %s of %s begins twice", who, value, key)
		}
		e.attempts[key+"/"+value] = true
	case "stored":
		if v, ok := e.stored[key]; ok && v != value {
			m.fail("%s: %s gave %s and then %s", who, key, v, value)
		}
		e.stored[key] = value
	case "reach":
		if e.reached[key] == 0 {
			e.reached[key], e.types[key] = m.now, value
		}
	case "got":
		if v, ok := e.got[key]; ok && v != value {
			m.fail("%s: %s gave %s and then %s", who, key, v, value)
		}
		e.got[key] = value
		if value == "late" {
			return
		}
		if other, ok := e.taken[value]; ok && other != key {
			m.fail("%s: %s came to %s and to %s", who, value, other, key)
		}
		e.taken[value] = key
		if s := m.sent[value]; s == nil || s.instance != instance || s.typ != e.types[key] {
			m.fail("%s: %s has got %s, which was sent as %+v", who, key, value, s)
		}
	case "ended":
		m.end(instance)
	}
}

// end notes that an instance has ended. The caller holds mu.
func (m *flowModel) end(instance string) {
	m.ended[instance] = true
	m.look()
}

// look closes whole once every instance of left has ended. The caller holds mu.
func (m *flowModel) look() {
	for _, id := range m.left {
		if !m.ended[id] {
			return
		}
	}
	if m.whole != nil {
		close(m.whole)
		m.whole = nil
	}
}

// forget makes the model forget which instances have ended, before somebody looks at their statuses.
func (m *flowModel) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.ended)
}

// expect says which instances had not ended when they were looked at, after forget. It gives a channel that is closed
// when they have.
func (m *flowModel) expect(running []string) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	whole := make(chan struct{})
	m.left, m.whole = running, whole
	m.look()
	return whole
}

// lost names an event that was confirmed before a wait of its type began, which ended without one. Restarts drop
// events, so instances that have had one are not asked.
func (m *flowModel) lost(instance, epoch string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.epochs[instance+"/"+epoch]
	if e == nil {
		return "an epoch that nobody has told of"
	}
	if m.restarted[instance] {
		return ""
	}
	for event, s := range m.sent {
		if s.instance != instance || s.acked == 0 || e.taken[event] != "" {
			continue
		}
		for key, got := range e.got {
			if got == "late" && e.types[key] == s.typ && e.reached[key] > s.acked {
				return fmt.Sprintf("%s of type %s, for which %s has waited", event, s.typ, key)
			}
		}
	}
	return ""
}
