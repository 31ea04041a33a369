package regexp

import (
	"strings"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/jsregexp"
)

// jsText is goja.String. Under its own name an embedded field would hide its method String.
type jsText = goja.String

// ownPattern stands in the source slot of a goja RegExp object whose matching is this package's: it is the source
// string for everything in goja that reads it, and carries the program.
type ownPattern struct {
	jsText
	engine *engine
	prog   *jsregexp.Program
	flags  string
}

// engine is what the regular expressions of one runtime share.
type engine struct {
	*builtin.Builder
	getDescriptor goja.Callable
	ctor          *goja.Object
	proto         *goja.Object
	construct     func([]goja.Value, *goja.Object) *goja.Object // goja's own constructor
	getters       []flagGetter
	execObj       *goja.Object // the function RegExp.prototype.exec
	templates     map[jsregexp.Flags]*goja.Object
	recent        map[patternKey]*ownPattern // patterns of ASCII sources
	text          textCache
	matcher       jsregexp.Matcher
	stop          func() bool // whether the runtime is interrupted
	held          heldSymbols
}

// textCache keeps the last subject in the form that programs run over: loops call exec on one text many times. s is nil
// where that form is the memory of the text.
type textCache struct {
	s     goja.String
	ascii []byte
	wide  []uint16
}

type patternKey struct{ source, flags string }

var programs struct {
	sync.Mutex
	m map[string]*jsregexp.Program
}

const maxPrograms = 4096

// program compiles a pattern once per process; reason is V8's, empty if the pattern is valid.
func program(source goja.String, flags string, f jsregexp.Flags) (p *jsregexp.Program, reason string) {
	u := builtin.Units(source)
	var key strings.Builder
	key.WriteString(flags)
	key.WriteByte('/')
	for _, c := range u {
		key.WriteByte(byte(c >> 8))
		key.WriteByte(byte(c))
	}
	programs.Lock()
	p = programs.m[key.String()]
	programs.Unlock()
	if p != nil {
		return p, ""
	}
	p, err := jsregexp.Compile(u, f)
	if err != nil {
		return nil, err.Error()
	}
	programs.Lock()
	defer programs.Unlock()
	if programs.m == nil || len(programs.m) >= maxPrograms {
		programs.m = map[string]*jsregexp.Program{}
	}
	programs.m[key.String()] = p
	return p, ""
}

// ownOf returns the pattern of a RegExp object that this package matches.
func (e *engine) ownOf(v goja.Value) (*goja.Object, *ownPattern) {
	o, ok := v.(*goja.Object)
	if !ok || !e.isRegExpObject(o) {
		return nil, nil
	}
	own, _ := (*e.In.RegExpSource(o)).(*ownPattern)
	return o, own
}

func (e *engine) isRegExpObject(o *goja.Object) bool {
	return e.In.IsRegExp(o)
}

func (e *engine) newRegExp(args []goja.Value, newTarget *goja.Object) *goja.Object {
	pattern, flags := builtin.Argument(args, 0), builtin.Argument(args, 1)
	var source goja.String
	var f string
	given := !goja.IsUndefined(flags)
	if o, ok := pattern.(*goja.Object); ok && e.isRegExpObject(o) {
		source = *e.In.RegExpSource(o)
		if own, ok := source.(*ownPattern); ok {
			source = own.jsText
		}
		if !given {
			f = e.internalFlags(o)
		}
	} else if ok && e.looksLikeRegExp(o) {
		source = e.ToString(orUndefined(o.Get("source")))
		if !given {
			f = e.ToString(orUndefined(o.Get("flags"))).String()
		}
	} else if goja.IsUndefined(pattern) {
		source = e.Runtime.ToValue("").(goja.String)
	} else {
		source = e.ToString(pattern)
	}
	if given {
		f = e.ToString(flags).String()
	}
	return e.makeRegExp(source, f, newTarget)
}

func orUndefined(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}

func (e *engine) looksLikeRegExp(o *goja.Object) bool {
	m := o.GetSymbol(goja.SymMatch)
	return m != nil && !goja.IsUndefined(m) && m.ToBoolean()
}

// internalFlags reads the flags slot of a RegExp object, whatever its properties say.
func (e *engine) internalFlags(o *goja.Object) string {
	if own, ok := (*e.In.RegExpSource(o)).(*ownPattern); ok {
		return own.flags
	}
	var b strings.Builder
	for _, g := range e.getters {
		if g.call(goja.FunctionCall{This: o}).ToBoolean() {
			b.WriteByte(g.letter)
		}
	}
	return b.String()
}

func (e *engine) makeRegExp(source goja.String, flags string, newTarget *goja.Object) *goja.Object {
	key := patternKey{source.String(), flags}
	plain := len(key.source) == source.Length()
	if plain {
		if own := e.recent[key]; own != nil {
			return e.instantiate(own, newTarget)
		}
	}
	f, ok := jsregexp.ParseFlags(flags)
	if !ok {
		e.Throw("SyntaxError", "Invalid flags supplied to RegExp constructor '"+flags+"'")
	}
	prog, reason := program(source, f.String(), f)
	if reason != "" {
		text := source.String()
		if text == "" {
			text = "(?:)"
		}
		e.Throw("SyntaxError", "Invalid regular expression: /"+text+"/"+flags+": "+reason)
	}
	own := &ownPattern{jsText: source, engine: e, prog: prog, flags: f.String()}
	if plain {
		if len(e.recent) >= maxPrograms {
			clear(e.recent)
		}
		e.recent[key] = own
	}
	return e.instantiate(own, newTarget)
}

// instantiate makes a new RegExp object of a pattern, which objects share.
func (e *engine) instantiate(own *ownPattern, newTarget *goja.Object) *goja.Object {
	proto := e.proto
	if newTarget != nil && newTarget != e.ctor {
		if p, ok := newTarget.Get("prototype").(*goja.Object); ok {
			proto = p
		}
	}
	return e.In.CopyRegExp(e.regexpTemplate(own.prog.Flags), proto, own)
}

// regexpTemplate is an empty goja RegExp with the flags that goja knows; a construction from it is a cheap copy.
func (e *engine) regexpTemplate(f jsregexp.Flags) *goja.Object {
	f.HasIndices, f.UnicodeSets = false, false
	if t := e.templates[f]; t != nil {
		return t
	}
	t := e.construct([]goja.Value{e.Runtime.ToValue("(?:)"), e.Runtime.ToValue(f.String())}, nil)
	e.templates[f] = t
	return t
}

// subject returns text in the form programs take. It is asked at each match, so that it never reads a text twice.
func (e *engine) subject(s goja.String) *textCache {
	c := &e.text
	if units, ok := e.In.UnitsInMemory(s); ok {
		*c = textCache{wide: units}
		return c
	}
	if c.s != nil && e.In.SameMemory(c.s, s) {
		return c
	}
	*c = textCache{s: s}
	if str := s.String(); len(str) == s.Length() {
		c.ascii = gojainternals.BytesOf(str)
	} else {
		c.wide = builtin.Units(s)
	}
	return c
}

// match runs a program once. When it takes too much memory or time, the script gets an error, never a wrong answer.
// What it returns holds until the next match.
func (e *engine) match(p *jsregexp.Program, s goja.String, start int, sticky bool) []int32 {
	caps, err := e.find(p, s, start, sticky)
	e.raise(err)
	return caps
}

// raise throws what a match has ended with.
func (e *engine) raise(err error) {
	switch err {
	case nil:
	case jsregexp.ErrStack:
		e.Throw("RangeError", "Maximum call stack size exceeded")
	default:
		e.In.RaiseInterrupt(e.Runtime)
		e.Throw("Error", "Script execution was interrupted")
	}
}

// find is match without errors of scripts.
func (e *engine) find(p *jsregexp.Program, s goja.String, start int, sticky bool) (caps []int32, err error) {
	if text, ok := e.In.BytesInASCII(s); ok {
		caps, err = e.matcher.ASCII(p, text, start, sticky, e.stop)
	} else if t := e.subject(s); t.wide != nil {
		caps, err = e.matcher.UTF16(p, t.wide, start, sticky, e.stop)
	} else {
		caps, err = e.matcher.ASCII(p, t.ascii, start, sticky, e.stop)
	}
	return caps, err
}

// execOwn is RegExpBuiltinExec up to the result object: bounds of the groups, or nil, with lastIndex moved. The bounds
// hold until the next match.
func (e *engine) execOwn(o *goja.Object, own *ownPattern, s goja.String) []int32 {
	last := e.lastIndex(o)
	f := own.prog.Flags
	moving := f.Global || f.Sticky
	if !moving {
		last = 0
	}
	var caps []int32
	if last <= int64(s.Length()) {
		caps = e.match(own.prog, s, int(last), f.Sticky)
	}
	if caps == nil {
		if moving {
			e.setLastIndex(o, 0)
		}
		return nil
	}
	if moving {
		e.setLastIndex(o, int(caps[1]))
	}
	return caps
}

// lastIndex is lastIndex as a length, for which a script may run.
func (e *engine) lastIndex(o *goja.Object) int64 {
	if place := e.In.LastIndex(o); place != nil {
		if n, ok := e.In.Integer(*place); ok {
			return max(n, 0)
		}
	}
	return builtin.ToLength(o.Get("lastIndex"))
}

func (e *engine) setLastIndex(o *goja.Object, n int) {
	if place := e.In.LastIndex(o); place != nil {
		*place = e.In.Number(int64(n))
		return
	}
	if err := o.Set("lastIndex", n); err != nil {
		panic(err)
	}
}
