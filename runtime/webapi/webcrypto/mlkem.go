package webcrypto

import (
	"crypto/mlkem"
	"encoding/asn1"
)

// kemKey is material of ML-KEM (FIPS 203); own is nil in public keys.
type kemKey struct {
	l   *lattice
	own interface {
		Bytes() []byte
		Decapsulate(ciphertext []byte) ([]byte, error)
	}
	out interface {
		Bytes() []byte
		Encapsulate() (shared, ciphertext []byte)
	}
	ciphertext int
}

const (
	forEncapsulation = useEncapsulateKey | useEncapsulateBits
	forDecapsulation = useDecapsulateKey | useDecapsulateBits
)

var kems = []lattice{
	{name: "ML-KEM-768", family: "ML-KEM", oid: asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 4, 2},
		seed: mlkem.SeedSize, public: mlkem.EncapsulationKeySize768, forPublic: forEncapsulation,
		forOwn: forDecapsulation, use: "enc", needsPub: true, fromSeed: kem768, fromOpen: openKEM768},
	{name: "ML-KEM-1024", family: "ML-KEM", oid: asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 4, 3},
		seed: mlkem.SeedSize, public: mlkem.EncapsulationKeySize1024, forPublic: forEncapsulation,
		forOwn: forDecapsulation, use: "enc", needsPub: true, fromSeed: kem1024, fromOpen: openKEM1024},
}

func kem768(l *lattice, seed []byte) (latticeKey, error) {
	k, err := mlkem.NewDecapsulationKey768(seed)
	if err != nil {
		return nil, err
	}
	return &kemKey{l, k, k.EncapsulationKey(), mlkem.CiphertextSize768}, nil
}

func openKEM768(l *lattice, b []byte) (latticeKey, error) {
	k, err := mlkem.NewEncapsulationKey768(b)
	return &kemKey{l, nil, k, mlkem.CiphertextSize768}, err
}

func kem1024(l *lattice, seed []byte) (latticeKey, error) {
	k, err := mlkem.NewDecapsulationKey1024(seed)
	if err != nil {
		return nil, err
	}
	return &kemKey{l, k, k.EncapsulationKey(), mlkem.CiphertextSize1024}, nil
}

func openKEM1024(l *lattice, b []byte) (latticeKey, error) {
	k, err := mlkem.NewEncapsulationKey1024(b)
	return &kemKey{l, nil, k, mlkem.CiphertextSize1024}, err
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
