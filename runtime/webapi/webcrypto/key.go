package webcrypto

// KeyKind is the type attribute of a key.
type KeyKind string

// The kinds of keys.
const (
	Secret  KeyKind = "secret"
	Public  KeyKind = "public"
	Private KeyKind = "private"
)

// Key is a CryptoKey. It is immutable.
type Key struct {
	Kind        KeyKind
	Extractable bool
	Algorithm   KeyAlgorithm
	usages      usages
	material    any
}

// KeyAlgorithm is the algorithm attribute of a key; zero fields are absent.
type KeyAlgorithm struct {
	Name string
	// Length is in bits (AES, HMAC).
	Length int
	Hash   string
	// ModulusLength is in bits, PublicExponent big-endian (RSA).
	ModulusLength  int
	PublicExponent []byte
	NamedCurve     string
}

// Usages are the names of what the key may be used for.
func (k *Key) Usages() []string { return k.usages.names() }

// These are the operations. Each kind of material implements those that it can do.
type (
	encrypter interface {
		encrypt(k *Key, p *parameters, data []byte) ([]byte, error)
		decrypt(k *Key, p *parameters, data []byte) ([]byte, error)
	}
	signer interface {
		sign(k *Key, p *parameters, data []byte) ([]byte, error)
		verify(k *Key, p *parameters, signature, data []byte) (bool, error)
	}
	// deriver checks the parameters and returns the work; bits is nil for the algorithm's own length.
	deriver interface {
		derive(k *Key, p *parameters, bits *int) (work, error)
	}
	// wrapper is implemented by material that wraps keys by another algorithm than the one it encrypts data with.
	wrapper interface {
		wrap(data []byte) ([]byte, error)
		unwrap(data []byte) ([]byte, error)
	}
	exporter interface {
		export(k *Key, format string) ([]byte, *jwk, error)
	}
)

// work is a computation that is ready to run; long ones do not belong on the loop.
type work struct {
	run  func() ([]byte, error)
	long bool
}

func notImplemented(operation string, k *Key) error {
	return fail(notSupportedError, `The %s operation is not implemented for "%s".`, operation, k.Algorithm.Name)
}

func (k *Key) encrypt(p *parameters, data []byte) ([]byte, error) {
	if m, ok := k.material.(encrypter); ok {
		return m.encrypt(k, p, data)
	}
	return nil, notImplemented("encrypt", k)
}

func (k *Key) decrypt(p *parameters, data []byte) ([]byte, error) {
	if m, ok := k.material.(encrypter); ok {
		return m.decrypt(k, p, data)
	}
	return nil, notImplemented("decrypt", k)
}

func (k *Key) wrap(p *parameters, data []byte) ([]byte, error) {
	if m, ok := k.material.(wrapper); ok {
		return m.wrap(data)
	}
	return k.encrypt(p, data)
}

func (k *Key) unwrap(p *parameters, data []byte) ([]byte, error) {
	if m, ok := k.material.(wrapper); ok {
		return m.unwrap(data)
	}
	return k.decrypt(p, data)
}

func (k *Key) sign(p *parameters, data []byte) ([]byte, error) {
	if m, ok := k.material.(signer); ok {
		return m.sign(k, p, data)
	}
	return nil, notImplemented("sign", k)
}

func (k *Key) verify(p *parameters, signature, data []byte) (bool, error) {
	if m, ok := k.material.(signer); ok {
		return m.verify(k, p, signature, data)
	}
	return false, notImplemented("verify", k)
}

func (k *Key) derive(p *parameters, bits *int) (work, error) {
	if m, ok := k.material.(deriver); ok {
		return m.derive(k, p, bits)
	}
	return work{}, fail(
		notSupportedError, `The deriveKey and deriveBits operations are not implemented for "%s".`, k.Algorithm.Name)
}

// export gives the bytes of the key, or its JSON Web Key.
func (k *Key) export(format string) ([]byte, *jwk, error) {
	if !k.Extractable {
		return nil, nil, fail(invalidAccessError, "Attempt to export non-extractable %s key.", k.Algorithm.Name)
	}
	m, ok := k.material.(exporter)
	if !ok {
		return nil, nil,
			fail(notSupportedError, `Unrecognized or unsupported export of "%s" requested.`, k.Algorithm.Name)
	}
	b, j, err := m.export(k, format)
	if err == nil && j != nil {
		yes := true
		j.Ext, j.KeyOps, j.hasOps = &yes, k.Usages(), true
	}
	return b, j, err
}
