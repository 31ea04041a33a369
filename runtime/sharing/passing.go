package sharing

import (
	"context"
	"slices"
	"sync"
	"time"

	"eddy/runtime/rpc"
)

// passing are calls that other nodes have sent here for objects that are elsewhere by now.
type passing struct {
	mu  sync.Mutex
	ops []*rpc.Op // guarded by mu
}

func (c *passing) add(op *rpc.Op) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trim()
	c.ops = append(c.ops, op)
}

// trim is called with mu held.
func (c *passing) trim() (left int) {
	c.ops = slices.DeleteFunc(c.ops, (*rpc.Op).Over)
	return len(c.ops)
}

// settle waits until none has to be answered any more, or ctx ends.
func (c *passing) settle(ctx context.Context) {
	tick := time.NewTicker(settlePause)
	defer tick.Stop()
	for quiet := 0; quiet < 2; quiet++ { // what was answered last is on its way for a moment
		c.mu.Lock()
		if c.trim() > 0 {
			quiet = -1
		}
		c.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

const settlePause = 20 * time.Millisecond
