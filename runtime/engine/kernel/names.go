package kernel

import (
	"regexp"
	"strconv"
	"strings"
)

// mentioned says of names whether each can mean nothing but the one function that is declared with it: every mention in
// the text is that declaration, a call, or a property.
func mentioned(src string, names map[string]bool) {
	declared := make(map[string]int, len(names))
	for start := 0; start < len(src); {
		if !part(src[start]) {
			start++
			continue
		}
		end := start + 1
		for end < len(src) && part(src[end]) {
			end++
		}
		name := src[start:end]
		before, next := start, end
		start = end
		if _, asked := names[name]; !asked {
			continue
		}
		for before > 0 && src[before-1] == ' ' {
			before--
		}
		text := src[:before]
		switch {
		case strings.HasSuffix(text, "\\"):
			declared[name] = 2
		case strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ".."):
		case next >= len(src) || src[next] != '(', generator(text):
			declared[name] = 2 // something else: no number of declarations will do
		case strings.HasSuffix(text, "function"):
			declared[name]++
		}
	}
	for name := range names {
		names[name] = declared[name] == 1
	}
}

// generator tells whether a text ends before the name of a generator.
func generator(text string) bool {
	rest, star := strings.CutSuffix(text, "*")
	return star && strings.HasSuffix(strings.TrimRight(rest, " "), "function")
}

// part tells whether a byte can be part of a name; those above ASCII count as such.
func part(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// escaped are the names that a text spells by escapes, which mentioned does not see. Those in strings are among them.
func escaped(src string) map[string]bool {
	names := map[string]bool{}
	near := func(c byte) bool { return part(c) || c == '\\' || c == '{' || c == '}' }
	for end := 0; ; {
		i := strings.Index(src[end:], `\u`)
		if i < 0 {
			return names
		}
		start := end + i
		for end = start; end < len(src) && near(src[end]); end++ {
			continue
		}
		for start > 0 && near(src[start-1]) {
			start--
		}
		for _, name := range strings.FieldsFunc(escape.ReplaceAllStringFunc(src[start:end], unescape),
			func(r rune) bool {
				return r < 0x80 && !part(byte(r))
			}) {
			names[name] = true
		}
	}
}

var escape = regexp.MustCompile(`\\u(\{[0-9a-fA-F]+\}|[0-9a-fA-F]{4})`)

func unescape(text string) string {
	code, err := strconv.ParseUint(strings.Trim(text[2:], "{}"), 16, 21)
	if err != nil {
		return text
	}
	return string(rune(code))
}
