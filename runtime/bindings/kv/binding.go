package kv

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
	"eddy/runtime/worker"
)

// Binding is a KV binding: env[Key].
type Binding struct {
	Key   string
	Store Namespace
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	return class(iso).Wrap(&namespace{iso: iso, name: b.Key, source: b.Store, store: b.Store}), nil
}

// namespace is the state of a KvNamespace. Loop goroutine only, but for store.
type namespace struct {
	iso  *worker.Isolate
	name string // in env
	source
	store Namespace // nil for a Workers Site, which takes no writes
}

// Refusal implements [structured.Refuser] (B1).
func (n *namespace) Refusal() string { return "A KV namespace binding cannot be serialized." }

// class is KvNamespace: not a global, no own keys.
func class(iso *worker.Isolate) *webidl.Interface {
	type key struct{}
	c, ok := iso.Value(key{}).(*webidl.Interface)
	if !ok {
		c = iso.Realm.Define(webidl.Spec{Name: "KvNamespace", Members: []webidl.Member{
			webidl.Async("get", (*namespace).get),
			webidl.Async("getWithMetadata", (*namespace).getWithMetadata),
			webidl.Async("list", (*namespace).list),
			webidl.Async("put", (*namespace).put),
			webidl.Async("delete", (*namespace).delete),
		}})
		iso.SetValue(key{}, c)
	}
	return c
}

// Limits of the platform, in bytes where they are sizes.
const (
	maxKey        = 512
	maxValue      = 25 << 20
	maxMetadata   = 1024
	maxBulkKeys   = 100
	maxListKeys   = 1000
	minTTL        = 60 // seconds
	minCacheTTL   = 30 // seconds
	bulkOperation = "GET_BULK"
)

// refuse throws the error for an answer of the KV service whose status is not 200.
func (n *namespace) refuse(operation string, status int, format string, args ...any) {
	n.iso.Realm.ThrowError("Error", "KV %s failed: %d %s", operation, status, fmt.Sprintf(format, args...))
}

// checkKey refuses names that the platform refuses.
func (n *namespace) checkKey(operation, key string) string {
	switch {
	case key == "":
		n.iso.Realm.ThrowType("Key name cannot be empty.")
	case key == "." || key == "..":
		n.iso.Realm.ThrowType("%q is not allowed as a key name.", key)
	}
	n.checkLength(operation, key)
	return key
}

func (n *namespace) checkLength(operation, key string) {
	if len(key) > maxKey {
		n.refuse(operation, 414, "UTF-8 encoded length of %d exceeds key length limit of %d.", len(key), maxKey)
	}
}

// checkWritable refuses what only a [Namespace] can do.
func (n *namespace) checkWritable(operation, method string) {
	if n.store == nil {
		n.refuse(operation, 405, "Cannot %s() with Workers Sites namespace", method)
	}
}

// access is what the journal would note of a use.
func (n *namespace) access(op, key string) journal.Access {
	return journal.Access{Store: "kv", Binding: n.name, Op: op, Key: key, Write: op == "put" || op == "delete"}
}

// request runs work off the loop behind the output gate; settle makes the value on the loop. The journal notes use, of
// which work gets what it may complete, nil if it notes nothing.
func (n *namespace) request(use journal.Access,
	work func(noted *journal.Access) (settle func() goja.Value, err error)) goja.Value {
	noted, done := n.iso.Access(use)
	failure := func(err error) goja.Value { return n.iso.Realm.NewError("Error", err.Error()) }
	return n.iso.Host.Scope().Request(func() func() (goja.Value, goja.Value) {
		settle, err := work(noted)
		return func() (value, thrown goja.Value) {
			done(err)
			if err != nil {
				return nil, failure(err)
			}
			if settle != nil {
				thrown = n.iso.Realm.Try(func() { value = settle() })
			}
			return value, thrown
		}
	}, failure)
}

// delete is delete(key).
func (n *namespace) delete(c *webidl.Call) goja.Value {
	key := n.checkKey("DELETE", c.String(0))
	n.checkWritable("DELETE", "delete")
	return n.request(n.access("delete", key), func(*journal.Access) (func() goja.Value, error) {
		return nil, n.store.Delete(key)
	})
}

// list is list({prefix, limit, cursor}).
func (n *namespace) list(c *webidl.Call) goja.Value {
	o := c.Object(0, "ListOptions")
	limit := maxListKeys
	if v := webidl.Option(o, "limit"); v != nil {
		if i := int(c.Realm().Int32(v)); i > 0 {
			limit = i
		}
	}
	if limit > maxListKeys {
		// The reference's texts call it GET and forget "or equal".
		n.refuse("GET", 400, "Invalid key_count_limit of %d. Please specify an integer less than %d.", limit,
			maxListKeys)
	}
	prefix, cursor := text(o, "prefix"), text(o, "cursor")
	n.checkLength("GET", prefix)
	return n.request(n.access("list", prefix), func(noted *journal.Access) (func() goja.Value, error) {
		p, err := n.source.List(prefix, cursor, limit)
		if noted != nil {
			names := make([]string, len(p.Keys))
			for i, k := range p.Keys {
				names[i] = k.Name
			}
			noted.Value, _ = json.Marshal(names) // texts always marshal
		}
		return func() goja.Value { return n.page(p) }, err
	})
}

// text is a string option, "" for none and for null.
func text(o *goja.Object, name string) string {
	v := webidl.Option(o, name)
	if v == nil || goja.IsNull(v) {
		return ""
	}
	return webidl.ToString(v)
}

// page is {keys, list_complete, cursor?, cacheStatus}.
func (n *namespace) page(p Page) goja.Value {
	rt := n.iso.Runtime()
	keys := make([]any, len(p.Keys))
	for i, k := range p.Keys {
		o := rt.NewObject()
		_ = o.Set("name", k.Name)
		if !k.Expiration.IsZero() {
			_ = o.Set("expiration", k.Expiration.Unix())
		}
		if k.Metadata != "" {
			_ = o.Set("metadata", n.parse(k.Metadata))
		}
		keys[i] = o
	}
	res := rt.NewObject()
	_ = res.Set("keys", rt.NewArray(keys...))
	_ = res.Set("list_complete", p.Cursor == "")
	if p.Cursor != "" {
		_ = res.Set("cursor", p.Cursor)
	}
	_ = res.Set("cacheStatus", goja.Null())
	return res
}

// jsonSource makes JSON's functions callable as from a script, so that their errors read as in a script.
const jsonSource = "({ parse: (s) => JSON.parse(s), stringify: (v) => JSON.stringify(v) })"

// parse is JSON.parse.
func (n *namespace) parse(s string) goja.Value { return n.json("parse", n.iso.Runtime().ToValue(s)) }

func (n *namespace) json(method string, v goja.Value) goja.Value {
	type key struct{}
	kit, ok := n.iso.Value(key{}).(*goja.Object)
	if !ok {
		made, err := n.iso.Runtime().RunString(jsonSource)
		if err != nil {
			panic(err)
		}
		kit = made.ToObject(n.iso.Runtime())
		n.iso.SetValue(key{}, kit)
	}
	f, _ := goja.AssertFunction(kit.Get(method))
	res, err := f(goja.Undefined(), v)
	if err != nil {
		n.iso.Realm.Throw(n.iso.Realm.ErrorValue(err))
	}
	return res
}

// seconds reads an option that is a number of seconds. shown is the option as the service's texts show it: 0 for a
// value that is not a number.
func (n *namespace) seconds(o *goja.Object, name string) (value int64, shown string, given bool) {
	v := webidl.Option(o, name)
	if v == nil || goja.IsNull(v) {
		return 0, "", false
	}
	i := n.iso.Realm.Int32(v)
	return int64(i), strconv.Itoa(int(i)), true
}

// decode turns a value into text. What is not UTF-8 becomes U+FFFD.
func decode(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
