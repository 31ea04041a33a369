package eventloop

import (
	"context"
	"runtime"
)

// heavySlots is how much heavy work of an isolate runs at once: a processor is left to the others.
func heavySlots() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// Heavy runs work off the loop, when the isolate has a slot for it. It is for work that takes a processor and that
// nothing can interrupt: of a flood of it only a little runs at once, and what still waits ends with its event. The
// error says why work did not run. It must not be called on the loop's goroutine.
func (l *Loop) Heavy(ctx context.Context, work func()) error {
	select {
	case l.heavy <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-l.done:
		return ErrStopped
	}
	defer func() { <-l.heavy }()
	if err := ctx.Err(); err != nil {
		return err
	}
	work()
	return nil
}
