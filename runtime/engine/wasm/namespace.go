package wasm

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// Install puts the WebAssembly namespace on an isolate. Nothing is made before the script asks for it.
func Install(h *host.Host) {
	h.Lazy("WebAssembly", func() goja.Value { return of(h).namespace })
}

// Module makes the WebAssembly.Module of an imported file. It throws a CompileError that names the file, so it must be
// called from JavaScript.
func Module(h *host.Host, file string, code []byte) goja.Value {
	s := of(h)
	p, err := compile(code)
	if err != nil {
		s.compileError.throw(compileText("Module", err) + " (" + file + ")")
	}
	return s.module.Wrap(p)
}

// refusal is what the platform says of code that was not there when the Worker was deployed (RT5).
const refusal = "Wasm code generation disallowed by embedder"

func (s *space) define() {
	s.compileError, s.linkError, s.runtimeError = s.errorClass("CompileError"), s.errorClass("LinkError"),
		s.errorClass("RuntimeError")
	s.defineModule()
	s.defineInstance()
	s.defineMemory()
	s.defineTable()
	s.defineGlobal()
	ns := s.rt.NewObject()
	hidden := func(name string, v goja.Value) {
		_ = ns.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	for _, i := range []*webidl.Interface{s.module, s.instance, s.memory, s.table, s.global} {
		hidden(i.Name, i.Constructor)
	}
	hidden("CompileError", s.compileError.constructor)
	hidden("LinkError", s.linkError.constructor)
	hidden("RuntimeError", s.runtimeError.constructor)
	for name, f := range map[string]func(goja.FunctionCall) goja.Value{
		"compile": s.compileBytes, "validate": s.validate, "instantiate": s.instantiateAny,
	} {
		hidden(name, s.realm.Function(name, f))
	}
	_ = ns.DefineDataPropertySymbol(
		goja.SymToStringTag, s.rt.ToValue("WebAssembly"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	s.namespace = ns
}

// bytes is a BufferSource argument.
func (s *space) bytes(v goja.Value, method string) []byte {
	b, ok := s.realm.Bytes(v)
	if !ok {
		s.realm.ThrowType("WebAssembly.%s(): Argument 0 must be a buffer source", method)
	}
	return b
}

// fresh compiles bytes that the script made itself. That is allowed during start-up only, and only under its
// compatibility flag.
func (s *space) fresh(code []byte, method string) *program {
	if s.h.Loop.Scope() != nil || !s.h.Enabled("allow_eval_during_startup") {
		s.compileError.throw("WebAssembly." + method + "(): " + refusal)
	}
	p, err := compile(code)
	if err != nil {
		s.compileError.throw(compileText(method, err))
	}
	return p
}

func (s *space) compileBytes(fc goja.FunctionCall) goja.Value {
	return s.realm.Promised(func() goja.Value {
		return s.module.Wrap(s.fresh(s.bytes(fc.Argument(0), "compile"), "compile"))
	})
}

func (s *space) validate(fc goja.FunctionCall) goja.Value {
	_, err := compile(s.bytes(fc.Argument(0), "validate"))
	return s.rt.ToValue(err == nil)
}

func (s *space) instantiateAny(fc goja.FunctionCall) goja.Value {
	return s.realm.Promised(func() goja.Value {
		if p, ok := webidl.StateOf[*program](s.realm, fc.Argument(0)); ok {
			return s.instance.Wrap(s.instantiate(p, fc.Argument(1), "instantiate"))
		}
		if _, ok := s.realm.BufferView(fc.Argument(0)); !ok {
			s.realm.ThrowType("WebAssembly.instantiate(): Argument 0 must be a buffer source or a WebAssembly.Module")
		}
		p := s.fresh(s.bytes(fc.Argument(0), "instantiate"), "instantiate")
		res := s.rt.NewObject()
		_ = res.Set("module", s.module.Wrap(p))
		_ = res.Set("instance", s.instance.Wrap(s.instantiate(p, fc.Argument(1), "instantiate")))
		return res
	})
}

func (s *space) defineInstance() {
	s.instance = s.realm.Define(webidl.Spec{
		Name: "Instance", Tag: "WebAssembly.Instance",
		Make: func(c *webidl.Call, proto *goja.Object) *goja.Object {
			p, ok := webidl.StateOf[*program](s.realm, c.Arg(0))
			if !ok {
				s.realm.ThrowType("WebAssembly.Instance(): Argument 0 must be a WebAssembly.Module")
			}
			obj := s.instance.Wrap(s.instantiate(p, c.Arg(1), "Instance"))
			_ = obj.SetPrototype(proto)
			return obj
		},
		Members: []webidl.Member{
			webidl.Getter("exports", func(i *instance, c *webidl.Call) goja.Value { return i.exports }),
		},
	})
}

func (s *space) defineModule() {
	of := func(c *webidl.Call, method string) *program {
		p, ok := webidl.StateOf[*program](s.realm, c.Arg(0))
		if !ok {
			s.realm.ThrowType("WebAssembly.Module.%s(): Argument 0 must be a WebAssembly.Module", method)
		}
		return p
	}
	entry := func(fields ...string) goja.Value {
		o := s.rt.NewObject()
		for i := 0; i < len(fields); i += 2 {
			_ = o.Set(fields[i], fields[i+1])
		}
		return o
	}
	s.module = s.realm.Define(webidl.Spec{
		Name: "Module", Tag: "WebAssembly.Module",
		New: func(c *webidl.Call) any { return s.fresh(s.bytes(c.Arg(0), "Module"), "Module") },
		Members: []webidl.Member{
			webidl.Static("imports", func(c *webidl.Call) goja.Value {
				var list []any
				for _, e := range of(c, "imports").imports {
					list = append(list, entry("module", e.module, "name", e.name, "kind", kindNames[e.kind]))
				}
				return s.rt.NewArray(list...)
			}),
			webidl.Static("exports", func(c *webidl.Call) goja.Value {
				var list []any
				for _, e := range of(c, "exports").exports {
					list = append(list, entry("name", e.name, "kind", kindNames[e.kind]))
				}
				return s.rt.NewArray(list...)
			}),
			webidl.Static("customSections", func(c *webidl.Call) goja.Value {
				p := of(c, "customSections")
				if c.Missing(1) {
					s.realm.ThrowType("WebAssembly.Module.customSections(): Argument 1 is required")
				}
				name := c.String(1)
				var list []any
				for _, x := range p.custom {
					if x.name == name {
						list = append(list, s.realm.ArrayBuffer(append([]byte(nil), x.data...)))
					}
				}
				return s.rt.NewArray(list...)
			}),
		},
	})
}
