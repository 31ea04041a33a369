package structured

import (
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

var timeType = reflect.TypeFor[time.Time]()

// object writes an object or a reference to one written before. The order in
// which numbers are given out is part of the format: an object before its
// contents, a buffer before the view on it.
func (e *Encoder) object(obj *goja.Object) {
	if e.codec.layout.MayBePlain(obj) {
		if e.enter(obj) {
			return
		}
		if !e.plain(obj) {
			e.newObject(obj, obj.ExportType(), false, brandNone)
		}
		e.depth--
		return
	}
	typ := obj.ExportType()
	if elem := viewOf(typ); elem && obj.ClassName() == "Object" && !e.ids.has(obj) {
		e.WriteValue(e.codec.in.call("typedBuffer", obj))
	}
	proxy := typ == gojainternals.ProxyType
	brandKnown := brandNone
	if !proxy && typ == objectType && obj.ClassName() == "Object" && obj.Prototype() != e.codec.in.objectProto {
		brandKnown = e.codec.in.brandOf(obj)
		if brandKnown == brandDataView && !e.ids.has(obj) {
			buf, err := e.codec.in.fn["viewBuffer"](obj)
			if err != nil {
				brandKnown = brandNone // it inherits from DataView.prototype but is no DataView
			} else {
				e.WriteValue(buf)
			}
		}
	}
	if e.enter(obj) {
		return
	}
	e.newObject(obj, typ, proxy, brandKnown)
	e.depth--
}

// enter begins an object: it gives it its number, or writes a reference if it has been seen.
func (e *Encoder) enter(obj *goja.Object) (seen bool) {
	id, seen := e.ids.put(obj)
	if seen {
		e.tag(tagReference)
		e.varint(uint64(id))
		return true
	}
	if e.depth++; e.depth > maxEncodeDepth {
		throw(e.codec.newError("RangeError", "Maximum call stack size exceeded"))
	}
	return false
}

func (e *Encoder) newObject(obj *goja.Object, typ reflect.Type, proxy bool, b brand) {
	if _, callable := goja.AssertFunction(obj); callable {
		if !e.delegate(obj, KindFunction) {
			e.codec.refuse(obj)
		}
		return
	}
	if proxy {
		if !e.delegate(obj, KindProxy) {
			e.codec.refuse(obj)
		}
		return
	}
	switch class := obj.ClassName(); class {
	case "Array":
		e.array(obj)
	case "Date":
		e.date(obj, typ)
	case "RegExp":
		e.regexp(obj)
	case "Error":
		if !e.delegate(obj, KindError) {
			e.error(obj)
		}
	case "Number", "String", "Boolean":
		e.boxed(obj, class)
	case "Arguments":
		e.codec.refuse(obj)
	default:
		e.generic(obj, typ, b)
	}
}

// generic writes what goja calls an Object: plain objects and every built-in
// that has no class of its own.
func (e *Encoder) generic(obj *goja.Object, typ reflect.Type, b brand) {
	in := e.codec.in
	switch {
	case typ == gojainternals.ArrayBufferType:
		e.arrayBuffer(obj)
		return
	case typ == mapType:
		e.mapEntries(obj)
		return
	case typ == anySlice:
		e.setEntries(obj)
		return
	case viewOf(typ):
		e.typedArray(obj)
		return
	case typ == gojainternals.PromiseType:
		e.codec.refuse(obj)
	case typ == bigIntType:
		e.tag(tagBigIntObject)
		e.bigInt(in.call("bigintValue", obj).Export().(bigValue))
		return
	case typ != objectType:
		// It is a boxed symbol, or a Go value that a package exposed directly.
		if e.delegate(obj, KindObject) {
			return
		}
		e.codec.refuse(obj)
	}
	switch b {
	case brandDataView:
		e.dataView(obj)
		return
	case brandOpaque, brandTagged:
		e.codec.refuse(obj)
	}
	if obj.Prototype() != in.objectProto {
		if e.delegate(obj, KindObject) {
			return
		}
		if e.opts.RefuseClassInstances {
			e.codec.refuseType(e.codec.className(obj))
		}
	}
	e.tag(tagBeginObject)
	n := e.properties(obj, obj.Keys())
	e.tag(tagEndObject)
	e.varint(uint64(n))
}

// delegate offers obj to the delegates and reports whether one of them wrote it.
func (e *Encoder) delegate(obj *goja.Object, kind DelegateKind) bool {
	for _, h := range e.codec.delegates {
		how, ok := h.Describe(obj, kind, e.opts.Context)
		if !ok {
			continue
		}
		switch {
		case how.Refusal != "":
			e.Refuse(how.Refusal)
		case how.Write == nil:
			e.codec.refuseType(how.Class)
		}
		e.tag(tagHostObject)
		e.varint(uint64(how.Tag))
		how.Write(e)
		return true
	}
	return false
}

// properties writes the named properties and returns how many there were. A
// property that a getter removed in the meantime is left out, as in V8.
func (e *Encoder) properties(obj *goja.Object, names []string) int {
	for _, name := range names {
		if strings.ContainsRune(name, utf8.RuneError) {
			return e.rawProperties(obj, len(names))
		}
	}
	written := 0
	for _, name := range names {
		v := e.own(obj, name)
		if v == nil {
			continue
		}
		e.key(name)
		e.WriteValue(v)
		written++
	}
	return written
}

// own is the value of a property that obj had when its names were listed, nil if it has none of that name any more:
// what it inherits does not come in its place.
func (e *Encoder) own(obj *goja.Object, name string) goja.Value {
	if utf8.RuneCountInString(name) == len(name) && !e.codec.layout.Owns(obj, name) {
		return nil
	}
	return obj.Get(name)
}

// names are the enumerable names of an array that are no indices, which come before them. V8 lists them when it has
// written the elements.
func names(array *goja.Object) []string {
	keys := array.Keys()
	for i, key := range keys {
		if _, ok := arrayIndex(key); !ok {
			return keys[i:]
		}
	}
	return nil
}

// rawProperties is properties for names that may hold lone surrogates, which
// do not survive Go strings. It writes the last n enumerable names.
func (e *Encoder) rawProperties(obj *goja.Object, n int) int {
	in := e.codec.in
	keys := in.call("enumerableKeys", goja.Undefined(), obj).(*goja.Object)
	total := int(keys.Get("length").ToInteger())
	written := 0
	for i := max(total-n, 0); i < total; i++ {
		key := keys.Get(strconv.Itoa(i)).(goja.String)
		v := in.call("reflectGet", goja.Undefined(), obj, key)
		if name := key.String(); strings.ContainsRune(name, utf8.RuneError) {
			e.string(key)
		} else {
			e.key(name)
		}
		e.WriteValue(v)
		written++
	}
	return written
}

// array writes an array densely if it has no holes, else as length and
// properties. Keys come in the order indices, then other names.
func (e *Encoder) array(obj *goja.Object) {
	length := int(obj.Get("length").ToInteger())
	keys := obj.Keys()
	dense := len(keys) >= length
	if dense && length > 0 {
		dense = keys[length-1] == strconv.Itoa(length-1)
	}
	if !dense {
		e.tag(tagBeginSparseArray)
		e.varint(uint64(length))
		n := e.properties(obj, keys)
		e.tag(tagEndSparseArray)
		e.varint(uint64(n))
		e.varint(uint64(length))
		return
	}
	e.tag(tagBeginDenseArray)
	e.varint(uint64(length))
	doubles := e.doubleArray(obj, keys[:length])
	for _, key := range keys[:length] {
		e.element(e.own(obj, key), doubles)
	}
	e.endDense(e.properties(obj, names(obj)), length)
}

// element writes what a dense array has at its next index, nil if a getter of an earlier element made a hole there.
func (e *Encoder) element(v goja.Value, doubles bool) {
	switch {
	case v == nil:
		e.tag(tagHole)
	case doubles && v.ExportType() == intType:
		e.number(v, true)
	default:
		e.WriteValue(v)
	}
}

// endDense ends a dense array with n properties behind its elements.
func (e *Encoder) endDense(n, length int) {
	e.tag(tagEndDenseArray)
	e.varint(uint64(n))
	e.varint(uint64(length))
}

// doubleArray reports whether V8 would hold the array as doubles. It would if all elements are numbers and one of them
// at least is no small integer. The first element that is no number ends the search, so ordinary arrays cost one look.
func (e *Encoder) doubleArray(obj *goja.Object, keys []string) bool {
	doubles := false
	for _, key := range keys {
		v := obj.Get(key)
		if v == nil {
			return false
		}
		if _, ok := v.(*goja.Object); ok {
			return false
		}
		switch v.ExportType() {
		case intType:
			n := v.ToInteger()
			doubles = doubles || n < minSmallInt || n > maxSmallInt
		case floatType:
			doubles = true
		default:
			return false
		}
	}
	return doubles
}

// exportedTime is the time of a Date. It does not export other objects, which may be as large as they say.
func exportedTime(obj *goja.Object, typ reflect.Type) (t time.Time, ok bool) {
	if typ == timeType {
		t, ok = obj.Export().(time.Time)
	}
	return t, ok
}

func (e *Encoder) date(obj *goja.Object, typ reflect.Type) {
	e.tag(tagDate)
	if t, ok := exportedTime(obj, typ); ok {
		e.double(float64(t.UnixMilli()))
		return
	}
	e.double(nan)
}

func (e *Encoder) boxed(obj *goja.Object, class string) {
	in := e.codec.in
	switch class {
	case "Boolean":
		if in.call("booleanValue", obj).ToBoolean() {
			e.tag(tagTrueObject)
		} else {
			e.tag(tagFalseObject)
		}
	case "Number":
		e.tag(tagNumberObject)
		e.double(in.call("numberValue", obj).ToFloat())
	case "String":
		e.tag(tagStringObject)
		e.string(in.call("stringValue", obj).(goja.String))
	}
}

// regexpFlags lists the flag letters by bit.
const regexpFlags = "gimyuslvd"

// regexpFlagBits are the bits of regexpFlags, in the same order.
var regexpFlagBits = [...]uint32{1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 8, 1 << 7}

func (e *Encoder) regexp(obj *goja.Object) {
	source, ok := obj.Get("source").(goja.String)
	if !ok {
		e.codec.refuse(obj)
	}
	var flags uint32
	for _, f := range obj.Get("flags").String() {
		if i := strings.IndexRune(regexpFlags, f); i >= 0 {
			flags |= regexpFlagBits[i]
		}
	}
	e.tag(tagRegExp)
	e.string(source)
	e.varint(uint64(flags))
}

// mapEntries writes a Map. It collects the entries first, so that a getter that changes the map meanwhile has no
// effect.
func (e *Encoder) mapEntries(obj *goja.Object) {
	var entries []goja.Value
	collect := e.codec.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		entries = append(entries, call.Argument(1), call.Argument(0))
		return nil
	})
	e.codec.in.call("mapForEach", obj, collect)
	e.tag(tagBeginMap)
	for _, v := range entries {
		e.WriteValue(v)
	}
	e.tag(tagEndMap)
	e.varint(uint64(len(entries)))
}

func (e *Encoder) setEntries(obj *goja.Object) {
	var entries []goja.Value
	collect := e.codec.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		entries = append(entries, call.Argument(0))
		return nil
	})
	e.codec.in.call("setForEach", obj, collect)
	e.tag(tagBeginSet)
	for _, v := range entries {
		e.WriteValue(v)
	}
	e.tag(tagEndSet)
	e.varint(uint64(len(entries)))
}
