package objectjs

import (
	"errors"
	"math"
	"slices"

	"github.com/dop251/goja"

	"eddy/durableobject/storage"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/sqlite"
)

// area is the state of a DurableObjectStorage, and of a DurableObjectTransaction.
type area struct {
	i *instance
	// tx is set for transactions.
	tx *transaction
}

// check returns the store, if the object and the transaction still live. Otherwise it throws.
func (a *area) check(op string) *storage.Store {
	if a.tx != nil {
		a.tx.check(op)
	}
	if a.i.gone {
		k := a.i.h.kit
		if a.i.failure != nil {
			panic(k.rpc.Value(a.i.failure))
		}
		k.iso.Realm.ThrowError("Error", "The Durable Object's storage was used after the object left memory.")
	}
	return a.i.store
}

// fail throws the error of the store.
func (a *area) fail(err error) {
	a.i.fail(err)
}

func (i *instance) fail(err error) {
	if err == nil {
		return
	}
	if sqlite.Interrupted(err) && i.h.kit.stop.Load() {
		// The limit has interrupted the engine as well, which notices that only in a script. The reset comes at the end
		// of the turn.
		panic(new(goja.InterruptedError))
	}
	r := i.h.iso.Realm
	var limit *storage.LimitError
	if errors.As(err, &limit) {
		r.ThrowError("RangeError", "%s", limit.Text)
	}
	var broken *storage.BrokenError
	if errors.As(err, &broken) {
		i.abort(storageFailure(err))
	}
	r.ThrowError("Error", "%s", err.Error())
}

// undef is what storage calls that have no result resolve with.
func undef() goja.Value { return goja.Undefined() }

func (k *kit) defineStorage() {
	r := k.iso.Realm
	k.storage = r.Define(webidl.Spec{Name: "DurableObjectStorage",
		Members: append(slices.Concat(k.areaMembers(), k.bookmarkMembers(), k.snapshotMembers()), []webidl.Member{
			webidl.Async("transaction", func(a *area,
				c *webidl.Call) goja.Value {
				return a.transaction(c.Function(0))
			}),
			webidl.Async("sync", func(a *area, _ *webidl.Call) goja.Value { return a.sync() }),
			webidl.Method("transactionSync", func(a *area,
				c *webidl.Call) goja.Value {
				return a.transactionSync(c.Function(0))
			}),
		}...)})
	k.transaction = r.Define(webidl.Spec{Name: "DurableObjectTransaction", Members: append(k.areaMembers(),
		webidl.Method("rollback", func(a *area, _ *webidl.Call) goja.Value {
			a.tx.rollback()
			return nil
		}))})
	k.defineSyncKV()
	k.defineSQL()
	k.defineAlarmInfo()
}

// newStorage makes ctx.storage; kv and sql are its own properties (KV1).
func (k *kit) newStorage(i *instance) *goja.Object {
	obj := k.storage.Wrap(&area{i: i})
	own := func(name string, make func() goja.Value) {
		var made goja.Value
		get := r(k).Function("get "+name, func(goja.FunctionCall) goja.Value {
			if made == nil {
				made = make()
			}
			return made
		})
		_ = obj.DefineAccessorProperty(name, get, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	own("kv", func() goja.Value { return k.syncKV.Wrap(&syncKV{i: i}) })
	own("sql", func() goja.Value { return k.newSQL(i) })
	return obj
}

func r(k *kit) *webidl.Realm { return k.iso.Realm }

// areaMembers are the methods that storage and transactions share.
func (k *kit) areaMembers() []webidl.Member {
	return append([]webidl.Member{
		webidl.Async("get", func(a *area, c *webidl.Call) goja.Value { return a.get(c) }),
		webidl.Async("list", func(a *area, c *webidl.Call) goja.Value { return a.list(c) }),
		webidl.Async("put", func(a *area, c *webidl.Call) goja.Value { return a.put(c) }),
		webidl.Async("delete", func(a *area, c *webidl.Call) goja.Value { return a.delete(c) }),
		webidl.Async("deleteAll", func(a *area, c *webidl.Call) goja.Value {
			c.Object(0, "PutOptions")
			return a.deleteAll()
		}),
	}, k.alarmMembers()...)
}

// keys reads an argument that is one key or an array of them; anything but an array is a key (KV3).
func (a *area) keys(v goja.Value) (keys []string, many bool) {
	obj, ok := v.(*goja.Object)
	if !ok || obj.ClassName() != "Array" {
		return []string{bytesOf(v)}, false
	}
	a.i.h.iso.Runtime().ForOf(obj, func(k goja.Value) bool {
		keys = append(keys, bytesOf(k))
		return true
	})
	return keys, true
}

func (a *area) get(c *webidl.Call) goja.Value {
	keys, many := a.keys(c.Require(0, "string or Array"))
	c.Object(1, "GetOptions")
	s := a.check("get")
	k := a.i.h.kit
	if !many {
		b, ok, err := s.Get(keys[0])
		a.fail(err)
		a.i.noteUse("get", keys[0], false, a.i.shown(b))
		if !ok {
			return undef()
		}
		return k.decode(b)
	}
	entries, err := s.GetMulti(keys)
	a.fail(err)
	a.i.noteEntries("get", false, entries)
	return k.mapOf(entries)
}

// mapOf makes a Map of entries.
func (k *kit) mapOf(entries []storage.Pair) goja.Value {
	rt := k.iso.Runtime()
	m, err := rt.New(rt.Get("Map"))
	if err != nil {
		panic(err)
	}
	set, _ := goja.AssertFunction(m.Get("set"))
	for _, e := range entries {
		if _, err := set(m, k.stringOf(e.Key), k.decode(e.Value)); err != nil {
			panic(err)
		}
	}
	return m
}

// listOptions reads the argument of list (KV7, KV8).
func (i *instance) listOptions(c *webidl.Call) storage.ListOptions {
	var o storage.ListOptions
	obj := c.Object(0, "ListOptions")
	str := func(name string) *string {
		v := webidl.Option(obj, name)
		if v == nil {
			return nil
		}
		s := bytesOf(v)
		return &s
	}
	o.Start, o.StartAfter, o.End = str("start"), str("startAfter"), str("end")
	if p := str("prefix"); p != nil {
		o.Prefix = *p
	}
	if v := webidl.Option(obj, "reverse"); v != nil {
		o.Reverse = v.ToBoolean()
	}
	if v := webidl.Option(obj, "limit"); v != nil {
		n := i.h.iso.Realm.Int32(v)
		if n <= 0 {
			c.ThrowType("List limit must be positive.")
		}
		o.Limit = int(n)
	}
	if o.Start != nil && o.StartAfter != nil {
		c.ThrowType("list() cannot be called with both start and startAfter values.")
	}
	return o
}

func (a *area) list(c *webidl.Call) goja.Value {
	o := a.i.listOptions(c)
	entries, err := a.check("list").List(o)
	a.fail(err)
	a.i.noteList(o, entries)
	return a.i.h.kit.mapOf(entries)
}

const errPutForm = "put() may only be called with a single key-value pair and optional options as put(key, value, " +
	"options) or with multiple key-value pairs and optional options as put(entries, options)"

func (a *area) put(c *webidl.Call) goja.Value {
	first := c.Require(0, "string or object")
	k := a.i.h.kit
	obj, isObj := first.(*goja.Object)
	if isObj && obj.ClassName() == "Array" {
		isObj = false // read as a key
	}
	if !isObj {
		if c.Missing(1) {
			c.ThrowType("put() called with undefined value.")
		}
		key := bytesOf(first)
		c.Object(2, "PutOptions")
		s := a.check("put")
		b := k.encode(c.Arg(1))
		a.fail(s.Put(key, b))
		a.i.wrote()
		a.i.noteUse("put", key, true, a.i.shown(b))
		return undef()
	}
	if !c.Missing(1) {
		if _, ok := c.Arg(1).(*goja.Object); !ok {
			c.ThrowType("%s", errPutForm)
		}
	}
	s := a.check("put")
	var entries []storage.Pair
	for _, name := range obj.Keys() {
		v := obj.Get(name)
		if v == nil || goja.IsUndefined(v) {
			continue
		}
		entries = append(entries, storage.Pair{Key: bytesOf(k.iso.Runtime().ToValue(name)), Value: k.encode(v)})
	}
	a.fail(s.PutMulti(entries))
	a.i.noteEntries("put", true, entries)
	if len(entries) > 0 {
		a.i.wrote()
	}
	return undef()
}

func (a *area) delete(c *webidl.Call) goja.Value {
	keys, many := a.keys(c.Require(0, "string or Array"))
	c.Object(1, "PutOptions")
	s := a.check("delete")
	if !many {
		ok, err := s.Delete(keys[0])
		a.fail(err)
		a.i.noteUse("delete", keys[0], true, nil)
		if ok {
			a.i.wrote()
		}
		return c.Value(ok)
	}
	n, err := s.DeleteMulti(keys)
	a.fail(err)
	for _, key := range keys {
		a.i.noteUse("delete", key, true, nil)
	}
	if n > 0 {
		a.i.wrote()
	}
	return c.Value(n)
}

func (a *area) deleteAll() goja.Value {
	s := a.check("deleteAll")
	if a.tx != nil {
		a.fail(storage.ErrDeleteAllInTransaction)
	}
	keep := !a.i.h.iso.Flags.Enabled("delete_all_deletes_alarm")
	at, err := s.Alarm()
	a.fail(err)
	a.fail(s.DeleteAll(keep))
	a.i.noteUse("deleteAll", "", true, nil)
	a.i.wrote()
	a.i.deleteAllFacets()
	if !keep && !at.IsZero() {
		a.i.alarmChanged()
	}
	return undef()
}

// sync resolves when what was written before is durable. It and getCurrentBookmark are the storage calls that let other
// events in (KV16, GT3).
func (a *area) sync() goja.Value {
	a.check("sync")
	return a.synced(goja.Undefined())
}

// synced resolves with v when what was written before is durable.
func (a *area) synced(v goja.Value) goja.Value {
	p, settle := a.i.scope.Deferred()
	a.i.scope.Output(func(err error) {
		settle(func() (goja.Value, goja.Value) {
			if err != nil {
				return nil, a.i.h.iso.Realm.ErrorValue(err)
			}
			return v, nil
		})
	})
	return p
}

// number is a float64 as goja holds it: integers as integers.
func number(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 && !(f == 0 && math.Signbit(f)) {
		return int64(f)
	}
	return f
}
