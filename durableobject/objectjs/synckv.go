package objectjs

import (
	"github.com/dop251/goja"

	"eddy/durableobject/storage"
	"eddy/runtime/engine/webidl"
)

// syncKV is the state of ctx.storage.kv (KV14).
type syncKV struct{ i *instance }

const errNoSyncKV = "The storage.kv (synchronous KV) API is only available for SQLite-backed Durable Objects, but " +
	"this object's namespace is not declared to use SQLite. You can use the older, asyncronous interface via " +
	"methods of `storage` itself (e.g. `storage.get()`). Alternatively, to enable SQLite, change `new_classes` to " +
	"`new_sqlite_classes` within the 'migrations' field in your wrangler.jsonc or wrangler.toml file. If using " +
	"workerd directly, set `enableSql = true` in your workerd config for the class. Note that this change cannot be " +
	"made after the class is already deployed to production."

func (s *syncKV) store(op string) *storage.Store {
	if !s.i.h.ns.sql() {
		s.i.h.iso.Realm.ThrowError("Error", "%s", errNoSyncKV)
	}
	return (&area{i: s.i}).check(op)
}

func (k *kit) defineSyncKV() {
	k.iteratorProto = k.iteratorPrototype()
	k.syncKV = k.iso.Realm.Define(webidl.Spec{Name: "SyncKvStorage", Members: []webidl.Member{
		webidl.Method("get", func(s *syncKV, c *webidl.Call) goja.Value {
			key := bytesOf(c.Require(0, "string"))
			b, ok, err := s.store("get").Get(key)
			s.i.fail(err)
			s.i.noteUse("get", key, false, s.i.shown(b))
			if !ok {
				return undef()
			}
			return k.decode(b)
		}),
		webidl.Method("put", func(s *syncKV, c *webidl.Call) goja.Value {
			key := bytesOf(c.Require(0, "string"))
			v := c.Require(1, "Value")
			store := s.store("put")
			b := k.encode(v)
			s.i.fail(store.Put(key, b))
			s.i.wrote()
			s.i.noteUse("put", key, true, s.i.shown(b))
			return undef()
		}),
		webidl.Method("delete", func(s *syncKV, c *webidl.Call) goja.Value {
			key := bytesOf(c.Require(0, "string"))
			ok, err := s.store("delete").Delete(key)
			s.i.fail(err)
			s.i.noteUse("delete", key, true, nil)
			if ok {
				s.i.wrote()
			}
			return c.Value(ok)
		}),
		webidl.Method("list", func(s *syncKV, c *webidl.Call) goja.Value {
			store := s.store("list")
			o := s.i.listOptions(c)
			cursor, err := store.ListCursor(o)
			s.i.fail(err)
			s.i.noteUse("list", o.Prefix, false, nil)
			return k.iterator(func() (goja.Value, bool) {
				e, ok, err := cursor.Next()
				s.i.fail(err)
				if !ok {
					return nil, false
				}
				return k.iso.Runtime().NewArray(k.stringOf(e.Key), k.decode(e.Value)), true
			}, cursor.Close)
		}),
	}})
}

// iteratorPrototype is %IteratorPrototype%.
func (k *kit) iteratorPrototype() *goja.Object {
	rt := k.iso.Runtime()
	v, err := rt.RunString("Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))")
	if err != nil {
		panic(err)
	}
	return v.ToObject(rt)
}

// iterator makes an iterator object that inherits Iterator.prototype (SQL2).
func (k *kit) iterator(next func() (goja.Value, bool), end func()) *goja.Object {
	rt := k.iso.Runtime()
	it := rt.CreateObject(k.iteratorProto)
	method := func(name string, f func(goja.FunctionCall) goja.Value) {
		_ = it.DefineDataProperty(name, k.iso.Realm.Function(name, f), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	method("next", func(goja.FunctionCall) goja.Value {
		v, ok := next()
		return k.result(v, ok)
	})
	method("return", func(fc goja.FunctionCall) goja.Value {
		end()
		return k.result(fc.Argument(0), false)
	})
	return it
}

// result is {done, value}, with both keys always (SQL2).
func (k *kit) result(v goja.Value, ok bool) *goja.Object {
	if v == nil {
		v = goja.Undefined()
	}
	obj := k.iso.Runtime().NewObject()
	_ = obj.Set("done", !ok)
	_ = obj.Set("value", v)
	return obj
}
