package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// A pattern with a rest (const { a, ...rest } = o) takes apart an object of goja's own, which notes the keys that it is
// asked for and asks o. goja lets a getter of o have that object as its this: it is no Map or Request, and what the
// getter reads of it would lack in the rest. A getter is called on o itself.

// apartFields says where such an object keeps what is taken apart.
type apartFields struct {
	apart   unsafe.Pointer // the kind
	wrapped uintptr
}

func (l *Layout) readApart(r *reader) {
	probe := r.object(`(() => {
		let seen;
		const { a, ...rest } = { get a() { seen = this } };
		return seen;
	})()`)
	if r.err != nil {
		return
	}
	t, _ := self(probe)
	l.quick.apart = l.kind(probe)
	l.quick.wrapped, _ = r.field(t.Elem(), "wrapped", reflect.TypeFor[goja.Value]())
}

// takenApart is the receiver of a look-up in o: what a pattern takes apart if o is the object that notes its keys.
func (l *Layout) takenApart(o *goja.Object, receiver goja.Value) goja.Value {
	if l.kind(o) != l.quick.apart {
		return receiver
	}
	return *(*goja.Value)(unsafe.Add(l.data(o), l.quick.wrapped))
}
