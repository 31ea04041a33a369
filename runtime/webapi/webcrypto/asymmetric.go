package webcrypto

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"
)

// imported is the key that an import found before the algorithm has looked at it: a key of Go's crypto packages.
type imported struct {
	kind   KeyKind
	usages usages
	key    any
}

// importAsymmetric reads jwk, spki and pkcs8; readJWK makes the key of a JSON Web Key.
func importAsymmetric(s *source, allowed usages, readJWK func(*jwk) (any, error)) (imported, error) {
	switch s.format {
	case "jwk":
		return importJWK(s, allowed, readJWK)
	case "spki":
		key, err := parseSPKI(s.bytes)
		if err != nil {
			return imported{}, err
		}
		allowed &= usePublic
		if s.algorithm == "ECDH" {
			allowed = 0
		}
		u, err := checkUsages(s.algorithm, importPublic, s.usages, allowed)
		return imported{Public, u, key}, err
	case "pkcs8":
		key, err := parsePKCS8(s.bytes)
		if err != nil {
			return imported{}, err
		}
		u, err := checkUsages(s.algorithm, importPrivate, s.usages, allowed&usePrivate)
		return imported{Private, u, key}, err
	}
	return imported{}, s.badFormat()
}

func parseSPKI(der []byte) (any, error) {
	if n := trailing(der); n > 0 {
		return nil, fail(dataError, "Invalid %d trailing bytes after SPKI input.", n)
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, fail(dataError, "Invalid SPKI input.")
	}
	return key, nil
}

// parsePKCS8 also takes the older forms of RSA and EC keys alone, as the platform does.
func parsePKCS8(der []byte) (any, error) {
	if n := trailing(der); n > 0 {
		return nil, fail(dataError, "Invalid %d trailing bytes after PKCS8 input.", n)
	}
	if key, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(der); err == nil {
		return key, nil
	}
	return nil, fail(dataError, "Invalid PKCS8 input.")
}

// trailing counts the bytes after a DER value.
func trailing(der []byte) int {
	var v asn1.RawValue
	rest, err := asn1.Unmarshal(der, &v)
	if err != nil {
		return 0
	}
	return len(rest)
}

func importJWK(s *source, allowed usages, read func(*jwk) (any, error)) (imported, error) {
	j, in := s.jwk, imported{kind: Public}
	to := importPublic
	switch {
	case j.D != nil:
		in.kind, to = Private, importPrivate
		allowed &= usePrivate
	case s.algorithm == "ECDH":
		allowed &= useDerive
	default:
		allowed &= usePublic
	}
	var err error
	if in.usages, err = checkUsages(s.algorithm, to, s.usages, allowed); err != nil {
		return in, err
	}
	if j.D != nil && j.otherPrimes {
		return in, fail(notSupportedError, "Multi-prime private keys not supported.")
	}
	if err := checkIntent(s); err != nil {
		return in, err
	}
	if j.Ext != nil && s.extractable && !*j.Ext {
		return in, fail(dataError, "Cannot create an extractable CryptoKey from an unextractable JSON Web Key.")
	}
	in.key, err = read(j)
	return in, err
}

// checkIntent compares the members use and key_ops with each other and with the usages asked for.
func checkIntent(s *source) error {
	j, use, ops := s.jwk, "sig", []string{"sign", "verify"}
	agreement := s.algorithm == "ECDH" || s.algorithm == "X25519"
	switch {
	case s.algorithm == "RSA-OAEP":
		use, ops = "enc", []string{"encrypt", "wrapKey"}
	case agreement:
		use = "enc"
	}
	if len(s.usages) > 0 && j.Use != nil && *j.Use != use {
		return fail(dataError, `Asymmetric "jwk" key import with usages requires a JSON Web Key with Public Key Use `+
			`parameter "use" ("%s") equal to "sig".`, *j.Use)
	}
	if !j.hasOps {
		return nil
	}
	if _, twice := duplicate(j.KeyOps); twice {
		return fail(dataError, `A JSON Web Key's Key Operations parameter ("key_ops") must not contain duplicates.`)
	}
	if j.Use != nil {
		if *j.Use != use {
			return fail(dataError,
				`Asymmetric "jwk" import requires a JSON Web Key with Public Key Use "use" ("%s") equal to "%s".`,
				*j.Use, use)
		}
		const either = `A JSON Web Key should have either a Public Key Use parameter ("use") or a Key Operations ` +
			`parameter ("key_ops"); otherwise, the parameters must be consistent with each other. `
		for _, op := range j.KeyOps {
			if agreement {
				return fail(dataError, either+`For public %s keys, there are no valid usages,so keys with a `+
					`non-empty "key_ops" parameter are not allowed.`, s.algorithm)
			}
			if !slices.Contains(ops, op) {
				return fail(dataError, either+`A Public Key Use for %s would allow a Key Operations array with only `+
					`"%s" and/or "%s" values (not "%s").`, s.algorithm, ops[0], ops[1], op)
			}
		}
	}
	for _, u := range s.usages {
		if !slices.Contains(j.KeyOps, u) {
			return fail(dataError,
				`All specified key usages must be present in the JSON Web Key's Key Operations parameter ("key_ops").`)
		}
	}
	return nil
}

// exportDER gives pkcs8 and spki; ok is false for other formats.
func exportDER(k *Key, format string, key any) (der []byte, ok bool, err error) {
	switch format {
	case "pkcs8":
		if k.Kind != Private {
			return nil, true,
				fail(invalidAccessError, `Asymmetric pkcs8 export requires private key (not "%s").`, k.Kind)
		}
		if der, err = x509.MarshalPKCS8PrivateKey(key); err != nil {
			err = fail(operationError, "Private key export failed.")
		}
		return der, true, err
	case "spki":
		if k.Kind != Public {
			return nil, true, fail(invalidAccessError, `Asymmetric spki export requires public key (not "%s").`, k.Kind)
		}
		if der, err = x509.MarshalPKIXPublicKey(key); err != nil {
			err = fail(operationError, "Public key export failed.")
		}
		return der, true, err
	}
	return nil, false, nil
}

func unknownExport(k *Key, format string) error {
	return fail(invalidAccessError, `Cannot export "%s" in "%s" format.`, k.Algorithm.Name, format)
}

func needsPrivate(k *Key) error {
	if k.Kind != Private {
		return fail(invalidAccessError, "Asymmetric signing requires a private key.")
	}
	return nil
}

func needsPublic(k *Key) error {
	if k.Kind != Public {
		return fail(invalidAccessError, "Asymmetric verification requires a public key.")
	}
	return nil
}

// peerOf checks the two sides of a key agreement.
func peerOf(k *Key, p *parameters) (*Key, error) {
	name := k.Algorithm.Name
	switch peer := p.public; {
	case k.Kind != Private:
		return nil, fail(
			invalidAccessError, `The deriveBits operation is only valid for a private key, not "%s".`, k.Kind)
	case peer == nil:
		return nil, fail(typeError, `Missing field "public" in "derivedKeyParams".`)
	case peer.Kind != Public:
		return nil, fail(invalidAccessError, `The provided key has type "%s", not "public"`, peer.Kind)
	case (peer.Algorithm.NamedCurve == "") != (k.Algorithm.NamedCurve == "") || peer.Algorithm.Length+
		peer.Algorithm.ModulusLength > 0:
		return nil, fail(
			invalidAccessError, "Base %s private key cannot be used to derive a key from a peer %s public key", name,
			peer.Algorithm.Name)
	case peer.Algorithm.Name != name:
		return nil, fail(
			invalidAccessError, `Private key for derivation is using "%s" while public key is using "%s".`, name,
			peer.Algorithm.Name)
	case peer.Algorithm.NamedCurve != k.Algorithm.NamedCurve:
		return nil, fail(
			invalidAccessError, `Private key for derivation is using curve "%s" while public key is using "%s".`,
			k.Algorithm.NamedCurve, peer.Algorithm.NamedCurve)
	default:
		return peer, nil
	}
}
