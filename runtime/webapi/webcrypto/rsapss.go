package webcrypto

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/subtle"
	"encoding/binary"
	"io"
	"math/big"
)

// Go reads a salt length of 0 as "automatic", but WebCrypto and Node mean an empty salt. Without salt the encoding of
// RFC 8017, section 9.1.1 is a function of the digest alone, so verifying is encoding again and comparing.

// SignPSS signs a digest (RSASSA-PSS, RFC 8017) with a salt of that many bytes, which may be 0. It fails if the key is
// too short for digest and salt.
func SignPSS(random io.Reader, key *rsa.PrivateKey, id crypto.Hash, sum []byte, salt int) ([]byte, error) {
	if salt > 0 {
		return rsa.SignPSS(random, key, id, sum, &rsa.PSSOptions{SaltLength: salt, Hash: id})
	}
	return signPSSWithoutSalt(key, id, sum)
}

// VerifyPSS tells whether a signature with a salt of that many bytes, which may be 0, is the digest's.
func VerifyPSS(key *rsa.PublicKey, id crypto.Hash, sum, signature []byte, salt int) bool {
	if salt > 0 {
		return rsa.VerifyPSS(key, id, sum, signature, &rsa.PSSOptions{SaltLength: salt}) == nil
	}
	return verifyPSSWithoutSalt(key, id, sum, signature)
}

// encodePSS is EMSA-PSS with an empty salt for a modulus of the given length; nil when the modulus is too short.
func encodePSS(id crypto.Hash, sum []byte, modulusBits int) []byte {
	n := (modulusBits - 1 + 7) / 8
	if n < id.Size()+2 {
		return nil
	}
	h := id.New()
	h.Write(make([]byte, 8))
	h.Write(sum)
	seed := h.Sum(nil)

	em := make([]byte, n)
	db := em[:n-len(seed)-1]
	db[len(db)-1] = 1
	var mask []byte
	for counter := uint32(0); len(mask) < len(db); counter++ {
		h.Reset()
		h.Write(seed)
		h.Write(binary.BigEndian.AppendUint32(nil, counter))
		mask = h.Sum(mask)
	}
	subtle.XORBytes(db, db, mask)
	db[0] &= 0xff >> (8*n - (modulusBits - 1))
	copy(em[len(db):], seed)
	em[n-1] = 0xbc
	return em
}

func signPSSWithoutSalt(key *rsa.PrivateKey, id crypto.Hash, sum []byte) ([]byte, error) {
	em := encodePSS(id, sum, key.N.BitLen())
	if em == nil {
		return nil, rsa.ErrMessageTooLong
	}
	s := new(big.Int).Exp(new(big.Int).SetBytes(em), key.D, key.N)
	return s.FillBytes(make([]byte, key.Size())), nil
}

func verifyPSSWithoutSalt(key *rsa.PublicKey, id crypto.Hash, sum, signature []byte) bool {
	s := new(big.Int).SetBytes(signature)
	em := encodePSS(id, sum, key.N.BitLen())
	if em == nil || len(signature) != key.Size() || s.Cmp(key.N) >= 0 {
		return false
	}
	m := s.Exp(s, big.NewInt(int64(key.E)), key.N)
	if m.BitLen() > 8*len(em) {
		return false
	}
	return bytes.Equal(m.FillBytes(make([]byte, len(em))), em)
}
