package webcrypto

import (
	"hash"
	"hash/crc32"
	"hash/crc64"
	"math/big"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/streams"
)

// checksums are the functions that a DigestStream knows besides the digests.
var checksums = map[string]func() hash.Hash{
	"crc32":  func() hash.Hash { return crc32.NewIEEE() },
	"crc32c": func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	// This is the polynomial of the NVM Express specification, reversed.
	"crc64nvme": func() hash.Hash { return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5)) },
}

// digestState is a DigestStream's Go side: open until it is closed or has an error.
type digestState struct {
	hash            hash.Hash
	written         uint64
	promise         goja.Value
	resolve, reject func(any) error
	closed          bool
	failure         goja.Value
}

// digestClass makes the class in JavaScript, around native's functions, because a subclass of a stream needs super.
const digestClass = `(function (WritableStream, native) {
	'use strict';
	return class DigestStream extends WritableStream {
		#state;
		constructor(algorithm) {
			const state = native.open(algorithm);
			super({
				write: (chunk) => native.write(state, chunk),
				close: () => native.close(state),
				abort: (reason) => native.abort(state, reason),
			});
			this.#state = state;
		}
		get digest() { return native.digest(this.#state); }
		get bytesWritten() { return native.bytesWritten(this.#state); }
		[Symbol.dispose]() { native.dispose(this.#state); }
		get [Symbol.toStringTag]() { return 'DigestStream'; }
	};
})`

// digestStream makes the class DigestStream.
func (a *api) digestStream() goja.Value {
	rt, r := a.h.Runtime(), a.h.Realm
	native := rt.NewObject()
	state := func(fc goja.FunctionCall) *digestState {
		s, ok := webidl.StateOf[*digestState](r, fc.Argument(0))
		if !ok {
			r.ThrowType("%s", webidl.IllegalInvocation)
		}
		return s
	}
	method := func(name string, f func(s *digestState, fc goja.FunctionCall) goja.Value) {
		_ = native.Set(name, r.Function(name, func(fc goja.FunctionCall) goja.Value {
			if v := f(state(fc), fc); v != nil {
				return v
			}
			return goja.Undefined()
		}))
	}
	_ = native.Set("open", r.Function("open", func(fc goja.FunctionCall) goja.Value {
		obj := rt.NewObject()
		r.SetState(obj, a.openDigest(fc.Argument(0)))
		return obj
	}))
	method("write", func(s *digestState, fc goja.FunctionCall) goja.Value { a.write(s, fc.Argument(1)); return nil })
	method("close", func(s *digestState, _ goja.FunctionCall) goja.Value {
		if s.failure != nil {
			r.Throw(s.failure)
		}
		if !s.closed {
			s.closed = true
			settle(s.resolve, r.ArrayBuffer(s.hash.Sum(nil)))
		}
		return nil
	})
	method("abort", func(s *digestState, fc goja.FunctionCall) goja.Value { s.fail(fc.Argument(1)); return nil })
	method("dispose", func(s *digestState, _ goja.FunctionCall) goja.Value {
		s.fail(r.TypeError("The DigestStream was disposed."))
		return nil
	})
	method("digest", func(s *digestState, _ goja.FunctionCall) goja.Value { return s.promise })
	method("bytesWritten", func(s *digestState, _ goja.FunctionCall) goja.Value {
		return rt.ToValue(new(big.Int).SetUint64(s.written))
	})
	define, err := rt.RunScript("eddy:digeststream", digestClass)
	if err != nil {
		panic(err)
	}
	f, _ := goja.AssertFunction(define)
	class, err := f(nil, streams.Class(a.h, "WritableStream"), native)
	if err != nil {
		panic(err)
	}
	return class
}

// openDigest reads the constructor's argument: a name, or a dictionary with one.
func (a *api) openDigest(v goja.Value) *digestState {
	obj, ok := v.(*goja.Object)
	if ok {
		v = webidl.Option(obj, "name")
	}
	if v == nil || goja.IsUndefined(v) {
		a.h.Realm.ThrowType(
			"Failed to construct 'DigestStream': constructor parameter 1 is not of type 'string or HashAlgorithm'.")
	}
	name := webidl.ToString(v)
	open, ok := checksums[name]
	if !ok {
		d, err := lookupDigest(name)
		a.must(err)
		open = d.new
	}
	p, resolve, reject := a.h.Runtime().NewPromise()
	return &digestState{hash: open(), promise: a.h.Runtime().ToValue(p), resolve: resolve, reject: reject}
}

func (a *api) write(s *digestState, chunk goja.Value) {
	var data []byte
	if text, ok := chunk.(goja.String); ok {
		data = []byte(webidl.USVString(text))
	} else if data, ok = a.h.Realm.Bytes(chunk); !ok {
		a.h.Realm.ThrowType("DigestStream is a byte stream but received an object of " +
			"non-ArrayBuffer/ArrayBufferView/string type on its writable side.")
	}
	if len(data) == 0 {
		return
	}
	if s.failure != nil {
		a.h.Realm.Throw(s.failure)
	}
	s.hash.Write(data)
	s.written += uint64(len(data))
}

// fail ends the digest unless it has ended.
func (s *digestState) fail(reason goja.Value) {
	if s.closed || s.failure != nil {
		return
	}
	s.failure = reason
	settle(s.reject, reason)
}

// settle panics with what no script may catch.
func settle(f func(any) error, v goja.Value) {
	if err := f(v); err != nil {
		panic(err)
	}
}
