package webcrypto

import (
	"crypto/sha3"
	"hash"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// ModernFlag brings the algorithms and operations of the draft "Modern Algorithms in the Web Cryptography API", as far
// as the platform has them (BIND-174).
const ModernFlag = "webcrypto_modern_algorithms"

var lattices = slices.Concat(kems, dsas)

var modernAlgorithms = append([]algorithm{{chachaName, importChaCha, generateChaCha}}, latticeAlgorithms()...)

// modernDigests are for digest() alone.
var modernDigests = []digest{
	{"SHA3-256", 0, func() hash.Hash { return sha3.New256() }},
	{"SHA3-384", 0, func() hash.Hash { return sha3.New384() }},
	{"SHA3-512", 0, func() hash.Hash { return sha3.New512() }},
}

func lookupDigestFor(name string, modern bool) (digest, error) {
	for _, d := range modernDigests {
		if modern && strings.EqualFold(d.name, name) {
			return d, nil
		}
	}
	return lookupDigest(name)
}

// plainFormat is the older name of a format for an algorithm that knows the older ones only.
func plainFormat(format string, name string) string {
	switch a, _ := lookupAlgorithm(name, false); {
	case a.name == "":
	case format == "raw-secret" && (strings.HasPrefix(a.name, "AES-") || a.name == "HMAC" || a.name == "HKDF" ||
		a.name == "PBKDF2"),
		format == "raw-public" && (strings.HasPrefix(a.name, "EC") || strings.Contains(a.name, "25519")):
		return "raw"
	}
	return format
}

// modernMembers are the methods that the flag brings.
func (a *api) modernMembers() []webidl.Member {
	async := func(name string, f func(c *webidl.Call) goja.Value) webidl.Member {
		return webidl.Async(name, func(_ *subtleState, c *webidl.Call) goja.Value { return f(c) })
	}
	pair := func(shared goja.Value, ciphertext []byte) goja.Value {
		o := a.h.Runtime().NewObject()
		_ = o.DefineDataProperty("sharedKey", shared, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		_ = o.DefineDataProperty("ciphertext", a.buffer(ciphertext), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		return o
	}
	kem := func(c *webidl.Call) *parameters {
		if c.Missing(0) {
			c.ThrowNotOfType(0, "string or "+importDict.name)
		}
		return algorithmArg(c, 0, importDict)
	}
	bytes := func(c *webidl.Call, i int) []byte {
		b, ok := c.Realm().Bytes(c.Arg(i))
		if !ok {
			c.ThrowNotOfType(i, "Array")
		}
		return b
	}
	// wanted reads what the shared secret is to become, from argument i on.
	wanted := func(c *webidl.Call, i int) *source {
		s := &source{format: "raw", params: algorithmArg(c, i, importDict), modern: true,
			extractable: c.Require(i+1, "boolean").ToBoolean(), usages: listArg(c, i+2)}
		if strings.EqualFold(s.params.name, chachaName) {
			s.format = "raw-secret"
		}
		return s
	}
	made := func(s *source, secret []byte) goja.Value {
		s.bytes = secret
		k, err := importKey(s)
		a.must(err)
		return a.wrap(k)
	}
	return []webidl.Member{
		async("encapsulateKey", func(c *webidl.Call) goja.Value {
			p, k, s := kem(c), keyArg(c, 1), wanted(c, 2)
			a.must(check(k, p, useEncapsulateKey))
			shared, ciphertext, err := k.encapsulate()
			a.must(err)
			return pair(made(s, shared), ciphertext)
		}),
		async("encapsulateBits", func(c *webidl.Call) goja.Value {
			p, k := kem(c), keyArg(c, 1)
			a.must(check(k, p, useEncapsulateBits))
			shared, ciphertext, err := k.encapsulate()
			a.must(err)
			return pair(a.buffer(shared), ciphertext)
		}),
		async("decapsulateKey", func(c *webidl.Call) goja.Value {
			p, k, data, s := kem(c), keyArg(c, 1), bytes(c, 2), wanted(c, 3)
			a.must(check(k, p, useDecapsulateKey))
			shared, err := k.decapsulate(data)
			a.must(err)
			return made(s, shared)
		}),
		async("decapsulateBits", func(c *webidl.Call) goja.Value {
			p, k, data := kem(c), keyArg(c, 1), bytes(c, 2)
			a.must(check(k, p, useDecapsulateBits))
			shared, err := k.decapsulate(data)
			a.must(err)
			return a.buffer(shared)
		}),
		async("getPublicKey", func(c *webidl.Call) goja.Value {
			k, err := keyArg(c, 0).publicKey(listArg(c, 1))
			a.must(err)
			return a.wrap(k)
		}),
	}
}

// publicKey is the public key of a private one.
func (k *Key) publicKey(list []string) (*Key, error) {
	switch k.Kind {
	case Secret:
		return nil, fail(notSupportedError, "The getPublicKey operation is not supported for symmetric keys.")
	case Public:
		return nil, fail(invalidAccessError, "The getPublicKey operation requires a private key.")
	}
	name := k.Algorithm.Name
	open := &Key{Kind: Public, Extractable: true, Algorithm: k.Algorithm}
	var allowed usages
	switch m := k.material.(type) {
	case latticeKey:
		open.material, allowed = m.open(), useVerify
		if _, ok := m.(*kemKey); ok {
			allowed = forEncapsulation
		}
	case *ed25519Key:
		open.material, allowed = &ed25519Key{public: m.public}, useVerify
	case *x25519Key:
		open.material = &x25519Key{public: m.public}
	case *ecKey:
		open.material, allowed = m.open(), useVerify
		if name == "ECDH" {
			allowed = 0
		}
	case *rsaKey:
		open.material, allowed = m.open(), useVerify
		if name == "RSA-OAEP" {
			allowed = useEncrypt | useWrapKey
		}
	default:
		return nil, notImplemented("getPublicKey", k)
	}
	var err error
	open.usages, err = checkUsages(name, importPublic, list, allowed)
	return open, err
}
