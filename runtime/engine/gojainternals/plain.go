package gojainternals

import (
	"math"
	"reflect"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Plain data, as JSON has it, is made and written without goja's ways for objects of any kind.

// plainFields says where a runtime keeps the prototypes of plain data.
type plainFields struct {
	object, array uintptr // of what a runtime keeps built-ins in
	prototype     uintptr // of a plain object and of an array
	float         unsafe.Pointer
	owns, calls   uintptr // hasOwnPropertyStr and assertCallable in a method table of an object
}

func (l *Layout) readPlain(r *reader) {
	f := &l.plain
	_, global := r.field(reflect.TypeFor[goja.Runtime](), "global", nil)
	if r.err != nil {
		return
	}
	f.object, _ = r.field(global, "ObjectPrototype", reflect.TypeFor[*goja.Object]())
	f.array, _ = r.field(global, "ArrayPrototype", reflect.TypeFor[*goja.Object]())
	plain, _ := self(r.object("({})"))
	array, _ := self(r.object("[]"))
	f.prototype, _ = r.field(plain.Elem(), "prototype", reflect.TypeFor[*goja.Object]())
	if at, _ := r.field(array.Elem(), "prototype", reflect.TypeFor[*goja.Object]()); at != f.prototype {
		r.fail("%s and %s keep their prototypes at different places", plain, array)
	}
	f.float = kindOf(r.rt.ToValue(0.5))
	_, object := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil {
		return
	}
	for i := range object.NumMethod() {
		if m := object.Method(i); m.Name == "hasOwnPropertyStr" &&
			stands(reflect.TypeFor[func(unsafe.Pointer, unistring.String) bool](), m.Type) {
			f.owns = uintptr(methodTableHead+i) * unsafe.Sizeof(uintptr(0))
		} else if m.Name == "assertCallable" && stands(reflect.TypeFor[asserts](), m.Type) {
			f.calls = uintptr(methodTableHead+i) * unsafe.Sizeof(uintptr(0))
		}
	}
	if f.owns == 0 || f.calls == 0 {
		r.fail("%s has no hasOwnPropertyStr and assertCallable of the forms that are known", object)
	}
}

// asserts is assertCallable of an object: the function that calls it.
type asserts = func(unsafe.Pointer) (func(goja.FunctionCall) goja.Value, bool)

// Call is what calls a function as goja's own methods do: for those that run within one, in which an exception is a
// panic that goes on. goja.AssertFunction catches it, at every call. ok is false if o cannot be called.
func (l *Layout) Call(o *goja.Object) (call func(goja.FunctionCall) goja.Value, ok bool) {
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	slot := unsafe.Add(pair[0], l.plain.calls)
	return (*(*asserts)(unsafe.Pointer(&slot)))(pair[1])
}

// owner tells whether o has an own property of that ASCII name. It runs no script, unless o is a proxy.
func (l *Layout) owner(o *goja.Object, name string) bool {
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	slot := unsafe.Add(pair[0], l.plain.owns)
	has := *(*func(unsafe.Pointer, unistring.String) bool)(unsafe.Pointer(&slot))
	return has(pair[1], unistring.String(name))
}

// Owns is owner for other packages.
func (l *Layout) Owns(o *goja.Object, name string) bool { return l.owner(o, name) }

// ASCII makes a text of a Go string that has nothing beyond ASCII.
func (l *Layout) ASCII(s string) (v goja.Value) {
	p := new(string)
	*p = s
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&v)) = [2]unsafe.Pointer{l.operands.ascii, unsafe.Pointer(p)}
	return v
}

// Put gives a property to a plain object that Runtime.NewObject has made and that no script has seen. The name has
// nothing beyond ASCII.
func (l *Layout) Put(o *goja.Object, name string, v goja.Value) {
	data := l.data(o)
	has := *(*map[unistring.String]goja.Value)(unsafe.Add(data, l.quick.copies.values))
	size := len(has)
	has[unistring.String(name)] = v
	if len(has) != size {
		names := (*[]unistring.String)(unsafe.Add(data, l.quick.copies.names))
		*names = append(*names, unistring.String(name))
	}
}

// NewArray makes an array of values. The list becomes the array's.
func (l *Layout) NewArray(rt *goja.Runtime, values []goja.Value) *goja.Object {
	if o := l.lightArray(rt, values); o != nil {
		return o
	}
	o := rt.NewArray()
	data := l.data(o)
	*(*[]goja.Value)(unsafe.Add(data, l.arrays.values)) = values
	*(*uint32)(unsafe.Add(data, l.arrays.length)) = uint32(len(values))
	*(*int)(unsafe.Add(data, l.quick.arrayCount)) = len(values)
	return o
}

// What JSON writes at most, in bytes and in depth. Beyond, it is left to goja, which is bounded.
const jsonBytes, jsonDepth = 1 << 20, 200

// JSON is what JSON.stringify gives for a value alone. ok is false, and nothing has happened, if the value is anything
// but plain data: objects and arrays with no prototypes of their own, whose properties are values under names that are
// no numbers, without toJSON; texts, numbers, truth values and null.
//
// gap is what stands before all that is nested, in ASCII; without one there are no lines.
func (l *Layout) JSON(rt *goja.Runtime, v goja.Value, gap string) (text goja.Value, ok bool) {
	out, wide, ok := l.appendJSON(rt, nil, v, gap)
	switch {
	case !ok:
		return nil, false
	case wide:
		return rt.ToValue(string(out)), true
	}
	return l.ASCII(string(out)), true
}

// AppendJSON is [Layout.JSON] that appends the text, in UTF-8, to a list of bytes.
func (l *Layout) AppendJSON(rt *goja.Runtime, to []byte, v goja.Value) (text []byte, ok bool) {
	text, _, ok = l.appendJSON(rt, to, v, "")
	return text, ok
}

func (l *Layout) appendJSON(rt *goja.Runtime, to []byte, v goja.Value, gap string) (out []byte, wide, ok bool) {
	global := unsafe.Add(unsafe.Pointer(rt), l.quick.global)
	w := jsonWriter{layout: l, out: to, most: len(to) + jsonBytes, gap: gap,
		object: *(**goja.Object)(unsafe.Add(global, l.plain.object)),
		array:  *(**goja.Object)(unsafe.Add(global, l.plain.array))}
	o, is := v.(*goja.Object)
	if !is || w.object == nil || w.object.Prototype() != nil || l.owner(w.object, "toJSON") {
		return to, false, false
	}
	// As long as there is no array there is no prototype of arrays.
	if w.array != nil && (w.array.Prototype() != w.object || l.owner(w.array, "toJSON")) || !w.composite(o) {
		return to, false, false
	}
	return w.out, w.wide, true
}

type jsonWriter struct {
	layout        *Layout
	object, array *goja.Object // prototypes
	out           []byte
	most          int // bytes
	depth         int
	wide          bool   // there is something beyond ASCII
	gap           string // before what is nested, for each depth
}

// line begins a line, if there are lines.
func (w *jsonWriter) line(depth int) {
	if w.gap == "" {
		return
	}
	w.out = append(w.out, '\n')
	for range depth {
		w.out = append(w.out, w.gap...)
	}
}

// value writes a value. There is none for undefined, which the callers know.
func (w *jsonWriter) value(v goja.Value) bool {
	l := w.layout
	switch p := pair(&v); p[0] {
	case l.quick.object:
		return w.composite((*goja.Object)(p[1]))
	case l.operands.ascii:
		w.quote(*(*string)(p[1]))
	case l.operands.unicode:
		return w.quoteUnits((*(*[]uint16)(p[1]))[1:]) // behind a mark
	case l.operands.imported:
		s := *(*string)(unsafe.Add(p[1], l.operands.text))
		if !utf8.ValidString(s) {
			return false
		}
		for i := 0; i < len(s) && !w.wide; i++ {
			w.wide = s[i] >= utf8.RuneSelf
		}
		w.quote(s)
	case l.operands.integer:
		w.out = strconv.AppendInt(w.out, *(*int64)(p[1]), 10)
	case l.plain.float:
		switch f := *(*float64)(p[1]); {
		case f-f != 0: // infinite or no number
			w.out = append(w.out, "null"...)
		case math.Abs(f) >= 1e-6 && math.Abs(f) < 1e21:
			w.out = strconv.AppendFloat(w.out, f, 'f', -1, 64)
		default:
			w.out = append(w.out, v.String()...)
		}
	case l.quick.null:
		w.out = append(w.out, "null"...)
	default:
		switch {
		case v == l.quick.yes:
			w.out = append(w.out, "true"...)
		case v == l.quick.no:
			w.out = append(w.out, "false"...)
		default:
			return false
		}
	}
	return len(w.out) < w.most
}

func (w *jsonWriter) composite(o *goja.Object) bool {
	l := w.layout
	if w.depth++; w.depth > jsonDepth {
		return false
	}
	defer func() { w.depth-- }()
	data := l.data(o)
	prototype := func() *goja.Object { return *(**goja.Object)(unsafe.Add(data, l.plain.prototype)) }
	switch l.kind(o) {
	case l.arrays.kind, l.arrays.light, l.arrays.match:
		list, dense := l.Elements(o)
		if !dense || w.array == nil || prototype() != w.array || w.named(data) {
			return false
		}
		return w.elements(list)
	case polled.kinds[1].native:
		if prototype() != w.object {
			return false
		}
		values := *(*map[unistring.String]goja.Value)(unsafe.Add(data, l.quick.copies.values))
		return w.properties(*(*[]unistring.String)(unsafe.Add(data, l.quick.copies.names)),
			func(_ int, name unistring.String) goja.Value { return values[name] })
	case unsafe.Pointer(&lazily.literals[0]):
		z := (*lazyObject)(data)
		return w.properties(z.group.names[:z.index], func(i int, _ unistring.String) goja.Value { return *z.value(i) })
	}
	return false
}

// named tells whether an array has toJSON among its own properties.
func (w *jsonWriter) named(data unsafe.Pointer) bool {
	_, has := (*(*map[unistring.String]goja.Value)(unsafe.Add(data, w.layout.quick.copies.values)))["toJSON"]
	return has
}

func (w *jsonWriter) elements(list []goja.Value) bool {
	w.out = append(w.out, '[')
	for i, v := range list {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.line(w.depth)
		if v == nil { // a hole, for which prototypes are asked
			return false
		}
		if kindOf(v) == w.layout.quick.undefined {
			w.out = append(w.out, "null"...)
		} else if !w.value(v) {
			return false
		}
	}
	if len(list) > 0 {
		w.line(w.depth - 1)
	}
	w.out = append(w.out, ']')
	return len(w.out) < w.most
}

func (w *jsonWriter) properties(names []unistring.String,
	value func(i int, name unistring.String) goja.Value) bool {
	w.out = append(w.out, '{')
	first := true
	for i, name := range names {
		v := value(i, name)
		if v == nil || name == "toJSON" || isIndex(name) {
			return false
		}
		if kindOf(v) == w.layout.quick.undefined {
			continue
		}
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.line(w.depth)
		if u := name.AsUtf16(); u == nil {
			w.quote(string(name))
		} else if !w.quoteUnits(u[1:]) { // behind a mark
			return false
		}
		if w.out = append(w.out, ':'); w.gap != "" {
			w.out = append(w.out, ' ')
		}
		if !w.value(v) {
			return false
		}
	}
	if !first {
		w.line(w.depth - 1)
	}
	w.out = append(w.out, '}')
	return len(w.out) < w.most
}

// isIndex tells whether a name may be one of those that come first, in the order of numbers.
func isIndex(name unistring.String) bool {
	for i := 0; i < len(name); i++ {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return name != ""
}

const hexDigits = "0123456789abcdef"

// quote writes a text in UTF-8.
func (w *jsonWriter) quote(s string) {
	w.out = append(w.out, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			w.out = append(w.out, s[from:i]...)
			w.escape(c)
			from = i + 1
		}
	}
	w.out = append(append(w.out, s[from:]...), '"')
}

func (w *jsonWriter) escape(c byte) {
	switch c {
	case '"', '\\':
		w.out = append(w.out, '\\', c)
	case '\b':
		w.out = append(w.out, `\b`...)
	case '\t':
		w.out = append(w.out, `\t`...)
	case '\n':
		w.out = append(w.out, `\n`...)
	case '\f':
		w.out = append(w.out, `\f`...)
	case '\r':
		w.out = append(w.out, `\r`...)
	default:
		w.out = append(w.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}

// quoteUnits writes a text beyond ASCII, unless it has half of a pair alone.
func (w *jsonWriter) quoteUnits(u []uint16) bool {
	w.wide = true
	w.out = append(w.out, '"')
	for i := 0; i < len(u); i++ {
		r := rune(u[i])
		switch {
		case utf16.IsSurrogate(r):
			if i+1 == len(u) {
				return false
			}
			if r = utf16.DecodeRune(r, rune(u[i+1])); r == utf8.RuneError {
				return false
			}
			i++
			fallthrough
		case r >= utf8.RuneSelf:
			w.out = utf8.AppendRune(w.out, r)
		case r < ' ' || r == '"' || r == '\\':
			w.escape(byte(r))
		default:
			w.out = append(w.out, byte(r))
		}
	}
	w.out = append(w.out, '"')
	return true
}
