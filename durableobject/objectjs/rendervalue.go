package objectjs

import (
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
)

// renderer shows any value on one line: as JSON, where types that JSON lacks are named.
const renderer = `(v) => v === undefined ? "undefined" : JSON.stringify(v, (k, x) =>
	typeof x === "bigint" ? x + "n" :
	x instanceof Map ? { Map: [...x] } :
	x instanceof Set ? { Set: [...x] } :
	x instanceof RegExp ? String(x) :
	x instanceof Error ? x.name + ": " + x.message :
	x instanceof ArrayBuffer ? { ArrayBuffer: [...new Uint8Array(x)] } :
	ArrayBuffer.isView(x) && !(x instanceof DataView) ? { [x.constructor.name]: [...x].map(String) } : x)`

// RenderValue shows a value of an object's storage, given in V8's wire format, as JavaScript would.
func RenderValue(b []byte) (text string, err error) {
	vm := goja.New()
	v, err := structured.New(vm, structured.Options{}).Decode(b, structured.DecodeOptions{})
	if err != nil {
		return "", fmt.Errorf("decode a stored value: %w", err)
	}
	f, err := vm.RunString(renderer)
	if err != nil {
		return "", err
	}
	show, _ := goja.AssertFunction(f)
	out, err := show(nil, v)
	if err != nil {
		return "", fmt.Errorf("show a stored value: %w", err)
	}
	return out.String(), nil
}
