package nodecrypto

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"reflect"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
	"eddy/runtime/webapi/webcrypto"
)

// keyHandle is a KeyObject's key. Exactly one of secret, private and public is set; public is also set beside private.
type keyHandle struct {
	secret  []byte
	private crypto.PrivateKey
	public  crypto.PublicKey
}

// exported is the Go value of an object that holds a key, nil for any other.
func exported(obj *goja.Object) any {
	if obj.ExportType() != reflect.TypeFor[*keyHandle]() {
		return nil
	}
	return obj.Export()
}

func handleOf(h *host.Host, v goja.Value) *keyHandle {
	if obj, ok := v.(*goja.Object); ok {
		if k, ok := exported(obj).(*keyHandle); ok {
			return k
		}
	}
	bridge.ThrowCode(h, "TypeError", "ERR_INVALID_ARG_TYPE", `The "key" argument must be an instance of KeyObject.`)
	return nil
}

func privateHandle(k crypto.PrivateKey) *keyHandle {
	p := &keyHandle{private: k}
	switch k := k.(type) {
	case *rsa.PrivateKey:
		p.public = &k.PublicKey
	case *ecdsa.PrivateKey:
		p.public = &k.PublicKey
	case ed25519.PrivateKey:
		p.public = k.Public()
	case *ecdh.PrivateKey:
		p.public = k.PublicKey()
	}
	return p
}

// algorithm is asymmetricKeyType.
func (k *keyHandle) algorithm() string {
	switch p := k.public.(type) {
	case *rsa.PublicKey:
		return "rsa"
	case *ecdsa.PublicKey:
		return "ec"
	case ed25519.PublicKey:
		return "ed25519"
	case *ecdh.PublicKey:
		if p.Curve() == ecdh.X25519() {
			return "x25519"
		}
		return "ec"
	}
	return ""
}

// curveNames maps OpenSSL's and NIST's names to Go's curves.
var curveNames = map[string]elliptic.Curve{
	"prime256v1": elliptic.P256(), "P-256": elliptic.P256(), "secp256r1": elliptic.P256(), "secp224r1": elliptic.P224(),
	"P-224":     elliptic.P224(),
	"secp384r1": elliptic.P384(), "P-384": elliptic.P384(), "secp521r1": elliptic.P521(), "P-521": elliptic.P521(),
}

func opensslCurve(c elliptic.Curve) string {
	switch c {
	case elliptic.P224():
		return "secp224r1"
	case elliptic.P256():
		return "prime256v1"
	case elliptic.P384():
		return "secp384r1"
	}
	return "secp521r1"
}

// errKey is the platform's error for text or bytes that are no key.
func errKey(private bool) error {
	return bridge.Coded("Error", "", "Failed to parse "+kindOf(private)+" key")
}

func kindOf(private bool) string {
	if private {
		return "private"
	}
	return "public"
}

// parseKey reads PEM or DER; wantPrivate makes a public key an error.
func parseKey(data []byte, format, passphrase string, wantPrivate bool) (*keyHandle, error) {
	if format != "der" {
		block, _ := pem.Decode(data)
		if block == nil {
			return nil, errKey(wantPrivate)
		}
		if block.Type == "ENCRYPTED PRIVATE KEY" {
			der, err := decryptPKCS8(block.Bytes, passphrase)
			if errors.Is(err, errTooLong) {
				return nil, err
			}
			if err != nil {
				return nil, errKey(wantPrivate)
			}
			block.Bytes = der
		} else if x509.IsEncryptedPEMBlock(block) { // Node reads them too
			der, err := x509.DecryptPEMBlock(block, []byte(passphrase)) // OpenSSL's old encryption, see above
			if err != nil {
				return nil, errKey(wantPrivate)
			}
			block.Bytes = der
		}
		data = block.Bytes
	}
	if k := privateDER(data); k != nil {
		return privateHandle(k), nil
	}
	if wantPrivate {
		return nil, errKey(wantPrivate)
	}
	if k := publicDER(data); k != nil {
		return &keyHandle{public: k}, nil
	}
	return nil, errKey(wantPrivate)
}

func privateDER(der []byte) crypto.PrivateKey {
	if k, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		return k
	}
	if k, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return k
	}
	if k, err := x509.ParseECPrivateKey(der); err == nil {
		return k
	}
	return nil
}

func publicDER(der []byte) crypto.PublicKey {
	if k, err := x509.ParsePKIXPublicKey(der); err == nil {
		return k
	}
	if k, err := x509.ParsePKCS1PublicKey(der); err == nil {
		return k
	}
	if c, err := x509.ParseCertificate(der); err == nil {
		return c.PublicKey
	}
	return nil
}

// encode writes a key as DER; typ is pkcs1, pkcs8, sec1 or spki. The label is that of PEM.
func (k *keyHandle) encode(typ string, public bool) (der []byte, label string, err error) {
	if public {
		if r, ok := k.public.(*rsa.PublicKey); ok && typ == "pkcs1" {
			return x509.MarshalPKCS1PublicKey(r), "RSA PUBLIC KEY", nil
		}
		der, err = x509.MarshalPKIXPublicKey(k.public)
		return der, "PUBLIC KEY", err
	}
	switch typ {
	case "pkcs1":
		if r, ok := k.private.(*rsa.PrivateKey); ok {
			return x509.MarshalPKCS1PrivateKey(r), "RSA PRIVATE KEY", nil
		}
		return nil, "", bridge.Coded(
			"Error", "ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS",
			"The selected key encoding pkcs1 can only be used for RSA keys.")
	case "sec1":
		if e, ok := k.private.(*ecdsa.PrivateKey); ok {
			der, err = x509.MarshalECPrivateKey(e)
			return der, "EC PRIVATE KEY", err
		}
		return nil, "", bridge.Coded(
			"Error", "ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS",
			"The selected key encoding sec1 can only be used for EC keys.")
	}
	der, err = x509.MarshalPKCS8PrivateKey(k.private)
	return der, "PRIVATE KEY", err
}

func keyFunctions(h *host.Host) map[string]func(goja.FunctionCall) goja.Value {
	rt := h.Runtime()
	wrap := func(k *keyHandle, err error) goja.Value {
		bridge.OrThrow(h, err)
		return rt.ToValue(k)
	}
	return map[string]func(goja.FunctionCall) goja.Value{
		"secretKey": func(fc goja.FunctionCall) goja.Value {
			return rt.ToValue(&keyHandle{secret: bridge.CopyBytes(h, fc.Argument(0))})
		},
		"secret": func(fc goja.FunctionCall) goja.Value {
			return h.Realm.ArrayBuffer(handleOf(h, fc.Argument(0)).secret)
		},
		// parseKey(bytes, format, passphrase, private)
		"parseKey": func(fc goja.FunctionCall) goja.Value {
			data, format, passphrase := bridge.CopyBytes(h, fc.Argument(0)), fc.Argument(1).String(),
				fc.Argument(2).String()
			private := fc.Argument(3).ToBoolean()
			var k *keyHandle
			var err error
			h.Loop.Await(func() { k, err = parseKey(data, format, passphrase, private) }) // it may derive a key
			return wrap(k, err)
		},
		// jwkKey(JSON text, private)
		"jwkKey": func(fc goja.FunctionCall) goja.Value {
			return wrap(fromJWK([]byte(fc.Argument(0).String()), fc.Argument(1).ToBoolean()))
		},
		"exportJWK": func(fc goja.FunctionCall) goja.Value {
			text, err := handleOf(h, fc.Argument(0)).jwk(fc.Argument(1).ToBoolean())
			bridge.OrThrow(h, err)
			return rt.ToValue(text)
		},
		"publicOf": func(fc goja.FunctionCall) goja.Value {
			return rt.ToValue(&keyHandle{public: handleOf(h, fc.Argument(0)).public})
		},
		// exportKey(key, format, type, public)
		"exportKey": func(fc goja.FunctionCall) goja.Value {
			der, label, err := handleOf(h, fc.Argument(0)).encode(fc.Argument(2).String(), fc.Argument(3).ToBoolean())
			bridge.OrThrow(h, err)
			if fc.Argument(1).String() == "pem" {
				return rt.ToValue(string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der})))
			}
			return h.Realm.ArrayBuffer(der)
		},
		"keyType": func(fc goja.FunctionCall) goja.Value {
			k := handleOf(h, fc.Argument(0))
			switch {
			case k.private != nil:
				return rt.ToValue("private")
			case k.public != nil:
				return rt.ToValue("public")
			}
			return rt.ToValue("secret")
		},
		"keyAlgorithm": func(fc goja.FunctionCall) goja.Value {
			return rt.ToValue(handleOf(h, fc.Argument(0)).algorithm())
		},
		"keyDetails": func(fc goja.FunctionCall) goja.Value {
			o := rt.NewObject()
			switch p := handleOf(h, fc.Argument(0)).public.(type) {
			case *rsa.PublicKey:
				_ = o.Set("modulusLength", p.N.BitLen())
				_ = o.Set("publicExponent", int64(p.E))
			case *ecdsa.PublicKey:
				_ = o.Set("namedCurve", opensslCurve(p.Curve))
			}
			return o
		},
		"keyEquals": func(fc goja.FunctionCall) goja.Value {
			a, b := handleOf(h, fc.Argument(0)), handleOf(h, fc.Argument(1))
			return rt.ToValue(a.equal(b))
		},
		// generateKey(algorithm, modulus length, curve, callback)
		"generateKey": func(fc goja.FunctionCall) goja.Value {
			alg, bits, curve := fc.Argument(0).String(), bridge.Number(fc.Argument(1), 2048), fc.Argument(2).String()
			random, err := webcrypto.Stream(h)
			bridge.OrThrow(h, err)
			if goja.IsUndefined(fc.Argument(3)) {
				defer random.Leave() // the turn may be over first
				var k *keyHandle
				h.Loop.Await(func() { k, err = generate(random, alg, bits, curve) })
				return wrap(k, err)
			}
			bridge.Heavy(h, fc.Argument(3), func() (func() goja.Value, error) {
				k, err := generate(random, alg, bits, curve)
				return func() goja.Value { return rt.ToValue(k) }, err
			})
			return goja.Undefined()
		},
	}
}

func (k *keyHandle) equal(o *keyHandle) bool {
	if k.secret != nil || o.secret != nil {
		return k.secret != nil && o.secret != nil && string(k.secret) == string(o.secret)
	}
	if (k.private == nil) != (o.private == nil) {
		return false
	}
	if e, ok := k.public.(interface{ Equal(crypto.PublicKey) bool }); ok {
		return e.Equal(o.public)
	}
	return false
}

var oidPBES2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}

func unsupported(what string) error {
	return bridge.Coded("Error", "ERR_METHOD_NOT_IMPLEMENTED", fmt.Sprintf("%s is not implemented", what))
}
