package webcrypto

import (
	"crypto/rsa"
	"math/big"
	"slices"
)

// rsaAlgs are the JSON Web Algorithms of RSA with the digest of each.
var rsaAlgs = map[string]string{
	"RS1": "SHA-1", "RS256": "SHA-256", "RS384": "SHA-384", "RS512": "SHA-512",
	"PS1": "SHA-1", "PS256": "SHA-256", "PS384": "SHA-384", "PS512": "SHA-512",
	"RSA-OAEP": "SHA-1", "RSA-OAEP-256": "SHA-256", "RSA-OAEP-384": "SHA-384", "RSA-OAEP-512": "SHA-512",
}

func importRSA(s *source) (*Key, error) {
	d, err := s.params.digest()
	if err != nil {
		return nil, err
	}
	in, err := importAsymmetric(s, rsaUsages(s.algorithm), func(j *jwk) (any, error) { return rsaFromJWK(j, d) })
	if err != nil {
		return nil, err
	}
	m := &rsaKey{digest: d}
	switch key := in.key.(type) {
	case *rsa.PublicKey:
		m.public = key
	case *rsa.PrivateKey:
		m.public, m.private = &key.PublicKey, key
	default:
		return nil, fail(dataError, "Input was not an RSA key.")
	}
	return m.key(s.algorithm, in.kind, s.extractable, in.usages), nil
}

func rsaFromJWK(j *jwk, d digest) (any, error) {
	if j.Kty != "RSA" {
		return nil, fail(dataError, `RSASSA-PKCS1-v1_5 "jwk" key import requires a JSON Web Key with Key Type `+
			`parameter "kty" ("%s") equal to "RSA".`, j.Kty)
	}
	if j.Alg != nil {
		hash, ok := rsaAlgs[*j.Alg]
		if !ok {
			return nil, fail(
				notSupportedError,
				`Unrecognized or unimplemented algorithm "%s" listed in JSON Web Key Algorithm parameter.`, *j.Alg)
		}
		if hash != d.name {
			return nil, fail(
				dataError, `JSON Web Key Algorithm parameter "alg" ("%s") does not match requested hash algorithm `+
					`"%s".`, *j.Alg, *j.Alg)
		}
	}
	n, ok := number(j.N)
	if !ok || n.Sign() == 0 || n.BitLen() > 16_384 { // OpenSSL has this bound
		return nil, fail(dataError, `Invalid RSA key in JSON Web Key; missing or invalid Modulus parameter ("n").`)
	}
	e, ok := number(j.E)
	if !ok || e.BitLen() > 31 {
		return nil, fail(dataError, `Invalid RSA key in JSON Web Key; missing or invalid Exponent parameter ("e").`)
	}
	public := rsa.PublicKey{N: n, E: int(e.Int64())}
	if j.D == nil {
		return &public, nil
	}
	private, ok := number(j.D)
	if !ok {
		return nil, fail(
			dataError, `Invalid RSA key in JSON Web Key; missing or invalid Private Exponent parameter ("d").`)
	}
	p, q, err := primes(j, n, e, private)
	if err != nil {
		return nil, err
	}
	return checkedRSA(&rsa.PrivateKey{PublicKey: public, D: private, Primes: []*big.Int{p, q}})
}

func number(s *string) (*big.Int, bool) {
	b, ok := decoding64(s)
	return new(big.Int).SetBytes(b), ok
}

// primes takes the primes from the JSON Web Key or, where it has none of the CRT numbers, finds them.
func primes(j *jwk, n, e, d *big.Int) (p, q *big.Int, err error) {
	crt := []struct {
		value      *string
		what, name string
	}{
		{j.P, "First Prime Factor", "p"}, {j.Q, "Second Prime Factor", "q"}, {j.DP, "First Factor CRT Exponent", "dp"},
		{j.DQ, "Second Factor CRT Exponent", "dq"}, {j.QI, "First CRT Coefficient", "qi"},
	}
	present := 0
	for _, c := range crt {
		if c.value != nil {
			present++
		}
	}
	switch present {
	case 0:
		if p, q = factor(n, e, d); p == nil {
			return nil, nil, fail(dataError, "Invalid RSA key: the private exponent does not belong to the modulus.")
		}
		return p, q, nil
	case len(crt):
	default:
		return nil, nil, fail(dataError, `Invalid RSA private key in JSON Web Key; if one Prime Factor or CRT `+
			`Exponent/Coefficient parameter is present, then they must all be present ("p", "q", "dp", "dq", "qi").`)
	}
	numbers := make([]*big.Int, len(crt))
	for i, c := range crt {
		var ok bool
		if numbers[i], ok = number(c.value); !ok {
			return nil, nil,
				fail(dataError, `Invalid RSA key in JSON Web Key; invalid %s parameter ("%s").`, c.what, c.name)
		}
	}
	return numbers[0], numbers[1], nil
}

// factor finds the primes of a modulus from both exponents (NIST SP 800-56B, appendix C). It answers nil when the
// exponents do not belong together.
func factor(n, e, d *big.Int) (p, q *big.Int) {
	one := big.NewInt(1)
	k := new(big.Int).Mul(e, d)
	k.Sub(k, one)
	if k.Sign() <= 0 || k.Bit(0) == 1 || n.Bit(0) == 0 || n.BitLen() > 16384 || d.Cmp(n) >= 0 {
		return nil, nil
	}
	t := k.TrailingZeroBits()
	r := new(big.Int).Rsh(k, t)
	minus := new(big.Int).Sub(n, one)
	for g := int64(2); g < 102; g++ {
		y := new(big.Int).Exp(big.NewInt(g), r, n)
		if y.Cmp(one) == 0 || y.Cmp(minus) == 0 {
			continue
		}
		for range t {
			x := new(big.Int).Mul(y, y)
			x.Mod(x, n)
			if x.Cmp(one) == 0 {
				p = new(big.Int).GCD(nil, nil, y.Sub(y, one), n)
				q = new(big.Int).Div(n, p)
				if p.Cmp(q) < 0 {
					p, q = q, p
				}
				return p, q
			}
			if x.Cmp(minus) == 0 {
				break
			}
			y = x
		}
	}
	return nil, nil
}

func (m *rsaKey) export(k *Key, format string) ([]byte, *jwk, error) {
	var key any = m.public
	if m.private != nil {
		key = m.private
	}
	if der, ok, err := exportDER(k, format, key); ok {
		return der, nil, err
	}
	switch format {
	case "raw":
		return nil, nil, fail(invalidAccessError, `Cannot export "%s" in "raw" format.`, k.Algorithm.Name)
	case "jwk":
		j, err := m.jwk(k)
		return nil, j, err
	}
	return nil, nil, unknownExport(k, format)
}

func (m *rsaKey) jwk(k *Key) (*jwk, error) {
	sha, ok := m.digest.sha()
	if !ok {
		return nil, fail(notSupportedError, `JWK export not supported for hash algorithm "%s".`, m.digest.name)
	}
	alg := "RS" + sha
	switch {
	case k.Algorithm.Name == "RSA-PSS":
		alg = "PS" + sha
	case k.Algorithm.Name == "RSA-OAEP" && m.digest.name == "SHA-1":
		alg = "RSA-OAEP"
	case k.Algorithm.Name == "RSA-OAEP":
		alg = "RSA-OAEP-" + sha
	}
	j := &jwk{Kty: "RSA", Alg: optional(alg), N: encoding64(m.public.N.Bytes()),
		E: encoding64(slices.Clone(k.Algorithm.PublicExponent))}
	if key := m.private; key != nil {
		if len(key.Primes) != 2 {
			return nil, fail(notSupportedError, "Multi-prime private keys not supported.")
		}
		j.D, j.P, j.Q = encoding64(key.D.Bytes()), encoding64(key.Primes[0].Bytes()), encoding64(key.Primes[1].Bytes())
		j.DP, j.DQ = encoding64(key.Precomputed.Dp.Bytes()), encoding64(key.Precomputed.Dq.Bytes())
		j.QI = encoding64(key.Precomputed.Qinv.Bytes())
	}
	return j, nil
}
