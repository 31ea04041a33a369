package fetch

import (
	"bytes"
	"io"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/encoding"
	"eddy/runtime/webapi/streams"
)

// decodeText is encoding.DecodeUTF8. It removes a leading byte order mark if the flag says so.
func (k *classes) decodeText(b []byte) string {
	if k.h.Flag == nil || k.h.Enabled("strip_bom_in_read_all_text") {
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	return encoding.DecodeUTF8(b)
}

// consume reads the whole body and answers with a promise for what finish makes of it. owned says that finish may keep
// and change the bytes. What finish throws rejects the promise.
func (k *classes) consume(b *Body, finish func(data []byte, owned bool) goja.Value) goja.Value {
	if !b.present {
		return finish(nil, true)
	}
	r := k.h.Realm
	if k.disturbed(b) {
		r.ThrowType("%s", errBodyUsed)
	}
	if b.stream != nil {
		if streams.Locked(k.h, b.stream) {
			r.ThrowType("%s", errBodyLocked)
		}
		p, resolve, reject := k.h.Realm.NewPromise()
		streams.ReadAll(k.h, b.stream, maxBufferedBody, func(data []byte, failure goja.Value) {
			k.settle(p, resolve, reject, failure, func() goja.Value { return finish(data, true) })
		})
		return k.h.Runtime().ToValue(p)
	}
	b.used = true
	if b.buffered {
		return finish(b.buffer, false)
	}
	p, resolve, reject := k.h.Realm.NewPromise()
	reader, length := k.plainReader(b)
	b.reader = nil
	failed := k.bodyFailure(b)
	ticket := k.h.Scope().Ticket
	if b.waiting {
		ticket = k.h.Scope().Waiting
		if _, ok := reader.(clock.Attended); ok {
			ticket = k.h.Scope().Within
		}
	}
	t := ticket()
	leave := clock.Attend(reader)
	k.h.Scope().Loop().Go(func() {
		defer leave()
		data, err := readAll(reader, length)
		t.Return(func() {
			var failure goja.Value
			if err != nil {
				failure = failed(err)
			}
			k.settle(p, resolve, reject, failure, func() goja.Value { return finish(data, true) })
		})
	})
	return k.h.Runtime().ToValue(p)
}

// readAll reads up to the buffering limit and closes r.
func readAll(r io.ReadCloser, length int64) ([]byte, error) {
	defer r.Close()
	var buf bytes.Buffer
	if length > 0 && length <= 1<<20 {
		buf.Grow(int(length) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(r, maxBufferedBody+1))
	if err != nil {
		return nil, err
	}
	if n > maxBufferedBody {
		return nil, errTooLarge
	}
	return buf.Bytes(), nil
}

const errTooLarge = refusal("Memory limit would be exceeded before EOF.")

func (k *classes) settle(p *goja.Promise, resolve, reject func(any) error, failure goja.Value,
	value func() goja.Value) {
	var v goja.Value
	if failure == nil {
		failure = k.h.Realm.TryFor(p, func() { v = value() })
	}
	var err error
	if failure != nil {
		err = reject(failure)
	} else {
		err = resolve(v)
	}
	if err != nil {
		panic(err)
	}
}

func own(b []byte, owned bool) []byte {
	if owned {
		return b
	}
	return append(make([]byte, 0, len(b)), b...)
}

func (k *classes) defineBody() {
	rt := k.h.Runtime()
	read := func(name string, finish func(s bodied, data []byte, owned bool) goja.Value) webidl.Member {
		return webidl.Async(name, func(s bodied, _ *webidl.Call) goja.Value {
			return k.consume(s.body(), func(data []byte, owned bool) goja.Value { return finish(s, data, owned) })
		})
	}
	k.bodyClass = k.h.Realm.Define(webidl.Spec{
		Name: "Body",
		Members: []webidl.Member{
			webidl.Getter("body", func(s bodied, _ *webidl.Call) goja.Value { return k.bodyObject(s.body()) }),
			webidl.Getter("bodyUsed",
				func(s bodied, c *webidl.Call) goja.Value { return c.Value(k.disturbed(s.body())) }),
			read("arrayBuffer", func(_ bodied, data []byte, owned bool) goja.Value {
				return k.h.Realm.ArrayBuffer(own(data, owned))
			}),
			read("bytes", func(_ bodied, data []byte, owned bool) goja.Value {
				return k.h.Realm.Uint8Array(own(data, owned))
			}),
			read("text", func(_ bodied, data []byte, _ bool) goja.Value { return rt.ToValue(k.decodeText(data)) }),
			read("json", func(_ bodied, data []byte, _ bool) goja.Value { return k.parseJSON(k.decodeText(data)) }),
			webidl.Async("formData", func(s bodied, _ *webidl.Call) goja.Value {
				b := s.body()
				if k.disturbed(b) {
					k.h.Realm.ThrowType("%s", errBodyUsed)
				}
				ct, ok := s.bodyHeaders().Get("content-type")
				if !ok {
					k.h.Realm.ThrowType("%s", errNoMediaType)
				}
				return k.consume(b, func(data []byte, _ bool) goja.Value {
					return k.formData.Wrap(k.parseForm(data, ct))
				})
			}),
			read("blob", func(s bodied, data []byte, owned bool) goja.Value {
				typ, _ := s.bodyHeaders().Get("content-type")
				if m, ok := extractMIME(typ); ok {
					typ = m.String()
				} else {
					typ = ""
				}
				return NewBlob(k.h, own(data, owned), typ)
			}),
		},
	}).Install()
}

func (k *classes) parseJSON(text string) goja.Value {
	v, err := k.jsonParse(goja.Undefined(), k.h.Runtime().ToValue(text))
	if err != nil {
		panic(err)
	}
	return v
}

func (k *classes) stringify(v goja.Value) string {
	s, err := k.jsonStringify(goja.Undefined(), v)
	if err != nil {
		panic(err)
	}
	return s.String()
}
