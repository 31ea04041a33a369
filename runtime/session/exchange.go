package session

import (
	"context"
	"errors"
	"fmt"

	"eddy/durableobject"
	"eddy/runtime/bundle"
	"eddy/wrangler"
)

// lostError says that an exchange failed and the generation from before could not be connected again.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// exchange starts a service anew and puts the next generation in the place of the present one: it applies the
// migrations, connects the next generation, and then lets it serve. If a step fails, the steps before it are taken back
// in reverse order, and the present generation goes on, connected as it was. The caller holds svc.changing.
func (s *Session) exchange(
	ctx context.Context, svc *service, cfg *wrangler.Config, b *bundle.Bundle, plans []durableobject.Plan,
) error {
	present := svc.live()
	if present == nil {
		return errNotRunning
	}
	forget := s.classes.know(plans) // the next generation's env is made with the keys
	if err := s.mayStep("start"); err != nil {
		forget()
		return err
	}
	next, err := s.startGeneration(ctx, svc, cfg, b, present.number+1)
	if err != nil {
		forget()
		return err
	}
	c := change{session: s, service: svc, present: present, next: next}
	if err = c.make(plans); err != nil {
		err = c.takeBack(err, forget)
		s.retire(next)
		return err
	}
	return nil
}

// change is an exchange that has begun.
type change struct {
	session       *Session
	service       *service
	present, next *generation
	// touched says that the present generation may not be connected as it was any more.
	touched bool
	made    []attachment // those of next
	undo    func() error // takes the migrations back; nil if there is nothing to take back
}

// make takes all steps until the next generation serves.
func (c *change) make(plans []durableobject.Plan) error {
	s := c.session
	if err := s.mayStep("migrations"); err != nil {
		return err
	}
	if discards(plans) {
		// Nobody may have the objects open that migrations move aside. Events for other objects wait.
		c.touched = true
		if err := s.objects.Detach(context.Background(), c.present.Isolate); err != nil {
			return err
		}
	}
	undo, tell, err := s.applyMigrations(plans)
	c.undo = undo
	if err != nil {
		return err
	}
	c.touched = true
	if c.made, err = s.connect(c.service, c.next, append(s.liveConfigs(c.service), c.next.config)); err != nil {
		return err
	}
	if err := s.mayStep("swap"); err != nil {
		return err
	}
	old, its, ok := c.service.swap(c.next, c.made)
	if !ok {
		return errNotRunning
	}
	detachAll(its)
	s.retire(old)
	tell()
	return nil
}

// takeBack is called when make has failed with cause. It returns cause, or a lostError if the present generation cannot
// be connected again.
func (c *change) takeBack(cause error, forget func()) error {
	s := c.session
	var errs []error
	if c.undo != nil {
		errs = append(errs, c.undo())
	}
	forget()
	if s.stopping.Err() != nil {
		detachAll(c.made) // the session ends: nobody needs the present generation again
		return errors.Join(append([]error{cause}, errs...)...)
	}
	if c.touched {
		made, err := s.connect(c.service, c.present, append(s.liveConfigs(c.service), c.present.config))
		errs = append(errs, err)
		detachAll(c.made) // what the present generation serves again stays
		c.service.reattach(c.present, made)
	}
	if err := errors.Join(errs...); err != nil {
		return &lostError{fmt.Errorf("%w\n  The code from before could not be connected again either: %w\n"+
			"  end this session and start it again", cause, err)}
	}
	return cause
}

func discards(plans []durableobject.Plan) bool {
	for _, p := range plans {
		if len(p.Discard) > 0 {
			return true
		}
	}
	return false
}
