package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A name that no scope around it has is one of the global object's. goja asks each scope and then the object by the
// name's hash. Most scopes have no names, since nothing looks for them there, and the global object keeps what it has
// in a map, mostly in the slot where the same instruction found it before.

// globalName is a variable of that name, for a call too.
type globalName struct {
	goja   instruction
	layout *Layout
	name   unistring.String
	call   bool // undefined comes first, as what the function is called on
	seek   seek
}

func (g *globalName) wrapped() instruction { return g.goja }

func (g *globalName) exec(vm unsafe.Pointer) {
	l := g.layout
	v := g.held(vm)
	if v == nil {
		g.goja.exec(vm)
		return
	}
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	stack := l.room(vm, *sp+1)
	if g.call {
		stack[*sp] = goja.Undefined()
		*sp++
	}
	stack[*sp] = v
	*sp++
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// held is the value that the global object keeps; nil if goja must find out.
func (g *globalName) held(vm unsafe.Pointer) goja.Value {
	l := g.layout
	for s := *(**scopeMirror)(unsafe.Add(vm, l.regions.stash)); s != nil; s = (*scopeMirror)(s.outer) {
		if s.obj != nil {
			return nil
		}
		if s.names != nil {
			if _, has := (*(*map[unistring.String]uint32)(unsafe.Pointer(&s.names)))[g.name]; has {
				return nil
			}
		}
	}
	o := (*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))).GlobalObject()
	if l.keepers.of(l.kind(o)) != keepsFound {
		return nil
	}
	v, _ := g.seek.own(l.baseOf(o), g.name)
	if v == nil {
		return nil
	}
	v, _ = l.heldIn(o, v)
	return v
}
