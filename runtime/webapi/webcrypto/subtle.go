package webcrypto

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// must throws err unless it is nil.
func (a *api) must(err error) {
	if err != nil {
		throw(a.h.Realm, err)
	}
}

// check refuses a key for an operation it is not meant for.
func check(k *Key, p *parameters, u usages) error {
	if !strings.EqualFold(p.name, k.Algorithm.Name) {
		return fail(invalidAccessError, `Requested algorithm "%s" does not match this CryptoKey's algorithm "%s".`,
			p.name, k.Algorithm.Name)
	}
	if k.usages&u == 0 {
		return fail(invalidAccessError, `Requested key usage "%s" does not match any usage listed in this CryptoKey.`,
			u.names()[0])
	}
	return nil
}

// off runs compute and makes its result a promise; wrap runs on the loop. compute has a goroutine of its own if it is
// long and there is an event to wait in.
func off[T any](a *api, long bool, compute func() (T, error), wrap func(T) goja.Value) goja.Value {
	scope := a.h.Loop.Scope()
	if !long || scope == nil {
		v, err := compute()
		a.must(err)
		return wrap(v)
	}
	ctx := scope.Context()
	return scope.Promise(func() func() (goja.Value, goja.Value) {
		var v T
		var err error
		if refused := a.h.Loop.Heavy(ctx, func() { v, err = compute() }); refused != nil {
			err = refused
		}
		return func() (value, failure goja.Value) {
			failure = a.h.Realm.Try(func() { a.must(err); value = wrap(v) })
			return value, failure
		}
	})
}

// modern tells whether the flag is on.
func (a *api) modern() bool { return a.h.Enabled(ModernFlag) }

// format reads the arguments of an export: the format, and the key as argument i.
func (a *api) format(c *webidl.Call, i int) (string, *Key) {
	format, k := c.String(0), keyArg(c, i)
	if a.modern() {
		format = plainFormat(format, k.Algorithm.Name)
	}
	return format, k
}

func (a *api) buffer(b []byte) goja.Value {
	// The core may hand out a key's own bytes.
	return a.h.Realm.ArrayBuffer(append([]byte{}, b...))
}

func (a *api) defineSubtle() *webidl.Interface {
	async := func(name string, f func(c *webidl.Call) goja.Value) webidl.Member {
		return webidl.Async(name, func(_ *subtleState, c *webidl.Call) goja.Value { return f(c) })
	}
	// cipher is an operation (algorithm, key, data) → bytes.
	cipher := func(name string, d dictionary, u usages,
		run func(*Key, *parameters, []byte) ([]byte, error)) webidl.Member {
		return async(name, func(c *webidl.Call) goja.Value {
			p, k, data := algorithmArg(c, 0, d), keyArg(c, 1), bytesArg(c, 2)
			a.must(check(k, p, u))
			out, err := run(k, p, data)
			a.must(err)
			return a.buffer(out)
		})
	}
	members := []webidl.Member{
		cipher("encrypt", encryptDict, useEncrypt, (*Key).encrypt),
		cipher("decrypt", encryptDict, useDecrypt, (*Key).decrypt),
		cipher("sign", signDict, useSign, (*Key).sign),
		async("verify", func(c *webidl.Call) goja.Value {
			p, k, signature, data := algorithmArg(c, 0, signDict), keyArg(c, 1), bytesArg(c, 2), bytesArg(c, 3)
			a.must(check(k, p, useVerify))
			ok, err := k.verify(p, signature, data)
			a.must(err)
			return c.Value(ok)
		}),
		async("digest", func(c *webidl.Call) goja.Value {
			p, data := algorithmArg(c, 0, hashDict), bytesArg(c, 1)
			d, err := lookupDigestFor(p.name, a.modern())
			a.must(err)
			return a.buffer(d.sum(data))
		}),
		async("generateKey", a.generateKey),
		async("deriveKey", a.deriveKey),
		async("deriveBits", a.deriveBits),
		async("importKey", func(c *webidl.Call) goja.Value {
			format := c.String(0)
			bytes, j := keyDataArg(c, 1)
			p := algorithmArg(c, 2, importDict)
			k, err := importKey(&source{format: format, bytes: bytes, jwk: j, params: p, modern: a.modern(),
				extractable: c.Require(3, "boolean").ToBoolean(), usages: listArg(c, 4)})
			a.must(err)
			return a.wrap(k)
		}),
		async("exportKey", func(c *webidl.Call) goja.Value {
			format, k := a.format(c, 1)
			b, j, err := k.export(format)
			a.must(err)
			if j != nil {
				return jwkTo(c.Runtime(), j)
			}
			return a.buffer(b)
		}),
		async("wrapKey", a.wrapKey),
		async("unwrapKey", a.unwrapKey),
	}
	if a.modern() {
		members = append(members, a.modernMembers()...)
		members = append(members, webidl.Static("supports", func(c *webidl.Call) goja.Value {
			return c.Value(a.supports(c))
		}))
	}
	members = append(members,
		webidl.Method("timingSafeEqual", func(_ *subtleState, c *webidl.Call) goja.Value { return timingSafeEqual(c) }))
	return a.h.Realm.Define(webidl.Spec{Name: "SubtleCrypto", Members: members})
}

func (a *api) generateKey(c *webidl.Call) goja.Value {
	r := &request{params: algorithmArg(c, 0, generateDict), extractable: c.Require(1, "boolean").ToBoolean(),
		usages: listArg(c, 2), modern: a.modern(), random: a.h}
	g, err := generateKey(r)
	a.must(err)
	a.h.Scope()
	return off(a, g.long, g.run, func(k generated) goja.Value {
		if k.secret != nil {
			return a.wrap(k.secret)
		}
		pair := a.h.Runtime().NewObject()
		_ = pair.DefineDataProperty("publicKey", a.wrap(k.public), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		_ = pair.DefineDataProperty("privateKey", a.wrap(k.private), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		return pair
	})
}

func (a *api) deriveKey(c *webidl.Call) goja.Value {
	p, base := algorithmArg(c, 0, deriveDict), keyArg(c, 1)
	target, extractable, list := algorithmArg(c, 2, importDict), c.Require(3, "boolean").ToBoolean(), listArg(c, 4)
	a.must(check(base, p, useDeriveKey))
	bits, err := derivedLength(target)
	a.must(err)
	w, err := base.derive(p, bits)
	a.must(err)
	return off(a, w.long, func() (*Key, error) {
		secret, err := w.run()
		if err != nil {
			return nil, err
		}
		return importKey(&source{format: "raw", bytes: secret, params: target, extractable: extractable, usages: list,
			modern: a.modern()})
	}, func(k *Key) goja.Value { return a.wrap(k) })
}

func (a *api) deriveBits(c *webidl.Call) goja.Value {
	p, base := algorithmArg(c, 0, deriveDict), keyArg(c, 1)
	var bits *int
	if v := c.Arg(2); !goja.IsUndefined(v) && !goja.IsNull(v) {
		n := int(a.h.Realm.Int32(v))
		if n < 0 {
			c.ThrowType("deriveBits length must be an unsigned long integer.")
		}
		bits = &n
	}
	a.must(check(base, p, useDeriveBits))
	w, err := base.derive(p, bits)
	a.must(err)
	return off(a, w.long, w.run, a.buffer)
}

func (a *api) wrapKey(c *webidl.Call) goja.Value {
	format, k := a.format(c, 1)
	wrapping, p := keyArg(c, 2), algorithmArg(c, 3, encryptDict)
	a.must(check(wrapping, p, useWrapKey))
	b, j, err := k.export(format)
	a.must(err)
	if j != nil {
		text, err := a.json("stringify", jwkTo(c.Runtime(), j))
		a.must(err)
		b = []byte(text.String())
	}
	out, err := wrapping.wrap(p, b)
	a.must(err)
	return a.buffer(out)
}

func (a *api) unwrapKey(c *webidl.Call) goja.Value {
	s := &source{format: c.String(0), modern: a.modern()}
	wrapped, unwrapping, p := bytesArg(c, 1), keyArg(c, 2), algorithmArg(c, 3, encryptDict)
	s.params, s.extractable, s.usages = algorithmArg(c, 4, importDict), c.Require(5, "boolean").ToBoolean(),
		listArg(c, 6)
	a.must(check(unwrapping, p, useUnwrapKey))
	b, err := unwrapping.unwrap(p, wrapped)
	a.must(err)
	s.bytes = b
	if s.format == "jwk" {
		v, err := a.json("parse", c.Value(string(b)))
		a.must(err)
		obj, _ := v.(*goja.Object)
		ok := obj != nil
		if ok {
			s.jwk, ok = jwkFrom(c, obj)
		}
		if !ok {
			a.must(fail(dataError, `Missing "kty" field or corrupt JSON unwrapping key?`))
		}
	}
	k, err := importKey(s)
	a.must(err)
	return a.wrap(k)
}

// json calls a function of JSON. What it throws is thrown on.
func (a *api) json(function string, v goja.Value) (goja.Value, error) {
	f, ok := goja.AssertFunction(a.h.Runtime().Get("JSON").ToObject(a.h.Runtime()).Get(function))
	if !ok {
		return nil, fail(typeError, "JSON.%s is not a function", function)
	}
	out, err := f(nil, v)
	if err != nil {
		panic(err)
	}
	return out, nil
}
