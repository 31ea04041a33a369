package webcrypto

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"errors"
	"testing"
)

// RFC 8017, 9.1.1: a modulus that has no room for digest and salt is an error, also without a salt.
func TestSignPSSLength(t *testing.T) {
	sum := sha512.Sum512([]byte("m"))
	short, err := GenerateRSA(rand.Reader, 512, 3)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := SignPSS(rand.Reader, short, crypto.SHA512, sum[:], 0); !errors.Is(err, rsa.ErrMessageTooLong) {
		t.Errorf("512 bits without a salt: %x, %v", out, err)
	}
	key, err := GenerateRSA(rand.Reader, 1024, 65537)
	if err != nil {
		t.Fatal(err)
	}
	const room = 128 - sha512.Size - 2
	for _, salt := range []int{0, 1, room, room + 1} {
		out, err := SignPSS(rand.Reader, key, crypto.SHA512, sum[:], salt)
		if (err == nil) != (salt <= room) {
			t.Errorf("salt of %d: %v", salt, err)
		}
		for _, other := range []int{0, 1, room} {
			if err == nil && VerifyPSS(&key.PublicKey, crypto.SHA512, sum[:], out, other) != (other == salt) {
				t.Errorf("a salt of %d verified as one of %d", salt, other)
			}
		}
	}
}
