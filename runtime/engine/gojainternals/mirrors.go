package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A mirror is a struct of ours that lies in memory as one of goja's does. Objects can be made with it by one allocation
// of a type that the compiler knows, without reflection. Read compares each with goja's, field by field.

// baseMirror is what all of goja's own objects begin with.
type baseMirror struct {
	class                           string
	val, prototype                  *goja.Object
	extensible                      bool
	values                          map[unistring.String]goja.Value
	propNames                       []unistring.String
	lastSortedPropLen, idxPropCount int
	symValues                       unsafe.Pointer
	privateElements                 unsafe.Pointer
}

// propertyMirror is a property with attributes.
type propertyMirror struct {
	value                                        goja.Value
	writable, configurable, enumerable, accessor bool
	getterFunc, setterFunc                       *goja.Object
}

type arrayMirror struct {
	baseObject               baseMirror
	values                   []goja.Value
	length                   uint32
	objCount, propValueCount int
	lengthProp               propertyMirror
}

// baseFunctionMirror is what all functions begin with.
type baseFunctionMirror struct {
	baseObject baseMirror
	lenProp    propertyMirror
}

// nativeMirror is a native function.
type nativeMirror struct {
	baseFunctionMirror
	f         func(goja.FunctionCall) goja.Value
	construct func([]goja.Value, *goja.Object) *goja.Object
}

// functionMirror is a function of JavaScript, a method without super too.
type functionMirror struct {
	baseObject     baseMirror
	lenProp        propertyMirror
	stash, privEnv unsafe.Pointer
	prg            *goja.Program
	src            string
	strict         bool
}

type arrowMirror struct {
	functionMirror
	funcObj   *goja.Object
	newTarget goja.Value
}

type methodMirror struct {
	functionMirror
	homeObject *goja.Object
}

// alike fails unless values of goja's type lie in memory as those of ours.
func (r *reader) alike(ours, goja reflect.Type) {
	if r.err != nil {
		return
	}
	a, b := leaves(ours, 0, nil), leaves(goja, 0, nil)
	if ours.Size() != goja.Size() || len(a) != len(b) {
		r.fail("%s has %d fields in %d bytes, expected %d in %d", goja, len(b), goja.Size(), len(a), ours.Size())
		return
	}
	for i := range a {
		if a[i].name != b[i].name || a[i].at != b[i].at || !sameForm(a[i].t, b[i].t) {
			r.fail("%s has a field %s %s at %d, expected %s %s at %d", goja, b[i].name, b[i].t, b[i].at,
				a[i].name, a[i].t, a[i].at)
			return
		}
	}
}

type leaf struct {
	name string
	at   uintptr
	t    reflect.Type
}

// leaves are the fields of a struct, those of structs within it too.
func leaves(t reflect.Type, at uintptr, list []leaf) []leaf {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type.Kind() == reflect.Struct {
			list = leaves(f.Type, at+f.Offset, list)
		} else {
			list = append(list, leaf{f.Name, at + f.Offset, f.Type})
		}
	}
	return list
}

func sameForm(ours, goja reflect.Type) bool {
	if ours.Kind() == reflect.UnsafePointer {
		return goja.Kind() == reflect.Pointer || goja.Kind() == reflect.Map || goja.Kind() == reflect.Func
	}
	return ours == goja || ours.Kind() == goja.Kind() && (ours.Kind() == reflect.Uint8 || ours.Kind() == reflect.Int)
}

// baseOf is what an object that goja implements begins with.
func (l *Layout) baseOf(o *goja.Object) *baseMirror { return (*baseMirror)(l.data(o)) }

// property makes a value of a property with attributes, as goja keeps it.
func (l *Layout) attributed(p *propertyMirror) (v goja.Value) {
	*pair(&v) = [2]unsafe.Pointer{l.quick.accessor, unsafe.Pointer(p)}
	return v
}

// sharedNames is a list of names that many objects have: goja copies a list that has this mark before it changes it.
func sharedNames(names ...unistring.String) []unistring.String {
	return append(append(make([]unistring.String, 0, len(names)+1), names...), copyMark)[:len(names)]
}

// copyMark stands behind the last name of such a list. It is goja's mark, at a place of its own: lists with goja's own
// are those that somebody goes over, and lose it in the end.
var copyMark = unistring.String(unsafe.String(&copyMarkText[0], len(copyMarkText)))

var copyMarkText = [...]byte{' '}
