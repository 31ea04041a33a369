package nodecompat

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"

	"eddy/runtime/engine/webidl"
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
)

// field is one of Buffer's number formats.
type field struct {
	name string
	size int
	msb  bool
	read func(b []byte) any
	// write stores v, whose range has been checked; nil for integers, which are stored by their bits.
	write    func(b []byte, v goja.Value)
	min, max float64
}

// numbers puts Buffer's read and write methods on o.
func numbers(h *host.Host, o *goja.Object) {
	for _, f := range fields() {
		_ = o.Set("read"+f.name, h.Realm.Function("read"+f.name, f.reader(h)))
		_ = o.Set("write"+f.name, h.Realm.Function("write"+f.name, f.writer(h)))
	}
	for _, msb := range []bool{false, true} {
		for _, signed := range []bool{false, true} {
			name := "UInt" + endian(msb)
			if signed {
				name = "Int" + endian(msb)
			}
			_ = o.Set("read"+name, h.Realm.Function("read"+name, variableReader(h, msb, signed)))
			_ = o.Set("write"+name, h.Realm.Function("write"+name, variableWriter(h, msb, signed)))
		}
	}
}

func endian(msb bool) string {
	if msb {
		return "BE"
	}
	return "LE"
}

func fields() []field {
	list := []field{
		{name: "UInt8", size: 1, max: 255, read: func(b []byte) any { return b[0] }},
		{name: "Int8", size: 1, min: -128, max: 127, read: func(b []byte) any { return int8(b[0]) }},
	}
	for _, msb := range []bool{false, true} {
		var order binary.ByteOrder = binary.LittleEndian
		if msb {
			order = binary.BigEndian
		}
		e := endian(msb)
		list = append(list,
			field{name: "UInt16" + e, size: 2, msb: msb, max: 1<<16 - 1,
				read: func(b []byte) any { return order.Uint16(b) }},
			field{name: "Int16" + e, size: 2, msb: msb, min: -1 << 15, max: 1<<15 - 1,
				read: func(b []byte) any { return int16(order.Uint16(b)) }},
			field{name: "UInt32" + e, size: 4, msb: msb, max: 1<<32 - 1,
				read: func(b []byte) any { return int64(order.Uint32(b)) }},
			field{name: "Int32" + e, size: 4, msb: msb, min: -1 << 31, max: 1<<31 - 1,
				read: func(b []byte) any { return int32(order.Uint32(b)) }},
			field{name: "Float" + e, size: 4,
				read:  func(b []byte) any { return float64(math.Float32frombits(order.Uint32(b))) },
				write: func(b []byte, v goja.Value) { order.PutUint32(b, math.Float32bits(float32(v.ToFloat()))) }},
			field{name: "Double" + e, size: 8,
				read:  func(b []byte) any { return math.Float64frombits(order.Uint64(b)) },
				write: func(b []byte, v goja.Value) { order.PutUint64(b, math.Float64bits(v.ToFloat())) }},
			field{name: "BigUInt64" + e, size: 8,
				read:  func(b []byte) any { return new(big.Int).SetUint64(order.Uint64(b)) },
				write: func(b []byte, v goja.Value) { order.PutUint64(b, bigBits(v)) }},
			field{name: "BigInt64" + e, size: 8, read: func(b []byte) any { return big.NewInt(int64(order.Uint64(b))) },
				write: func(b []byte, v goja.Value) { order.PutUint64(b, bigBits(v)) }},
		)
	}
	return list
}

func bigBits(v goja.Value) uint64 {
	n := v.Export().(*big.Int)
	if n.Sign() < 0 {
		return uint64(n.Int64())
	}
	return n.Uint64()
}

// place checks an offset argument and gives the bytes of the number.
func place(h *host.Host, fc goja.FunctionCall, arg, size int) (b []byte, offset int) {
	b, ok := bridge.BytesOf(h, fc.This)
	if !ok {
		bridge.ThrowCode(h, "TypeError", "ERR_INVALID_ARG_TYPE", "argument must be a buffer")
	}
	v := fc.Argument(arg)
	if !goja.IsUndefined(v) {
		offset = checkOffset(h, v, len(b)-size)
	} else if len(b) < size {
		checkOffset(h, h.Runtime().ToValue(0), len(b)-size)
	}
	return b[offset : offset+size], offset
}

func checkOffset(h *host.Host, v goja.Value, last int) int {
	switch v.ExportType() {
	case numberTypeInt, numberTypeFloat:
	default:
		bridge.ThrowCode(
			h, "TypeError", "ERR_INVALID_ARG_TYPE", `The "offset" argument must be of type number.`+received(v))
	}
	f := v.ToFloat()
	if f != math.Trunc(f) || math.IsInf(f, 0) {
		outOfRange(h, "offset", "an integer", v)
	}
	if last < 0 {
		bridge.ThrowCode(h, "RangeError", "ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds")
	}
	if f < 0 || f > float64(last) {
		outOfRange(h, "offset", fmt.Sprintf(">= 0 and <= %d", last), v)
	}
	return int(f)
}

func outOfRange(h *host.Host, name, rule string, v goja.Value) {
	shown := v.String()
	if v.ExportType() == numberTypeInt && (v.ToInteger() > 1<<32 || v.ToInteger() < -1<<32) || isBig(v) {
		shown = grouped(shown)
	}
	if isBig(v) {
		shown += "n"
	}
	bridge.ThrowCode(
		h, "RangeError", "ERR_OUT_OF_RANGE",
		fmt.Sprintf(`The value of "%s" is out of range. It must be %s. Received %s`, name, rule, shown))
}

// grouped writes 1000000 as 1_000_000.
func grouped(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	text := strings.Builder{}
	text.Grow(len(s) + len(s)/3)
	for i, digit := range []byte(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			text.WriteByte('_')
		}
		text.WriteByte(digit)
	}
	return sign + text.String()
}

func isBig(v goja.Value) bool { _, ok := webidl.Primitive(v).(*big.Int); return ok }

func (f *field) reader(h *host.Host) func(goja.FunctionCall) goja.Value {
	rt := h.Runtime()
	return func(fc goja.FunctionCall) goja.Value {
		b, _ := place(h, fc, 0, f.size)
		return rt.ToValue(f.read(b))
	}
}

func (f *field) writer(h *host.Host) func(goja.FunctionCall) goja.Value {
	rt := h.Runtime()
	return func(fc goja.FunctionCall) goja.Value {
		v := fc.Argument(0)
		switch {
		case strings.HasPrefix(f.name, "Big"):
			f.checkBig(h, v)
		case f.write == nil:
			v = v.ToNumber()
			if n := v.ToFloat(); n > f.max || n < f.min {
				outOfRange(h, "value", integerRule(f.size, f.min < 0), v)
			}
		default:
			v = v.ToNumber()
		}
		b, offset := place(h, fc, 1, f.size)
		if f.write != nil {
			f.write(b, v)
		} else {
			putBits(b, uint64(v.ToInteger()), f.msb)
		}
		return rt.ToValue(offset + f.size)
	}
}

func integerRule(size int, signed bool) string {
	bits := size * 8
	switch {
	case size > 4 && signed:
		return fmt.Sprintf(">= -(2 ** %d) and < 2 ** %d", bits-1, bits-1)
	case size > 4:
		return fmt.Sprintf(">= 0 and < 2 ** %d", bits)
	case signed:
		return fmt.Sprintf(">= %d and <= %d", int64(-1)<<(bits-1), int64(1)<<(bits-1)-1)
	}
	return fmt.Sprintf(">= 0 and <= %d", int64(1)<<bits-1)
}

func (f *field) checkBig(h *host.Host, v goja.Value) {
	n, ok := webidl.Primitive(v).(*big.Int)
	if !ok {
		bridge.ThrowCode(
			h, "TypeError", "ERR_INVALID_ARG_TYPE", `The "value" argument must be of type bigint.`+received(v))
	}
	if strings.HasPrefix(f.name, "BigU") {
		if n.Sign() < 0 || n.BitLen() > 64 {
			outOfRange(h, "value", ">= 0n and < 2n ** 64n", v)
		}
	} else if !n.IsInt64() {
		outOfRange(h, "value", ">= -(2n ** 63n) and < 2n ** 63n", v)
	}
}

func putBits(b []byte, n uint64, msb bool) {
	for i := range b {
		at := i
		if msb {
			at = len(b) - 1 - i
		}
		b[at] = byte(n)
		n >>= 8
	}
}

// width checks the byteLength argument of the variable-sized methods.
func width(h *host.Host, v goja.Value) int {
	if goja.IsUndefined(v) {
		bridge.ThrowCode(
			h, "TypeError", "ERR_INVALID_ARG_TYPE",
			`The "byteLength" argument must be of type number. Received undefined`)
	}
	switch v.ExportType() {
	case numberTypeInt, numberTypeFloat:
	default:
		bridge.ThrowCode(
			h, "TypeError", "ERR_INVALID_ARG_TYPE", `The "byteLength" argument must be of type number.`+received(v))
	}
	f := v.ToFloat()
	if f != math.Trunc(f) || math.IsInf(f, 0) {
		outOfRange(h, "byteLength", "an integer", v)
	}
	if f < 1 || f > 6 {
		outOfRange(h, "byteLength", ">= 1 and <= 6", v)
	}
	return int(f)
}

func variableReader(h *host.Host, msb, signed bool) func(goja.FunctionCall) goja.Value {
	rt := h.Runtime()
	return func(fc goja.FunctionCall) goja.Value {
		if goja.IsUndefined(fc.Argument(0)) {
			bridge.ThrowCode(
				h, "TypeError", "ERR_INVALID_ARG_TYPE",
				`The "offset" argument must be of type number. Received undefined`)
		}
		size := width(h, fc.Argument(1))
		b, _ := place(h, fc, 0, size)
		var n uint64
		for i := range b {
			x := b[len(b)-1-i]
			if msb {
				x = b[i]
			}
			n = n<<8 | uint64(x)
		}
		if signed {
			shift := 64 - 8*size
			return rt.ToValue(int64(n<<shift) >> shift)
		}
		return rt.ToValue(int64(n))
	}
}

func variableWriter(h *host.Host, msb, signed bool) func(goja.FunctionCall) goja.Value {
	rt := h.Runtime()
	return func(fc goja.FunctionCall) goja.Value {
		size := width(h, fc.Argument(2))
		v := fc.Argument(0).ToNumber()
		low, high := 0.0, math.Ldexp(1, 8*size)-1
		if signed {
			low, high = -math.Ldexp(1, 8*size-1), math.Ldexp(1, 8*size-1)-1
		}
		if n := v.ToFloat(); n < low || n > high {
			outOfRange(h, "value", integerRule(size, signed), v)
		}
		if goja.IsUndefined(fc.Argument(1)) {
			bridge.ThrowCode(
				h, "TypeError", "ERR_INVALID_ARG_TYPE",
				`The "offset" argument must be of type number. Received undefined`)
		}
		b, offset := place(h, fc, 1, size)
		putBits(b, uint64(v.ToInteger()), msb)
		return rt.ToValue(offset + size)
	}
}
