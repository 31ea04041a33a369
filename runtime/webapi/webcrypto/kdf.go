package webcrypto

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
)

type (
	hkdfKey   struct{ secret []byte }
	pbkdf2Key struct{ secret []byte }
)

// maxIterations is production's limit for PBKDF2.
const maxIterations = 100_000

func importDerivation(s *source, material any, closing string) (*Key, error) {
	u, err := checkUsages(s.algorithm, importingSecret, s.usages, useDerive)
	if err != nil {
		return nil, err
	}
	if s.extractable {
		return nil, fail(syntaxError, "%s key cannot be extractable.", s.algorithm)
	}
	if s.format != "raw" {
		return nil, fail(
			notSupportedError, `%s key must be imported in "raw" format (requested "%s"%s`, s.algorithm, s.format,
			closing)
	}
	return &Key{Kind: Secret, usages: u, material: material, Algorithm: KeyAlgorithm{Name: s.algorithm}}, nil
}

func importHKDF(s *source) (*Key, error) { return importDerivation(s, &hkdfKey{s.bytes}, ")") }

func importPBKDF2(s *source) (*Key, error) { return importDerivation(s, &pbkdf2Key{s.bytes}, ").") }

// derivedBytes is the length of a derived key in bytes. It fails if there is none, or if it is not whole bytes.
func derivedBytes(name string, bits *int) (int, error) {
	if bits == nil {
		return 0, fail(operationError, "%s cannot derive a key with null length.", name)
	}
	if *bits%8 != 0 {
		return 0, fail(operationError, "%s requires a derived key length that is a multiple of eight (requested %d).",
			name, *bits)
	}
	return *bits / 8, nil
}

func (m *hkdfKey) derive(_ *Key, p *parameters, bits *int) (work, error) {
	d, err := p.digest()
	switch {
	case err != nil:
		return work{}, err
	case !p.has["salt"]:
		return work{}, missingField("salt")
	case !p.has["info"]:
		return work{}, missingField("info")
	}
	n, err := derivedBytes("HKDF", bits)
	if err != nil {
		return work{}, err
	}
	return work{run: func() ([]byte, error) {
		out, err := hkdf.Key(d.new, m.secret, p.salt, string(p.info), n)
		if err != nil {
			return nil, fail(operationError, "HKDF deriveBits failed.")
		}
		return out, nil
	}}, nil
}

func (m *pbkdf2Key) derive(_ *Key, p *parameters, bits *int) (work, error) {
	d, err := p.digest()
	switch {
	case err != nil:
		return work{}, err
	case !p.has["salt"]:
		return work{}, missingField("salt")
	case p.iterations == nil:
		return work{}, missingField("iterations")
	}
	n, err := derivedBytes("PBKDF2", bits)
	if err != nil {
		return work{}, err
	}
	rounds := *p.iterations
	switch {
	case rounds <= 0:
		return work{}, fail(operationError, "PBKDF2 requires a positive iteration count (requested %d).", rounds)
	case rounds > maxIterations:
		return work{}, fail(
			notSupportedError, "Pbkdf2 failed: iteration counts above %d are not supported (requested %d).",
			maxIterations, rounds)
	case n > 255*d.new().Size():
		return work{}, fail(operationError, "Pbkdf2 failed: derived key length exceeds maximum for this hash")
	case n == 0:
		return work{run: func() ([]byte, error) { return []byte{}, nil }}, nil
	}
	return work{long: true, run: func() ([]byte, error) {
		out, err := pbkdf2.Key(d.new, string(m.secret), p.salt, rounds, n)
		if err != nil {
			return nil, fail(plainError, "PBKDF2 deriveBits failed.")
		}
		return out, nil
	}}, nil
}
