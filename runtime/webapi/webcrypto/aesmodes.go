package webcrypto

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"math/big"
)

type (
	aesGCM struct{ aesKey }
	aesCBC struct{ aesKey }
	aesCTR struct{ aesKey }
	aesKW  struct{ aesKey }
)

// decryptionFailed gives no reason, because a reason would help an attacker (a padding oracle).
func decryptionFailed(name string, in, out int) error {
	return fail(operationError, "Decryption failed. This could be due to a ciphertext authentication failure, bad "+
		"padding, incorrect CryptoKey, or another algorithm-specific reason. Input length was %d, output length "+
		"expected to be %d for %s", in, out, name)
}

// open checks the parameters of a GCM call.
func (m *aesGCM) open(p *parameters) (aead cipher.AEAD, tag int, err error) {
	if !p.has["iv"] {
		return nil, 0, missingField("iv")
	}
	if len(p.iv) == 0 {
		return nil, 0, fail(operationError, "AES-GCM IV must not be empty.")
	}
	tag = 128
	if p.tagLength != nil {
		tag = *p.tagLength
	}
	switch tag {
	case 32, 64, 96, 104, 112, 120, 128:
	default:
		return nil, 0, fail(operationError, "Invalid AES-GCM tag length %d.", tag)
	}
	aead, err = cipher.NewGCMWithNonceSize(m.block, len(p.iv))
	return aead, tag / 8, err
}

func (m *aesGCM) encrypt(_ *Key, p *parameters, data []byte) ([]byte, error) {
	aead, tag, err := m.open(p)
	if err != nil {
		return nil, err
	}
	out := aead.Seal(make([]byte, 0, len(data)+16), p.iv, data, p.additionalData)
	return out[:len(data)+tag], nil
}

func (m *aesGCM) decrypt(k *Key, p *parameters, data []byte) ([]byte, error) {
	aead, tag, err := m.open(p)
	if err != nil {
		return nil, err
	}
	if len(data) < tag {
		return nil, fail(operationError, "Ciphertext length of %d bits must be greater than or equal to the size of "+
			"the AES-GCM tag length of %d bits.", len(data)*8, tag*8)
	}
	n := len(data) - tag
	if tag == 16 {
		out, err := aead.Open(make([]byte, 0, n), p.iv, data, p.additionalData)
		if err != nil {
			return nil, decryptionFailed(k.Algorithm.Name, n, n)
		}
		return out, nil
	}
	// Go does not open messages with a shortened tag. So zeros are sealed to get the key stream, and the text that it
	// decrypts is sealed again to get the whole tag.
	out := aead.Seal(nil, p.iv, make([]byte, n), nil)[:n]
	subtle.XORBytes(out, out, data[:n])
	again := aead.Seal(nil, p.iv, out, p.additionalData)
	if subtle.ConstantTimeCompare(again[n:n+tag], data[n:]) != 1 {
		return nil, decryptionFailed(k.Algorithm.Name, n, n)
	}
	return out, nil
}

func (p *parameters) blockIV(suffix string) ([]byte, error) {
	if !p.has["iv"] {
		return nil, missingField("iv")
	}
	if len(p.iv) != aes.BlockSize {
		return nil, fail(operationError, "AES-CBC IV must be 16 bytes long (provided %d%s).", len(p.iv), suffix)
	}
	return p.iv, nil
}

func (m *aesCBC) encrypt(_ *Key, p *parameters, data []byte) ([]byte, error) {
	iv, err := p.blockIV(" bytes")
	if err != nil {
		return nil, err
	}
	pad := aes.BlockSize - len(data)%aes.BlockSize
	out := append(append(make([]byte, 0, len(data)+pad), data...), bytes.Repeat([]byte{byte(pad)}, pad)...)
	cipher.NewCBCEncrypter(m.block, iv).CryptBlocks(out, out)
	return out, nil
}

func (m *aesCBC) decrypt(k *Key, p *parameters, data []byte) ([]byte, error) {
	iv, err := p.blockIV("")
	if err != nil {
		return nil, err
	}
	n := len(data)
	if n == 0 || n%aes.BlockSize != 0 {
		return nil, decryptionFailed(k.Algorithm.Name, n, n/aes.BlockSize*aes.BlockSize)
	}
	out := make([]byte, n)
	cipher.NewCBCDecrypter(m.block, iv).CryptBlocks(out, data)
	pad := int(out[n-1])
	if pad == 0 || pad > aes.BlockSize || !bytes.Equal(out[n-pad:], bytes.Repeat([]byte{byte(pad)}, pad)) {
		return nil, decryptionFailed(k.Algorithm.Name, n, n-aes.BlockSize)
	}
	return out[:n-pad], nil
}

func (m *aesCTR) encrypt(_ *Key, p *parameters, data []byte) ([]byte, error) {
	switch {
	case !p.has["counter"]:
		return nil, fail(typeError, `Missing "counter" member in "algorithm".`)
	case len(p.counter) != aes.BlockSize:
		return nil, fail(operationError, "Counter must have length of 16 bytes (provided %d).", len(p.counter))
	case p.length == nil:
		return nil, fail(typeError, `Missing "length" member in "algorithm".`)
	case *p.length <= 0 || *p.length > 128:
		return nil, fail(operationError, "Invalid counter of %d bits length provided.", *p.length)
	}
	bits := uint(*p.length)
	values := new(big.Int).Lsh(big.NewInt(1), bits)
	blocks := big.NewInt(int64((len(data) + aes.BlockSize - 1) / aes.BlockSize))
	if blocks.Cmp(values) > 0 {
		return nil, fail(operationError, "Counter block values will repeat.")
	}
	// Only the low bits count: past the last value they start again at zero, and the rest of the block stays.
	start := new(big.Int).SetBytes(p.counter)
	count := new(big.Int).Mod(start, values)
	left := new(big.Int).Sub(values, count)
	out := make([]byte, len(data))
	if left.Cmp(blocks) >= 0 {
		cipher.NewCTR(m.block, p.counter).XORKeyStream(out, data)
		return out, nil
	}
	split := int(left.Int64()) * aes.BlockSize
	cipher.NewCTR(m.block, p.counter).XORKeyStream(out[:split], data[:split])
	zeroed := start.Sub(start, count).FillBytes(make([]byte, aes.BlockSize))
	cipher.NewCTR(m.block, zeroed).XORKeyStream(out[split:], data[split:])
	return out, nil
}

func (m *aesCTR) decrypt(k *Key, p *parameters, data []byte) ([]byte, error) {
	return m.encrypt(k, p, data)
}

// wrapIV is the initial value of RFC 3394, which unwrapping must find again.
const wrapIV = 0xa6a6a6a6a6a6a6a6

func (m *aesKW) wrap(data []byte) ([]byte, error) {
	if len(data)%8 != 0 {
		return nil, fail(
			operationError, "Unwrapped key bit length must be a multiple of 64 bits but unwrapped key has a length "+
				"of %d bits.", len(data)*8)
	}
	if len(data) < 16 {
		return nil, fail(operationError, "Unwrapped key has length %d bytes but it should be greater than or equal "+
			"to 16 and less than or equal to 18446744073709551607", len(data))
	}
	out := make([]byte, 8+len(data))
	copy(out[8:], data)
	n := len(data) / 8
	var b [aes.BlockSize]byte
	binary.BigEndian.PutUint64(b[:8], wrapIV)
	for t := 1; t <= 6*n; t++ {
		r := out[8+(t-1)%n*8:][:8]
		copy(b[8:], r)
		m.block.Encrypt(b[:], b[:])
		copy(r, b[8:])
		binary.BigEndian.PutUint64(b[:8], binary.BigEndian.Uint64(b[:8])^uint64(t))
	}
	copy(out, b[:8])
	return out, nil
}

func (m *aesKW) unwrap(data []byte) ([]byte, error) {
	if len(data)%8 != 0 {
		return nil, fail(
			operationError, "Provided a wrapped key to unwrap that is %d bits which isn't a multiple of 64 bits.",
			len(data)*8)
	}
	if len(data) < 24 {
		return nil, fail(
			operationError, "Provided a wrapped key to unwrap this is %d bits that is less than the minimal length "+
				"of 192 bits.", len(data)*8)
	}
	out := bytes.Clone(data[8:])
	n := len(out) / 8
	var b [aes.BlockSize]byte
	copy(b[:8], data)
	for t := 6 * n; t >= 1; t-- {
		r := out[(t-1)%n*8:][:8]
		binary.BigEndian.PutUint64(b[:8], binary.BigEndian.Uint64(b[:8])^uint64(t))
		copy(b[8:], r)
		m.block.Decrypt(b[:], b[:])
		copy(r, b[8:])
	}
	if binary.BigEndian.Uint64(b[:8]) != wrapIV {
		return nil, fail(operationError, "AES-KW key unwrapping failed.")
	}
	return out, nil
}
