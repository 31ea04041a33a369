package regexp

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/jsregexp"
)

// flagGetter is goja's own getter of one flag.
type flagGetter struct {
	letter byte
	call   func(goja.FunctionCall) goja.Value
}

// Install puts hooks under RegExp and its prototype. Identity and properties stay goja's; RegExp objects with a pattern
// of this package take the Go paths, the others goja's. Install returns the constructor that the scripts of
// [Literal] call as [Hidden].
func Install(b *builtin.Builder) (ctor *goja.Object, err error) {
	r := &engine{Builder: b}
	e := r
	e.getDescriptor, _ = goja.AssertFunction(e.Object("Object", "getOwnPropertyDescriptor"))
	r.ctor = e.Object("RegExp")
	r.proto = r.ctor.Get("prototype").(*goja.Object)
	r.stop = func() bool { return e.In.Interrupted(e.Runtime) }
	r.templates = map[jsregexp.Flags]*goja.Object{}
	r.recent = map[patternKey]*ownPattern{}
	n, _ := e.In.Native(r.ctor)
	r.construct = *n.Construct
	for _, g := range []struct {
		letter byte
		name   string
	}{{'g', "global"}, {'i', "ignoreCase"}, {'m', "multiline"}, {'s', "dotAll"}, {'u', "unicode"}, {'y', "sticky"}} {
		d, err := e.getDescriptor(goja.Undefined(), r.proto, e.Runtime.ToValue(g.name))
		if err != nil {
			return nil, err
		}
		nat, _ := e.In.Native(d.(*goja.Object).Get("get").(*goja.Object))
		r.getters = append(r.getters, flagGetter{g.letter, *nat.Call})
	}
	*n.Construct = e.newRegExp
	*n.Call = func(call goja.FunctionCall) goja.Value {
		if o, ok := call.Argument(0).(*goja.Object); ok && goja.IsUndefined(call.Argument(1)) && e.looksLikeRegExp(o) {
			if c := o.Get("constructor"); c != nil && c.SameAs(r.ctor) {
				return o
			}
		}
		return e.newRegExp(call.Arguments, nil)
	}
	e.hookRegExpMethods()
	e.flagAccessor("hasIndices", "d")
	e.flagAccessor("unicodeSets", "v")
	e.Method(r.ctor, "escape", 1, func(call goja.FunctionCall) goja.Value {
		s, ok := call.Argument(0).(goja.String)
		if !ok {
			e.Throw("TypeError", "input argument must be a string")
		}
		e.Text(5 * int64(s.Length()))
		return goja.StringFromUTF16(escapeText(builtin.Units(s)))
	})
	e.held = e.holdSymbols()
	e.In.GuardRegExps(e.proto, "constructor", "flags", "dotAll", "hasIndices", "unicodeSets")
	return r.ctor, nil
}

func (e *engine) flagAccessor(name, letter string) {
	e.Getter(e.proto, name, func(call goja.FunctionCall) goja.Value {
		o, ok := call.This.(*goja.Object)
		if ok && o == e.proto {
			return goja.Undefined()
		}
		if !ok || !e.isRegExpObject(o) {
			e.Throw("TypeError", "RegExp.prototype."+name+" getter called on non-RegExp object")
		}
		_, own := e.ownOf(o)
		return e.Runtime.ToValue(own != nil && strings.Contains(own.flags, letter))
	})
}

// hook replaces the Go function behind a method or getter of RegExp.prototype; f gets goja's own.
func (e *engine) hook(
	name string, getter bool,
	f func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value) *goja.Object {
	key := e.Runtime.ToValue(name)
	if sym, ok := strings.CutPrefix(name, "@@"); ok {
		key = e.Object("Symbol").Get(sym)
	}
	d, err := e.getDescriptor(goja.Undefined(), e.proto, key)
	if err != nil {
		panic(err)
	}
	slot := "value"
	if getter {
		slot = "get"
	}
	fn := d.(*goja.Object).Get(slot).(*goja.Object)
	n, ok := e.In.Native(fn)
	if !ok {
		panic("regexp: RegExp.prototype." + name + " is not native")
	}
	original := *n.Call
	*n.Call = func(call goja.FunctionCall) goja.Value { return f(call, original) }
	return fn
}

func (e *engine) hookRegExpMethods() {
	r := e
	r.execObj = e.hook(
		"exec", false, func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value {
			o, own := e.patternFor(call.This, call.Argument(0))
			if own == nil {
				return native(call)
			}
			s := e.ToString(call.Argument(0))
			caps := e.execOwn(o, own, s)
			if caps == nil {
				return goja.Null()
			}
			return e.result(own, s, caps)
		})
	e.hook("test", false, func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value {
		o, own := e.patternFor(call.This, call.Argument(0))
		if o == nil { // goja takes nothing but a RegExp; what has an exec will do
			o, _ = call.This.(*goja.Object)
		}
		if o == nil {
			return native(call)
		}
		s := e.ToString(call.Argument(0))
		if own != nil && e.pristine(o) {
			return e.Runtime.ToValue(e.execOwn(o, own, s) != nil)
		}
		return e.Runtime.ToValue(!goja.IsNull(e.execAny(o, own, s)))
	})
	e.hook("source", true, func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value {
		if _, own := e.ownOf(call.This); own != nil {
			return goja.StringFromUTF16(escapeSource(builtin.Units(own.jsText)))
		}
		return native(call)
	})
	e.hook("flags", true, func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value {
		o, ok := call.This.(*goja.Object)
		if !ok {
			return native(call)
		}
		var b strings.Builder
		for _, f := range []struct {
			c    byte
			name string
		}{{'d', "hasIndices"}, {'g', "global"}, {'i', "ignoreCase"}, {'m', "multiline"}, {'s', "dotAll"},
			{'u', "unicode"}, {'v', "unicodeSets"}, {'y', "sticky"}} {
			if v := o.Get(f.name); v != nil && v.ToBoolean() {
				b.WriteByte(f.c)
			}
		}
		return e.Runtime.ToValue(b.String())
	})
	e.hook("compile", false, func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value {
		o, _ := e.ownOf(call.This)
		if o == nil {
			return native(call)
		}
		if from, _ := e.ownOf(call.Argument(0)); from != nil && !goja.IsUndefined(call.Argument(1)) {
			e.Throw("TypeError", "Invalid flags supplied to RegExp constructor")
		}
		made := e.newRegExp(call.Arguments, nil)
		if _, own := e.ownOf(made); own != nil {
			native(goja.FunctionCall{This: o, Arguments: []goja.Value{e.regexpTemplate(own.prog.Flags)}})
			*e.In.RegExpSource(o) = own
			e.In.LeaveFastPaths(o)
		} else {
			native(goja.FunctionCall{This: o, Arguments: []goja.Value{made}})
		}
		return o
	})
	e.hook("@@matchAll", false, func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value {
		_, own := e.ownOf(call.This)
		v := native(call)
		if it, ok := v.(*goja.Object); ok && own != nil && own.prog.Flags.UnicodeSets {
			e.In.StepByCodePoints(it)
		}
		return v
	})
	e.hookOwn("@@match", e.matchOwn)
	e.boundReplace()
	e.hookOwn("@@replace", e.replaceOwn)
	e.hookOwn("@@search", e.searchOwn)
	e.hook("@@split", false, func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value {
		o, own := e.patternFor(call.This, call.Argument(0))
		if own == nil || !e.pristine(o) || e.ctor.GetSymbol(goja.SymSpecies) != goja.Value(e.ctor) {
			return native(call)
		}
		return e.splitOwn(own, e.ToString(call.Argument(0)), call)
	})
}

// hookOwn gives a symbol method a Go path for own patterns whose exec nobody replaced. The rest goes through goja's
// generic algorithm, which calls exec and so comes back here.
func (e *engine) hookOwn(
	name string, f func(o *goja.Object, own *ownPattern, s goja.String, call goja.FunctionCall) goja.Value) {
	e.hook(name, false, func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value {
		o, own := e.patternFor(call.This, call.Argument(0))
		if own == nil || !e.pristine(o) || e.In.LastIndex(o) == nil {
			return native(call)
		}
		return f(o, own, e.ToString(call.Argument(0)), call)
	})
}

// pristine tells whether reading exec, flags and constructor of an object gives the built-in ones.
func (e *engine) pristine(o *goja.Object) bool { return e.In.Pristine(o, e.proto) }

// execAny is RegExpExec: it calls whatever exec is, or matches if that cannot be called.
func (e *engine) execAny(o *goja.Object, own *ownPattern, s goja.String) goja.Value {
	f, ok := goja.AssertFunction(o.Get("exec"))
	if !ok {
		if own == nil {
			e.Throw("TypeError", "Method RegExp.prototype.exec called on incompatible receiver "+e.ToString(o).String())
		}
		if caps := e.execOwn(o, own, s); caps != nil {
			return e.result(own, s, caps)
		}
		return goja.Null()
	}
	v, err := f(o, s)
	if err != nil {
		panic(err)
	}
	if _, ok := v.(*goja.Object); !ok && !goja.IsNull(v) {
		e.Throw("TypeError", "RegExp exec method returned something other than an Object or null")
	}
	return v
}

// advance is AdvanceStringIndex.
func advance(t *textCache, i int, unicode bool) int {
	if unicode && t.wide != nil && i+1 < len(t.wide) && t.wide[i]&0xFC00 == 0xD800 && t.wide[i+1]&0xFC00 == 0xDC00 {
		return i + 2
	}
	return i + 1
}

// each calls f with every match of a global pattern from the start, and leaves lastIndex at 0.
func (e *engine) each(o *goja.Object, own *ownPattern, s goja.String, f func(caps []int32)) {
	e.setLastIndex(o, 0)
	e.raise(e.all(own, s, f))
}

// all is each without lastIndex.
func (e *engine) all(own *ownPattern, s goja.String, f func(caps []int32)) error {
	fl := own.prog.Flags
	for at := 0; at <= s.Length(); {
		caps, err := e.find(own.prog, s, at, fl.Sticky)
		if caps == nil || err != nil {
			return err
		}
		f(caps)
		if at = int(caps[1]); caps[0] == caps[1] {
			at = advance(e.subject(s), at, fl.Unicode || fl.UnicodeSets)
		}
	}
	return nil
}

func (e *engine) matchOwn(o *goja.Object, own *ownPattern, s goja.String, _ goja.FunctionCall) goja.Value {
	if !own.prog.Flags.Global {
		caps := e.execOwn(o, own, s)
		if caps == nil {
			return goja.Null()
		}
		return e.result(own, s, caps)
	}
	var list []goja.Value
	size := e.matchList()
	e.each(o, own, s, func(caps []int32) {
		size.add(1)
		list = append(list, capture(s, caps, 0))
	})
	if list == nil {
		return goja.Null()
	}
	return e.In.NewArray(e.Runtime, list)
}

func (e *engine) replaceOwn(o *goja.Object, own *ownPattern, s goja.String, call goja.FunctionCall) goja.Value {
	f, callable := goja.AssertFunction(call.Argument(1))
	var template goja.String
	if !callable {
		template = e.ToString(call.Argument(1))
		if text, ok := e.In.BytesInASCII(s); ok {
			if _, ok := e.In.BytesInASCII(template); ok {
				return e.replaceASCII(o, own, s, text, template)
			}
		}
	}
	var bounds []int32 // of the matches, one behind the other
	if own.prog.Flags.Global {
		list := e.matchList()
		e.each(o, own, s, func(caps []int32) {
			list.add(len(caps) / 2)
			bounds = append(bounds, caps...)
		})
	} else {
		bounds = append(bounds, e.execOwn(o, own, s)...)
	}
	if len(bounds) == 0 {
		return s
	}
	each := 2 * own.prog.Groups()
	var out goja.StringBuilder
	size := builtin.TextSize{B: e.Builder}
	size.Add(int64(s.Length()))
	same := !callable && !strings.Contains(template.String(), "$") // each match becomes the same text
	if same {
		size.Add(int64(len(bounds)/each) * int64(template.Length()))
	}
	at := 0
	for ; len(bounds) > 0; bounds = bounds[each:] {
		caps := bounds[:each]
		var named *goja.Object
		if own.prog.Named() {
			named = e.namedGroups(own, func(i int) goja.Value { return capture(s, caps, i) }, caps).(*goja.Object)
		}
		e.In.RaiseInterrupt(e.Runtime)
		out.WriteSubstring(s, at, int(caps[0]))
		at = int(caps[1])
		if callable {
			args := make([]goja.Value, 0, len(caps)/2+3)
			for i := 0; i < len(caps)/2; i++ {
				args = append(args, capture(s, caps, i))
			}
			args = append(args, e.Runtime.ToValue(int(caps[0])), s)
			if named != nil {
				args = append(args, named)
			}
			v, err := f(goja.Undefined(), args...)
			if err != nil {
				panic(err)
			}
			text := e.ToString(v)
			size.Add(int64(text.Length()))
			out.WriteString(text)
			continue
		}
		if same {
			out.WriteString(template)
			continue
		}
		size.Add(int64(e.substitution(wideText{&out}, template, s, int(caps[0]), at,
			func(i int) goja.Value { return capture(s, caps, i) }, len(caps)/2, named)))
	}
	out.WriteSubstring(s, at, s.Length())
	return out.String()
}

// replaceASCII is replaceOwn where the text and the template are in ASCII. Nothing of a script runs between the
// matches, so that they need no list.
func (e *engine) replaceASCII(o *goja.Object, own *ownPattern, s goja.String, text []byte,
	template goja.String) goja.Value {
	with := template.String()
	same, byName := !strings.Contains(with, "$"), own.prog.Named() && strings.Contains(with, "$<")
	var out strings.Builder
	size := builtin.TextSize{B: e.Builder}
	size.Add(int64(len(text)))
	at := 0
	replace := func(caps []int32) {
		e.In.RaiseInterrupt(e.Runtime)
		out.Write(text[at:caps[0]])
		at = int(caps[1])
		before := out.Len()
		if same {
			out.WriteString(with)
		} else {
			var named *goja.Object
			if byName {
				named = e.namedGroups(own, func(i int) goja.Value { return capture(s, caps, i) }, caps).(*goja.Object)
			}
			e.substitution(asciiText{&out}, template, s, int(caps[0]), at,
				func(i int) goja.Value { return capture(s, caps, i) }, len(caps)/2, named)
		}
		size.Add(int64(out.Len() - before))
	}
	if own.prog.Flags.Global {
		e.each(o, own, s, replace)
	} else if caps := e.execOwn(o, own, s); caps != nil {
		replace(caps)
	}
	if at == 0 && out.Len() == 0 { // an empty match at the beginning that becomes nothing changes nothing
		return s
	}
	out.Write(text[at:])
	return e.In.ASCII(out.String())
}

func (e *engine) searchOwn(_ *goja.Object, own *ownPattern, s goja.String, _ goja.FunctionCall) goja.Value {
	caps := e.match(own.prog, s, 0, own.prog.Flags.Sticky)
	if caps == nil {
		return e.Runtime.ToValue(-1)
	}
	return e.Runtime.ToValue(int(caps[0]))
}

func (e *engine) splitOwn(own *ownPattern, s goja.String, call goja.FunctionCall) goja.Value {
	limit := int64(1<<32 - 1)
	if v := call.Argument(1); !goja.IsUndefined(v) {
		limit = int64(uint32(v.ToInteger()))
	}
	if limit == 0 {
		return e.Runtime.NewArray()
	}
	list, err := e.split(own, s, limit)
	e.raise(err)
	return e.In.NewArray(e.Runtime, list)
}

// split is what a text is split into, up to a limit.
func (e *engine) split(own *ownPattern, s goja.String, limit int64) (list []goja.Value, err error) {
	size := s.Length()
	if size == 0 {
		if caps, err := e.find(own.prog, s, 0, true); caps != nil || err != nil {
			return nil, err
		}
		return []goja.Value{s}, nil
	}
	from := 0
	full := own.prog.Flags.Unicode || own.prog.Flags.UnicodeSets
	taken := e.matchList()
	for at := 0; at < size; {
		caps, err := e.find(own.prog, s, at, false)
		if err != nil {
			return nil, err
		}
		if caps == nil || int(caps[0]) >= size {
			break
		}
		end := min(int(caps[1]), size)
		if end == from || caps[0] == caps[1] && int(caps[0]) == from {
			at = advance(e.subject(s), max(at, int(caps[0])), full)
			continue
		}
		taken.add(len(caps) / 2)
		list = append(list, s.Substring(from, int(caps[0])))
		if int64(len(list)) == limit {
			return list, nil
		}
		for i := 1; i < len(caps)/2; i++ {
			list = append(list, capture(s, caps, i))
			if int64(len(list)) == limit {
				return list, nil
			}
		}
		from = end
		at = end
		if caps[0] == caps[1] {
			at = advance(e.subject(s), end, full)
		}
	}
	return append(list, s.Substring(from, size)), nil
}
