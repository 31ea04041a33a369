package fetch

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// headersOf is the list behind a Headers object.
func (k *classes) headersOf(v goja.Value) (*Headers, bool) {
	return webidl.StateOf[*Headers](k.h.Realm, v)
}

func (k *classes) checkName(name string) string {
	if !validName(name) {
		k.h.Realm.ThrowType("Invalid header name.")
	}
	return lowerName(name)
}

func (k *classes) checkValue(value string) string {
	v, ok := trimValue(value)
	if !ok {
		k.h.Realm.ThrowType("Invalid header value.")
	}
	return v
}

func (k *classes) checkGuard(h *Headers) {
	if h.immutable {
		k.h.Realm.ThrowType("Can't modify immutable headers.")
	}
}

// headersFrom reads HeadersInit: a Headers object, an iterable of pairs, or a record.
func (k *classes) headersFrom(v goja.Value) *Headers {
	out := &Headers{}
	if v == nil || goja.IsUndefined(v) {
		return out
	}
	if src, ok := k.headersOf(v); ok {
		return src.Clone()
	}
	obj, ok := v.(*goja.Object)
	if !ok {
		k.h.Realm.ThrowType("Incorrect type: the provided value is not of type 'HeadersInit'.")
	}
	add := func(name, value goja.Value) {
		n, v := webidl.ToString(name), webidl.ToString(value)
		k.checkName(n)
		out.Append(n, k.checkValue(v))
	}
	rt := k.h.Runtime()
	if m := obj.GetSymbol(goja.SymIterator); m != nil && !goja.IsUndefined(m) && !goja.IsNull(m) {
		rt.ForOf(obj, func(item goja.Value) bool {
			var pair []goja.Value
			if o, ok := item.(*goja.Object); ok {
				rt.ForOf(o, func(v goja.Value) bool {
					pair = append(pair, v)
					return true
				})
			}
			if len(pair) != 2 {
				k.h.Realm.ThrowType("To initialize a Headers object from a sequence, each inner sequence must have " +
					"exactly two elements.")
			}
			add(pair[0], pair[1])
			return true
		})
		return out
	}
	for _, name := range obj.Keys() {
		add(rt.ToValue(name), obj.Get(name))
	}
	return out
}

func (k *classes) defineHeaders() {
	rt := k.h.Runtime()
	pair := func(f field) goja.Value { return k.h.Realm.Array(rt.ToValue(f.key), rt.ToValue(f.value)) }
	key := func(f field) goja.Value { return rt.ToValue(f.key) }
	value := func(f field) goja.Value { return rt.ToValue(f.value) }
	walk := func(item func(field) goja.Value) func(*Headers, *webidl.Call) goja.Value {
		return func(h *Headers, _ *webidl.Call) goja.Value {
			list := h.sorted()
			return k.iterate(len(list), func(i int) goja.Value { return item(list[i]) })
		}
	}
	cookies := func(h *Headers) goja.Value {
		var list []any
		for _, v := range h.Values("set-cookie") {
			list = append(list, v)
		}
		return rt.NewArray(list...)
	}
	k.headers = k.h.Realm.Define(webidl.Spec{
		Name: "Headers",
		New:  func(c *webidl.Call) any { return k.headersFrom(c.Arg(0)) },
		Members: []webidl.Member{
			webidl.Method("get", func(h *Headers, c *webidl.Call) goja.Value {
				if v, ok := h.Get(k.checkName(c.String(0))); ok {
					return rt.ToValue(v)
				}
				return goja.Null()
			}),
			webidl.Method("getAll", func(h *Headers, c *webidl.Call) goja.Value {
				if lowerName(c.String(0)) != "set-cookie" {
					c.ThrowType(`getAll() can only be used with the header name "Set-Cookie".`)
				}
				return cookies(h)
			}),
			webidl.Method("getSetCookie", func(h *Headers, _ *webidl.Call) goja.Value { return cookies(h) }),
			webidl.Method("has", func(h *Headers, c *webidl.Call) goja.Value {
				return c.Value(h.Has(k.checkName(c.String(0))))
			}),
			webidl.Method("set", func(h *Headers, c *webidl.Call) goja.Value {
				name, v := c.String(0), c.String(1)
				k.checkGuard(h)
				v = k.checkValue(v)
				k.checkName(name)
				h.Set(name, v)
				return nil
			}),
			webidl.Method("append", func(h *Headers, c *webidl.Call) goja.Value {
				name, v := c.String(0), c.String(1)
				k.checkGuard(h)
				v = k.checkValue(v)
				k.checkName(name)
				h.Append(name, v)
				return nil
			}),
			webidl.Method("delete", func(h *Headers, c *webidl.Call) goja.Value {
				name := c.String(0)
				k.checkGuard(h)
				h.Delete(k.checkName(name))
				return nil
			}),
			webidl.Method("forEach", func(h *Headers, c *webidl.Call) goja.Value {
				f := c.Function(0)
				for _, e := range h.sorted() {
					if _, err := f(c.Arg(1), rt.ToValue(e.value), rt.ToValue(e.key), c.This); err != nil {
						panic(err)
					}
				}
				return nil
			}),
			webidl.Method("entries", walk(pair)),
			webidl.Method("keys", walk(key)),
			webidl.Method("values", walk(value)),
			webidl.SymbolMethod(goja.SymIterator, "entries", walk(pair)),
		},
	}).Install()
}
