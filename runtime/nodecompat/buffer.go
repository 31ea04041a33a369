package nodecompat

import (
	"bytes"
	"unicode/utf8"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
)

// These parts of Buffer touch every byte.
var _ = register("buffer", func(h *host.Host) goja.Value {
	rt := h.Runtime()
	// encoding is the charset of an argument; JavaScript has checked names before, undefined is UTF-8.
	encoding := func(v goja.Value) charset {
		if goja.IsUndefined(v) || goja.IsNull(v) {
			return charsetUTF8
		}
		c, ok := charsetOf(v.String())
		if !ok {
			bridge.ThrowCode(h, "TypeError", "ERR_UNKNOWN_ENCODING", "Unknown encoding: "+v.String())
		}
		return c
	}
	window := func(v goja.Value) []byte { return bridge.NeedBytes(h, v) }
	boolean := func(b bool) goja.Value { return rt.ToValue(b) }
	o := bridge.Table(h, map[string]func(goja.FunctionCall) goja.Value{
		"fromString": func(fc goja.FunctionCall) goja.Value {
			text, c := bridge.Text(fc.Argument(0)), encoding(fc.Argument(1))
			h.Realm.Need(3 * text.Length())
			return h.Realm.ArrayBuffer(c.encode(text))
		},
		"byteLength": func(fc goja.FunctionCall) goja.Value {
			return rt.ToValue(encoding(fc.Argument(1)).byteLength(bridge.Text(fc.Argument(0))))
		},
		// toString(buffer, encoding, start, end)
		"toString": func(fc goja.FunctionCall) goja.Value {
			b := window(fc.Argument(0))
			start := bridge.Clamp(bridge.Number(fc.Argument(2), 0), 0, len(b))
			end := bridge.Clamp(bridge.Number(fc.Argument(3), len(b)), start, len(b))
			h.Realm.Need(4 * (end - start)) // a text beyond ASCII in two bytes a unit, and as UTF-8 before
			return encoding(fc.Argument(1)).decode(rt, b[start:end])
		},
		// write(buffer, string, offset, length, encoding): only whole characters are written.
		"write": func(fc goja.FunctionCall) goja.Value {
			b := window(fc.Argument(0))
			offset := bridge.Clamp(bridge.Number(fc.Argument(2), 0), 0, len(b))
			room := bridge.Clamp(bridge.Number(fc.Argument(3), len(b)-offset), 0, len(b)-offset)
			c := encoding(fc.Argument(4))
			text := bridge.Text(fc.Argument(1))
			h.Realm.Need(3 * text.Length())
			data := c.encode(text)
			if len(data) > room {
				data = data[:room]
				switch c {
				case charsetUTF8:
					data = wholeCharacters(data)
				case charsetUTF16:
					data = data[:room&^1]
				}
			}
			return rt.ToValue(copy(b[offset:], data))
		},
		"compare": func(fc goja.FunctionCall) goja.Value {
			return rt.ToValue(bytes.Compare(window(fc.Argument(0)), window(fc.Argument(1))))
		},
		"equals": func(fc goja.FunctionCall) goja.Value {
			return boolean(bytes.Equal(window(fc.Argument(0)), window(fc.Argument(1))))
		},
		// copy(source, target, targetStart, sourceStart, sourceEnd)
		"copy": func(fc goja.FunctionCall) goja.Value {
			src, dst := window(fc.Argument(0)), window(fc.Argument(1))
			at := bridge.Clamp(bridge.Number(fc.Argument(2), 0), 0, len(dst))
			start := bridge.Clamp(bridge.Number(fc.Argument(3), 0), 0, len(src))
			end := bridge.Clamp(bridge.Number(fc.Argument(4), len(src)), start, len(src))
			return rt.ToValue(copy(dst[at:], src[start:end]))
		},
		// fill(buffer, pattern, start, end)
		"fill": func(fc goja.FunctionCall) goja.Value {
			b, pattern := window(fc.Argument(0)), window(fc.Argument(1))
			start := bridge.Clamp(bridge.Number(fc.Argument(2), 0), 0, len(b))
			b = b[start:bridge.Clamp(bridge.Number(fc.Argument(3), len(b)), start, len(b))]
			if len(pattern) > 0 {
				for n := copy(b, pattern); n < len(b); n *= 2 {
					copy(b[n:], b[:n])
				}
			}
			return goja.Undefined()
		},
		// search(buffer, needle bytes, offset, forward, step): step 2 finds UTF-16 units only at even distances.
		"search": func(fc goja.FunctionCall) goja.Value {
			return rt.ToValue(
				search(window(fc.Argument(0)), window(fc.Argument(1)), bridge.Number(fc.Argument(2), 0),
					fc.Argument(3).ToBoolean(), bridge.Number(fc.Argument(4), 1)))
		},
		"swap": func(fc goja.FunctionCall) goja.Value {
			b, n := window(fc.Argument(0)), bridge.Number(fc.Argument(1), 2)
			for i := 0; i+n <= len(b); i += n {
				for j := 0; j < n/2; j++ {
					b[i+j], b[i+n-1-j] = b[i+n-1-j], b[i+j]
				}
			}
			return goja.Undefined()
		},
		"isUtf8":  func(fc goja.FunctionCall) goja.Value { return boolean(utf8.Valid(window(fc.Argument(0)))) },
		"isAscii": func(fc goja.FunctionCall) goja.Value { return boolean(isASCII(window(fc.Argument(0)))) },
		"transcode": func(fc goja.FunctionCall) goja.Value {
			h.Realm.Need(4 * len(window(fc.Argument(0))))
			return h.Realm.ArrayBuffer(
				transcode(window(fc.Argument(0)), encoding(fc.Argument(1)), encoding(fc.Argument(2))))
		},
		// concat(list, total): bytes past the end are cut, what is missing is zero.
		"concat": func(fc goja.FunctionCall) goja.Value {
			list := fc.Argument(0).ToObject(rt)
			total := bridge.Number(fc.Argument(1), 0)
			h.Realm.Need(total)
			out := make([]byte, total)
			at := 0
			rt.ForOf(list, func(v goja.Value) bool {
				at += copy(out[at:], window(v))
				return true
			})
			return h.Realm.ArrayBuffer(out)
		},
		// incomplete(buffer) is how many bytes at the end begin a UTF-8 character that is not whole.
		"incomplete": func(fc goja.FunctionCall) goja.Value {
			b := window(fc.Argument(0))
			return rt.ToValue(len(b) - len(wholePrefix(b)))
		},
	})
	numbers(h, o)
	return o
})

// wholeCharacters cuts a character that breaks off at the end of well-formed text.
func wholeCharacters(b []byte) []byte {
	for i := 1; i <= min(3, len(b)); i++ {
		x := b[len(b)-i]
		if utf8.RuneStart(x) {
			if n := sequenceLength(x); n > i {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// wholePrefix cuts the start of a character at the end of any bytes, when it can still become whole.
func wholePrefix(b []byte) []byte {
	for i := 1; i <= min(3, len(b)); i++ {
		tail := b[len(b)-i:]
		if n := sequenceLength(tail[0]); n > 0 {
			if n > i && truncated(tail) == i {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// search finds needle in b from offset on, forward or backward.
func search(b, needle []byte, offset int, forward bool, step int) int {
	if offset < 0 {
		offset += len(b)
		if offset < 0 {
			if !forward {
				return -1
			}
			offset = 0
		}
	}
	if len(needle) == 0 {
		return min(offset, len(b))
	}
	if forward {
		for offset <= len(b)-len(needle) {
			i := bytes.Index(b[offset:], needle)
			if i < 0 {
				return -1
			}
			if (offset+i)%step == 0 {
				return offset + i
			}
			offset += i + 1
		}
		return -1
	}
	end := min(offset, len(b)-len(needle)) + len(needle)
	for end >= len(needle) {
		i := bytes.LastIndex(b[:end], needle)
		if i < 0 || i%step == 0 {
			return i
		}
		end = i + len(needle) - 1
	}
	return -1
}
