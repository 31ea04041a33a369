package queuejs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/structured"
	"eddy/runtime/engine/v8text"
	"eddy/runtime/worker"
)

// layout reaches what the engine has for plain data and for lists.
func layout() *gojainternals.Layout {
	l, err := gojainternals.Read()
	if err != nil {
		panic(err) // ecma.Install has reported it
	}
	return l
}

// builtins are what every message needs of the language, looked up once.
type builtins struct {
	parse, stringify goja.Callable
	date             *goja.Object
	object           *goja.Object // Object.prototype
	// values is Array.prototype[Symbol.iterator], steps what has the method next of its iterators.
	values, next goja.Value
	steps        *goja.Object
}

func builtinsOf(iso *worker.Isolate) *builtins {
	type key struct{}
	b, ok := iso.Value(key{}).(*builtins)
	if !ok {
		rt := iso.Runtime()
		built := rt.Get("JSON").ToObject(rt)
		b = &builtins{date: rt.Get("Date").ToObject(rt), object: rt.NewObject().Prototype()}
		b.parse, _ = goja.AssertFunction(built.Get("parse"))
		b.stringify, _ = goja.AssertFunction(built.Get("stringify"))
		list := rt.NewArray()
		b.values = list.GetSymbol(goja.SymIterator)
		if values, ok := goja.AssertFunction(b.values); ok {
			v, _ := values(list)
			if iterator, ok := v.(*goja.Object); ok && iterator.Prototype() != nil {
				b.steps = iterator.Prototype()
				b.next = b.steps.Get("next")
			}
		}
		iso.SetValue(key{}, b)
	}
	return b
}

// elements are those of an array that is iterated as the language has it, without a step for each; ok is false for
// whatever else there is. iterator is what was got of it.
func (b *builtins) elements(list *goja.Object, iterator goja.Value) (items []goja.Value, ok bool) {
	if iterator != b.values || b.steps == nil || b.steps.Get("next") != b.next {
		return nil, false
	}
	if items, ok = layout().Whole(list); ok {
		items = slices.Clone(items) // what is got of one may change the list
	}
	return items, ok
}

// parseContentType reads the contentType option: any case of the four names (P-13).
func parseContentType(iso *worker.Isolate, v goja.Value) queues.ContentType {
	s := v.String()
	switch strings.ToLower(s) {
	case "text":
		return queues.ContentText
	case "bytes":
		return queues.ContentBytes
	case "json":
		return queues.ContentJSON
	case "v8":
		return queues.ContentV8
	}
	iso.Realm.ThrowType("Unsupported queue message content type: %s", s)
	return 0
}

// defaultContentType is json from compatibility date 2024-03-18 on, v8 before (P-14).
func defaultContentType(iso *worker.Isolate) queues.ContentType {
	if iso.Flags.Enabled("queues_json_messages") {
		return queues.ContentJSON
	}
	return queues.ContentV8
}

// bodies are the bodies of one send. Short ones of plain data lie side by side.
type bodies struct{ room []byte }

// leastRoom is what a short body fits into, roomAtOnce what is taken for many of them.
const (
	leastRoom  = 64
	roomAtOnce = 2048
)

// plain appends the JSON of plain data; ok is false for whatever else there is.
func (b *bodies) plain(iso *worker.Isolate, body goja.Value, many bool) (text []byte, ok bool) {
	if cap(b.room)-len(b.room) < leastRoom {
		n := leastRoom
		if many {
			n = roomAtOnce
		}
		b.room = make([]byte, 0, n)
	}
	from := len(b.room)
	all, ok := layout().AppendJSON(iso.Runtime(), b.room, body)
	if !ok {
		return nil, false
	}
	b.room = all
	return all[from:len(all):len(all)], true
}

// encode serializes a body. detach moves the buffer of a bytes body out of the caller's hands (P-18).
func (b *bodies) encode(iso *worker.Isolate, body goja.Value, ct queues.ContentType, detach bool) []byte {
	switch ct {
	case queues.ContentText:
		if _, ok := body.(goja.String); !ok {
			wrongType(iso, "text", "string", body)
		}
		return []byte(body.String())
	case queues.ContentBytes:
		view, ok := iso.Realm.BufferView(body)
		if !ok || view.Kind == "ArrayBuffer" {
			wrongType(iso, "bytes", "ArrayBufferView", body)
		}
		data := append([]byte(nil), view.Bytes()...)
		if detach {
			view.Buffer.Detach()
		}
		return data
	case queues.ContentJSON:
		if text, ok := b.plain(iso, body, !detach); ok {
			return text
		}
		v, err := builtinsOf(iso).stringify(goja.Undefined(), body)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		if goja.IsUndefined(v) {
			// A function or a symbol has no JSON; the platform finds out in its broker (P-20).
			panic(&queues.Error{Code: 15000, Cause: "Unknown Internal Error", Old: "Internal Server Error"})
		}
		return []byte(v.String())
	}
	enc, err := iso.Codec().Encode(body, structured.EncodeOptions{})
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return enc.Data
}

// wrongType is the error for a body that does not fit its content type (P-15, P-16).
func wrongType(iso *worker.Isolate, ct, want string, got goja.Value) {
	iso.Realm.ThrowType("Content Type %q requires a value of type %s, but received: %s", ct, want, v8text.TypeOf(got))
}

// maxLazy is up to which length a body is decoded when it is first looked at.
const maxLazy = 4096

// certain tells whether decode cannot fail, so that it can wait.
func certain(m *queues.Message) bool {
	switch m.ContentType {
	case queues.ContentText, queues.ContentBytes:
		return true
	case queues.ContentJSON:
		return len(m.Body) <= maxLazy && json.Valid(m.Body)
	}
	return false
}

// decode makes the value of a delivered body: bytes arrive as an ArrayBuffer.
func decode(iso *worker.Isolate, m *queues.Message) (goja.Value, error) {
	switch m.ContentType {
	case queues.ContentText:
		return iso.Runtime().ToValue(string(m.Body)), nil
	case queues.ContentBytes:
		return iso.Realm.ArrayBuffer(append([]byte(nil), m.Body...)), nil
	case queues.ContentJSON:
		return builtinsOf(iso).parse(goja.Undefined(), iso.Runtime().ToValue(string(m.Body)))
	case queues.ContentV8:
		return iso.Codec().Decode(m.Body, structured.DecodeOptions{})
	}
	return nil, fmt.Errorf("message %s has content type %d, which is unknown", m.ID, m.ContentType)
}
