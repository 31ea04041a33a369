package worker

import (
	"fmt"
	"strings"
	"time"

	"eddy/runtime/engine/eventloop"
)

// Computes tells of an event whose handler computes for long.
type Computes struct {
	// Event names it: "GET /path", or its kind; "the top level" for the start of a script.
	Event string
	// For is how long it has computed, at least [Options.ComputesAfter].
	For time.Duration
	// At is the place where it computes, an exception without an error: the frames of the user's files, innermost
	// first, and the code around the first. It has no frames while a native function or WebAssembly runs that does not
	// say where it is.
	At Exception
}

// String says it in a sentence, without the frames: only the caller knows to which directory they are relative.
func (c Computes) String() string {
	where := ""
	if len(c.At.Frames) == 0 {
		where = " in a built-in function or WebAssembly"
	}
	return fmt.Sprintf("%s has computed for %s%s", c.Event, c.For.Round(time.Second), where)
}

// Computer is what the owner of a scope is called while it computes. Any goroutine.
type Computer interface{ Computing() string }

// Computing implements [Computer].
func (inv *Invocation) Computing() string {
	return name(inv.Event)
}

// shownFrames is how many frames are shown: enough to see who calls what computes.
const shownFrames = 4

// computes is [eventloop.Options.Computes]. Any goroutine.
func (iso *Isolate) computes(c eventloop.Computing) {
	told := Computes{Event: "the top level of " + iso.Name, For: c.For}
	if c.Scope != nil {
		if o, ok := c.Scope.Owner.(Computer); ok {
			told.Event = o.Computing()
		}
	}
	for _, f := range iso.engine().Places(c.Stack) {
		if len(told.At.Frames) < shownFrames && strings.HasPrefix(f.File, "file:") { // others are ours
			told.At.Frames = append(told.At.Frames, f)
			told.At.Stack += "\n    at " + f.String()
		}
	}
	told.At.Code = iso.codeFrame(told.At.Frames)
	iso.opts.Computes(told)
}
