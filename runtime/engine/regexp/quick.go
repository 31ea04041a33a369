package regexp

import (
	"strings"

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

// heldSymbols tell whether what the methods of String ask of RegExp is what it was.
type heldSymbols struct{ replace, match, split, species func() bool }

func (e *engine) holdSymbols() heldSymbols {
	of := func(o *goja.Object, name *goja.Symbol) func() bool {
		if same := e.In.HeldSymbol(o, name); same != nil {
			return same
		}
		return func() bool { return false }
	}
	return heldSymbols{replace: of(e.proto, goja.SymReplace), match: of(e.proto, goja.SymMatch),
		split: of(e.proto, goja.SymSplit), species: of(e.ctor, goja.SymSpecies)}
}

// What is replaced on the quick way: the longest template, and the longest text that comes of it.
const quickTemplate, quickText = 1 << 8, 1 << 16

// Replace is RegExp.prototype[Symbol.replace].
func (own *ownPattern) Replace(o *goja.Object, s, template goja.String) goja.Value {
	e := own.engine
	with := template.String()
	same := !strings.Contains(with, "$")
	if len(with) > quickTemplate || !e.pristine(o) || !e.held.replace() || e.In.LastIndex(o) == nil ||
		!same && (own.prog.Named() || strings.Contains(with, "$`") || strings.Contains(with, "$'")) {
		return nil
	}
	text := s.String()
	var out strings.Builder
	at, found := 0, false
	replace := func(caps []int32) {
		found = true
		if out.Len() > quickText {
			return
		}
		out.WriteString(text[at:caps[0]])
		if at = int(caps[1]); same {
			out.WriteString(with)
			return
		}
		e.substitution(asciiText{&out}, template, s, int(caps[0]), at,
			func(i int) goja.Value { return capture(s, caps, i) }, len(caps)/2, nil)
	}
	if own.prog.Flags.Global {
		if err := e.all(own, s, replace); err != nil || out.Len() > quickText {
			return nil
		}
		e.setLastIndex(o, 0)
	} else {
		if own.prog.Flags.Sticky { // which moves lastIndex before it is known whether this is the way
			return nil
		}
		caps, ok := e.execQuick(o, own, s)
		if !ok {
			return nil
		}
		if caps != nil {
			replace(caps)
		}
	}
	if !found {
		return s
	}
	out.WriteString(text[at:])
	return e.In.ASCII(out.String())
}

// Match is RegExp.prototype[Symbol.match].
func (own *ownPattern) Match(o *goja.Object, s goja.String) goja.Value {
	e := own.engine
	if !e.pristine(o) || !e.held.match() || e.In.LastIndex(o) == nil {
		return nil
	}
	if !own.prog.Flags.Global {
		return own.Exec(o, s)
	}
	var list []goja.Value
	if err := e.all(own, s, func(caps []int32) { list = append(list, capture(s, caps, 0)) }); err != nil {
		return nil
	}
	e.setLastIndex(o, 0)
	if list == nil {
		return goja.Null()
	}
	return e.In.NewArray(e.Runtime, list)
}

// Split is RegExp.prototype[Symbol.split].
func (own *ownPattern) Split(o *goja.Object, s goja.String) goja.Value {
	e := own.engine
	if !e.pristine(o) || !e.held.split() || !e.held.species() {
		return nil
	}
	list, err := e.split(own, s, 1<<32-1)
	if err != nil {
		return nil
	}
	return e.In.NewArray(e.Runtime, list)
}
