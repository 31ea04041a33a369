package r2

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/worker"
)

//go:embed r2.js
var source string

// Binding is an R2 binding: env[Key].
type Binding struct {
	Key    string
	Bucket Called
}

// Called is what a binding needs of a bucket: a [Bucket], or an [AwayBucket] that leads to one. Any goroutine.
type Called interface {
	do(method string, q request, data []byte) (answer, error)
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	c := &client{iso: iso, bucket: b.Bucket, name: b.Key}
	lengthOf := iso.Realm.Function("lengthOf", func(fc goja.FunctionCall) goja.Value {
		if n, ok := streams.ExpectedLength(iso.Host, fc.Argument(0)); ok {
			return iso.Runtime().ToValue(n)
		}
		return goja.Undefined()
	})
	bucket, err := iso.Internal("cloudflare-internal:r2-api", source, iso.Realm.Function("call", c.call), lengthOf)
	if o, ok := bucket.(*goja.Object); ok {
		iso.Realm.SetState(o, structured.Refused("An R2 bucket binding cannot be serialized."))
	}
	return bucket, err
}

// client is a binding on one isolate's loop.
type client struct {
	iso    *worker.Isolate
	bucket Called
	name   string // in env
}

// request is what the classes send. Each method uses some of it.
type request struct {
	Key      string   `json:"key"`
	Keys     []string `json:"keys"`
	UploadID string   `json:"uploadId"`
	Number   int      `json:"partNumber"`
	Parts    []Part   `json:"parts"`
	PutOptions
	ListOptions
	Range *RangeOption `json:"range"`
}

// answer is the result of a method; body is a value's bytes.
type answer struct {
	result any
	body   io.ReadCloser
	size   int64
}

// call is call(method, options, bytes) of r2.js.
func (c *client) call(fc goja.FunctionCall) goja.Value {
	method := webidl.ToString(fc.Argument(0))
	var q request
	if err := json.Unmarshal([]byte(webidl.ToString(fc.Argument(1))), &q); err != nil {
		c.iso.Realm.ThrowType("%v", err)
	}
	var data []byte
	if b, ok := c.iso.Realm.Bytes(fc.Argument(2)); ok {
		data = b // r2.js hands over bytes of its own
	}
	noted, done := c.iso.Access(c.use(method, &q, webidl.ToString(fc.Argument(1)), data))
	failure := func(err error) goja.Value { return c.iso.Realm.NewError("Error", err.Error()) }
	return c.iso.Host.Scope().Request(func() func() (goja.Value, goja.Value) {
		a, err := c.bucket.do(method, q, data)
		var text []byte
		if err == nil {
			if text, err = json.Marshal(a.result); err != nil && a.body != nil {
				err = errors.Join(err, a.body.Close())
			}
		}
		return func() (goja.Value, goja.Value) {
			if noted != nil && noted.Value == nil && err == nil {
				noted.Value, noted.Missing = text, string(text) == "null"
			}
			done(err)
			if err != nil {
				return nil, failure(err)
			}
			return c.value(a, text), nil
		}
	}, failure)
}

// use is what the journal would note of a method. Of what is read it notes the head, not the value.
func (c *client) use(method string, q *request, options string, data []byte) journal.Access {
	key := q.Key
	if len(q.Keys) > 0 {
		key = strings.Join(q.Keys, ",")
	}
	return journal.Access{Store: "r2", Binding: c.name, Op: method, Key: key, Options: options, Value: data,
		Write: method != "head" && method != "get" && method != "list"}
}

// value is {result, body}.
func (c *client) value(a answer, text []byte) goja.Value {
	rt := c.iso.Runtime()
	result, err := worker.Var{JSON: string(text)}.Install(c.iso)
	if err != nil {
		panic(c.iso.Realm.ErrorValue(err))
	}
	o := rt.NewObject()
	_ = o.Set("result", result)
	if a.body != nil {
		_ = o.Set("body", streams.FromReader(c.iso.Host, a.body, streams.ReaderOptions{Length: a.size}))
	}
	return o
}

// do carries out a method of the classes.
func (b *Bucket) do(method string, q request, data []byte) (a answer, err error) {
	switch method {
	case "head":
		a.result, err = b.Head(q.Key)
	case "get":
		var o *StoredObject
		o, a.body, err = b.Get(q.Key, q.OnlyIf, q.Range)
		if a.result = o; a.body != nil {
			a.size = o.Range.Length
		}
	case "put":
		a.result, err = b.Put(q.Key, data, q.PutOptions)
	case "delete":
		err = b.Delete(q.Keys)
	case "list":
		a.result, err = b.List(q.ListOptions)
	case "createMultipartUpload":
		a.result, err = b.CreateUpload(q.Key, q.PutOptions)
	case "uploadPart":
		a.result, err = b.UploadPart(q.Key, q.UploadID, q.Number, data)
	case "completeMultipartUpload":
		a.result, err = b.Complete(q.Key, q.UploadID, q.Parts)
	case "abortMultipartUpload":
		err = b.Abort(q.Key, q.UploadID)
	default:
		err = errInternal
	}
	return a, err
}
