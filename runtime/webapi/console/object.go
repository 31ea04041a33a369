package console

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// layout is an object's text in parts, before anybody has decided how they share lines.
type layout struct {
	output []string
	base   string // what stands before the brace
	braces [2]string
	// grouped: the entries are an array's, short ones stand in columns; numeric aligns them to the right.
	grouped, numeric bool
}

// shape is an object while the inspector finds out its kind.
type shape struct {
	obj   *goja.Object
	level int
	class *string // the constructor's name; nil for a null prototype
	tag   string  // the toStringTag, if it says something new
	keys  []goja.Value
	inner []string // inherited properties, with ShowHidden
	layout
	entries func(level int) []string
	// own says that the object is laid out as though it stood alone, without its class, and then put where it is.
	own bool
}

// bare tells whether nothing but the kind itself will be shown.
func (s *shape) bare() bool { return len(s.keys) == 0 && len(s.inner) == 0 }

// object shows an object that the inspector is not inside of.
func (i *inspector) object(obj *goja.Object, level int, inTyped bool) string {
	s := &shape{obj: obj, level: level}
	show := i.ShowHidden && level <= i.Depth
	s.class = i.constructorName(obj, level, show, &s.inner)
	s.tag = i.tagOf(obj)
	if text, done := i.kind(s, inTyped); done {
		return text
	}
	if level > i.Depth {
		return i.outline(s)
	}
	if level >= maxNesting {
		return mark("["+strings.TrimSuffix(i.plainStyle(s), " ")+
			": Inspection interrupted prematurely. Maximum call stack size exceeded.]", styleSpecial)
	}
	outside := i.indent
	if s.own {
		i.indent = 0
	}
	level++
	i.seen = append(i.seen, obj)
	i.deepest = level
	if s.entries != nil {
		s.output = s.entries(level)
	}
	for _, key := range s.keys {
		s.output = append(s.output, i.property(obj, key, level, s.grouped))
	}
	s.output = append(s.output, s.inner...)
	i.seen = i.seen[:len(i.seen)-1]
	if n, ok := i.circular[obj]; ok {
		ref := mark("<ref *"+strconv.Itoa(n)+">", styleSpecial)
		switch {
		case i.Compact == CompactFully:
			s.braces[0] = ref + " " + s.braces[0]
		case s.base == "":
			s.base = ref
		default:
			s.base = ref + " " + s.base
		}
	}
	if i.Sorted {
		i.sort(s)
	}
	text := i.join(s.layout, level)
	if s.own {
		i.indent = outside
		if rest, found := strings.CutPrefix(text, "Object"); found {
			text = *s.class + rest
		} else {
			text = *s.class + " " + text
		}
		text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", outside))
	}
	if i.budget[i.indent] += len(text); i.budget[i.indent] > maxOutput {
		i.Depth = -1
	}
	return text
}

// outline is what stands for an object that is not opened: "[Foo]".
func (i *inspector) outline(s *shape) string {
	name := strings.TrimSuffix(i.plainStyle(s), " ")
	if s.class != nil {
		name = "[" + name + "]"
	}
	return mark(name, styleSpecial)
}

// plainStyle is the prefix of an object without a kind of its own.
func (i *inspector) plainStyle(s *shape) string {
	fallback := ""
	if s.class == nil {
		fallback = i.internalName(s.obj)
		if fallback == s.tag {
			fallback = "Object"
		}
	}
	return prefix(s.class, s.tag, fallback, "")
}

// prefix is "Foo [tag] ", or "[Object: null prototype] " for those without constructor.
func prefix(class *string, tag, fallback, size string) string {
	if class == nil {
		if tag != "" && tag != fallback {
			return "[" + fallback + size + ": null prototype] [" + tag + "] "
		}
		return "[" + fallback + size + ": null prototype] "
	}
	if tag != "" && tag != *class {
		return *class + size + " [" + tag + "] "
	}
	return *class + size + " "
}

// internalName is the name of the kind of object that obj is inside.
func (i *inspector) internalName(obj *goja.Object) string {
	switch obj.ExportType() {
	case mapType:
		return "Map"
	case gojainternals.PromiseType:
		return "Promise"
	case gojainternals.ArrayBufferType:
		return "ArrayBuffer"
	}
	if view, ok := i.h.Realm.BufferView(obj); ok {
		return view.Kind
	}
	if obj.ClassName() == "Object" && obj.ExportType() == setType {
		return "Set"
	}
	return obj.ClassName()
}

// tagOf is the object's toStringTag, unless it is a property that is shown anyway.
func (i *inspector) tagOf(obj *goja.Object) string {
	tag, ok := obj.GetSymbol(goja.SymToStringTag).(goja.String)
	if !ok || tag.String() == "" {
		return ""
	}
	if p := i.own(obj, goja.SymToStringTag); p.ok && (i.ShowHidden || p.enumerable) {
		return ""
	}
	return tag.String()
}

// constructorName looks for the nearest constructor that obj is an instance of; nil when its prototype is null.
func (i *inspector) constructorName(obj *goja.Object, level int, show bool, inner *[]string) *string {
	var first *goja.Object
	for at := obj; at != nil; at = at.Prototype() {
		if at != obj {
			if first == nil {
				first = at
			}
			if name, ok := i.wellKnown[at]; ok {
				if show && first != at {
					i.inherited(obj, first, level, inner)
				}
				return &name
			}
		}
		p := i.ownNamed(at, "constructor")
		ctor, ok := p.value.(*goja.Object)
		if !ok {
			continue
		}
		name, ok := i.functionName(ctor)
		if !ok || name == "" || !i.instance(obj, ctor) {
			continue
		}
		if show && (first != at || !i.builtIn(name)) {
			i.inherited(obj, or(first, obj), level, inner)
		}
		return &name
	}
	if first == nil {
		return nil
	}
	name := i.internalName(obj)
	if level > i.Depth {
		name += " <Complex prototype>"
		return &name
	}
	if above := i.constructorName(first, level+1, show, inner); above != nil {
		name += " <" + *above + ">"
		return &name
	}
	sub := *i
	sub.CustomInspect, sub.Depth = false, -1
	name += " <" + sub.value(first, 0, false) + ">"
	return &name
}

func or(a, b *goja.Object) *goja.Object {
	if a != nil {
		return a
	}
	return b
}

// functionName is the name of a function, if that is a string and the function's own.
func (i *inspector) functionName(f *goja.Object) (string, bool) {
	if _, callable := goja.AssertFunction(f); !callable {
		return "", false
	}
	name, ok := f.Get("name").(goja.String)
	if !ok {
		return "", false
	}
	return name.String(), true
}

// instance is instanceof; what a user's Symbol.hasInstance throws counts as no.
func (i *inspector) instance(obj, class *goja.Object) (is bool) {
	if i.h.Realm.Try(func() { is = i.rt.InstanceOf(obj, class) }) != nil {
		return false
	}
	return is
}

func (in *intrinsics) builtIn(name string) bool { return in.language[name] || in.platformNames()[name] }

// inherited adds the properties of up to three prototypes that are not built in.
func (i *inspector) inherited(main, at *goja.Object, level int, out *[]string) {
	above := map[string]bool{}
	for depth := 0; depth < 3; depth++ {
		if depth > 0 || main == at {
			if at = at.Prototype(); at == nil {
				return
			}
			if c, ok := i.ownNamed(at, "constructor").value.(*goja.Object); ok {
				if name, ok := i.functionName(c); ok && i.builtIn(name) {
					return
				}
			}
		}
		i.seen = append(i.seen, main)
		names := at.GetOwnPropertyNames()
		for _, name := range names {
			if name == "constructor" || above[name] || i.ownNamed(main, name).ok {
				continue
			}
			p := i.ownNamed(at, name)
			if _, isFunction := goja.AssertFunction(orUndefined(p.value)); isFunction {
				continue
			}
			*out = append(*out, mark(i.written(p, main, i.rt.ToValue(name), level, false), styleFaint))
		}
		i.seen = i.seen[:len(i.seen)-1]
		for _, name := range names {
			above[name] = true
		}
	}
}

func orUndefined(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}

// keysOf are the own keys that are shown.
func (i *inspector) keysOf(obj *goja.Object) []goja.Value {
	names := obj.Keys
	if i.ShowHidden {
		names = obj.GetOwnPropertyNames
	}
	var keys []goja.Value
	for _, name := range names() {
		keys = append(keys, i.rt.ToValue(name))
	}
	if i.ShowHidden {
		return append(keys, i.hiddenSymbols(obj)...)
	}
	for _, s := range obj.Symbols() {
		keys = append(keys, s)
	}
	return keys
}

// manyElements is the length from which on the inspector does not look for an array's own extra properties.
const manyElements = 1 << 16

// extraKeys are the keys of an array or typed array of that length besides its indices.
func (i *inspector) extraKeys(obj *goja.Object, length int) []goja.Value {
	if length > manyElements {
		return nil
	}
	var keys []goja.Value
	for _, key := range i.keysOf(obj) {
		if s, ok := key.(goja.String); ok && index(s.String()) {
			continue
		}
		keys = append(keys, key)
	}
	return keys
}

// index tells whether a key is an array index.
func index(key string) bool {
	n, err := strconv.ParseUint(key, 10, 32)
	return err == nil && n < 1<<32-1 && strconv.FormatUint(n, 10) == key
}
