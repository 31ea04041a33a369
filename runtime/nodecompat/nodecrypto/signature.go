package nodecrypto

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/asn1"
	"io"
	"math/big"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
	"eddy/runtime/webapi/webcrypto"
)

// cryptoHash maps digest names to those that signatures take.
var cryptoHash = map[string]crypto.Hash{
	"md5": crypto.MD5, "sha1": crypto.SHA1, "sha224": crypto.SHA224, "sha256": crypto.SHA256, "sha384": crypto.SHA384,
	"sha512":    crypto.SHA512,
	"sha512256": crypto.SHA512_256, "sha512224": crypto.SHA512_224, "sha3256": crypto.SHA3_256,
	"sha3384": crypto.SHA3_384, "sha3512": crypto.SHA3_512,
	"ripemd160": crypto.RIPEMD160,
}

// RSA paddings as crypto.constants numbers them.
const (
	paddingPKCS1 = 1
	paddingOAEP  = 4
	paddingPSS   = 6
)

// scheme is how a signature is made.
type scheme struct {
	digest  string
	padding int
	salt    int // bytes, saltDigest or saltAuto
	ieee    bool
}

func (s scheme) sum(alg string, data []byte) ([]byte, crypto.Hash, error) {
	name := digestKey(s.digest)
	if s.digest == "" {
		if alg == "ec" || alg == "rsa" {
			name = "sha256"
		}
	}
	id, ok := cryptoHash[name]
	if !ok {
		return nil, 0, bridge.Coded("Error", "", "Unknown digest: "+s.digest)
	}
	d := digests[name]()
	d.Write(data)
	return d.Sum(nil), id, nil
}

// The lengths of a PSS salt that are no numbers of bytes, as crypto.constants has them.
const (
	saltDigest = -1
	saltAuto   = -2 // the longest that fits; any when verifying
)

func (s scheme) signPSS(random io.Reader, k *rsa.PrivateKey, id crypto.Hash, sum []byte) ([]byte, error) {
	salt := s.salt
	switch salt {
	case saltDigest:
		salt = id.Size()
	case saltAuto:
		salt = max((k.N.BitLen()-1+7)/8-2-id.Size(), 0)
	}
	if salt < 0 {
		return nil, rsa.ErrMessageTooLong
	}
	return webcrypto.SignPSS(random, k, id, sum, salt)
}

func (s scheme) verifyPSS(k *rsa.PublicKey, id crypto.Hash, sum, signature []byte) bool {
	salt := s.salt
	switch {
	case salt == saltDigest:
		salt = id.Size()
	case salt == saltAuto:
		return rsa.VerifyPSS(k, id, sum, signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthAuto}) == nil
	case salt < 0:
		return false
	}
	return webcrypto.VerifyPSS(k, id, sum, signature, salt)
}

func (k *keyHandle) sign(h *host.Host, s scheme, data []byte) ([]byte, error) {
	if e, ok := k.private.(ed25519.PrivateKey); ok {
		return ed25519.Sign(e, data), nil
	}
	sum, id, err := s.sum(k.algorithm(), data)
	if err != nil {
		return nil, err
	}
	switch p := k.private.(type) {
	case *rsa.PrivateKey:
		if s.padding == paddingPSS {
			return s.signPSS(h.Rand(), p, id, sum)
		}
		return rsa.SignPKCS1v15(nil, p, id, sum)
	case *ecdsa.PrivateKey:
		der, err := ecdsa.SignASN1(h.Rand(), p, sum)
		if err != nil || !s.ieee {
			return der, err
		}
		var rs struct{ R, S *big.Int }
		if _, err := asn1.Unmarshal(der, &rs); err != nil {
			return nil, err
		}
		size := (p.Curve.Params().BitSize + 7) / 8
		return append(rs.R.FillBytes(make([]byte, size)), rs.S.FillBytes(make([]byte, size))...), nil
	}
	return nil, bridge.Coded("Error", "", "Failed to initialize signing context")
}

func (k *keyHandle) verify(s scheme, data, signature []byte) (bool, error) {
	if e, ok := k.public.(ed25519.PublicKey); ok {
		return ed25519.Verify(e, data, signature), nil
	}
	sum, id, err := s.sum(k.algorithm(), data)
	if err != nil {
		return false, err
	}
	switch p := k.public.(type) {
	case *rsa.PublicKey:
		if s.padding == paddingPSS {
			return s.verifyPSS(p, id, sum, signature), nil
		}
		return rsa.VerifyPKCS1v15(p, id, sum, signature) == nil, nil
	case *ecdsa.PublicKey:
		if s.ieee {
			if len(signature)%2 != 0 {
				return false, nil
			}
			half := len(signature) / 2
			signature, err = asn1.Marshal(
				struct{ R, S *big.Int }{
					new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:])})
			if err != nil {
				return false, err
			}
		}
		return ecdsa.VerifyASN1(p, sum, signature), nil
	}
	return false, unsupported("Verifying with " + k.algorithm() + " keys")
}

func signFunctions(h *host.Host) map[string]func(goja.FunctionCall) goja.Value {
	rt := h.Runtime()
	// schemeOf reads (digest, padding, salt length, "ieee-p1363") from the argument on.
	schemeOf := func(fc goja.FunctionCall, at int) scheme {
		s := scheme{padding: bridge.Number(fc.Argument(at+1), paddingPKCS1),
			salt: bridge.Number(fc.Argument(at+2), saltAuto),
			ieee: fc.Argument(at+3).String() == "ieee-p1363"}
		if d := fc.Argument(at); !goja.IsUndefined(d) && !goja.IsNull(d) {
			s.digest = d.String()
		}
		return s
	}
	return map[string]func(goja.FunctionCall) goja.Value{
		// sign(key, data, digest, padding, salt length, encoding)
		"sign": func(fc goja.FunctionCall) goja.Value {
			out, err := handleOf(h, fc.Argument(0)).sign(h, schemeOf(fc, 2), bridge.NeedBytes(h, fc.Argument(1)))
			bridge.OrThrow(h, err)
			return h.Realm.ArrayBuffer(out)
		},
		// verify(key, data, signature, digest, padding, salt length, encoding)
		"verify": func(fc goja.FunctionCall) goja.Value {
			ok, err := handleOf(h, fc.Argument(0)).verify(
				schemeOf(fc, 3), bridge.NeedBytes(h, fc.Argument(1)), bridge.NeedBytes(h, fc.Argument(2)))
			bridge.OrThrow(h, err)
			return rt.ToValue(ok)
		},
		// rsa(operation, key, data, padding, digest, label)
		"rsa": func(fc goja.FunctionCall) goja.Value {
			out, err := rsaOperation(
				h, fc.Argument(0).String(), handleOf(h, fc.Argument(1)), bridge.NeedBytes(h, fc.Argument(2)),
				bridge.Number(fc.Argument(3), paddingOAEP), fc.Argument(4), fc.Argument(5))
			bridge.OrThrow(h, err)
			return h.Realm.ArrayBuffer(out)
		},
	}
}

func rsaOperation(h *host.Host, op string, k *keyHandle, data []byte, padding int, digest, label goja.Value) (
	[]byte, error) {
	pub, ok := k.public.(*rsa.PublicKey)
	if !ok {
		return nil, unsupported(op + " with " + k.algorithm() + " keys")
	}
	priv, _ := k.private.(*rsa.PrivateKey)
	if priv == nil && (op == "privateDecrypt" || op == "privateEncrypt") {
		return nil, bridge.Coded(
			"TypeError", "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", "Invalid key object type public, expected private.")
	}
	name := "sha1"
	if !goja.IsUndefined(digest) && !goja.IsNull(digest) {
		name = digest.String()
	}
	var tag []byte
	if b, ok := bridge.BytesOf(h, label); ok {
		tag = b
	}
	switch {
	case op == "publicEncrypt" && padding == paddingOAEP:
		return rsa.EncryptOAEP(needDigest(h, h.Runtime().ToValue(name))(), h.Rand(), pub, data, tag)
	case op == "publicEncrypt" && padding == paddingPKCS1:
		return rsa.EncryptPKCS1v15(h.Rand(), pub, data) // the caller asked for it
	case op == "privateDecrypt" && padding == paddingOAEP:
		return rsa.DecryptOAEP(needDigest(h, h.Runtime().ToValue(name))(), nil, priv, data, tag)
	case op == "privateDecrypt" && padding == paddingPKCS1:
		return rsa.DecryptPKCS1v15(nil, priv, data) // the caller asked for it
	case op == "privateEncrypt" && (padding == paddingPKCS1 || padding == paddingOAEP):
		return rsa.SignPKCS1v15(nil, priv, crypto.Hash(0), data)
	case op == "publicDecrypt":
		return recoverPKCS1(pub, data)
	}
	return nil, unsupported(op + " with this padding")
}

// recoverPKCS1 gives what privateEncrypt was given: RSA's public operation, without block type 1 padding (RFC 8017,
// 9.2).
func recoverPKCS1(pub *rsa.PublicKey, data []byte) ([]byte, error) {
	if pub.N.Sign() == 0 { // a JSON Web Key may say so, and Go would take it for no modulus
		return nil, errCipherPad
	}
	m := new(big.Int).Exp(new(big.Int).SetBytes(data), big.NewInt(int64(pub.E)), pub.N).FillBytes(
		make([]byte, pub.Size()))
	if len(m) < 11 || m[0] != 0 || m[1] != 1 {
		return nil, errCipherPad
	}
	for i := 2; i < len(m); i++ {
		if m[i] == 0 {
			return m[i+1:], nil
		}
		if m[i] != 0xff {
			break
		}
	}
	return nil, errCipherPad
}
