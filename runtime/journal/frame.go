package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/fxamacker/cbor/v2"
)

// A frame is: four bytes of magic, the last of which is the version; the length of the payload, 4 bytes; CRC-32C of
// version, length and payload, 4 bytes; the payload, an [Entry] in CBOR. Integers are little-endian. A frame is found
// by its magic and believed by its checksum, so that what lies around it (the lengths of entries, damage) does not
// matter.
const (
	frameVersion = 1
	frameHeader  = 12
	// maxFrame bounds an entry: more in one is not written, and a length above it is damage.
	maxFrame = 64 << 20
	// maxGap is what a segment has between two entries: a length.
	maxGap = 10
)

var (
	magic      = []byte{0xED, 0xD7, 'J'}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// encoding writes what encoder leaves to the library.
var encoding = must(cbor.EncOptions{}.EncMode())

// decoding takes what Entry leaves room for and no more: a hostile file must not take memory that it does not have.
// Texts may have bytes that are no UTF-8, as headers have them, and a text may have been written as bytes (a cause).
var decoding = must(cbor.DecOptions{MaxNestedLevels: 8, MaxArrayElements: 1 << 20, MaxMapPairs: 1 << 16,
	DupMapKey: cbor.DupMapKeyEnforcedAPF, UTF8: cbor.UTF8DecodeInvalid,
	ByteStringToString: cbor.ByteStringToStringAllowed}.DecMode())

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // the options are constants
	}
	return v
}

// errTooLarge is the error of an entry above maxFrame.
var errTooLarge = errors.New("journal: the entry is larger than 64 MB")

// appendFrame appends e as a frame. With an error b is as it was.
func appendFrame(b []byte, e *Entry) ([]byte, error) {
	start := len(b)
	b = append(b, magic...)
	b = append(b, frameVersion)
	b = append(b, make([]byte, frameHeader-len(magic)-1)...)
	w := encoder{b}
	if err := w.entry(e); err != nil {
		return b[:start], err
	}
	frame := w.b[start:]
	n := len(frame) - frameHeader
	if n > maxFrame {
		return b[:start], errTooLarge
	}
	binary.LittleEndian.PutUint32(frame[4:], uint32(n))
	binary.LittleEndian.PutUint32(frame[8:], checksum(frame))
	return w.b, nil
}

func checksum(frame []byte) uint32 {
	sum := crc32.Update(0, castagnoli, frame[3:8])
	return crc32.Update(sum, castagnoli, frame[frameHeader:])
}

// nextFrame looks for the next frame of data. It returns how many bytes to go on after, and the frame's entry; skipped
// says how many bytes before it were no frame though they looked like one. With entry nil there is no whole frame yet:
// what is left after used bytes may become one.
func nextFrame(data []byte) (entry *Entry, used, skipped int, err error) {
	for {
		i := bytes.Index(data[used:], magic)
		gap := i
		if i < 0 {
			i = max(0, len(data)-used-len(magic)+1) // the beginning of a magic may stand at the end
			gap = i
		}
		if gap > maxGap {
			skipped++
			err = fmt.Errorf("%d bytes that are no entry", gap)
		}
		used += i
		if !bytes.HasPrefix(data[used:], magic) {
			return nil, used, skipped, err
		}
		frame := data[used:]
		if len(frame) < frameHeader {
			return nil, used, skipped, err
		}
		n := int(binary.LittleEndian.Uint32(frame[4:]))
		if n > maxFrame {
			used, skipped = used+len(magic), skipped+1
			err = fmt.Errorf("a length of %d bytes", n)
			continue
		}
		if len(frame)-frameHeader < n {
			// Either it is being written, or the length is damaged and whole frames follow.
			return nil, used, skipped, err
		}
		frame = frame[:frameHeader+n]
		if binary.LittleEndian.Uint32(frame[8:]) != checksum(frame) {
			used, skipped = used+len(magic), skipped+1
			err = errors.New("a checksum that is wrong")
			continue
		}
		if frame[3] != frameVersion {
			used, skipped = used+len(frame), skipped+1
			err = fmt.Errorf("version %d; this release reads %d", frame[3], frameVersion)
			continue
		}
		e := new(Entry)
		if decodeErr := decoding.Unmarshal(frame[frameHeader:], e); decodeErr != nil {
			used, skipped = used+len(frame), skipped+1
			err = decodeErr
			continue
		}
		if e.Delivery != nil {
			restoreCauses(e.Delivery.Messages)
		}
		return e, used + len(frame), skipped, err
	}
}
