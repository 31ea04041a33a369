package rpc

import (
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
	"eddy/runtime/webapi/fetch"
)

// Headers, Request and Response cross as the pieces their constructors take. They are read through their own public
// members, which convert what is lazy.

func (k *Kit) construct(class string, args ...goja.Value) *goja.Object {
	obj, err := k.h.Runtime().New(k.h.Runtime().Get(class), args...)
	if err != nil {
		panic(k.h.Realm.ErrorValue(err))
	}
	return obj
}

// pairs are the headers as an array of [name, value].
func (k *Kit) pairs(headers goja.Value) []goja.Value {
	var list []goja.Value
	k.h.Runtime().ForOf(headers.ToObject(k.h.Runtime()), func(v goja.Value) bool {
		list = append(list, v)
		return true
	})
	return list
}

// Headers cross as workerd writes them: the guard, the count, and for every header the number of a common name, 0 for a
// name that follows. We write all names in full.
const (
	guardNone  = 3
	maxHeaders = 1024
)

func (k *Kit) writeHeaders(e *structured.Encoder, obj *goja.Object) {
	list := k.pairs(obj)
	e.WriteUint32(guardNone)
	e.WriteUint32(uint32(len(list)))
	for _, p := range list {
		pair := p.(*goja.Object)
		e.WriteUint32(0)
		e.WriteString(pair.Get("0").String())
		e.WriteString(pair.Get("1").String())
	}
}

func (k *Kit) readHeaders(d *structured.Decoder) *goja.Object {
	rt := k.h.Runtime()
	list := []any{}
	if guard := d.ReadUint32(); guard > guardNone {
		d.Refuse("Deserialization failed: unknown guard of Headers.")
	}
	count := d.ReadUint32()
	if count > maxHeaders {
		d.Refuse(fmt.Sprintf("Deserialization failed: header count exceeds maximum (%d)", count))
	}
	for range count {
		if d.ReadUint32() != 0 {
			d.Refuse("Deserialization failed: common names of headers are not known here.")
		}
		name, value := d.ReadString(), d.ReadString()
		list = append(list, rt.NewArray(name, value))
	}
	return k.construct("Headers", rt.NewArray(list...))
}

func writeBlob(e *structured.Encoder, b *fetch.Blob) {
	e.WriteString(b.Type)
	e.WriteUint64(uint64(len(b.Data)))
	e.WriteBytes(b.Data)
}

func (k *Kit) readBlob(d *structured.Decoder) *goja.Object {
	typ := d.ReadString()
	return fetch.NewBlob(k.h, append([]byte(nil), d.ReadBytes(d.ReadUint64())...), fetch.NormalType(typ))
}

// body is a message's body: null, or a stream, which only RPC can carry.
func (k *Kit) body(e *structured.Encoder, obj *goja.Object, s *sending) goja.Value {
	b := obj.Get("body")
	if b == nil || goja.IsNull(b) || goja.IsUndefined(b) {
		return goja.Null()
	}
	if used := obj.Get("bodyUsed"); used != nil && used.ToBoolean() {
		k.h.Realm.ThrowType(errReadHeld)
	}
	if s == nil {
		e.Refuse("ReadableStream can only be serialized for RPC.")
	}
	return b
}

func (k *Kit) writeRequest(e *structured.Encoder, obj *goja.Object, s *sending) {
	init := k.h.Runtime().NewObject()
	for _, name := range []string{"method", "redirect", "cf", "integrity", "cache"} {
		v := obj.Get(name)
		if v == nil || goja.IsUndefined(v) || name == "integrity" && v.String() == "" {
			continue
		}
		_ = init.Set(name, v)
	}
	if q, ok := fetch.RequestOf(k.h, obj); ok {
		if signal := q.Handed(k.h); signal != nil {
			_ = init.Set("signal", signal.Object())
		}
	}
	body := k.body(e, obj, s)
	e.WriteString(obj.Get("url").String())
	k.writeHeaders(e, obj.Get("headers").ToObject(k.h.Runtime()))
	e.WriteValue(init)
	e.WriteValue(body)
}

func (k *Kit) readRequest(d *structured.Decoder) *goja.Object {
	url := d.ReadString()
	headers := k.readHeaders(d)
	init := d.ReadValue().ToObject(k.h.Runtime())
	_ = init.Set("headers", headers)
	if body := d.ReadValue(); !goja.IsNull(body) {
		_ = init.Set("body", body)
	}
	return k.construct("Request", k.h.Runtime().ToValue(url), init)
}

func (k *Kit) writeResponse(e *structured.Encoder, obj *goja.Object, s *sending) {
	if ws := obj.Get("webSocket"); ws != nil && !goja.IsNull(ws) && !goja.IsUndefined(ws) {
		e.Refuse("Could not serialize object of type \"WebSocket\". This type does not support serialization.")
	}
	init := k.h.Runtime().NewObject()
	for _, name := range []string{"status", "statusText", "cf"} {
		if v := obj.Get(name); v != nil && !goja.IsUndefined(v) {
			_ = init.Set(name, v)
		}
	}
	body := k.body(e, obj, s)
	k.writeHeaders(e, obj.Get("headers").ToObject(k.h.Runtime()))
	e.WriteValue(init)
	e.WriteValue(body)
}

func (k *Kit) readResponse(d *structured.Decoder) *goja.Object {
	headers := k.readHeaders(d)
	init := d.ReadValue().ToObject(k.h.Runtime())
	_ = init.Set("headers", headers)
	body := d.ReadValue()
	if status := init.Get("status"); status != nil && status.ToInteger() == 0 {
		return k.errorResponse()
	}
	return k.construct("Response", body, init)
}

// errorResponse is Response.error(), whose status no constructor takes.
func (k *Kit) errorResponse() *goja.Object {
	class := k.h.Runtime().Get("Response").ToObject(k.h.Runtime())
	makeError, _ := goja.AssertFunction(class.Get("error"))
	v, err := makeError(class)
	if err != nil {
		panic(k.h.Realm.ErrorValue(err))
	}
	return v.ToObject(k.h.Runtime())
}
