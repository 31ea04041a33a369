package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// matchNames are the properties of what exec of a regular expression returns.
var matchNames = sharedNames("length", "index", "input", "groups")

// NewMatch makes what exec of a regular expression returns, with what the pattern and its groups have matched. The list
// becomes the array's.
func (l *Layout) NewMatch(rt *goja.Runtime, matched []goja.Value, index int, input, groups goja.Value) *goja.Object {
	o := l.lightArray(rt, matched)
	if o == nil { // goja makes the prototype of arrays with the first of them
		o = l.NewArray(rt, matched)
	}
	a := (*arrayMirror)(l.data(o))
	a.baseObject.values = map[unistring.String]goja.Value{"length": l.attributed(&a.lengthProp),
		"index": l.integer(int64(index)), "input": input, "groups": groups}
	a.baseObject.propNames = matchNames
	*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf)) = l.arrays.kind
	return o
}

// Parts are pieces of a text in ASCII, each from one place to the next one; undefined if they are below 0.
func (l *Layout) Parts(s string, places []int32) []goja.Value {
	values, texts := make([]goja.Value, len(places)/2), make([]string, len(places)/2)
	for i := range values {
		from, to := places[2*i], places[2*i+1]
		if from < 0 {
			values[i] = goja.Undefined()
			continue
		}
		texts[i] = s[from:to]
		*pair(&values[i]) = [2]unsafe.Pointer{l.operands.ascii, unsafe.Pointer(&texts[i])}
	}
	return values
}
