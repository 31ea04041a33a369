package nodecompat

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/subtle"
	"io"
	"math/big"

	"github.com/dop251/goja"
	"golang.org/x/crypto/scrypt"

	"eddy/runtime/webapi/host"
)

// What node:crypto computes in Go. Functions that take long have a callback as last argument and work off the loop then.
var _ = register("crypto", func(h *host.Host) goja.Value {
	o := h.Runtime().NewObject()
	for _, part := range []map[string]func(goja.FunctionCall) goja.Value{
		hashFunctions(h), derivations(h), cipherFunctions(h), keyFunctions(h), signFunctions(h), agreementFunctions(h), certificateFunctions(h),
	} {
		for name, fn := range part {
			_ = o.Set(name, h.Realm.Function(name, fn))
		}
	}
	return o
})

// deliver runs work now, or off the loop when callback is a function.
func deliver(h *host.Host, callback goja.Value, work func() ([]byte, error)) goja.Value {
	if !goja.IsUndefined(callback) {
		background(h, callback, func() (func() goja.Value, error) {
			b, err := work()
			return func() goja.Value { return h.Realm.ArrayBuffer(b) }, err
		})
		return goja.Undefined()
	}
	b, err := work()
	orThrow(h, err)
	return h.Realm.ArrayBuffer(b)
}

func derivations(h *host.Host) map[string]func(goja.FunctionCall) goja.Value {
	return map[string]func(goja.FunctionCall) goja.Value{
		// fill(view) fills with random bytes.
		"fill": func(fc goja.FunctionCall) goja.Value {
			h.Scope() // random values are for handlers only
			if _, err := io.ReadFull(h.Rand(), needBytes(h, fc.Argument(0))); err != nil {
				orThrow(h, err)
			}
			return goja.Undefined()
		},
		// pbkdf2(password, salt, iterations, length, digest, callback)
		"pbkdf2": func(fc goja.FunctionCall) goja.Value {
			password, salt := copyBytes(h, fc.Argument(0)), copyBytes(h, fc.Argument(1))
			iterations, length := number(fc.Argument(2), 1), number(fc.Argument(3), 0)
			digest := needDigest(h, fc.Argument(4))
			return deliver(h, fc.Argument(5), func() ([]byte, error) {
				if length == 0 {
					return []byte{}, nil
				}
				return pbkdf2.Key(digest, string(password), salt, iterations, length)
			})
		},
		// scrypt(password, salt, length, N, r, p, maxmem, callback)
		"scrypt": func(fc goja.FunctionCall) goja.Value {
			password, salt := copyBytes(h, fc.Argument(0)), copyBytes(h, fc.Argument(1))
			length, n, r, p := number(fc.Argument(2), 0), number(fc.Argument(3), 16384), number(fc.Argument(4), 8), number(fc.Argument(5), 1)
			limit := number(fc.Argument(6), 32<<20)
			if n < 2 || n&(n-1) != 0 || r < 1 || p < 1 || 128*n*r > limit {
				text := "Invalid scrypt params"
				if 128*n*r > limit {
					text += ": memory limit exceeded"
				}
				throwCode(h, "RangeError", "ERR_CRYPTO_INVALID_SCRYPT_PARAMS", text)
			}
			return deliver(h, fc.Argument(7), func() ([]byte, error) {
				if length == 0 {
					return []byte{}, nil
				}
				return scrypt.Key(password, salt, n, r, p, length)
			})
		},
		// hkdf(digest, key, salt, info, length, callback)
		"hkdf": func(fc goja.FunctionCall) goja.Value {
			digest := needDigest(h, fc.Argument(0))
			key, salt, info := copyBytes(h, fc.Argument(1)), copyBytes(h, fc.Argument(2)), copyBytes(h, fc.Argument(3))
			length := number(fc.Argument(4), 0)
			if length > 255*digest().Size() {
				throwCode(h, "RangeError", "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length")
			}
			return deliver(h, fc.Argument(5), func() ([]byte, error) { return hkdf.Key(digest, key, salt, string(info), length) })
		},
		"timingSafeEqual": func(fc goja.FunctionCall) goja.Value {
			return h.Runtime().ToValue(subtle.ConstantTimeCompare(needBytes(h, fc.Argument(0)), needBytes(h, fc.Argument(1))) == 1)
		},
		// probablyPrime(bigint bytes, big endian)
		"probablyPrime": func(fc goja.FunctionCall) goja.Value {
			return h.Runtime().ToValue(new(big.Int).SetBytes(needBytes(h, fc.Argument(0))).ProbablyPrime(20))
		},
	}
}
