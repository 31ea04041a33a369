package compression

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"sync"
)

// resetter is what the standard library's three writers have in common.
type resetter interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// A writer of the library holds more than half a megabyte, so a finished one is used again.
var pools = map[string]*sync.Pool{
	"gzip":    {New: func() any { return gzip.NewWriter(nil) }},
	"deflate": {New: func() any { return zlib.NewWriter(nil) }},
	"deflate-raw": {New: func() any {
		w, err := flate.NewWriter(nil, flate.DefaultCompression)
		if err != nil {
			panic(err)
		}
		return w
	}},
}

// unixOS is the gzip header's operating system, as zlib writes it on the platform.
const unixOS = 3

// compressor implements streams.Transform.
type compressor struct {
	pool *sync.Pool
	w    resetter
	out  bytes.Buffer
}

func newCompressor(format string) *compressor {
	c := &compressor{pool: pools[format]}
	c.w = c.pool.Get().(resetter)
	c.w.Reset(&c.out)
	if g, ok := c.w.(*gzip.Writer); ok {
		g.OS = unixOS
	}
	return c
}

// Transform implements streams.Transform.
func (c *compressor) Transform(chunk []byte) ([]byte, error) {
	if _, err := c.w.Write(chunk); err != nil {
		return nil, err
	}
	return c.take(), nil
}

// Flush implements streams.Transform.
func (c *compressor) Flush() ([]byte, error) {
	if err := c.w.Close(); err != nil {
		return nil, err
	}
	c.pool.Put(c.w)
	c.w = nil
	return c.take(), nil
}

func (c *compressor) take() []byte {
	if c.out.Len() == 0 {
		return nil
	}
	b := append([]byte(nil), c.out.Bytes()...)
	c.out.Reset()
	return b
}
