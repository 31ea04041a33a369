package regexp

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/jsregexp"
)

// longText is the length from which on a text is matched by this package, whatever goja's engine could do: that one
// lists all matches of a text before it looks at an interrupt, and tells nobody how much memory the list takes.
const longText = 1 << 17

// forLong returns a pattern of this package for a RegExp object that goja would match. It returns nil where a script
// has changed what goja reads of the object.
func (e *engine) forLong(o *goja.Object) *ownPattern {
	flags := e.internalFlags(o)
	if c, f := o.Get("constructor"), o.Get("flags"); c != goja.Value(e.ctor) || f == nil || f.String() != flags ||
		e.ctor.GetSymbol(goja.SymSpecies) != goja.Value(e.ctor) {
		return nil
	}
	source := *e.In.RegExpSource(o)
	f, ok := jsregexp.ParseFlags(flags)
	if !ok {
		return nil
	}
	prog, reason := program(source, f.String(), f)
	if reason != "" {
		return nil
	}
	return &ownPattern{jsText: source, prog: prog, flags: flags}
}

// patternFor returns the RegExp object and its pattern of this package. An object that goja would match gets such a
// pattern for a long text only; otherwise the pattern is nil.
func (e *engine) patternFor(this, text goja.Value) (*goja.Object, *ownPattern) {
	o, own := e.ownOf(this)
	if s, ok := text.(goja.String); ok && own == nil && o != nil && s.Length() >= longText {
		own = e.forLong(o)
	}
	return o, own
}

// matchSize is about how many bytes a match takes in a list.
const matchSize = 32

// matchList adds up what a list of matches takes, and looks at the interrupt at each.
type matchList struct {
	e    *engine
	size builtin.TextSize
}

func (e *engine) matchList() matchList { return matchList{e, builtin.TextSize{B: e.Builder}} }

func (m *matchList) add(n int) {
	m.size.Add(int64(n) * matchSize)
	m.e.In.RaiseInterrupt(m.e.Runtime)
}
