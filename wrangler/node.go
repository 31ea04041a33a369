package wrangler

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind says what a node holds. TOML and JSON share all of them but dates, which JSON lacks, and null, which TOML lacks.
type kind uint8

const (
	nullNode kind = iota
	boolNode
	numberNode
	stringNode
	dateNode // a bare TOML date or time; no configuration key takes one
	arrayNode
	objectNode
)

// span is a half-open byte range of the file.
type span struct{ start, end int }

// node is one value of a configuration file together with its place.
type node struct {
	kind   kind
	span   span
	text   string // the string, or the literal of a date
	number float64
	truth  bool
	items  []*node
	fields []field
	index  map[string]int // key → its last place in fields; written by add alone
}

// field is one member of an object. keySpan covers the key as written, quotes included.
type field struct {
	key     string
	keySpan span
	value   *node
}

// field returns the member called key. Of duplicates the last one counts, as in JSON.parse.
func (n *node) field(key string) (field, bool) {
	if n == nil {
		return field{}, false
	}
	i, ok := n.index[key]
	if !ok {
		return field{}, false
	}
	return n.fields[i], true
}

// add appends a member.
func (n *node) add(f field) {
	if n.index == nil {
		n.index = make(map[string]int)
	}
	n.index[f.key] = len(n.fields)
	n.fields = append(n.fields, f)
}

// get returns the value of the member called key, or nil.
func (n *node) get(key string) *node {
	f, _ := n.field(key)
	return f.value
}

// keys lists the member names in file order, each once.
func (n *node) keys() []string {
	var keys []string
	seen := make(map[string]bool, len(n.fields))
	for _, f := range n.fields {
		if !seen[f.key] {
			seen[f.key] = true
			keys = append(keys, f.key)
		}
	}
	return keys
}

// typeName is the word for the node's type in messages.
func (n *node) typeName() string {
	switch n.kind {
	case nullNode:
		return "null"
	case boolNode:
		return "boolean"
	case numberNode:
		return "number"
	case stringNode:
		return "string"
	case dateNode:
		return "TOML date"
	case arrayNode:
		return "array"
	default:
		return "object"
	}
}

// json renders the node as JSON.stringify would: compact, keys in file order.
func (n *node) json() string {
	var b strings.Builder
	n.writeJSON(&b)
	return b.String()
}

// shortJSON is json cut to a length that fits a message.
func (n *node) shortJSON() string {
	const limit = 160
	s := n.json()
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func (n *node) writeJSON(b *strings.Builder) {
	switch n.kind {
	case nullNode:
		b.WriteString("null")
	case boolNode:
		b.WriteString(strconv.FormatBool(n.truth))
	case numberNode:
		b.WriteString(formatNumber(n.number))
	case stringNode, dateNode:
		writeJSONString(b, n.text)
	case arrayNode:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.writeJSON(b)
		}
		b.WriteByte(']')
	case objectNode:
		b.WriteByte('{')
		for i, key := range n.keys() {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONString(b, key)
			b.WriteByte(':')
			n.get(key).writeJSON(b)
		}
		b.WriteByte('}')
	}
}

// formatNumber writes a number as JavaScript does. Infinities and NaN, which TOML allows, have no JSON form: null.
func formatNumber(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return "null"
	}
	if f == 0 {
		return "0"
	}
	if abs := math.Abs(f); abs >= 1e21 || abs < 1e-6 {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		// Go pads the exponent to two digits, JavaScript does not.
		s = strings.Replace(s, "e-0", "e-", 1)
		return strings.Replace(s, "e+0", "e+", 1)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func writeJSONString(b *strings.Builder, s string) {
	const hex = "0123456789abcdef"
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r < 0x20:
			b.WriteString(`\u00`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

func quoteJSON(s string) string {
	var b strings.Builder
	writeJSONString(&b, s)
	return b.String()
}
