package console

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/webidl"
)

// kind finds out what sort of object s is and prepares how it is shown; done is true when text is all there is to it.
func (i *inspector) kind(s *shape, inTyped bool) (text string, done bool) {
	obj := s.obj
	s.braces = [2]string{"{", "}"}
	export := obj.ExportType()
	class := obj.ClassName()
	switch {
	case class == "Array":
		return i.array(s)
	case export == mapType:
		return i.collection(s, "Map", i.mapSize, i.mapEntries, i.mapNext, true)
	case export == setType:
		return i.collection(s, "Set", i.setSize, i.setValues, i.setNext, false)
	case export == gojainternals.ArrayBufferType:
		return i.arrayBuffer(s, inTyped)
	case export == gojainternals.PromiseType:
		return i.promise(s)
	}
	if it, ok := i.internals.Iterator(obj); ok {
		return i.iterator(s, it)
	}
	if view, ok := i.h.Realm.BufferView(obj); ok {
		if view.Kind == "DataView" {
			return i.dataView(s)
		}
		return i.typedArray(s, view)
	}
	// A callable platform object is an RPC stub. The inspector asks it nothing: even a name would come from the other
	// side.
	if _, callable := goja.AssertFunction(obj); callable && i.h.Realm.State(obj) == nil {
		s.keys = i.keysOf(obj)
		s.base = i.functionBase(s)
		if s.bare() {
			return mark(s.base, styleSpecial), true
		}
		return "", false
	}
	if i.platformObject(obj) {
		return i.platformKind(s)
	}
	s.keys = i.keysOf(obj)
	switch {
	case i.isError(obj):
		s.base = i.failure(s)
		return s.base, s.bare()
	case s.class != nil && *s.class == "Object":
		if class == "Arguments" {
			s.braces[0] = "[Arguments] {"
		} else if s.tag != "" {
			s.braces[0] = prefix(s.class, s.tag, "Object", "") + "{"
		}
		return s.braces[0] + "}", s.bare()
	case class == "RegExp":
		return i.withBase(s, "RegExp", must(i.regexpText(obj)).String(), styleRegexp, s.level > i.Depth)
	case class == "Date":
		base := ""
		if t := must(i.dateTime(obj)); goja.IsNaN(t) {
			base = must(i.dateText(obj)).String()
		} else {
			base = must(i.dateISO(obj)).String()
		}
		return i.withBase(s, "Date", base, styleDate, false)
	case class == "Number" || class == "String" || class == "Boolean" || export == bigIntType:
		return i.boxed(s, class)
	case s.tag == "Symbol" || s.class != nil && *s.class == "Symbol":
		if _, err := i.symbolText(obj); err == nil {
			return i.boxed(s, "Symbol")
		}
	case s.tag == "WeakMap" || s.tag == "WeakSet" || s.class != nil && (*s.class == "WeakMap" || *s.class == "WeakSet"):
		if kind, ok := i.weak(obj); ok {
			s.braces[0] = prefix(s.class, s.tag, kind, "") + "{"
			s.entries = func(int) []string { return []string{mark("<items unknown>", styleSpecial)} }
			return "", false
		}
	}
	s.braces[0] = i.plainStyle(s) + "{"
	return s.braces[0] + "}", s.bare()
}

// withBase prepares an object that a text stands for, with its properties after it.
func (i *inspector) withBase(s *shape, kind, base string, st style, whole bool) (string, bool) {
	if p := prefix(s.class, s.tag, kind, ""); p != kind+" " {
		base = p + base
	}
	s.base = base
	return mark(base, st), whole || s.bare()
}

func (i *inspector) weak(obj *goja.Object) (string, bool) {
	if _, err := i.weakMapHas(obj, obj); err == nil {
		return "WeakMap", true
	}
	if _, err := i.weakSetHas(obj, obj); err == nil {
		return "WeakSet", true
	}
	return "", false
}

// limited splits a length into what is shown and what is left out.
func (i *inspector) limited(n int) (shown, more int) {
	shown = min(max(i.MaxArrayLength, 0), n)
	return shown, n - shown
}

func (i *inspector) array(s *shape) (string, bool) {
	n := int(s.obj.Get("length").ToInteger())
	p := ""
	if s.class == nil || *s.class != "Array" || s.tag != "" {
		p = prefix(s.class, s.tag, "Array", "("+strconv.Itoa(n)+")")
	}
	s.keys = i.extraKeys(s.obj, n)
	s.braces, s.grouped = [2]string{p + "[", "]"}, true
	s.entries = func(level int) []string { return i.elements(s, n, level) }
	return p + "[]", n == 0 && s.bare()
}

// elements shows an array's elements; holes are counted.
func (i *inspector) elements(s *shape, n, level int) []string {
	shown, _ := i.limited(n)
	var out []string
	s.numeric = true
	at, holes := 0, 0
	flush := func() {
		if holes > 0 {
			out = append(out, mark("<"+strconv.Itoa(holes)+" empty item"+plural(holes)+">", styleUndefined))
			holes, s.numeric = 0, false
		}
	}
	sparse := false
	for ; at < n && len(out) < shown; at++ {
		p := i.own(s.obj, i.rt.ToValue(strconv.Itoa(at)))
		if !p.ok {
			if !sparse && n-at > manyElements {
				// The keys jump over a long stretch of holes.
				at = i.nextElement(s.obj, at, n, &holes) - 1
			} else {
				holes++
			}
			sparse = true
			continue
		}
		flush()
		if len(out) == shown {
			break
		}
		if p.value == nil || p.value.ExportType() == nil || !isNumeric(p.value) {
			s.numeric = false
		}
		text, _ := i.propertyValue(p, s.obj, level, true)
		out = append(out, text)
	}
	if len(out) < shown {
		flush()
	}
	if left := n - at; left+holes > 0 && len(out) >= shown {
		out = append(out, moreItems(left+holes))
	}
	return out
}

// nextElement finds the first element after a hole and counts the holes up to it.
func (i *inspector) nextElement(obj *goja.Object, at, n int, holes *int) int {
	for _, key := range obj.Keys() {
		if k, err := strconv.Atoi(key); err == nil && k > at && index(key) {
			*holes += k - at
			return k
		}
	}
	*holes += n - at
	return n
}

func isNumeric(v goja.Value) bool {
	switch webidl.Primitive(v).(type) {
	case int64, float64, *big.Int:
		_, isObject := v.(*goja.Object)
		return !isObject
	}
	return false
}

// collection is a Map or a Set.
func (i *inspector) collection(s *shape, kind string, size, start, next goja.Callable, pairs bool) (string, bool) {
	n := int(must(size(s.obj)).ToInteger())
	s.keys = i.keysOf(s.obj)
	s.braces[0] = prefix(s.class, s.tag, kind, "("+strconv.Itoa(n)+")") + "{"
	s.entries = func(level int) []string {
		shown, more := i.limited(n)
		out := make([]string, 0, shown+1)
		it := must(start(s.obj))
		i.indent += 2
		for range shown {
			item := must(next(it)).(*goja.Object).Get("value")
			if !pairs {
				out = append(out, i.value(item, level, false))
				continue
			}
			pair := item.(*goja.Object)
			out = append(out, i.value(pair.Get("0"), level, false)+" => "+i.value(pair.Get("1"), level, false))
		}
		i.indent -= 2
		if more > 0 {
			out = append(out, moreItems(more))
		}
		return out
	}
	return s.braces[0] + "}", n == 0 && s.bare()
}

// entrySize is about what a shown element takes, text and all.
const entrySize = 32

func (i *inspector) typedArray(s *shape, view webidl.View) (string, bool) {
	n := int(s.obj.Get("length").ToInteger())
	s.keys = i.extraKeys(s.obj, n)
	s.braces = [2]string{prefix(s.class, s.tag, view.Kind, "("+strconv.Itoa(n)+")") + "[", "]"}
	s.grouped, s.numeric = true, true
	s.entries = func(level int) []string {
		shown, more := i.limited(n)
		i.h.Loop.Need(int64(shown) * entrySize)
		out := make([]string, 0, shown+1)
		for k := range shown {
			i.h.Loop.Poll()
			out = append(out, i.primitive(s.obj.Get(strconv.Itoa(k))))
		}
		if more > 0 {
			out = append(out, moreItems(more))
		}
		if i.ShowHidden {
			i.indent += 2
			for _, name := range []string{"BYTES_PER_ELEMENT", "length", "byteLength", "byteOffset", "buffer"} {
				out = append(out, "["+name+"]: "+i.value(s.obj.Get(name), level, true))
			}
			i.indent -= 2
		}
		return out
	}
	return s.braces[0] + "]", n == 0 && s.bare() && !i.ShowHidden
}

func (i *inspector) arrayBuffer(s *shape, inTyped bool) (string, bool) {
	s.keys = i.keysOf(s.obj)
	s.braces[0] = prefix(s.class, s.tag, "ArrayBuffer", "") + "{"
	view, _ := i.h.Realm.BufferView(s.obj)
	size := "byteLength: " + mark(strconv.Itoa(view.Length), styleNumber)
	if inTyped && s.bare() {
		return s.braces[0] + " " + size + " }", true
	}
	s.entries = func(int) []string {
		if view.Buffer.Detached() {
			return []string{mark("(detached)", styleSpecial), size}
		}
		if inTyped {
			return []string{size}
		}
		shown, more := i.limited(view.Length)
		i.h.Loop.Need(int64(shown) * 3)
		var b strings.Builder
		for k, c := range view.Bytes()[:shown] {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
		if more > 0 {
			b.WriteString(" ... " + strconv.Itoa(more) + " more byte" + plural(more))
		}
		return []string{mark("[Uint8Contents]", styleSpecial) + ": <" + b.String() + ">", size}
	}
	return "", false
}

func (i *inspector) dataView(s *shape) (string, bool) {
	s.keys = i.keysOf(s.obj)
	s.braces[0] = prefix(s.class, s.tag, "DataView", "") + "{"
	s.entries = func(level int) []string {
		var out []string
		i.indent += 2
		for _, name := range []string{"byteLength", "byteOffset", "buffer"} {
			out = append(out, name+": "+i.value(s.obj.Get(name), level, false))
		}
		i.indent -= 2
		return out
	}
	return "", false
}

func (i *inspector) promise(s *shape) (string, bool) {
	p := s.obj.Export().(*goja.Promise)
	s.keys = i.keysOf(s.obj)
	s.braces[0] = prefix(s.class, s.tag, "Promise", "") + "{"
	s.entries = func(level int) []string {
		if p.State() == goja.PromiseStatePending {
			return []string{mark("<pending>", styleSpecial)}
		}
		i.indent += 2
		text := i.value(p.Result(), level, false)
		i.indent -= 2
		if p.State() == goja.PromiseStateRejected {
			text = mark("<rejected>", styleSpecial) + " " + text
		}
		return []string{text}
	}
	return "", false
}

// boxed is a Number, String, Boolean, Symbol or BigInt object.
func (i *inspector) boxed(s *shape, class string) (string, bool) {
	var inner goja.Value
	text := ""
	st := styleNumber
	switch class {
	case "String":
		str := must(i.rt.Get("String").ToObject(i.rt).Get("prototype").ToObject(i.rt).Get("valueOf"), nil)
		f, _ := goja.AssertFunction(str)
		inner, st = must(f(s.obj)), styleString
		kept := s.keys[:0]
		for _, key := range s.keys {
			if k, ok := key.(goja.String); !ok || !index(k.String()) {
				kept = append(kept, key)
			}
		}
		s.keys = kept
	case "Boolean":
		inner, st = i.rt.ToValue(s.obj.Export()), styleBoolean
	case "Number":
		inner = i.rt.ToValue(s.obj.Export())
	case "Symbol":
		text, st = must(i.symbolText(s.obj)).String(), styleSymbol
	default:
		class, inner = "BigInt", i.rt.ToValue(s.obj.Export())
	}
	if text == "" {
		text = plain(i.primitive(inner))
	}
	base := "[" + class
	switch {
	case s.class == nil:
		base += " (null prototype)"
	case *s.class != class:
		base += " (" + *s.class + ")"
	}
	base += ": " + text + "]"
	if s.tag != "" && (s.class == nil || s.tag != *s.class) {
		base += " [" + s.tag + "]"
	}
	s.base = base
	return mark(base, st), s.bare()
}
