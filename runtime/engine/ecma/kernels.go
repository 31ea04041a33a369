package ecma

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/kernel"
)

var elements = map[string]kernel.Element{
	"Int8Array": kernel.Int8, "Uint8Array": kernel.Uint8, "Int16Array": kernel.Int16, "Uint16Array": kernel.Uint16,
	"Int32Array": kernel.Int32, "Uint32Array": kernel.Uint32, "Float32Array": kernel.Float32,
	"Float64Array": kernel.Float64, "Uint8ClampedArray": kernel.Clamped,
}

// shorten lets the kernels of a program run as such.
func shorten(prg *goja.Program, kernels []*kernel.Kernel) error {
	if len(kernels) == 0 {
		return nil
	}
	in, err := gojainternals.Read()
	if err != nil {
		return err
	}
	hooks := make([]gojainternals.RegionHook, len(kernels))
	for i, k := range kernels {
		hooks[i] = gojainternals.RegionHook{Armed: k.Armed(),
			Run: func(r *gojainternals.Region) (gojainternals.RegionEnd, goja.Value) { return runKernel(in, k, r) }}
	}
	in.SetRegions(prg, kernel.Mark, hooks)
	in.BeforeRunning(prg, func(rt *goja.Runtime) { natureOf(rt) })
	return nil
}

func runKernel(in *gojainternals.Layout, k *kernel.Kernel, r *gojainternals.Region) (
	gojainternals.RegionEnd, goja.Value) {
	f := kernelFrame{Region: r, in: in}
	switch out := k.Run(&f); out.Outcome {
	case kernel.Ran:
		return gojainternals.RegionDone, nil
	case kernel.Returned:
		return gojainternals.RegionReturn, out.Value
	case kernel.Exited:
		return gojainternals.RegionExit + gojainternals.RegionEnd(out.Exit), nil
	case kernel.Stopped:
		in.RaiseInterrupt(r.Runtime)
		panic("ecma: a kernel was stopped and there is no interrupt")
	case kernel.Threw:
		r.At(out.Throw.At)
		view := out.View.(*goja.Object)
		method, _ := goja.AssertFunction(view.Get(out.Throw.Method))
		offset, last := r.Runtime.ToValue(out.Offset), r.Runtime.ToValue(out.Throw.Little)
		args := []goja.Value{offset, last}
		switch {
		case out.Source != nil:
			args = []goja.Value{out.Source, offset}
		case strings.HasPrefix(out.Throw.Method, "set"):
			args = []goja.Value{offset, offset, last}
		}
		_, err := method(view, args...)
		panic(err)
	}
	return gojainternals.RegionBegin, nil
}

// kernelFrame is where a kernel runs.
type kernelFrame struct {
	*gojainternals.Region
	in     *gojainternals.Layout
	nature *nature
}

func (f *kernelFrame) own() *nature {
	if f.nature == nil {
		f.nature = natureOf(f.Runtime)
	}
	return f.nature
}

func (f *kernelFrame) Array(o *goja.Object) (kernel.Element, []byte, bool) {
	if name, bytes, ok := f.in.TypedMemory(o); ok {
		e := elements[name]
		return e, bytes, e != 0
	}
	bytes, ok := f.in.ViewMemory(o)
	return kernel.View, bytes, ok
}

func (f *kernelFrame) Text(v goja.Value) (kernel.Element, []byte, bool) {
	bytes, wide, ok := f.in.TextMemory(v)
	if wide {
		return kernel.Units, bytes, ok
	}
	return kernel.Bytes, bytes, ok
}

func (f *kernelFrame) Texts() bool {
	n := f.own()
	return n.charCodeAt != nil && f.in.TextMethod(f.Runtime, "charCodeAt") == n.charCodeAt
}

func (f *kernelFrame) Lengths(o *goja.Object) bool {
	at, getter, ok := f.in.Found(o, "length")
	n := f.own()
	return ok && at == n.lengths && getter == n.length
}

func (f *kernelFrame) Fills(o *goja.Object, name string) bool {
	at, v, ok := f.in.Found(o, name)
	n := f.own()
	return ok && at == n.lengths && v == n.arrayMethods[name]
}

func (f *kernelFrame) Methods(o *goja.Object, name string) bool {
	at, v, ok := f.in.Found(o, name)
	n := f.own()
	return ok && at == n.views && v == n.viewMethods[name]
}

func (f *kernelFrame) List(o *goja.Object) ([]goja.Value, bool) {
	if list, ok := f.in.Elements(o); ok && f.in.PlainElements(o, list) {
		return list, true
	}
	return nil, false
}

func (f *kernelFrame) Names(o *goja.Object) (names []string, ok bool) {
	list, ok := f.in.PlainNames(o, nil)
	for _, name := range list {
		names = append(names, string(name))
	}
	return names, ok
}

func (f *kernelFrame) Field(o *goja.Object, name string) goja.Value {
	return f.in.PlainValue(o, gojainternals.Name(name))
}

func (f *kernelFrame) Same(a, b []goja.Value) bool { return f.in.SameValues(a, b) }

func (f *kernelFrame) Property(o *goja.Object, name string) (goja.Value, bool) {
	if v, own := f.in.PlainProperty(o, name); own {
		return v, true
	}
	return f.in.Inherited(o, name), false
}

func (f *kernelFrame) SetProperty(o *goja.Object, name string, v goja.Value) {
	f.in.SetPlainProperty(o, name, v)
}

func (f *kernelFrame) Made(v goja.Value, source string, free bool) bool {
	return f.MadeFrom(v, source, free)
}

func (f *kernelFrame) Math(names []string) bool {
	n := f.own()
	_, math, ok := f.in.Found(f.Runtime.GlobalObject(), "Math")
	if !ok || math != n.math {
		return false
	}
	for _, name := range names {
		if _, now, ok := f.in.Found(n.math, name); !ok || now != n.mathFunctions[name] {
			return false
		}
	}
	return true
}

func (f *kernelFrame) Integer(v goja.Value) (int64, bool) { return f.in.Integer(v) }

func (f *kernelFrame) Float(v goja.Value) (float64, bool) { return f.in.Float(v) }

func (f *kernelFrame) Whole(n int64) goja.Value { return f.in.Number(n) }

func (f *kernelFrame) Value(x float64) goja.Value { return f.Runtime.ToValue(x) }

func (f *kernelFrame) Interrupted() bool { return f.in.Interrupted(f.Runtime) }

// nature is what the built-ins of a runtime are before its script runs.
type nature struct {
	math          *goja.Object
	mathFunctions map[string]goja.Value
	lengths       *goja.Object // the prototype that has length
	length        goja.Value   // its getter
	arrayMethods  map[string]goja.Value
	views         *goja.Object // DataView's prototype
	viewMethods   map[string]goja.Value
	charCodeAt    goja.Value
}

// natureOf is what the first script of rt has noted. The engine keeps it: a map of the process, even by weak pointers
// to runtimes, would keep every runtime, since the values refer to it. Without an engine nothing is known of the
// built-ins.
func natureOf(rt *goja.Runtime) *nature {
	e := engines.Of(rt)
	if e == nil {
		return &nature{}
	}
	if e.nature == nil {
		e.nature = readNature(e.in, rt)
	}
	return e.nature
}

func readNature(in *gojainternals.Layout, rt *goja.Runtime) *nature {
	n := &nature{mathFunctions: map[string]goja.Value{}, arrayMethods: map[string]goja.Value{},
		viewMethods: map[string]goja.Value{}}
	n.charCodeAt = in.TextMethod(rt, "charCodeAt")
	if o, ok := rt.Get("Math").(*goja.Object); ok {
		n.math = o
		for _, name := range kernel.MathFunctions() {
			n.mathFunctions[name] = o.Get(name)
		}
	}
	if c, ok := rt.Get("DataView").(*goja.Object); ok {
		if o, ok := c.Get("prototype").(*goja.Object); ok {
			n.views = o
			for _, name := range kernel.ViewMethods() {
				n.viewMethods[name] = o.Get(name) // goja makes such a property when somebody asks for it
			}
		}
	}
	if c, ok := rt.Get("Uint8Array").(*goja.Object); ok {
		if o, ok := c.Get("prototype").(*goja.Object); ok {
			object := rt.Get("Object").ToObject(rt)
			if describe, ok := goja.AssertFunction(object.Get("getOwnPropertyDescriptor")); ok {
				// goja makes such a property when somebody asks for it
				_, _ = describe(object, o.Prototype(), rt.ToValue("length"))
				for _, name := range kernel.ArrayMethods() {
					_, _ = describe(object, o.Prototype(), rt.ToValue(name))
				}
			}
			n.lengths, n.length, _ = in.Found(o, "length")
			for _, name := range kernel.ArrayMethods() {
				if at, v, ok := in.Found(o, name); ok && at == n.lengths {
					n.arrayMethods[name] = v
				}
			}
		}
	}
	return n
}
