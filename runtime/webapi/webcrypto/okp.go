package webcrypto

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"io"
)

// ed25519Key is material of Ed25519; private is nil in public keys.
type ed25519Key struct {
	public  ed25519.PublicKey
	private ed25519.PrivateKey
}

// x25519Key is material of X25519; private is nil in public keys.
type x25519Key struct {
	public  *ecdh.PublicKey
	private *ecdh.PrivateKey
}

const okpSize = 32

func (m *ed25519Key) sign(k *Key, _ *parameters, data []byte) ([]byte, error) {
	if err := needsPrivate(k); err != nil {
		return nil, err
	}
	return ed25519.Sign(m.private, data), nil
}

func (m *ed25519Key) verify(k *Key, _ *parameters, signature, data []byte) (bool, error) {
	if err := needsPublic(k); err != nil {
		return false, err
	}
	if len(signature) != ed25519.SignatureSize {
		return false, fail(operationError, "Invalid %s signature length %d", k.Algorithm.Name, len(signature))
	}
	return ed25519.Verify(m.public, data, signature), nil
}

func (m *x25519Key) derive(k *Key, p *parameters, bits *int) (work, error) {
	peer, err := peerOf(k, p)
	if err != nil {
		return work{}, err
	}
	return work{run: func() ([]byte, error) {
		secret, err := m.private.ECDH(peer.material.(*x25519Key).public)
		if err != nil {
			return nil, fail(operationError, "Detected small order secure curve points, aborting EDDH derivation")
		}
		return truncate(secret, bits)
	}}, nil
}

func (m *ed25519Key) export(k *Key, format string) ([]byte, *jwk, error) {
	if m.private != nil {
		return exportOKP(k, format, m.public, m.private.Seed(), m.private)
	}
	return exportOKP(k, format, m.public, nil, m.public)
}

func (m *x25519Key) export(k *Key, format string) ([]byte, *jwk, error) {
	if m.private != nil {
		return exportOKP(k, format, m.public.Bytes(), m.private.Bytes(), m.private)
	}
	return exportOKP(k, format, m.public.Bytes(), nil, m.public)
}

func exportOKP(k *Key, format string, public, private []byte, key any) ([]byte, *jwk, error) {
	if der, ok, err := exportDER(k, format, key); ok {
		return der, nil, err
	}
	switch format {
	case "raw":
		if k.Kind != Public {
			return nil, nil,
				fail(invalidAccessError, "Raw export of %s keys is only allowed for public keys.", k.Algorithm.Name)
		}
		return public, nil, nil
	case "jwk":
		j := &jwk{Kty: "OKP", Crv: optional(okpCurve(k.Algorithm.Name)), X: encoding64(public)}
		if k.Algorithm.Name == "Ed25519" {
			j.Alg = optional("EdDSA")
		}
		if private != nil {
			j.D = encoding64(private)
		}
		return nil, j, nil
	}
	return nil, nil, unknownExport(k, format)
}

// okpCurve is the curve of an algorithm: NODE-ED25519 is an older name.
func okpCurve(name string) string {
	if name == "X25519" {
		return name
	}
	return "Ed25519"
}

func okpUsages(name string) usages {
	if name == "X25519" {
		return useDerive
	}
	return useSign | useVerify
}

func checkNodeCurve(name string, p *parameters) error {
	if name != "NODE-ED25519" {
		return nil
	}
	if p.namedCurve == nil {
		return missingField("namedCurve")
	}
	if *p.namedCurve != name {
		return fail(notSupportedError, `EDDSA curve "%s" isn't supported.`, *p.namedCurve)
	}
	return nil
}

func okpKeyOf(name string, kind KeyKind, material any, extractable bool, u usages) *Key {
	k := &Key{Kind: kind, Extractable: extractable, usages: u, material: material, Algorithm: KeyAlgorithm{Name: name}}
	if name == "NODE-ED25519" {
		k.Algorithm.NamedCurve = name
	}
	return k
}

func generateOKP(r *request) (generation, error) {
	u, err := checkUsages(r.algorithm, generating, r.usages, okpUsages(r.algorithm))
	if err == nil {
		err = checkNodeCurve(r.algorithm, r.params)
	}
	if err != nil {
		return generation{}, err
	}
	return generation{run: func() (generated, error) {
		seed := make([]byte, okpSize)
		if _, err := io.ReadFull(r.random, seed); err != nil {
			return generated{}, err
		}
		public, private, err := okpMaterial(r.algorithm, seed)
		return generated{
			public:  okpKeyOf(r.algorithm, Public, public, true, u&usePublic),
			private: okpKeyOf(r.algorithm, Private, private, r.extractable, u&usePrivate),
		}, err
	}}, nil
}

// okpMaterial makes the pair of a private key's 32 bytes.
func okpMaterial(name string, seed []byte) (public, private any, err error) {
	if name == "X25519" {
		key, err := ecdh.X25519().NewPrivateKey(seed)
		if err != nil {
			return nil, nil, err
		}
		return &x25519Key{key.PublicKey(), nil}, &x25519Key{key.PublicKey(), key}, nil
	}
	key := ed25519.NewKeyFromSeed(seed)
	pub := key.Public().(ed25519.PublicKey)
	return &ed25519Key{pub, nil}, &ed25519Key{pub, key}, nil
}

// okpPublic makes material of a public key's 32 bytes.
func okpPublic(name string, raw []byte) (any, error) {
	if name == "X25519" {
		key, err := ecdh.X25519().NewPublicKey(raw)
		return &x25519Key{key, nil}, err
	}
	return &ed25519Key{ed25519.PublicKey(raw), nil}, nil
}

func importOKP(s *source) (*Key, error) {
	if err := checkNodeCurve(s.algorithm, s.params); err != nil {
		return nil, err
	}
	if s.format == "raw" {
		u, err := checkUsages(s.algorithm, importPublic, s.usages, okpUsages(s.algorithm)&usePublic)
		if err != nil {
			return nil, err
		}
		if len(s.bytes) != okpSize {
			return nil, fail(
				dataError, "%s raw keys must be exactly 32-bytes (provided %d).", okpCurve(s.algorithm), len(s.bytes))
		}
		m, err := okpPublic(s.algorithm, s.bytes)
		return okpKeyOf(s.algorithm, Public, m, s.extractable, u), err
	}
	in, err := importAsymmetric(
		s, okpUsages(s.algorithm), func(j *jwk) (any, error) { return okpFromJWK(j, s.algorithm) })
	if err != nil {
		return nil, err
	}
	m, err := okpOf(s.algorithm, in.key)
	return okpKeyOf(s.algorithm, in.kind, m, s.extractable, in.usages), err
}

// okpOf makes material of what an import has read.
func okpOf(name string, key any) (any, error) {
	agreement := name == "X25519"
	switch key := key.(type) {
	case *ed25519Key, *x25519Key:
		return key, nil
	case ed25519.PublicKey:
		if !agreement {
			return &ed25519Key{key, nil}, nil
		}
	case ed25519.PrivateKey:
		if !agreement {
			return &ed25519Key{key.Public().(ed25519.PublicKey), key}, nil
		}
	case *ecdh.PublicKey:
		if agreement && key.Curve() == ecdh.X25519() {
			return &x25519Key{key, nil}, nil
		}
	case *ecdh.PrivateKey:
		if agreement && key.Curve() == ecdh.X25519() {
			return &x25519Key{key.PublicKey(), key}, nil
		}
	}
	return nil, fail(dataError, "Input was not an %s key.", okpCurve(name))
}

func okpFromJWK(j *jwk, name string) (any, error) {
	crv := okpCurve(name)
	switch {
	case j.Kty != "OKP":
		return nil, fail(
			dataError, `%s "jwk" key imports requires a JSON Web Key with Key Type parameter "kty" ("%s") equal to `+
				`"OKP".`, crv, j.Kty)
	case j.Crv == nil:
		return nil, fail(dataError, `Missing field "crv" for %s key.`, crv)
	case *j.Crv != crv:
		return nil, fail(notSupportedError, `Only %s is supported but "%s" was requested.`, crv, *j.Crv)
	case j.Alg != nil && name != "X25519" && *j.Alg != "EdDSA":
		return nil, fail(
			dataError, `JSON Web Key Algorithm parameter "alg" ("%s") does not match requested Ed25519 curve.`, *j.Alg)
	}
	x, ok := decoding64(j.X)
	if !ok {
		return nil, fail(
			dataError, `Invalid %s key in JSON WebKey; missing or invalid public key component ("x").`, crv)
	}
	if len(x) != okpSize {
		return nil, fail(dataError, "Invalid length %d for public key", len(x))
	}
	if j.D == nil {
		return okpPublic(name, x)
	}
	d, ok := decoding64(j.D)
	if !ok {
		return nil, fail(
			dataError, `Invalid %s key in JSON Web Key; missing or invalid private key component ("d").`, crv)
	}
	if len(d) != okpSize {
		return nil, fail(dataError, "Invalid length %d for private key", len(d))
	}
	// As on the platform nobody compares x: the private key alone decides.
	_, private, err := okpMaterial(name, d)
	return private, err
}
