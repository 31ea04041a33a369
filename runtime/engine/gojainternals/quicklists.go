package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// listIterFields says where an iterator of a Map or a Set keeps its place in the list of entries.
type listIterFields struct {
	*iteratorFields
	next                      uintptr // the code of its method next
	keys                      int64   // the value of the field gives if it gives keys
	of, at                    uintptr // of the place: the list, and the entry that was given last
	first                     uintptr // of the list
	key, value, before, after uintptr // of an entry
	set                       bool
}

func (l *Layout) readListIterators(r *reader) {
	for i := range l.iterators {
		f := listIterFields{iteratorFields: &l.iterators[i], set: l.iterators[i].of == "Set"}
		probe := "new " + f.iteratorFields.of + "([[1, 2]]).keys()"
		if f.set { // its keys are its values
			probe = "new Set([1]).values()"
		}
		iterator, next := r.object(probe), r.object(probe+".next")
		if r.err != nil {
			return
		}
		native, ok := l.Native(next)
		if !ok {
			r.fail("iterators of a %s have no native next", f.iteratorFields.of)
			return
		}
		f.next = codeOf(*native.Call)
		f.keys = int64(*(*int)(unsafe.Add(l.data(iterator), f.gives)))
		var list, entry reflect.Type
		f.of, list = r.field(f.place, "m", nil)
		if f.at, entry = r.field(f.place, "cur", nil); r.err != nil {
			return
		}
		f.first, _ = r.field(list.Elem(), "iterFirst", entry)
		f.key, _ = r.field(entry.Elem(), "key", reflect.TypeFor[goja.Value]())
		f.value, _ = r.field(entry.Elem(), "value", reflect.TypeFor[goja.Value]())
		f.before, _ = r.field(entry.Elem(), "iterPrev", entry)
		f.after, _ = r.field(entry.Elem(), "iterNext", entry)
		l.quick.lists = append(l.quick.lists, f)
	}
}

// advanceList takes a step of an iterator of a Map or a Set, whose method next has that code.
func (l *Layout) advanceList(iterator *goja.Object, next uintptr) (goja.Value, stepped) {
	for i := range l.quick.lists {
		f := &l.quick.lists[i]
		if f.next != next || f.object != l.kind(iterator) {
			continue
		}
		data := l.data(iterator)
		iter := (*unsafe.Pointer)(unsafe.Add(data, f.iter))
		if *iter == nil {
			return nil, ended
		}
		list := *(*unsafe.Pointer)(unsafe.Add(*iter, f.of))
		if list == nil {
			return nil, unknown
		}
		at := (*unsafe.Pointer)(unsafe.Add(*iter, f.at))
		entry := *at
		for entry != nil && *(*goja.Value)(unsafe.Add(entry, f.key)) == nil { // it has been deleted
			entry = *(*unsafe.Pointer)(unsafe.Add(entry, f.before))
		}
		if entry != nil {
			entry = *(*unsafe.Pointer)(unsafe.Add(entry, f.after))
		} else {
			entry = *(*unsafe.Pointer)(unsafe.Add(list, f.first))
		}
		if entry == nil {
			*iter = nil
			return nil, ended
		}
		*at = entry
		key, value := *(*goja.Value)(unsafe.Add(entry, f.key)), *(*goja.Value)(unsafe.Add(entry, f.value))
		switch gives := int64(*(*int)(unsafe.Add(data, f.gives))); {
		case gives == f.pairs:
			if f.set {
				value = key
			}
			return l.array(l.runtimeOf(iterator), []goja.Value{key, value}), gave
		case gives == f.keys || f.set:
			return key, gave
		}
		return value, gave
	}
	return nil, unknown
}

// runtimeOf is the runtime that an object belongs to.
func (l *Layout) runtimeOf(o *goja.Object) *goja.Runtime {
	return *(**goja.Runtime)(unsafe.Add(unsafe.Pointer(o), polled.runtime))
}
