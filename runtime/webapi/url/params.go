package url

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Pair is one name with its value.
type Pair struct{ Name, Value string }

// Params is a list of pairs in their order.
type Params struct{ pairs []Pair }

// ParseParams parses application/x-www-form-urlencoded, without a leading question mark.
func ParseParams(s string) *Params { return &Params{pairs: ParseForm(s)} }

// ParseForm parses application/x-www-form-urlencoded into pairs.
func ParseForm(s string) []Pair {
	var pairs []Pair
	for s != "" {
		var part string
		part, s, _ = strings.Cut(s, "&")
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, Pair{formDecode(name), formDecode(value)})
	}
	return pairs
}

func formDecode(s string) string {
	s = PercentDecode(strings.ReplaceAll(s, "+", " "))
	if !utf8.ValidString(s) {
		s = validUTF8(s)
	}
	return s
}

// validUTF8 decodes as the Encoding standard does: one U+FFFD for each maximal part of a sequence.
func validUTF8(s string) string {
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			n = maximalPart(s)
		}
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}

// maximalPart is the length of the longest start of s that could begin a sequence (Unicode 3.9, U+FFFD substitution).
func maximalPart(s string) int {
	low, high, more := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		more = 1
	case c >= 0xe0 && c <= 0xef:
		more = 2
		switch c {
		case 0xe0:
			low = 0xa0
		case 0xed:
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		more = 3
		switch c {
		case 0xf0:
			low = 0x90
		case 0xf4:
			high = 0x8f
		}
	}
	n := 1
	for n <= more && n < len(s) && s[n] >= low && s[n] <= high {
		n++
		low, high = 0x80, 0xbf
	}
	return n
}

// SerialiseForm is the application/x-www-form-urlencoded serialiser.
func SerialiseForm(pairs []Pair) string {
	if len(pairs) == 0 {
		return ""
	}
	b := make([]byte, 0, 32*len(pairs))
	for i, p := range pairs {
		if i > 0 {
			b = append(b, '&')
		}
		b = formEncode(b, p.Name)
		b = append(b, '=')
		b = formEncode(b, p.Value)
	}
	return string(b)
}

func formEncode(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			b = append(b, '+')
		case setForm.has(c):
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}

// String is the serialised list.
func (p *Params) String() string { return SerialiseForm(p.pairs) }

// Pairs is the list itself.
func (p *Params) Pairs() []Pair { return p.pairs }

// Append adds a pair at the end.
func (p *Params) Append(name, value string) { p.pairs = append(p.pairs, Pair{name, value}) }

// Get is the first value of name.
func (p *Params) Get(name string) (string, bool) {
	for i := range p.pairs {
		if p.pairs[i].Name == name {
			return p.pairs[i].Value, true
		}
	}
	return "", false
}

// matches tells whether a pair has the name and, if value is not nil, the value.
func (q Pair) matches(name string, value *string) bool {
	return q.Name == name && (value == nil || q.Value == *value)
}

// Has tells whether there is a pair of name and, if value is not nil, of that value.
func (p *Params) Has(name string, value *string) bool {
	return slices.ContainsFunc(p.pairs, func(q Pair) bool { return q.matches(name, value) })
}

// Delete removes all pairs of name and, if value is not nil, of that value.
func (p *Params) Delete(name string, value *string) {
	p.pairs = slices.DeleteFunc(p.pairs, func(q Pair) bool { return q.matches(name, value) })
}

// Set gives the first pair of name the value and removes the others; without any it adds one.
func (p *Params) Set(name, value string) {
	i := slices.IndexFunc(p.pairs, func(q Pair) bool { return q.Name == name })
	if i < 0 {
		p.Append(name, value)
		return
	}
	p.pairs[i].Value = value
	rest := slices.DeleteFunc(p.pairs[i+1:], func(q Pair) bool { return q.Name == name })
	p.pairs = p.pairs[:i+1+len(rest)]
}

// Sort sorts by the names' UTF-16 code units and keeps the order of equal names.
func (p *Params) Sort() {
	slices.SortStableFunc(p.pairs, func(a, b Pair) int { return compareUTF16(a.Name, b.Name) })
}

// compareUTF16 differs from comparing bytes only where one side has a supplementary character (a surrogate in UTF-16)
// and the other one of U+E000 and above.
func compareUTF16(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	x, y := a[i], b[i]
	if (x >= 0xf0) != (y >= 0xf0) && min(x, y) >= 0xee {
		return int(y) - int(x)
	}
	return int(x) - int(y)
}
