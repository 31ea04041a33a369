package gojainternals

import (
	"maps"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A lazy object is made when something first looks at it: until then it has a method table of ours, each method of
// which lets the object be made and hands the call to the object's own method. Who holds it sees no difference.

// lazyObject is an object that is not made yet. Those of one call of Lazy lie side by side.
type lazyObject struct {
	object goja.Object
	group  *lazyGroup
	index  int
}

type lazyGroup struct {
	layout    *Layout
	prototype *goja.Object
	fill      func(i int, o *goja.Object)
	// names are those of an object literal, of whose objects index is how many properties they have so far. The values
	// are behind the object. There is neither a prototype nor fill then, so that all runtimes share the group.
	names    []unistring.String
	worth    worth     // of making objects of the literal lazily
	controls controls  // those of names
	copied   lastNames // names as others share them
	// made makes goja's own object of one that is neither filled nor of a literal.
	made func(rt *goja.Runtime, z *lazyObject) *goja.Object
	// becomes is LaterObjects' argument.
	becomes func(i int) *goja.Object
}

// lazyHead gives lazy objects a type of their own: goja asks an object for its type where it wants the state of a
// built-in, and these have none.
type lazyHead interface{ lazy() }

func (*lazyObject) lazy() {}

type lazyFields struct {
	table     []uintptr
	literals  []uintptr // of objects of literals
	arguments []uintptr // of objects arguments
	slots     [lazyMethods]uintptr
	val       uintptr // of an implementation: the object that it is of
	// kind is what typeof says of an object of a literal, exported what it is to Go.
	kind     goja.String
	exported reflect.Type
}

// lazily is what Read has found. A method in a method table has no other way to it.
var lazily lazyFields

// Lazy makes n plain objects of a prototype that are filled when a script or Go first looks at them: fill gets the
// index and the object, which has no properties yet. It must not fail.
func (l *Layout) Lazy(rt *goja.Runtime, n int, prototype *goja.Object, fill func(i int, o *goja.Object)) []goja.Value {
	return l.lazyObjects(rt, n, &lazyGroup{layout: l, prototype: prototype, fill: fill})
}

// LazyOne is Lazy for one object.
func (l *Layout) LazyOne(rt *goja.Runtime, prototype *goja.Object, fill func(i int, o *goja.Object)) *goja.Object {
	m := &struct {
		z lazyObject
		g lazyGroup
	}{g: lazyGroup{layout: l, prototype: prototype, fill: fill}}
	m.z.group = &m.g
	l.become(rt, &m.z.object, unsafe.Pointer(&lazily.table[0]), unsafe.Pointer(&m.z))
	return &m.z.object
}

// LaterObjects makes n objects of any kind, functions as well, that become what becomes returns for their index when a
// script or Go first looks at them. Scripts may not hold what it returns, which is another object than the one here. It
// may run scripts. When it panics, as where a script is interrupted, the next look calls it again.
func (l *Layout) LaterObjects(rt *goja.Runtime, n int, becomes func(i int) *goja.Object) []*goja.Object {
	objects := make([]*goja.Object, n)
	for i, v := range l.lazyObjects(rt, n, &lazyGroup{layout: l, becomes: becomes}) {
		objects[i] = v.(*goja.Object)
	}
	return objects
}

func (l *Layout) lazyObjects(rt *goja.Runtime, n int, g *lazyGroup) []goja.Value {
	list, values := make([]lazyObject, n), make([]goja.Value, n)
	for i := range list {
		z := &list[i]
		z.group, z.index = g, i
		*(**goja.Runtime)(unsafe.Add(unsafe.Pointer(&z.object), polled.runtime)) = rt
		*(*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&z.object), l.objectSelf)) =
			[2]unsafe.Pointer{unsafe.Pointer(&lazily.table[0]), unsafe.Pointer(z)}
		values[i] = &z.object
	}
	return values
}

// Look makes an object that Lazy or LaterObjects has left for later, for what asks none of the object's methods.
func (l *Layout) Look(o *goja.Object) {
	if l.kind(o) == unsafe.Pointer(&lazily.table[0]) {
		o.ClassName()
	}
}

// woken is a method of what a lazy object has become, and the receiver for it.
func woken[F any](h unsafe.Pointer, method int) (F, unsafe.Pointer) {
	z := (*lazyObject)(h)
	if g := z.group; g != nil {
		l := g.layout
		rt := l.runtimeOf(&z.object)
		var fresh *goja.Object
		if g.becomes != nil {
			l.InJob(rt, func() { fresh = g.becomes(z.index) })
		}
		z.group = nil
		switch {
		case fresh != nil:
		case g.made != nil:
			fresh = g.made(rt, z)
		case g.names == nil:
			fresh = rt.CreateObject(g.prototype)
		default:
			fresh = l.unfolded(rt, z, g)
			g.worth.lost(z)
		}
		*(*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&z.object), l.objectSelf)) =
			*(*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(fresh), l.objectSelf))
		*(**goja.Object)(unsafe.Add(l.data(fresh), lazily.val)) = &z.object
		if g.fill != nil {
			l.InJob(rt, func() { g.fill(z.index, &z.object) }) // who looks may be between two calls of scripts
		}
	}
	return methodOf[F](&z.object, method)
}

// methodOf is a method of what is behind an object, and the receiver for it.
func methodOf[F any](o *goja.Object, method int) (F, unsafe.Pointer) {
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), polled.layout.objectSelf))
	slot := unsafe.Add(pair[0], lazily.slots[method]) // a function value is a pointer to the address of its code
	return *(*F)(unsafe.Pointer(&slot)), pair[1]
}

func (l *Layout) readLazy(r *reader) {
	probe := r.object("({})")
	_, iface := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil {
		return
	}
	concrete, _ := self(probe)
	if lazily.val, _ = r.field(concrete.Elem(), "val", reflect.TypeFor[*goja.Object]()); r.err != nil {
		return
	}
	ours := lazyTable()
	if iface.NumMethod() != len(ours) {
		r.fail("%s has %d methods, of which %d are known", iface, iface.NumMethod(), len(ours))
		return
	}
	functions := map[string]any{}
	for i, m := range ours {
		functions[m.name] = m.f
		for j := range iface.NumMethod() {
			if iface.Method(j).Name == m.name {
				lazily.slots[i] = uintptr(methodTableHead+j) * unsafe.Sizeof(uintptr(0))
			}
		}
	}
	if lazily.table, r.err = methodTable(iface, concrete, l.kind(probe), functions); r.err != nil {
		return
	}
	var head lazyHead = (*lazyObject)(nil)
	own := *(**[methodTableHead]uintptr)(unsafe.Pointer(&head))
	copy(lazily.table[1:methodTableHead], own[1:]) // the type and its hash
	all := maps.Clone(functions)
	maps.Copy(all, argumentMethods())
	if lazily.arguments, r.err = methodTable(iface, concrete, l.kind(probe), all); r.err != nil {
		return
	}
	copy(lazily.arguments[1:methodTableHead], own[1:])
	maps.Copy(functions, literalMethods(r))
	if lazily.literals, r.err = methodTable(iface, concrete, l.kind(probe), functions); r.err == nil {
		copy(lazily.literals[1:methodTableHead], own[1:])
	}
}

// implementation stands for what is behind an object, an interface.
type implementation struct{ _, _ unsafe.Pointer }

// The methods of an object, in the order of lazyTable.
const (
	lazyClassName = iota
	lazyTypeOf
	lazyGetStr
	lazyGetIdx
	lazyGetSym
	lazyGetOwnStr
	lazyGetOwnIdx
	lazyGetOwnSym
	lazySetOwnStr
	lazySetOwnIdx
	lazySetOwnSym
	lazySetForeignStr
	lazySetForeignIdx
	lazySetForeignSym
	lazyHasStr
	lazyHasIdx
	lazyHasSym
	lazyHasOwnStr
	lazyHasOwnIdx
	lazyHasOwnSym
	lazyDefineStr
	lazyDefineIdx
	lazyDefineSym
	lazyDeleteStr
	lazyDeleteIdx
	lazyDeleteSym
	lazyCallable
	lazyCall
	lazyConstructor
	lazyProto
	lazySetProto
	lazyHasInstance
	lazyExtensible
	lazyPrevent
	lazyExport
	lazyExportType
	lazyExportToMap
	lazyExportToList
	lazyEqual
	lazyIterateStrings
	lazyIterateSymbols
	lazyIterateKeys
	lazyStringKeys
	lazySymbols
	lazyKeys
	lazyPutProp
	lazyPutSym
	lazyPrivate
	lazySortLen
	lazySortGet
	lazySwap
	lazyMethods
)

type lazyMethod struct {
	name string
	f    any
}

// lazyTable has a function for each method of an object.
func lazyTable() [lazyMethods]lazyMethod {
	type (
		pointer = unsafe.Pointer
		name    = unistring.String
		value   = goja.Value
		symbol  = *goja.Symbol
		descr   = goja.PropertyDescriptor
	)
	return [lazyMethods]lazyMethod{
		lazyClassName: {"className", func(h pointer) string {
			f, o := woken[func(pointer) string](h, lazyClassName)
			return f(o)
		}},
		lazyTypeOf: {"typeOf", func(h pointer) goja.String {
			f, o := woken[func(pointer) goja.String](h, lazyTypeOf)
			return f(o)
		}},
		lazyGetStr: {"getStr", func(h pointer, p name, receiver value) value {
			f, o := woken[func(pointer, name, value) value](h, lazyGetStr)
			return f(o, p, receiver)
		}},
		lazyGetIdx: {"getIdx", func(h pointer, p int64, receiver value) value {
			f, o := woken[func(pointer, int64, value) value](h, lazyGetIdx)
			return f(o, p, receiver)
		}},
		lazyGetSym: {"getSym", func(h pointer, p symbol, receiver value) value {
			f, o := woken[func(pointer, symbol, value) value](h, lazyGetSym)
			return f(o, p, receiver)
		}},
		lazyGetOwnStr: {"getOwnPropStr", func(h pointer, p name) value {
			f, o := woken[func(pointer, name) value](h, lazyGetOwnStr)
			return f(o, p)
		}},
		lazyGetOwnIdx: {"getOwnPropIdx", func(h pointer, p int64) value {
			f, o := woken[func(pointer, int64) value](h, lazyGetOwnIdx)
			return f(o, p)
		}},
		lazyGetOwnSym: {"getOwnPropSym", func(h pointer, p symbol) value {
			f, o := woken[func(pointer, symbol) value](h, lazyGetOwnSym)
			return f(o, p)
		}},
		lazySetOwnStr: {"setOwnStr", func(h pointer, p name, v value, throw bool) bool {
			f, o := woken[func(pointer, name, value, bool) bool](h, lazySetOwnStr)
			return f(o, p, v, throw)
		}},
		lazySetOwnIdx: {"setOwnIdx", func(h pointer, p int64, v value, throw bool) bool {
			f, o := woken[func(pointer, int64, value, bool) bool](h, lazySetOwnIdx)
			return f(o, p, v, throw)
		}},
		lazySetOwnSym: {"setOwnSym", func(h pointer, p symbol, v value, throw bool) bool {
			f, o := woken[func(pointer, symbol, value, bool) bool](h, lazySetOwnSym)
			return f(o, p, v, throw)
		}},
		lazySetForeignStr: {"setForeignStr", func(h pointer, p name, v, receiver value, throw bool) (bool, bool) {
			f, o := woken[func(pointer, name, value, value, bool) (bool, bool)](h, lazySetForeignStr)
			return f(o, p, v, receiver, throw)
		}},
		lazySetForeignIdx: {"setForeignIdx", func(h pointer, p int64, v, receiver value, throw bool) (bool, bool) {
			f, o := woken[func(pointer, int64, value, value, bool) (bool, bool)](h, lazySetForeignIdx)
			return f(o, p, v, receiver, throw)
		}},
		lazySetForeignSym: {"setForeignSym", func(h pointer, p symbol, v, receiver value, throw bool) (bool, bool) {
			f, o := woken[func(pointer, symbol, value, value, bool) (bool, bool)](h, lazySetForeignSym)
			return f(o, p, v, receiver, throw)
		}},
		lazyHasStr: {"hasPropertyStr", func(h pointer, p name) bool {
			f, o := woken[func(pointer, name) bool](h, lazyHasStr)
			return f(o, p)
		}},
		lazyHasIdx: {"hasPropertyIdx", func(h pointer, p int64) bool {
			f, o := woken[func(pointer, int64) bool](h, lazyHasIdx)
			return f(o, p)
		}},
		lazyHasSym: {"hasPropertySym", func(h pointer, p symbol) bool {
			f, o := woken[func(pointer, symbol) bool](h, lazyHasSym)
			return f(o, p)
		}},
		lazyHasOwnStr: {"hasOwnPropertyStr", func(h pointer, p name) bool {
			f, o := woken[func(pointer, name) bool](h, lazyHasOwnStr)
			return f(o, p)
		}},
		lazyHasOwnIdx: {"hasOwnPropertyIdx", func(h pointer, p int64) bool {
			f, o := woken[func(pointer, int64) bool](h, lazyHasOwnIdx)
			return f(o, p)
		}},
		lazyHasOwnSym: {"hasOwnPropertySym", func(h pointer, p symbol) bool {
			f, o := woken[func(pointer, symbol) bool](h, lazyHasOwnSym)
			return f(o, p)
		}},
		lazyDefineStr: {"defineOwnPropertyStr", func(h pointer, p name, d descr, throw bool) bool {
			f, o := woken[func(pointer, name, descr, bool) bool](h, lazyDefineStr)
			return f(o, p, d, throw)
		}},
		lazyDefineIdx: {"defineOwnPropertyIdx", func(h pointer, p int64, d descr, throw bool) bool {
			f, o := woken[func(pointer, int64, descr, bool) bool](h, lazyDefineIdx)
			return f(o, p, d, throw)
		}},
		lazyDefineSym: {"defineOwnPropertySym", func(h pointer, p symbol, d descr, throw bool) bool {
			f, o := woken[func(pointer, symbol, descr, bool) bool](h, lazyDefineSym)
			return f(o, p, d, throw)
		}},
		lazyDeleteStr: {"deleteStr", func(h pointer, p name, throw bool) bool {
			f, o := woken[func(pointer, name, bool) bool](h, lazyDeleteStr)
			return f(o, p, throw)
		}},
		lazyDeleteIdx: {"deleteIdx", func(h pointer, p int64, throw bool) bool {
			f, o := woken[func(pointer, int64, bool) bool](h, lazyDeleteIdx)
			return f(o, p, throw)
		}},
		lazyDeleteSym: {"deleteSym", func(h pointer, p symbol, throw bool) bool {
			f, o := woken[func(pointer, symbol, bool) bool](h, lazyDeleteSym)
			return f(o, p, throw)
		}},
		lazyCallable: {"assertCallable", func(h pointer) (func(goja.FunctionCall) value, bool) {
			f, o := woken[func(pointer) (func(goja.FunctionCall) value, bool)](h, lazyCallable)
			return f(o)
		}},
		lazyCall: {"vmCall", func(h, vm pointer, n int) {
			f, o := woken[func(pointer, pointer, int)](h, lazyCall)
			f(o, vm, n)
		}},
		lazyConstructor: {"assertConstructor", func(h pointer) func([]value, *goja.Object) *goja.Object {
			f, o := woken[func(pointer) func([]value, *goja.Object) *goja.Object](h, lazyConstructor)
			return f(o)
		}},
		lazyProto: {"proto", func(h pointer) *goja.Object {
			f, o := woken[func(pointer) *goja.Object](h, lazyProto)
			return f(o)
		}},
		lazySetProto: {"setProto", func(h pointer, p *goja.Object, throw bool) bool {
			f, o := woken[func(pointer, *goja.Object, bool) bool](h, lazySetProto)
			return f(o, p, throw)
		}},
		lazyHasInstance: {"hasInstance", func(h pointer, v value) bool {
			f, o := woken[func(pointer, value) bool](h, lazyHasInstance)
			return f(o, v)
		}},
		lazyExtensible: {"isExtensible", func(h pointer) bool {
			f, o := woken[func(pointer) bool](h, lazyExtensible)
			return f(o)
		}},
		lazyPrevent: {"preventExtensions", func(h pointer, throw bool) bool {
			f, o := woken[func(pointer, bool) bool](h, lazyPrevent)
			return f(o, throw)
		}},
		lazyExport: {"export", func(h, ctx pointer) any {
			f, o := woken[func(pointer, pointer) any](h, lazyExport)
			return f(o, ctx)
		}},
		lazyExportType: {"exportType", func(h pointer) reflect.Type {
			f, o := woken[func(pointer) reflect.Type](h, lazyExportType)
			return f(o)
		}},
		lazyExportToMap: {"exportToMap", func(h pointer, to reflect.Value, t reflect.Type, ctx pointer) error {
			f, o := woken[func(pointer, reflect.Value, reflect.Type, pointer) error](h, lazyExportToMap)
			return f(o, to, t, ctx)
		}},
		lazyExportToList: {"exportToArrayOrSlice",
			func(h pointer, to reflect.Value, t reflect.Type, ctx pointer) error {
				f, o := woken[func(pointer, reflect.Value, reflect.Type, pointer) error](h, lazyExportToList)
				return f(o, to, t, ctx)
			}},
		lazyEqual: {"equal", func(h pointer, other implementation) bool {
			f, o := woken[func(pointer, implementation) bool](h, lazyEqual)
			return f(o, other)
		}},
		lazyIterateStrings: {"iterateStringKeys", func(h pointer) pointer {
			f, o := woken[func(pointer) pointer](h, lazyIterateStrings)
			return f(o)
		}},
		lazyIterateSymbols: {"iterateSymbols", func(h pointer) pointer {
			f, o := woken[func(pointer) pointer](h, lazyIterateSymbols)
			return f(o)
		}},
		lazyIterateKeys: {"iterateKeys", func(h pointer) pointer {
			f, o := woken[func(pointer) pointer](h, lazyIterateKeys)
			return f(o)
		}},
		lazyStringKeys: {"stringKeys", func(h pointer, all bool, list []value) []value {
			f, o := woken[func(pointer, bool, []value) []value](h, lazyStringKeys)
			return f(o, all, list)
		}},
		lazySymbols: {"symbols", func(h pointer, all bool, list []value) []value {
			f, o := woken[func(pointer, bool, []value) []value](h, lazySymbols)
			return f(o, all, list)
		}},
		lazyKeys: {"keys", func(h pointer, all bool, list []value) []value {
			f, o := woken[func(pointer, bool, []value) []value](h, lazyKeys)
			return f(o, all, list)
		}},
		lazyPutProp: {"_putProp", func(h pointer, p name, v value, writable, enumerable, configurable bool) value {
			f, o := woken[func(pointer, name, value, bool, bool, bool) value](h, lazyPutProp)
			return f(o, p, v, writable, enumerable, configurable)
		}},
		lazyPutSym: {"_putSym", func(h pointer, p symbol, v value) {
			f, o := woken[func(pointer, symbol, value)](h, lazyPutSym)
			f(o, p, v)
		}},
		lazyPrivate: {"getPrivateEnv", func(h, t pointer, create bool) pointer {
			f, o := woken[func(pointer, pointer, bool) pointer](h, lazyPrivate)
			return f(o, t, create)
		}},
		lazySortLen: {"sortLen", func(h pointer) int {
			f, o := woken[func(pointer) int](h, lazySortLen)
			return f(o)
		}},
		lazySortGet: {"sortGet", func(h pointer, i int) value {
			f, o := woken[func(pointer, int) value](h, lazySortGet)
			return f(o, i)
		}},
		lazySwap: {"swap", func(h pointer, i, j int) {
			f, o := woken[func(pointer, int, int)](h, lazySwap)
			f(o, i, j)
		}},
	}
}
