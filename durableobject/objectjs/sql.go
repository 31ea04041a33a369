package objectjs

import (
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"eddy/durableobject/storage"
	"eddy/runtime/engine/webidl"
)

// sqlStorage is the state of ctx.storage.sql (SQL1).
type sqlStorage struct{ i *instance }

// cursor is the state of a SqlStorageCursor.
type cursor struct {
	i *instance
	c *storage.Cursor
}

// statement is the state of a prepared statement.
type statement struct {
	s     *sqlStorage
	query string
}

const errNoSQL = "SQL is not enabled for this Durable Object class. To enable it, change `new_classes` to " +
	"`new_sqlite_classes` within the 'migrations' field in your wrangler.jsonc or wrangler.toml file. If using " +
	"workerd directly,set `enableSql = true` in your workerd config for the class. Note that this change cannot be " +
	"made after the class is already deployed to production."

func (s *sqlStorage) store() *storage.Store {
	if !s.i.h.ns.sql() {
		s.i.h.iso.Realm.ThrowError("Error", "%s", errNoSQL)
	}
	return (&area{i: s.i}).check("exec")
}

func (k *kit) newSQL(i *instance) *goja.Object { return k.sql.Wrap(&sqlStorage{i}) }

func (k *kit) defineSQL() {
	r := k.iso.Realm
	k.cursor = r.Define(webidl.Spec{Name: "SqlStorageCursor", Tag: "Cursor", Members: []webidl.Member{
		webidl.Method("next", func(cur *cursor, _ *webidl.Call) goja.Value {
			v, ok := cur.row()
			return k.result(v, ok)
		}),
		webidl.Method("toArray", func(cur *cursor, _ *webidl.Call) goja.Value { return cur.all(cur.row) }),
		webidl.Method("one", func(cur *cursor, _ *webidl.Call) goja.Value { return cur.one() }),
		webidl.Method("raw", func(cur *cursor, _ *webidl.Call) goja.Value {
			it := k.iterator(cur.raw, cur.c.Close)
			all := r.Function("toArray", func(goja.FunctionCall) goja.Value { return cur.all(cur.raw) })
			_ = it.DefineDataProperty("toArray", all, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
			_ = it.DefineDataProperty("columnNames", cur.columns(), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
			return it
		}),
		webidl.Getter("columnNames", func(cur *cursor, _ *webidl.Call) goja.Value { return cur.columns() }),
		webidl.Getter("rowsRead", func(cur *cursor, c *webidl.Call) goja.Value { return c.Value(cur.c.RowsRead()) }),
		webidl.Getter("rowsWritten", func(cur *cursor,
			c *webidl.Call) goja.Value {
			return c.Value(cur.c.RowsWritten())
		}),
		webidl.Getter("reusedCachedQuery", func(*cursor,
			*webidl.Call) goja.Value {
			return k.iso.Runtime().ToValue(false)
		}),
	}})
	_ = k.cursor.Prototype.SetPrototype(k.iteratorProto)
	k.statement = r.Define(webidl.Spec{Name: "SqlStorageStatement", Tag: "Statement"})
	members := []webidl.Member{
		webidl.Method("exec", func(s *sqlStorage, c *webidl.Call) goja.Value {
			return s.exec(webidl.ToString(c.Require(0, "string")), c.Args[1:])
		}),
		webidl.Getter("databaseSize", func(s *sqlStorage, c *webidl.Call) goja.Value {
			n, err := s.store().Size()
			s.i.fail(err)
			return c.Value(n)
		}),
	}
	if k.iso.Flags.Enabled("experimental") {
		members = append(members, webidl.Method("prepare", func(s *sqlStorage, c *webidl.Call) goja.Value {
			query := webidl.ToString(c.Require(0, "string"))
			return k.rpcCallable(&statement{s, query}, func(args []goja.Value) goja.Value {
				return s.exec(query,
					args)
			})
		}))
	}
	k.sql = r.Define(webidl.Spec{Name: "SqlStorage", Members: members})
	for name, class := range map[string]*webidl.Interface{"Cursor": k.cursor, "Statement": k.statement} {
		_ = k.sql.Prototype.DefineDataProperty(name, class.Constructor, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
}

// rpcCallable makes a statement that is a function.
func (k *kit) rpcCallable(s *statement, call func([]goja.Value) goja.Value) *goja.Object {
	f := k.iso.Realm.Function("statement", func(fc goja.FunctionCall) goja.Value { return call(fc.Arguments) })
	_ = f.SetPrototype(k.statement.Prototype)
	k.iso.Realm.SetState(f, s)
	return f
}

func (s *sqlStorage) exec(query string, args []goja.Value) goja.Value {
	store := s.store()
	bindings := make([]any, len(args))
	for j, v := range args {
		bindings[j] = s.i.binding(v)
	}
	c, err := store.Exec(query, bindings...)
	if store.Dirty() {
		s.i.wrote()
	}
	if err == nil {
		s.i.noteSQL(query, c.RowsWritten() > 0, bindings)
	}
	s.i.fail(err)
	return s.i.h.kit.cursor.Wrap(&cursor{i: s.i, c: c})
}

// binding converts a value for a parameter (SQL6).
func (i *instance) binding(v goja.Value) any {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return nil
	}
	r := i.h.iso.Realm
	obj, isObj := v.(*goja.Object)
	if isObj {
		if b, ok := r.Bytes(obj); ok {
			if b == nil {
				b = []byte{}
			}
			return b
		}
		return bytesOf(v)
	}
	switch {
	case goja.IsNumber(v):
		return v.ToFloat()
	case goja.IsBigInt(v):
		r.ThrowType("Cannot convert a BigInt value to a number")
	}
	if _, ok := v.(*goja.Symbol); ok {
		r.ThrowType("Cannot convert a Symbol value to a string")
	}
	return bytesOf(v)
}

// column converts a value (SQL5).
func (i *instance) column(v any) goja.Value {
	rt := i.h.iso.Runtime()
	switch x := v.(type) {
	case nil:
		return goja.Null()
	case string:
		if !utf8.ValidString(x) {
			x = strings.ToValidUTF8(x, "\uFFFD")
		}
		return rt.ToValue(x)
	case []byte:
		return i.h.iso.Realm.ArrayBuffer(append([]byte(nil), x...))
	}
	return rt.ToValue(v)
}

func (c *cursor) next() ([]any, bool) {
	row, ok, err := c.c.Next()
	c.i.fail(err)
	return row, ok
}

// row is the next row as an object; of columns with the same name the last wins (SQL4).
func (c *cursor) row() (goja.Value, bool) {
	row, ok := c.next()
	if !ok {
		return nil, false
	}
	obj := c.i.h.iso.Runtime().NewObject()
	for j, name := range c.c.Columns() {
		if name != "__proto__" {
			_ = obj.Set(name, c.i.column(row[j]))
		}
	}
	return obj, true
}

// raw is the next row as an array.
func (c *cursor) raw() (goja.Value, bool) {
	row, ok := c.next()
	if !ok {
		return nil, false
	}
	list := make([]any, len(row))
	for j, v := range row {
		list[j] = c.i.column(v)
	}
	return c.i.h.iso.Runtime().NewArray(list...), true
}

func (c *cursor) all(next func() (goja.Value, bool)) goja.Value {
	var list []any
	for v, ok := next(); ok; v, ok = next() {
		list = append(list, v)
	}
	return c.i.h.iso.Runtime().NewArray(list...)
}

// one is cursor.one() (SQL3).
func (c *cursor) one() goja.Value {
	r := c.i.h.iso.Realm
	v, ok := c.row()
	if !ok {
		r.ThrowError("Error", "Expected exactly one result from SQL query, but got no results.")
	}
	if _, more := c.next(); more {
		c.c.Close()
		r.ThrowError("Error", "Expected exactly one result from SQL query, but got multiple results.")
	}
	return v
}

func (c *cursor) columns() goja.Value {
	var list []any
	for _, n := range c.c.Columns() {
		list = append(list, n)
	}
	return c.i.h.iso.Runtime().NewArray(list...)
}
