package fetch

import "strings"

// mimeType is a parsed MIME type (https://mimesniff.spec.whatwg.org/#mime-type). Parameters keep their order.
type mimeType struct {
	typ, subtype string
	params       [][2]string
}

func (m mimeType) essence() string { return m.typ + "/" + m.subtype }

func (m mimeType) param(name string) (string, bool) {
	for _, p := range m.params {
		if p[0] == name {
			return p[1], true
		}
	}
	return "", false
}

func mimeToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.IndexByte("!#$%&'*+\\-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}

func mimeQuotable(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '\t' && (c < 0x20 || c == 0x7f) {
			return false
		}
	}
	return true
}

const mimeSpace = " \t\r\n"

// parseMIME parses one MIME type; invalid parameters are left out.
func parseMIME(s string) (mimeType, bool) {
	typ, rest, ok := strings.Cut(strings.TrimLeft(s, mimeSpace), "/")
	if !ok || !mimeToken(typ) {
		return mimeType{}, false
	}
	subtype, rest, _ := strings.Cut(rest, ";")
	subtype = strings.TrimRight(subtype, mimeSpace)
	if !mimeToken(subtype) {
		return mimeType{}, false
	}
	m := mimeType{typ: strings.ToLower(typ), subtype: strings.ToLower(subtype)}
	for rest != "" {
		rest = strings.TrimLeft(rest, mimeSpace)
		i := strings.IndexAny(rest, ";=")
		if i < 0 {
			break
		}
		name := rest[:i]
		assigned := rest[i] == '='
		rest = rest[i+1:]
		if !assigned {
			continue
		}
		var value string
		quoted := strings.HasPrefix(rest, `"`)
		if quoted {
			value, rest = quotedString(rest[1:])
			_, rest, _ = strings.Cut(rest, ";")
		} else {
			value, rest, _ = strings.Cut(rest, ";")
			value = strings.TrimRight(value, mimeSpace)
			if value == "" {
				continue
			}
		}
		name = strings.ToLower(name)
		if _, dup := m.param(name); !dup && mimeToken(name) && mimeQuotable(value) {
			m.params = append(m.params, [2]string{name, value})
		}
	}
	return m, true
}

// quotedString reads up to the closing quote and gives back what comes after it.
func quotedString(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:]
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// extractMIME is the MIME type that a Content-Type header with any number of values stands for
// (https://fetch.spec.whatwg.org/#concept-header-extract-mime-type).
func extractMIME(header string) (mimeType, bool) {
	var out mimeType
	found := false
	for _, part := range splitCommas(header) {
		m, ok := parseMIME(part)
		if !ok || m.essence() == "*/*" {
			continue
		}
		if found && m.essence() == out.essence() {
			if _, has := m.param("charset"); !has {
				if cs, had := out.param("charset"); had {
					m.params = append(m.params, [2]string{"charset", cs})
				}
			}
		}
		out, found = m, true
	}
	return out, found
}

// splitCommas splits at commas outside quoted strings.
func splitCommas(s string) []string {
	var out []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// String serialises m, with a space before a boundary as browsers write it.
func (m mimeType) String() string {
	var b strings.Builder
	b.WriteString(m.essence())
	for _, p := range m.params {
		b.WriteByte(';')
		if p[0] == "boundary" {
			b.WriteByte(' ')
		}
		b.WriteString(p[0])
		b.WriteByte('=')
		if mimeToken(p[1]) {
			b.WriteString(p[1])
			continue
		}
		b.WriteByte('"')
		for i := range len(p[1]) {
			if c := p[1][i]; c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(p[1][i])
		}
		b.WriteByte('"')
	}
	return b.String()
}
