package gojainternals

import (
	"slices"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// instanceOf is instanceof of a function that has no Symbol.hasInstance but the one of Function.prototype, which nobody
// can change: what its prototype is decides.
type instanceOf struct {
	goja   instruction
	layout *Layout
}

func (i *instanceOf) wrapped() instruction { return i.goja }

func (i *instanceOf) exec(vm unsafe.Pointer) {
	l := i.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	right := pair(&stack[*sp-1])
	if right[0] == l.quick.object {
		if yes, known := l.instance(stack[*sp-2], (*goja.Object)(right[1])); known {
			stack[*sp-2] = l.boolean(yes)
			*sp--
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	i.goja.exec(vm)
}

// longestChain is how many prototypes are looked at without a look for an interrupt.
const longestChain = 32

// instance tells whether an object is one of a function's; nothing is known, and nothing has happened, where a script
// might be asked.
func (l *Layout) instance(v goja.Value, of *goja.Object) (yes, known bool) {
	if !slices.Contains(l.classes, l.kind(of)) || !l.ordinaryInstances(of) {
		return false, false
	}
	own, data := methodOf[func(unsafe.Pointer, unistring.String) goja.Value](of, lazyGetOwnStr)
	prototype := own(data, "prototype")
	if p := pair(&prototype); p[0] == l.quick.accessor {
		m := (*propertyMirror)(p[1])
		if m.accessor {
			return false, false
		}
		prototype = m.value
	}
	wanted := pair(&prototype)
	if wanted[0] != l.quick.object {
		return false, false // for which goja may have an error
	}
	p := pair(&v)
	if p[0] != l.quick.object {
		return false, true
	}
	o := (*goja.Object)(p[1])
	for range longestChain {
		if o, known = l.above(o); !known || o == nil {
			return false, known
		}
		if unsafe.Pointer(o) == wanted[1] {
			return true, true
		}
	}
	return false, false
}

// above is the prototype of an object of a kind that is known, which runs no script.
func (l *Layout) above(o *goja.Object) (prototype *goja.Object, known bool) {
	if _, ok := l.literal(o); ok {
		return l.root(o), true
	}
	switch l.keepers.of(l.kind(o)) {
	case keepsElsewhere:
		return nil, false
	case keepsFound: // it may not have been made yet
		proto, data := methodOf[func(unsafe.Pointer) *goja.Object](o, lazyProto)
		return proto(data), true
	}
	return l.baseOf(o).prototype, true
}

// ordinaryInstances tells whether a function gets its Symbol.hasInstance from Function.prototype.
func (l *Layout) ordinaryInstances(of *goja.Object) bool {
	global := unsafe.Add(unsafe.Pointer(l.runtimeOf(of)), l.quick.global)
	functions := *(**goja.Object)(unsafe.Add(global, l.making.functions))
	if functions == nil {
		return false
	}
	for range longestChain {
		if of == functions {
			return true
		}
		if l.baseOf(of).symValues != nil || l.keepers.of(l.kind(of)) == keepsFound {
			own, data := methodOf[func(unsafe.Pointer, *goja.Symbol) goja.Value](of, lazyGetOwnSym)
			if own(data, goja.SymHasInstance) != nil {
				return false
			}
		}
		var known bool
		if of, known = l.above(of); !known || of == nil || l.keepers.of(l.kind(of)) == keepsElsewhere {
			return false
		}
	}
	return false
}

// readClasses finds the kinds of functions of whose prototypes instances are.
func (l *Layout) readClasses(r *reader) {
	for _, form := range []string{"(class {})", "(function () {})", "Map", "Error"} {
		o := r.object(form)
		if r.err != nil {
			return
		}
		r.beginsAsObject(o)
		l.classes = append(l.classes, l.kind(o))
	}
	l.classes = append(l.classes, unsafe.Pointer(&lightFunctions[lightFunction].table[0]))
}
