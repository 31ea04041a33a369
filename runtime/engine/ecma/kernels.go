package ecma

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/kernel"
)

var elements = map[string]kernel.Element{
	"Int8Array": kernel.Int8, "Uint8Array": kernel.Uint8, "Int16Array": kernel.Int16, "Uint16Array": kernel.Uint16,
	"Int32Array": kernel.Int32, "Uint32Array": kernel.Uint32, "Float32Array": kernel.Float32,
	"Float64Array": kernel.Float64,
}

// shorten lets the functions of a program that are kernels run as such.
func shorten(prg *goja.Program, kernels []*kernel.Kernel) error {
	if len(kernels) == 0 {
		return nil
	}
	in, err := gojainternals.Read()
	if err != nil {
		return err
	}
	shortcuts := gojainternals.Shortcuts{}
	for _, k := range kernels {
		shortcuts.Add(k.Source, func(rt *goja.Runtime, arguments []goja.Value) (goja.Value, bool) {
			result, gives, ran := k.Call(func(n int) (kernel.Argument, bool) { return argument(in, arguments, n) },
				func() bool { return in.Interrupted(rt) })
			if gives {
				return rt.ToValue(result), ran
			}
			return goja.Undefined(), ran
		})
	}
	in.Shorten(prg, shortcuts)
	return nil
}

// argument is what a kernel gets of an argument; ok is false where goja must run the function.
func argument(in *gojainternals.Layout, list []goja.Value, n int) (a kernel.Argument, ok bool) {
	if n >= len(list) {
		return a, false
	}
	if o, is := list[n].(*goja.Object); is {
		name, bytes, ok := in.TypedMemory(o)
		return kernel.Argument{Element: elements[name], Bytes: bytes}, ok
	}
	switch v := list[n].Export().(type) {
	case int64:
		return kernel.Argument{Number: float64(v)}, true
	case float64:
		return kernel.Argument{Number: v}, true
	}
	return a, false
}
