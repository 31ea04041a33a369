package inspector

import (
	"strconv"

	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"
	"github.com/dop251/goja"

	"eddy/runtime/bundle"
)

// backtraceGroup is the group of objects that live as long as a pause.
const backtraceGroup = "backtrace"

// scopeRef is an object that stands for a scope of a call.
type scopeRef struct {
	call  *call
	scope *bundle.StopScope
}

// pausedEvent tells clients of a pause. Loop goroutine.
func (r *realm) pausedEvent(p *paused) debugger.EventPaused {
	e := debugger.EventPaused{Reason: debugger.PausedReasonOther, HitBreakpoints: p.reason.breakpoints}
	for i, c := range p.frames {
		e.CallFrames = append(e.CallFrames, r.frame(c, i))
	}
	switch {
	case p.reason.exception != nil:
		e.Reason = debugger.PausedReasonException
		o := r.objects.remote(p.reason.exception, backtraceGroup, false)
		e.Data = withUncaught(o, p.reason.uncaught)
	case p.reason.start:
		e.Reason = "Break on start"
	case p.reason.debugger:
		e.Reason = debugger.PausedReasonDebugCommand
	}
	if last := p.frames[len(p.frames)-1]; last.parent != nil {
		e.AsyncStackTrace = r.awaiting(last.parent)
	}
	return e
}

// awaiting is the calls that wait for one that runs by itself now.
func (r *realm) awaiting(c *call) *runtime.StackTrace {
	t := &runtime.StackTrace{Description: "await", CallFrames: []*runtime.CallFrame{}}
	for ; c != nil; c = c.parent {
		if c.stop >= 0 {
			t.CallFrames = append(t.CallFrames, r.traceFrame(c))
		}
	}
	return t
}

func (r *realm) traceFrame(c *call) *runtime.CallFrame {
	stop := r.stops.Stops[c.stop]
	return &runtime.CallFrame{
		FunctionName: r.stops.Functions[c.function].Name, ScriptID: runtime.ScriptID(r.script(stop.File)),
		URL: r.stops.Files[stop.File].URL, LineNumber: int64(stop.Line - 1), ColumnNumber: int64(stop.Column - 1),
	}
}

// script is the id of a file's script.
func (r *realm) script(file int) string { return strconv.Itoa(r.first + file) }

// frameID names a frame of a pause, and frameOf finds it.
func (r *realm) frameID(i int) debugger.CallFrameID {
	return debugger.CallFrameID(strconv.Itoa(r.number) + "." + strconv.Itoa(i))
}

func (r *realm) frame(c *call, i int) *debugger.CallFrame {
	stop := r.stops.Stops[c.stop]
	f := r.stops.Functions[c.function]
	frame := &debugger.CallFrame{
		CallFrameID: r.frameID(i), FunctionName: f.Name, Location: r.location(stop.File, stop.Line, stop.Column),
		This: r.objects.remote(r.this(c), backtraceGroup, false), ScopeChain: []*debugger.Scope{},
	}
	if f.File >= 0 {
		frame.FunctionLocation = r.location(f.File, f.Line, f.Column)
	}
	function := f.Name
	for _, scope := range r.stops.Visible(stop) {
		if len(scope.Variables) == 0 && scope.Kind != bundle.ScopeFunction {
			continue
		}
		s := &debugger.Scope{Type: r.scopeType(c, scope), Object: &runtime.RemoteObject{
			Type: "object", ClassName: "Object", Description: "Object",
			ObjectID: r.objects.keep(&scopeRef{c, scope}, backtraceGroup),
		}}
		if scope.Function >= 0 && scope.Function != c.function {
			function = r.stops.Functions[scope.Function].Name
		}
		if s.Type != debugger.ScopeTypeModule {
			s.Name = function
		}
		frame.ScopeChain = append(frame.ScopeChain, s)
	}
	global := r.objects.remote(r.rt.GlobalObject(), backtraceGroup, false)
	frame.ScopeChain = append(frame.ScopeChain, &debugger.Scope{Type: debugger.ScopeTypeGlobal, Object: global})
	return frame
}

func (r *realm) scopeType(c *call, scope *bundle.StopScope) debugger.ScopeType {
	switch {
	case scope.Kind == bundle.ScopeModule:
		return debugger.ScopeTypeModule
	case scope.Kind == bundle.ScopeCatch:
		return debugger.ScopeTypeCatch
	case scope.Kind == bundle.ScopeBlock:
		return debugger.ScopeTypeBlock
	case scope.Function == c.function:
		return debugger.ScopeTypeLocal
	}
	return debugger.ScopeTypeClosure
}

func (r *realm) location(file, line, column int) *debugger.Location {
	return &debugger.Location{ScriptID: runtime.ScriptID(r.script(file)), LineNumber: int64(line - 1),
		ColumnNumber: int64(column - 1)}
}

// this is the value of this in a call, undefined before a derived class's constructor has it.
func (r *realm) this(c *call) goja.Value {
	v, thrown := r.read(c, "this")
	if thrown != nil {
		return goja.Undefined()
	}
	return v
}

// read is the value of a variable; thrown is the error of one that has no value yet.
func (r *realm) read(c *call, key string) (v, thrown goja.Value) {
	return r.through(c, r.rt.ToValue(key))
}

// write gives a variable a value; thrown is the error of one that is constant.
func (r *realm) write(c *call, key string, v goja.Value) (thrown goja.Value) {
	_, thrown = r.through(c, r.rt.ToValue(key), r.rt.ToValue(true), v)
	return thrown
}

func (r *realm) through(c *call, args ...goja.Value) (v, thrown goja.Value) {
	return r.try(func() (goja.Value, error) {
		f, ok := goja.AssertFunction(c.scope)
		if !ok {
			return nil, nil
		}
		return f(goja.Undefined(), args...)
	})
}

// lookup is the key of the variable that a name means at a call's place, and whether it may be assigned.
func (r *realm) lookup(c *call, name string) (key string, fixed, ok bool) {
	stop := r.stops.Stops[c.stop]
	for _, scope := range r.stops.Visible(stop) {
		for _, v := range scope.Variables {
			if v.Name == name {
				return v.Key, v.Imported, true
			}
		}
	}
	key, ok = r.stops.Files[stop.File].Renamed[name]
	return key, false, ok
}
