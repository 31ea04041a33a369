package json

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// fastParser reads JSON in UTF-8 that has no mistakes and no halves of surrogate pairs. At the first thing that it does
// not know it gives up; the other parser then begins anew, and knows what is wrong and where.
type fastParser struct {
	e     *engine
	in    *gojainternals.Layout
	src   string
	pos   int
	depth int
	made  int // values that were begun
	share bool
	names map[string]gojainternals.Name // of properties
	// like has, for each depth, the names of the object that was read last: the next one has mostly the same. escaped
	// tells that a name was written with escapes, so that others may not look like it.
	like    [16][]gojainternals.Name
	escaped bool
	buf     []byte
	items   []goja.Value // of the arrays and objects that are being read
}

// parse is the value of a text; ok is false if the other parser must read it.
func (e *engine) parseFast(text string) (v goja.Value, ok bool) {
	p := &fastParser{e: e, in: e.In, src: text, share: len(text) <= sharedText}
	v = p.value()
	if v == nil {
		return nil, false
	}
	p.space()
	return v, p.pos == len(p.src)
}

func (p *fastParser) space() {
	for p.pos < len(p.src) {
		if c := p.src[p.pos]; c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return
		}
		p.pos++
	}
}

// next skips spaces and one character. It reports false if it is not c.
func (p *fastParser) next(c byte) bool {
	if p.pos < len(p.src) && p.src[p.pos] <= ' ' {
		p.space()
	}
	if p.pos < len(p.src) && p.src[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// value is nil for what the parser does not know.
func (p *fastParser) value() goja.Value {
	if p.made++; p.made%pollEvery == 0 {
		p.e.Reserve(pollEvery * valueSize)
	}
	p.space()
	if p.pos >= len(p.src) {
		return nil
	}
	switch p.src[p.pos] {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.text()
	case 't':
		return p.word("true", p.in.Truth(true))
	case 'f':
		return p.word("false", p.in.Truth(false))
	case 'n':
		return p.word("null", goja.Null())
	}
	return p.number()
}

func (p *fastParser) word(w string, v goja.Value) goja.Value {
	if len(p.src)-p.pos < len(w) || p.src[p.pos:p.pos+len(w)] != w {
		return nil
	}
	p.pos += len(w)
	return v
}

func (p *fastParser) object() goja.Value {
	if p.depth++; p.depth > jsonMaxDepth {
		return nil
	}
	p.pos++
	if p.next('}') {
		p.depth--
		return p.in.NewRecord(p.e.Runtime).Object
	}
	depth, begin := p.depth, len(p.items)
	shape := p.e.shapes.At(depth)
	var like []gojainternals.Name
	if shape != nil {
		like = shape.Names()
	} else if depth < len(p.like) {
		like = p.like[depth]
	}
	var o gojainternals.Record
	if shape == nil {
		o = p.in.NewRecord(p.e.Runtime)
	}
	for i := 0; ; i++ {
		if !p.next('"') {
			return nil
		}
		name, ok := p.name(like, i)
		if !ok || !p.next(':') {
			return nil
		}
		v := p.value()
		if v == nil {
			return nil
		}
		if shape != nil && (i == len(like) || name != like[i]) {
			shape = nil
			o = p.record(like, begin)
		}
		if shape != nil {
			p.items = append(p.items, v)
		} else {
			o.Put(name, v, len(like))
		}
		if p.next(',') {
			p.space()
			continue
		}
		if !p.next('}') {
			return nil
		}
		p.depth--
		if shape != nil && i+1 == len(like) {
			made := p.in.Shaped(p.e.Runtime, shape, p.items[begin:])
			p.forget(begin)
			p.e.shapes.Hit(depth)
			return made
		}
		if shape != nil {
			o = p.record(like, begin)
		}
		if depth < len(p.like) {
			p.like[depth] = o.Names()
		}
		p.e.shapes.Learn(p.in, depth, o.Names())
		return o.Object
	}
}

// record makes an object of the values from begin on, which is none of the shape whose names they have.
func (p *fastParser) record(names []gojainternals.Name, begin int) gojainternals.Record {
	o := p.in.NewRecord(p.e.Runtime)
	for i, v := range p.items[begin:] {
		o.Put(names[i], v, len(names))
	}
	p.forget(begin)
	return o
}

// forget takes the items from begin on away.
func (p *fastParser) forget(begin int) {
	clear(p.items[begin:])
	p.items = p.items[:begin]
}

// name reads the name of a property behind its quotation mark; like has the names of the object before.
func (p *fastParser) name(like []gojainternals.Name, i int) (name gojainternals.Name, ok bool) {
	if i < len(like) && !p.escaped {
		l := string(like[i])
		if end := p.pos + len(l); end < len(p.src) && p.src[end] == '"' && p.src[p.pos:end] == l {
			p.pos = end + 1
			return like[i], true
		}
	}
	s, _, ok := p.scan()
	if !ok {
		return "", false
	}
	p.escaped = p.escaped || len(p.buf) > 0
	if name, known := p.names[s]; known {
		return name, true
	}
	s = strings.Clone(s)
	name = gojainternals.NameOf(s)
	if p.names == nil {
		p.names = map[string]gojainternals.Name{}
	}
	if len(p.names) < manyNames {
		p.names[s] = name
	}
	return name, true
}

// scan reads a text behind its quotation mark. What it gives is part of the source or of the buffer, which the next one
// uses again. wide tells that it has something beyond ASCII.
func (p *fastParser) scan() (s string, wide, ok bool) {
	p.buf = p.buf[:0]
	from := p.pos
	bits := byte(0)
	for i := from; i < len(p.src); i++ {
		c := p.src[i]
		if c == '"' {
			p.pos = i + 1
			return p.src[from:i], bits >= utf8.RuneSelf, true
		}
		if c == '\\' {
			p.buf = append(p.buf[:0], p.src[from:i]...)
			p.pos = i
			if !p.unescape() {
				return "", false, false
			}
			for _, c := range p.buf {
				bits |= c
			}
			return gojainternals.TextOf(p.buf), bits >= utf8.RuneSelf, true
		}
		if c < ' ' {
			return "", false, false
		}
		bits |= c
	}
	return "", false, false
}

// unescape reads the rest of a text with escapes into the buffer, from the first backslash.
func (p *fastParser) unescape() bool {
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		switch {
		case c == '"':
			p.pos++
			return true
		case c < ' ':
			return false
		case c != '\\':
			from := p.pos
			for p.pos < len(p.src) && p.src[p.pos] >= ' ' && p.src[p.pos] != '"' && p.src[p.pos] != '\\' {
				p.pos++
			}
			p.buf = append(p.buf, p.src[from:p.pos]...)
		default:
			if p.pos += 2; p.pos > len(p.src) || !p.escape(p.src[p.pos-1]) {
				return false
			}
		}
	}
	return false
}

func (p *fastParser) escape(c byte) bool {
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r := p.unit()
		if r >= 0xD800 && r < 0xDC00 && p.pos+1 < len(p.src) && p.src[p.pos] == '\\' && p.src[p.pos+1] == 'u' {
			p.pos += 2
			low := p.unit()
			if low < 0xDC00 || low >= 0xE000 {
				return false
			}
			r = (r-0xD800)<<10 + low - 0xDC00 + 0x10000
		}
		if r < 0 || r >= 0xD800 && r < 0xE000 {
			return false
		}
		p.buf = utf8.AppendRune(p.buf, r)
		return true
	default:
		return false
	}
	p.buf = append(p.buf, c)
	return true
}

// unit reads four hexadecimal digits; it is negative if they are none.
func (p *fastParser) unit() (r rune) {
	if len(p.src)-p.pos < 4 {
		return -1
	}
	for range 4 {
		d := hexDigit(uint16(p.src[p.pos]))
		if d < 0 {
			return -1
		}
		r = r<<4 | rune(d)
		p.pos++
	}
	return r
}

func (p *fastParser) text() goja.Value {
	p.pos++
	s, wide, ok := p.scan()
	if !ok {
		return nil
	}
	if !p.share || len(p.buf) > 0 {
		s = strings.Clone(s)
	}
	if wide {
		return p.e.Runtime.ToValue(s)
	}
	return p.in.ASCII(s)
}

func (p *fastParser) array() goja.Value {
	if p.depth++; p.depth > jsonMaxDepth {
		return nil
	}
	p.pos++
	begin := len(p.items)
	if !p.next(']') {
		for {
			v := p.value()
			if v == nil {
				return nil
			}
			if n := len(p.items); n == cap(p.items) && n >= pollEvery {
				p.e.Reserve(valueSize * int64(n+n/2))
			}
			p.items = append(p.items, v)
			if p.next(',') {
				continue
			}
			if !p.next(']') {
				return nil
			}
			break
		}
	}
	p.depth--
	n := len(p.items) - begin
	if n >= pollEvery {
		p.e.Reserve(valueSize * int64(n))
	}
	list := make([]goja.Value, n)
	copy(list, p.items[begin:])
	p.forget(begin)
	return p.in.NewArray(p.e.Runtime, list)
}

func (p *fastParser) number() goja.Value {
	from, s := p.pos, p.src
	i := from
	negative := i < len(s) && s[i] == '-'
	if negative {
		i++
	}
	n, digits := int64(0), i
	for i < len(s) && isDigit(s[i]) {
		n = n*10 + int64(s[i]-'0') // which counts only if it is short
		i++
	}
	if i == digits || s[digits] == '0' && i > digits+1 {
		return nil
	}
	integer := true
	if i < len(s) && s[i] == '.' {
		integer = false
		i++
		begin := i
		if i = digitsEnd(s, i); i == begin {
			return nil
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		integer = false
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		begin := i
		if i = digitsEnd(s, i); i == begin {
			return nil
		}
	}
	p.pos = i
	if integer && i-digits < 16 && (n != 0 || !negative) {
		if negative {
			n = -n
		}
		return p.in.Number(n)
	}
	f, _ := strconv.ParseFloat(s[from:i], 64) // out of range gives ±Inf, as in JavaScript
	return p.e.Runtime.ToValue(f)
}

// digitsEnd is where the digits end that begin at a place.
func digitsEnd(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}
