package webcrypto

import (
	"encoding/asn1"

	"filippo.io/mldsa"
)

// dsaKey is material of ML-DSA (FIPS 204); own is nil in public keys.
type dsaKey struct {
	l   *lattice
	own *mldsa.PrivateKey
	out *mldsa.PublicKey
}

func dsa(name string, arc int, public int, params func() mldsa.Parameters) lattice {
	return lattice{name: name, family: "ML-DSA", oid: asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, arc},
		seed: mldsa.PrivateKeySize, public: public, forPublic: useVerify, forOwn: useSign, use: "sig",
		fromSeed: func(l *lattice, b []byte) (latticeKey, error) {
			k, err := mldsa.NewPrivateKey(params(), b)
			if err != nil {
				return nil, err
			}
			return &dsaKey{l, k, k.PublicKey()}, nil
		},
		fromOpen: func(l *lattice, b []byte) (latticeKey, error) {
			k, err := mldsa.NewPublicKey(params(), b)
			return &dsaKey{l, nil, k}, err
		}}
}

var dsas = []lattice{
	dsa("ML-DSA-44", 17, mldsa.MLDSA44PublicKeySize, mldsa.MLDSA44),
	dsa("ML-DSA-65", 18, mldsa.MLDSA65PublicKeySize, mldsa.MLDSA65),
	dsa("ML-DSA-87", 19, mldsa.MLDSA87PublicKeySize, mldsa.MLDSA87),
}

func (m *dsaKey) seed() []byte     { return m.own.Bytes() }
func (m *dsaKey) public() []byte   { return m.out.Bytes() }
func (m *dsaKey) open() latticeKey { return &dsaKey{m.l, nil, m.out} }

func (m *dsaKey) export(k *Key, format string) ([]byte, *jwk, error) { return m.l.export(k, m, format) }

// maxContext is how long the context of a signature may be, in bytes (FIPS 204).
const maxContext = 255

func contextOf(p *parameters) (*mldsa.Options, error) {
	if len(p.context) > maxContext {
		return nil, fail(operationError, "ML-DSA context must be at most %d bytes.", maxContext)
	}
	return &mldsa.Options{Context: string(p.context)}, nil
}

func (m *dsaKey) sign(k *Key, p *parameters, data []byte) ([]byte, error) {
	if err := needsPrivate(k); err != nil {
		return nil, err
	}
	o, err := contextOf(p)
	if err != nil {
		return nil, err
	}
	return m.own.Sign(nil, data, o)
}

func (m *dsaKey) verify(k *Key, p *parameters, signature, data []byte) (bool, error) {
	if err := needsPublic(k); err != nil {
		return false, err
	}
	o, err := contextOf(p)
	if err != nil {
		return false, err
	}
	return mldsa.Verify(m.out, data, signature, o) == nil, nil
}
