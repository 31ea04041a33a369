package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"eddy/queues/queuejs"
	"eddy/runtime/clock"
	"eddy/runtime/control"
	"eddy/runtime/report"
)

// errCrash is why events end at a crash.
var errCrash = errors.New("The Worker crashed.")

// FailNext implements [control.Driver].
func (s *Session) FailNext(ctx context.Context, queue string, count int, text string) error {
	return s.everyLoop(ctx, func(g *generation) { queuejs.FailNext(g.Isolate, queue, count, text) })
}

// AlarmTimes implements [control.Driver].
func (s *Session) AlarmTimes() []time.Time { return s.objects.AlarmTimes() }

// EvictIdle implements [control.Driver].
func (s *Session) EvictIdle(ctx context.Context) error {
	return s.everyLoop(ctx, func(g *generation) { s.objects.EvictIdle(g.Isolate) })
}

// Crash implements [control.Driver]. Events in flight end, objects lose what they have in memory, batches whose outcome
// the queues do not have come again, and each Worker starts anew with what is stored.
func (s *Session) Crash(ctx context.Context) error {
	if err := s.everyLoop(ctx, func(g *generation) {
		g.AbortOthers(nil, errCrash)
		s.objects.Crash(g.Isolate)
	}); err != nil {
		return err
	}
	if v, ok := s.opts.Clock.(*clock.Virtual); ok {
		v.Crash()
	}
	var errs []error
	for _, svc := range s.services {
		if g := svc.live(); g != nil {
			errs = append(errs, s.anew(svc, g))
		}
	}
	return errors.Join(errs...)
}

// anew replaces a generation by one of the same code, after a crash.
func (s *Session) anew(svc *service, g *generation) error {
	svc.changing.Lock()
	defer svc.changing.Unlock()
	if svc.live() != g || s.stopping.Err() != nil {
		return nil
	}
	if err := s.exchange(s.stopping, svc, g.config, g.bundle, nil); err != nil {
		return fmt.Errorf("start %s after a crash: %w", svc.name, err)
	}
	s.lines.Line(report.Info, "restart", "Restarted "+svc.name+" after a crash that a test asked for",
		report.F("worker", svc.name), report.F("ok", true))
	return nil
}

// Reset implements [control.Driver].
func (s *Session) Reset(ctx context.Context) error {
	if !s.opts.Ephemeral {
		return control.ErrKept
	}
	return s.empty(ctx)
}

// everyLoop runs f on the loop of each Worker that runs.
func (s *Session) everyLoop(ctx context.Context, f func(*generation)) error {
	var errs []error
	for _, svc := range s.services {
		if g := svc.live(); g != nil {
			errs = append(errs, g.Loop.Do(ctx, func() { f(g) }))
		}
	}
	return errors.Join(errs...)
}
