package nodecrypto

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/subtle"
	"fmt"
	"math/big"

	"github.com/dop251/goja"
	"golang.org/x/crypto/scrypt"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
)

// Functions is an object of the functions that node:crypto has in Go, for its JavaScript half. Those that take long
// have a callback as last argument; if it is given they work off the loop.
func Functions(h *host.Host) goja.Value {
	o := h.Runtime().NewObject()
	for _, part := range []map[string]func(goja.FunctionCall) goja.Value{
		hashFunctions(h), derivations(h), cipherFunctions(h), keyFunctions(h), signFunctions(h), agreementFunctions(h),
		certificateFunctions(h),
	} {
		for name, fn := range part {
			_ = o.Set(name, h.Realm.Function(name, fn))
		}
	}
	return o
}

// maxIterations is the platform's bound on the iterations of PBKDF2. maxSteps bounds all the work of a derivation, in
// steps of about a microsecond: nothing ends one that has begun, not even when nobody waits for it any more.
const maxIterations, maxSteps = 100_000, 30_000_000

var errTooLong = bridge.Coded("RangeError", "ERR_OUT_OF_RANGE", "The key derivation takes too long.")

// bounded throws if a derivation takes too many steps or too much memory.
func bounded(h *host.Host, steps float64, memory int) {
	if steps > maxSteps {
		bridge.OrThrow(h, errTooLong)
	}
	h.Realm.Need(memory)
}

func derivations(h *host.Host) map[string]func(goja.FunctionCall) goja.Value {
	return map[string]func(goja.FunctionCall) goja.Value{
		// fill(view) fills with random bytes.
		"fill": func(fc goja.FunctionCall) goja.Value {
			h.Scope() // random values are for handlers only
			if err := h.Fill(bridge.NeedBytes(h, fc.Argument(0))); err != nil {
				bridge.OrThrow(h, err)
			}
			return goja.Undefined()
		},
		// pbkdf2(password, salt, iterations, length, digest, callback)
		"pbkdf2": func(fc goja.FunctionCall) goja.Value {
			password, salt := bridge.CopyBytes(h, fc.Argument(0)), bridge.CopyBytes(h, fc.Argument(1))
			iterations, length := bridge.Number(fc.Argument(2), 1), bridge.Number(fc.Argument(3), 0)
			digest := needDigest(h, fc.Argument(4))
			if iterations > maxIterations {
				bridge.ThrowCode(h, "RangeError", "ERR_OUT_OF_RANGE",
					fmt.Sprintf("Pbkdf2 failed: iteration counts above %d are not supported (requested %d).",
						maxIterations, iterations))
			}
			bounded(h, (float64(length)/float64(digest().Size())+1)*float64(iterations), length)
			return bridge.Deliver(h, fc.Argument(5), func() ([]byte, error) {
				if length == 0 {
					return []byte{}, nil
				}
				return pbkdf2.Key(digest, string(password), salt, iterations, length)
			})
		},
		// scrypt(password, salt, length, N, r, p, maxmem, callback)
		"scrypt": func(fc goja.FunctionCall) goja.Value {
			password, salt := bridge.CopyBytes(h, fc.Argument(0)), bridge.CopyBytes(h, fc.Argument(1))
			length, n, r, p := bridge.Number(fc.Argument(2), 0), bridge.Number(fc.Argument(3), 16384),
				bridge.Number(fc.Argument(4), 8), bridge.Number(fc.Argument(5), 1)
			limit := bridge.Number(fc.Argument(6), 32<<20)
			if n < 2 || n&(n-1) != 0 || r < 1 || p < 1 || 128*n*r > limit {
				text := "Invalid scrypt params"
				if 128*n*r > limit {
					text += ": memory limit exceeded"
				}
				bridge.ThrowCode(h, "RangeError", "ERR_CRYPTO_INVALID_SCRYPT_PARAMS", text)
			}
			bounded(h, float64(n)*float64(r)*float64(p)/2+float64(length)/32, 128*r*(n+p)+length)
			return bridge.Deliver(h, fc.Argument(7), func() ([]byte, error) {
				if length == 0 {
					return []byte{}, nil
				}
				return scrypt.Key(password, salt, n, r, p, length)
			})
		},
		// hkdf(digest, key, salt, info, length, callback)
		"hkdf": func(fc goja.FunctionCall) goja.Value {
			digest := needDigest(h, fc.Argument(0))
			key, salt, info := bridge.CopyBytes(h, fc.Argument(1)), bridge.CopyBytes(h, fc.Argument(2)),
				bridge.CopyBytes(h, fc.Argument(3))
			length := bridge.Number(fc.Argument(4), 0)
			if length > 255*digest().Size() {
				bridge.ThrowCode(h, "RangeError", "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length")
			}
			return bridge.Deliver(
				h, fc.Argument(5), func() ([]byte, error) { return hkdf.Key(digest, key, salt, string(info), length) })
		},
		"timingSafeEqual": func(fc goja.FunctionCall) goja.Value {
			return h.Runtime().ToValue(
				subtle.ConstantTimeCompare(
					bridge.NeedBytes(h, fc.Argument(0)), bridge.NeedBytes(h, fc.Argument(1))) == 1)
		},
		// probablyPrime(bigint bytes, big endian)
		"probablyPrime": func(fc goja.FunctionCall) goja.Value {
			candidate := bridge.NeedBytes(h, fc.Argument(0))
			if len(candidate) > maxPrimeBits/8 {
				panic(goja.Value(h.Realm.NewError("RangeError", "checkPrime candidate exceeds maximum size")))
			}
			n, is := new(big.Int).SetBytes(candidate), false
			h.Loop.Await(func() { is = n.ProbablyPrime(20) })
			return h.Runtime().ToValue(is)
		},
	}
}
