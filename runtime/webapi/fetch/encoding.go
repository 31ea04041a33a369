package fetch

import (
	"bufio"
	"compress/gzip"
	"io"

	"github.com/andybalholm/brotli"

	"eddy/runtime/clock"
)

// decoded takes a content coding ("gzip" or "br") off a body. The decoder starts at the first read, so that an empty
// body is no error.
func decoded(r io.ReadCloser, coding string) io.ReadCloser { return &decoder{src: r, coding: coding} }

type decoder struct {
	src    io.ReadCloser
	coding string
	dec    io.Reader
	err    error
}

func (d *decoder) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.dec == nil {
		in := bufio.NewReader(d.src)
		if _, err := in.Peek(1); err != nil {
			d.err = err
			return 0, err
		}
		switch d.coding {
		case "gzip":
			if d.dec, d.err = gzip.NewReader(in); d.err != nil {
				return 0, d.err
			}
		default:
			d.dec = brotli.NewReader(in)
		}
	}
	n, err := d.dec.Read(p)
	d.err = err
	return n, err
}

// Attend implements [clock.Attended].
func (d *decoder) Attend() (leave func()) { return clock.Attend(d.src) }

// Close closes the body.
func (d *decoder) Close() error { return d.src.Close() }

// Encoder puts a content coding ("gzip" or "br") on what is written to w. Flush sends what has been written so far.
func Encoder(w io.Writer, coding string) interface {
	io.WriteCloser
	Flush() error
} {
	if coding == "br" {
		return brotli.NewWriterLevel(w, 5)
	}
	return gzip.NewWriter(w)
}
