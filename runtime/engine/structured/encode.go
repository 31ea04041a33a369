package structured

import (
	"encoding/binary"
	"math"
	"math/big"
	"reflect"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

var (
	intType    = reflect.TypeFor[int64]()
	floatType  = reflect.TypeFor[float64]()
	boolType   = reflect.TypeFor[bool]()
	bigIntType = reflect.TypeFor[*big.Int]()
	objectType = reflect.TypeFor[map[string]any]()
	mapType    = reflect.TypeFor[[][2]any]()
	anySlice   = reflect.TypeFor[[]any]()
)

// canonicalNaN is the bit pattern V8 writes for every NaN; Go's differs.
const canonicalNaN = 0x7FF8000000000000

// Encoder writes one value. Delegates get it to write the payload of their
// objects; its methods may be called only during HostObject.Write.
type Encoder struct {
	codec *Codec
	opts  EncodeOptions
	buf   []byte
	depth int
	meter meter

	names     []gojainternals.Name // of the plain objects that are being written
	ids       objectIDs
	transfers []transfer
}

// Context returns EncodeOptions.Context.
func (e *Encoder) Context() any { return e.opts.Context }

// Runtime returns the runtime whose values are written.
func (e *Encoder) Runtime() *goja.Runtime { return e.codec.vm }

// WriteUint32 writes a variable-length integer.
func (e *Encoder) WriteUint32(n uint32) { e.varint(uint64(n)) }

// WriteUint64 writes a variable-length integer.
func (e *Encoder) WriteUint64(n uint64) { e.varint(n) }

// WriteBytes writes raw bytes; the reader must know their number.
func (e *Encoder) WriteBytes(b []byte) {
	e.meter.room(e.codec, len(e.buf)+len(b))
	e.buf = append(e.buf, b...)
}

// WriteLengthDelimited writes the number of bytes and the bytes.
func (e *Encoder) WriteLengthDelimited(b []byte) {
	e.varint(uint64(len(b)))
	e.WriteBytes(b)
}

// WriteString writes s as length-delimited UTF-8.
func (e *Encoder) WriteString(s string) {
	e.varint(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// Throw ends the encoding with a JavaScript exception.
func (e *Encoder) Throw(v goja.Value) { throw(v) }

// Refuse ends the encoding with a DataCloneError of the given text.
func (e *Encoder) Refuse(text string) { throw(e.codec.dataCloneError(text)) }

func (e *Encoder) tag(t byte) { e.buf = append(e.buf, t) }

func (e *Encoder) varint(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }

func (e *Encoder) double(f float64) {
	bits := math.Float64bits(f)
	if f != f {
		bits = canonicalNaN
	}
	e.buf = binary.LittleEndian.AppendUint64(e.buf, bits)
}

// WriteValue writes any JavaScript value. An object that was written already becomes a reference to its first
// occurrence.
func (e *Encoder) WriteValue(v goja.Value) {
	e.meter.value(e.codec)
	if n, ok := e.codec.layout.Integer(v); ok && n >= minSmallInt && n <= maxSmallInt {
		e.smallInt(int32(n))
		return
	}
	switch v := v.(type) {
	case nil:
		e.tag(tagUndefined)
		return
	case goja.String:
		e.string(v)
		return
	case *goja.Object:
		e.object(v)
		return
	case *goja.Symbol:
		e.codec.refuse(v)
	}
	switch v.ExportType() {
	case intType:
		e.number(v, false)
	case floatType:
		e.tag(tagDouble)
		e.double(v.ToFloat())
	case boolType:
		if v.ToBoolean() {
			e.tag(tagTrue)
		} else {
			e.tag(tagFalse)
		}
	case bigIntType:
		e.tag(tagBigInt)
		e.bigInt(v.Export().(*big.Int))
	default:
		if goja.IsNull(v) {
			e.tag(tagNull)
		} else {
			e.tag(tagUndefined)
		}
	}
}

// number writes an integral number; asDouble is set inside arrays of doubles.
func (e *Encoder) number(v goja.Value, asDouble bool) {
	n := v.ToInteger()
	if asDouble || n < minSmallInt || n > maxSmallInt {
		e.tag(tagDouble)
		e.double(v.ToFloat())
		return
	}
	e.smallInt(int32(n))
}

func (e *Encoder) smallInt(n int32) {
	e.tag(tagInt32)
	e.varint(uint64(uint32(n<<1) ^ uint32(n>>31)))
}

// string writes a string as one byte per unit where Latin-1 suffices. Two-byte
// text starts at an even offset, because V8 reads it in place.
func (e *Encoder) string(s goja.String) {
	n := s.Length()
	e.meter.room(e.codec, len(e.buf)+2*n)
	text := s.String()
	if len(text) == n { // UTF-8 is as short as UTF-16 only for ASCII
		e.tag(tagOneByteString)
		e.varint(uint64(n))
		e.buf = append(e.buf, text...)
		return
	}
	latin1 := true
	for i := 0; i < n; i++ {
		if s.CharAt(i) > 0xFF {
			latin1 = false
			break
		}
	}
	if latin1 {
		e.tag(tagOneByteString)
		e.varint(uint64(n))
		for i := 0; i < n; i++ {
			e.buf = append(e.buf, byte(s.CharAt(i)))
		}
		return
	}
	size := uint64(n) * 2
	if (len(e.buf)+1+varintLen(size))&1 == 1 {
		e.tag(tagPadding)
	}
	e.tag(tagTwoByteString)
	e.varint(size)
	for i := 0; i < n; i++ {
		e.buf = binary.LittleEndian.AppendUint16(e.buf, s.CharAt(i))
	}
}

// key writes a property name. Integer indices travel as numbers.
func (e *Encoder) key(name string) {
	if idx, ok := arrayIndex(name); ok {
		if idx <= maxSmallInt {
			e.smallInt(int32(idx))
		} else {
			e.tag(tagDouble)
			e.double(float64(idx))
		}
		return
	}
	for i := 0; i < len(name); i++ {
		if name[i] >= 0x80 {
			e.string(e.codec.vm.ToValue(name).(goja.String))
			return
		}
	}
	e.tag(tagOneByteString)
	e.varint(uint64(len(name)))
	e.buf = append(e.buf, name...)
}

// bigInt writes sign and length, then the magnitude in 64-bit digits.
func (e *Encoder) bigInt(n *big.Int) {
	size := (n.BitLen() + 63) / 64 * 8
	if size >= 1<<30 {
		throw(e.codec.newError("RangeError", "Maximum BigInt size exceeded"))
	}
	field := uint64(size) << 1
	if n.Sign() < 0 {
		field |= 1
	}
	e.varint(field)
	start := len(e.buf)
	e.buf = append(e.buf, make([]byte, size)...)
	digits := e.buf[start:]
	n.FillBytes(digits)
	for i, j := 0, len(digits)-1; i < j; i, j = i+1, j-1 {
		digits[i], digits[j] = digits[j], digits[i]
	}
}

func varintLen(n uint64) int {
	l := 1
	for n >= 0x80 {
		n >>= 7
		l++
	}
	return l
}

// arrayIndex reports whether name is a canonical integer index below 2^32-1.
func arrayIndex(name string) (uint32, bool) {
	if name == "" || len(name) > 10 || (name[0] == '0' && len(name) > 1) {
		return 0, false
	}
	var n uint64
	for i := 0; i < len(name); i++ {
		if name[i] < '0' || name[i] > '9' {
			return 0, false
		}
		n = n*10 + uint64(name[i]-'0')
	}
	if n >= math.MaxUint32 {
		return 0, false
	}
	return uint32(n), true
}

// objectIDs numbers objects in the order they are met. Most messages hold a
// handful, for which a slice beats a map.
type objectIDs struct {
	list []*goja.Object
	more map[*goja.Object]uint32
}

const objectIDListLen = 32

// put returns the number of obj and whether it had one already.
func (ids *objectIDs) put(obj *goja.Object) (uint32, bool) {
	if ids.more == nil {
		for i, o := range ids.list {
			if o == obj {
				return uint32(i), true
			}
		}
		if len(ids.list) < objectIDListLen {
			ids.list = append(ids.list, obj)
			return uint32(len(ids.list) - 1), false
		}
		ids.more = make(map[*goja.Object]uint32, 4*objectIDListLen)
		for i, o := range ids.list {
			ids.more[o] = uint32(i)
		}
	}
	if id, ok := ids.more[obj]; ok {
		return id, true
	}
	id := uint32(len(ids.more))
	ids.more[obj] = id
	return id, false
}

// has reports whether obj has a number, without giving it one.
func (ids *objectIDs) has(obj *goja.Object) bool {
	if ids.more != nil {
		_, ok := ids.more[obj]
		return ok
	}
	for _, o := range ids.list {
		if o == obj {
			return true
		}
	}
	return false
}
