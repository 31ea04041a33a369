package webcrypto

import (
	"crypto/hmac"
	"crypto/subtle"
	"io"
)

type hmacKey struct {
	secret []byte
	digest digest
}

func (m *hmacKey) sign(_ *Key, _ *parameters, data []byte) ([]byte, error) {
	h := hmac.New(m.digest.new, m.secret)
	h.Write(data)
	return h.Sum(nil), nil
}

func (m *hmacKey) verify(k *Key, p *parameters, signature, data []byte) (bool, error) {
	want, err := m.sign(k, p, data)
	return subtle.ConstantTimeCompare(want, signature) == 1, err
}

func (m *hmacKey) export(_ *Key, format string) ([]byte, *jwk, error) {
	switch format {
	case "raw":
		return m.secret, nil, nil
	case "jwk":
		sha, ok := m.digest.sha()
		if !ok {
			return nil, nil,
				fail(notSupportedError, `Unimplemented JWK key export format for key algorithm "%s".`, m.digest.name)
		}
		return nil, &jwk{Kty: "oct", K: encoding64(m.secret), Alg: optional("HS" + sha)}, nil
	}
	return nil, nil, fail(notSupportedError, `Unimplemented key export format "%s".`, format)
}

func newHMAC(secret []byte, bits int, d digest, extractable bool, u usages) *Key {
	if odd := len(secret)*8 - bits; odd > 0 {
		secret[len(secret)-1] &^= 1<<odd - 1
	}
	return &Key{Kind: Secret, Extractable: extractable, usages: u, material: &hmacKey{secret, d},
		Algorithm: KeyAlgorithm{Name: "HMAC", Hash: d.name, Length: bits}}
}

func generateHMAC(r *request) (generation, error) {
	d, err := r.params.digest()
	if err != nil {
		return generation{}, err
	}
	u, err := checkUsages("HMAC", generating, r.usages, useSign|useVerify)
	if err != nil {
		return generation{}, err
	}
	bits := d.new().BlockSize() * 8
	if r.params.length != nil {
		bits = *r.params.length
	}
	if bits <= 0 {
		return generation{},
			fail(operationError, "HMAC key length must be a non-zero unsigned long integer (requested %d).", bits)
	}
	return generation{run: func() (generated, error) {
		secret := make([]byte, (bits+7)/8)
		if _, err := io.ReadFull(r.random, secret); err != nil {
			return generated{}, err
		}
		return generated{secret: newHMAC(secret, bits, d, r.extractable, u)}, nil
	}}, nil
}

func importHMAC(s *source) (*Key, error) {
	u, err := checkUsages("HMAC", importingSecret, s.usages, useSign|useVerify)
	if err != nil {
		return nil, err
	}
	if s.params.hash == nil {
		return nil, missingField("hash")
	}
	secret := s.bytes
	switch s.format {
	case "raw":
	case "jwk":
		if s.jwk.Kty != "oct" {
			return nil, fail(dataError, `HMAC "jwk" key import requires a JSON Web Key with Key Type parameter `+
				`("kty") equal to "oct" (encountered "%s").`, s.jwk.Kty)
		}
		var ok bool
		if secret, ok = decoding64(s.jwk.K); !ok {
			return nil, fail(dataError, `HMAC "jwk" key import requires a base64Url encoding of the key`)
		}
		if s.jwk.Alg != nil {
			sha, ok := digest{name: *s.params.hash}.sha()
			if !ok {
				return nil, fail(
					notSupportedError, "Unrecognized or unimplemented hash algorithm requested%s", *s.jwk.Alg)
			}
			if *s.jwk.Alg != "HS"+sha {
				return nil, fail(dataError, `HMAC "jwk" key import specifies "alg" that is incompatible with the `+
					`hash name (encountered "%s", expected "HS%s").`, *s.jwk.Alg, sha)
			}
		}
	default:
		return nil, s.badFormat()
	}
	have := len(secret) * 8
	bits := have
	if s.params.length != nil {
		bits = *s.params.length
	}
	if bits == 0 || bits > have || bits <= have-8 {
		return nil, fail(dataError, "Imported HMAC key length (%d) must be a non-zero value up to 7 bits less than, "+
			"and no greater than, the bit length of the raw key data (%d).", bits, have)
	}
	d, err := lookupDigest(*s.params.hash)
	if err != nil {
		return nil, err
	}
	return newHMAC(secret, bits, d, s.extractable, u), nil
}
