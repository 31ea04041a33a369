package durableobject

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"sync"
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
	m := macOf(uniqueKey)
	defer m.free()
	m.add(name)
	return m.seal(m.sum()[:16])
}

// NewUniqueID draws 16 bytes from random (ID6).
func NewUniqueID(uniqueKey string, random io.Reader) (ID, error) {
	var base [16]byte
	if _, err := io.ReadFull(random, base[:]); err != nil {
		return ID{}, err
	}
	m := macOf(uniqueKey)
	defer m.free()
	return m.seal(base[:]), nil
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
	m := macOf(uniqueKey)
	defer m.free()
	want := m.seal(id[:16])
	if subtle.ConstantTimeCompare(want[:], id[:]) != 1 {
		return ID{}, ErrIDNamespace
	}
	return id, nil
}

// mac is HMAC-SHA-256 under the key of one namespace. It has one user at a time.
type mac struct {
	home *sync.Pool
	hash hash.Hash
	text []byte // the text to be hashed, in a buffer that is used again
	out  [sha256.Size]byte
}

// macs has a pool of macs for each unique key. A process has few namespaces, and every getByName derives an id with two
// sums, each of which would make a mac of its own.
var macs sync.Map // unique key → *sync.Pool of *mac

func macOf(uniqueKey string) *mac {
	pool, ok := macs.Load(uniqueKey)
	if !ok {
		key := sha256.Sum256([]byte(uniqueKey))
		pool, _ = macs.LoadOrStore(uniqueKey, &sync.Pool{New: func() any {
			return &mac{hash: hmac.New(sha256.New, key[:])}
		}})
	}
	m := pool.(*sync.Pool).Get().(*mac)
	m.home = pool.(*sync.Pool)
	return m
}

func (m *mac) free() { m.home.Put(m) }

// add begins the sum with that text. A string is copied into the mac's own buffer on its way to the hash.
func (m *mac) add(text string) { m.text = append(m.text[:0], text...) }

// sum returns the sum of the text. It is valid until the next call.
func (m *mac) sum() []byte {
	m.hash.Reset()
	m.hash.Write(m.text)
	return m.hash.Sum(m.out[:0])
}

func (m *mac) seal(base []byte) ID {
	var id ID
	copy(id[:16], base)
	m.text = append(m.text[:0], base...)
	copy(id[16:], m.sum()[:16])
	return id
}

// String is the id as 64 lower-case hex digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }
