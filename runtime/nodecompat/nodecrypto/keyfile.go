package nodecrypto

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/pbkdf2"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"hash"
	"io"
	"math/big"

	"eddy/runtime/nodecompat/bridge"
)

// generate makes a new key pair.
func generate(random io.Reader, algorithm string, bits int, curve string) (*keyHandle, error) {
	switch algorithm {
	case "rsa", "rsa-pss":
		k, err := rsa.GenerateKey(random, bits)
		if err != nil {
			return nil, err
		}
		return privateHandle(k), nil
	case "ec":
		c, ok := curveNames[curve]
		if !ok {
			return nil, bridge.Coded("TypeError", "ERR_CRYPTO_INVALID_CURVE", "Invalid EC curve name")
		}
		k, err := ecdsa.GenerateKey(c, random)
		if err != nil {
			return nil, err
		}
		return privateHandle(k), nil
	case "ed25519":
		_, k, err := ed25519.GenerateKey(random)
		if err != nil {
			return nil, err
		}
		return privateHandle(k), nil
	case "x25519":
		k, err := ecdh.X25519().GenerateKey(random)
		if err != nil {
			return nil, err
		}
		return privateHandle(k), nil
	}
	return nil, unsupported("Generating " + algorithm + " keys")
}

// decryptPKCS8 opens an EncryptedPrivateKeyInfo of PBES2 with PBKDF2 and AES-CBC (RFC 8018).
func decryptPKCS8(der []byte, passphrase string) ([]byte, error) {
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Data      []byte
	}
	var scheme struct{ KDF, Cipher pkix.AlgorithmIdentifier }
	var kdf struct {
		Salt       []byte
		Iterations int
		Length     int                      `asn1:"optional"`
		PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
	}
	if _, err := asn1.Unmarshal(der, &info); err != nil || !info.Algorithm.Algorithm.Equal(oidPBES2) {
		return nil, errKeyUnsupported
	}
	if _, err := asn1.Unmarshal(info.Algorithm.Parameters.FullBytes, &scheme); err != nil {
		return nil, errKeyUnsupported
	}
	if _, err := asn1.Unmarshal(scheme.KDF.Parameters.FullBytes, &kdf); err != nil {
		return nil, errKeyUnsupported
	}
	sizes := map[string]int{"2.16.840.1.101.3.4.1.2": 16, "2.16.840.1.101.3.4.1.22": 24, "2.16.840.1.101.3.4.1.42": 32}
	size, ok := sizes[scheme.Cipher.Algorithm.String()]
	if !ok {
		return nil, errKeyUnsupported
	}
	var iv []byte
	if _, err := asn1.Unmarshal(scheme.Cipher.Parameters.FullBytes, &iv); err != nil || len(iv) != aes.BlockSize ||
		len(info.Data)%16 != 0 || len(info.Data) == 0 {
		return nil, errKeyUnsupported
	}
	var digest func() hash.Hash = sha1.New
	if kdf.PRF.Algorithm.String() == "1.2.840.113549.2.9" {
		digest = sha256.New
	}
	key, err := pbkdf2.Key(digest, passphrase, kdf.Salt, kdf.Iterations, size)
	if err != nil {
		return nil, err
	}
	block, _ := aes.NewCipher(key)
	out := make([]byte, len(info.Data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, info.Data)
	n := int(out[len(out)-1])
	if n < 1 || n > 16 {
		return nil, errCipherPad
	}
	return out[:len(out)-n], nil
}

// webKey is a JSON Web Key (RFC 7517).
type webKey struct {
	Kty string `json:"kty"`
	Crv string `json:"crv,omitempty"`
	N   string `json:"n,omitempty"`
	E   string `json:"e,omitempty"`
	X   string `json:"x,omitempty"`
	Y   string `json:"y,omitempty"`
	K   string `json:"k,omitempty"`
	D   string `json:"d,omitempty"`
	P   string `json:"p,omitempty"`
	Q   string `json:"q,omitempty"`
	DP  string `json:"dp,omitempty"`
	DQ  string `json:"dq,omitempty"`
	QI  string `json:"qi,omitempty"`
}

var errWebKey = bridge.Coded("Error", "ERR_CRYPTO_INVALID_JWK", "Invalid JWK data")

func fromJWK(data []byte) (*keyHandle, error) {
	var w webKey
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, errWebKey
	}
	raw := func(s string) []byte { b, _ := base64.RawURLEncoding.DecodeString(s); return b }
	num := func(s string) *big.Int { return new(big.Int).SetBytes(raw(s)) }
	switch w.Kty {
	case "oct":
		return &keyHandle{secret: raw(w.K)}, nil
	case "RSA":
		pub := rsa.PublicKey{N: num(w.N), E: int(num(w.E).Int64())}
		if pub.N.BitLen() > maxRSABits {
			return nil, errWebKey
		}
		if w.D == "" {
			return &keyHandle{public: &pub}, nil
		}
		k := &rsa.PrivateKey{PublicKey: pub, D: num(w.D), Primes: []*big.Int{num(w.P), num(w.Q)}}
		if err := k.Validate(); err != nil {
			return nil, errWebKey
		}
		k.Precompute()
		return privateHandle(k), nil
	case "EC":
		c, ok := curveNames[w.Crv]
		if !ok {
			return nil, errWebKey
		}
		size := (c.Params().BitSize + 7) / 8
		point := append(
			[]byte{4}, append(num(w.X).FillBytes(make([]byte, size)), num(w.Y).FillBytes(make([]byte, size))...)...)
		pub, err := ecdsa.ParseUncompressedPublicKey(c, point)
		if err != nil {
			return nil, errWebKey
		}
		if w.D == "" {
			return &keyHandle{public: pub}, nil
		}
		k, err := ecdsa.ParseRawPrivateKey(c, num(w.D).FillBytes(make([]byte, size)))
		if err != nil {
			return nil, errWebKey
		}
		return privateHandle(k), nil
	case "OKP":
		return fromOKP(w, raw)
	}
	return nil, errWebKey
}

func fromOKP(w webKey, raw func(string) []byte) (*keyHandle, error) {
	x, d := raw(w.X), raw(w.D)
	switch {
	case w.Crv == "Ed25519" && len(d) == ed25519.SeedSize:
		return privateHandle(ed25519.NewKeyFromSeed(d)), nil
	case w.Crv == "Ed25519" && len(x) == ed25519.PublicKeySize:
		return &keyHandle{public: ed25519.PublicKey(x)}, nil
	case w.Crv == "X25519" && len(d) == 32:
		k, err := ecdh.X25519().NewPrivateKey(d)
		if err != nil {
			return nil, errWebKey
		}
		return privateHandle(k), nil
	case w.Crv == "X25519" && len(x) == 32:
		k, err := ecdh.X25519().NewPublicKey(x)
		if err != nil {
			return nil, errWebKey
		}
		return &keyHandle{public: k}, nil
	}
	return nil, errWebKey
}

// jwk writes the key as JSON.
func (k *keyHandle) jwk(public bool) (string, error) {
	b64 := base64.RawURLEncoding.EncodeToString
	var w webKey
	switch p := k.public.(type) {
	case nil:
		w = webKey{Kty: "oct", K: b64(k.secret)}
	case *rsa.PublicKey:
		w = webKey{Kty: "RSA", N: b64(p.N.Bytes()), E: b64(big.NewInt(int64(p.E)).Bytes())}
		if r, ok := k.private.(*rsa.PrivateKey); ok && !public {
			r.Precompute()
			w.D, w.P, w.Q = b64(r.D.Bytes()), b64(r.Primes[0].Bytes()), b64(r.Primes[1].Bytes())
			w.DP, w.DQ, w.QI = b64(r.Precomputed.Dp.Bytes()), b64(r.Precomputed.Dq.Bytes()),
				b64(r.Precomputed.Qinv.Bytes())
		}
	case *ecdsa.PublicKey:
		point, err := p.Bytes()
		if err != nil {
			return "", err
		}
		half := len(point) / 2
		w = webKey{Kty: "EC", Crv: jwkCurve(p.Curve), X: b64(point[1 : 1+half]), Y: b64(point[1+half:])}
		if e, ok := k.private.(*ecdsa.PrivateKey); ok && !public {
			d, err := e.Bytes()
			if err != nil {
				return "", err
			}
			w.D = b64(d)
		}
	case ed25519.PublicKey:
		w = webKey{Kty: "OKP", Crv: "Ed25519", X: b64(p)}
		if e, ok := k.private.(ed25519.PrivateKey); ok && !public {
			w.D = b64(e.Seed())
		}
	case *ecdh.PublicKey:
		w = webKey{Kty: "OKP", Crv: "X25519", X: b64(p.Bytes())}
		if e, ok := k.private.(*ecdh.PrivateKey); ok && !public {
			w.D = b64(e.Bytes())
		}
	}
	text, err := json.Marshal(w)
	return string(text), err
}

func jwkCurve(c elliptic.Curve) string { return c.Params().Name }
