package nodecrypto

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding"
	"hash"
	"io"
	"reflect"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
	"golang.org/x/crypto/ripemd160" // Node has it, and programs use it for addresses

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
)

// digests are the hash functions by their names in OpenSSL, lower case without "-".
var digests = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384,
	"sha512":    sha512.New,
	"sha512224": sha512.New512_224, "sha512256": sha512.New512_256,
	"sha3224": func() hash.Hash { return sha3.New224() }, "sha3256": func() hash.Hash { return sha3.New256() },
	"sha3384": func() hash.Hash { return sha3.New384() }, "sha3512": func() hash.Hash { return sha3.New512() },
	"ripemd160": ripemd160.New, "rmd160": ripemd160.New, "ripemd": ripemd160.New,
	"blake2b512": func() hash.Hash { d, _ := blake2b.New512(nil); return d },
	"blake2s256": func() hash.Hash { d, _ := blake2s.New256(nil); return d },
}

// shakes are the functions whose output has any length, with their usual length in bytes.
var shakes = map[string]struct {
	make func() *sha3.SHAKE
	size int
}{"shake128": {sha3.NewSHAKE128, 16}, "shake256": {sha3.NewSHAKE256, 32}}

// digestNames is what crypto.getHashes gives.
var digestNames = []string{
	"RSA-MD5", "RSA-RIPEMD160", "RSA-SHA1", "RSA-SHA224", "RSA-SHA256", "RSA-SHA384", "RSA-SHA512", "blake2b512",
	"blake2s256", "md5",
	"ripemd", "ripemd160", "rmd160", "sha1", "sha224", "sha256", "sha3-224", "sha3-256", "sha3-384", "sha3-512",
	"sha384", "sha512",
	"sha512-224", "sha512-256", "shake128", "shake256",
}

func digestKey(name string) string {
	name = strings.ToLower(name)
	name = strings.TrimPrefix(name, "rsa-")
	return strings.NewReplacer("-", "", "/", "").Replace(name)
}

// digestOf finds a hash function; nil if there is none of that name.
func digestOf(name string) func() hash.Hash { return digests[digestKey(name)] }

// needDigest throws for an unknown name.
func needDigest(h *host.Host, name goja.Value) func() hash.Hash {
	d := digestOf(name.String())
	if d == nil {
		bridge.ThrowCode(h, "TypeError", "ERR_CRYPTO_INVALID_DIGEST", "Invalid digest: "+name.String())
	}
	return d
}

// running is a hash under way.
type running struct {
	w     hash.Hash
	shake *sha3.SHAKE
	size  int
}

func newRunning(name string, size int) *running {
	if s, ok := shakes[digestKey(name)]; ok {
		if size < 0 {
			size = s.size
		}
		return &running{shake: s.make(), size: size}
	}
	make := digestOf(name)
	if make == nil {
		return nil
	}
	return &running{w: make()}
}

func (r *running) write(b []byte) {
	if r.shake != nil {
		_, _ = r.shake.Write(b)
		return
	}
	r.w.Write(b)
}

func (r *running) sum() []byte {
	if r.shake != nil {
		out := make([]byte, r.size)
		_, _ = io.ReadFull(r.shake, out)
		return out
	}
	return r.w.Sum(nil)
}

// clone copies the state, so that both can go on.
func (r *running) clone(name string) *running {
	if r.shake != nil {
		c := newRunning(name, r.size)
		state, _ := r.shake.MarshalBinary()
		_ = c.shake.UnmarshalBinary(state)
		return c
	}
	if m, ok := r.w.(encoding.BinaryMarshaler); ok {
		if state, err := m.MarshalBinary(); err == nil {
			c := newRunning(name, -1)
			if u, ok := c.w.(encoding.BinaryUnmarshaler); ok && u.UnmarshalBinary(state) == nil {
				return c
			}
		}
	}
	// The remaining ones keep their state in one flat struct.
	v := reflect.ValueOf(r.w).Elem()
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	return &running{w: c.Interface().(hash.Hash)}
}

// runningObject shows a hash to JavaScript: update(bytes), digest() and copy().
func runningObject(h *host.Host, r *running, name string) goja.Value {
	return bridge.Table(h, map[string]func(goja.FunctionCall) goja.Value{
		"update": func(fc goja.FunctionCall) goja.Value {
			r.write(bridge.NeedBytes(h, fc.Argument(0)))
			return goja.Undefined()
		},
		"digest": func(goja.FunctionCall) goja.Value {
			if r.shake != nil {
				h.Realm.Need(r.size)
			}
			return h.Realm.ArrayBuffer(r.sum())
		},
		// copy(length) also serves XOFs whose length changes.
		"copy": func(fc goja.FunctionCall) goja.Value {
			c := r.clone(name)
			c.size = bridge.Number(fc.Argument(0), r.size)
			return runningObject(h, c, name)
		},
	})
}

func hashFunctions(h *host.Host) map[string]func(goja.FunctionCall) goja.Value {
	return map[string]func(goja.FunctionCall) goja.Value{
		// hash(name, length)
		"hash": func(fc goja.FunctionCall) goja.Value {
			r := newRunning(fc.Argument(0).String(), bridge.Number(fc.Argument(1), -1))
			if r == nil {
				return goja.Undefined()
			}
			if size := bridge.Number(fc.Argument(1), -1); r.w != nil && size >= 0 && size != r.w.Size() {
				bridge.OrThrow(h, bridge.Coded("Error", "", "invalid digest size"))
			}
			return runningObject(h, r, fc.Argument(0).String())
		},
		"hmac": func(fc goja.FunctionCall) goja.Value {
			make := digestOf(fc.Argument(0).String())
			if make == nil {
				return goja.Undefined()
			}
			return runningObject(h, &running{w: hmac.New(make, bridge.CopyBytes(h, fc.Argument(1)))}, "")
		},
		"hashes": func(goja.FunctionCall) goja.Value {
			list := make([]any, len(digestNames))
			for i, n := range digestNames {
				list[i] = n
			}
			return h.Runtime().NewArray(list...)
		},
	}
}
