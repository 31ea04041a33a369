package eventloop

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
)

// Gate orders what enters and leaves a scope. Methods are called on the loop goroutine. A nil Gate lets everything
// pass at once.
type Gate interface {
	// Enter runs fn now or, while input is held back, later, in order. section is what the async context was bound
	// to with [Loop.WithSection] when the work was started, nil for a new event: what belongs to a critical section
	// must pass while that section holds everything else back.
	Enter(section any, fn func())
	// Output runs fn when everything the scope wrote before is confirmed; err says why it never will be.
	Output(fn func(err error))
}

// Scope is what JavaScript runs for; see the package documentation. All but Enter belongs to the loop's goroutine.
type Scope struct {
	loop *Loop
	// Owner is whatever the maker of the scope wants to find again (an invocation, an object instance). If it has a
	// method Lost(error), that is called on the loop when a turn of the scope was ended by the memory limit or a Go
	// panic.
	Owner any

	gate    Gate
	parent  context.Context
	lazy    scopeContext
	timers  map[int64]*timer
	nextID  int64
	pending int
	open    int    // how many doors are open: see Open
	seq     uint64 // its number among the scopes of the loop
	closed  bool
	cpu     time.Duration
	limit   time.Duration
	onLimit func()
	over    bool // a turn has hit the limit
	// counted is the part of cpu from before the last LimitCPU: Options.Computes does not count it.
	counted       time.Duration
	computingTold bool
	rest          bool         // it is an account of [Loop.rest]
	calls         atomic.Int32 // see Hops
	onIdle        func()
	onClose       []func()
}

// NewScope makes a scope. parent bounds its context; gate may be nil.
func (l *Loop) NewScope(parent context.Context, owner any, gate Gate) *Scope {
	s := &Scope{}
	l.OpenScope(s, parent, owner, gate)
	return s
}

// OpenScope is NewScope for a scope that lies within something else, and was never used.
func (l *Loop) OpenScope(s *Scope, parent context.Context, owner any, gate Gate) {
	l.scopes++
	s.loop, s.Owner, s.gate, s.seq, s.parent = l, owner, gate, l.scopes, parent
}

// scopeContext is the context of a scope, which is made when somebody asks for it.
type scopeContext struct {
	sync.Mutex // guards all below: work on other goroutines asks, too
	ctx        context.Context
	cancel     context.CancelCauseFunc
	reason     error // why the scope was closed
}

// Loop is the loop the scope lives on.
func (s *Scope) Loop() *Loop { return s.loop }

// Number counts the scopes of the loop, in the order in which they were made.
func (s *Scope) Number() uint64 { return s.seq }

// Context ends when the scope is closed. Any goroutine.
func (s *Scope) Context() context.Context {
	c := &s.lazy
	c.Lock()
	defer c.Unlock()
	if c.ctx == nil {
		c.ctx, c.cancel = context.WithCancelCause(s.parent)
		if c.reason != nil {
			c.cancel(c.reason)
		}
	}
	return c.ctx
}

// end ends the context.
func (c *scopeContext) end(reason error) {
	c.Lock()
	defer c.Unlock()
	c.reason = reason
	if c.cancel != nil {
		c.cancel(reason)
	}
}

// Enter runs fn in a turn of its own inside the scope, when its gate lets it. Any goroutine. If the scope is closed
// by then fn is dropped.
func (s *Scope) Enter(fn func()) {
	s.loop.Post(func() { s.enterNow(nil, fn) })
}

// EnterNow is Enter for callers on the loop: fn runs before it returns if the gate lets it.
func (s *Scope) EnterNow(fn func()) { s.enterNow(nil, fn) }

// EnterAs is EnterNow for work that belongs to a critical section: a callback that was handed out inside it.
func (s *Scope) EnterAs(section any, fn func()) { s.enterNow(section, fn) }

func (s *Scope) enterNow(section any, fn func()) {
	if s.closed {
		return
	}
	if s.gate == nil {
		s.Run(fn)
		return
	}
	s.gate.Enter(section, func() {
		if !s.closed {
			s.Run(fn)
		}
	})
}

// Run runs fn at once with the scope current, past the gate. Microtasks that fn causes run in it too if fn is the
// outermost call into JavaScript.
func (s *Scope) Run(fn func()) { s.RunFrom(Hops{}, fn) }

// RunFrom is Run for an event that has come through these hops.
func (s *Scope) RunFrom(hops Hops, fn func()) {
	l := s.loop
	saved := l.cur
	l.cur = &asyncFrame{scope: s, hops: hops}
	whole := false
	defer func() {
		if !whole && l.broken == nil {
			l.broken = l.cur.scope
		}
		l.cur = saved
	}()
	l.charge(s, fn)
	whole = true
}

// Gated tells whether the scope has a gate. Without one Output runs what it gets at once.
func (s *Scope) Gated() bool { return s.gate != nil }

// Output runs fn when everything the scope wrote so far is confirmed, at once when there is no gate. fn runs on the
// loop; err is why the writes are lost.
func (s *Scope) Output(fn func(err error)) {
	if s.gate == nil {
		fn(nil)
		return
	}
	s.gate.Output(fn)
}

// Closed tells whether Close was called.
func (s *Scope) Closed() bool { return s.closed }

// Close ends the scope for the reason given (nil when it is simply over).
func (s *Scope) Close(reason error) {
	if s.closed {
		return
	}
	s.forgetStall()
	s.closed = true
	for id := range s.timers {
		s.ClearTimer(id)
	}
	if reason == nil {
		reason = context.Canceled
	}
	s.lazy.end(reason)
	for _, fn := range s.onClose {
		s.loop.Post(fn)
	}
	s.onClose = nil
}

// OnClose runs fn in a turn of its own after the scope is closed. The turn is queued before Close returns, so that
// virtual time does not jump over it; it could jump over a goroutine that waits for the context's end.
func (s *Scope) OnClose(fn func()) {
	if s.closed {
		s.loop.Post(fn)
		return
	}
	s.onClose = append(s.onClose, fn)
}

// Pending counts tickets and timers that are out.
func (s *Scope) Pending() int { return s.pending }

// OnIdle calls fn, on the loop, whenever Pending falls to 0.
func (s *Scope) OnIdle(fn func()) { s.onIdle = fn }

func (s *Scope) addPending(n int) {
	s.pending += n
	s.addBusy(n)
	if s.pending == 0 && s.onIdle != nil && !s.closed {
		s.onIdle()
	}
}

// Scope is the current scope, nil outside any (module start-up). Loop goroutine only.
func (l *Loop) Scope() *Scope { return l.cur.scope }

// asyncFrame is what travels through promises: the scope, the async variables, and the hops of the event. It is never
// changed.
type asyncFrame struct {
	scope   *Scope
	vars    *variable
	section any
	hops    Hops
}

// outside is the frame of what runs outside any scope.
var outside asyncFrame

func (f *asyncFrame) with(key any, value goja.Value) *asyncFrame {
	return &asyncFrame{scope: f.scope, section: f.section, hops: f.hops,
		vars: &variable{key: key, value: value, next: f.vars}}
}

// Section is the critical section that the current async context belongs to, nil for none.
func (l *Loop) Section() any { return l.cur.section }

// WithSection runs fn with the async context bound to a critical section: what fn starts passes the scope's gate as
// part of it.
func (l *Loop) WithSection(section any, fn func()) {
	saved := l.cur
	l.cur = &asyncFrame{scope: saved.scope, vars: saved.vars, section: section, hops: saved.hops}
	defer func() { l.cur = saved }()
	fn()
}

// variable is one binding in an immutable list.
type variable struct {
	key   any
	value goja.Value
	next  *variable
}

// Variable is the value of an async variable in the current context, nil if it has none.
func (l *Loop) Variable(key any) goja.Value {
	for v := l.cur.vars; v != nil; v = v.next {
		if v.key == key {
			return v.value
		}
	}
	return nil
}

// WithVariable runs fn with an async variable bound; promises and timers started by fn keep the binding. A nil value
// unbinds.
func (l *Loop) WithVariable(key any, value goja.Value, fn func()) {
	saved := l.cur
	l.cur = saved.with(key, value)
	defer func() { l.cur = saved }()
	fn()
}

// SetVariable binds an async variable for the rest of the current context (AsyncLocalStorage.enterWith).
func (l *Loop) SetVariable(key any, value goja.Value) {
	l.cur = l.cur.with(key, value)
}

// Snapshot captures the current context; the function it returns runs another inside it.
func (l *Loop) Snapshot() func(fn func()) {
	f := l.cur
	return func(fn func()) {
		saved := l.cur
		l.cur = f
		defer func() { l.cur = saved }()
		fn()
	}
}

// tracker carries the frame through promise reactions.
type tracker struct{ loop *Loop }

// Grab implements goja.AsyncContextTracker.
func (t tracker) Grab() any { return t.loop.cur }

// Resumed implements goja.AsyncContextTracker.
func (t tracker) Resumed(f any) { t.loop.cur = f.(*asyncFrame) }

// Exited implements goja.AsyncContextTracker.
func (t tracker) Exited() {}
