package ecma

import (
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"eddy/runtime/ecma/jsregexp"

	"github.com/dop251/goja"
)

// jsText is goja.String under a name that leaves its String method promoted when embedded.
type jsText = goja.String

// ownPattern stands in the source slot of a goja RegExp object whose matching is this package's: it is the source
// string for everything in goja that reads it, and carries the program.
type ownPattern struct {
	jsText
	prog  *jsregexp.Program
	flags string
}

// regexpState is what an engine keeps about regular expressions.
type regexpState struct {
	ctor      *goja.Object
	proto     *goja.Object
	construct func([]goja.Value, *goja.Object) *goja.Object // goja's own
	template  *goja.Object                                  // any RegExp object, to tell others by
	getters   []flagGetter
	execObj   *goja.Object // RegExp.prototype.exec
	templates map[jsregexp.Flags]*goja.Object
	recent    map[patternKey]*ownPattern // of ASCII sources
	text      textCache
}

// textCache keeps the last subject in the form that programs run over: loops call exec on one text many times.
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
	u := units(source)
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
func (e *Engine) ownOf(v goja.Value) (*goja.Object, *ownPattern) {
	o, ok := v.(*goja.Object)
	if !ok || !e.isRegExpObject(o) {
		return nil, nil
	}
	own, _ := (*e.in.regexpSourceOf(o)).(*ownPattern)
	return o, own
}

func (e *Engine) isRegExpObject(o *goja.Object) bool {
	return e.in.kind(o) == e.in.kind(e.regexp.template)
}

func (e *Engine) newRegExp(args []goja.Value, newTarget *goja.Object) *goja.Object {
	pattern, flags := argument(args, 0), argument(args, 1)
	var source goja.String
	var f string
	given := !goja.IsUndefined(flags)
	if o, ok := pattern.(*goja.Object); ok && e.isRegExpObject(o) {
		source = *e.in.regexpSourceOf(o)
		if own, ok := source.(*ownPattern); ok {
			source = own.jsText
		}
		if !given {
			f = e.internalFlags(o)
		}
	} else if ok && e.looksLikeRegExp(o) {
		source = e.toString(orUndefined(o.Get("source")))
		if !given {
			f = e.toString(orUndefined(o.Get("flags"))).String()
		}
	} else if goja.IsUndefined(pattern) {
		source = e.rt.ToValue("").(goja.String)
	} else {
		source = e.toString(pattern)
	}
	if given {
		f = e.toString(flags).String()
	}
	return e.makeRegExp(source, f, newTarget)
}

func orUndefined(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}

func (e *Engine) looksLikeRegExp(o *goja.Object) bool {
	m := o.GetSymbol(goja.SymMatch)
	return m != nil && !goja.IsUndefined(m) && m.ToBoolean()
}

// internalFlags reads the flags slot of a RegExp object, whatever its properties say.
func (e *Engine) internalFlags(o *goja.Object) string {
	if own, ok := (*e.in.regexpSourceOf(o)).(*ownPattern); ok {
		return own.flags
	}
	var b strings.Builder
	for _, g := range e.regexp.getters {
		if g.call(goja.FunctionCall{This: o}).ToBoolean() {
			b.WriteByte(g.letter)
		}
	}
	return b.String()
}

func (e *Engine) makeRegExp(source goja.String, flags string, newTarget *goja.Object) *goja.Object {
	key := patternKey{source.String(), flags}
	plain := len(key.source) == source.Length()
	if plain {
		if own := e.regexp.recent[key]; own != nil {
			return e.instantiate(own, newTarget)
		}
	}
	f, ok := jsregexp.ParseFlags(flags)
	if !ok {
		e.throw("SyntaxError", "Invalid flags supplied to RegExp constructor '"+flags+"'")
	}
	if plain && nativeFits(key.source, flags) && jsregexp.Check(units(source), f) == nil {
		return e.regexp.construct([]goja.Value{source, e.rt.ToValue(flags)}, newTarget)
	}
	prog, reason := program(source, f.String(), f)
	if reason != "" {
		text := source.String()
		if text == "" {
			text = "(?:)"
		}
		e.throw("SyntaxError", "Invalid regular expression: /"+text+"/"+flags+": "+reason)
	}
	own := &ownPattern{jsText: source, prog: prog, flags: f.String()}
	if plain {
		if len(e.regexp.recent) >= maxPrograms {
			clear(e.regexp.recent)
		}
		e.regexp.recent[key] = own
	}
	return e.instantiate(own, newTarget)
}

// instantiate makes a new RegExp object of a pattern, which objects share.
func (e *Engine) instantiate(own *ownPattern, newTarget *goja.Object) *goja.Object {
	o := e.regexp.construct([]goja.Value{e.regexpTemplate(own.prog.Flags)}, nil)
	if newTarget != nil && newTarget != e.regexp.ctor {
		if p, ok := newTarget.Get("prototype").(*goja.Object); ok {
			must(o.SetPrototype(p))
		}
	}
	*e.in.regexpSourceOf(o) = own
	*e.in.regexpIsStandard(o) = false
	return o
}

// regexpTemplate is an empty goja RegExp with the flags that goja knows; a construction from it is a cheap copy.
func (e *Engine) regexpTemplate(f jsregexp.Flags) *goja.Object {
	f.HasIndices, f.UnicodeSets = false, false
	if t := e.regexp.templates[f]; t != nil {
		return t
	}
	t := e.regexp.construct([]goja.Value{e.rt.ToValue("(?:)"), e.rt.ToValue(f.String())}, nil)
	e.regexp.templates[f] = t
	return t
}

// subject returns text in the form programs take.
func (e *Engine) subject(s goja.String) *textCache {
	c := &e.regexp.text
	if c.s != nil && c.s.Length() == s.Length() && c.s.SameAs(s) {
		return c
	}
	*c = textCache{s: s}
	if str := s.String(); len(str) == s.Length() {
		c.ascii = unsafe.Slice(unsafe.StringData(str), len(str))
	} else {
		c.wide = units(s)
	}
	return c
}

// match runs a program once. Running out of memory or time is an error to the script, never a wrong answer.
func (e *Engine) match(p *jsregexp.Program, s goja.String, start int, sticky bool) []int32 {
	flag := e.in.interruptFlag(e.rt)
	stop := func() bool { return atomic.LoadUint32(flag) != 0 }
	var caps []int32
	var err error
	if t := e.subject(s); t.wide != nil {
		caps, err = p.MatchUTF16(t.wide, start, sticky, stop)
	} else {
		caps, err = p.MatchASCII(t.ascii, start, sticky, stop)
	}
	switch err {
	case nil:
	case jsregexp.ErrStack:
		e.throw("RangeError", "Maximum call stack size exceeded")
	default:
		e.throw("Error", "Script execution was interrupted")
	}
	return caps
}

// execOwn is RegExpBuiltinExec up to the result object: bounds of the groups, or nil, with lastIndex moved.
func (e *Engine) execOwn(o *goja.Object, own *ownPattern, s goja.String) []int32 {
	last := toLength(o.Get("lastIndex"))
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

func (e *Engine) setLastIndex(o *goja.Object, n int) {
	if err := o.Set("lastIndex", n); err != nil {
		panic(err)
	}
}

func toLength(v goja.Value) int64 {
	if v == nil || goja.IsUndefined(v) {
		return 0
	}
	n := v.ToInteger()
	return max(0, min(n, 1<<53-1))
}
