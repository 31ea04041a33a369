package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// computedProperty puts a property under a computed name into a literal. goja assigns it, which for the name __proto__
// sets the prototype; the language defines it.
type computedProperty struct {
	goja   instruction
	layout *Layout
	named  bool // the value is a function that has its name from here
}

func (c *computedProperty) wrapped() instruction { return c.goja }

func (c *computedProperty) exec(vm unsafe.Pointer) {
	const proto = "__proto__"
	l := c.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	key, ok := stack[*sp-2].(goja.String)
	if !ok || key.Length() != len(proto) || key.String() != proto {
		c.goja.exec(vm)
		return
	}
	o, value := stack[*sp-3].(*goja.Object), stack[*sp-1]
	err := o.DefineDataProperty(proto, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	if f, ok := value.(*goja.Object); ok && c.named && err == nil {
		err = f.DefineDataProperty("name", key, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	if err != nil {
		panic(err)
	}
	*sp -= 2
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}
