package nodecompat

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/andybalholm/brotli"
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
)

// squeezer is a compressor under way: what it wrote is in buf.
type squeezer struct {
	buf bytes.Buffer
	w   interface {
		io.WriteCloser
		Flush() error
	}
}

// newSqueezer makes a compressor: gzip, deflate, deflateRaw or brotli. level is that of the format, -1 its default.
func newSqueezer(format string, level int, dictionary []byte) (*squeezer, error) {
	s := &squeezer{}
	var err error
	switch format {
	case "gzip":
		s.w, err = gzip.NewWriterLevel(&s.buf, level)
	case "deflate":
		s.w, err = zlib.NewWriterLevelDict(&s.buf, level, dictionary)
	case "deflateRaw":
		s.w, err = flate.NewWriterDict(&s.buf, level, dictionary)
	default:
		if level < 0 {
			level = 11
		}
		// Above 9 the encoder takes long for little; the output stays valid for every decoder.
		s.w = brotli.NewWriterLevel(&s.buf, min(level, 9))
	}
	return s, err
}

func (s *squeezer) take() []byte {
	out := bytes.Clone(s.buf.Bytes())
	s.buf.Reset()
	return out
}

func zlibError(name, text string) error { return bridge.Coded("Error", name, text) }

var (
	errZlibHeader = zlibError("Z_DATA_ERROR", "incorrect header check")
	errZlibEnd    = zlibError("Z_BUF_ERROR", "unexpected end of file")
	errZlibData   = zlibError("Z_DATA_ERROR", "invalid stored block lengths")
	errZlibCheck  = zlibError("Z_DATA_ERROR", "incorrect data check")
	errZlibDict   = zlibError("Z_NEED_DICT", "Missing dictionary")
	errZlibWrong  = zlibError("Z_DATA_ERROR", "Bad dictionary")
	errBrotli     = zlibError("ERR__ERROR_FORMAT_PADDING_1", "Decompression failed")
)

// expand decompresses all of in, up to limit bytes, until ctx ends. partial accepts input that breaks off.
func expand(ctx context.Context, format string, in, dictionary []byte, limit int, partial bool) ([]byte, error) {
	if format == "unzip" {
		format = "inflate"
		if len(in) > 1 && in[0] == 0x1f && in[1] == 0x8b {
			format = "gunzip"
		}
	}
	source := bufio.NewReader(bytes.NewReader(in))
	var r io.Reader
	var err error
	switch format {
	case "gunzip":
		if len(in) > 1 && (in[0] != 0x1f || in[1] != 0x8b) {
			return nil, errZlibHeader
		}
		r, err = gzip.NewReader(source)
	case "inflate":
		r, err = zlib.NewReaderDict(source, dictionary)
		if errors.Is(err, zlib.ErrDictionary) {
			if dictionary == nil {
				return nil, errZlibDict
			}
			return nil, errZlibWrong
		}
	case "inflateRaw":
		r = flate.NewReaderDict(source, dictionary)
	default:
		r = brotli.NewReader(source)
	}
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			if partial {
				return []byte{}, nil
			}
			return nil, errZlibEnd
		}
		return nil, errZlibHeader
	}
	if g, ok := r.(*gzip.Reader); ok {
		return expandMembers(ctx, g, source, limit, partial)
	}
	return drain(untilEnd{ctx, r}, limit, partial, format)
}

// expandMembers reads every member of a gzip file. It ignores bytes behind the last member.
func expandMembers(ctx context.Context, g *gzip.Reader, source *bufio.Reader, limit int, partial bool) ([]byte, error) {
	var all []byte
	for {
		g.Multistream(false)
		out, err := drain(untilEnd{ctx, g}, limit-len(all), partial, "gunzip")
		if err != nil {
			return nil, err
		}
		all = append(all, out...)
		head, _ := source.Peek(2)
		if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b || g.Reset(source) != nil {
			return all, nil
		}
	}
}

// untilEnd reads until ctx ends.
type untilEnd struct {
	ctx context.Context
	io.Reader
}

func (r untilEnd) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p[:min(len(p), 1<<20)])
}

func drain(r io.Reader, limit int, partial bool, format string) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(out) > limit {
		return nil, bridge.Coded(
			"RangeError", "ERR_BUFFER_TOO_LARGE", "Cannot create a Buffer larger than "+strconv.Itoa(limit)+" bytes")
	}
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		if partial {
			return out, nil
		}
		return nil, errZlibEnd
	case errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zlib.ErrChecksum):
		return nil, errZlibCheck
	case format == "brotliDecompress":
		return nil, errBrotli
	}
	return nil, errZlibData
}

// These functions compute for node:zlib.
var _ = register("zlib", func(h *host.Host) goja.Value {
	optional := func(v goja.Value) []byte {
		if goja.IsUndefined(v) || goja.IsNull(v) {
			return nil
		}
		return bridge.CopyBytes(h, v)
	}
	const largest = 1 << 31
	return bridge.Table(h, map[string]func(goja.FunctionCall) goja.Value{
		// compress(format, data, level, dictionary, callback)
		"compress": func(fc goja.FunctionCall) goja.Value {
			format, data := fc.Argument(0).String(), bridge.CopyBytes(h, fc.Argument(1))
			level, dictionary := bridge.Number(fc.Argument(2), -1), optional(fc.Argument(3))
			return bridge.Deliver(h, fc.Argument(4), func() ([]byte, error) {
				s, err := newSqueezer(format, level, dictionary)
				if err != nil {
					return nil, err
				}
				_, _ = s.w.Write(data)
				err = s.w.Close()
				return s.take(), err
			})
		},
		// expand(format, data, limit, partial, dictionary, callback)
		"expand": func(fc goja.FunctionCall) goja.Value {
			format, data := fc.Argument(0).String(), bridge.CopyBytes(h, fc.Argument(1))
			limit, partial, dictionary := bridge.Number(fc.Argument(2), largest), fc.Argument(3).ToBoolean(),
				optional(fc.Argument(4))
			ctx, done := context.WithCancel(context.Background())
			if goja.IsUndefined(fc.Argument(5)) {
				defer done() // an event that is ended waits no longer
			} else {
				context.AfterFunc(h.Scope().Context(), done)
			}
			return bridge.Deliver(h, fc.Argument(5), func() ([]byte, error) {
				return expand(ctx, format, data, dictionary, limit, partial)
			})
		},
		// squeezer(format, level, dictionary) is {write, flush, end}.
		"squeezer": func(fc goja.FunctionCall) goja.Value {
			s, err := newSqueezer(fc.Argument(0).String(), bridge.Number(fc.Argument(1), -1), optional(fc.Argument(2)))
			bridge.OrThrow(h, err)
			result := func(err error) goja.Value {
				bridge.OrThrow(h, err)
				return h.Realm.ArrayBuffer(s.take())
			}
			return bridge.Table(h, map[string]func(goja.FunctionCall) goja.Value{
				"write": func(fc goja.FunctionCall) goja.Value {
					_, err := s.w.Write(bridge.NeedBytes(h, fc.Argument(0)))
					return result(err)
				},
				"flush": func(goja.FunctionCall) goja.Value { return result(s.w.Flush()) },
				"end":   func(goja.FunctionCall) goja.Value { return result(s.w.Close()) },
			})
		},
		"crc32": func(fc goja.FunctionCall) goja.Value {
			return h.Runtime().ToValue(
				int64(crc32.Update(
					uint32(fc.Argument(1).ToInteger()), crc32.IEEETable, bridge.NeedBytes(h, fc.Argument(0)))))
		},
	})
})
