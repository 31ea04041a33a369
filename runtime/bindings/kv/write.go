package kv

import (
	"fmt"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
	"eddy/runtime/webapi/streams"
)

// put is put(key, value, {expiration, expirationTtl, metadata}).
func (n *namespace) put(c *webidl.Call) goja.Value {
	key := c.String(0)
	if len(c.Args) < 2 {
		c.ThrowNotOfType(1, "string or Object")
	}
	n.checkKey("PUT", key)
	n.checkWritable("PUT", "put")
	o := c.Object(2, "PutOptions")
	var e StoredValue
	e.Expiration = n.expiration(o)
	if v := webidl.Option(o, "metadata"); v != nil {
		e.Metadata = n.json("stringify", v).String()
		if len(e.Metadata) > maxMetadata {
			n.refuse("PUT", 413, "Metadata length of %d exceeds limit of %d.", len(e.Metadata), maxMetadata)
		}
	}
	value := c.Arg(1)
	obj, isObject := value.(*goja.Object)
	if !isObject {
		return n.write(key, []byte(webidl.ToString(value)), e)
	}
	if b, ok := c.Realm().Bytes(obj); ok {
		return n.write(key, append([]byte{}, b...), e)
	}
	if !streams.Is(n.iso.Host, obj) {
		c.ThrowType("KV put() accepts only strings, ArrayBuffers, ArrayBufferViews, and ReadableStreams as values.")
	}
	promise, resolve, reject := c.Runtime().NewPromise()
	streams.ReadAll(n.iso.Host, obj, 0, func(data []byte, failure goja.Value) {
		var v goja.Value
		if failure == nil {
			failure = n.iso.Realm.Try(func() { v = n.write(key, data, e) })
		}
		err := error(nil)
		if failure != nil {
			err = reject(failure)
		} else {
			err = resolve(v)
		}
		if err != nil {
			panic(err)
		}
	})
	return c.Value(promise)
}

func (n *namespace) write(key string, value []byte, e StoredValue) goja.Value {
	if len(value) > maxValue {
		n.refuse("PUT", 413, "Value length of %d exceeds limit of %d.", len(value), maxValue)
	}
	e.Value = value
	use := n.access("put", key)
	use.Value, use.Options = value, putOptions(e)
	return n.request(use, func(*journal.Access) (func() goja.Value, error) { return nil, n.store.Put(key, e) })
}

// putOptions are what an entry has beside its value, as JSON; "" for nothing.
func putOptions(e StoredValue) string {
	var list []string
	if !e.Expiration.IsZero() {
		list = append(list, fmt.Sprintf(`"expiration":%d`, e.Expiration.Unix()))
	}
	if e.Metadata != "" {
		list = append(list, `"metadata":`+e.Metadata)
	}
	if list == nil {
		return ""
	}
	return "{" + strings.Join(list, ",") + "}"
}

// expiration is the time that expirationTtl or else expiration asks for, zero for none.
func (n *namespace) expiration(o *goja.Object) time.Time {
	now := n.iso.Host.Loop.Clock().Now().Unix()
	if ttl, shown, ok := n.seconds(o, "expirationTtl"); ok {
		switch {
		case ttl <= 0:
			n.refuse("PUT", 400, "Invalid expiration_ttl of %s. Please specify integer greater than 0.", shown)
		case ttl < minTTL:
			n.refuse("PUT", 400, "Invalid expiration_ttl of %s. Expiration TTL must be at least %d.", shown, minTTL)
		}
		return time.Unix(now+ttl, 0)
	}
	if at, shown, ok := n.seconds(o, "expiration"); ok {
		switch {
		case at <= now:
			n.refuse("PUT", 400, "Invalid expiration of %s. Please specify integer greater than the current number "+
				"of seconds since the UNIX epoch.", shown)
		case at < now+minTTL:
			n.refuse("PUT", 400,
				"Invalid expiration of %s. Expiration times must be at least %d seconds in the future.", shown, minTTL)
		}
		return time.Unix(at, 0)
	}
	return time.Time{}
}
