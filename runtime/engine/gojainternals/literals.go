package gojainternals

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// An object literal with a few properties whose names are known makes a lazy object that has its values behind it: one
// allocation in the place of goja's six with a map for eight. Most such objects are only read, sent or copied. What
// such a list of values does not do, goja's own object does, which the object becomes then. Who holds it sees no
// difference.

// maxLiteral is how many properties an object of a literal has at most.
const maxLiteral = 8

// The objects of literals by how many values they have room for, behind the object itself.
type (
	literal1 struct {
		lazyObject
		_ [1]goja.Value
	}
	literal2 struct {
		lazyObject
		_ [2]goja.Value
	}
	literal3 struct {
		lazyObject
		_ [3]goja.Value
	}
	literal4 struct {
		lazyObject
		_ [4]goja.Value
	}
	literal6 struct {
		lazyObject
		_ [6]goja.Value
	}
	literal8 struct {
		lazyObject
		_ [maxLiteral]goja.Value
	}
)

// worth weighs whether the objects of a literal shall be lazy. One that becomes goja's own costs a third more than if
// it had been so from the start, one that does not less than half: from half of them on it is not worth it. Runtimes
// share the programs, so it is counted atomically, for one object in eight, chosen by its address.
type worth struct {
	balance atomic.Int32
	none    atomic.Bool
}

const (
	mostWorth  = 64
	leastWorth = -32
)

func counted(z *lazyObject) bool {
	return uint64(uintptr(unsafe.Pointer(z)))>>4*0x9e3779b97f4a7c15>>61 == 0
}

func (w *worth) made(z *lazyObject) {
	if counted(z) && w.balance.Load() < mostWorth {
		w.balance.Add(1)
	}
}

func (w *worth) lost(z *lazyObject) {
	if counted(z) && w.balance.Add(-2) < leastWorth {
		w.none.Store(true)
	}
}

// literalOf makes an object for the properties of a group, without any.
func literalOf(g *lazyGroup) *lazyObject {
	var z *lazyObject
	switch n := len(g.names); {
	case n == 1:
		z = &new(literal1).lazyObject
	case n == 2:
		z = &new(literal2).lazyObject
	case n == 3:
		z = &new(literal3).lazyObject
	case n == 4:
		z = &new(literal4).lazyObject
	case n <= 6:
		z = &new(literal6).lazyObject
	default:
		z = &new(literal8).lazyObject
	}
	z.group = g
	return z
}

// value is the place of one of an object's values.
func (z *lazyObject) value(i int) *goja.Value {
	const head, size = unsafe.Sizeof(lazyObject{}), unsafe.Sizeof(goja.Value(nil))
	return (*goja.Value)(unsafe.Add(unsafe.Pointer(z), head+uintptr(i)*size))
}

// find is the place of the value of that name, nil if there is none.
func (z *lazyObject) find(name string) *goja.Value {
	for i, has := range z.group.names[:z.index] {
		if string(has) == name {
			return z.value(i)
		}
	}
	return nil
}

// literal is an object of a literal that is still one.
func (l *Layout) literal(o *goja.Object) (*lazyObject, bool) {
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	if pair[0] != unsafe.Pointer(&lazily.literals[0]) {
		return nil, false
	}
	return (*lazyObject)(pair[1]), true
}

// settled makes an object of a literal goja's own. Others stay as they are.
func (l *Layout) settled(o *goja.Object) {
	if z, ok := l.literal(o); ok {
		woken[func(unsafe.Pointer) string](unsafe.Pointer(z), lazyClassName)
	}
}

// unfolded is goja's own object with the properties of one of a literal, which loses its values.
func (l *Layout) unfolded(rt *goja.Runtime, z *lazyObject, g *lazyGroup) *goja.Object {
	o := l.plainObject(rt)
	b := l.baseOf(o)
	z.copyTo(b.values, g)
	clear(unsafe.Slice(z.value(0), z.index))
	names := g.names[:z.index]
	b.propNames = append(make([]unistring.String, 0, len(names)+1), names...)
	return o
}

// copyTo puts what an object of a group has into a map, which has nothing.
func (z *lazyObject) copyTo(to map[unistring.String]goja.Value, g *lazyGroup) {
	controls := g.controls.of(g.names)
	m := slotsOf(to)
	for i, name := range g.names[:z.index] {
		if v := *z.value(i); !m.put(i, name, controls[i], v) {
			to[name] = v
		}
	}
}

// sharedNames are the names of an object with n values as others share them.
func (g *lazyGroup) sharedNames(n int) []unistring.String { return g.copied.of(g.names[:n]) }

// root is Object.prototype of the runtime of an object.
func (l *Layout) root(o *goja.Object) *goja.Object {
	rt := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), polled.runtime))
	return *(**goja.Object)(unsafe.Add(rt, l.quick.global+l.plain.object))
}

// alive tells whether an object of a literal is still one. A caller may have got hold of the method table before the
// object became goja's own.
func alive(h unsafe.Pointer) (*lazyObject, bool) {
	z := (*lazyObject)(h)
	return z, z.group != nil
}

// literalMethods are the methods of objects of literals that leave them as they are. None of them may refer to a
// variable of this function: a method table has the address of the code alone.
func literalMethods(r *reader) map[string]any {
	type (
		pointer = unsafe.Pointer
		name    = unistring.String
		value   = goja.Value
		symbol  = *goja.Symbol
	)
	lazily.kind, _ = r.rt.ToValue("object").(goja.String)
	lazily.exported = r.rt.NewObject().ExportType()
	return map[string]any{
		"className":      func(pointer) string { return "Object" },
		"typeOf":         func(pointer) goja.String { return lazily.kind },
		"exportType":     func(pointer) reflect.Type { return lazily.exported },
		"equal":          func(pointer, implementation) bool { return false },
		"assertCallable": func(pointer) (func(goja.FunctionCall) value, bool) { return nil, false },
		"getStr": func(h pointer, p name, receiver value) value {
			z, ok := alive(h)
			if !ok {
				f, o := woken[func(pointer, name, value) value](h, lazyGetStr)
				return f(o, p, receiver)
			}
			if at := z.find(string(p)); at != nil {
				return *at
			}
			if receiver == nil {
				receiver = &z.object
			}
			f, o := methodOf[func(pointer, name, value) value](polled.layout.root(&z.object), lazyGetStr)
			return f(o, p, receiver)
		},
		"getSym": func(h pointer, p symbol, receiver value) value {
			z, ok := alive(h)
			if !ok {
				f, o := woken[func(pointer, symbol, value) value](h, lazyGetSym)
				return f(o, p, receiver)
			}
			if receiver == nil {
				receiver = &z.object
			}
			f, o := methodOf[func(pointer, symbol, value) value](polled.layout.root(&z.object), lazyGetSym)
			return f(o, p, receiver)
		},
		"getOwnPropStr": func(h pointer, p name) value {
			z, ok := alive(h)
			if !ok {
				f, o := woken[func(pointer, name) value](h, lazyGetOwnStr)
				return f(o, p)
			}
			if at := z.find(string(p)); at != nil {
				return *at
			}
			return nil
		},
		"hasOwnPropertyStr": func(h pointer, p name) bool {
			z, ok := alive(h)
			if !ok {
				f, o := woken[func(pointer, name) bool](h, lazyHasOwnStr)
				return f(o, p)
			}
			return z.find(string(p)) != nil
		},
		"setOwnStr": func(h pointer, p name, v value, throw bool) bool {
			if z, ok := alive(h); ok {
				if at := z.find(string(p)); at != nil {
					*at = v
					return true
				}
			}
			f, o := woken[func(pointer, name, value, bool) bool](h, lazySetOwnStr)
			return f(o, p, v, throw)
		},
		"proto": func(h pointer) *goja.Object {
			z, ok := alive(h)
			if !ok {
				f, o := woken[func(pointer) *goja.Object](h, lazyProto)
				return f(o)
			}
			return polled.layout.root(&z.object)
		},
		"stringKeys": func(h pointer, all bool, list []value) []value {
			z, ok := alive(h)
			if !ok {
				f, o := woken[func(pointer, bool, []value) []value](h, lazyStringKeys)
				return f(o, all, list)
			}
			for _, name := range z.group.names[:z.index] {
				list = append(list, polled.layout.ASCII(string(name)))
			}
			return list
		},
	}
}

// newLiteral begins an object literal.
type newLiteral struct {
	goja   instruction
	layout *Layout
	group  *lazyGroup
}

func (n *newLiteral) wrapped() instruction { return n.goja }

func (n *newLiteral) exec(vm unsafe.Pointer) {
	l := n.layout
	if n.group.worth.none.Load() {
		n.goja.exec(vm)
		return
	}
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	stack := l.stackFor(vm, *sp)
	z := literalOf(n.group)
	n.group.worth.made(z)
	rt := *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
	*(**goja.Runtime)(unsafe.Add(unsafe.Pointer(&z.object), polled.runtime)) = rt
	*(*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&z.object), l.objectSelf)) =
		[2]unsafe.Pointer{unsafe.Pointer(&lazily.literals[0]), unsafe.Pointer(z)}
	stack[*sp] = &z.object
	*sp++
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// putLiteral gives an object literal its next property.
type putLiteral struct {
	goja   instruction
	layout *Layout
	group  *lazyGroup
	index  int
}

func (p *putLiteral) wrapped() instruction { return p.goja }

func (p *putLiteral) exec(vm unsafe.Pointer) {
	l := p.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	if of := pair(&stack[*sp-2]); of[0] == l.quick.object {
		z, ok := l.literal((*goja.Object)(of[1]))
		if v := stack[*sp-1]; ok && z.group == p.group && z.index == p.index && v != nil {
			*z.value(p.index) = v
			z.index++
			*sp--
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	p.goja.exec(vm)
}

// literalAt puts ours in the place of what makes the object of a literal, if it can tell the properties.
func (l *Layout) literalAt(code []instruction, i int) {
	puts, ok := propertiesOf(code, i)
	if !ok {
		return
	}
	g := &lazyGroup{layout: l}
	for _, at := range puts {
		g.names = append(g.names, unistring.String(reflect.ValueOf(unwrapped(code[at])).String()))
	}
	code[i] = &newLiteral{goja: code[i], layout: l, group: g}
	for k, at := range puts {
		code[at] = &putLiteral{goja: code[at], layout: l, group: g, index: k}
	}
}

// longestLiteral is how many instructions of a literal are looked at.
const longestLiteral = 256

// propertiesOf are the instructions that give an object literal its properties, if it has nothing else. They are
// found by how many values each instruction puts on the stack. That is a guess for the good: what comes otherwise makes
// the object goja's own.
func propertiesOf(code []instruction, from int) (puts []int, ok bool) {
	names := map[string]bool{}
	for i, depth := from+1, 1; i < len(code) && i-from < longestLiteral && depth > 0; i++ {
		in := unwrapped(code[i])
		name := traitsOf(in).name
		if name == "putProp" && depth == 2 {
			property := reflect.ValueOf(in).String()
			if !literalName(property) || names[property] || len(puts) == maxLiteral {
				return nil, false
			}
			names[property] = true
			puts = append(puts, i)
		}
		effect, known := effectOf(in, name)
		if !known {
			if depth > 1 || endsLiteral[name] {
				return nil, false
			}
			break // what comes behind a literal
		}
		depth += effect
	}
	return puts, len(puts) > 0
}

// literalName tells whether a property's name is one that goja neither sorts nor keeps as UTF-16.
func literalName(name string) bool {
	if name == "" || name == "__proto__" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		if name[i] >= 0x80 {
			return false
		}
	}
	return true
}

// endsLiteral are the instructions of object literals that do not come behind a value.
var endsLiteral = map[string]bool{
	"_copySpread": true, "_setProto": true, "defineMethodKeyed": true, "defineGetterKeyed": true,
	"defineSetterKeyed": true, "newMethod": true, "newAsyncMethod": true, "newGeneratorMethod": true,
}

// effects are how many values instructions put on the stack that are frequent in literals.
var effects = map[string]int{
	"loadVal": 1, "_loadUndef": 1, "loadStack": 1, "loadStack1": 1, "loadStackLex": 1, "loadStack1Lex": 1,
	"loadStash": 1, "loadStashLex": 1, "loadMixed": 1, "loadMixedLex": 1, "loadMixedStack": 1, "loadMixedStack1": 1,
	"loadMixedStackLex": 1, "loadMixedStack1Lex": 1, "loadDynamic": 1, "_loadGlobalObject": 1, "loadThisStash": 1,
	"loadThisStack": 1, "_newObject": 1, "newArray": 1, "newFunc": 1, "newAsyncFunc": 1, "newGeneratorFunc": 1,
	"newArrowFunc": 1, "loadDynamicCallee": 2, "newAsyncArrowFunc": 1, "newRegexp": 1, "_dup": 1, "getPropCallee": 1,
	"getProp": 0, "_toNumber": 0, "_neg": 0, "_plus": 0, "_not": 0, "_typeof": 0, "_inc": 0, "_dec": 0, "_bnot": 0,
	"_toString": 0, "_toPropertyKey": 0, "_getElemCallee": 0, "_checkObjectCoercible": 0,
	"_add": -1, "_sub": -1, "_mul": -1, "_div": -1, "_mod": -1, "_exp": -1, "_and": -1, "_or": -1, "_xor": -1,
	"_sal": -1, "_sar": -1, "_shr": -1, "_op_lt": -1, "_op_lte": -1, "_op_gt": -1, "_op_gte": -1, "_op_eq": -1,
	"_op_neq": -1, "_op_strict_eq": -1, "_op_strict_neq": -1, "_op_instanceof": -1, "_op_in": -1, "_getElem": -1,
	"_pushArrayItem": -1, "putProp": -1,
}

func effectOf(in instruction, name string) (n int, known bool) {
	switch name {
	case "call":
		return -int(reflect.ValueOf(in).Uint()) - 1, true
	case "_new":
		return -int(reflect.ValueOf(in).Uint()), true
	case "concatStrings":
		return 1 - int(reflect.ValueOf(in).Int()), true
	case "":
		name = reflect.TypeOf(in).Elem().Name()
	}
	n, known = effects[name]
	return n, known
}
