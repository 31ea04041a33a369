package webcrypto

import (
	"crypto/mlkem"
	"encoding/asn1"
)

// kemKey is material of ML-KEM (FIPS 203); own is nil in public keys.
type kemKey struct {
	l          *lattice
	own        decapsulator
	out        encapsulator
	ciphertext int
}

type decapsulator interface {
	Bytes() []byte
	Decapsulate(ciphertext []byte) ([]byte, error)
}

type encapsulator interface {
	Bytes() []byte
	Encapsulate() (shared, ciphertext []byte)
}

const (
	forEncapsulation = useEncapsulateKey | useEncapsulateBits
	forDecapsulation = useDecapsulateKey | useDecapsulateBits
)

// kem is a parameter set. fromSeed and fromOpen are its constructors of keys in crypto/mlkem.
func kem[D interface {
	decapsulator
	EncapsulationKey() E
}, E encapsulator](
	name string, arc, public, ciphertext int, fromSeed func([]byte) (D, error), fromOpen func([]byte) (E, error),
) lattice {
	return lattice{name: name, family: "ML-KEM", oid: asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 4, arc},
		seed: mlkem.SeedSize, public: public, forPublic: forEncapsulation, forOwn: forDecapsulation, use: "enc",
		needsPub: true,
		fromSeed: func(l *lattice, seed []byte) (latticeKey, error) {
			k, err := fromSeed(seed)
			if err != nil {
				return nil, err
			}
			return &kemKey{l, k, k.EncapsulationKey(), ciphertext}, nil
		},
		fromOpen: func(l *lattice, b []byte) (latticeKey, error) {
			k, err := fromOpen(b)
			return &kemKey{l, nil, k, ciphertext}, err
		}}
}

var kems = []lattice{
	kem("ML-KEM-768", 2, mlkem.EncapsulationKeySize768, mlkem.CiphertextSize768, mlkem.NewDecapsulationKey768,
		mlkem.NewEncapsulationKey768),
	kem("ML-KEM-1024", 3, mlkem.EncapsulationKeySize1024, mlkem.CiphertextSize1024, mlkem.NewDecapsulationKey1024,
		mlkem.NewEncapsulationKey1024),
}

func (m *kemKey) seed() []byte     { return m.own.Bytes() }
func (m *kemKey) public() []byte   { return m.out.Bytes() }
func (m *kemKey) open() latticeKey { return &kemKey{m.l, nil, m.out, m.ciphertext} }

func (m *kemKey) export(k *Key, format string) ([]byte, *jwk, error) { return m.l.export(k, m, format) }

// encapsulate draws a shared secret for the owner of a public key. Go draws it from the system.
func (k *Key) encapsulate() (shared, ciphertext []byte, err error) {
	m, ok := k.material.(*kemKey)
	if !ok {
		return nil, nil, notImplemented("encapsulate", k)
	}
	shared, ciphertext = m.out.Encapsulate()
	return shared, ciphertext, nil
}

func (k *Key) decapsulate(ciphertext []byte) ([]byte, error) {
	m, ok := k.material.(*kemKey)
	if !ok {
		return nil, notImplemented("decapsulate", k)
	}
	if len(ciphertext) != m.ciphertext {
		return nil, fail(operationError, "Invalid ciphertext length for %s: expected %d bytes, got %d", m.l.name,
			m.ciphertext, len(ciphertext))
	}
	return m.own.Decapsulate(ciphertext)
}
