package durableobject

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
)

// ID names one object of one namespace: 16 bytes that identify it and 16 that prove that they belong to the
// namespace (ID2).
type ID [32]byte

// Errors of ParseID (ID7).
var (
	// the platform's text
	ErrIDFormat = errors.New("Invalid Durable Object ID: must be 64 hex digits")
	// the platform's text
	ErrIDNamespace = errors.New("Durable Object ID is not valid for this namespace.")
)

// IDFromName derives the id of a name in the namespace with that unique key, byte for byte as workerd does (ID2,
// ID4). name is UTF-8; lone surrogates come as their three-byte form.
func IDFromName(uniqueKey, name string) ID {
	key := sha256.Sum256([]byte(uniqueKey))
	base := sum(key, []byte(name))
	return seal(key, base[:16])
}

// sum is HMAC-SHA-256 of text.
func sum(key [32]byte, text []byte) [32]byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(text)
	var digest [32]byte
	mac.Sum(digest[:0])
	return digest
}

// NewUniqueID draws 16 bytes from random (ID6).
func NewUniqueID(uniqueKey string, random io.Reader) (ID, error) {
	var base [16]byte
	if _, err := io.ReadFull(random, base[:]); err != nil {
		return ID{}, err
	}
	return seal(sha256.Sum256([]byte(uniqueKey)), base[:]), nil
}

func seal(key [32]byte, base []byte) ID {
	var id ID
	copy(id[:16], base)
	proof := sum(key, base)
	copy(id[16:], proof[:16])
	return id
}

// ParseID reads 64 hex digits of either case and checks that the id belongs to the namespace (ID7).
func ParseID(uniqueKey, s string) (ID, error) {
	var id ID
	if len(s) != 64 {
		return id, ErrIDFormat
	}
	if _, err := hex.Decode(id[:], []byte(s)); err != nil {
		return ID{}, ErrIDFormat
	}
	want := seal(sha256.Sum256([]byte(uniqueKey)), id[:16])
	if subtle.ConstantTimeCompare(want[:], id[:]) != 1 {
		return ID{}, ErrIDNamespace
	}
	return id, nil
}

// String is the id as 64 lower-case hex digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }
