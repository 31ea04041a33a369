package json

import (
	"unicode/utf16"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
)

// scan walks over a string literal. plain tells that it holds no escapes, so that its content is src[from:to].
func (p *jsonParser[T]) scan() (from, to int, plain bool) {
	p.pos++
	from = p.pos
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		if c == '"' {
			to = p.pos
			p.pos++
			return from, to, true
		}
		if c == '\\' {
			p.unescape(from)
			return 0, 0, false
		}
		if c < 0x20 {
			p.at("Bad control character in string literal")
		}
		p.pos++
	}
	p.at("Unterminated string")
	return 0, 0, false
}

// unescape reads the rest of a literal with escapes into buf, from the first backslash.
func (p *jsonParser[T]) unescape(from int) {
	p.buf = p.buf[:0]
	for _, c := range p.src[from:p.pos] {
		p.buf = append(p.buf, uint16(c))
	}
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		switch {
		case c == '"':
			p.pos++
			return
		case c < 0x20:
			p.at("Bad control character in string literal")
		case c != '\\':
			p.buf = append(p.buf, uint16(c))
			p.pos++
		default:
			p.pos++
			if p.pos >= len(p.src) {
				p.at("Unterminated string")
			}
			p.escape()
		}
	}
	p.at("Unterminated string")
}

func (p *jsonParser[T]) escape() {
	var r uint16
	switch p.src[p.pos] {
	case '"', '\\', '/':
		r = uint16(p.src[p.pos])
	case 'b':
		r = '\b'
	case 'f':
		r = '\f'
	case 'n':
		r = '\n'
	case 'r':
		r = '\r'
	case 't':
		r = '\t'
	case 'u':
		for i := 1; i <= 4; i++ {
			p.pos++
			d := -1
			if p.pos < len(p.src) {
				d = hexDigit(uint16(p.src[p.pos]))
			}
			if d < 0 {
				p.at("Bad Unicode escape")
			}
			r = r<<4 | uint16(d)
		}
	default:
		p.at("Bad escaped character")
	}
	p.pos++
	p.buf = append(p.buf, r)
}

func hexDigit(c uint16) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func (p *jsonParser[T]) stringValue() goja.Value {
	from, to, plain := p.scan()
	if !plain {
		return goja.StringFromUTF16(p.buf)
	}
	switch s := any(p.src[from:to]).(type) {
	case []byte:
		if p.text != "" {
			return p.e.In.ASCII(p.text[from:to])
		}
		return p.e.In.ASCII(string(s))
	case []uint16:
		return goja.StringFromUTF16(s)
	}
	return nil
}

// key reads a property name. whole is set when the name has lone surrogates, which a Go string can't hold.
func (p *jsonParser[T]) key() (name string, whole goja.Value) {
	from, to, plain := p.scan()
	u := p.buf
	p.ascii = false
	if plain {
		switch s := any(p.src[from:to]).(type) {
		case []byte:
			p.ascii = true
			if name, known := p.names[string(s)]; known {
				return name, nil
			}
			name = string(s)
			if p.names == nil {
				p.names = map[string]string{}
			}
			if len(p.names) < manyNames {
				p.names[name] = name
			}
			return name, nil
		case []uint16:
			u = s
		}
	}
	for i := 0; i < len(u); i++ {
		if utf16.IsSurrogate(rune(u[i])) {
			if i+1 < len(u) && u[i] < 0xDC00 && u[i+1] >= 0xDC00 && u[i+1] < 0xE000 {
				i++
				continue
			}
			return "", goja.StringFromUTF16(u)
		}
	}
	return string(utf16.Decode(u)), nil
}

// define sets an own property whose key no Go string can hold.
func (e *engine) define(o *goja.Object, key, v goja.Value) {
	desc := e.Runtime.NewObject()
	builtin.Must(desc.Set("value", v))
	for _, flag := range []string{"writable", "enumerable", "configurable"} {
		builtin.Must(desc.Set(flag, true))
	}
	define, _ := goja.AssertFunction(e.Object("Object", "defineProperty"))
	if _, err := define(goja.Undefined(), o, key, desc); err != nil {
		panic(err)
	}
}

// revive is InternalizeJSONProperty with the context argument of JSON.parse source text access.
func (e *engine) revive(reviver goja.Callable, holder *goja.Object, key string, node *jsonNode, depth int) goja.Value {
	if depth > builtin.MaxCalls {
		// A reviver can make the tree endless: it may put the object that it was called for below a later key.
		e.Throw("RangeError", "Maximum call stack size exceeded")
	}
	v := holder.Get(key)
	context := e.Runtime.NewObject()
	if o, ok := v.(*goja.Object); ok {
		if e.isArray(o) {
			length := int(builtin.ToLength(o.Get("length")))
			for i := 0; i < length; i++ {
				var child *jsonNode
				if node != nil && node.value == v && i < len(node.items) {
					child = node.items[i]
				}
				e.reviveInto(reviver, o, e.Runtime.ToValue(i).String(), child, depth+1)
			}
		} else {
			for _, k := range o.Keys() {
				var child *jsonNode
				if node != nil && node.value == v {
					child = node.fields[k]
				}
				e.reviveInto(reviver, o, k, child, depth+1)
			}
		}
	} else if node != nil && node.fields == nil && node.items == nil && v != nil && v.SameAs(node.value) {
		builtin.Must(context.Set("source", node.source))
	}
	if v == nil {
		v = goja.Undefined()
	}
	out, err := reviver(holder, e.Runtime.ToValue(key), v, context)
	if err != nil {
		panic(err)
	}
	return out
}

func (e *engine) reviveInto(reviver goja.Callable, o *goja.Object, key string, node *jsonNode, depth int) {
	v := e.revive(reviver, o, key, node, depth)
	if isProxy(o) {
		// A trap that refuses is ignored, one that throws is not.
		holder, method, args := e.Object("Reflect"), "deleteProperty", []goja.Value{o, e.Runtime.ToValue(key)}
		if !goja.IsUndefined(v) {
			d := e.Runtime.NewObject()
			for _, name := range []string{"writable", "enumerable", "configurable"} {
				builtin.Must(d.Set(name, true))
			}
			builtin.Must(d.Set("value", v))
			method, args = "defineProperty", append(args, d)
		}
		f, _ := goja.AssertFunction(holder.Get(method))
		if _, err := f(holder, args...); err != nil {
			panic(err)
		}
		return
	}
	if goja.IsUndefined(v) {
		_ = o.Delete(key) // as in the standard, a property that cannot be deleted stays
		return
	}
	// A property that can't change stays too.
	_ = o.DefineDataProperty(key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

func isProxy(o *goja.Object) bool { return o.ExportType() == gojainternals.ProxyType }

// isArray is IsArray, which looks through proxies.
func (e *engine) isArray(o *goja.Object) bool {
	if !isProxy(o) {
		return o.ClassName() == "Array"
	}
	f, _ := goja.AssertFunction(e.Object("Array").Get("isArray"))
	v, err := f(goja.Undefined(), o)
	if err != nil {
		panic(err)
	}
	return v.ToBoolean()
}
