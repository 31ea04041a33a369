package wasm

import (
	"math"
	"math/big"

	"eddy/runtime/engine/webidl"
	"github.com/dop251/goja"
)

// toWasm converts a JavaScript value to the bits of type t
// (https://webassembly.github.io/spec/js-api/#towebassemblyvalue).
func (s *space) toWasm(v goja.Value, t valType) uint64 {
	switch t {
	case i32:
		f := v.ToNumber().ToFloat()
		if n := int32(f); float64(n) == f {
			return uint64(uint32(n))
		}
		return uint64(toInt32(f))
	case f64:
		return math.Float64bits(v.ToNumber().ToFloat())
	case f32:
		return f32Bits(v.ToNumber().ToFloat())
	case i64:
		return s.toInt64(v)
	case externref:
		return s.handles.of(v)
	case funcref:
		if goja.IsNull(v) {
			return 0
		}
		f, ok := functionOf(s.realm.State(v))
		if !ok {
			s.realm.ThrowType("type incompatibility when transforming from/to JS")
		}
		return s.reference(f)
	}
	s.realm.ThrowType("type incompatibility when transforming from/to JS")
	return 0
}

func toInt32(f float64) uint32 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	f = math.Mod(math.Trunc(f), 1<<32)
	return uint32(int64(f))
}

var mask64 = new(big.Int).SetUint64(math.MaxUint64)

func (s *space) toInt64(v goja.Value) uint64 {
	if b, ok := webidl.Primitive(v).(*big.Int); ok {
		return bigBits(b)
	}
	switch webidl.Primitive(v).(type) {
	case bool, string:
		b, err := s.bigInt(goja.Undefined(), v)
		if err != nil {
			panic(s.realm.ErrorValue(err))
		}
		return bigBits(b.Export().(*big.Int))
	}
	if obj, ok := v.(*goja.Object); ok {
		// The standard asks for ToPrimitive, then for the same conversion again. The function BigInt does both, but it
		// takes numbers too.
		return s.toInt64(obj.ToString())
	}
	panic(goja.Value(s.realm.NewError("TypeError", "Cannot convert "+v.String()+" to a BigInt")))
}

func bigBits(b *big.Int) uint64 {
	if b.IsInt64() {
		return uint64(b.Int64())
	}
	return new(big.Int).And(b, mask64).Uint64()
}

// fromWasm converts bits of type t to a JavaScript value.
func (s *space) fromWasm(bits uint64, t valType) goja.Value {
	switch t {
	case i32:
		return s.rt.ToValue(int64(int32(bits)))
	case f64:
		return s.rt.ToValue(math.Float64frombits(bits))
	case f32:
		return s.rt.ToValue(float64(math.Float32frombits(uint32(bits))))
	case i64:
		return s.rt.ToValue(big.NewInt(int64(bits)))
	case externref:
		return s.handles.value(bits)
	case funcref:
		return s.functionOfReference(bits)
	}
	s.realm.ThrowType("type incompatibility when transforming from/to JS")
	return nil
}

// results converts what a function left: nothing, one value or an array.
func (s *space) results(stack []uint64, types []valType) goja.Value {
	switch len(types) {
	case 0:
		return goja.Undefined()
	case 1:
		return s.fromWasm(stack[0], types[0])
	}
	list := make([]any, len(types))
	for i, t := range types {
		list[i] = s.fromWasm(stack[i], t)
	}
	return s.rt.NewArray(list...)
}

// store puts what a JavaScript function returned where wasm takes its results.
func (s *space) store(v goja.Value, types []valType, stack []uint64) {
	switch len(types) {
	case 0:
	case 1:
		stack[0] = s.toWasm(v, types[0])
	default:
		if _, ok := v.(*goja.Object); !ok {
			s.realm.ThrowType("multi-return value must be iterable")
		}
		var list []goja.Value
		if ex := s.rt.Try(func() {
			s.rt.ForOf(v, func(item goja.Value) bool { list = append(list, item); return true })
		}); ex != nil {
			panic(ex.Value())
		}
		if len(list) != len(types) {
			s.realm.ThrowType("multi-return length mismatch")
		}
		for i, t := range types {
			stack[i] = s.toWasm(list[i], t)
		}
	}
}
