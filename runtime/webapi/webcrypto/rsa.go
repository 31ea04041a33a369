package webcrypto

import (
	"crypto/rand"
	"crypto/rsa"
	"math/big"
)

// rsaKey is material of the RSA algorithms; private is nil in public keys.
type rsaKey struct {
	digest  digest
	public  *rsa.PublicKey
	private *rsa.PrivateKey
}

func (m *rsaKey) open() *rsaKey { return &rsaKey{digest: m.digest, public: m.public} }

func rsaUsages(name string) usages {
	if name == "RSA-OAEP" {
		return useEncrypt | useDecrypt | useWrapKey | useUnwrapKey
	}
	return useSign | useVerify
}

// saltLength is the salt's length in bytes of a PSS call.
func saltLength(p *parameters) (int, error) {
	if p.saltLength == nil {
		return 0, fail(dataError, "Failed to provide salt for RSA-PSS key operation which requires a salt")
	}
	if *p.saltLength < 0 {
		return 0, fail(dataError, "SaltLength for RSA-PSS must be non-negative (provided %d).", *p.saltLength)
	}
	return *p.saltLength, nil
}

func noSigning(k *Key) error {
	if k.Algorithm.Name == "RSA-OAEP" {
		return fail(notSupportedError, `The sign and verify operations are not implemented for "%s".`, k.Algorithm.Name)
	}
	return nil
}

func (m *rsaKey) sign(k *Key, p *parameters, data []byte) ([]byte, error) {
	if err := needsPrivate(k); err != nil {
		return nil, err
	}
	if err := noSigning(k); err != nil {
		return nil, err
	}
	sum := m.digest.sum(data)
	if k.Algorithm.Name == "RSA-PSS" {
		salt, err := saltLength(p)
		switch {
		case err != nil:
			return nil, err
		case len(sum)+2 > m.public.Size():
			return nil, fail(operationError, "key too small for signing with given digest")
		case salt > m.public.Size()-len(sum)-2:
			return nil, fail(operationError, "key too small for signing with given digest and salt length")
		}
		return rsaRefusal(SignPSS(rand.Reader, m.private, m.digest.id, sum, salt))
	}
	if len(sum)+32 > m.public.Size() {
		return nil, fail(
			operationError, "key too small for signing with given digest, need at least %dbits.", 8*(len(sum)+32))
	}
	return rsaRefusal(rsa.SignPKCS1v15(nil, m.private, m.digest.id, sum))
}

func rsaRefusal(out []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, fail(operationError, "RSA operation failed: %v.", err)
	}
	return out, nil
}

func (m *rsaKey) verify(k *Key, p *parameters, signature, data []byte) (bool, error) {
	if err := needsPublic(k); err != nil {
		return false, err
	}
	if err := noSigning(k); err != nil {
		return false, err
	}
	sum := m.digest.sum(data)
	if k.Algorithm.Name == "RSA-PSS" {
		if p.saltLength == nil {
			return false, fail(typeError, "Failed to provide salt for RSA-PSS key operation which requires a salt")
		}
		salt, err := saltLength(p)
		if err != nil {
			return false, err
		}
		return VerifyPSS(m.public, m.digest.id, sum, signature, salt), nil
	}
	return rsa.VerifyPKCS1v15(m.public, m.digest.id, sum, signature) == nil, nil
}

func (m *rsaKey) encrypt(k *Key, p *parameters, data []byte) ([]byte, error) {
	if k.Algorithm.Name != "RSA-OAEP" {
		return nil, notImplemented("encrypt", k)
	}
	if k.Kind != Public {
		return nil, fail(invalidAccessError, `Encryption/key wrapping only works with public keys, not "%s".`, k.Kind)
	}
	out, err := rsa.EncryptOAEP(m.digest.new(), rand.Reader, m.public, data, p.label)
	if err != nil {
		return nil, fail(operationError, "RSA-OAEP failed encrypt/decrypt.")
	}
	return out, nil
}

func (m *rsaKey) decrypt(k *Key, p *parameters, data []byte) ([]byte, error) {
	if k.Algorithm.Name != "RSA-OAEP" {
		return nil, notImplemented("decrypt", k)
	}
	if k.Kind != Private {
		return nil, fail(
			invalidAccessError, `Decryption/key unwrapping only works with private keys, not "%s".`, k.Kind)
	}
	out, err := rsa.DecryptOAEP(m.digest.new(), nil, m.private, data, p.label)
	if err != nil {
		return nil, fail(operationError, "RSA-OAEP failed encrypt/decrypt.")
	}
	return out, nil
}

func (m *rsaKey) key(name string, kind KeyKind, extractable bool, u usages) *Key {
	return &Key{Kind: kind, Extractable: extractable, usages: u, material: m, Algorithm: KeyAlgorithm{
		Name: name, Hash: m.digest.name, ModulusLength: m.public.Size() * 8,
		PublicExponent: big.NewInt(int64(m.public.E)).Bytes(),
	}}
}

func generateRSA(r *request) (generation, error) {
	p := r.params
	if !p.has["publicExponent"] {
		return generation{}, missingField("publicExponent")
	}
	if p.hash == nil {
		return generation{}, missingField("hash")
	}
	if p.modulusLength == nil {
		return generation{}, missingField("modulusLength")
	}
	bits := *p.modulusLength
	if bits <= 0 {
		return generation{}, fail(operationError, "modulusLength must be greater than zero (requested %d).", bits)
	}
	d, err := lookupDigest(*p.hash)
	if err != nil {
		return generation{}, err
	}
	u, err := checkUsages(r.algorithm, generating, r.usages, rsaUsages(r.algorithm))
	if err != nil {
		return generation{}, err
	}
	if bits%8 != 0 || bits < 256 || bits > 16384 {
		return generation{},
			fail(operationError,
				"The modulus length must be a multiple of 8 and between 256 and 16k, but %d was requested.", bits)
	}
	e := new(big.Int).SetBytes(p.publicExponent)
	if e.BitLen() > 32 {
		return generation{},
			fail(operationError, `The "publicExponent" must be either 3 or 65537, but got a number larger than 2^32.`)
	}
	if n := e.Uint64(); n != 3 && n != 65537 {
		return generation{}, fail(operationError, `The "publicExponent" must be either 3 or 65537, but got %d.`, n)
	}
	stream, err := Stream(r.random)
	if err != nil {
		return generation{}, err
	}
	return generation{long: true, run: func() (generated, error) {
		private, err := GenerateRSA(stream, bits, int(e.Int64()))
		if err != nil {
			return generated{}, err
		}
		return generated{
			public:  (&rsaKey{d, &private.PublicKey, nil}).key(r.algorithm, Public, true, u&usePublic),
			private: (&rsaKey{d, &private.PublicKey, private}).key(r.algorithm, Private, r.extractable, u&usePrivate),
		}, nil
	}}, nil
}

// checkedRSA completes a private key and checks that its numbers belong together.
func checkedRSA(key *rsa.PrivateKey) (*rsa.PrivateKey, error) {
	key.Precompute()
	if err := key.Validate(); err != nil {
		return nil, fail(dataError, "Invalid RSA key: %v.", err)
	}
	return key, nil
}
