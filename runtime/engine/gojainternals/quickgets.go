package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Most look-ups of a property find it where the same instruction found it before: in the same slot of a map, or at the
// same place among the values of a literal, under a name that lies at the same address. That is looked at first, before
// anything is asked about the kind of the object.

// direct is a value that a plain object, or one of a literal, has itself where the last one had it; nil if that must be
// found out.
func (s *seek) direct(l *Layout, o *goja.Object, name unistring.String) goja.Value {
	if s.inherits.Load() {
		return nil
	}
	self := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	switch self[0] {
	case l.states.kind:
		at := slotAt((*baseMirror)(self[1]).values, s.slot.Load(), name)
		if at == nil {
			return nil
		}
		v, _ := l.heldIn(o, *at)
		return v
	case unsafe.Pointer(&lazily.literals[0]):
		z := (*lazyObject)(self[1])
		i := int(s.index.Load())
		if i < z.index && sameName(z.group.names[i], name) {
			return *z.value(i)
		}
		for i, has := range z.group.names[:z.index] {
			if sameName(has, name) {
				s.index.Store(uint32(i))
				return *z.value(i)
			}
		}
	}
	return nil
}
