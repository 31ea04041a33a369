package kv

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
	"eddy/runtime/webapi/streams"
)

// readOptions are the second argument of get and getWithMetadata: a type, or {type, cacheTtl}.
type readOptions struct {
	typ      string // "" for the default
	cacheTTL string // as given, for the text of the error
	tooShort bool
}

func (n *namespace) readOptions(c *webidl.Call) readOptions {
	var r readOptions
	v := c.Arg(1)
	o, isObject := v.(*goja.Object)
	switch {
	case goja.IsUndefined(v) || goja.IsNull(v):
	case !isObject:
		r.typ = webidl.ToString(v)
	default:
		r.typ = text(o, "type")
		if ttl, shown, given := n.seconds(o, "cacheTtl"); given {
			r.cacheTTL, r.tooShort = shown, ttl < minCacheTTL
		}
	}
	return r
}

func (n *namespace) checkCacheTTL(operation string, r readOptions) {
	if r.tooShort {
		n.refuse(operation, 400, "Invalid cache_ttl of %s. Cache TTL must be at least %d.", r.cacheTTL, minCacheTTL)
	}
}

// get is get(key or keys, type or options).
func (n *namespace) get(c *webidl.Call) goja.Value {
	if keys, ok := n.keys(c); ok {
		return n.bulk(keys, n.readOptions(c), false)
	}
	return n.single(c, func(e StoredValue, ok bool, value goja.Value) goja.Value { return value })
}

// getWithMetadata is getWithMetadata(key or keys, type or options).
func (n *namespace) getWithMetadata(c *webidl.Call) goja.Value {
	if keys, ok := n.keys(c); ok {
		return n.bulk(keys, n.readOptions(c), true)
	}
	return n.single(c, func(e StoredValue, ok bool, value goja.Value) goja.Value {
		o := n.withMetadata(value, e)
		_ = o.Set("cacheStatus", goja.Null())
		return o
	})
}

func (n *namespace) withMetadata(value goja.Value, e StoredValue) *goja.Object {
	o := n.iso.Runtime().NewObject()
	_ = o.Set("value", value)
	_ = o.Set("metadata", goja.Null())
	if e.Metadata != "" {
		_ = o.Set("metadata", n.parse(e.Metadata))
	}
	return o
}

// keys reads the first argument if it is a list.
func (n *namespace) keys(c *webidl.Call) (keys []string, ok bool) {
	rt := c.Runtime()
	o, isObject := c.Require(0, "string or Array").(*goja.Object)
	if !isObject || o.ClassName() != "Array" {
		return nil, false
	}
	rt.ForOf(o, func(v goja.Value) bool {
		keys = append(keys, webidl.ToString(v))
		return true
	})
	return keys, true
}

// single reads one key; answer makes the result of the entry and its converted value.
func (n *namespace) single(c *webidl.Call, answer func(e StoredValue, ok bool,
	value goja.Value) goja.Value) goja.Value {
	key, o := n.checkKey("GET", webidl.ToString(c.Arg(0))), n.readOptions(c)
	n.checkCacheTTL("GET", o)
	return n.request(n.access("get", key), func(noted *journal.Access) (func() goja.Value, error) {
		e, ok, err := n.source.Get(key)
		if noted != nil {
			noted.Value, noted.Missing, noted.Options = e.Value, !ok, e.Metadata
		}
		return func() goja.Value {
			if !ok {
				return answer(e, false, goja.Null())
			}
			return answer(e, true, n.convert(e.Value, o.typ))
		}, err
	})
}

func (n *namespace) convert(value []byte, typ string) goja.Value {
	switch typ {
	case "", "text":
		return n.iso.Runtime().ToValue(decode(value))
	case "json":
		return n.parse(decode(value))
	case "arrayBuffer":
		return n.iso.Realm.ArrayBuffer(value)
	case "stream":
		return streams.FromBytes(n.iso.Host, value)
	}
	n.iso.Realm.ThrowType(`Unknown response type. Possible types are "text", "arrayBuffer", "json", and "stream".`)
	return nil
}

// bulk reads several keys: a Map in their order.
func (n *namespace) bulk(keys []string, o readOptions, withMetadata bool) goja.Value {
	n.checkWritable(bulkOperation, "post") // the service's word: reading in bulk is a POST
	switch {
	case o.typ != "" && o.typ != "text" && o.typ != "json":
		n.refuse(bulkOperation, 400, `"%s" is not a valid type. Use "json" or "text"`, o.typ)
	case len(keys) > maxBulkKeys:
		n.refuse(bulkOperation, 400, "You can request a maximum of %d keys", maxBulkKeys)
	case len(keys) == 0:
		n.refuse(bulkOperation, 400, "You must request a minimum of 1 key")
	}
	for _, k := range keys {
		switch k {
		case "":
			n.refuse(bulkOperation, 400, "Key names must not be empty")
		case ".", "..":
			n.refuse(bulkOperation, 400, `Illegal key name "%s". Please use a different name.`, k)
		}
		n.checkLength(bulkOperation, k)
	}
	n.checkCacheTTL(bulkOperation, o)
	type found struct {
		StoredValue
		ok bool
	}
	use := n.access("get", strings.Join(keys, ","))
	return n.request(use, func(*journal.Access) (func() goja.Value, error) {
		entries, size := make([]found, len(keys)), 0
		for i, k := range keys {
			var err error
			if entries[i].StoredValue, entries[i].ok, err = n.source.Get(k); err != nil {
				return nil, err
			}
			size += len(entries[i].Value)
		}
		return func() goja.Value {
			if size > maxValue {
				n.refuse(bulkOperation, 413, "Total size of request exceeds the limit of %dMB", maxValue>>20)
			}
			rt := n.iso.Runtime()
			m, err := rt.New(rt.Get("Map"))
			if err != nil {
				panic(err)
			}
			set, _ := goja.AssertFunction(m.Get("set"))
			for i, k := range keys {
				v := goja.Value(goja.Null())
				if e := entries[i]; e.ok {
					if v = n.convertBulk(e.Value, o.typ); withMetadata {
						v = n.withMetadata(v, e.StoredValue)
					}
				}
				if _, err := set(m, rt.ToValue(k), v); err != nil {
					panic(err)
				}
			}
			return m
		}, nil
	})
}

// convertBulk does what convert does, but throws the service's text if the value is not JSON.
func (n *namespace) convertBulk(value []byte, typ string) (v goja.Value) {
	if n.iso.Realm.Try(func() { v = n.convert(value, typ) }) != nil {
		n.refuse(bulkOperation, 400, "At least one of the requested keys corresponds to a non-%s value", typ)
	}
	return v
}
