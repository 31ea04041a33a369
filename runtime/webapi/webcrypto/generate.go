package webcrypto

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"io"
	"math/big"
	"math/rand/v2"
	"sync/atomic"
)

// Go's own generators draw from the system whatever source they are given. Those of this file draw from the source that
// they get, so that a replay makes the captured keys again.

// seedSize is how many bytes a stream begins with.
const seedSize = 32

// RandomStream is a stream of random bytes that a seed decides, for keys that are made off the loop.
type RandomStream struct {
	bytes *rand.ChaCha8
	left  atomic.Bool
}

// Stream returns a stream whose seed is from random, which itself belongs to the loop.
func Stream(random io.Reader) (*RandomStream, error) {
	var seed [seedSize]byte
	if _, err := io.ReadFull(random, seed[:]); err != nil {
		return nil, err
	}
	return &RandomStream{bytes: rand.NewChaCha8(seed)}, nil
}

// errLeft is what those who read a stream get that nobody waits for any more.
var errLeft = errors.New("nobody waits for the key")

// Read fills p, until Leave is called.
func (s *RandomStream) Read(p []byte) (int, error) {
	if s.left.Load() {
		return 0, errLeft
	}
	return s.bytes.Read(p)
}

// Leave says that nobody waits for what is made of the stream. A search for a long prime number takes minutes of a
// processor; it ends at its next candidate. Any goroutine.
func (s *RandomStream) Leave() { s.left.Store(true) }

// GenerateEC makes a key of a curve that the bytes of random decide: it draws until they are a valid scalar.
func GenerateEC(group elliptic.Curve, random io.Reader) (*ecdsa.PrivateKey, error) {
	bits := group.Params().BitSize
	scalar := make([]byte, (bits+7)/8)
	for {
		if _, err := io.ReadFull(random, scalar); err != nil {
			return nil, err
		}
		if odd := bits % 8; odd > 0 {
			scalar[0] &= 1<<odd - 1
		}
		if private, err := ecdsa.ParseRawPrivateKey(group, scalar); err == nil {
			return private, nil
		}
	}
}

// Prime makes a prime number with exactly so many bits, of which the first two are set. It fails for fewer than two.
func Prime(random io.Reader, bits int) (*big.Int, error) {
	if bits < 2 {
		return nil, errors.New("a prime number has two bits or more")
	}
	raw, p := make([]byte, (bits+7)/8), new(big.Int)
	for {
		if _, err := io.ReadFull(random, raw); err != nil {
			return nil, err
		}
		p.SetBytes(raw).Rsh(p, uint(len(raw)*8-bits))
		p.SetBit(p, bits-1, 1).SetBit(p, bits-2, 1).SetBit(p, 0, 1)
		if p.ProbablyPrime(20) {
			return p, nil
		}
	}
}

// shortestRSA is what Go takes for the shortest key that is of use, in bits.
const shortestRSA = 1024

// GenerateRSA makes a key of two primes that the bytes of random decide. A key with the usual exponent has at least
// 1024 bits. It takes a second and more for long keys.
func GenerateRSA(random io.Reader, bits, exponent int) (*rsa.PrivateKey, error) {
	if exponent == 65537 && bits < shortestRSA {
		return nil, fail(operationError, "RSA key size is too small.")
	}
	e, one := big.NewInt(int64(exponent)), big.NewInt(1)
	for {
		p, err := Prime(random, bits-bits/2)
		if err != nil {
			return nil, err
		}
		q, err := Prime(random, bits/2)
		if err != nil {
			return nil, err
		}
		n := new(big.Int).Mul(p, q)
		totient := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		d := new(big.Int).ModInverse(e, totient)
		if p.Cmp(q) == 0 || n.BitLen() != bits || d == nil {
			continue
		}
		return checkedRSA(&rsa.PrivateKey{PublicKey: rsa.PublicKey{N: n, E: exponent}, D: d, Primes: []*big.Int{p, q}})
	}
}
