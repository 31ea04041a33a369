package webcrypto

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"math/big"
	"strings"
)

// curve is a NIST curve under its registered name.
type curve struct {
	name  string
	group elliptic.Curve
	alg   string // the name of ECDSA with this curve in JSON Web Algorithms
}

var curves = []curve{
	{"P-256", elliptic.P256(), "ES256"},
	{"P-384", elliptic.P384(), "ES384"},
	{"P-521", elliptic.P521(), "ES512"},
}

// size is the length of a coordinate and of a scalar, in bytes.
func (c curve) size() int { return (c.group.Params().BitSize + 7) / 8 }

func lookupCurve(p *parameters) (curve, error) {
	if p.namedCurve == nil {
		return curve{}, missingField("namedCurve")
	}
	for _, c := range curves {
		if strings.EqualFold(c.name, *p.namedCurve) {
			return c, nil
		}
	}
	return curve{}, fail(notSupportedError, `Unrecognized or unimplemented EC curve "%s" requested.`, *p.namedCurve)
}

// ecKey is material of ECDSA and ECDH; private is nil in public keys.
type ecKey struct {
	curve   curve
	public  *ecdsa.PublicKey
	private *ecdsa.PrivateKey
}

func (m *ecKey) open() *ecKey { return &ecKey{curve: m.curve, public: m.public} }

func (m *ecKey) digest(k *Key, p *parameters) (digest, error) {
	if k.Algorithm.Name != "ECDSA" {
		return digest{},
			fail(notSupportedError, `The sign and verify operations are not implemented for "%s".`, k.Algorithm.Name)
	}
	if p.hash == nil {
		return digest{}, fail(typeError, `Missing "hash" in AlgorithmIdentifier. (ECDSA requires that the hash `+
			`algorithm be specified at call time rather than on the key. This differs from other WebCrypto `+
			`algorithms for historical reasons.)`)
	}
	return lookupDigest(*p.hash)
}

// sign makes the concatenation of r and s, as WebCrypto has it (IEEE P1363), not DER.
func (m *ecKey) sign(k *Key, p *parameters, data []byte) ([]byte, error) {
	if err := needsPrivate(k); err != nil {
		return nil, err
	}
	d, err := m.digest(k, p)
	if err != nil {
		return nil, err
	}
	r, s, err := ecdsa.Sign(nil, m.private, d.sum(data))
	if err != nil {
		return nil, err
	}
	n := m.curve.size()
	out := make([]byte, 2*n)
	r.FillBytes(out[:n])
	s.FillBytes(out[n:])
	return out, nil
}

func (m *ecKey) verify(k *Key, p *parameters, signature, data []byte) (bool, error) {
	if err := needsPublic(k); err != nil {
		return false, err
	}
	d, err := m.digest(k, p)
	if err != nil {
		return false, err
	}
	n := m.curve.size()
	if len(signature) != 2*n {
		return false, nil
	}
	r, s := new(big.Int).SetBytes(signature[:n]), new(big.Int).SetBytes(signature[n:])
	return ecdsa.Verify(m.public, d.sum(data), r, s), nil
}

func (m *ecKey) derive(k *Key, p *parameters, bits *int) (work, error) {
	if k.Algorithm.Name != "ECDH" {
		return work{}, fail(
			notSupportedError, `The deriveBits operation is not implemented for "%s".`, k.Algorithm.Name)
	}
	peer, err := peerOf(k, p)
	if err != nil {
		return work{}, err
	}
	return work{run: func() ([]byte, error) {
		private, err := m.private.ECDH()
		if err != nil {
			return nil, err
		}
		public, err := peer.material.(*ecKey).public.ECDH()
		if err != nil {
			return nil, err
		}
		secret, err := private.ECDH(public)
		if err != nil {
			return nil, fail(operationError, "Failed to generate shared ECDH secret.")
		}
		return truncate(secret, bits)
	}}, nil
}

func (m *ecKey) export(k *Key, format string) ([]byte, *jwk, error) {
	var key any = m.public
	if m.private != nil {
		key = m.private
	}
	if der, ok, err := exportDER(k, format, key); ok {
		return der, nil, err
	}
	point, err := m.public.Bytes()
	if err != nil {
		return nil, nil, err
	}
	switch format {
	case "raw":
		if k.Kind != Public {
			return nil, nil,
				fail(invalidAccessError, "Raw export of elliptic curve keys is only allowed for public keys.")
		}
		return point, nil, nil
	case "jwk":
		n := m.curve.size()
		j := &jwk{Kty: "EC", Crv: optional(m.curve.name), X: encoding64(point[1 : 1+n]), Y: encoding64(point[1+n:])}
		if m.private != nil {
			d, err := m.private.Bytes()
			if err != nil {
				return nil, nil, err
			}
			j.D = encoding64(d)
		}
		return nil, j, nil
	}
	return nil, nil, unknownExport(k, format)
}

func ecKeyOf(name string, kind KeyKind, m *ecKey, extractable bool, u usages) *Key {
	return &Key{Kind: kind, Extractable: extractable, usages: u, material: m,
		Algorithm: KeyAlgorithm{Name: name, NamedCurve: m.curve.name}}
}

func generateEC(r *request) (generation, error) {
	allowed := useSign | useVerify
	if r.algorithm == "ECDH" {
		allowed = useDerive
	}
	u, err := checkUsages(r.algorithm, generating, r.usages, allowed)
	if err != nil {
		return generation{}, err
	}
	c, err := lookupCurve(r.params)
	if err != nil {
		return generation{}, err
	}
	return generation{run: func() (generated, error) {
		private, err := GenerateEC(c.group, r.random)
		if err != nil {
			return generated{}, err
		}
		return generated{
			public:  ecKeyOf(r.algorithm, Public, &ecKey{c, &private.PublicKey, nil}, true, u&usePublic),
			private: ecKeyOf(r.algorithm, Private, &ecKey{c, &private.PublicKey, private}, r.extractable, u&usePrivate),
		}, nil
	}}, nil
}

func importEC(s *source) (*Key, error) {
	c, err := lookupCurve(s.params)
	if err != nil {
		return nil, err
	}
	allowed := useSign | useVerify
	if s.algorithm == "ECDH" {
		allowed = useDerive
	}
	if s.format == "raw" {
		if s.algorithm == "ECDSA" {
			allowed = useVerify
		}
		return importRawEC(s, c, allowed)
	}
	in, err := importAsymmetric(s, allowed, func(j *jwk) (any, error) { return ecFromJWK(j, c, s.algorithm) })
	if err != nil {
		return nil, err
	}
	m := &ecKey{curve: c}
	switch key := in.key.(type) {
	case *ecdsa.PublicKey:
		m.public = key
	case *ecdsa.PrivateKey:
		m.public, m.private = &key.PublicKey, key
	default:
		if s.algorithm == "ECDH" {
			return nil, fail(dataError, "Input was not an EC public key nor a DH key.")
		}
		return nil, fail(dataError, "Input was not an EC key.")
	}
	if m.public.Curve != c.group {
		comma := ""
		if s.algorithm == "ECDH" {
			comma = ","
		}
		return nil, fail(
			dataError, `"algorithm.namedCurve" "%s"%s does not match the curve specified by the input key data.`,
			*s.params.namedCurve, comma)
	}
	return ecKeyOf(s.algorithm, in.kind, m, s.extractable, in.usages), nil
}

func importRawEC(s *source, c curve, allowed usages) (*Key, error) {
	u, err := checkUsages(s.algorithm, importPublic, s.usages, allowed)
	if err != nil {
		return nil, err
	}
	point := s.bytes
	if n := c.size(); len(point) == 1+n && (point[0] == 2 || point[0] == 3) {
		x, y := elliptic.UnmarshalCompressed(c.group, point)
		if x == nil {
			return nil, fail(dataError, "Failed to import raw EC key data: Invalid compressed point..")
		}
		point = make([]byte, 1+2*n)
		point[0] = 4
		x.FillBytes(point[1 : 1+n])
		y.FillBytes(point[1+n:])
	}
	public, err := ecdsa.ParseUncompressedPublicKey(c.group, point)
	if err != nil {
		reason := "Invalid point encoding."
		if len(point) == 1+2*c.size() && point[0] == 4 {
			reason = "Point is not on curve."
		}
		return nil, fail(dataError, "Failed to import raw EC key data: %s.", reason)
	}
	return ecKeyOf(s.algorithm, Public, &ecKey{c, public, nil}, s.extractable, u), nil
}

func ecFromJWK(j *jwk, c curve, name string) (any, error) {
	if j.Kty != "EC" {
		return nil, fail(dataError, `Elliptic curve "jwk" key import requires a JSON Web Key with Key Type parameter `+
			`"kty" ("%s") equal to "EC".`, j.Kty)
	}
	if name == "ECDSA" && j.Alg != nil {
		known := false
		for _, other := range curves {
			known = known || other.alg == *j.Alg
		}
		if !known {
			return nil, fail(
				notSupportedError,
				`Unrecognized or unimplemented algorithm "%s" listed in JSON Web Key Algorithm parameter.`, *j.Alg)
		}
		if *j.Alg != c.alg {
			return nil, fail(
				dataError, `JSON Web Key Algorithm parameter "alg" ("%s") does not match requested curve.`, *j.Alg)
		}
	}
	x, ok := decoding64(j.X)
	if !ok {
		return nil, fail(dataError, `Invalid EC key in JSON Web Key; missing "x".`)
	}
	y, ok := decoding64(j.Y)
	if !ok {
		return nil, fail(dataError, `Invalid EC key in JSON Web Key; missing "y".`)
	}
	n := c.size()
	point := make([]byte, 1+2*n)
	point[0] = 4
	public, err := (*ecdsa.PublicKey)(nil), error(nil)
	if fits(x, point[1:1+n]) && fits(y, point[1+n:]) {
		public, err = ecdsa.ParseUncompressedPublicKey(c.group, point)
	}
	if public == nil || err != nil {
		return nil, fail(
			operationError, `Invalid EC key; public key coordinates "x" and "y" are invalid: Point is not on curve..`)
	}
	if j.D == nil {
		return public, nil
	}
	d, ok := decoding64(j.D)
	if !ok {
		return nil, fail(dataError, `Invalid EC key in JSON Web Key; missing or invalid private key component ("d").`)
	}
	scalar := make([]byte, n)
	if !fits(d, scalar) {
		return nil, fail(operationError, `Invalid EC key; private key component "d" is invalid.`)
	}
	private, err := ecdsa.ParseRawPrivateKey(c.group, scalar)
	if err != nil {
		return nil, fail(operationError, `Invalid EC key; private key component "d" is invalid.`)
	}
	if !private.PublicKey.Equal(public) {
		return nil, fail(dataError, "Invalid EC key in JSON Web Key.")
	}
	return private, nil
}

// fits copies a big-endian number into a field of fixed length; leading zeros may be too many or too few.
func fits(b, field []byte) bool {
	for len(b) > len(field) && b[0] == 0 {
		b = b[1:]
	}
	if len(b) > len(field) {
		return false
	}
	copy(field[len(field)-len(b):], b)
	return true
}
