package engine

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// sealed is the length of what stands before a sealed value: version, sum, number, predecessor.
const sealed = 1 + 4 + 8 + 8

// The versions: data as it is, and deflated data.
const (
	sealVersion     = 1
	deflatedVersion = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// DamageError says that a shard does not hold what was written to it.
type DamageError struct {
	Shard int
	Key   Key
	What  string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("shard %d is damaged at %q: %s; restore the database from a backup", e.Shard, e.Key, e.What)
}

// Seal makes the bytes that lie in the store.
func Seal(shard int, p Put) []byte {
	b := make([]byte, sealed, sealed+len(p.Data))
	b[0] = sealVersion
	data := p.Data
	if small := deflated(data); small != nil {
		b[0], data = deflatedVersion, small
	}
	binary.BigEndian.PutUint64(b[5:], uint64(p.Number))
	binary.BigEndian.PutUint64(b[13:], uint64(p.After))
	b = append(b, data...)
	binary.BigEndian.PutUint32(b[1:], sum(shard, p.Key, b))
	return b
}

// sum covers where a value lies as well as what it is: a whole value in a wrong place is damage too.
func sum(shard int, key Key, b []byte) uint32 {
	var place [8]byte
	binary.BigEndian.PutUint64(place[:], uint64(shard))
	s := crc32.Update(0, castagnoli, place[:])
	s = crc32.Update(s, castagnoli, []byte(key))
	return crc32.Update(s, castagnoli, b[5:])
}

// Unseal gives the value back, or a *DamageError. The data may be a part of b.
func Unseal(shard int, key Key, b []byte) (Value, error) {
	damaged := func(what string) (Value, error) { return Value{}, &DamageError{shard, key, what} }
	switch {
	case len(b) < sealed:
		return damaged(fmt.Sprintf("%d bytes are less than a value has", len(b)))
	case b[0] != sealVersion && b[0] != deflatedVersion:
		return damaged(fmt.Sprintf("version %d of a value", b[0]))
	case binary.BigEndian.Uint32(b[1:]) != sum(shard, key, b):
		return damaged("its sum does not fit")
	}
	data := b[sealed:]
	if b[0] == deflatedVersion {
		var err error
		if data, err = inflated(data); err != nil {
			return damaged(err.Error())
		}
	}
	return Value{
		Data:   data,
		Number: int64(binary.BigEndian.Uint64(b[5:])),
		After:  int64(binary.BigEndian.Uint64(b[13:])),
	}, nil
}

// Chain unseals the values of one read and sees that each follows the one that it continues. Its zero value with Shard
// set is ready to use.
type Chain struct {
	Shard int
	last  int64
	key   Key
}

// Next is called for each key of the read, in order.
func (c *Chain) Next(key Key, b []byte) (Value, error) {
	if key <= c.key && c.last != 0 {
		return Value{}, &DamageError{c.Shard, key, fmt.Sprintf("it came after %q", c.key)}
	}
	v, err := Unseal(c.Shard, key, b)
	if err != nil {
		return Value{}, err
	}
	if v.After != 0 && v.After != c.last {
		return Value{}, &DamageError{c.Shard, key,
			fmt.Sprintf("value %d continues value %d, which is missing", v.Number, v.After)}
	}
	c.last, c.key = v.Number, key
	return v, nil
}
