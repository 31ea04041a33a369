package wasm

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// errorClass is CompileError, LinkError or RuntimeError. They are native errors like those of the language.
type errorClass struct {
	s           *space
	constructor *goja.Object
	prototype   *goja.Object
}

func (s *space) errorClass(name string) *errorClass {
	e := &errorClass{s: s}
	base := s.rt.Get("Error").ToObject(s.rt)
	e.constructor = s.rt.ToValue(func(c goja.ConstructorCall) *goja.Object {
		obj, err := s.rt.New(base, c.Arguments...)
		if err != nil {
			panic(s.realm.ErrorValue(err))
		}
		_ = obj.SetPrototype(c.This.Prototype())
		// The constructor Error that scripts see may have left out the cause.
		if options, ok := c.Argument(1).(*goja.Object); ok && obj.Get("cause") == nil {
			if cause := options.Get("cause"); cause != nil {
				_ = obj.DefineDataProperty("cause", cause, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
			}
		}
		return obj
	}).(*goja.Object)
	_ = e.constructor.DefineDataProperty("name", s.rt.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = e.constructor.SetPrototype(base)
	e.prototype = e.constructor.Get("prototype").ToObject(s.rt)
	_ = e.prototype.SetPrototype(base.Get("prototype").ToObject(s.rt))
	for k, v := range map[string]string{"name": name, "message": ""} {
		_ = e.prototype.DefineDataProperty(k, s.rt.ToValue(v), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	return e
}

func (e *errorClass) make(message string) *goja.Object {
	obj, err := e.s.rt.New(e.constructor, e.s.rt.ToValue(message))
	if err != nil {
		panic(e.s.realm.ErrorValue(err))
	}
	return obj
}

func (e *errorClass) throw(message string) { panic(goja.Value(e.make(message))) }

// thrown carries what JavaScript threw (or what interrupted it) through wasm frames.
type thrown struct{ x any }

func (t *thrown) Error() string { return "JavaScript exception" }

// trapTexts are V8's texts of wazero's traps.
var trapTexts = map[string]string{
	"unreachable":                   "unreachable",
	"integer divide by zero":        "divide by zero",
	"integer overflow":              "divide result unrepresentable",
	"invalid conversion to integer": "float unrepresentable in integer range",
	"out of bounds memory access":   "memory access out of bounds",
	"invalid table access":          "table index is out of bounds",
	"indirect call type mismatch":   "null function or function signature mismatch",
	"unaligned atomic":              "operation does not support unaligned accesses",
	"expected shared memory":        "Atomics.wait cannot be called in this context",
	"null reference":                "dereferencing a null pointer",
	"uncaught exception":            "wasm exception",
}

// raise throws the JavaScript form of an error that a call into wasm returned. If the code was ended by the CPU limit
// it returns: the engine's own interrupt is pending.
func (s *space) raise(p *program, err error) {
	var t *thrown
	if errors.As(err, &t) {
		panic(t.x)
	}
	if s.stopped() {
		return
	}
	text := strings.TrimPrefix(err.Error(), "wasm error: ")
	text, stack, _ := strings.Cut(text, "\nwasm stack trace:\n")
	if strings.HasSuffix(text, "stack overflow") {
		s.realm.ThrowError("RangeError", "Maximum call stack size exceeded")
	}
	if i := strings.LastIndex(text, ": "); i >= 0 { // the trap was in a start function or a data segment
		text = text[i+2:]
	}
	if v, ok := trapTexts[text]; ok {
		text = v
	}
	e := s.runtimeError.make(text)
	s.addFrames(e, p, stack)
	panic(goja.Value(e))
}

// addFrames puts the wasm frames of a trap before the JavaScript frames of the error, in V8's form.
func (s *space) addFrames(e *goja.Object, p *program, stack string) {
	own := e.Get("stack")
	if own == nil || goja.IsUndefined(own) {
		return
	}
	head, rest, _ := strings.Cut(own.String(), "\n")
	var b strings.Builder
	b.WriteString(head)
	for line := range strings.SplitSeq(stack, "\n") {
		name, _, ok := strings.Cut(strings.TrimSpace(line), "(")
		name = strings.TrimPrefix(name, ".")
		if !ok || name == "h.f" {
			continue
		}
		place := "wasm-function"
		if n, found := strings.CutPrefix(name, "$"); found {
			place += "[" + n + "]"
			if i, err := strconv.Atoi(n); err == nil {
				name = p.names[i]
			}
		}
		place = "wasm://wasm/" + p.name + ":" + place
		if name == "" {
			b.WriteString("\n    at " + place)
		} else {
			b.WriteString("\n    at " + name + " (" + place + ")")
		}
	}
	if rest != "" {
		b.WriteString("\n" + rest)
	}
	_ = e.DefineDataProperty("stack", s.rt.ToValue(b.String()), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
