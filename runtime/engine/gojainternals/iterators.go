package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// iteratorFields says where an iterator of a Map or a Set keeps its place.
type iteratorFields struct {
	of          string
	object      unsafe.Pointer // the kind of the iterator's object
	iter, gives uintptr
	place       reflect.Type // what iter points at
	pairs       int64        // the value of the field gives in an iterator of entries
}

// Iterator is an iterator of a Map or of a Set, as Of says. Pairs says that it gives entries, not keys or values.
type Iterator struct {
	Of     string
	Pairs  bool
	fields *iteratorFields
	object *goja.Object
}

func (l *Layout) readIterators(r *reader) {
	for _, of := range []string{"Map", "Set"} {
		probe := r.object("new " + of + "([[1, 2]]).entries()")
		if r.err != nil {
			return
		}
		t, data := self(probe)
		f := iteratorFields{of: of, object: l.kind(probe)}
		var iter, gives reflect.Type
		f.iter, iter = r.field(t.Elem(), "iter", nil)
		f.gives, gives = r.field(t.Elem(), "kind", nil)
		if r.err != nil {
			return
		}
		if iter.Kind() != reflect.Pointer || iter.Elem().Kind() != reflect.Struct || gives.Kind() != reflect.Int {
			r.fail("%s.iter is a %s and kind a %s, expected a pointer to a struct and an int", t, iter, gives)
			return
		}
		f.place, f.pairs = iter.Elem(), int64(*(*int)(unsafe.Add(data, f.gives)))
		l.iterators = append(l.iterators, f)
	}
}

// Iterator tells whether o is an iterator of a Map or a Set, and runs no script to find out.
func (l *Layout) Iterator(o *goja.Object) (it Iterator, ok bool) {
	for k := range l.iterators {
		if f := &l.iterators[k]; l.kind(o) == f.object {
			gives := *(*int)(unsafe.Add(l.data(o), f.gives))
			return Iterator{Of: f.of, Pairs: int64(gives) == f.pairs, fields: f, object: o}, true
		}
	}
	return Iterator{}, false
}

// Ahead runs walk, which may call the iterator's next, and puts the iterator back to where it was. While walk runs
// nobody else may use the iterator or change what it goes over.
func (l *Layout) Ahead(it Iterator, walk func()) {
	iter := (*unsafe.Pointer)(unsafe.Add(l.data(it.object), it.fields.iter))
	was := *iter
	if was == nil { // it has come to its end
		walk()
		return
	}
	place := reflect.NewAt(it.fields.place, was).Elem()
	kept := reflect.New(it.fields.place).Elem()
	kept.Set(place)
	defer func() {
		place.Set(kept)
		*iter = was
	}()
	walk()
}
