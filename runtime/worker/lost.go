package worker

import (
	"errors"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
)

// The reasons why an invocation that exceeded a limit was ended.
var (
	ErrCPULimit    = errors.New(eventloop.ErrCPU)
	ErrMemoryLimit = eventloop.ErrMemoryLimit
	// ErrHung ends an invocation that nothing can make go on: it waits for promises that nobody is left to settle.
	// the platform's text
	ErrHung = errors.New(
		"The Workers runtime canceled this request because it detected that your Worker's code had hung and " +
			"would never generate a response. Refer to: " +
			"https://developers.cloudflare.com/workers/observability/errors/")
)

// located is err with the place of the script that ran when the limit was reached.
func (iso *Isolate) located(err error) error {
	in := iso.Loop.Interrupted()
	if in == nil {
		return err
	}
	ex := &Exception{Name: "Error", Message: err.Error()}
	ex.Stack = ex.Error()
	for _, f := range iso.engine().Failure(in).Frames {
		if strings.HasPrefix(f.File, "file:") { // others are ours: the source map does not know them
			ex.Frames = append(ex.Frames, f)
			ex.Stack += "\n    at " + f.String()
		}
	}
	if len(ex.Frames) == 0 {
		return err
	}
	ex.Code = iso.codeFrame(ex.Frames)
	return &placedError{err, ex}
}

// Interrupted is err with the place of the script that a limit ended, for a function that the limit calls. Loop
// goroutine only.
func (iso *Isolate) Interrupted(err error) error { return iso.located(err) }

// placedError is err for [errors.Is], and the exception for [errors.As].
type placedError struct {
	err error
	ex  *Exception
}

func (e *placedError) Error() string   { return e.err.Error() }
func (e *placedError) Unwrap() []error { return []error{e.err, e.ex} }

// Outcome is the platform's word for what ended an invocation through the fault of its own code or of ours, "" for any
// other error: the event then counts as never delivered.
func Outcome(err error) string {
	var internal *eventloop.InternalError
	var aborted *IsolateAbortedError
	switch {
	case errors.Is(err, ErrCPULimit):
		return "exceededCpu"
	case errors.Is(err, ErrMemoryLimit):
		return "exceededMemory"
	case errors.As(err, &internal):
		return "internalError"
	case errors.As(err, &aborted), errors.Is(err, ErrHung):
		return "exception"
	}
	return ""
}

// panicked implements [webidl.Realm.Panicked]: it reports a panic in a function of eddy that the script called.
func (iso *Isolate) panicked(cause any) goja.Value {
	err := eventloop.NewInternalError(cause)
	iso.opts.InternalError(err)
	return iso.Realm.NewError("Error", err.Error())
}

// lost implements [eventloop.Options.Lost]. The scope concerned has been told already.
func (iso *Isolate) lost(_ *eventloop.Scope, err error) {
	var internal *eventloop.InternalError
	if errors.As(err, &internal) {
		iso.opts.InternalError(internal)
	}
	iso.failStart(err)
	if iso.lostTo == nil && iso.opts.Lost != nil {
		iso.lostTo = err
		iso.opts.Lost(err)
	}
}

// LostTo is why the isolate can no longer be relied on, nil if it can: what Lost of [Options] was called with. Its loop
// only, or anybody once that has ended.
func (iso *Isolate) LostTo() error { return iso.lostTo }
