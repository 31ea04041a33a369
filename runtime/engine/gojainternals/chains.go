package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// What kinds of objects keep their properties in their map alone, so that a look at the map is a look at the object.

// keeping says what a look at the map of an object tells.
type keeping uint8

const (
	keepsElsewhere keeping = iota // nothing
	keepsAll                      // everything
	keepsNames                    // everything under a name that is neither a number nor length
	keepsFound                    // what is there; what is not there may yet be made
	keepsFunction                 // everything but prototype
	keepsWords                    // everything under a name that begins as a word does: no number is written like it
	keepsCalled                   // everything; it is a native function that call calls on the stack
)

// word tells whether a name begins with a small letter, which neither Infinity nor NaN nor any other number does. A
// typed array has goja make a number of each other name, and a text of that again.
func word(name string) bool { return name != "" && 'a' <= name[0] && name[0] <= 'z' }

// keepers are those kinds, each at a place that is made of its address, or behind it where that is taken: by which
// address a kind has would else depend on how the program was linked. Less than half of the places are taken.
type keepers [512]keeper

type keeper struct {
	kind  unsafe.Pointer
	keeps keeping
}

func keeperAt(kind unsafe.Pointer) uintptr {
	return uintptr(uint64(uintptr(kind)) * 0x9e3779b97f4a7c15 >> 55)
}

func (k *keepers) of(kind unsafe.Pointer) keeping {
	if e := &k[keeperAt(kind)]; e.kind == kind {
		return e.keeps
	}
	return k.place(kind).keeps
}

// place is where a kind is, or would be.
func (k *keepers) place(kind unsafe.Pointer) *keeper {
	for at := keeperAt(kind); ; at++ {
		if e := &k[at%uintptr(len(k))]; e.kind == kind || e.kind == nil {
			return e
		}
	}
}

// add leaves a kind that is known as it is.
func (k *keepers) add(kind unsafe.Pointer, keeps keeping) {
	if e := k.place(kind); e.kind == nil {
		*e = keeper{kind, keeps}
	}
}

func (l *Layout) readKeepers(r *reader) {
	for _, c := range []struct {
		keeps keeping
		forms []string
	}{
		{keepsAll, []string{"({})", "new Map", "new Set", "(class {})", "(() => {})", "({ m() {} }).m", "[].push",
			"(() => {}).bind()", "Promise.resolve()", "/x/", "new Date(0)", "new ArrayBuffer(1)",
			"new DataView(new ArrayBuffer(1))", "RegExp.prototype"}},
		{keepsNames, []string{"[]"}},
		{keepsFound, []string{"Object.prototype", "Array.prototype", "Function.prototype", "Math", "Map"}},
		{keepsFunction, []string{"(function () {})"}},
		{keepsWords, []string{"new Uint8Array"}},
	} {
		for _, form := range c.forms {
			o := r.object(form)
			if r.err != nil {
				return
			}
			r.beginsAsObject(o)
			l.keepers.add(l.kind(o), c.keeps)
		}
	}
	l.keepers.add(l.arrays.light, keepsNames)
	for i := range lightFunctions {
		f := &lightFunctions[i]
		l.keepers.add(unsafe.Pointer(&f.table[0]), l.keepers.of(f.native))
	}
	for i, table := range l.twins.tables {
		keeps := keepsAll
		if twins[i].owner == "Object.prototype" {
			keeps = keepsCalled
		}
		l.keepers.add(unsafe.Pointer(&table[0]), keeps)
	}
	l.keepers.add(unsafe.Pointer(&polled.kinds[0].table[0]), keepsFound)
	l.keepers.add(unsafe.Pointer(&l.states.table[0]), keepsAll)
}

// beginsAsObject fails unless the map and the prototype of an object are where they are in others.
func (r *reader) beginsAsObject(o *goja.Object) {
	t, _ := self(o)
	base := t.Elem()
	for base.NumField() > 0 && base.Field(0).Name != "class" && base.Field(0).Type.Kind() == reflect.Struct {
		base = base.Field(0).Type
	}
	r.alike(reflect.TypeFor[baseMirror](), base)
}
