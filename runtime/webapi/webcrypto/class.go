package webcrypto

import (
	"crypto/subtle"
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// maxRandom is how many bytes one getRandomValues call may fill.
const maxRandom = 65536

// api is the package's state on one isolate.
type api struct {
	h   *host.Host
	key *webidl.Interface
}

type (
	cryptoState struct{ subtle *goja.Object }
	subtleState struct{}
)

type apiKey struct{}

// Install defines the global crypto and its classes. They are made on first use.
func Install(h *host.Host) {
	a := &api{h: h}
	h.SetValue(apiKey{}, a)
	var crypto, subtle *webidl.Interface
	define := func() {
		if crypto == nil {
			a.key = h.Realm.Define(webidl.Spec{Name: "CryptoKey"})
			subtle = a.defineSubtle()
			crypto = a.defineCrypto()
		}
	}
	lazy := func(name string, value func() goja.Value) {
		h.Lazy(name, func() goja.Value { define(); return value() })
	}
	h.LazyObject("crypto", func() goja.Value {
		define()
		return crypto.Wrap(&cryptoState{subtle.Wrap(&subtleState{})})
	})
	lazy("Crypto", func() goja.Value { return crypto.Constructor })
	lazy("SubtleCrypto", func() goja.Value { return subtle.Constructor })
	lazy("CryptoKey", func() goja.Value { return a.key.Constructor })
}

// KeyOf is the key behind a JavaScript CryptoKey, nil for anything else.
func KeyOf(h *host.Host, v goja.Value) *Key {
	k, _ := webidl.StateOf[*Key](h.Realm, v)
	return k
}

// wrap makes the CryptoKey object of a key. As on the platform its attributes are own properties.
func (a *api) wrap(k *Key) *goja.Object {
	rt := a.h.Runtime()
	obj := a.key.Wrap(k)
	fix := func(o *goja.Object, name string, v any) {
		_ = o.DefineDataProperty(name, rt.ToValue(v), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
	}
	put := func(o *goja.Object, name string, v any) {
		_ = o.DefineDataProperty(name, rt.ToValue(v), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	alg := rt.NewObject()
	put(alg, "name", k.Algorithm.Name)
	if k.Algorithm.ModulusLength > 0 {
		put(alg, "modulusLength", k.Algorithm.ModulusLength)
		put(alg, "publicExponent", a.h.Realm.Uint8Array(append([]byte(nil), k.Algorithm.PublicExponent...)))
	}
	if k.Algorithm.Hash != "" {
		hash := rt.NewObject()
		put(hash, "name", k.Algorithm.Hash)
		put(alg, "hash", hash)
	}
	if k.Algorithm.Length > 0 {
		put(alg, "length", k.Algorithm.Length)
	}
	if k.Algorithm.NamedCurve != "" {
		put(alg, "namedCurve", k.Algorithm.NamedCurve)
	}
	fix(obj, "type", string(k.Kind))
	fix(obj, "extractable", k.Extractable)
	fix(obj, "algorithm", alg)
	fix(obj, "usages", stringArray(rt, k.Usages()))
	return obj
}

func (a *api) defineCrypto() *webidl.Interface {
	h := a.h
	i := h.Realm.Define(webidl.Spec{Name: "Crypto", Members: []webidl.Member{
		webidl.Getter("subtle", func(s *cryptoState, _ *webidl.Call) goja.Value { return s.subtle }),
		webidl.Method("getRandomValues", func(_ *cryptoState, c *webidl.Call) goja.Value {
			view, ok := h.Realm.BufferView(c.Arg(0))
			if !ok || view.Kind == "ArrayBuffer" {
				c.ThrowNotOfType(0, "ArrayBufferView")
			}
			switch view.Kind {
			case "Float16Array", "Float32Array", "Float64Array", "DataView":
				h.Realm.ThrowDOM(
					"TypeMismatchError", "ArrayBufferView argument to getRandomValues() must be an integer-typed view.")
			}
			if view.Length > maxRandom {
				h.Realm.ThrowDOM(
					"QuotaExceededError",
					"getRandomValues() only accepts buffers of size <= 64K but provided %d bytes.", view.Length)
			}
			a.random(view.Bytes())
			return c.Arg(0)
		}),
		webidl.Method("randomUUID", func(_ *cryptoState, c *webidl.Call) goja.Value {
			var b [16]byte
			a.random(b[:])
			b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
			return c.Value(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
		}),
	}})
	a.lazyDigestStream(i.Prototype)
	return i
}

// lazyDigestStream is crypto.DigestStream: it brings in the streams, so it is made on first use.
func (a *api) lazyDigestStream(prototype *goja.Object) {
	var class goja.Value
	get := a.h.Realm.Function("get DigestStream", func(goja.FunctionCall) goja.Value {
		if class == nil {
			class = a.digestStream()
		}
		return class
	})
	_ = prototype.DefineAccessorProperty("DigestStream", get, nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// random fills b; outside any event it throws.
func (a *api) random(b []byte) {
	a.h.Scope()
	if err := a.h.Fill(b); err != nil {
		a.h.Realm.ThrowError("Error", "The source of random bytes failed: %v", err)
	}
}

// timingSafeEqual compares without telling where the difference is.
func timingSafeEqual(c *webidl.Call) goja.Value {
	x, y := bytesArg(c, 0), bytesArg(c, 1)
	if len(x) != len(y) {
		c.ThrowType("Input buffers must have the same byte length.")
	}
	return c.Value(subtle.ConstantTimeCompare(x, y) == 1)
}
