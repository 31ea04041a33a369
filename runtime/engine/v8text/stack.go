package v8text

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/script"
)

// StackFrame is one line of a stack, in the user's own positions when the source map knows them.
type StackFrame struct {
	Function string // as V8 shows it: "Object.fetch", "new Foo", "" for top-level code
	File     string
	Line     int // from 1
	Column   int // from 1, UTF-16 units
	Async    bool
	Native   bool // it is a built-in, which has no position
}

// String is the frame without the leading "    at ".
func (f StackFrame) String() string {
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

// PlacedFrame is a frame with the place where its function begins.
type PlacedFrame struct {
	StackFrame
	BeginLine, BeginColumn int
}

// Place tells where a frame of a stack is, for a profile. ok is false for code that the user has not written. Any
// goroutine.
func (t *Texts) Place(raw *goja.StackFrame) (p PlacedFrame, ok bool) {
	if t.hiddenFrame(raw) {
		return p, false
	}
	if p.StackFrame, ok = t.frame(raw, false); !ok {
		return p, false
	}
	src, offset, _ := t.in.FrameParts(raw)
	p.BeginLine, p.BeginColumn = p.Line, p.Column
	idx := script.IndexOf(src)
	span := idx.Enclosing(offset)
	if span == nil || t.opts.MapPosition == nil {
		return p, true
	}
	line, column := idx.Position(int(span.Start))
	if file, line, column, _, ok := t.opts.MapPosition(src.Name(), line, column); ok && file == p.File {
		p.BeginLine, p.BeginColumn = line, column
	}
	return p, true
}

// StackOf returns the frames of an error, innermost first; nil for a value that carries none.
func (t *Texts) StackOf(v goja.Value) []StackFrame {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	if !t.in.IsError(o) {
		return nil
	}
	frames := *t.in.ErrorFrames(o)
	n := t.in.ReadNote(frames)
	if !n.Exists {
		n.Async = len(frames)
	}
	return t.visible(frames, n.Async)
}

// CurrentStack returns the frames of the running code, innermost first, without the native function that asks.
func (t *Texts) CurrentStack() []StackFrame {
	frames := t.rt.CaptureCallStack(0, nil)
	async := t.in.SyncFrames(t.rt, len(frames))
	if len(frames) > 0 && t.in.FrameProgram(&frames[0]) == nil {
		frames, async = frames[1:], async-1
	}
	return t.visible(frames, async)
}

func (t *Texts) visible(frames []goja.StackFrame, async int) []StackFrame {
	out := make([]StackFrame, 0, len(frames))
	for i := range frames {
		if t.hiddenFrame(&frames[i]) {
			continue
		}
		if f, ok := t.frame(&frames[i], i >= async); ok {
			out = append(out, f)
		}
	}
	return out
}

// frame gives a frame as a stack shows it. ok is false for code that stands in no file of the user's, as that which a
// bundler adds.
func (t *Texts) frame(raw *goja.StackFrame, async bool) (f StackFrame, ok bool) {
	src, offset, name := t.in.FrameParts(raw)
	if src == nil {
		return StackFrame{Function: nativeOwner(name), Native: true}, true
	}
	if name == "<anonymous>" {
		name = ""
	}
	f = StackFrame{Function: name, File: src.Name(), Async: async}
	idx := script.IndexOf(src)
	if idx == nil {
		p := raw.Position()
		f.Line, f.Column = p.Line, p.Column
	} else {
		if s := idx.Enclosing(offset); s != nil {
			f.Function = s.Name
			if s.Constructs {
				f.Function = "new " + s.Name
			}
		}
		offset = t.accessed(raw, idx, offset)
		if async {
			if s := idx.Awaiting(t.in.AwaitedAt(raw)); s != nil {
				offset = int(s.Pos)
			}
		}
		f.Line, f.Column = idx.Position(offset)
	}
	if t.opts.MapPosition != nil {
		file, line, col, _, ok := t.opts.MapPosition(f.File, f.Line, f.Column)
		if !ok {
			return f, false
		}
		f.File, f.Line, f.Column = file, line, col
	}
	return f, true
}

// accessed is where V8 has what a frame does, which goja reports at offset.
func (t *Texts) accessed(raw *goja.StackFrame, idx *script.Index, offset int) int {
	switch in := strings.TrimPrefix(t.in.FrameInstruction(raw), "_"); {
	case strings.HasSuffix(in, "Callee") && strings.HasPrefix(in, "get"):
		if pos, ok := idx.Method(offset); ok {
			return pos
		}
	case strings.HasPrefix(in, "getProp"):
		return idx.Property(offset)
	case strings.HasPrefix(in, "setProp"), strings.HasPrefix(in, "setElem"):
		return idx.Assignment(offset)
	case in == "checkObjectCoercible", in == "iterate":
		if pos, ok := idx.Pattern(offset); ok {
			return pos
		}
	}
	if s := idx.Find(offset, script.Call, script.New); s != nil {
		return int(s.Pos)
	}
	return offset
}

// stackValue is what reading error.stack gives.
func (t *Texts) stackValue(o *goja.Object) goja.Value {
	if !t.in.IsError(o) {
		return goja.Undefined()
	}
	return t.text(o, *t.in.ErrorFrames(o))
}

// text formats a stack once and keeps the text in its note.
func (t *Texts) text(o *goja.Object, frames []goja.StackFrame) goja.Value {
	n := t.in.ReadNote(frames)
	if !n.Exists {
		return goja.Undefined()
	}
	if n.Done {
		return t.rt.ToValue(n.Text)
	}
	if prepare, ok := goja.AssertFunction(t.errorCtor.Get("prepareStackTrace")); ok {
		sites := t.callSites(frames, n.Async)
		v, err := prepare(t.errorCtor, o, sites)
		if err != nil {
			panic(err)
		}
		if derr := o.DefineDataProperty("stack", v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); derr != nil {
			return v
		}
		return v
	}
	var b strings.Builder
	b.WriteString(t.describe(o))
	for _, f := range t.visible(frames, n.Async) {
		b.WriteString("\n    at ")
		b.WriteString(f.String())
	}
	n.Text, n.Done = b.String(), true
	t.in.WriteNote(frames, n)
	return t.rt.ToValue(n.Text)
}

// ErrorText is how V8 prints an uncaught value without its stack: "Name: message" for errors, the value itself
// otherwise, "#<Foo>" for other objects.
func (t *Texts) ErrorText(v goja.Value) string {
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
	if ex := t.rt.Try(func() {
		if o.ClassName() == "Error" || o.Get("message") != nil && o.Get("stack") != nil {
			text = t.describe(o)
		} else {
			text = t.Render(o)
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
