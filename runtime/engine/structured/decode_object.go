package structured

import (
	"strconv"

	"github.com/dop251/goja"
)

// presizedElements bounds how much of a dense array is allocated before its
// elements have been seen.
const presizedElements = 4096

// object reads an object whose tag has been consumed.
func (d *Decoder) object(tag byte) goja.Value {
	vm, in := d.codec.vm, d.codec.in
	switch tag {
	case tagReference:
		id := d.varint()
		if id >= uint64(len(d.objects)) || d.objects[id] == nil {
			d.fail()
		}
		return d.objects[id]
	case tagBeginObject:
		return d.plainObject()
	case tagBeginDenseArray:
		return d.denseArray()
	case tagBeginSparseArray:
		return d.sparseArray()
	case tagDate:
		return d.construct("date", vm.ToValue(d.double()))
	case tagTrueObject:
		return d.box(vm.ToValue(true))
	case tagFalseObject:
		return d.box(vm.ToValue(false))
	case tagNumberObject:
		return d.box(vm.ToValue(d.double()))
	case tagBigIntObject:
		return d.box(vm.ToValue(d.bigInt()))
	case tagStringObject:
		id := d.reserve()
		obj := d.readStringValue().ToObject(vm)
		d.objects[id] = obj
		return obj
	case tagRegExp:
		return d.regexp()
	case tagBeginMap:
		obj := d.construct("map")
		n := 0
		for ; !d.ends(tagEndMap); n += 2 {
			key := d.ReadValue()
			in.call("mapSet", obj, key, d.ReadValue())
		}
		d.expect(n)
		return obj
	case tagBeginSet:
		obj := d.construct("set")
		n := 0
		for ; !d.ends(tagEndSet); n++ {
			in.call("setAdd", obj, d.ReadValue())
		}
		d.expect(n)
		return obj
	case tagArrayBuffer, tagResizableBuffer, tagBufferTransfer:
		return d.arrayBuffer(tag)
	case tagHostObject:
		return d.hostObject()
	case tagError:
		return d.readError()
	case tagSharedArrayBuffer:
		d.Refuse("#<SharedArrayBuffer> could not be cloned.")
	}
	d.fail()
	return nil
}

func (d *Decoder) register(obj *goja.Object) { d.objects = append(d.objects, obj) }

// construct calls a captured constructor and numbers the result.
func (d *Decoder) construct(name string, args ...goja.Value) *goja.Object {
	obj, err := d.codec.vm.New(d.codec.in.ctors[name], args...)
	if err != nil {
		panic(err)
	}
	d.register(obj)
	return obj
}

func (d *Decoder) box(v goja.Value) *goja.Object {
	obj := v.ToObject(d.codec.vm)
	d.register(obj)
	return obj
}

// ends consumes the end tag if it is next.
func (d *Decoder) ends(tag byte) bool {
	if d.peek() != tag {
		return false
	}
	d.pos++
	return true
}

// expect checks a count that the writer repeated at the end.
func (d *Decoder) expect(n int) {
	if d.varint() != uint64(n) {
		d.fail()
	}
}

// properties reads name and value pairs up to the end tag and returns their
// number. Properties are defined, not assigned: setters on prototypes and the
// name __proto__ have no effect.
func (d *Decoder) properties(obj *goja.Object, end byte) int {
	n := 0
	for ; !d.ends(end); n++ {
		if name, ok := d.key(); ok {
			define(obj, name, d.ReadValue())
		} else {
			d.defineRaw(obj, d.ReadValue())
		}
	}
	return n
}

// key reads a name in ASCII; ok is false if another one comes, which is not read.
func (d *Decoder) key() (name string, ok bool) {
	switch tag := d.peek(); tag {
	case tagOneByteString:
		return d.asciiKey()
	case tagTwoByteString, tagUTF8String, tagInt32, tagUint32, tagDouble, tagBigInt:
	default:
		d.fail()
	}
	return "", false
}

// asciiKey reads the commonest form of a name without making a value of it.
func (d *Decoder) asciiKey() (string, bool) {
	start := d.pos
	d.pos++
	b := d.ReadLengthDelimited()
	if !isASCII(b) {
		d.pos = start
		return "", false
	}
	if name, known := d.names[string(b)]; known {
		return name, true
	}
	name := string(b)
	if d.names == nil && len(d.objects) > 1 {
		d.names = map[string]string{}
	}
	if d.names != nil && len(d.names) < maxNames {
		d.names[name] = name
	}
	return name, true
}

// maxNames bounds how many names are kept so that the next object with them shares their texts.
const maxNames = 256

// defineRaw defines a property under any name, also one with lone surrogates.
func (d *Decoder) defineRaw(obj *goja.Object, key goja.Value) {
	v := d.ReadValue()
	if _, ok := key.(goja.String); !ok {
		define(obj, key.String(), v)
		return
	}
	desc := d.codec.vm.NewObject()
	for name, value := range map[string]goja.Value{
		"value": v, "writable": trueValue(d), "enumerable": trueValue(d), "configurable": trueValue(d)} {
		define(desc, name, value)
	}
	d.codec.in.call("defineProperty", goja.Undefined(), obj, key, desc)
}

func trueValue(d *Decoder) goja.Value { return d.codec.vm.ToValue(true) }

func (d *Decoder) denseArray() *goja.Object {
	length := int(d.ReadUint32())
	// Every element takes at least one byte, so the input justifies the length.
	if length > len(d.data)-d.pos {
		d.fail()
	}
	items := make([]goja.Value, min(length, presizedElements))
	for i := range items {
		items[i] = goja.Undefined()
	}
	arr := d.codec.layout.NewArray(d.codec.vm, items) // which keeps items until it has holes
	d.register(arr)
	holes := false
	for i := range length {
		if d.peek() == tagHole {
			d.pos++
			if holes = true; i < len(items) {
				if err := arr.Delete(strconv.Itoa(i)); err != nil {
					panic(err)
				}
			} else if i == length-1 {
				d.setLength(arr, length)
			}
			continue
		}
		switch v := d.ReadValue(); {
		case i >= len(items):
			define(arr, strconv.Itoa(i), v)
		case !holes && len(items) == length:
			items[i] = v
		default:
			// The element exists as an own data property, so assignment cannot
			// reach a prototype.
			if err := arr.Set(strconv.Itoa(i), v); err != nil {
				panic(err)
			}
		}
	}
	n := d.properties(arr, tagEndDenseArray)
	d.expect(n)
	d.expect(length)
	return arr
}

func (d *Decoder) sparseArray() *goja.Object {
	length := int(d.ReadUint32())
	arr := d.codec.vm.NewArray()
	d.register(arr)
	d.setLength(arr, length)
	n := d.properties(arr, tagEndSparseArray)
	d.expect(n)
	d.expect(length)
	return arr
}

func (d *Decoder) setLength(arr *goja.Object, length int) {
	if err := arr.Set("length", length); err != nil {
		panic(err)
	}
}

func (d *Decoder) regexp() *goja.Object {
	id := d.reserve()
	source := d.readStringValue()
	bits := d.ReadUint32()
	flags := ""
	for i, bit := range regexpFlagBits {
		if bits&bit != 0 {
			flags += regexpFlags[i : i+1]
			bits &^= bit
		}
	}
	if bits != 0 {
		d.fail()
	}
	obj, err := d.codec.vm.New(d.codec.in.ctors["regexp"], source, d.codec.vm.ToValue(flags))
	if err != nil {
		panic(err)
	}
	d.objects[id] = obj
	return obj
}

func (d *Decoder) hostObject() goja.Value {
	id := d.reserve()
	tag := d.ReadUint32()
	var obj *goja.Object
	if tag == TagNativeError {
		obj = d.readNativeError()
	} else {
		for _, h := range d.codec.delegates {
			if obj = h.Read(d, tag); obj != nil {
				break
			}
		}
	}
	if obj == nil {
		d.Refuse("Deserialization failed: unknown host object tag " + strconv.FormatUint(uint64(tag), 10) + ".")
	}
	d.objects[id] = obj
	return obj
}
