package eventloop

import (
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/dop251/goja"
)

// InternalError is an error of ours, told as the platform tells its own: by a reference that the log explains.
type InternalError struct {
	// Reference is made up for this error.
	Reference string
	// Cause is what was panicked with, Stack where.
	Cause any
	Stack []byte
}

// NewInternalError makes the error for a panic with cause. Call it while you recover from that panic.
func NewInternalError(cause any) *InternalError {
	b := make([]byte, 15)
	_, _ = rand.Read(b) // never fails
	return &InternalError{
		Reference: strings.ToLower(base32.StdEncoding.EncodeToString(b)), Cause: cause, Stack: debug.Stack()}
}

// Error is the platform's text.
func (e *InternalError) Error() string { return "internal error; reference = " + e.Reference }

// Report is the text for those who can mend it.
func (e *InternalError) Report() string {
	return fmt.Sprintf("%s\npanic: %v\n%s", e.Error(), e.Cause, e.Stack)
}

// thrown is what a script threw that nobody caught, nil if x is a panic of ours.
func (l *Loop) thrown(x any) goja.Value {
	switch x := x.(type) {
	case goja.Value:
		return x
	case *goja.Exception:
		return x.Value()
	}
	return nil
}

// lose tells the scope, then the owner of the loop.
func (l *Loop) lose(s *Scope, err error) {
	if s != nil && !s.closed {
		if o, ok := s.Owner.(interface{ Lost(err error) }); ok {
			o.Lost(err)
		}
	}
	if l.opts.Lost != nil {
		l.opts.Lost(s, err)
	}
}

// guard keeps an interrupt inside its turn, and a Go panic too if there is somebody to tell. The engine's stacks are
// unwound by then; microtasks that were still to run may be lost with the panic, which is why the isolate
// must not be relied on.
func (l *Loop) guard(fn func()) {
	defer func() {
		broken := l.broken
		l.broken = nil
		x := recover()
		l.machine.Unwind()
		l.rt.ClearInterrupt() // the next turn must not meet an interrupt that no script took
		if x == nil {
			return
		}
		if in, ok := x.(*goja.InterruptedError); ok {
			l.interrupted = in
			return
		}
		if v := l.thrown(x); v != nil && l.opts.Thrown != nil {
			l.AtTurnEnd(func() { l.opts.Thrown(v) })
			return
		}
		if l.opts.Lost == nil {
			panic(fmt.Sprintf("event loop %s: %v", l.opts.Name, x))
		}
		err, ok := x.(*InternalError)
		if !ok {
			err = NewInternalError(x)
		}
		l.AtTurnEnd(func() { l.lose(broken, err) })
	}()
	fn()
}
