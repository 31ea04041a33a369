package bundle

import (
	"fmt"
	"strings"
)

// Tagged templates: the language passes the same strings object at every evaluation of one place, and libraries use it
// as a key of caches; the engine makes a new one each time. So tag`a${x}b` becomes
//
//	tag((__eddy_t1 ??= __eddy_strings([`a`, `b`], ["a", "b"])), (x))

// stringsCode is put in the prologue when there are tagged templates.
const stringsCode = `const __eddy_strings = (cooked, raw) => Object.freeze(Object.defineProperty(cooked, "raw", ` +
	`{ value: Object.freeze(raw) })); `

// openTemplate is a template with a substitution that is being read. chunks are its tokens so far.
type openTemplate struct {
	tagged bool
	chunks []token
}

// template is called at each chunk of a template.
func (r *rewriter) template(t token) {
	head := r.text[t.start] == '`'
	last := t.op != "${"
	if head {
		template := openTemplate{tagged: r.isTag(), chunks: []token{t}}
		if !template.tagged {
			r.replaceLastCodePoint(t)
		}
		if last {
			r.finishTemplate(template)
			return
		}
		r.templates = append(r.templates, template)
		return
	}
	if len(r.templates) == 0 {
		return
	}
	top := &r.templates[len(r.templates)-1]
	if top.tagged {
		top.chunks = append(top.chunks, t)
	} else {
		r.replaceLastCodePoint(t)
	}
	if last {
		r.finishTemplate(*top)
		r.templates = r.templates[:len(r.templates)-1]
	}
}

// isTag reports whether the token before the template just read is the end of an operand.
func (r *rewriter) isTag() bool {
	s := r.scanner
	switch prev := s.prev2; prev.kind {
	case tokenName:
		if op := r.before[1].op; op == "." || op == "?." {
			return true
		}
		switch s.textOf(prev) {
		case "return", "typeof", "case", "in", "of", "instanceof", "delete", "void", "new", "do", "else", "throw",
			"yield", "await", "default", "extends":
			return false
		}
		// new tag`x` constructs what the tag returns; a call in its place would be the constructor's arguments.
		return r.before[1].kind != tokenName || s.textOf(r.before[1]) != "new"
	case tokenPrivate:
		return true
	case tokenTemplate:
		return prev.op == ""
	case tokenPunct:
		return prev.op == "]" || prev.op == ")" && prev.closed == bracketParen
	}
	return false
}

func (r *rewriter) finishTemplate(template openTemplate) {
	if !template.tagged {
		return
	}
	r.sites++
	cooked := make([]string, len(template.chunks))
	raw := make([]string, len(template.chunks))
	for i, t := range template.chunks {
		text := strings.ReplaceAll(r.text[t.start+1:t.end], "\r\n", "\n")
		if t.op == "${" {
			text = text[:len(text)-2]
		} else {
			text = text[:len(text)-1]
		}
		raw[i] = quote(text)
		cooked[i] = cook(text)
	}
	site := fmt.Sprintf(
		"(__eddy_t%d ??= __eddy_strings([%s], [%s]))", r.sites, strings.Join(cooked, ", "), strings.Join(raw, ", "))
	for i, t := range template.chunks {
		text := "), ("
		switch {
		case len(template.chunks) == 1:
			text = "(" + site + ")"
		case i == 0:
			text = "(" + site + ", ("
		case i == len(template.chunks)-1:
			text = "))"
		}
		r.replace(t.start, t.end, text)
	}
}

// cook returns an expression for the cooked text of a chunk: a template on one line, or undefined if an escape is
// malformed, which tagged templates allow.
func cook(text string) string {
	var b strings.Builder
	b.WriteByte('`')
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n' || c == '\r':
			b.WriteString(`\n`)
			continue
		case c != '\\':
			b.WriteByte(c)
			continue
		}
		if end, ok := isLastCodePoint(text, i); ok {
			b.WriteString(lastCodePoint)
			i = end - 1
			continue
		}
		i++
		if i == len(text) {
			return "void 0"
		}
		switch c := text[i]; {
		case c == '\n' || c == '\r':
			continue // the line goes on
		case c >= '1' && c <= '9', c == '0' && i+1 < len(text) && isDigit(text[i+1]):
			return "void 0"
		case c == 'x' && !isHex(text, i+1, 2):
			return "void 0"
		case c == 'u' && !isHex(text, i+1, 4) && !isBracedHex(text, i+1):
			return "void 0"
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	b.WriteByte('`')
	return b.String()
}

func isHex(text string, at, n int) bool {
	if at+n > len(text) {
		return false
	}
	return strings.Trim(text[at:at+n], "0123456789abcdefABCDEF") == ""
}

// isBracedHex reports whether text has {hex} at an offset, with a value that is a code point.
func isBracedHex(text string, at int) bool {
	if !hasAt(text, at, "{") {
		return false
	}
	end := strings.IndexByte(text[at:], '}')
	if end < 2 {
		return false
	}
	digits := strings.TrimLeft(text[at+1:at+end], "0")
	return isHex(text, at+1, end-1) && (len(digits) < 6 || len(digits) == 6 && digits < "110000")
}
