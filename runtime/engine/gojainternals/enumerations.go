package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// for-in over an object that has names alone goes over the list of them, where no prototype has anything to add. goja
// asks each prototype, and keeps a set of what it has seen.

// enumeration is a for-in over an object that is under way.
type enumeration struct {
	layout *Layout
	object *goja.Object
	names  []unistring.String // as they were when it began
	texts  []string           // of which the values are parts
	at     int
	more   []goja.Value // of prototypes that have come to have something, once names are done
	next   func() (enumerated, unsafe.Pointer)
}

// enumerated is what a step of for-in gives, as goja has it.
type enumerated struct {
	name goja.Value
	_    goja.Value // value; only the name is taken
	_    int        // enumerable, likewise
}

func (l *Layout) readEnumerations(r *reader) {
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	if r.err != nil {
		return
	}
	_, items := r.field(vm.Elem(), "iterStack", nil)
	if r.err != nil {
		return
	}
	var step reflect.Type
	if l.quick.itemStep, step = r.field(items.Elem(), "f", nil); r.err != nil {
		return
	}
	if step.Kind() != reflect.Func || step.NumIn() != 0 || step.NumOut() != 2 || step.Out(1) != step ||
		step.Out(0).Kind() != reflect.Struct || step.Out(0).Size() != reflect.TypeFor[enumerated]().Size() {
		r.fail("steps of for-in are a %s", step)
		return
	}
	for i, f := range []reflect.StructField{
		{Name: "name", Type: reflect.TypeFor[goja.Value]()}, {Name: "value", Type: reflect.TypeFor[goja.Value]()},
		{Name: "enumerable"},
	} {
		has := step.Out(0).Field(i)
		if has.Name != f.Name || f.Type != nil && has.Type != f.Type ||
			f.Type == nil && has.Type.Kind() != reflect.Int {
			r.fail("step of for-in gives a %s %s, expected %s", has.Name, has.Type, f.Name)
		}
	}
}

// enumerate begins for-in.
type enumerate struct {
	goja   instruction
	layout *Layout
}

func (e *enumerate) wrapped() instruction { return e.goja }

func (e *enumerate) exec(vm unsafe.Pointer) {
	l := e.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	top := &stack[*(*int)(unsafe.Add(vm, l.machine.sp))-1]
	var begun *enumeration
	if of := pair(top); of[0] == l.quick.object {
		begun = l.enumeration((*goja.Object)(of[1]))
	}
	if begun == nil {
		e.goja.exec(vm)
		return
	}
	*top = goja.Undefined() // for which goja begins one that gives nothing
	e.goja.exec(vm)
	item, _ := l.last(vm)
	*(*unsafe.Pointer)(unsafe.Add(item, l.quick.itemStep)) = *(*unsafe.Pointer)(unsafe.Pointer(&begun.next))
}

// enumeration is one of an object, nil if goja must do it.
func (l *Layout) enumeration(o *goja.Object) *enumeration {
	e := &enumeration{layout: l, object: o}
	if z, ok := l.literal(o); ok {
		if !l.silent(l.root(o)) {
			return nil
		}
		e.names = z.group.names[:z.index]
	} else {
		if l.kind(o) != l.states.kind {
			return nil
		}
		b := l.baseOf(o)
		if len(b.propNames) > manyNames || !l.silent(b.prototype) {
			return nil
		}
		for _, name := range b.propNames {
			if !plainName(name) {
				return nil
			}
		}
		if e.names = b.propNames; !shared(e.names) {
			e.names = append([]unistring.String(nil), e.names...)
		}
	}
	e.texts = make([]string, len(e.names))
	e.next = e.step
	return e
}

// mostSilent is how many names prototypes have at most that are looked through.
const mostSilent = 64

// silent tells whether no object of a chain has a property that for-in gives.
func (l *Layout) silent(o *goja.Object) bool {
	for range longestChain {
		if o == nil {
			return true
		}
		if kind := l.kind(o); !l.plainKind(kind) && !rootKind(kind) && kind != polled.kinds[0].native {
			return false
		}
		b := l.baseOf(o)
		if len(b.values) > mostSilent {
			return false
		}
		for _, v := range b.values { // a built-in that is not there yet is none
			if v != nil && l.enumerable(v) {
				return false
			}
		}
		o, _ = l.above(o)
	}
	return false
}

// enumerable tells whether a property is one that for-in gives, by its value as goja keeps it.
func (l *Layout) enumerable(v goja.Value) bool {
	p := pair(&v)
	return p[0] != l.quick.accessor || (*propertyMirror)(p[1]).enumerable
}

// step gives the next name, and nil where there is none.
func (e *enumeration) step() (enumerated, unsafe.Pointer) {
	l := e.layout
	again := *(*unsafe.Pointer)(unsafe.Pointer(&e.next))
	for e.at < len(e.names) {
		i := e.at
		e.at++
		if !e.stands(e.names[i]) {
			continue
		}
		if e.names[i].AsUtf16() != nil {
			return enumerated{name: l.textOf(e.names[i])}, again
		}
		var v goja.Value
		e.texts[i] = string(e.names[i])
		*pair(&v) = [2]unsafe.Pointer{l.operands.ascii, unsafe.Pointer(&e.texts[i])}
		return enumerated{name: v}, again
	}
	if e.at == len(e.names) {
		e.at++
		e.rest()
	}
	if len(e.more) == 0 {
		return enumerated{}, nil
	}
	v := e.more[0]
	e.more = e.more[1:]
	return enumerated{name: v}, again
}

// stands tells whether the object still has a property that for-in gives.
func (e *enumeration) stands(name unistring.String) bool {
	l := e.layout
	if _, ok := l.literal(e.object); ok {
		return true // which loses nothing
	}
	var v goja.Value
	if l.kind(e.object) == l.states.kind {
		v = l.baseOf(e.object).values[name]
	} else {
		own, data := methodOf[func(unsafe.Pointer, unistring.String) goja.Value](e.object, lazyGetOwnStr)
		v = own(data, name)
	}
	return v != nil && l.enumerable(v)
}

// rest looks at the prototypes once more, at the end.
func (e *enumeration) rest() {
	type keys = func(unsafe.Pointer, bool, []goja.Value) []goja.Value
	l := e.layout
	proto, data := methodOf[func(unsafe.Pointer) *goja.Object](e.object, lazyProto)
	o := proto(data)
	if l.silent(o) {
		return
	}
	list, data := methodOf[keys](e.object, lazyStringKeys)
	seen := map[string]bool{}
	see := func(names []goja.Value) {
		for _, name := range names {
			seen[name.String()] = true
		}
	}
	for _, name := range e.names {
		seen[name.String()] = true
	}
	see(list(data, true, nil))
	for ; o != nil; o = o.Prototype() {
		list, data := methodOf[keys](o, lazyStringKeys)
		for _, name := range list(data, false, nil) {
			if !seen[name.String()] {
				e.more = append(e.more, name)
			}
		}
		see(list(data, true, nil))
	}
}
