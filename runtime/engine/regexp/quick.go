package regexp

import (
	"github.com/dop251/goja"
)

// What scripts call most, where nothing of a script runs and nothing is thrown. See [gojainternals.Matching].

// Test is RegExp.prototype.test.
func (own *ownPattern) Test(o *goja.Object, s goja.String) goja.Value {
	e := own.engine
	if !e.pristine(o) {
		return nil
	}
	caps, ok := e.execQuick(o, own, s)
	if !ok {
		return nil
	}
	return e.In.Boolean(caps != nil)
}

// Exec is RegExp.prototype.exec.
func (own *ownPattern) Exec(o *goja.Object, s goja.String) goja.Value {
	e := own.engine
	caps, ok := e.execQuick(o, own, s)
	switch {
	case !ok:
		return nil
	case caps == nil:
		return goja.Null()
	}
	return e.result(own, s, caps)
}

// execQuick is execOwn. It is not ok, and nothing has happened, where lastIndex is no integer or cannot be written, or
// the match takes too much.
func (e *engine) execQuick(o *goja.Object, own *ownPattern, s goja.String) (caps []int32, ok bool) {
	place := e.In.LastIndex(o)
	if place == nil {
		return nil, false
	}
	last, whole := e.In.Integer(*place)
	if !whole {
		return nil, false
	}
	f := own.prog.Flags
	moving := f.Global || f.Sticky
	if !moving || last < 0 {
		last = 0
	}
	if last <= int64(s.Length()) {
		var err error
		if caps, err = e.find(own.prog, s, int(last), f.Sticky); err != nil {
			return nil, false
		}
	}
	if moving {
		end := int64(0)
		if caps != nil {
			end = int64(caps[1])
		}
		*place = e.In.Number(end)
	}
	return caps, true
}
