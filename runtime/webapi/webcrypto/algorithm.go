package webcrypto

import (
	"io"
	"strings"
)

// parameters is what a call gave as its algorithm; nil fields are missing.
type parameters struct {
	name       string
	hash       *string
	namedCurve *string

	iv, additionalData, counter, label, salt, info, publicExponent, context []byte

	has map[string]bool // the byte fields that the call gave

	tagLength, length, saltLength, iterations, modulusLength *int

	public *Key
}

// digest is the digest that the hash field names.
func (p *parameters) digest() (digest, error) {
	if p.hash == nil {
		return digest{}, missingField("hash")
	}
	return lookupDigest(*p.hash)
}

// source is a request to import a key.
type source struct {
	algorithm string // in its registered spelling
	format    string
	bytes     []byte
	jwk       *jwk
	params    *parameters
	usages    []string
	// modern says that [ModernFlag] is on.
	modern bool
	// extractable is the attribute of the new key.
	extractable bool
}

func (s *source) badFormat() error {
	return fail(notSupportedError, `Unrecognized key import format "%s".`, s.format)
}

// request is a request to generate a key.
type request struct {
	algorithm   string
	params      *parameters
	usages      []string
	extractable bool
	modern      bool      // [ModernFlag] is on
	random      io.Reader // of the loop: a long generation must not read it
}

// generation is a checked request: run makes the key, or the pair.
type generation struct {
	run  func() (generated, error)
	long bool
}

// generated is a secret key, or a pair.
type generated struct{ secret, public, private *Key }

type algorithm struct {
	name      string
	importKey func(*source) (*Key, error)
	generate  func(*request) (generation, error)
}

var algorithms = []algorithm{
	{"AES-CTR", importAES, generateAES},
	{"AES-CBC", importAES, generateAES},
	{"AES-GCM", importAES, generateAES},
	{"AES-KW", importAES, generateAES},
	{"HMAC", importHMAC, generateHMAC},
	{"PBKDF2", importPBKDF2, nil},
	{"HKDF", importHKDF, nil},
	{"RSASSA-PKCS1-v1_5", importRSA, generateRSA},
	{"RSA-PSS", importRSA, generateRSA},
	{"RSA-OAEP", importRSA, generateRSA},
	{"ECDSA", importEC, generateEC},
	{"ECDH", importEC, generateEC},
	{"NODE-ED25519", importOKP, generateOKP},
	{"Ed25519", importOKP, generateOKP},
	{"X25519", importOKP, generateOKP},
}

func lookupAlgorithm(name string, modern bool) (algorithm, bool) {
	for _, a := range modernAlgorithms {
		if modern && strings.EqualFold(a.name, name) {
			return a, true
		}
	}
	for _, a := range algorithms {
		if strings.EqualFold(a.name, name) {
			return a, true
		}
	}
	return algorithm{}, false
}

// importKey makes a key from bytes or from a JSON Web Key.
func importKey(s *source) (*Key, error) {
	if s.modern {
		s.format = plainFormat(s.format, s.params.name)
	}
	switch s.format {
	case "raw-public", "raw-seed", "raw-secret", "raw-private":
		if !s.modern {
			return nil, s.badFormat()
		}
		if s.jwk != nil {
			return nil, fail(typeError, "Import data provided for buffer-based import formats must be a buffer source.")
		}
	case "raw", "pkcs8", "spki":
		if s.jwk != nil {
			return nil, fail(
				typeError, `Import data provided for "raw", "pkcs8", or "spki" import formats must be a buffer source.`)
		}
	case "jwk":
		if s.jwk == nil {
			return nil, fail(typeError, `Import data provided for "jwk" import format must be a JsonWebKey.`)
		}
		if s.jwk.Ext != nil && !*s.jwk.Ext && s.extractable {
			return nil, fail(dataError, `JWK ext field for "%s" is set to false but extractable is true`, s.params.name)
		}
	default:
		return nil, s.badFormat()
	}
	a, ok := lookupAlgorithm(s.params.name, s.modern)
	if !ok {
		return nil, fail(notSupportedError, `Unrecognized key import algorithm "%s" requested.`, s.params.name)
	}
	s.algorithm = a.name
	k, err := a.importKey(s)
	if err != nil {
		return nil, err
	}
	if k.usages == 0 && k.Kind != Public {
		return nil, fail(syntaxError, "Secret/private CryptoKeys must have at least one usage.")
	}
	return k, nil
}

// generateKey checks a request.
func generateKey(r *request) (generation, error) {
	a, ok := lookupAlgorithm(r.params.name, r.modern)
	if !ok || a.generate == nil {
		return generation{},
			fail(notSupportedError, `Unrecognized key generation algorithm "%s" requested.`, r.params.name)
	}
	r.algorithm = a.name
	g, err := a.generate(r)
	if err != nil {
		return g, err
	}
	run := g.run
	g.run = func() (generated, error) {
		k, err := run()
		switch {
		case err != nil:
		case k.secret != nil && k.secret.usages == 0:
			err = fail(syntaxError, "Secret/private CryptoKeys must have at least one usage.")
		case k.private != nil && k.private.usages == 0:
			err = fail(syntaxError, "Attempt to generate asymmetric keys with no valid private key usages.")
		}
		return k, err
	}
	return g, nil
}

// derivedLength is the length in bits of the key that deriveKey must make, nil where the algorithm has none.
func derivedLength(p *parameters) (*int, error) {
	name := strings.ToUpper(p.name)
	switch name {
	case "AES-CTR", "AES-CBC", "AES-GCM", "AES-KW":
		if p.length == nil {
			return nil, fail(typeError, `Missing field "length" in "derivedKeyParams".`)
		}
		if n := *p.length; n != 128 && n != 192 && n != 256 {
			return nil, fail(
				operationError, "Derived AES key must be 128, 192, or 256 bits in length but provided %d.", n)
		}
		return p.length, nil
	case "HMAC":
		if p.length != nil {
			if *p.length <= 0 {
				return nil, fail(typeError, "HMAC key length must be a non-zero unsigned long integer.")
			}
			return p.length, nil
		}
		if p.hash == nil {
			return nil, fail(typeError, `Missing field "hash" in "derivedKeyParams".`)
		}
		d, err := lookupDigest(*p.hash)
		if err != nil {
			return nil, err
		}
		n := d.new().BlockSize() * 8
		return &n, nil
	case "HKDF", "PBKDF2":
		return nil, nil
	}
	return nil, fail(notSupportedError, `Unrecognized derived key type "%s" requested.`, p.name)
}

// truncate cuts a shared secret to a length in bits; the bits past it are zero.
func truncate(secret []byte, bits *int) ([]byte, error) {
	if bits == nil {
		return secret, nil
	}
	if *bits > len(secret)*8 {
		return nil, fail(
			operationError, "Derived key length (%d bits) is too long (should be at most %d bits).", *bits,
			len(secret)*8)
	}
	n := (*bits + 7) / 8
	secret = secret[:n]
	if odd := n*8 - *bits; odd > 0 {
		secret[n-1] &^= 1<<odd - 1
	}
	return secret, nil
}
