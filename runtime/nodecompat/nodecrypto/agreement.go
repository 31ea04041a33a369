package nodecrypto

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"math/big"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
	"eddy/runtime/webapi/webcrypto"
)

var ecdhCurves = map[string]ecdh.Curve{
	"prime256v1": ecdh.P256(), "P-256": ecdh.P256(), "secp256r1": ecdh.P256(), "secp384r1": ecdh.P384(),
	"P-384":     ecdh.P384(),
	"secp521r1": ecdh.P521(), "P-521": ecdh.P521(),
}

// maxDHBits and maxRSABits are OpenSSL's, maxPrimeBits is the platform's for numbers that are checked or searched for.
const maxDHBits, maxRSABits, maxPrimeBits = 10_000, 16_384, 8192

// agreementFunctions are ECDH and Diffie-Hellman over a prime.
func agreementFunctions(h *host.Host) map[string]func(goja.FunctionCall) goja.Value {
	curve := func(v goja.Value) ecdh.Curve {
		c, ok := ecdhCurves[v.String()]
		if !ok {
			bridge.ThrowCode(h, "TypeError", "ERR_CRYPTO_INVALID_CURVE", "Invalid EC curve name")
		}
		return c
	}
	num := func(v goja.Value) *big.Int { return new(big.Int).SetBytes(bridge.NeedBytes(h, v)) }
	return map[string]func(goja.FunctionCall) goja.Value{
		// ecdhGenerate(curve) is a private key.
		"ecdhGenerate": func(fc goja.FunctionCall) goja.Value {
			curve(fc.Argument(0)) // throws if there is none
			k, err := webcrypto.GenerateEC(curveNames[fc.Argument(0).String()], h)
			bridge.OrThrow(h, err)
			raw, err := k.Bytes()
			bridge.OrThrow(h, err)
			return h.Realm.ArrayBuffer(raw)
		},
		// ecdhPublic(curve, private key)
		"ecdhPublic": func(fc goja.FunctionCall) goja.Value {
			k, err := curve(fc.Argument(0)).NewPrivateKey(bridge.NeedBytes(h, fc.Argument(1)))
			if err != nil {
				bridge.OrThrow(h, bridge.Coded("Error", "", "Private key is not valid for specified curve."))
			}
			return h.Realm.ArrayBuffer(k.PublicKey().Bytes())
		},
		// ecdhSecret(curve, private key, public key)
		"ecdhSecret": func(fc goja.FunctionCall) goja.Value {
			c := curve(fc.Argument(0))
			k, err := c.NewPrivateKey(bridge.NeedBytes(h, fc.Argument(1)))
			bridge.OrThrow(h, err)
			p, err := c.NewPublicKey(uncompressed(fc.Argument(0).String(), bridge.NeedBytes(h, fc.Argument(2))))
			if err != nil {
				bridge.ThrowCode(
					h, "Error", "ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY", "Public key is not valid for specified curve")
			}
			secret, err := k.ECDH(p)
			bridge.OrThrow(h, err)
			return h.Realm.ArrayBuffer(secret)
		},
		// ecdhConvert(curve, public key) is the uncompressed form.
		"ecdhConvert": func(fc goja.FunctionCall) goja.Value {
			return h.Realm.ArrayBuffer(uncompressed(fc.Argument(0).String(), bridge.CopyBytes(h, fc.Argument(1))))
		},
		// agree(private key, public key) works on key objects.
		"agree": func(fc goja.FunctionCall) goja.Value {
			secret, err := agree(handleOf(h, fc.Argument(0)), handleOf(h, fc.Argument(1)))
			bridge.OrThrow(h, err)
			return h.Realm.ArrayBuffer(secret)
		},
		// modExp(base, exponent, modulus, length)
		"modExp": func(fc goja.FunctionCall) goja.Value {
			base, exponent, m := num(fc.Argument(0)), num(fc.Argument(1)), num(fc.Argument(2))
			if m.BitLen() > maxDHBits || exponent.BitLen() > maxDHBits {
				bridge.ThrowCode(h, "Error", "ERR_OSSL_DH_MODULUS_TOO_LARGE", "modulus too large")
			}
			if m.Sign() == 0 { // Go would take it for no modulus: a power that no memory can hold
				bridge.ThrowCode(h, "Error", "ERR_OSSL_DH_MODULUS_TOO_SMALL", "modulus too small")
			}
			out := new(big.Int)
			h.Loop.Await(func() { out.Exp(base, exponent, m) })
			return h.Realm.ArrayBuffer(out.FillBytes(make([]byte, (m.BitLen()+7)/8)))
		},
		// prime(bits) is a random prime.
		"prime": func(fc goja.FunctionCall) goja.Value {
			bits := bridge.Number(fc.Argument(0), 0)
			if bits > maxDHBits {
				bridge.ThrowCode(h, "Error", "ERR_OSSL_DH_MODULUS_TOO_LARGE", "modulus too large")
			}
			random, err := webcrypto.Stream(h)
			bridge.OrThrow(h, err)
			defer random.Leave() // the turn may be over first
			var p *big.Int
			h.Loop.Await(func() { p, err = webcrypto.Prime(random, bits) })
			bridge.OrThrow(h, err)
			return h.Realm.ArrayBuffer(p.Bytes())
		},
	}
}

// uncompressed turns a compressed point into the long form; others pass.
func uncompressed(curve string, point []byte) []byte {
	if len(point) == 0 || point[0] == 4 {
		return point
	}
	c, ok := curveNames[curve]
	if !ok {
		return point
	}
	x, y := elliptic.UnmarshalCompressed(c, point)
	if x == nil {
		return point
	}
	size := (c.Params().BitSize + 7) / 8
	return append([]byte{4}, append(x.FillBytes(make([]byte, size)), y.FillBytes(make([]byte, size))...)...)
}

func agree(private, public *keyHandle) ([]byte, error) {
	wrong := bridge.Coded(
		"Error", "ERR_CRYPTO_INCOMPATIBLE_KEY",
		"Incompatible key types for Diffie-Hellman: "+private.algorithm()+" and "+public.algorithm())
	if private.private == nil || private.algorithm() != public.algorithm() {
		return nil, wrong
	}
	k, ok := private.private.(*ecdh.PrivateKey)
	if !ok {
		e, isEC := private.private.(*ecdsa.PrivateKey)
		if !isEC {
			return nil, wrong
		}
		var err error
		if k, err = e.ECDH(); err != nil {
			return nil, err
		}
	}
	p, ok := public.public.(*ecdh.PublicKey)
	if !ok {
		e, isEC := public.public.(*ecdsa.PublicKey)
		if !isEC {
			return nil, wrong
		}
		var err error
		if p, err = e.ECDH(); err != nil {
			return nil, err
		}
	}
	return k.ECDH(p)
}
