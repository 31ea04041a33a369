package logstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A frame, little-endian:
//
//	 0  2  magic 0xED 0x1F
//	 2  1  version, 1
//	 3  1  kind
//	 4  4  length of the payload
//	 8  8  sequence number, one more than the frame before, across segments
//	16  4  synced: how much of this file was known to be durable when the frame was written
//	20  4  CRC-32C over bytes 0..20 and the payload
//	24     payload
const (
	frameHeader  = 24
	frameVersion = 1
	magic0       = 0xED
	magic1       = 0x1F
	// maxPayload bounds the payload of a frame, so that a damaged length does not make a reader allocate gigabytes. A
	// group of the broker is far smaller.
	maxPayload = 256 << 20
)

// Kinds of frames. Numbers are only ever added.
const (
	kindSegment     = 1 // first frame of a segment; payload: its number, 4 bytes
	kindGroup       = 2
	kindSnapshot    = 3 // a piece of a snapshot
	kindSnapshotEnd = 4 // last frame of a snapshot; payload: number of pieces, 8 bytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the CRC-32C used by frames, for callers that keep one beside a [Ref].
func Checksum(p []byte) uint32 { return crc32.Checksum(p, castagnoli) }

type frame struct {
	kind    byte
	seq     uint64
	synced  uint32
	payload []byte
}

// appendFrame appends the encoded frame to dst.
func appendFrame(dst []byte, f frame) []byte {
	start := len(dst)
	dst = append(dst, magic0, magic1, frameVersion, f.kind)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(f.payload)))
	dst = binary.LittleEndian.AppendUint64(dst, f.seq)
	dst = binary.LittleEndian.AppendUint32(dst, f.synced)
	sum := crc32.Update(Checksum(dst[start:]), castagnoli, f.payload)
	dst = binary.LittleEndian.AppendUint32(dst, sum)
	return append(dst, f.payload...)
}

var (
	errShort   = errors.New("the file ends inside a frame")
	errMagic   = errors.New("no frame starts here")
	errVersion = errors.New("unknown frame version")
	errSum     = errors.New("checksum does not match")
)

// parseFrame reads the frame at the start of p and its size on disk. The payload points into p.
func parseFrame(p []byte) (frame, int, error) {
	if len(p) < frameHeader {
		if len(p) >= 2 && (p[0] != magic0 || p[1] != magic1) {
			return frame{}, 0, errMagic
		}
		return frame{}, 0, errShort
	}
	if p[0] != magic0 || p[1] != magic1 {
		return frame{}, 0, errMagic
	}
	n := binary.LittleEndian.Uint32(p[4:])
	if n > maxPayload || int64(frameHeader)+int64(n) > int64(len(p)) {
		return frame{}, 0, errShort
	}
	payload := p[frameHeader : frameHeader+int(n)]
	if crc32.Update(Checksum(p[:20]), castagnoli, payload) != binary.LittleEndian.Uint32(p[20:]) {
		return frame{}, 0, errSum
	}
	if p[2] != frameVersion {
		// The checksum holds, so this was written on purpose by another release.
		return frame{}, 0, fmt.Errorf("%w %d (this release reads %d)", errVersion, p[2], frameVersion)
	}
	return frame{
			kind:    p[3],
			seq:     binary.LittleEndian.Uint64(p[8:]),
			synced:  binary.LittleEndian.Uint32(p[16:]),
			payload: payload,
		}, frameHeader + int(
			n,
		), nil
}

// CorruptError says that data which had been durable does not read back.
type CorruptError struct {
	File   string
	Offset int64
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf(
		"%s is damaged at offset %d: %s; eddy state check says what is lost, eddy state repair goes on without it "+
			"and keeps the files aside, or restore the file from a copy",
		e.File,
		e.Offset,
		e.Reason,
	)
}
