package structured

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// maxLearned is up to how many names are looked at for the next object.
const maxLearned = 8

// plainObject reads an object. Mostly it has the names of the one before at its depth: then it is made as that of an
// object literal is, and gets its values one by one, since what it contains may refer to it.
func (d *Decoder) plainObject() *goja.Object {
	layout, vm, depth := d.codec.layout, d.codec.vm, d.depth
	shape := d.codec.shapes.At(depth)
	var obj *goja.Object
	if shape != nil {
		obj = layout.Begun(vm, shape)
	} else {
		obj = vm.NewObject()
	}
	d.register(obj)
	n, plain := 0, shape == nil
	for ; !d.ends(tagEndObject); n++ {
		name, ok := d.key()
		if !ok {
			if shape != nil {
				layout.End(obj)
				shape = nil
			}
			d.defineRaw(obj, d.ReadValue())
			continue
		}
		v := d.ReadValue()
		switch {
		case shape != nil && layout.Continue(obj, name, v):
			continue
		case shape != nil: // the object has its first properties, and is goja's from here on
			layout.End(obj)
			shape = nil
			fallthrough
		case !plain:
			define(obj, name, v)
		default:
			layout.Put(obj, name, v)
		}
	}
	d.expect(n)
	if shape != nil && layout.End(obj) {
		d.codec.shapes.Hit(depth)
	} else {
		var room [maxLearned]gojainternals.Name
		names := room[:0]
		if n <= maxLearned {
			if list, ok := layout.PlainNames(obj, names); ok {
				names = list
			}
		}
		d.codec.shapes.Learn(layout, depth, names)
	}
	return obj
}
