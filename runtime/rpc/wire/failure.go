package wire

import "eddy/runtime/rpc"

// Flags of a failure.
const (
	failureDOM = 1 << iota
	failureRemote
	failureRetryable
	failureOverloaded
	failureReset
)

// failureOf is how an error goes over the wire; nil stays nil.
func failureOf(e *rpc.RemoteError) *failure {
	if e == nil {
		return nil
	}
	f := &failure{name: e.Name, message: e.Message, objectID: e.ObjectID, data: e.Data}
	for flag, on := range map[byte]bool{failureDOM: e.DOM, failureRemote: e.Remote, failureRetryable: e.Retryable,
		failureOverloaded: e.Overloaded, failureReset: e.Reset} {
		if on {
			f.flags |= flag
		}
	}
	return f
}

// remote is the error that a failure stands for; nil stays nil.
func (f *failure) remote() *rpc.RemoteError {
	if f == nil {
		return nil
	}
	return &rpc.RemoteError{
		Name: f.name, Message: f.message, ObjectID: f.objectID, Data: f.data, DOM: f.flags&failureDOM != 0,
		Remote: f.flags&failureRemote != 0, Retryable: f.flags&failureRetryable != 0,
		Overloaded: f.flags&failureOverloaded != 0, Reset: f.flags&failureReset != 0,
	}
}
