package workflows

import "errors"

// Failure is an error in the form in which an instance stores it: the name and the message, without the class and the
// stack (FLOW-18).
type Failure struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}

func (f *Failure) Error() string {
	if f.Name == "" {
		return f.Message
	}
	return f.Name + ": " + f.Message
}

// Is makes a failure that came from another process the same as the one of this process with its name and text.
func (f *Failure) Is(target error) bool {
	other, ok := target.(*Failure)
	return ok && *f == *other
}

// These are the errors of this package that the platform shows, with its texts.
var (
	// ErrNotFound means that no instance has the id (FLOW-91).
	ErrNotFound = &Failure{"Error", "instance.not_found"}
	// ErrExists means that another instance has the id (FLOW-90).
	ErrExists = &Failure{"WorkflowError", "(instance.already_exists) Instance already exists"}
	// ErrFinite means that an instance cannot be terminated because it has ended (FLOW-92).
	ErrFinite = &Failure{"WorkflowError",
		"(instance.cannot_terminate) Cannot terminate instance since its on a finite state"}
	// errDied is the failure of an attempt whose life ended before the attempt did (FLOW-99).
	errDied = &Failure{"WorkflowInternalError", "Attempt failed due to internal workflows error"}
)

// These are the reasons for which a workflow ends a life early (FLOW-104).
var (
	ErrPaused     = errors.New("Aborting engine: User called pause")
	ErrRestarted  = errors.New("Aborting engine: User called restart")
	ErrTerminated = errors.New("Aborting engine: User called terminate")
	ErrDeleted    = errors.New("Aborting engine: User called delete")
)

// ErrIdle is the reason given to [Stop] for a life that only waits: the life ends if nothing else of it is in flight.
var ErrIdle = errors.New("workflows: the life waits, and is let go")

// ErrOver is the answer to every call of a life that has ended. No script sees it.
var ErrOver = errors.New("workflows: the life has ended")

// ErrClosed means that the session has ended.
var ErrClosed = errors.New("the workflow is closed")
