package session

import (
	"context"
	"sync"
	"time"

	"eddy/runtime/clock"
	"eddy/wrangler"
)

// crons fires triggers.crons on the session's clock, in UTC. A timer that was armed once goes on for the whole session
// and asks, when it is due, whether its cron is still configured. So a cron that one reload removes and a later one
// brings back fires once, not twice.
type crons struct {
	clock clock.Clock
	lines *lines
	tasks *tasks

	mu    sync.Mutex
	armed map[cronKey]bool // guarded by mu; which have a timer
}

type cronKey struct {
	svc  *service
	expr string
}

// arm sets a timer for each cron of a service's configuration that has no timer yet.
func (c *crons) arm(svc *service, cfg *wrangler.Config) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed == nil {
		c.armed = map[cronKey]bool{}
	}
	for _, cron := range cfg.Triggers.Crons {
		if key := (cronKey{svc, cron.Expr}); !c.armed[key] {
			c.armed[key] = true
			c.next(svc, cron)
		}
	}
}

// next sets the timer for the next time that a cron is due.
func (c *crons) next(svc *service, cron wrangler.Cron) {
	now := c.clock.Now()
	due, ok := cron.Schedule.Next(now)
	if !ok {
		return
	}
	c.clock.AfterFunc(due.Sub(now), func() {
		release := c.clock.Hold("a cron event")
		if !c.tasks.Go(func() {
			defer release()
			c.fire(svc, cron, due)
			c.next(svc, cron)
		}) {
			release() // the session ends
		}
	})
}

// fire runs the scheduled handler, if the cron is still configured.
func (c *crons) fire(svc *service, cron wrangler.Cron, at time.Time) {
	g := svc.live()
	if g == nil {
		return
	}
	for _, now := range g.config.Triggers.Crons {
		if now.Expr == cron.Expr {
			start := time.Now()
			err := g.RunScheduled(context.Background(), cron.Expr, at).Err // a failure has been reported as uncaught
			c.lines.Scheduled(svc.name, cron.Expr, err, time.Since(start))
			return
		}
	}
}
