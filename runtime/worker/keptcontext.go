package worker

import (
	"context"
	"time"
)

// keptContext is a context that does not end when the one in it does.
type keptContext struct{ context.Context }

// Deadline implements [context.Context].
func (keptContext) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Done implements [context.Context].
func (keptContext) Done() <-chan struct{} { return nil }

// Err implements [context.Context].
func (keptContext) Err() error { return nil }
