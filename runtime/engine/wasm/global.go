package wasm

import (
	"fmt"
	"reflect"

	"github.com/dop251/goja"
	"github.com/tetratelabs/wazero/api"

	"eddy/runtime/engine/webidl"
)

// global is a WebAssembly.Global.
type global struct {
	s       *space
	src     source
	g       api.Global
	val     valType
	mutable bool
	obj     *goja.Object
	keep    []any
}

func (s *space) wrapGlobal(src source, val valType, mutable bool, keep any) *global {
	g := &global{s: s, src: src, g: src.mod.ExportedGlobal(src.name), val: val, mutable: mutable, keep: []any{keep}}
	g.obj = s.global.Wrap(g)
	return g
}

// newGlobal makes a global that holds v. The binary format has no constant for a reference other than null, so a global
// of a reference type is set after it was made; one that is not mutable is refused.
func (s *space) newGlobal(val valType, mutable bool, v goja.Value) *global {
	var bits uint64
	if v != nil {
		bits = s.toWasm(v, val)
	}
	mut := byte(0)
	if mutable {
		mut = 1
	}
	if bits != 0 && !mutable && (val == externref || val == funcref) {
		s.realm.ThrowType(
			"WebAssembly.Global(): constant globals that hold a reference are not supported; make it mutable")
	}
	mod, err := theEngine().small(binary(map[byte][]byte{
		6: counted(encode(func(w *writer) { w.byte(byte(val)); w.byte(mut); w.constant(val, bits) })),
		7: counted(exportOf("0", kindGlobal, 0)),
	}), nil)
	if err != nil {
		panic(fmt.Errorf("wasm: global: %w", err))
	}
	g := s.wrapGlobal(source{mod, "0"}, val, mutable, closing(mod))
	if val == externref || val == funcref {
		g.set(v)
	}
	return g
}

func (g *global) set(v goja.Value) {
	if v == nil || !g.mutable {
		return
	}
	if f, ok := functionOf(g.s.realm.State(v)); ok {
		g.keep = append(g.keep, f)
	}
	g.g.(api.MutableGlobal).Set(g.s.toWasm(v, g.val))
}

func (g *global) value() goja.Value {
	if g.val == v128 || g.val == typedRef {
		g.s.realm.ThrowType(
			"Can't get the value of %s WebAssembly.Global", map[valType]string{v128: "s128", typedRef: "ref"}[g.val])
	}
	saved := g.s.keeper
	g.s.keeper = g
	defer func() { g.s.keeper = saved }()
	return g.s.fromWasm(g.g.Get(), g.val)
}

func (s *space) defineGlobal() {
	s.global = s.realm.Define(webidl.Spec{
		Name: "Global", Tag: "WebAssembly.Global",
		Make: func(c *webidl.Call, proto *goja.Object) *goja.Object {
			d := s.descriptor(c, "Global", "a global descriptor")
			mutable := false
			if m := webidl.Option(d, "mutable"); m != nil {
				mutable = m.ToBoolean()
			}
			var val valType
			if t := webidl.Option(d, "value"); t != nil {
				for k, name := range valTypeNames {
					if name == t.String() && k != typedRef && k != v128 {
						val = k
					}
				}
			}
			if val == 0 {
				s.realm.ThrowType("WebAssembly.Global(): Descriptor property 'value' must be a WebAssembly type")
			}
			var v goja.Value
			if !c.Missing(1) || val == externref && len(c.Args) > 1 {
				v = c.Arg(1)
			}
			g := s.newGlobal(val, mutable, v)
			_ = g.obj.SetPrototype(proto)
			return g.obj
		},
		Members: []webidl.Member{
			webidl.Method("valueOf", func(g *global, c *webidl.Call) goja.Value { return g.value() }),
			webidl.Accessor("value", func(g *global, c *webidl.Call) goja.Value { return g.value() },
				func(g *global, c *webidl.Call, v goja.Value) {
					if !g.mutable {
						s.realm.ThrowType("set WebAssembly.Global.value: Can't set the value of an immutable global.")
					}
					g.set(v)
				}),
		},
	})
}

func isNumber(v goja.Value) bool {
	switch v.ExportType() {
	case reflect.TypeFor[int64](), reflect.TypeFor[float64]():
		_, isObj := v.(*goja.Object)
		return !isObj
	}
	return false
}

func isBigInt(v goja.Value) bool {
	_, isObj := v.(*goja.Object)
	t := v.ExportType()
	return !isObj && t != nil && t.String() == "*big.Int"
}
