package runtime

import (
	"context"
	"time"

	"eddy/wrangler"
)

// startCrons lets triggers.crons fire by themselves, on the session's clock, in UTC. Each cron of each service has one
// timer; the configuration is read anew before each firing, so that a reload may change or remove it.
func (s *Server) startCrons() {
	for _, svc := range s.services {
		for _, c := range svc.config.Triggers.Crons {
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
