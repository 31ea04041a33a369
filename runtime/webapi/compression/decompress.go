package compression

import (
	"encoding/binary"
	"errors"
	"hash"
	"hash/adler32"
	"hash/crc32"

	"github.com/dop251/goja"
)

// The platform's texts (RT: strict_compression_checks).
const (
	failedText     = "Decompression failed."
	trailingText   = "Trailing bytes after end of compressed data"
	incompleteText = "Called close() on a decompression stream with incomplete data"
)

var (
	errBad  = errors.New("malformed compressed data")
	errMore = errors.New("more input is needed")
)

// container is what a format puts around the compressed data.
type container struct {
	// header is how long the header at the start of b is; errMore when b ends inside it.
	header func(b []byte) (int, error)
	// trailer is the length of the trailer; check compares it with the checksum and the length of the output.
	trailer int
	check   func(b []byte, sum uint32, size uint64) bool
	sum     hash.Hash32
}

// containers make the container of each format.
var containers = map[string]func() container{
	"gzip": func() container {
		return container{
			header: gzipHeader, trailer: 8, sum: crc32.NewIEEE(), check: func(b []byte, sum uint32, size uint64) bool {
				return binary.LittleEndian.Uint32(b) == sum && binary.LittleEndian.Uint32(b[4:]) == uint32(size)
			}}
	},
	"deflate": func() container {
		return container{
			header: zlibHeader, trailer: 4, sum: adler32.New(), check: func(b []byte, sum uint32, _ uint64) bool {
				return binary.BigEndian.Uint32(b) == sum
			}}
	},
	"deflate-raw": func() container {
		return container{
			header: func([]byte) (int, error) { return 0, nil },
			check:  func([]byte, uint32, uint64) bool { return true },
		}
	},
}

// gzipHeader follows RFC 1952, 2.3.
func gzipHeader(b []byte) (int, error) {
	for i, want := range []byte{0x1f, 0x8b, 8} {
		if i < len(b) && b[i] != want {
			return 0, errBad
		}
	}
	if len(b) < 10 {
		return 0, errMore
	}
	flags, n := b[3], 10
	if flags&0xe0 != 0 {
		return 0, errBad
	}
	if flags&4 != 0 { // an extra field
		if len(b) < n+2 {
			return 0, errMore
		}
		n += 2 + int(binary.LittleEndian.Uint16(b[n:]))
	}
	for _, zeroEnded := range []byte{8, 16} { // the name and the comment
		if flags&zeroEnded == 0 {
			continue
		}
		for {
			if n >= len(b) {
				return 0, errMore
			}
			n++
			if b[n-1] == 0 {
				break
			}
		}
	}
	if flags&2 != 0 { // a checksum of the header
		if len(b) < n+2 {
			return 0, errMore
		}
		if uint16(crc32.ChecksumIEEE(b[:n])) != binary.LittleEndian.Uint16(b[n:]) {
			return 0, errBad
		}
		n += 2
	}
	if len(b) < n {
		return 0, errMore
	}
	return n, nil
}

// zlibHeader follows RFC 1950, 2.2. A preset dictionary is an error, because nobody can give one.
func zlibHeader(b []byte) (int, error) {
	if len(b) > 0 && (b[0]&0x0f != 8 || b[0]>>4 > 7) {
		return 0, errBad
	}
	if len(b) < 2 {
		return 0, errMore
	}
	if (uint(b[0])<<8|uint(b[1]))%31 != 0 || b[1]&0x20 != 0 {
		return 0, errBad
	}
	return 2, nil
}

// phase is how far a decompressor has come.
type phase int

const (
	inHeader phase = iota
	inData
	inTrailer
	finished
)

// decompressor implements streams.Transform.
type decompressor struct {
	container container
	// fail makes the TypeError that the stream fails with.
	fail func(format string, args ...any) *goja.Object

	phase phase
	// pending is the start of a header or a trailer whose rest has not come yet.
	pending []byte
	inflate inflater
	size    uint64
}

// Transform implements streams.Transform.
func (d *decompressor) Transform(chunk []byte) ([]byte, error) {
	out, trailing, err := d.feed(chunk)
	switch {
	case err != nil:
		panic(goja.Value(d.fail(failedText)))
	case trailing:
		panic(goja.Value(d.fail(trailingText)))
	}
	return out, nil
}

// Flush implements streams.Transform.
func (d *decompressor) Flush() ([]byte, error) {
	if d.phase != finished {
		panic(goja.Value(d.fail(incompleteText)))
	}
	return nil, nil
}

// feed takes the next input. trailing tells that something came after the end.
func (d *decompressor) feed(in []byte) (out []byte, trailing bool, err error) {
	if d.phase == inHeader {
		d.pending = append(d.pending, in...)
		n, err := d.container.header(d.pending)
		if errors.Is(err, errMore) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		in, d.pending = d.pending[n:], nil
		d.phase = inData
	}
	if d.phase == inData {
		out, in, err = d.inflate.feed(in)
		if err != nil {
			return nil, false, err
		}
		d.size += uint64(len(out))
		if d.container.sum != nil {
			_, _ = d.container.sum.Write(out) // never fails
		}
		if !d.inflate.done() {
			return out, false, nil
		}
		d.phase = inTrailer
	}
	if d.phase == inTrailer {
		n := min(d.container.trailer-len(d.pending), len(in))
		d.pending = append(d.pending, in[:n]...)
		in = in[n:]
		if len(d.pending) < d.container.trailer {
			return out, false, nil
		}
		var sum uint32
		if d.container.sum != nil {
			sum = d.container.sum.Sum32()
		}
		if !d.container.check(d.pending, sum, d.size) {
			return nil, false, errBad
		}
		d.phase = finished
	}
	return out, len(in) > 0, nil
}
