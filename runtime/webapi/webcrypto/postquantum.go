package webcrypto

import (
	"bytes"
	"encoding/asn1"
	"io"
	"slices"
)

// lattice is an algorithm of the flag webcrypto_modern_algorithms whose private keys are seeds (FIPS 203 and 204).
type lattice struct {
	name, family       string
	oid                asn1.ObjectIdentifier
	seed, public       int // sizes in bytes
	forPublic, forOwn  usages
	use                string // of JSON Web Keys
	needsPub           bool   // in JSON Web Keys of private keys
	fromSeed, fromOpen func(l *lattice, b []byte) (latticeKey, error)
}

// latticeKey is material of such an algorithm. own is nil in public keys.
type latticeKey interface {
	seed() []byte
	public() []byte
	open() latticeKey
}

func latticeAlgorithms() (list []algorithm) {
	for i := range lattices {
		l := &lattices[i]
		list = append(list, algorithm{l.name, l.importKey, l.generate})
	}
	return list
}

func (l *lattice) key(k latticeKey, kind KeyKind, extractable bool, u usages) *Key {
	return &Key{Kind: kind, Extractable: extractable || kind == Public, usages: u,
		Algorithm: KeyAlgorithm{Name: l.name}, material: k}
}

func (l *lattice) generate(r *request) (generation, error) {
	u, err := checkUsages(l.name, generating, r.usages, l.forPublic|l.forOwn)
	if err != nil {
		return generation{}, err
	}
	return generation{run: func() (generated, error) {
		seed := make([]byte, l.seed)
		if _, err := io.ReadFull(r.random, seed); err != nil {
			return generated{}, err
		}
		k, err := l.fromSeed(l, seed)
		if err != nil {
			return generated{}, err
		}
		return generated{public: l.key(k.open(), Public, true, u&l.forPublic),
			private: l.key(k, Private, r.extractable, u&l.forOwn)}, nil
	}}, nil
}

func (l *lattice) importKey(s *source) (*Key, error) {
	open := s.format == "raw-public" || s.format == "spki" || s.format == "jwk" && s.jwk.Priv == nil
	kind, to, allowed, read := Private, importPrivate, l.forOwn, l.fromSeed
	if open {
		kind, to, allowed, read = Public, importPublic, l.forPublic, l.fromOpen
	}
	b := s.bytes
	switch s.format {
	case "raw-public", "raw-seed", "jwk", "spki", "pkcs8":
	default:
		return nil, fail(notSupportedError, `Unsupported import format "%s" for %s.`, s.format, l.family)
	}
	u, err := checkUsages(l.name, to, s.usages, allowed)
	if err != nil {
		return nil, err
	}
	switch s.format {
	case "raw-public":
		if len(b) != l.public {
			return nil, fail(dataError, "Invalid %s public key length: expected %d bytes, got %d", l.name, l.public,
				len(b))
		}
	case "raw-seed":
		if len(b) != l.seed {
			return nil, fail(dataError, "Invalid %s seed length: expected %d bytes, got %d", l.name, l.seed, len(b))
		}
	case "spki":
		b, err = l.parseSPKI(b)
	case "pkcs8":
		b, err = l.parsePKCS8(b)
	case "jwk":
		b, err = l.parseJWK(s)
	}
	if err != nil {
		return nil, err
	}
	k, err := read(l, b)
	if err != nil {
		return nil, fail(dataError, "Invalid %s key.", l.name)
	}
	if s.format == "jwk" && !open && s.jwk.Pub != nil {
		if pub, ok := decoding64(s.jwk.Pub); !ok || !bytes.Equal(pub, k.public()) {
			return nil, fail(dataError, `JWK "pub" does not match the public key derived from "priv".`)
		}
	}
	return l.key(k, kind, s.extractable, u), nil
}

// parseJWK checks a JSON Web Key of type AKP and gives the bytes of the key.
func (l *lattice) parseJWK(s *source) ([]byte, error) {
	j := s.jwk
	switch {
	case j.Kty != "AKP":
		return nil, fail(dataError, `JWK "kty" field must be "AKP" for %s.`, l.name)
	case j.Alg == nil:
		return nil, fail(dataError, `JWK "alg" field is required for %s.`, l.name)
	case *j.Alg != l.name:
		return nil, fail(dataError, `JWK "alg" field "%s" does not match "%s".`, *j.Alg, l.name)
	case j.Use != nil && len(s.usages) > 0 && *j.Use != l.use:
		return nil, fail(dataError, `JWK "use" field must be "%s" for %s.`, l.use, l.name)
	}
	for _, u := range s.usages {
		if j.hasOps && !slices.Contains(j.KeyOps, u) {
			return nil, fail(dataError, `"jwk" key missing usage "%s", in "key_ops".`, u)
		}
	}
	name, from, size := "pub", j.Pub, l.public
	if j.Priv != nil {
		name, from, size = "priv", j.Priv, l.seed
		if j.Pub == nil && l.needsPub {
			return nil, fail(dataError, `JWK for %s private keys must have "pub".`, l.name)
		}
	}
	b, ok := decoding64(from)
	if !ok || len(b) != size {
		return nil, fail(dataError, `Invalid JWK "%s" length for %s.`, name, l.name)
	}
	return b, nil
}

type algorithmIdentifier struct{ Algorithm asn1.ObjectIdentifier }

type subjectKey struct {
	Algorithm algorithmIdentifier
	Key       asn1.BitString
}

type privateKeyInfo struct {
	Version   int
	Algorithm algorithmIdentifier
	Key       []byte
}

func (l *lattice) parseSPKI(der []byte) ([]byte, error) {
	var k subjectKey
	if rest, err := asn1.Unmarshal(der, &k); err != nil || len(rest) > 0 {
		return nil, fail(dataError, "Invalid SPKI structure.")
	}
	if !k.Algorithm.Algorithm.Equal(l.oid) {
		return nil, fail(dataError, "SPKI algorithm OID does not match %s.", l.name)
	}
	if len(k.Key.Bytes) != l.public {
		return nil, fail(dataError, "Invalid SPKI structure.")
	}
	return k.Key.Bytes, nil
}

func (l *lattice) parsePKCS8(der []byte) ([]byte, error) {
	var k privateKeyInfo
	if rest, err := asn1.Unmarshal(der, &k); err != nil || len(rest) > 0 {
		return nil, fail(dataError, "Invalid PKCS8 structure.")
	}
	if !k.Algorithm.Algorithm.Equal(l.oid) {
		return nil, fail(dataError, "PKCS8 algorithm OID does not match %s.", l.name)
	}
	var seed asn1.RawValue
	rest, err := asn1.Unmarshal(k.Key, &seed)
	if err != nil || len(rest) > 0 || seed.Class != asn1.ClassContextSpecific || seed.Tag != 0 ||
		len(seed.Bytes) != l.seed {
		return nil, fail(dataError, "Invalid PKCS8 structure.")
	}
	return seed.Bytes, nil
}

// exportLattice is the export of both families.
func (l *lattice) export(k *Key, m latticeKey, format string) ([]byte, *jwk, error) {
	need := func(kind KeyKind, text string) error {
		if k.Kind != kind {
			return fail(invalidAccessError, "%s requires a %s key.", text, kind)
		}
		return nil
	}
	switch format {
	case "raw-public":
		return m.public(), nil, need(Public, "raw-public export")
	case "raw-seed":
		if err := need(Private, "raw-seed export"); err != nil {
			return nil, nil, err
		}
		return m.seed(), nil, nil
	case "spki":
		if err := need(Public, "SPKI export"); err != nil {
			return nil, nil, err
		}
		b, err := asn1.Marshal(subjectKey{algorithmIdentifier{l.oid},
			asn1.BitString{Bytes: m.public(), BitLength: 8 * l.public}})
		return b, nil, err
	case "pkcs8":
		if err := need(Private, "PKCS8 export"); err != nil {
			return nil, nil, err
		}
		seed, err := asn1.Marshal(asn1.RawValue{Class: asn1.ClassContextSpecific, Bytes: m.seed()})
		if err != nil {
			return nil, nil, err
		}
		b, err := asn1.Marshal(privateKeyInfo{0, algorithmIdentifier{l.oid}, seed})
		return b, nil, err
	case "jwk":
		j := &jwk{Kty: "AKP", Alg: optional(l.name), Pub: encoding64(m.public())}
		if k.Kind == Private {
			j.Priv = encoding64(m.seed())
		}
		return nil, j, nil
	}
	return nil, nil, fail(notSupportedError, `Unrecognized export format "%s" for %s.`, format, l.family)
}
