package url

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// cursor walks a live list by index: what is deleted or appended while it walks is seen as the standard says, and
// nothing it hands out depends on the list afterwards.
type cursor struct {
	over *search
	next int
	item func(Pair) goja.Value
}

// defineIterator makes one of the three iterator classes, which inherit from %IteratorPrototype%.
func defineIterator(h *host.Host, name string) *webidl.Interface {
	rt := h.Runtime()
	i := h.Realm.Define(webidl.Spec{Name: name, Members: []webidl.Member{
		webidl.Method("next", func(it *cursor, c *webidl.Call) goja.Value {
			done, value := true, goja.Undefined()
			if pairs := it.over.read().pairs; it.next < len(pairs) {
				done, value = false, it.item(pairs[it.next])
				it.next++
			}
			return c.Realm().Step(value, done)
		}),
	}})
	array := rt.NewArray()
	if values, ok := goja.AssertFunction(array.GetSymbol(goja.SymIterator)); ok {
		if it, err := values(array); err == nil {
			_ = i.Prototype.SetPrototype(it.ToObject(rt).Prototype().Prototype())
		}
	}
	return i
}

func defineParams(h *host.Host) *webidl.Interface {
	rt := h.Runtime()
	str := func(s string) goja.Value { return rt.ToValue(s) }
	walker := func(name, class string, item func(Pair) goja.Value) func(*search, *webidl.Call) goja.Value {
		i := defineIterator(h, class)
		return func(s *search, _ *webidl.Call) goja.Value { return i.Wrap(&cursor{over: s, item: item}) }
	}
	entries := walker("entries", "EntryIterator", func(p Pair) goja.Value {
		return h.Realm.Array(str(p.Name), str(p.Value))
	})
	keys := walker("keys", "KeyIterator", func(p Pair) goja.Value { return str(p.Name) })
	values := walker("values", "ValueIterator", func(p Pair) goja.Value { return str(p.Value) })

	// The second argument of has and delete counts only where the standard's change has been adopted.
	value := func(c *webidl.Call) *string {
		if c.Missing(1) || h.Flag != nil && !h.Enabled("urlsearchparams_delete_has_value_arg") {
			return nil
		}
		v := c.USVString(1)
		return &v
	}
	return h.Realm.Define(webidl.Spec{
		Name: "URLSearchParams",
		New:  func(c *webidl.Call) any { return &search{list: &Params{pairs: initialPairs(c)}} },
		Members: []webidl.Member{
			webidl.Getter("size", func(s *search, c *webidl.Call) goja.Value { return c.Value(len(s.read().pairs)) }),
			webidl.Method("append", func(s *search, c *webidl.Call) goja.Value {
				name, v := c.USVString(0), c.USVString(1)
				s.write().Append(name, v)
				return nil
			}),
			webidl.Method("delete", func(s *search, c *webidl.Call) goja.Value {
				name, v := c.USVString(0), value(c)
				s.write().Delete(name, v)
				return nil
			}),
			webidl.Method("get", func(s *search, c *webidl.Call) goja.Value {
				if v, ok := s.read().Get(c.USVString(0)); ok {
					return str(v)
				}
				return goja.Null()
			}),
			webidl.Method("getAll", func(s *search, c *webidl.Call) goja.Value {
				name, all := c.USVString(0), []any{}
				for _, p := range s.read().pairs {
					if p.Name == name {
						all = append(all, p.Value)
					}
				}
				return rt.NewArray(all...)
			}),
			webidl.Method("has", func(s *search, c *webidl.Call) goja.Value {
				name, v := c.USVString(0), value(c)
				return c.Value(s.read().Has(name, v))
			}),
			webidl.Method("set", func(s *search, c *webidl.Call) goja.Value {
				name, v := c.USVString(0), c.USVString(1)
				s.write().Set(name, v)
				return nil
			}),
			webidl.Method("sort", func(s *search, _ *webidl.Call) goja.Value { s.write().Sort(); return nil }),
			webidl.Method("entries", entries),
			webidl.Method("keys", keys),
			webidl.Method("values", values),
			webidl.Method("forEach", func(s *search, c *webidl.Call) goja.Value {
				f := c.Function(0)
				for i := 0; i < len(s.read().pairs); i++ {
					p := s.list.pairs[i]
					if _, err := f(c.Arg(1), str(p.Value), str(p.Name), c.This); err != nil {
						panic(err)
					}
				}
				return nil
			}),
			webidl.Method("toString", func(s *search, c *webidl.Call) goja.Value {
				size := 0
				for _, p := range s.read().Pairs() {
					size += len(p.Name) + len(p.Value)
				}
				c.Realm().Need(6 * size) // three bytes each, of which a list is made first
				return str(s.read().String())
			}),
			webidl.SymbolMethod(goja.SymIterator, "entries", entries),
		},
	})
}

// initialPairs reads the constructor's argument: a sequence of pairs, a record, or a string.
func initialPairs(c *webidl.Call) []Pair {
	if c.Missing(0) {
		return nil
	}
	obj, ok := c.Arg(0).(*goja.Object)
	if !ok {
		s := c.USVString(0)
		if s != "" && s[0] == '?' {
			s = s[1:]
		}
		return ParseForm(s)
	}
	rt := c.Runtime()
	if method := obj.GetSymbol(goja.SymIterator); method != nil && !goja.IsUndefined(method) && !goja.IsNull(method) {
		var pairs []Pair
		rt.ForOf(obj, func(item goja.Value) bool {
			pairs = append(pairs, pairOf(c, item))
			return true
		})
		return pairs
	}
	var pairs []Pair
	index := map[string]int{}
	for _, key := range obj.Keys() {
		name, value := webidl.USVString(rt.ToValue(key)), webidl.USVString(obj.Get(key))
		if i, ok := index[name]; ok {
			pairs[i].Value = value
			continue
		}
		index[name] = len(pairs)
		pairs = append(pairs, Pair{name, value})
	}
	return pairs
}

func pairOf(c *webidl.Call, item goja.Value) Pair {
	var parts []string
	obj, ok := item.(*goja.Object)
	if ok {
		c.Runtime().ForOf(obj, func(v goja.Value) bool {
			parts = append(parts, webidl.USVString(v))
			return true
		})
	}
	if len(parts) != 2 {
		c.ThrowType("Invalid URL search params sequence.")
	}
	return Pair{parts[0], parts[1]}
}
