package regexp

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// result makes the array that exec returns.
func (e *engine) result(own *ownPattern, s goja.String, caps []int32) *goja.Object {
	vals := e.captures(s, caps)
	groups := goja.Undefined()
	if own.prog.Named() {
		groups = e.namedGroups(own, func(i int) goja.Value { return vals[i] }, caps)
	}
	a := e.In.NewMatch(e.Runtime, vals, int(caps[0]), s, groups)
	if own.prog.Flags.HasIndices {
		pairs := make([]any, len(caps)/2)
		for i := range pairs {
			pairs[i] = e.indexPair(caps, i)
		}
		ind := e.Runtime.NewArray(pairs...)
		groups := goja.Undefined()
		if own.prog.Named() {
			groups = e.namedGroups(own, func(i int) goja.Value { return pairs[i].(goja.Value) }, caps)
		}
		builtin.Must(ind.DefineDataProperty("groups", groups, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
		builtin.Must(a.DefineDataProperty("indices", ind, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	}
	return a
}

// captures are what the pattern and its groups have matched.
func (e *engine) captures(s goja.String, caps []int32) []goja.Value {
	if _, ok := e.In.BytesInASCII(s); ok || e.subject(s).wide == nil {
		return e.In.Parts(s.String(), caps)
	}
	vals := make([]goja.Value, len(caps)/2)
	for i := range vals {
		vals[i] = capture(s, caps, i)
	}
	return vals
}

func capture(s goja.String, caps []int32, i int) goja.Value {
	if caps[2*i] < 0 {
		return goja.Undefined()
	}
	return s.Substring(int(caps[2*i]), int(caps[2*i+1]))
}

func (e *engine) indexPair(caps []int32, i int) goja.Value {
	if caps[2*i] < 0 {
		return goja.Undefined()
	}
	return e.Runtime.NewArray(int(caps[2*i]), int(caps[2*i+1]))
}

// namedGroups makes the groups object; of several groups with one name the one that took part counts.
func (e *engine) namedGroups(own *ownPattern, value func(int) goja.Value, caps []int32) goja.Value {
	o := e.Runtime.CreateObject(nil)
	done := map[string]bool{}
	for i, name := range own.prog.Names {
		if name == "" || done[name] && caps[2*i] < 0 {
			continue
		}
		done[name] = true
		builtin.Must(o.DefineDataProperty(name, value(i), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	}
	return o
}

// replacing is a text under replacement, with what is written of it.
type replacing interface {
	// piece writes what a text has between two places.
	piece(text goja.String, from, to int)
}

// wideText is written whatever it has in it.
type wideText struct{ *goja.StringBuilder }

func (w wideText) piece(text goja.String, from, to int) { w.WriteSubstring(text, from, to) }

// asciiText is written of texts in ASCII.
type asciiText struct{ *strings.Builder }

func (w asciiText) piece(text goja.String, from, to int) { w.WriteString(text.String()[from:to]) }

// substitution is GetSubstitution: what a replacement template stands for. It returns the length of that.
func (e *engine) substitution(
	out replacing, template, s goja.String, position, end int, group func(int) goja.Value, groups int,
	named *goja.Object) (length int) {
	write := func(text goja.String, from, to int) {
		if from < to {
			out.piece(text, from, to)
			length += to - from
		}
	}
	whole := func(v goja.Value) {
		if v != nil && !goja.IsUndefined(v) {
			text := e.ToString(v)
			write(text, 0, text.Length())
		}
	}
	size := template.Length()
	digit := func(i int) int {
		if i < size {
			if c := template.CharAt(i); c >= '0' && c <= '9' {
				return int(c - '0')
			}
		}
		return -1
	}
	at := 0 // what is before has been written
	for i := 0; i+1 < size; i++ {
		if template.CharAt(i) != '$' {
			continue
		}
		next := i + 2
		switch c := template.CharAt(i + 1); {
		case c == '$':
			write(template, at, i+1)
		case c == '&':
			write(template, at, i)
			write(s, position, end)
		case c == '`':
			write(template, at, i)
			write(s, 0, position)
		case c == '\'':
			write(template, at, i)
			write(s, end, s.Length())
		case c >= '0' && c <= '9':
			n := digit(i + 1)
			if d := digit(i + 2); d >= 0 {
				if two := n*10 + d; two >= 1 && two < groups {
					n, next = two, i+3
				}
			}
			if n < 1 || n >= groups {
				continue
			}
			write(template, at, i)
			whole(group(n))
		case c == '<' && named != nil:
			for next < size && template.CharAt(next) != '>' {
				next++
			}
			if next == size {
				continue
			}
			write(template, at, i)
			whole(named.Get(template.Substring(i+2, next).String()))
			next++
		default:
			continue
		}
		at, i = next, next-1
	}
	write(template, at, size)
	return length
}

// escapeSource is EscapeRegExpPattern: the source as it can stand between slashes.
func escapeSource(u []uint16) []uint16 {
	if len(u) == 0 {
		return []uint16{'(', '?', ':', ')'}
	}
	out := make([]uint16, 0, len(u))
	inClass := false
	for i := 0; i < len(u); i++ {
		c := u[i]
		if c == '\\' && i+1 < len(u) {
			i++
			if t := lineEscape(u[i]); t != "" {
				out = append(out, ascii(t)...)
				continue
			}
			out = append(out, c, u[i])
			continue
		}
		switch c {
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '/':
			if !inClass {
				out = append(out, '\\')
			}
		}
		if t := lineEscape(c); t != "" {
			out = append(out, ascii(t)...)
			continue
		}
		out = append(out, c)
	}
	return out
}

func lineEscape(c uint16) string {
	switch c {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case 0x2028, 0x2029:
		return `\u` + strconv.FormatInt(int64(c), 16)
	}
	return ""
}

func ascii(s string) []uint16 {
	out := make([]uint16, len(s))
	for i := range out {
		out[i] = uint16(s[i])
	}
	return out
}

// escapeText is RegExp.escape.
func escapeText(u []uint16) []uint16 {
	const hex = "0123456789abcdef"
	var out []uint16
	x := func(c uint16) {
		if c > 0xFF {
			out = append(out, '\\', 'u', uint16(hex[c>>12]), uint16(hex[c>>8&15]), uint16(hex[c>>4&15]),
				uint16(hex[c&15]))
			return
		}
		out = append(out, '\\', 'x', uint16(hex[c>>4]), uint16(hex[c&15]))
	}
	for i, c := range u {
		high, low := c&0xFC00 == 0xD800, c&0xFC00 == 0xDC00
		switch {
		case i == 0 && (c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'):
			x(c)
		case c < 0x80 && strings.IndexByte("^$\\.*+?()[]{}|/", byte(c)) >= 0:
			out = append(out, '\\', c)
		case c == '\t', c == '\n', c == '\v', c == '\f', c == '\r':
			out = append(out, '\\', uint16("tnvfr"[c-9]))
			if c != '\t' && c != '\n' {
				out[len(out)-1] = map[uint16]uint16{'\v': 'v', '\f': 'f', '\r': 'r'}[c]
			}
		case c < 0x80 && strings.IndexByte(",-=<>#&!%:;@~'`\"", byte(c)) >= 0, c == ' ', c == 0xA0, c == 0x1680,
			c >= 0x2000 && c <= 0x200A, c == 0x2028, c == 0x2029, c == 0x202F, c == 0x205F, c == 0x3000, c == 0xFEFF:
			x(c)
		case high && (i+1 >= len(u) || u[i+1]&0xFC00 != 0xDC00), low && (i == 0 || u[i-1]&0xFC00 != 0xD800):
			x(c)
		default:
			out = append(out, c)
		}
	}
	return out
}
