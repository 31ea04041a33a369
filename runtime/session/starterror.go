package session

import "fmt"

// StartError says why a Worker did not start: its script threw at the top level, or its exports do not fit its
// configuration.
type StartError struct {
	Worker string
	Err    error
}

// Error implements error.
func (e *StartError) Error() string {
	return fmt.Sprintf("Worker %s failed to start: %v", e.Worker, e.Err)
}

// Unwrap gives the cause.
func (e *StartError) Unwrap() error { return e.Err }
