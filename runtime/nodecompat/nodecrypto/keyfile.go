package nodecrypto

import (
	"bytes"
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
	"crypto/sha512"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/big"

	"eddy/runtime/nodecompat/bridge"
	"eddy/runtime/webapi/webcrypto"
)

// generate makes a new key pair.
func generate(random io.Reader, algorithm string, bits int, curve string) (*keyHandle, error) {
	switch algorithm {
	case "rsa", "rsa-pss":
		if bits > maxRSABits {
			return nil, bridge.Coded(
				"RangeError", "", fmt.Sprintf("RSA modulusLength exceeds maximum (%d)", maxRSABits))
		}
		k, err := webcrypto.GenerateRSA(random, bits, 65537)
		if err != nil { // too few bits
			return nil, bridge.Coded("Error", "", "Failed to generate key")
		}
		return privateHandle(k), nil
	case "ec":
		c, ok := curveNames[curve]
		if !ok {
			return nil, bridge.Coded("TypeError", "ERR_CRYPTO_INVALID_CURVE", "Invalid EC curve name")
		}
		k, err := webcrypto.GenerateEC(c, random)
		if err != nil {
			return nil, err
		}
		return privateHandle(k), nil
	case "ed25519":
		seed := make([]byte, ed25519.SeedSize)
		if _, err := io.ReadFull(random, seed); err != nil {
			return nil, err
		}
		return privateHandle(ed25519.NewKeyFromSeed(seed)), nil
	case "x25519":
		seed := make([]byte, 32)
		if _, err := io.ReadFull(random, seed); err != nil {
			return nil, err
		}
		k, err := ecdh.X25519().NewPrivateKey(seed)
		if err != nil {
			return nil, err
		}
		return privateHandle(k), nil
	}
	return nil, unsupported("Generating " + algorithm + " keys")
}

// errKeyFile is a file that is no such key, or whose passphrase is another one: the platform does not say which.
var errKeyFile = errors.New("not an encrypted key of a known kind, or the wrong passphrase")

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
		return nil, errKeyFile
	}
	if _, err := asn1.Unmarshal(info.Algorithm.Parameters.FullBytes, &scheme); err != nil {
		return nil, errKeyFile
	}
	if _, err := asn1.Unmarshal(scheme.KDF.Parameters.FullBytes, &kdf); err != nil {
		return nil, errKeyFile
	}
	sizes := map[string]int{"2.16.840.1.101.3.4.1.2": 16, "2.16.840.1.101.3.4.1.22": 24, "2.16.840.1.101.3.4.1.42": 32}
	size, ok := sizes[scheme.Cipher.Algorithm.String()]
	if !ok {
		return nil, errKeyFile
	}
	var iv []byte
	if _, err := asn1.Unmarshal(scheme.Cipher.Parameters.FullBytes, &iv); err != nil || len(iv) != aes.BlockSize ||
		len(info.Data)%16 != 0 || len(info.Data) == 0 {
		return nil, errKeyFile
	}
	digest, ok := pbkdf2PRFs[kdf.PRF.Algorithm.String()]
	if !ok {
		return nil, errKeyFile
	}
	if kdf.Iterations < 1 || kdf.Iterations > maxSteps/2 {
		return nil, errTooLong
	}
	key, err := pbkdf2.Key(digest, passphrase, kdf.Salt, kdf.Iterations, size)
	if err != nil {
		return nil, err
	}
	block, _ := aes.NewCipher(key)
	out := make([]byte, len(info.Data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, info.Data)
	n := int(out[len(out)-1])
	if n < 1 || n > 16 || !bytes.Equal(out[len(out)-n:], bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, errKeyFile
	}
	return out[:len(out)-n], nil
}

// pbkdf2PRFs are the functions that PBKDF2 of a key file may name (RFC 8018, B.1); without a name it is SHA-1.
var pbkdf2PRFs = map[string]func() hash.Hash{
	"": sha1.New, "1.2.840.113549.2.7": sha1.New, "1.2.840.113549.2.8": sha256.New224, "1.2.840.113549.2.9": sha256.New,
	"1.2.840.113549.2.10": sha512.New384, "1.2.840.113549.2.11": sha512.New,
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

func errWebKey(text string) error { return bridge.Coded("Error", "", text) }

// fromJWK reads a JSON Web Key. wantPrivate asks for a private one; otherwise a private one counts as well. The errors
// are the platform's.
func fromJWK(data []byte, wantPrivate bool) (*keyHandle, error) {
	var w webKey
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, errWebKind(wantPrivate)
	}
	switch w.Kty {
	case "RSA":
		return fromRSA(&w, wantPrivate)
	case "EC":
		return fromEC(&w, wantPrivate)
	case "OKP":
		return fromOKP(&w, wantPrivate)
	}
	return nil, errWebKind(wantPrivate)
}

func errWebKind(private bool) error {
	return errWebKey("JWK " + kindOf(private) + " key import is not implemented for this key type")
}

// missing is the error for the first of the members (a letter and a value) that is empty, nil if none is.
func missing(kty string, members ...[2]string) error {
	for _, m := range members {
		if m[1] == "" {
			return errWebKey(kty + " JWK missing " + m[0] + " parameter")
		}
	}
	return nil
}

func base64URL(s string) []byte { b, _ := base64.RawURLEncoding.DecodeString(s); return b }

func base64Number(s string) *big.Int { return new(big.Int).SetBytes(base64URL(s)) }

func fromRSA(w *webKey, wantPrivate bool) (*keyHandle, error) {
	pub := rsa.PublicKey{N: base64Number(w.N), E: int(base64Number(w.E).Int64())}
	if pub.N.BitLen() > maxRSABits {
		return nil, errWebKey("RSA JWK modulus is too long")
	}
	if w.D == "" && !wantPrivate {
		return &keyHandle{public: &pub}, nil
	}
	if err := missing("RSA", [2]string{"d", w.D}, [2]string{"p", w.P}, [2]string{"q", w.Q}); err != nil {
		return nil, err
	}
	k := &rsa.PrivateKey{
		PublicKey: pub, D: base64Number(w.D), Primes: []*big.Int{base64Number(w.P), base64Number(w.Q)}}
	if err := k.Validate(); err != nil {
		return nil, errKey(wantPrivate)
	}
	k.Precompute()
	return privateHandle(k), nil
}

func fromEC(w *webKey, wantPrivate bool) (*keyHandle, error) {
	c, ok := curveNames[w.Crv]
	if !ok {
		return nil, errWebKey("EC JWK unsupported crv parameter")
	}
	if err := missing("EC", [2]string{"x", w.X}, [2]string{"y", w.Y}); err != nil {
		return nil, err
	}
	if err := missing("EC", [2]string{"d", w.D}); err != nil && wantPrivate {
		return nil, err
	}
	size := (c.Params().BitSize + 7) / 8
	x, y, d := base64Number(w.X), base64Number(w.Y), base64Number(w.D)
	invalid := errWebKey("EC JWK invalid public key")
	if max(x.BitLen(), y.BitLen()) > 8*size {
		return nil, invalid
	}
	point := append([]byte{4}, append(x.FillBytes(make([]byte, size)), y.FillBytes(make([]byte, size))...)...)
	pub, err := ecdsa.ParseUncompressedPublicKey(c, point)
	if err != nil {
		return nil, invalid
	}
	if w.D == "" {
		return &keyHandle{public: pub}, nil
	}
	invalid = errWebKey("EW JWK invalid private key") // the platform's text
	if d.BitLen() > 8*size {
		return nil, invalid
	}
	k, err := ecdsa.ParseRawPrivateKey(c, d.FillBytes(make([]byte, size)))
	if err != nil {
		return nil, invalid
	}
	return privateHandle(k), nil
}

func fromOKP(w *webKey, wantPrivate bool) (*keyHandle, error) {
	if w.Crv != "Ed25519" && w.Crv != "X25519" {
		return nil, errWebKey("OKP JWK unsupported crv parameter")
	}
	members := [][2]string{{"x", w.X}}
	if wantPrivate {
		members = [][2]string{{"d", w.D}}
	}
	if err := missing("OKP", members...); err != nil {
		return nil, err
	}
	x, d := base64URL(w.X), base64URL(w.D)
	switch {
	case w.Crv == "Ed25519" && len(d) == ed25519.SeedSize:
		return privateHandle(ed25519.NewKeyFromSeed(d)), nil
	case w.Crv == "Ed25519" && len(x) == ed25519.PublicKeySize && !wantPrivate:
		return &keyHandle{public: ed25519.PublicKey(x)}, nil
	case w.Crv == "X25519" && len(d) == 32:
		if k, err := ecdh.X25519().NewPrivateKey(d); err == nil {
			return privateHandle(k), nil
		}
	case w.Crv == "X25519" && len(x) == 32 && !wantPrivate:
		if k, err := ecdh.X25519().NewPublicKey(x); err == nil {
			return &keyHandle{public: k}, nil
		}
	}
	return nil, errWebKind(wantPrivate)
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
