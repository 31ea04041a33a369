package console

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// platformObject tells whether an object is an instance of a class of the platform (Headers, Request …). It has no
// properties of its own and is shown by what its accessors give.
func (i *inspector) platformObject(obj *goja.Object) bool {
	if obj.ClassName() == "Error" {
		return false
	}
	if i.h.Realm.State(obj) != nil {
		return true
	}
	// Classes made in JavaScript are known by their names, which no script can have made a hidden global. A script may
	// have extended them.
	for proto := obj.Prototype(); proto != nil; proto = proto.Prototype() {
		if _, known := i.wellKnown[proto]; known {
			return false
		}
		if i.platformPrototype(proto) {
			return true
		}
	}
	return false
}

// platformPrototype tells whether an object is the prototype of a class of the platform.
func (i *inspector) platformPrototype(proto *goja.Object) bool {
	ctor, ok := i.ownNamed(proto, "constructor").value.(*goja.Object)
	if !ok {
		return false
	}
	name, ok := i.functionName(ctor)
	if !ok || !i.platformNames()[name] {
		return false
	}
	p := i.ownNamed(i.rt.GlobalObject(), name)
	return p.value == goja.Value(ctor) && !p.enumerable
}

// platformKind prepares a platform object: entries like a Map's if it has any, then its accessors.
func (i *inspector) platformKind(s *shape) (string, bool) {
	if s.class == nil {
		name := "Object"
		s.class = &name
	}
	entries, isMap := i.platformEntries(s.obj)
	s.braces[0] = *s.class + " {"
	if isMap {
		s.braces[0] = *s.class + "(" + strconv.Itoa(len(entries)) + ") {"
	}
	whole := s.braces[0]
	guarded, isGuarded := i.h.Realm.State(s.obj).(interface{ Immutable() bool })
	if len(entries) == 0 && !isGuarded && !i.hasAccessors(s.obj, isMap) && len(s.obj.Symbols()) == 0 {
		return s.braces[0] + "}", true
	}
	s.entries = func(level int) []string {
		var out []string
		i.indent += 2
		defer func() { i.indent -= 2 }()
		for _, e := range entries {
			out = append(out, i.value(e[0], level, false)+" => "+i.value(e[1], level, false))
		}
		if isGuarded { // Headers hide these from scripts; the platform shows them here
			out = append(out, "[immutable]: "+i.value(i.rt.ToValue(guarded.Immutable()), level, false))
		}
		seen := map[string]bool{"constructor": true, "size": isMap}
		for at := s.obj; at != nil; at = at.Prototype() {
			if _, known := i.wellKnown[at]; known {
				break
			}
			for _, name := range at.GetOwnPropertyNames() {
				if !seen[name] {
					seen[name] = true
					if text, ok := i.platformProperty(s.obj, at, name, level); ok {
						out = append(out, text)
					}
				}
			}
		}
		for _, inner := range i.h.Inner {
			for _, p := range inner(s.obj) {
				out = append(out, "["+p.Name+"]: "+i.value(orUndefined(p.Value), level, false))
			}
		}
		for _, key := range s.obj.Symbols() {
			out = append(out, i.property(s.obj, key, level, false))
		}
		return out
	}
	if s.own = i.Compact != CompactFully; s.own {
		if s.braces[0] = "{"; isMap { // it counts as an Object
			s.braces[0] = "Object" + strings.TrimPrefix(whole, *s.class)
		}
	}
	return "", false
}

// platformProperty shows what an accessor or own property gives. It leaves out functions and constants, which say
// nothing new.
func (i *inspector) platformProperty(obj, holder *goja.Object, name string, level int) (string, bool) {
	p := i.ownNamed(holder, name)
	if p.get == nil && holder != obj {
		return "", false
	}
	var v goja.Value
	if thrown := i.h.Realm.Try(func() { v = obj.Get(name) }); thrown != nil {
		return name + ": " + mark("[Getter]", styleSpecial), true
	}
	if _, isFunction := goja.AssertFunction(orUndefined(v)); isFunction {
		return "", false
	}
	return name + ": " + i.value(orUndefined(v), level, false), true
}

// platformEntries are the pairs of an object whose class has entries (Headers, FormData, URLSearchParams).
func (i *inspector) platformEntries(obj *goja.Object) (pairs [][2]goja.Value, ok bool) {
	entries, ok := i.classMethod(obj, "entries")
	if !ok {
		return nil, false
	}
	thrown := i.h.Realm.Try(func() {
		it := must(entries(obj))
		i.rt.ForOf(it, func(item goja.Value) bool {
			pair, isPair := item.(*goja.Object)
			if !isPair || pair.ClassName() != "Array" {
				ok = false
				return false
			}
			pairs = append(pairs, [2]goja.Value{pair.Get("0"), pair.Get("1")})
			return true
		})
	})
	return pairs, ok && thrown == nil
}

// classMethod is a method that one of the object's classes has. It is not asked of the object itself: a stub answers
// every name with a call to somewhere else.
func (i *inspector) classMethod(obj *goja.Object, name string) (goja.Callable, bool) {
	for at := obj.Prototype(); at != nil; at = at.Prototype() {
		if p := i.ownNamed(at, name); p.ok {
			return goja.AssertFunction(orUndefined(p.value))
		}
	}
	return nil, false
}

// hasAccessors tells whether a platform object has anything to show. A map's size stands before its brace.
func (i *inspector) hasAccessors(obj *goja.Object, isMap bool) bool {
	if len(obj.Keys()) > 0 {
		return true
	}
	for at := obj.Prototype(); at != nil; at = at.Prototype() {
		if _, known := i.wellKnown[at]; known {
			return false
		}
		for _, name := range at.GetOwnPropertyNames() {
			if i.ownNamed(at, name).get != nil && !(isMap && name == "size") {
				return true
			}
		}
	}
	return false
}
