package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// What exec of a regular expression returns is a light array with three more properties, which it keeps behind itself
// in the place of a map: hardly anybody asks for more than one of them. Like any light array it becomes goja's own
// before something changes its properties.

// madeMatch is such an array, in one piece.
type madeMatch struct {
	madeArray
	index, input, groups goja.Value
}

// matchNames are its properties.
var matchNames = sharedNames("length", "index", "input", "groups")

// lightMatches is what Read has found, for methods in a method table.
var lightMatches struct {
	table      []uintptr
	setForeign func(unsafe.Pointer, unistring.String, goja.Value, goja.Value, bool) (bool, bool)
	deleteStr  func(unsafe.Pointer, unistring.String, bool) bool
	getStr     func(unsafe.Pointer, unistring.String, goja.Value) goja.Value
	getOwn     func(unsafe.Pointer, unistring.String) goja.Value
	hasOwn     func(unsafe.Pointer, unistring.String) bool
	codes      [5]uintptr
}

func (l *Layout) readMatches(r *reader, iface, concrete reflect.Type, arrays map[string]any) {
	own := map[string]any{
		"setForeignStr": matchSetForeign, "deleteStr": matchDelete, "getStr": matchGet, "getOwnPropStr": matchGetOwn,
		"hasOwnPropertyStr": matchHasOwn,
	}
	for name, f := range arrays {
		own[name] = f
	}
	m := &lightMatches
	if m.table, r.err = methodTable(iface, concrete, l.arrays.kind, own); r.err != nil {
		return
	}
	l.arrays.match = unsafe.Pointer(&m.table[0])
	for i, f := range []struct {
		name string
		to   unsafe.Pointer
	}{
		{"setForeignStr", unsafe.Pointer(&m.setForeign)}, {"deleteStr", unsafe.Pointer(&m.deleteStr)},
		{"getStr", unsafe.Pointer(&m.getStr)}, {"getOwnPropStr", unsafe.Pointer(&m.getOwn)},
		{"hasOwnPropertyStr", unsafe.Pointer(&m.hasOwn)},
	} {
		methodAt(iface, l.arrays.kind, f.name, &m.codes[i], f.to)
	}
}

// NewMatch makes what exec of a regular expression returns, with what the pattern and its groups have matched. The list
// becomes the array's.
func (l *Layout) NewMatch(rt *goja.Runtime, matched []goja.Value, index int, input, groups goja.Value) *goja.Object {
	proto := *(**goja.Object)(unsafe.Add(unsafe.Pointer(rt), l.quick.global+l.plain.array))
	if proto == nil { // goja makes the prototype of arrays with the first of them
		proto = rt.NewArray().Prototype()
	}
	m := new(madeMatch)
	l.fillArray(&m.madeArray, proto, matched)
	m.array.baseObject.propNames = matchNames
	m.index, m.input, m.groups = l.integer(int64(index)), input, groups
	l.become(rt, &m.object, l.arrays.match, unsafe.Pointer(m))
	return &m.object
}

// settleMatch makes goja's own array of one that is not yet.
func (m *madeMatch) settle(l *Layout) {
	b := &m.array.baseObject
	b.values = map[unistring.String]goja.Value{"length": l.attributed(&m.array.lengthProp), "index": m.index,
		"input": m.input, "groups": m.groups}
	m.index, m.input, m.groups = nil, nil, nil
}

// matchFind is the value of one of the three, nil if the name is another one, or the array is goja's by now.
func matchFind(p unsafe.Pointer, name unistring.String) goja.Value {
	m := (*madeMatch)(p)
	switch name {
	case "index":
		return m.index
	case "input":
		return m.input
	case "groups":
		return m.groups
	}
	return nil
}

func matchGet(p unsafe.Pointer, name unistring.String, receiver goja.Value) goja.Value {
	if v := matchFind(p, name); v != nil {
		return v
	}
	return lightMatches.getStr(p, name, receiver)
}

func matchGetOwn(p unsafe.Pointer, name unistring.String) goja.Value {
	if v := matchFind(p, name); v != nil {
		return v
	}
	return lightMatches.getOwn(p, name)
}

func matchHasOwn(p unsafe.Pointer, name unistring.String) bool {
	return matchFind(p, name) != nil || lightMatches.hasOwn(p, name)
}

func matchSetForeign(p unsafe.Pointer, name unistring.String, v, receiver goja.Value, throw bool) (bool, bool) {
	lightArrays.layout.settleArray(p)
	return lightMatches.setForeign(p, name, v, receiver, throw)
}

func matchDelete(p unsafe.Pointer, name unistring.String, throw bool) bool {
	lightArrays.layout.settleArray(p)
	return lightMatches.deleteStr(p, name, throw)
}

// Parts are pieces of a text in ASCII, each from one place to the next one; undefined if they are below 0.
func (l *Layout) Parts(s string, places []int32) []goja.Value {
	values, texts := make([]goja.Value, len(places)/2), make([]string, len(places)/2)
	for i := range values {
		from, to := places[2*i], places[2*i+1]
		if from < 0 {
			values[i] = goja.Undefined()
			continue
		}
		texts[i] = s[from:to]
		*pair(&values[i]) = [2]unsafe.Pointer{l.operands.ascii, unsafe.Pointer(&texts[i])}
	}
	return values
}
