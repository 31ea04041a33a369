package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"eddy/runtime/control"
	"eddy/workflows"
)

// Crons lists the crons of the session's Workers. Implements [control.Calendar].
func (s *Session) Crons() (list []control.CronEntry) {
	now := s.opts.Clock.Now()
	for _, svc := range s.services {
		g := svc.live()
		if g == nil {
			continue
		}
		for _, c := range g.config.Triggers.Crons {
			one := control.CronEntry{Worker: svc.name, Cron: c.Expr, Fires: s.opts.Crons}
			if at, ok := c.Schedule.Next(now); ok {
				one.Next = &at
			}
			list = append(list, one)
		}
	}
	return list
}

// RunCron runs a cron of a Worker now. Implements [control.Calendar].
func (s *Session) RunCron(ctx context.Context, name, cron string) error {
	live, err := s.Live(ctx, name)
	if err != nil {
		return err
	}
	start := time.Now()
	result := live.RunScheduled(ctx, cron, s.opts.Clock.Now())
	if result.NoHandler {
		return fmt.Errorf("%s exports no scheduled()", name)
	}
	s.lines.Scheduled(name, cron, result.Err, time.Since(start))
	return result.Err
}

// Wakes lists when instances of workflows wake. Implements [control.Calendar].
func (s *Session) Wakes(ctx context.Context, limit int) (list []control.Due, err error) {
	for _, e := range s.entries() {
		type answer struct {
			list []workflows.Wake
			err  error
		}
		answered := make(chan answer, 1)
		e.Workflow.Wakes(limit, func(list []workflows.Wake, err error) { answered <- answer{list, err} })
		select {
		case got := <-answered:
			if got.err != nil {
				return nil, got.err
			}
			for _, w := range got.list {
				list = append(list, control.Due{At: time.UnixMilli(w.At).UTC(), Kind: "workflow", Workflow: e.Name,
					ID: w.ID})
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	slices.SortStableFunc(list, func(a, b control.Due) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID,
			b.ID))
	})
	return list[:min(len(list), limit)], nil
}
