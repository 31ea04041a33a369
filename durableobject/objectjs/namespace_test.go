package objectjs

import (
	"context"
	"errors"
	"testing"

	"eddy/runtime/engine/eventloop"
)

// What has waited for an isolate whose loop has ended is told so without the namespace's lock: whoever is told may ask
// the namespace again at once.
func TestAttachTellsWaitersWithoutTheLock(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"L"}}, lifeObject)
	n := b.objs.of("w")[0]
	ctx := context.Background()
	if err := b.objs.Detach(ctx, w.Isolate); err != nil {
		t.Fatal(err)
	}
	told := false
	if !n.post(func(h *home) {
		told = true
		if h != nil {
			t.Error("a home on a loop that has ended")
		}
		if !n.mu.TryLock() {
			t.Error("called with the namespace's lock held")
			return
		}
		n.mu.Unlock()
	}) {
		t.Fatal("nothing waits for the next isolate")
	}
	w.Close()
	if err := n.attach(ctx, w.Isolate); !errors.Is(err, eventloop.ErrStopped) {
		t.Errorf("attached: %v", err)
	}
	if !told {
		t.Error("never told")
	}
}
