package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"eddy/runtime/clock"
)

const (
	// maxSessions is how many browsers run at once, as the limits route says (BIND-81).
	maxSessions = 6
	// idle is how long a browser waits for a connection, maxIdle what keep_alive may make of it (BIND-83).
	idle    = time.Minute
	maxIdle = 10 * time.Minute
)

// Options configure [Browsers].
type Options struct {
	// Setting is a program, or the address of a running browser (http://127.0.0.1:9222); "" looks for one.
	Setting string
	// Profiles is the folder of the profiles.
	Profiles string
	Clock    clock.Clock
}

// Browsers are the browsers of a session. It implements [http.Handler].
type Browsers struct {
	o   Options
	mux *http.ServeMux

	mu       sync.Mutex // guards what follows
	closed   bool
	starting int
	sessions map[string]*acquired
	past     []history
}

// acquired is a browser that somebody has asked for.
type acquired struct {
	id       string
	process  *process // nil for one that ran already
	endpoint *url.URL // the WebSocket of the whole browser
	start    time.Time
	idle     time.Duration

	// These are guarded by Browsers.mu.
	connection   string
	connected    time.Time
	users        int
	legacy       bool
	timer        clock.Timer
	disconnected map[int]func()
}

// history is a session that has ended.
type history struct {
	SessionID       string `json:"sessionId"`
	StartTime       int64  `json:"startTime"`
	EndTime         int64  `json:"endTime"`
	CloseReason     int    `json:"closeReason"`
	CloseReasonText string `json:"closeReasonText"`
}

// view is a session as the routes show it.
type view struct {
	SessionID           string `json:"sessionId"`
	StartTime           int64  `json:"startTime"`
	ConnectionID        string `json:"connectionId,omitempty"`
	ConnectionStartTime int64  `json:"connectionStartTime,omitempty"`
}

// New makes the browsers of a session. None is started.
func New(o Options) *Browsers {
	b := &Browsers{o: o, sessions: map[string]*acquired{}}
	b.routes()
	return b
}

// refusal is an answer with a status.
type refusal struct {
	status int
	text   string
}

// Error implements error.
func (r refusal) Error() string { return r.text }

// acquire starts a browser, or takes the running one.
func (b *Browsers) acquire(ctx context.Context, keep time.Duration) (*acquired, error) {
	b.mu.Lock()
	if full := len(b.sessions)+b.starting >= maxSessions; full || b.closed {
		b.mu.Unlock()
		if full {
			return nil, refusal{http.StatusTooManyRequests, fmt.Sprintf("Too many browsers are open: %d at once",
				maxSessions)}
		}
		return nil, refusal{http.StatusServiceUnavailable, "the session has ended"}
	}
	b.starting++
	b.mu.Unlock()
	a := &acquired{id: uuid.NewString(), start: b.o.Clock.Now(), idle: idle}
	if keep > 0 {
		a.idle = min(keep, maxIdle)
	}
	err := b.open(ctx, a)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starting--
	if err == nil && b.closed {
		err = errors.Join(refusal{http.StatusServiceUnavailable, "the session has ended"}, a.end())
	}
	if err != nil {
		return nil, err
	}
	b.sessions[a.id] = a
	b.rest(a)
	if a.process != nil {
		go func() { // a client may tell the browser itself to close
			<-a.process.done
			b.close(a.id, 1, "NormalClosure")
		}()
	}
	return a, nil
}

func (b *Browsers) open(ctx context.Context, a *acquired) error {
	if strings.HasPrefix(b.o.Setting, "http://") || strings.HasPrefix(b.o.Setting, "ws://") {
		return a.join(ctx, b.o.Setting)
	}
	program, err := find(b.o.Setting)
	if err != nil {
		return err
	}
	if a.process, err = launch(ctx, program, b.o.Profiles); err != nil {
		return err
	}
	a.endpoint, err = url.Parse(a.process.endpoint)
	return err
}

// join asks a running browser for its WebSocket.
func (a *acquired) join(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	if u.Scheme == "ws" {
		a.endpoint = u
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("/json/version").String(), nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no browser answers at %s: %w", address, err)
	}
	defer res.Body.Close()
	var version struct {
		Endpoint string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(res.Body).Decode(&version); err != nil || version.Endpoint == "" {
		return fmt.Errorf("%s is no browser that speaks the DevTools protocol", address)
	}
	a.endpoint, err = url.Parse(version.Endpoint)
	return err
}

func (a *acquired) end() error {
	if a.process == nil {
		return nil
	}
	return a.process.kill()
}

// rest lets the idle time begin if nobody uses the browser. The caller holds mu.
func (b *Browsers) rest(a *acquired) {
	if a.users > 0 {
		return
	}
	a.connection, a.connected, a.legacy = "", time.Time{}, false
	a.timer = b.o.Clock.AfterFunc(a.idle, func() { go b.close(a.id, 2, "BrowserIdle") })
}

// use notes a user of a browser until leave is called; drop is called if the browser is closed before.
func (b *Browsers) use(id string, legacy bool, drop func()) (a *acquired, leave func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a = b.sessions[id]; a == nil {
		return nil, nil, refusal{http.StatusNotFound, "Browser not found"}
	}
	if legacy && a.legacy {
		return nil, nil, refusal{http.StatusConflict, "WebSocket already initialized"}
	}
	a.legacy = a.legacy || legacy
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	a.users++
	if a.connection == "" {
		a.connection, a.connected = uuid.NewString(), b.o.Clock.Now()
	}
	if a.disconnected == nil {
		a.disconnected = map[int]func(){}
	}
	n := a.users
	for a.disconnected[n] != nil {
		n++
	}
	a.disconnected[n] = drop
	return a, sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(a.disconnected, n)
		if legacy {
			a.legacy = false
		}
		if a.users--; b.sessions[id] == a {
			b.rest(a)
		}
	}), nil
}

// close ends a browser; it reports false if there is none.
func (b *Browsers) close(id string, reason int, text string) bool {
	b.mu.Lock()
	a := b.sessions[id]
	delete(b.sessions, id)
	var drop []func()
	if a != nil {
		if a.timer != nil {
			a.timer.Stop()
		}
		for _, f := range a.disconnected {
			drop = append(drop, f)
		}
		b.past = append(b.past, history{a.id, a.start.UnixMilli(), b.o.Clock.Now().UnixMilli(), reason, text})
		if len(b.past) > 100 {
			b.past = b.past[1:]
		}
	}
	b.mu.Unlock()
	if a == nil {
		return false
	}
	for _, f := range drop {
		f()
	}
	_ = a.end() // what is left of its profile goes with the next sweep
	return true
}

// Close ends all browsers.
func (b *Browsers) Close() error {
	b.mu.Lock()
	b.closed = true
	var ids []string
	for id := range b.sessions {
		ids = append(ids, id)
	}
	b.mu.Unlock()
	for _, id := range ids {
		b.close(id, 1, "NormalClosure")
	}
	return nil
}

func (b *Browsers) views() []view {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := []view{}
	for _, a := range b.sessions {
		list = append(list, a.view())
	}
	slices.SortFunc(list, func(x, y view) int { return strings.Compare(x.SessionID, y.SessionID) })
	return list
}

func (a *acquired) view() view {
	v := view{SessionID: a.id, StartTime: a.start.UnixMilli(), ConnectionID: a.connection}
	if a.connection != "" {
		v.ConnectionStartTime = a.connected.UnixMilli()
	}
	return v
}
