package runtime

import (
	"context"
	"sync"
	"time"

	"eddy/wrangler"
)

// crons notes which crons have a timer. A timer once armed goes on for the whole session and asks, when it is due,
// whether its cron is still configured: one that a reload takes away and a later one brings back fires once, not twice.
type crons struct {
	mu    sync.Mutex
	armed map[cronKey]bool // guarded by mu
}

type cronKey struct {
	svc  *service
	expr string
}

// startCrons lets triggers.crons fire by themselves, on the session's clock, in UTC. Each cron of each service has one
// timer; the configuration is looked at anew before each firing, so that a reload may change or remove it.
func (s *Server) startCrons() {
	for _, svc := range s.services {
		s.armCrons(svc, svc.live().config)
	}
}

// armCrons arms those crons of a configuration that have no timer yet.
func (s *Server) armCrons(svc *service, cfg *wrangler.Config) {
	if !s.opts.Crons {
		return
	}
	s.crons.mu.Lock()
	defer s.crons.mu.Unlock()
	if s.crons.armed == nil {
		s.crons.armed = map[cronKey]bool{}
	}
	for _, c := range cfg.Triggers.Crons {
		if key := (cronKey{svc, c.Expr}); !s.crons.armed[key] {
			s.crons.armed[key] = true
			s.armCron(svc, c)
		}
	}
}

func (s *Server) armCron(svc *service, c wrangler.Cron) {
	next, ok := c.Schedule.Next(s.clock.Now())
	if !ok {
		return
	}
	s.clock.AfterFunc(next.Sub(s.clock.Now()), func() {
		select {
		case <-s.stopping:
			return
		default:
		}
		release := s.clock.Hold()
		s.background.Add(1)
		go func() {
			defer s.background.Done()
			defer release()
			s.fireCron(svc, c, next)
			s.armCron(svc, c)
		}()
	})
}

func (s *Server) fireCron(svc *service, c wrangler.Cron, at time.Time) {
	g := svc.live()
	if g == nil {
		return
	}
	still := false
	for _, now := range g.config.Triggers.Crons {
		still = still || now.Expr == c.Expr
	}
	if !still {
		return
	}
	start := time.Now()
	err := g.RunScheduled(context.Background(), c.Expr, at) // a failure has been reported as uncaught
	s.scheduledLine(svc, c.Expr, err, time.Since(start))
}
