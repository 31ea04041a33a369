package ecma

import (
	"github.com/dop251/goja"
)

// installTypedArrayFrom mends %TypedArray%.from for strings, which goja refuses ("Value is not an object"): a string is
// made an array of its characters first. It is the usual way to turn what atob returns into bytes.
func (e *Engine) installTypedArrayFrom() error {
	typedArray := e.object("Uint8Array").Prototype()
	orig, ok := goja.AssertFunction(typedArray.Get("from"))
	if !ok {
		return nil
	}
	arrayFrom, _ := goja.AssertFunction(e.object("Array").Get("from"))
	e.method(typedArray, "from", 1, func(call goja.FunctionCall) goja.Value {
		args := call.Arguments
		if len(args) > 0 && goja.IsString(args[0]) {
			chars, err := arrayFrom(goja.Undefined(), args[0])
			if err != nil {
				panic(err)
			}
			args = append([]goja.Value{chars}, args[1:]...)
		}
		v, err := orig(call.This, args...)
		if err != nil {
			panic(err)
		}
		return v
	})
	return nil
}
