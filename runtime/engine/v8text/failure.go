package v8text

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// Thrown describes an error that a call into the runtime returned, in the platform's terms.
type Thrown struct {
	Value       goja.Value   // what was thrown; nil if nothing was
	Text        string       // "TypeError: o.foo is not a function", as V8 prints it uncaught
	Stack       string       // Text and frames as error.stack has them; Text alone if nothing has frames
	Frames      []StackFrame // innermost first, in the user's positions
	Interrupted any          // the value given to Runtime.Interrupt, if that ended the call
}

// Failure describes err, the result of a goja call (RunProgram, a Callable, Try). Errors that are not of the runtime
// keep their own text.
func (t *Texts) Failure(err error) Thrown {
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	var thrown *goja.Exception
	switch {
	case errors.As(err, &interrupted):
		text := "Error: " + fmt.Sprint(interrupted.Value())
		frames := t.innermost(interrupted.Stack())
		return Thrown{Text: text, Stack: stackText(text, frames), Frames: frames, Interrupted: interrupted.Value()}
	case errors.As(err, &overflow):
		// goja doesn't let scripts catch this one.
		frames := t.innermost(overflow.Stack())
		return Thrown{Text: overflowText, Stack: stackText(overflowText, frames), Frames: frames}
	case errors.As(err, &thrown):
		return t.Thrown(thrown.Value())
	}
	return Thrown{Text: err.Error(), Stack: err.Error()}
}

// Places are the frames of a stack that another goroutine may have captured. Any goroutine.
func (t *Texts) Places(stack []goja.StackFrame) []StackFrame { return t.visible(stack, len(stack)) }

// innermost returns the ten innermost frames, which V8 shows.
func (t *Texts) innermost(stack []goja.StackFrame) []StackFrame {
	frames := t.visible(stack, len(stack))
	return frames[:min(len(frames), 10)]
}

const overflowText = "RangeError: " + builtin.Overflow

// Thrown describes a thrown or rejected value.
func (t *Texts) Thrown(v goja.Value) Thrown {
	f := Thrown{Value: v, Text: t.ErrorText(v), Frames: t.StackOf(v)}
	f.Stack = f.Text
	if o, ok := v.(*goja.Object); ok {
		// A getter or a replaced prepareStackTrace may throw; the text is enough then.
		if ex := t.rt.Try(func() {
			if s := o.Get("stack"); s != nil && goja.IsString(s) && s.String() != "" {
				f.Stack = s.String()
			}
		}); ex != nil {
			f.Stack = f.Text
		}
	}
	return f
}

func stackText(header string, frames []StackFrame) string {
	for _, f := range frames {
		header += "\n    at " + f.String()
	}
	return header
}
