package structured

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/dop251/goja"
)

// Decoder reads one value. Delegates get it to read the payload of their objects;
// its methods may be called only during Delegate.Read, and throw on bad input.
type Decoder struct {
	codec   *Codec
	opts    DecodeOptions
	data    []byte
	pos     int
	version uint64
	depth   int
	meter   meter
	objects []*goja.Object    // by number; nil while an object is read
	names   map[string]string // those of properties so far, from the second object on
}

// Context returns DecodeOptions.Context.
func (d *Decoder) Context() any { return d.opts.Context }

// Runtime returns the runtime in which values are built.
func (d *Decoder) Runtime() *goja.Runtime { return d.codec.vm }

// ReadUint32 reads a variable-length integer of at most 32 bits.
func (d *Decoder) ReadUint32() uint32 {
	n := d.varint()
	if n > math.MaxUint32 {
		d.fail()
	}
	return uint32(n)
}

// ReadUint64 reads a variable-length integer.
func (d *Decoder) ReadUint64() uint64 { return d.varint() }

// ReadBytes reads n raw bytes. The result is a view into the input; copy it to
// keep it.
func (d *Decoder) ReadBytes(n uint64) []byte {
	if n > uint64(len(d.data)-d.pos) {
		d.fail()
	}
	b := d.data[d.pos : d.pos+int(n) : d.pos+int(n)]
	d.pos += int(n)
	return b
}

// ReadLengthDelimited reads a length and that many bytes, as ReadBytes.
func (d *Decoder) ReadLengthDelimited() []byte { return d.ReadBytes(d.varint()) }

// ReadString reads length-delimited UTF-8.
func (d *Decoder) ReadString() string { return string(d.ReadLengthDelimited()) }

// Refuse ends the decoding with a DataCloneError of the given text.
func (d *Decoder) Refuse(text string) { throw(d.codec.dataCloneError(text)) }

// fail throws the error for malformed input.
func (d *Decoder) fail() {
	throw(d.codec.newError("Error", "Unable to deserialize cloned data."))
}

func (d *Decoder) readHeader() {
	if len(d.data) > 0 && d.data[0] == tagVersion {
		d.pos = 1
		d.version = d.varint()
	}
	if d.version < minVersion || d.version > latestVersion {
		throw(d.codec.newError("Error", "Unable to deserialize cloned data due to invalid or unsupported version."))
	}
}

func (d *Decoder) varint() uint64 {
	n, size := binary.Uvarint(d.data[d.pos:])
	if size <= 0 {
		d.fail()
	}
	d.pos += size
	return n
}

func (d *Decoder) double() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(d.ReadBytes(8)))
}

// peek returns the next tag without consuming it; padding is skipped.
func (d *Decoder) peek() byte {
	for d.pos < len(d.data) && d.data[d.pos] == tagPadding {
		d.pos++
	}
	if d.pos >= len(d.data) {
		d.fail()
	}
	return d.data[d.pos]
}

func (d *Decoder) next() byte {
	t := d.peek()
	d.pos++
	return t
}

// reserve gives out the next object number.
func (d *Decoder) reserve() int {
	d.objects = append(d.objects, nil)
	return len(d.objects) - 1
}

// ReadValue reads any value.
func (d *Decoder) ReadValue() goja.Value {
	if d.depth++; d.depth > maxDecodeDepth {
		throw(d.codec.newError("RangeError", "Maximum call stack size exceeded"))
	}
	d.meter.value(d.codec)
	v := d.value()
	// A view follows the buffer it looks at and takes its place.
	if obj, ok := v.(*goja.Object); ok && d.pos < len(d.data) && d.codec.layout.IsArrayBuffer(obj) {
		if d.peekIs(tagArrayBufferView) {
			d.next()
			v = d.readView(obj)
		}
	}
	d.depth--
	return v
}

// peekIs reports whether the next tag is t. At the end of the input no tag is next.
func (d *Decoder) peekIs(t byte) bool {
	for d.pos < len(d.data) && d.data[d.pos] == tagPadding {
		d.pos++
	}
	return d.pos < len(d.data) && d.data[d.pos] == t
}

func (d *Decoder) value() goja.Value {
	vm := d.codec.vm
	switch tag := d.next(); tag {
	case tagVerifyCount:
		d.varint()
		return d.ReadValue()
	case tagUndefined:
		return goja.Undefined()
	case tagNull:
		return goja.Null()
	case tagTrue:
		return vm.ToValue(true)
	case tagFalse:
		return vm.ToValue(false)
	case tagInt32:
		return vm.ToValue(int64(d.int32()))
	case tagUint32:
		return vm.ToValue(int64(d.ReadUint32()))
	case tagDouble:
		return vm.ToValue(d.double())
	case tagBigInt:
		return vm.ToValue(d.bigInt())
	case tagOneByteString, tagTwoByteString, tagUTF8String:
		return d.stringOf(tag)
	default:
		return d.object(tag)
	}
}

func (d *Decoder) int32() int32 {
	u := d.ReadUint32()
	return int32(u>>1) ^ -int32(u&1)
}

// stringOf reads the text of a string whose tag has been consumed.
func (d *Decoder) stringOf(tag byte) goja.Value {
	b := d.ReadLengthDelimited()
	switch tag {
	case tagUTF8String:
		return d.codec.vm.ToValue(string(b))
	case tagTwoByteString:
		if len(b)%2 != 0 {
			d.fail()
		}
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
		return goja.StringFromUTF16(units)
	}
	if isASCII(b) {
		return d.codec.vm.ToValue(string(b))
	}
	units := make([]uint16, len(b))
	for i, c := range b {
		units[i] = uint16(c)
	}
	return goja.StringFromUTF16(units)
}

// readStringValue reads a string together with its tag.
func (d *Decoder) readStringValue() goja.Value {
	switch tag := d.next(); tag {
	case tagOneByteString, tagTwoByteString, tagUTF8String:
		return d.stringOf(tag)
	}
	d.fail()
	return nil
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func (d *Decoder) bigInt() *big.Int {
	field := d.ReadUint32()
	size := field >> 1
	if size%8 != 0 {
		d.fail()
	}
	digits := d.ReadBytes(uint64(size))
	be := make([]byte, len(digits))
	for i, c := range digits {
		be[len(be)-1-i] = c
	}
	n := new(big.Int).SetBytes(be)
	if field&1 == 1 {
		n.Neg(n)
	}
	return n
}
