package ecma

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// Frame is one line of a stack, in the user's own positions when the source map knows them.
type Frame struct {
	Function string // as V8 shows it: "Object.fetch", "new Foo", "" for top-level code
	File     string
	Line     int // from 1
	Column   int // from 1, UTF-16 units
	Async    bool
	Native   bool // a built-in, which has no position
}

// String is the frame without the leading "    at ".
func (f Frame) String() string {
	var b strings.Builder
	if f.Async {
		b.WriteString("async ")
	}
	place := "<anonymous>"
	if !f.Native {
		place = f.File + ":" + strconv.Itoa(f.Line) + ":" + strconv.Itoa(f.Column)
	}
	if f.Function == "" {
		b.WriteString(place)
		return b.String()
	}
	b.WriteString(f.Function)
	b.WriteString(" (")
	b.WriteString(place)
	b.WriteByte(')')
	return b.String()
}

// StackOf returns the frames of an error, innermost first; nil for a value that carries none.
func (e *Engine) StackOf(v goja.Value) []Frame {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	if !e.in.IsError(o) {
		return nil
	}
	frames := *e.in.ErrorFrames(o)
	return e.visible(frames, e.in.ReadNote(frames).Async)
}

// CurrentStack returns the frames of the running code, innermost first, without the native function that asks.
func (e *Engine) CurrentStack() []Frame {
	frames := e.rt.CaptureCallStack(0, nil)
	async := e.in.SyncFrames(e.rt, len(frames))
	if len(frames) > 0 && e.in.FrameProgram(&frames[0]) == nil {
		frames, async = frames[1:], async-1
	}
	return e.visible(frames, async)
}

func (e *Engine) visible(frames []goja.StackFrame, async int) []Frame {
	out := make([]Frame, 0, len(frames))
	for i := range frames {
		if e.hiddenFrame(&frames[i]) {
			continue
		}
		f := e.frame(&frames[i])
		f.Async = async > 0 && i >= async
		out = append(out, f)
	}
	return out
}

func (e *Engine) frame(raw *goja.StackFrame) Frame {
	src, offset, name := e.in.FrameParts(raw)
	if src == nil {
		return Frame{Function: nativeOwner(name), Native: true}
	}
	if name == "<anonymous>" {
		name = ""
	}
	f := Frame{Function: name, File: src.Name()}
	idx := indexOf(src)
	if idx == nil {
		p := raw.Position()
		f.Line, f.Column = p.Line, p.Column
	} else {
		if s := idx.enclosing(offset); s != nil {
			f.Function = s.name
			if s.constructs {
				f.Function = "new " + s.name
			}
		}
		if s := idx.find(offset, siteCall, siteNew); s != nil {
			offset = int(s.pos)
		}
		f.Line, f.Column = idx.position(offset)
	}
	if e.opts.MapPosition != nil {
		if file, line, col, _, ok := e.opts.MapPosition(f.File, f.Line, f.Column); ok {
			f.File, f.Line, f.Column = file, line, col
		}
	}
	return f
}

// stackValue is what reading error.stack gives.
func (e *Engine) stackValue(o *goja.Object) goja.Value {
	if !e.in.IsError(o) {
		return goja.Undefined()
	}
	return e.text(o, *e.in.ErrorFrames(o))
}

// text formats a stack once and keeps the text in its note.
func (e *Engine) text(o *goja.Object, frames []goja.StackFrame) goja.Value {
	n := e.in.ReadNote(frames)
	if !n.Exists {
		return goja.Undefined()
	}
	if n.Done {
		return e.rt.ToValue(n.Text)
	}
	if prepare, ok := goja.AssertFunction(e.errorCtor.Get("prepareStackTrace")); ok {
		sites := e.callSites(frames, n.Async)
		v, err := prepare(e.errorCtor, o, sites)
		if err != nil {
			panic(err)
		}
		if derr := o.DefineDataProperty("stack", v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); derr != nil {
			return v
		}
		return v
	}
	var b strings.Builder
	b.WriteString(e.describe(o))
	for _, f := range e.visible(frames, n.Async) {
		b.WriteString("\n    at ")
		b.WriteString(f.String())
	}
	n.Text, n.Done = b.String(), true
	e.in.WriteNote(frames, n)
	return e.rt.ToValue(n.Text)
}

// ErrorText is how V8 prints an uncaught value without its stack: "Name: message" for errors, the value itself
// otherwise, "#<Foo>" for other objects.
func (e *Engine) ErrorText(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok {
		if v == nil {
			return "undefined"
		}
		if s, isSym := v.(*goja.Symbol); isSym {
			return "Symbol(" + s.String() + ")"
		}
		return v.String()
	}
	text := ""
	if ex := e.rt.Try(func() {
		if o.ClassName() == "Error" || o.Get("message") != nil && o.Get("stack") != nil {
			text = e.describe(o)
		} else {
			text = e.render(o)
		}
	}); ex != nil {
		return "Error"
	}
	return text
}

// nativeOwners names the built-ins that V8 shows in stacks because they call back into scripts.
var nativeOwners = map[string]string{
	"map": "Array", "forEach": "Array", "filter": "Array", "reduce": "Array", "reduceRight": "Array", "some": "Array",
	"every": "Array", "find": "Array", "findIndex": "Array", "findLast": "Array", "findLastIndex": "Array",
	"flatMap": "Array", "sort": "Array", "toSorted": "Array", "from": "Function", "parse": "JSON", "stringify": "JSON",
	"replace": "String", "replaceAll": "String",
}

func nativeOwner(name string) string {
	switch name {
	case "Promise", "Proxy", "Map", "Set":
		return "new " + name
	case "from":
		return "Array.from"
	}
	if o, ok := nativeOwners[name]; ok {
		return o + "." + name
	}
	return ""
}
