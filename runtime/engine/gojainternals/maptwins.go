package gojainternals

import (
	"hash/maphash"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// Twins of what scripts call most of Maps and Sets, for keys of the kinds that are compared at sight.

// mapMirror is a Map, and a Set.
type mapMirror struct {
	baseObject baseMirror
	m          unsafe.Pointer // of an orderedMirror
}

// orderedMirror has the entries of a Map or a Set.
type orderedMirror struct {
	hash                *maphash.Hash
	hashTable           map[uint64]*entryMirror
	iterFirst, iterLast *entryMirror
	size                int
}

type entryMirror struct {
	key, value                goja.Value
	iterPrev, iterNext, hNext *entryMirror
}

// ordered are the kinds of Maps and of Sets.
var ordered struct{ maps, sets unsafe.Pointer }

func (l *Layout) readOrdered(r *reader) {
	for _, c := range []struct {
		form string
		kind *unsafe.Pointer
	}{{"new Map", &ordered.maps}, {"new Set", &ordered.sets}} {
		o := r.object(c.form)
		if r.err != nil {
			return
		}
		t, _ := self(o)
		*c.kind = l.kind(o)
		r.alike(reflect.TypeFor[mapMirror](), t.Elem())
		_, list := r.field(t.Elem(), "m", nil)
		if r.err != nil {
			return
		}
		if list.Kind() != reflect.Pointer {
			r.fail("%s.m is a %s", t, list)
			return
		}
		r.orderedMirror(list.Elem())
	}
}

// orderedMirror fails unless goja's list of entries lies in memory as ours. Maps whose keys and elements are of the
// same forms are alike.
func (r *reader) orderedMirror(t reflect.Type) {
	ours := reflect.TypeFor[orderedMirror]()
	table, entry := reflect.Type(nil), reflect.Type(nil)
	for i := range ours.NumField() {
		a := ours.Field(i)
		at, b := r.field(t, a.Name, nil)
		if r.err != nil {
			return
		}
		if at != a.Offset || b.Kind() != a.Type.Kind() || b.Size() != a.Type.Size() {
			r.fail("%s has a field %s %s at %d", t, a.Name, b, at)
			return
		}
		switch a.Name {
		case "hashTable":
			table = b
		case "iterFirst":
			entry = b
		}
	}
	if table.Key() != reflect.TypeFor[uint64]() || table.Elem() != entry {
		r.fail("%s.hashTable is a %s", t, table)
		return
	}
	ours = reflect.TypeFor[entryMirror]()
	if entry.Elem().Size() != ours.Size() || entry.Elem().NumField() != ours.NumField() {
		r.fail("%s has another form than is known", entry)
		return
	}
	for i := range ours.NumField() {
		a, b := ours.Field(i), entry.Elem().Field(i)
		if a.Name != b.Name || a.Offset != b.Offset || i < 2 && a.Type != b.Type || i >= 2 && b.Type != entry {
			r.fail("%s has a field %s %s", entry, b.Name, b.Type)
			return
		}
	}
}

// entry finds the entry of a key, nil if there is none. known is false if goja must look.
func (m *orderedMirror) entry(l *Layout, key goja.Value) (e, before *entryMirror, hash uint64, known bool) {
	k := pair(&key)
	switch k[0] {
	case l.operands.ascii:
		text := *(*string)(k[1])
		if len(text) >= longString || m.hash == nil {
			return nil, nil, 0, false
		}
		_, _ = m.hash.WriteString(text)
		hash = m.hash.Sum64()
		m.hash.Reset()
	case l.operands.integer:
		hash = uint64(*(*int64)(k[1]))
	case l.quick.object:
		hash = uint64(uintptr(k[1]))
	default:
		return nil, nil, 0, false
	}
	for e = m.hashTable[hash]; e != nil; before, e = e, e.hNext {
		of := pair(&e.key)
		switch {
		case of[0] != k[0]:
			return nil, nil, 0, false
		case k[0] == l.operands.ascii && *(*string)(of[1]) == *(*string)(k[1]),
			k[0] == l.operands.integer && *(*int64)(of[1]) == *(*int64)(k[1]), k[0] == l.quick.object && of[1] == k[1]:
			return e, before, hash, true
		}
	}
	return nil, before, hash, true
}

// set gives a key a value; false if goja must do it.
func (m *orderedMirror) set(l *Layout, key, value goja.Value) bool {
	e, before, hash, known := m.entry(l, key)
	switch {
	case !known:
		return false
	case e != nil:
		e.value = value
		return true
	}
	e = &entryMirror{key: key, value: value, iterPrev: m.iterLast}
	if before == nil {
		m.hashTable[hash] = e
	} else {
		before.hNext = e
	}
	if m.iterLast != nil {
		m.iterLast.iterNext = e
	} else {
		m.iterFirst = e
	}
	m.iterLast = e
	m.size++
	return true
}

// entriesOf are the entries of the Map or Set that a method is called of, nil if it is none, with the arguments.
func (l *Layout) entriesOf(vm unsafe.Pointer, n int, kind unsafe.Pointer) (*orderedMirror, []goja.Value) {
	o, list := l.arguments(vm, n)
	if o == nil || l.kind(o) != kind || n == 0 {
		return nil, nil
	}
	return (*orderedMirror)((*mapMirror)(l.data(o)).m), list
}

func twinMapGet(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if m, list := l.entriesOf(vm, n, ordered.maps); m != nil {
		if e, _, _, known := m.entry(l, list[0]); known {
			v := goja.Undefined()
			if e != nil && e.value != nil {
				v = e.value
			}
			l.answer(vm, n, v)
			return
		}
	}
	nativeCall.call(p, vm, n)
}

func twinMapHas(p, vm unsafe.Pointer, n int) { twinHas(p, vm, n, ordered.maps) }

func twinSetHas(p, vm unsafe.Pointer, n int) { twinHas(p, vm, n, ordered.sets) }

func twinHas(p, vm unsafe.Pointer, n int, kind unsafe.Pointer) {
	l := polled.layout
	if m, list := l.entriesOf(vm, n, kind); m != nil {
		if e, _, _, known := m.entry(l, list[0]); known {
			l.answer(vm, n, l.boolean(e != nil))
			return
		}
	}
	nativeCall.call(p, vm, n)
}

func twinMapSet(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if m, list := l.entriesOf(vm, n, ordered.maps); m != nil && n > 1 && m.set(l, list[0], list[1]) {
		l.answerThis(vm, n)
		return
	}
	nativeCall.call(p, vm, n)
}

func twinSetAdd(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if m, list := l.entriesOf(vm, n, ordered.sets); m != nil && m.set(l, list[0], nil) {
		l.answerThis(vm, n)
		return
	}
	nativeCall.call(p, vm, n)
}

// answerThis ends a call of a method that gives back what it is called of.
func (l *Layout) answerThis(vm unsafe.Pointer, n int) {
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	l.answer(vm, n, stack[*(*int)(unsafe.Add(vm, l.machine.sp))-n-2])
}
