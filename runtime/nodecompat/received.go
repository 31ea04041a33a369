package nodecompat

import (
	"fmt"
	"math/big"
	"reflect"

	"eddy/runtime/engine/webidl"
	"github.com/dop251/goja"
)

var (
	numberTypeInt   = reflect.TypeFor[int64]()
	numberTypeFloat = reflect.TypeFor[float64]()
)

// received describes an argument of the wrong type, as Node does.
func received(v goja.Value) string {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return " Received " + v.String()
	}
	if obj, ok := v.(*goja.Object); ok {
		if _, isFunction := goja.AssertFunction(obj); isFunction {
			return " Received function " + obj.Get("name").String()
		}
		if c, ok := obj.Get("constructor").(*goja.Object); ok {
			return " Received an instance of " + c.Get("name").String()
		}
		return " Received [Object: null prototype] {}"
	}
	switch x := webidl.Primitive(v).(type) {
	case string:
		if len(x) > 25 {
			x = x[:25] + "..."
		}
		return fmt.Sprintf(" Received type string ('%s')", x)
	case bool:
		return fmt.Sprintf(" Received type boolean (%v)", x)
	case *big.Int:
		return fmt.Sprintf(" Received type bigint (%vn)", x)
	case int64, float64:
		return " Received type number (" + v.String() + ")"
	}
	return " Received type symbol (" + v.String() + ")"
}
