package session

import (
	"context"
	"errors"
	"time"

	"eddy/runtime/control"
	"eddy/runtime/profile"
	"eddy/runtime/worker"
)

// profile records the Workers for clients of the control API.
func (s *Session) profile(ctx context.Context, in control.Profiling) (*profile.Profile, error) {
	if in.Worker != "" {
		if _, err := s.find(in.Worker); err != nil {
			return nil, err
		}
	}
	var stop func() (*profile.Profile, error)
	if in.Kind == profile.Heap {
		r, err := profile.RecordHeap(s.isolatesOf(in.Worker))
		if err != nil {
			return nil, err
		}
		stop = r.Stop
	} else {
		r := profile.Record(time.Duration(in.IntervalUS)*time.Microsecond, s.isolatesOf(in.Worker))
		stop = func() (*profile.Profile, error) { return r.Stop(), nil }
	}
	wait := time.NewTimer(time.Duration(in.Seconds * float64(time.Second)))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
	p, err := stop()
	if ctx.Err() != nil && err == nil {
		err = errors.New("the profile was given up before its time was over")
	}
	return p, err
}

// isolatesOf gives the isolates that run: those of one Worker, "" for all, and of the Workers that it has made from
// code.
func (s *Session) isolatesOf(name string) func() []profile.Source {
	return func() (list []profile.Source) {
		add := func(w *worker.Worker) {
			list = append(list, profile.Source{Worker: w.Name, Loop: w.Loop, Place: w.FramePlace})
		}
		for _, svc := range s.services {
			if g := svc.live(); g != nil && (name == "" || svc.name == name) {
				add(g.Worker)
			}
		}
		s.dynamic.Range(func(w, parent any) bool {
			if name == "" || parent == name {
				add(w.(*worker.Worker))
			}
			return true
		})
		return list
	}
}
