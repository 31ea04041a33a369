package session

import (
	"context"
	"errors"
	"slices"
)

// Hold begins the end: reloads and crons end, and sessions stop joining each other. Requests are still answered until
// Stop.
func (s *Session) Hold() error {
	s.stopNow()
	if s.sharing == nil {
		return nil
	}
	return s.sharing.Hold()
}

// GiveUp ends what Stop still waits for: it cuts every generation's loop. Any goroutine.
func (s *Session) GiveUp() { s.giveUpNow() }

// Stop ends the session, and waits for what is in flight until GiveUp. It is called once.
func (s *Session) Stop() error {
	errs := []error{s.Hold()}
	s.tasks.close()
	for _, svc := range s.services {
		// A reload or a replacement in progress ends first, and by itself: its steps look at stopping.
		svc.changing.Lock()
		g, attached := svc.close()
		svc.changing.Unlock()
		if g == nil {
			continue
		}
		detachAll(attached)
		_ = g.Drain(s.giveUp) // what does not end in time is given up by Close
		g.Close()
		g.spared()
	}
	errs = append(errs, s.watchers.close())
	s.tasks.wait()
	for _, svc := range s.services {
		svc.build.close() // the goroutine that builds has ended
	}
	if s.sharing != nil {
		s.queues.Drain(s.giveUp)
		errs = append(errs, s.sharing.Withdraw())
	}
	if s.objects != nil {
		errs = append(errs, s.objects.Close(context.Background()))
	}
	for _, f := range slices.Backward(s.closers) {
		errs = append(errs, f())
	}
	s.giveUpNow()
	return errors.Join(errs...)
}
