package v8text

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
)

var errorNames = []string{
	"Error", "TypeError", "RangeError", "ReferenceError", "SyntaxError", "EvalError", "URIError", "AggregateError"}

// installErrors puts hooks under the intrinsic error constructors. goja makes its own errors through the same
// constructors, with the constructor itself as new.target (a script's `new TypeError()` passes none), which tells
// the two apart.
func (t *Texts) installErrors() {
	t.errorCtor = t.b.Object("Error")
	t.construct = map[string]func([]goja.Value, *goja.Object) *goja.Object{}
	t.functionToStr, _ = goja.AssertFunction(t.b.Object("Function", "prototype", "toString"))
	t.objectToStr, _ = goja.AssertFunction(t.b.Object("Object", "prototype", "toString"))
	t.getDescriptor, _ = goja.AssertFunction(t.b.Object("Object", "getOwnPropertyDescriptor"))
	t.stackGet = t.b.Function("", 0, func(call goja.FunctionCall) goja.Value {
		if o, ok := call.This.(*goja.Object); ok {
			return t.stackValue(o)
		}
		return goja.Undefined()
	})
	t.stackSet = t.b.Function("", 1, func(call goja.FunctionCall) goja.Value {
		if o, ok := call.This.(*goja.Object); ok {
			// An assignment replaces the accessor by a plain value.
			if err := o.DefineDataProperty(
				"stack", call.Argument(0), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
				panic(t.rt.NewTypeError("Cannot redefine property: stack"))
			}
		}
		return goja.Undefined()
	})
	for _, name := range errorNames {
		t.hookError(name)
	}
	builtin.Must(t.errorCtor.DefineDataProperty(
		"stackTraceLimit", t.rt.ToValue(10), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	t.b.Method(t.errorCtor, "captureStackTrace", 2, t.captureStackTrace)
}

func (t *Texts) hookError(name string) {
	ctor := t.b.Object(name)
	n, ok := t.in.Native(ctor)
	if !ok {
		panic("v8text: goja's " + name + " is not a native function")
	}
	construct := *n.Construct
	t.construct[name] = construct
	*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		if newTarget == ctor && len(args) > 0 {
			if s, ok := args[0].(goja.String); ok {
				return t.internalError(name, s)
			}
		}
		o := construct(args, newTarget)
		if newTarget != nil && newTarget != ctor {
			frames := *t.in.ErrorFrames(o)
			t.in.TakeStackProperty(o)
			kept := t.outside(frames, newTarget)
			t.bornWith(o, kept, t.syncOf(kept, len(frames)))
			return o
		}
		t.born(o)
		return o
	}
	*n.Call = func(call goja.FunctionCall) goja.Value {
		o := construct(call.Arguments, nil)
		frames := t.in.ErrorFrames(o)
		if len(*frames) > 0 && t.in.FrameProgram(&(*frames)[0]) == nil {
			*frames = (*frames)[1:] // leave out the constructor's own call
		}
		t.born(o)
		return o
	}
}

// internalError makes an error that goja raised itself, with V8's text and class.
func (t *Texts) internalError(name string, msg goja.String) *goja.Object {
	text := msg.String()
	kind, v8 := t.rewrite(name, text)
	args := []goja.Value{msg}
	if v8 != text {
		args[0] = t.rt.ToValue(v8)
	}
	o := t.construct[kind](args, nil)
	t.born(o)
	return o
}

// NewError makes an error of an intrinsic class (TypeError, RangeError, …) with exactly this message and the current
// stack. Panic with it inside a native function to throw it.
func (t *Texts) NewError(class, message string) *goja.Object {
	args := []goja.Value{t.rt.ToValue(message)}
	c, ok := t.construct[class]
	if !ok {
		panic("v8text: no error class " + class)
	}
	o := c(args, nil)
	t.born(o)
	return o
}

// Throw throws what NewError makes.
func (t *Texts) Throw(class, message string) {
	panic(t.NewError(class, message))
}

// born gives a new error object its own stack property. Frames are cut to Error.stackTraceLimit now; the header and all
// formatting wait for the first read, as on the platform (there a name assigned after construction shows in the stack).
func (t *Texts) born(o *goja.Object) {
	t.in.TakeStackProperty(o)
	frames := *t.in.ErrorFrames(o)
	t.bornWith(o, frames, t.syncOf(frames, len(frames)))
}

// AwaitedBy gives an error that was made without any frame, because nothing of a script ran, those of the functions
// that await the promise which it is about to reject, as V8 does. It does nothing to other values.
func (t *Texts) AwaitedBy(failure goja.Value, promise *goja.Promise) {
	o, ok := failure.(*goja.Object)
	if !ok || !t.in.IsError(o) {
		return
	}
	frames := t.in.ErrorFrames(o)
	if n := t.in.ReadNote(*frames); len(*frames) > 0 || !n.Exists || n.Done {
		return
	}
	limit := t.stackLimit()
	if limit <= 0 {
		return
	}
	t.in.Awaited(t.rt, t.rt.ToValue(promise).ToObject(t.rt), func() {
		*frames = t.trim(t.rt.CaptureCallStack(0, nil), 0, limit)
	})
}

// syncOf is how many frames of kept are real calls, and not callers that await. kept is the end of a stack of that many
// captured frames.
func (t *Texts) syncOf(kept []goja.StackFrame, captured int) int {
	return max(0, t.in.SyncFrames(t.rt, captured)-(captured-len(kept)))
}

// bornWith is born for a part of the captured frames. Those from index async on are callers that await.
func (t *Texts) bornWith(o *goja.Object, kept []goja.StackFrame, async int) {
	frames := t.in.ErrorFrames(o)
	if limit := t.stackLimit(); limit >= 0 {
		*frames = t.trim(kept, async, limit)
		builtin.Must(o.DefineAccessorProperty("stack", t.stackGet, t.stackSet, goja.FLAG_TRUE, goja.FLAG_FALSE))
	} else {
		*frames = nil
	}
}

// stackLimit is Error.stackTraceLimit, or -1 if a program has replaced the number by something else.
func (t *Texts) stackLimit() int {
	v := t.errorCtor.Get("stackTraceLimit")
	if v == nil || !goja.IsNumber(v) {
		return -1
	}
	f := v.ToFloat()
	switch {
	case f != f || f < 0:
		return 0
	case f > 1000:
		return 1000
	}
	return int(f)
}

// trim keeps the frames that a stack of limit lines can need.
func (t *Texts) trim(frames []goja.StackFrame, async, limit int) []goja.StackFrame {
	kept := frames
	if len(frames) > limit {
		visible, n := 0, 0
		for n < len(frames) && visible < limit {
			if !t.hiddenFrame(&frames[n]) {
				visible++
			}
			n++
		}
		kept = frames[:n]
	}
	return t.in.Annotate(kept, gojainternals.Note{Async: async})
}

func (t *Texts) hiddenFrame(f *goja.StackFrame) bool {
	if t.in.FrameProgram(f) == nil {
		return nativeOwner(f.FuncName()) == ""
	}
	return t.hidden(f.SrcName())
}

// captureStackTrace is Error.captureStackTrace(object, constructorOpt).
func (t *Texts) captureStackTrace(call goja.FunctionCall) goja.Value {
	o, ok := call.Argument(0).(*goja.Object)
	if !ok {
		t.Throw("TypeError", "Invalid argument")
	}
	limit := t.stackLimit()
	if limit < 0 {
		return goja.Undefined()
	}
	frames := t.rt.CaptureCallStack(0, nil)
	captured := len(frames)
	if captured > 0 {
		frames = frames[1:] // leave out captureStackTrace itself
	}
	if f, ok := call.Argument(1).(*goja.Object); ok {
		frames = t.after(frames, f)
	}
	kept := t.trim(frames, t.syncOf(frames, captured), limit)
	if t.in.IsError(o) {
		*t.in.ErrorFrames(o) = kept
		t.in.TakeStackProperty(o)
		if err := o.DefineAccessorProperty(
			"stack", t.stackGet, t.stackSet, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			t.Throw("TypeError", "Cannot define property stack, object is not extensible")
		}
		return goja.Undefined()
	}
	get := t.b.Function("", 0, func(goja.FunctionCall) goja.Value { return t.text(o, kept) })
	if err := o.DefineAccessorProperty("stack", get, t.stackSet, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		t.Throw("TypeError", "Cannot define property stack, object is not extensible")
	}
	return goja.Undefined()
}

// after drops the frames above and including the topmost call of f; V8 shows none if f isn't on the stack.
func (t *Texts) after(frames []goja.StackFrame, f *goja.Object) []goja.StackFrame {
	prg := t.in.ProgramOf(f)
	if prg == nil {
		return frames
	}
	for i := range frames {
		if t.in.FrameProgram(&frames[i]) == prg {
			return frames[i+1:]
		}
	}
	return frames[:0]
}

// outside drops the constructors of a subclass of an error class: V8 begins the stack below the call of new.target, and
// shows nothing if that isn't on the stack. An implicit constructor has no frame: then its parent's call is outermost.
func (t *Texts) outside(frames []goja.StackFrame, newTarget *goja.Object) []goja.StackFrame {
	var outermost *goja.Program
	calls := 0 // how often outermost is called: mixins are classes of one program
	for c := newTarget; c != nil; c = c.Prototype() {
		prg := t.in.ProgramOf(c)
		if outermost == nil {
			outermost = prg
		}
		if prg != nil && prg == outermost {
			calls++
		}
	}
	if outermost == nil {
		return frames
	}
	for i := range frames {
		if t.in.FrameProgram(&frames[i]) == outermost {
			if calls--; calls == 0 {
				return frames[i+1:]
			}
		}
	}
	return frames[:0]
}

// describe is the header of a stack captured on any object: what ErrorUtils::ToString gives for it.
func (t *Texts) describe(o *goja.Object) string {
	name, msg := "Error", ""
	if v := o.Get("name"); v != nil && !goja.IsUndefined(v) {
		name = v.String()
	}
	if v := o.Get("message"); v != nil && !goja.IsUndefined(v) {
		msg = v.String()
	}
	switch {
	case name == "":
		return msg
	case msg == "":
		return name
	}
	return name + ": " + msg
}
