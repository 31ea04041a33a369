package webcrypto

import (
	"crypto/aes"
	"crypto/cipher"
	"io"
	"slices"
	"strconv"
)

// aesKey is what the AES algorithms share; the modes embed it.
type aesKey struct {
	secret []byte
	block  cipher.Block
}

func (m *aesKey) export(k *Key, format string) ([]byte, *jwk, error) {
	switch format {
	case "raw":
		return m.secret, nil, nil
	case "jwk":
		return nil, &jwk{Kty: "oct", K: encoding64(m.secret), Alg: optional(aesAlg(k.Algorithm.Name, len(m.secret)))},
			nil
	}
	return nil, nil,
		fail(notSupportedError, `%s key only supports exporting "raw" & "jwk", not "%s".`, k.Algorithm.Name, format)
}

// aesAlg is the JSON Web Algorithm of a key: "A256GCM".
func aesAlg(name string, bytes int) string { return "A" + strconv.Itoa(bytes*8) + name[len("AES-"):] }

func newAES(name string, secret []byte, extractable bool, u usages) (*Key, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	base := aesKey{slices.Clone(secret), block}
	k := &Key{Kind: Secret, Extractable: extractable, usages: u,
		Algorithm: KeyAlgorithm{Name: name, Length: len(secret) * 8}}
	switch name {
	case "AES-GCM":
		k.material = &aesGCM{base}
	case "AES-CBC":
		k.material = &aesCBC{base}
	case "AES-CTR":
		k.material = &aesCTR{base}
	default:
		k.material = &aesKW{base}
	}
	return k, nil
}

func aesUsages(name string, to purpose, list []string) (usages, error) {
	allowed := useWrapKey | useUnwrapKey
	if name != "AES-KW" {
		allowed |= useEncrypt | useDecrypt
	}
	return checkUsages(name, to, list, allowed)
}

func generateAES(r *request) (generation, error) {
	u, err := aesUsages(r.algorithm, generating, r.usages)
	if err != nil {
		return generation{}, err
	}
	if r.params.length == nil {
		return generation{}, missingField("length")
	}
	n := *r.params.length
	if n != 128 && n != 192 && n != 256 {
		return generation{},
			fail(operationError, "Generated AES key length must be 128, 192, or 256 bits but requested %d.", n)
	}
	return generation{run: func() (generated, error) {
		secret := make([]byte, n/8)
		if _, err := io.ReadFull(r.random, secret); err != nil {
			return generated{}, err
		}
		k, err := newAES(r.algorithm, secret, r.extractable, u)
		return generated{secret: k}, err
	}}, nil
}

func importAES(s *source) (*Key, error) {
	u, err := aesUsages(s.algorithm, importingSecret, s.usages)
	if err != nil {
		return nil, err
	}
	secret := s.bytes
	switch s.format {
	case "raw":
	case "jwk":
		if secret, err = aesFromJWK(s); err != nil {
			return nil, err
		}
	default:
		return nil, s.badFormat()
	}
	if n := len(secret); n != 16 && n != 24 && n != 32 {
		return nil, fail(dataError, "Imported AES key length must be 128, 192, or 256 bits but provided %d.", n*8)
	}
	if s.jwk != nil {
		if err := checkSecretJWK(s, len(secret)); err != nil {
			return nil, err
		}
	}
	return newAES(s.algorithm, secret, s.extractable, u)
}

func aesFromJWK(s *source) ([]byte, error) {
	if s.jwk.Kty != "oct" {
		return nil, fail(dataError, `Symmetric "jwk" key import requires a JSON Web Key with Key Type parameter `+
			`"kty" equal to "oct" (encountered "%s").`, s.jwk.Kty)
	}
	secret, ok := decoding64(s.jwk.K)
	if !ok {
		return nil, fail(dataError, `Symmetric "jwk" key import requires a base64Url encoding of the key.`)
	}
	return secret, nil
}

// checkSecretJWK compares what the JSON Web Key says of itself with what is asked for.
func checkSecretJWK(s *source, bytes int) error {
	if want := aesAlg(s.algorithm, bytes); s.jwk.Alg != nil && *s.jwk.Alg != want {
		return fail(dataError, `Symmetric "jwk" key contains invalid "alg" value "%s", expected "%s".`, *s.jwk.Alg,
			want)
	}
	if len(s.usages) > 0 && s.jwk.Use != nil && *s.jwk.Use != "enc" {
		return fail(dataError, `Symmetric "jwk" key must have a "use" of "enc", not "%s".`, *s.jwk.Use)
	}
	if s.jwk.hasOps {
		if twice, ok := duplicate(s.jwk.KeyOps); ok {
			return fail(dataError, `Symmetric "jwk" key contains duplicate value "%s", in "key_op".`, twice)
		}
		for _, u := range s.usages {
			if !slices.Contains(s.jwk.KeyOps, u) {
				return fail(dataError, `"jwk" key missing usage "%s", in "key_ops".`, u)
			}
		}
	}
	return nil
}
