package ecma

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
func (e *Engine) installErrors() error {
	e.errorCtor = e.object("Error")
	e.errorProtos = map[string]*goja.Object{}
	e.errorCtors = map[string]*goja.Object{}
	e.construct = map[string]func([]goja.Value, *goja.Object) *goja.Object{}
	e.objectToStr, _ = goja.AssertFunction(e.object("Object", "prototype", "toString"))
	e.getDescriptor, _ = goja.AssertFunction(e.object("Object", "getOwnPropertyDescriptor"))
	e.stackGet = e.function("", 0, func(call goja.FunctionCall) goja.Value {
		if o, ok := call.This.(*goja.Object); ok {
			return e.stackValue(o)
		}
		return goja.Undefined()
	})
	e.stackSet = e.function("", 1, func(call goja.FunctionCall) goja.Value {
		if o, ok := call.This.(*goja.Object); ok {
			// An assignment replaces the accessor by a plain value.
			if err := o.DefineDataProperty(
				"stack", call.Argument(0), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
				panic(e.rt.NewTypeError("Cannot redefine property: stack"))
			}
		}
		return goja.Undefined()
	})
	for _, name := range errorNames {
		e.hookError(name)
	}
	builtin.Must(e.errorCtor.DefineDataProperty(
		"stackTraceLimit", e.rt.ToValue(10), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	e.method(e.errorCtor, "captureStackTrace", 2, e.captureStackTrace)
	return nil
}

func (e *Engine) hookError(name string) {
	ctor := e.object(name)
	e.errorCtors[name] = ctor
	e.errorProtos[name] = ctor.Get("prototype").(*goja.Object)
	n, ok := e.in.Native(ctor)
	if !ok {
		panic("ecma: goja's " + name + " is not a native function")
	}
	construct := *n.Construct
	e.construct[name] = construct
	*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		if newTarget == ctor && len(args) > 0 {
			if s, ok := args[0].(goja.String); ok {
				return e.internalError(name, s)
			}
		}
		o := construct(args, newTarget)
		e.born(o)
		return o
	}
	*n.Call = func(call goja.FunctionCall) goja.Value {
		o := construct(call.Arguments, nil)
		frames := e.in.ErrorFrames(o)
		if len(*frames) > 0 && e.in.FrameProgram(&(*frames)[0]) == nil {
			*frames = (*frames)[1:] // the constructor's own call
		}
		e.born(o)
		return o
	}
}

// internalError makes an error that goja raised itself, with V8's text and class.
func (e *Engine) internalError(name string, msg goja.String) *goja.Object {
	text := msg.String()
	kind, v8 := e.rewrite(name, text)
	args := []goja.Value{msg}
	if v8 != text {
		args[0] = e.rt.ToValue(v8)
	}
	o := e.construct[kind](args, nil)
	e.born(o)
	return o
}

// NewError makes an error of an intrinsic class (TypeError, RangeError, …) with exactly this message and the current
// stack. Panic with it inside a native function to throw it.
func (e *Engine) NewError(class, message string) *goja.Object {
	args := []goja.Value{e.rt.ToValue(message)}
	c, ok := e.construct[class]
	if !ok {
		panic("ecma: no error class " + class)
	}
	o := c(args, nil)
	e.born(o)
	return o
}

func (e *Engine) throw(class, message string) {
	panic(e.NewError(class, message))
}

// born gives a new error object its own stack property. Frames are cut to Error.stackTraceLimit now; the header and all
// formatting wait for the first read, as on the platform (there a name assigned after construction shows in the stack).
func (e *Engine) born(o *goja.Object) {
	e.in.TakeStackProperty(o)
	frames := e.in.ErrorFrames(o)
	if limit := e.stackLimit(); limit >= 0 {
		*frames = e.trim(*frames, limit)
		builtin.Must(o.DefineAccessorProperty("stack", e.stackGet, e.stackSet, goja.FLAG_TRUE, goja.FLAG_FALSE))
	} else {
		*frames = nil
	}
}

// stackLimit is Error.stackTraceLimit, or -1 when a program has made it no number.
func (e *Engine) stackLimit() int {
	v := e.errorCtor.Get("stackTraceLimit")
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
func (e *Engine) trim(frames []goja.StackFrame, limit int) []goja.StackFrame {
	async := e.in.SyncFrames(e.rt, len(frames))
	kept := frames
	if len(frames) > limit {
		visible, n := 0, 0
		for n < len(frames) && visible < limit {
			if !e.hiddenFrame(&frames[n]) {
				visible++
			}
			n++
		}
		kept = frames[:n]
	}
	return e.in.Annotate(kept, gojainternals.Note{Async: async})
}

func (e *Engine) hiddenFrame(f *goja.StackFrame) bool {
	if e.in.FrameProgram(f) == nil {
		return nativeOwner(f.FuncName()) == ""
	}
	return e.hidden(f.SrcName())
}

// captureStackTrace is Error.captureStackTrace(object, constructorOpt).
func (e *Engine) captureStackTrace(call goja.FunctionCall) goja.Value {
	o, ok := call.Argument(0).(*goja.Object)
	if !ok {
		e.throw("TypeError", "Invalid argument")
	}
	limit := e.stackLimit()
	if limit < 0 {
		return goja.Undefined()
	}
	frames := e.rt.CaptureCallStack(0, nil)
	if len(frames) > 0 {
		frames = frames[1:] // captureStackTrace itself
	}
	if f, ok := call.Argument(1).(*goja.Object); ok {
		frames = e.after(frames, f)
	}
	kept := e.trim(frames, limit)
	if e.in.IsError(o) {
		*e.in.ErrorFrames(o) = kept
		e.in.TakeStackProperty(o)
		if err := o.DefineAccessorProperty(
			"stack", e.stackGet, e.stackSet, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			e.throw("TypeError", "Cannot define property stack, object is not extensible")
		}
		return goja.Undefined()
	}
	get := e.function("", 0, func(goja.FunctionCall) goja.Value { return e.text(o, kept) })
	if err := o.DefineAccessorProperty("stack", get, e.stackSet, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		e.throw("TypeError", "Cannot define property stack, object is not extensible")
	}
	return goja.Undefined()
}

// after drops the frames above and including the topmost call of f; V8 shows none if f isn't on the stack.
func (e *Engine) after(frames []goja.StackFrame, f *goja.Object) []goja.StackFrame {
	prg := e.in.ProgramOf(f)
	if prg == nil {
		return frames
	}
	for i := range frames {
		if e.in.FrameProgram(&frames[i]) == prg {
			return frames[i+1:]
		}
	}
	return frames[:0]
}

// describe is the header of a stack captured on any object: what ErrorUtils::ToString gives for it.
func (e *Engine) describe(o *goja.Object) string {
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
