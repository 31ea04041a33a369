package fetch

import (
	"encoding/hex"
	"io"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/url"
)

// These are texts of RT10 and of the platform's body handling.
const (
	errBodyUsed = "Body has already been used. It can only be used once. Use tee() first if you need to read it " +
		"twice."
	errBodyDisturb = "This ReadableStream is disturbed (has already been read from), and cannot be used as a body."
	errBodyLocked  = "This ReadableStream is currently locked to a reader."
	errBodyRebuild = "Cannot reconstruct a Request with a used body."
	errBodyOfGet   = "Request with a GET or HEAD method cannot have a body."
	warnNullBody   = "Constructing a Response with a null body status (%d) and a non-null, zero-length body. This " +
		"is technically incorrect, and we recommend you update your code to explicitly pass in a `null` body, " +
		"e.g. `new Response(null, { status: %d, ... })`. (We continue to allow the zero-length body behavior " +
		"because it was previously the only way to construct a Response with a null body status. This behavior " +
		"may change in the future.)"
	errNullBody     = "Response with null body status (101, 204, 205, or 304) cannot have a body."
	errNoMediaType  = "Parsing a Body as FormData requires a Content-Type header."
	maxBufferedBody = 128 << 20
)

// Body is the body of a Request or Response. It is one of: null; a buffer (which can be sent again); a Go reader; a
// ReadableStream. A buffer or reader becomes a stream only when a script asks for one.
type Body struct {
	present bool
	// buffer is the source of a buffered body, kept also behind a stream, so that a redirect can send it again.
	buffer   []byte
	buffered bool
	// reader is a body that Go code reads; length is -1 when unknown.
	reader io.ReadCloser
	length int64
	// encoding is the content coding that reader is still under ("gzip", "br"), empty if none. It is taken off when a
	// script reads the body, and stays on when the body is passed through.
	encoding string
	// waiting says that reader's bytes come from another part of this process, which may wait for the clock. Then a
	// read does not hold the clock.
	waiting bool
	stream  *goja.Object
	used    bool
	// moved says that another message has taken the body over.
	moved bool
	// signal, if set, closes reader when it is aborted. A read then fails with the signal's reason.
	signal *events.Signal
}

// bodied is the state of a Request or Response.
type bodied interface {
	body() *Body
	// bodyHeaders is the header list whose Content-Type says how to read the body.
	bodyHeaders() *Headers
}

func bufferBody(b []byte) Body {
	return Body{present: true, buffered: true, buffer: b, length: int64(len(b))}
}

func readerBody(r io.ReadCloser, length int64) Body {
	return Body{present: true, reader: r, length: length}
}

func streamBody(s *goja.Object) Body { return Body{present: true, stream: s, length: -1} }

// abortable ties reader to a signal.
func (b *Body) abortable(s *events.Signal) {
	b.signal = s
	r := b.reader
	s.OnAbort(func() { go r.Close() })
}

// bodyFailure makes the value that a failed read rejects with.
func (k *classes) bodyFailure(b *Body) func(err error) goja.Value {
	signal := b.signal
	return func(err error) goja.Value {
		if signal != nil && signal.Aborted() {
			return signal.Reason()
		}
		return k.networkError(err)
	}
}

// disturbed tells whether anything has been read.
func (k *classes) disturbed(b *Body) bool {
	if b.stream != nil {
		return b.used || streams.Disturbed(k.h, b.stream)
	}
	return b.used
}

// bodyObject is the body attribute: null or a stream, which is made now if there was none.
func (k *classes) bodyObject(b *Body) goja.Value {
	if !b.present {
		return goja.Null()
	}
	if b.stream == nil {
		switch {
		case b.used:
			// The body was consumed and never was a stream. The script gets a stream that has ended.
			b.stream = k.spentStream(b.moved)
		case b.buffered:
			b.stream = streams.FromBytes(k.h, b.buffer)
		default:
			r, n := k.plainReader(b)
			b.stream = streams.FromReader(
				k.h, r, streams.ReaderOptions{Length: n, Waiting: b.waiting, Failure: k.bodyFailure(b)})
			b.reader = nil
		}
	}
	return b.stream
}

// spentStream is a stream that was read to its end, or taken over.
func (k *classes) spentStream(moved bool) *goja.Object {
	s := streams.FromBytes(k.h, nil)
	if moved {
		streams.Detach(k.h, s)
	} else {
		streams.Cancel(k.h, s, goja.Undefined())
	}
	return s
}

// plainReader is the reader without its content coding, and its length.
func (k *classes) plainReader(b *Body) (io.ReadCloser, int64) {
	if b.encoding == "" {
		return b.reader, b.length
	}
	return decoded(b.reader, b.encoding), -1
}

// extract makes a body from BodyInit (https://fetch.spec.whatwg.org/#concept-bodyinit-extract); contentType is empty
// when the source implies none. v is neither null nor undefined.
func (k *classes) extract(v goja.Value) (b Body, contentType string) {
	obj, ok := v.(*goja.Object)
	if !ok {
		return bufferBody(k.utf8(v)), "text/plain;charset=UTF-8"
	}
	if streams.Is(k.h, obj) {
		if streams.Disturbed(k.h, obj) {
			k.h.Realm.ThrowType("%s", errBodyDisturb)
		}
		return streamBody(obj), ""
	}
	switch s := k.h.Realm.State(obj).(type) {
	case Blobber:
		return bufferBody(s.BaseBlob().Data), s.BaseBlob().Type
	case *FormData:
		boundary := k.boundary()
		return bufferBody(s.encode(boundary)), "multipart/form-data; boundary=" + boundary
	case nil:
		if data, ok := k.h.Realm.Bytes(obj); ok {
			return bufferBody(data), ""
		}
		if k.iterable(obj) {
			return streamBody(streams.FromIterable(k.h, obj)), ""
		}
	}
	if p := url.ParamsOf(k.h, obj); p != nil {
		return bufferBody([]byte(p.String())), "application/x-www-form-urlencoded;charset=UTF-8"
	}
	return bufferBody(k.utf8(v)), "text/plain;charset=UTF-8"
}

// utf8 is a value as text, in UTF-8.
func (k *classes) utf8(v goja.Value) []byte {
	s := webidl.StringOf(v)
	k.h.Realm.Need(3 * s.Length())
	return builtin.UTF8Bytes(s)
}

// iterable tells whether an object is a body of chunks: it has an iterator, and is not a String object, which is text.
func (k *classes) iterable(obj *goja.Object) bool {
	if k.h.Flag != nil && !k.h.Enabled("fetch_iterable_type_support") || obj.ClassName() == "String" {
		return false
	}
	symbols := []*goja.Symbol{goja.SymIterator}
	if async, ok := k.h.Runtime().Get("Symbol").ToObject(k.h.Runtime()).Get("asyncIterator").(*goja.Symbol); ok {
		symbols = append(symbols, async)
	}
	for _, sym := range symbols {
		if _, ok := goja.AssertFunction(obj.GetSymbol(sym)); ok {
			return true
		}
	}
	return false
}

func (k *classes) boundary() string {
	var b [16]byte
	if err := k.h.Fill(b[:]); err != nil {
		panic(err)
	}
	return hex.EncodeToString(b[:])
}

// teeBody splits the body in two, of which one stays (https://fetch.spec.whatwg.org/#concept-body-clone).
func (k *classes) teeBody(b *Body) Body {
	if !b.present {
		return Body{}
	}
	if b.stream == nil && b.buffered && !b.used {
		return *b
	}
	if k.disturbed(b) {
		k.h.Realm.ThrowType(
			"This ReadableStream is disturbed (has already been read from), and cannot be used as a body.")
	}
	s := k.bodyObject(b).(*goja.Object)
	if streams.Locked(k.h, s) {
		k.h.Realm.ThrowType("%s", errBodyLocked)
	}
	one, two := streams.Tee(k.h, s)
	other := *b
	b.stream, other.stream = one, two
	return other
}

// detachBody moves the body out of a Request that another is made from; what stays is used up.
func (k *classes) detachBody(b *Body) Body {
	if !b.present {
		return Body{}
	}
	out := *b
	if b.stream != nil {
		if streams.Locked(k.h, b.stream) {
			k.h.Realm.ThrowType("%s", errBodyLocked)
		}
		out.stream = streams.Detach(k.h, b.stream)
	}
	b.used, b.moved, b.reader = true, true, nil
	return out
}

// rewindable tells whether the body can be sent a second time.
func (b *Body) rewindable() bool { return !b.present || b.buffered }
