package structured

import (
	"strconv"

	"github.com/dop251/goja"
)

// Objects and arrays with nothing but values are written from the engine's own lists. What they have may still change
// while they are written, as a getter of what they contain may do all: each value is looked up when it is its turn.

// plain writes an object or an array of values, with its number given out already; ok is false if it is none, and then
// nothing is written.
func (e *Encoder) plain(obj *goja.Object) (ok bool) {
	layout := e.codec.layout
	if list, ok := layout.PlainList(obj); ok {
		e.plainArray(obj, list)
		return true
	}
	from := len(e.names)
	if e.names, ok = layout.PlainNames(obj, e.names); !ok {
		return false
	}
	to := len(e.names)
	e.tag(tagBeginObject)
	written := uint64(0)
	for i := from; i < to; i++ {
		name := e.names[i]
		v := layout.PlainValue(obj, name)
		if v == nil {
			if v = e.own(obj, string(name)); v == nil {
				continue
			}
		}
		e.tag(tagOneByteString)
		e.varint(uint64(len(name)))
		e.buf = append(e.buf, name...)
		e.WriteValue(v)
		written++
	}
	e.names = e.names[:from]
	e.tag(tagEndObject)
	e.varint(written)
	return true
}

func (e *Encoder) plainArray(obj *goja.Object, list []goja.Value) {
	length := len(list)
	e.tag(tagBeginDenseArray)
	e.varint(uint64(length))
	doubles := e.doubles(list)
	for i := range length {
		v := e.codec.layout.Element(obj, i)
		if v == nil {
			v = e.own(obj, strconv.Itoa(i))
		}
		e.element(v, doubles)
	}
	n := 0
	if _, ok := e.codec.layout.PlainList(obj); !ok { // a getter gave it a name, or made a hole
		n = e.properties(obj, names(obj))
	}
	e.endDense(n, length)
}

// doubles is doubleArray of a list.
func (e *Encoder) doubles(list []goja.Value) (doubles bool) {
	for _, v := range list {
		if n, ok := e.codec.layout.Integer(v); ok {
			doubles = doubles || n < minSmallInt || n > maxSmallInt
			continue
		}
		if _, ok := v.(*goja.Object); ok || v.ExportType() != floatType {
			return false
		}
		doubles = true
	}
	return doubles
}
