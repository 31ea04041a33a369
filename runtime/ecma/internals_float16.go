package ecma

import (
	"fmt"
	"math"
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
)

// A typed array of goja reads and writes its elements through an interface whose methods are unexported, so that no type
// of ours can implement it. The element type of Float16Array is therefore a copy of the method table of uint16Array in
// which the methods that interpret an element are ours; the store, its bounds and all algorithms stay goja's. A Proxy
// would be the alternative; every method of %TypedArray% and every Go function that takes a view would refuse it.

// numbers makes number values, for which ToValue needs nothing of a runtime.
var numbers goja.Runtime

func half(a *[]byte, i int) *uint16 {
	return (*uint16)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(*a)), i*2))
}

func halfGet(a *[]byte, i int) goja.Value    { return numbers.ToValue(float16(*half(a, i))) }
func halfSet(a *[]byte, i int, v goja.Value) { h := toFloat16(v.ToFloat()); *half(a, i) = h }
func halfToRaw(_ *[]byte, v goja.Value) uint64 {
	return uint64(toFloat16(v.ToFloat()))
}

// halfGetRaw serves searches only: both zeros are the same there, and all NaN.
func halfGetRaw(a *[]byte, i int) uint64 {
	switch h := *half(a, i); {
	case h == 0x8000:
		return 0
	case h&0x7fff > 0x7c00:
		return 0x7e00
	default:
		return uint64(h)
	}
}

func halfSetRaw(a *[]byte, i int, raw uint64) { *half(a, i) = uint16(raw) }

// halfMatch tells whether an element can equal v: a number that half precision holds exactly.
func halfMatch(_ *[]byte, v goja.Value) bool {
	if !goja.IsNumber(v) {
		return false
	}
	f := v.ToFloat()
	return f != f || float16(toFloat16(f)) == f
}

func halfLess(a *[]byte, i, j int) bool {
	x, y := float16(*half(a, i)), float16(*half(a, j))
	switch {
	case y != y:
		return x == x
	case x == 0 && y == 0:
		return math.Signbit(x) && !math.Signbit(y)
	}
	return x < y
}

var float16Store = sync.OnceValues(readFloat16Store)

// readFloat16Store returns the method table of the Float16Array element type. It lives as long as the process.
func readFloat16Store() ([]uintptr, error) {
	l, err := viewInternals()
	if err != nil {
		return nil, err
	}
	in, _ := internals()
	rt := goja.New()
	v, err := rt.RunString("new Uint16Array(2)")
	if err != nil {
		return nil, fmt.Errorf("ecma: probe of Uint16Array: %w", err)
	}
	probe := v.(*goja.Object)
	store := (*[2]unsafe.Pointer)(unsafe.Add(in.data(probe), l.typedStore))
	self, _ := selfOf(probe)
	concrete := reflect.NewAt(self.Elem(), in.data(probe)).Elem().FieldByName("typedArray").Elem().Type()
	return methodTable(l.storeType, concrete, store[0], map[string]any{
		"get": halfGet, "set": halfSet, "toRaw": halfToRaw, "getRaw": halfGetRaw, "setRaw": halfSetRaw, "typeMatch": halfMatch, "less": halfLess,
	})
}

// becomeFloat16 turns a new Uint16Array into a Float16Array.
func (l *viewLayout) becomeFloat16(in *layout, o, ctor *goja.Object, table []uintptr) {
	p := in.data(o)
	*(*unsafe.Pointer)(unsafe.Add(p, l.typedStore)) = unsafe.Pointer(&table[0])
	*(**goja.Object)(unsafe.Add(p, l.typedCtor)) = ctor
}
