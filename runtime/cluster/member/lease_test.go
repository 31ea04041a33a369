package member

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"eddy/runtime/cluster/engine"
)

// earlyLook is an engine whose first look shows what was there before the first beat, and is answered after it.
type earlyLook struct {
	*engine.Memory
	first sync.Once
	read  chan struct{}
}

func (e *earlyLook) Look(ctx context.Context) (engine.View, error) {
	v, err := e.Memory.Look(ctx)
	e.first.Do(func() {
		close(e.read)
		time.Sleep(10 * time.Millisecond) // of the bubble
	})
	return v, err
}

func (e *earlyLook) Beat(ctx context.Context, n engine.Node) error {
	<-e.read
	return e.Memory.Beat(ctx, n)
}

// A node that has joined looks at once, also if the look that it has begun with does not show it: it need not wait for
// the next one, which comes after an eighth of its lease.
func TestJoinedNodeLooksAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := joinLeased(&earlyLook{Memory: engine.NewMemory(2), read: make(chan struct{})}, "a", time.Hour)
		wait(20 * time.Millisecond)
		a.want(t, "joined", "gained 0", "gained 1")
		a.Leave()
		synctest.Wait()
	})
}
