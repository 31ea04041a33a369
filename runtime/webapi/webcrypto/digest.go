package webcrypto

import (
	"crypto"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"strings"
)

// digest is a hash function under its registered name.
type digest struct {
	name string
	id   crypto.Hash
	new  func() hash.Hash
}

// MD5 is no part of the standard; the platform has it because people use it anyway.
var digests = []digest{
	{"SHA-1", crypto.SHA1, sha1.New},
	{"SHA-256", crypto.SHA256, sha256.New},
	{"SHA-384", crypto.SHA384, sha512.New384},
	{"SHA-512", crypto.SHA512, sha512.New},
	{"MD5", crypto.MD5, md5.New},
}

func lookupDigest(name string) (digest, error) {
	for _, d := range digests {
		if strings.EqualFold(d.name, name) {
			return d, nil
		}
	}
	return digest{}, fail(notSupportedError, "Unrecognized or unimplemented digest algorithm requested.")
}

func (d digest) sum(data []byte) []byte {
	h := d.new()
	h.Write(data)
	return h.Sum(nil)
}

// sha is the number in the name of a SHA digest, as JSON Web Algorithms have it.
func (d digest) sha() (string, bool) { return strings.CutPrefix(d.name, "SHA-") }
