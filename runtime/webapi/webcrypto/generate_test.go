package webcrypto

import (
	"crypto/elliptic"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

func seeded(seed byte) io.Reader { return rand.NewChaCha8([32]byte{seed}) }

// The source decides a key, and each key is one that Go takes.
func TestGeneratedKeys(t *testing.T) {
	for _, group := range []elliptic.Curve{elliptic.P224(), elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		a, err := GenerateEC(group, seeded(1))
		if err != nil {
			t.Fatal(err)
		}
		b, err := GenerateEC(group, seeded(1))
		if err != nil || !a.Equal(b) {
			t.Errorf("%s: the same source gave another key: %v", group.Params().Name, err)
		}
		if c, err := GenerateEC(group, seeded(2)); err != nil || a.Equal(c) {
			t.Errorf("%s: another source gave the same key: %v", group.Params().Name, err)
		}
	}
	for _, exponent := range []int{3, 65537} {
		a, err := GenerateRSA(seeded(1), 1024, exponent)
		if err != nil {
			t.Fatal(err)
		}
		b, err := GenerateRSA(seeded(1), 1024, exponent)
		if err != nil || !a.Equal(b) || a.E != exponent || a.N.BitLen() != 1024 {
			t.Errorf("a key of %d bits with the exponent %d: %v", a.N.BitLen(), a.E, err)
		}
		if err := a.Validate(); err != nil {
			t.Error(err)
		}
	}
	if _, err := GenerateRSA(seeded(1), 512, 65537); err == nil {
		t.Error("a key of 512 bits was made")
	}
}

// A prime number has the length that was asked for, be it a whole number of bytes or not.
func TestPrime(t *testing.T) {
	random := seeded(3)
	for bits := 2; bits < 70; bits++ {
		p, err := Prime(random, bits)
		if err != nil || p.BitLen() != bits || !p.ProbablyPrime(20) {
			t.Errorf("%d bits: %v, %v", bits, p, err)
		}
	}
	if _, err := Prime(random, 1); err == nil {
		t.Error("there is no prime number of one bit")
	}
}

// A search ends at its next candidate when nobody waits for the number any more.
func TestRandomStreamLeave(t *testing.T) {
	random, err := Stream(seeded(4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Prime(random, 64); err != nil {
		t.Error(err)
	}
	random.Leave()
	if p, err := Prime(random, 100_000); !errors.Is(err, errLeft) {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := GenerateRSA(random, 16_384, 65537); !errors.Is(err, errLeft) {
		t.Error(err)
	}
}
