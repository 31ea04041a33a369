package bundle

import "strings"

// lastCodePoint is what stands for \u{10FFFF}: the engine's lexer stops reading at that value, leaves the brace, and
// panics over the length. It is an ordinary upper bound of key ranges and character classes.
const lastCodePoint = `\udbff\udfff`

// isLastCodePoint reports whether the backslash at an offset begins \u{10FFFF}, and where that ends.
func isLastCodePoint(text string, at int) (end int, ok bool) {
	if !hasAt(text, at, `\u{`) {
		return 0, false
	}
	n := strings.IndexByte(text[at:], '}')
	if n < 0 || !strings.EqualFold(strings.TrimLeft(text[at+3:at+n], "0"), "10FFFF") {
		return 0, false
	}
	return at + n + 1, true
}

// replaceLastCodePoint makes the edits in a string or in a chunk of a template.
func (r *rewriter) replaceLastCodePoint(t token) {
	for i := t.start; i < t.end; i++ {
		if r.text[i] != '\\' {
			continue
		}
		if end, ok := isLastCodePoint(r.text, i); ok {
			r.replace(i, end, lastCodePoint)
			i = end - 1
			continue
		}
		i++ // the backslash is not itself escaped
	}
}
