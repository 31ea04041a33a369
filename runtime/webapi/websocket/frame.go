package websocket

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
)

// opcodes of RFC 6455, section 5.2.
const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xa
)

// frameHeader is the head of a frame.
type frameHeader struct {
	fin, rsv1 bool
	opcode    byte
	masked    bool
	mask      [4]byte
	length    uint64
}

// errFrame is a breach of the framing rules.
func errFrame(text string) error { return &ProtocolError{Code: 1002, Description: text} }

// take reads n bytes, which stay as they are until the next read. An array to read them into would be allocated.
func take(r *bufio.Reader, n int) ([]byte, error) {
	b, err := r.Peek(n)
	if _, discard := r.Discard(len(b)); discard != nil {
		return nil, discard
	}
	if err == io.EOF && len(b) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// readHeader reads the head of the next frame. compressed says that RSV1 has a meaning.
func readHeader(r *bufio.Reader, compressed bool) (h frameHeader, err error) {
	b, err := take(r, 2)
	if err != nil {
		return h, err
	}
	h.fin, h.rsv1, h.opcode, h.masked = b[0]&0x80 != 0, b[0]&0x40 != 0, b[0]&0x0f, b[1]&0x80 != 0
	if b[0]&0x30 != 0 || h.rsv1 && !compressed {
		return h, errFrame("RSV bits must be 0")
	}
	h.length = uint64(b[1] & 0x7f)
	control := h.opcode >= 8
	switch {
	case control && (h.length > 125 || !h.fin):
		return h, errFrame("Control frames must be short and not fragmented")
	case h.opcode > opBinary && h.opcode < opClose || h.opcode > opPong:
		return h, errFrame("Unknown opcode")
	case control && h.rsv1:
		return h, errFrame("Control frames must not be compressed")
	}
	switch h.length {
	case 126:
		if b, err = take(r, 2); err != nil {
			return h, cut(err)
		}
		h.length = uint64(binary.BigEndian.Uint16(b))
	case 127:
		if b, err = take(r, 8); err != nil {
			return h, cut(err)
		}
		if h.length = binary.BigEndian.Uint64(b); h.length>>63 != 0 {
			return h, errFrame("Frame length is negative")
		}
	}
	if h.masked {
		if b, err = take(r, 4); err != nil {
			return h, cut(err)
		}
		h.mask = [4]byte(b)
	}
	return h, nil
}

// cut turns an end inside a frame into an unexpected end.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// appendFrame appends a frame that is not fragmented; the payload is masked when mask is set, as clients must.
func appendFrame(b []byte, opcode byte, rsv1, mask bool, payload []byte) []byte {
	first := 0x80 | opcode
	if rsv1 {
		first |= 0x40
	}
	second := byte(0)
	if mask {
		second = 0x80
	}
	switch n := len(payload); {
	case n < 126:
		b = append(b, first, second|byte(n))
	case n < 1<<16:
		b = append(b, first, second|126)
		b = binary.BigEndian.AppendUint16(b, uint16(n))
	default:
		b = append(b, first, second|127)
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	if !mask {
		return append(b, payload...)
	}
	var key [4]byte
	binary.LittleEndian.PutUint32(key[:], rand.Uint32())
	b = append(b, key[:]...)
	start := len(b)
	b = append(b, payload...)
	unmask(b[start:], key, 0)
	return b
}

// unmask applies a mask to bytes that begin at offset pos of the payload.
func unmask(b []byte, key [4]byte, pos int) {
	i := 0
	if pos&3 == 0 {
		k := uint64(binary.LittleEndian.Uint32(key[:]))
		k |= k << 32
		for ; i+8 <= len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], binary.LittleEndian.Uint64(b[i:])^k)
		}
	}
	for ; i < len(b); i++ {
		b[i] ^= key[(pos+i)&3]
	}
}
