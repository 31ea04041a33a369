package inspector

import (
	"github.com/dop251/goja"
)

// call is one call of a function of the script. It is an object of the engine, so that the script can hand it back.
type call struct {
	function int
	// parent is who called it, nil for an event, a timer and whatever else begins by itself.
	parent *call
	// stop is the statement that runs, -1 before the first; scope reads the variables that are seen there.
	stop  int
	scope goja.Value
	done  bool
}

// A script cannot see anything of a call.
func (*call) Get(string) goja.Value       { return nil }
func (*call) Set(string, goja.Value) bool { return false }
func (*call) Has(string) bool             { return false }
func (*call) Delete(string) bool          { return false }
func (*call) Keys() []string              { return nil }

// record is a call that was the innermost when depth calls of the engine were under way.
type record struct {
	depth   int
	program *goja.Program
	call    *call
}

// callIn is the call that a function of the host was given.
func callIn(v goja.Value) *call {
	if o, ok := v.(*goja.Object); ok {
		if c, ok := o.Export().(*call); ok {
			return c
		}
	}
	return &call{stop: -1, done: true} // a script that has made up a value
}

// note records that a call runs now. Those that were deeper are over or wait.
func (r *realm) note(c *call) {
	rt := r.rt
	depth := r.layout.Depth(rt)
	n := len(r.records)
	for n > 0 && r.records[n-1].depth >= depth {
		n--
	}
	r.records = append(r.records[:n], record{depth, r.layout.CallProgram(rt, depth-1), c})
}

// stands tells whether a record still holds: the engine runs the same function there. A function that goes on after an
// await notes itself before it does anything else.
func (r *realm) stands(rec record) bool {
	return r.layout.CallProgram(r.rt, rec.depth-1) == rec.program
}

// caller is the innermost call that is under way.
func (r *realm) caller() *call {
	depth := r.layout.Depth(r.rt)
	for i := len(r.records) - 1; i >= 0; i-- {
		if rec := r.records[i]; rec.depth < depth && r.stands(rec) {
			return rec.call
		}
	}
	return nil
}

// stack is the calls that are under way, innermost first.
func (r *realm) stack() (list []*call) {
	for i := len(r.records) - 1; i >= 0; i-- {
		if rec := r.records[i]; r.stands(rec) && rec.call.stop >= 0 {
			list = append(list, rec.call)
		}
	}
	return list
}

// over tells whether a call is at its end. The host does not hear of the end of brief ones, which never wait.
func (r *realm) over(c *call) bool {
	return c.done || r.stops.Functions[c.function].Brief
}

// enter begins a call.
func (r *realm) enter(fc goja.FunctionCall) goja.Value {
	n := int(fc.Argument(0).ToInteger())
	if n < 0 || n >= len(r.stops.Functions) {
		n = 0
	}
	c := &call{function: n, parent: r.caller(), stop: -1}
	r.note(c)
	return r.rt.NewDynamicObject(c)
}

// at is told before each statement, and before a call returns a value, which it passes on.
func (r *realm) at(fc goja.FunctionCall) goja.Value {
	c, value := callIn(fc.Argument(0)), fc.Argument(3)
	n := int(fc.Argument(1).ToInteger())
	if n < 0 || n >= len(r.stops.Stops) || r.looking {
		return value
	}
	c.stop, c.scope = n, fc.Argument(2)
	r.note(c)
	if !r.target.watched.Load() {
		return value
	}
	if why := r.reason(c, n); why != nil {
		r.pause(*why)
	}
	return value
}

// back is told when a call goes on.
func (r *realm) back(fc goja.FunctionCall) goja.Value {
	r.note(callIn(fc.Argument(0)))
	return fc.Argument(1)
}

// leave is told at the end of a call.
func (r *realm) leave(fc goja.FunctionCall) goja.Value {
	callIn(fc.Argument(0)).done = true
	return goja.Undefined()
}

// threw is told when a call ends with an error, and caught when a clause of the script catches one.
func (r *realm) threw(fc goja.FunctionCall) goja.Value {
	c := callIn(fc.Argument(0))
	r.error(c, fc.Argument(1), r.guarded(c))
	return goja.Undefined()
}

func (r *realm) caught(fc goja.FunctionCall) goja.Value {
	r.error(callIn(fc.Argument(0)), fc.Argument(1), true)
	return goja.Undefined()
}

// guarded tells whether an error that leaves a call is going to be caught by one of its callers, those that await it
// among them.
func (r *realm) guarded(c *call) bool {
	for p := c.parent; p != nil; p = p.parent {
		if p.stop >= 0 && !p.done && r.stops.Stops[p.stop].Guarded {
			return true
		}
	}
	return false
}

// error pauses at an error that has not been seen before: every call that it passes tells of it.
func (r *realm) error(c *call, v goja.Value, guarded bool) {
	if r.looking || c.stop < 0 {
		return
	}
	seen := r.seen != nil && r.seen.StrictEquals(v)
	r.seen = v
	if seen || !r.target.watched.Load() {
		return
	}
	mode := r.target.exceptions.Load()
	if mode == pauseOnNone || mode == pauseOnUncaught && guarded || mode == pauseOnCaught && !guarded {
		return
	}
	r.note(c)
	r.pause(stopReason{exception: v, uncaught: !guarded})
}
