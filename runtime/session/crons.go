package session

import (
	"context"
	"maps"
	"slices"
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
	flows *flows
	// once tells whether this node is the one of its cluster that fires a cron for a time. It may wait. It is nil
	// outside of a cluster.
	once func(name string, at time.Time) bool

	mu    sync.Mutex
	armed map[cronKey]bool // guarded by mu; which have a timer
}

// cronKey is a cron of a Worker, or with a workflow's name a schedule of that.
type cronKey struct {
	svc            *service
	expr, workflow string
}

// once names a cron for the cluster.
func (k cronKey) once() string {
	name := k.svc.name + "/" + k.expr
	if k.workflow != "" {
		name += "/" + k.workflow
	}
	return name
}

// configured are the crons of a configuration, and the schedules of its workflows.
func configured(svc *service, cfg *wrangler.Config) map[cronKey]wrangler.Cron {
	all := map[cronKey]wrangler.Cron{}
	for _, cron := range cfg.Triggers.Crons {
		all[cronKey{svc, cron.Expr, ""}] = cron
	}
	for _, w := range cfg.Workflows {
		for _, cron := range w.Schedules {
			all[cronKey{svc, cron.Expr, w.Name}] = cron
		}
	}
	return all
}

// less orders keys of one service.
func (k cronKey) less(other cronKey) bool {
	return k.workflow < other.workflow || k.workflow == other.workflow && k.expr < other.expr
}

// arm sets a timer for each cron of a service's configuration that has no timer yet.
func (c *crons) arm(svc *service, cfg *wrangler.Config) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed == nil {
		c.armed = map[cronKey]bool{}
	}
	all := configured(svc, cfg)
	for _, key := range slices.SortedFunc(maps.Keys(all), func(a, b cronKey) int {
		if a.less(b) {
			return -1
		}
		return 1
	}) {
		if !c.armed[key] {
			c.armed[key] = true
			c.next(key, all[key])
		}
	}
}

// next sets the timer for the next time that a cron is due.
func (c *crons) next(key cronKey, cron wrangler.Cron) {
	now := c.clock.Now()
	due, ok := cron.Schedule.Next(now)
	if !ok {
		return
	}
	c.clock.AfterFunc(due.Sub(now), func() {
		release := c.clock.Hold("a cron event")
		if !c.tasks.Go(func() {
			defer release()
			c.fire(key, due)
			c.next(key, cron)
		}) {
			release() // the session ends
		}
	})
}

// fire runs the scheduled handler or starts an instance, if the cron is still configured.
func (c *crons) fire(key cronKey, at time.Time) {
	g := key.svc.live()
	if g == nil {
		return
	}
	if _, still := configured(key.svc, g.config)[key]; !still {
		return
	}
	if c.once != nil && !c.once(key.once(), at) {
		return
	}
	if key.workflow != "" {
		c.flows.start(key.workflow, key.expr, at)
		return
	}
	start := time.Now()
	err := g.RunScheduled(context.Background(), key.expr, at).Err // a failure has been reported as uncaught
	c.lines.Scheduled(key.svc.name, key.expr, err, time.Since(start))
}
