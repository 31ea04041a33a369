package webcrypto

import (
	"crypto/cipher"
	"io"
	"slices"

	"golang.org/x/crypto/chacha20poly1305"
)

const chachaName = "ChaCha20-Poly1305"

// chachaKey is material of ChaCha20-Poly1305 (RFC 8439).
type chachaKey struct {
	secret []byte
	aead   cipher.AEAD
}

func newChaCha(secret []byte, extractable bool, u usages) (*Key, error) {
	aead, err := chacha20poly1305.New(secret)
	if err != nil {
		return nil, err
	}
	return &Key{Kind: Secret, Extractable: extractable, usages: u, Algorithm: KeyAlgorithm{Name: chachaName},
		material: &chachaKey{slices.Clone(secret), aead}}, nil
}

const chachaUsages = useEncrypt | useDecrypt | useWrapKey | useUnwrapKey

func generateChaCha(r *request) (generation, error) {
	u, err := checkUsages(chachaName, generating, r.usages, chachaUsages)
	if err != nil {
		return generation{}, err
	}
	return generation{run: func() (generated, error) {
		secret := make([]byte, chacha20poly1305.KeySize)
		if _, err := io.ReadFull(r.random, secret); err != nil {
			return generated{}, err
		}
		k, err := newChaCha(secret, r.extractable, u)
		return generated{secret: k}, err
	}}, nil
}

func importChaCha(s *source) (*Key, error) {
	u, err := checkUsages(chachaName, importingSecret, s.usages, chachaUsages)
	if err != nil {
		return nil, err
	}
	secret := s.bytes
	switch s.format {
	case "raw-secret":
	case "jwk":
		if secret, err = aesFromJWK(s); err != nil {
			return nil, err
		}
		if s.jwk.Alg != nil && *s.jwk.Alg != "C20P" {
			return nil, fail(dataError, "%s JWK alg must be C20P.", chachaName)
		}
		s.jwk.Alg = nil
		if err := checkSecretJWK(s, len(secret)); err != nil {
			return nil, err
		}
	default:
		return nil, s.badFormat()
	}
	if len(secret) != chacha20poly1305.KeySize {
		return nil, fail(dataError, "%s key must be 256 bits.", chachaName)
	}
	return newChaCha(secret, s.extractable, u)
}

func (m *chachaKey) export(_ *Key, format string) ([]byte, *jwk, error) {
	switch format {
	case "raw-secret":
		return m.secret, nil, nil
	case "jwk":
		return nil, &jwk{Kty: "oct", K: encoding64(m.secret), Alg: optional("C20P")}, nil
	}
	return nil, nil, fail(notSupportedError, `%s key only supports exporting "raw-secret" and "jwk", not "%s".`,
		chachaName, format)
}

func (m *chachaKey) check(p *parameters) error {
	switch {
	case !p.has["iv"]:
		return missingField("iv")
	case len(p.iv) != chacha20poly1305.NonceSize:
		return fail(operationError, "%s IV must be 12 bytes long.", chachaName)
	case p.tagLength != nil && *p.tagLength != 8*chacha20poly1305.Overhead:
		return fail(operationError, "%s tag length must be 128 bits.", chachaName)
	}
	return nil
}

func (m *chachaKey) encrypt(_ *Key, p *parameters, data []byte) ([]byte, error) {
	if err := m.check(p); err != nil {
		return nil, err
	}
	return m.aead.Seal(nil, p.iv, data, p.additionalData), nil
}

func (m *chachaKey) decrypt(_ *Key, p *parameters, data []byte) ([]byte, error) {
	if err := m.check(p); err != nil {
		return nil, err
	}
	if len(data) < chacha20poly1305.Overhead {
		return nil, fail(operationError, "%s ciphertext is shorter than its authentication tag.", chachaName)
	}
	out, err := m.aead.Open(nil, p.iv, data, p.additionalData)
	if err != nil {
		return nil, fail(operationError, "%s authentication failed.", chachaName)
	}
	return out, nil
}
