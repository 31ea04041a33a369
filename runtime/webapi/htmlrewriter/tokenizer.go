package htmlrewriter

import (
	"bytes"
)

// maxPending is how much unfinished input is kept, and maxDepth how many elements may be open. A document that goes
// past one of them is refused.
const (
	maxPending = 3 << 20
	maxDepth   = 1 << 15
)

// tokenKind is what the tokenizer has found.
type tokenKind uint8

const (
	needMore tokenKind = iota
	tokenText
	tokenStart
	tokenEnd
	tokenComment
	tokenDoctype
	tokenRaw // it goes out as it is, and nobody is told
)

// textMode is how text is read. The element around it decides.
type textMode uint8

const (
	modeData textMode = iota
	modeRaw           // up to the end tag of closer: style, title and their like
	modeScript
	modePlain // to the end of the document
	modeCDATA // up to ]]>
)

// scriptState follows comments inside a script, in which "</script>" may not end it.
type scriptState uint8

const (
	scriptPlain scriptState = iota
	scriptEscaped
	scriptDoubleEscaped
)

// tokenizer cuts input into tokens. The token found begins buf and has size bytes.
type tokenizer struct {
	buf    []byte
	eof    bool
	mode   textMode
	closer string // name that ends modeRaw and modeScript
	script scriptState
	// foreign: the current element is SVG or MathML, where CDATA sections exist.
	foreign bool

	tag     tagScanner
	inTag   bool // the scanner of a tag is at work
	scanned int  // how far the token at the start of buf has been searched for its end
	size    int
	inner   span // of a comment: its text
}

// next finds the token at the start of buf without taking it.
func (t *tokenizer) next() tokenKind {
	if len(t.buf) == 0 {
		return needMore
	}
	switch t.mode {
	case modePlain:
		return t.text(len(t.buf))
	case modeCDATA:
		return t.cdata()
	case modeRaw, modeScript:
		return t.rawText()
	}
	if t.buf[0] != '<' {
		if i := bytes.IndexByte(t.buf, '<'); i >= 0 {
			return t.text(i)
		}
		return t.text(len(t.buf))
	}
	return t.markup()
}

func (t *tokenizer) text(n int) tokenKind {
	t.size = n
	return tokenText
}

// take removes the token.
func (t *tokenizer) take() []byte {
	b := t.buf[:t.size:t.size]
	t.buf = t.buf[t.size:]
	t.size, t.scanned, t.inTag = 0, 0, false
	return b
}

// unfinished says what markup without an end means: to wait for more or, at the end of input, to pass it through.
func (t *tokenizer) unfinished() tokenKind {
	if !t.eof {
		return needMore
	}
	t.size = len(t.buf)
	return tokenRaw
}

// markup reads what a "<" begins.
func (t *tokenizer) markup() tokenKind {
	if t.inTag {
		return t.scanTag()
	}
	if len(t.buf) < 2 {
		if t.eof {
			return t.text(1)
		}
		return needMore
	}
	switch c := t.buf[1]; {
	case letter(c):
		t.tag.start(false)
		t.inTag = true
		return t.scanTag()
	case c == '/':
		if len(t.buf) < 3 {
			if t.eof {
				return t.text(2)
			}
			return needMore
		}
		switch c := t.buf[2]; {
		case letter(c):
			t.tag.start(true)
			t.inTag = true
			return t.scanTag()
		case c == '>':
			t.size = 3
			return tokenRaw
		}
		return t.bogus(2)
	case c == '!':
		return t.declaration()
	case c == '?':
		return t.bogus(1)
	}
	// It is an ordinary character and belongs to the text after it.
	if i := bytes.IndexByte(t.buf[1:], '<'); i >= 0 {
		return t.text(i + 1)
	}
	return t.text(len(t.buf))
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (t *tokenizer) scanTag() tokenKind {
	if !t.tag.scan(t.buf) {
		return t.unfinished()
	}
	t.size = t.tag.at
	if t.tag.end {
		return tokenEnd
	}
	return tokenStart
}

// bogus reads a comment that ends at the next ">". Its text begins at from.
func (t *tokenizer) bogus(from int) tokenKind {
	return t.until(">", from, 1)
}

// until finds the end of a comment whose text starts at from.
func (t *tokenizer) until(end string, from, cut int) tokenKind {
	start := max(t.scanned-len(end)+1, from)
	i := bytes.Index(t.buf[min(start, len(t.buf)):], []byte(end))
	if i < 0 {
		t.scanned = len(t.buf)
		return t.unfinished()
	}
	t.size = start + i + len(end)
	t.inner = span{from, t.size - cut}
	return tokenComment
}

// declaration reads what "<!" begins: a comment, a doctype, a CDATA section or nonsense.
func (t *tokenizer) declaration() tokenKind {
	has := func(prefix string) (is, maybe bool) {
		n := min(len(prefix), len(t.buf))
		same := bytes.EqualFold(t.buf[:n], []byte(prefix[:n]))
		return same && n == len(prefix), same && n < len(prefix) && !t.eof
	}
	comment, maybeComment := has("<!--")
	doctype, maybeDoctype := has("<!doctype")
	cdata, maybeCDATA := has("<![CDATA[")
	switch {
	case comment:
		return t.comment()
	case doctype:
		if i := bytes.IndexByte(t.buf, '>'); i >= 0 {
			t.size = i + 1
			return tokenDoctype
		}
		return t.unfinished()
	case cdata && t.foreign:
		t.size, t.mode = len("<![CDATA["), modeCDATA
		return tokenRaw
	case maybeComment, maybeDoctype, maybeCDATA && t.foreign:
		return needMore
	}
	return t.bogus(2)
}

// comment finds the end of "<!--": "-->" or "--!>", or at once in "<!-->" and "<!--->".
func (t *tokenizer) comment() tokenKind {
	const from = len("<!--")
	rest := t.buf[from:]
	if !t.eof && len(rest) < 2 {
		return needMore
	}
	for n, short := range []string{">", "->"} {
		if bytes.HasPrefix(rest, []byte(short)) {
			t.size = from + n + 1
			t.inner = span{from, from}
			return tokenComment
		}
	}
	for at := max(t.scanned-3, from); ; {
		i := bytes.Index(t.buf[min(at, len(t.buf)):], []byte("--"))
		if i < 0 {
			break
		}
		at += i
		switch tail := t.buf[at+2:]; {
		case bytes.HasPrefix(tail, []byte(">")):
			t.size, t.inner = at+3, span{from, at}
			return tokenComment
		case bytes.HasPrefix(tail, []byte("!>")):
			t.size, t.inner = at+4, span{from, at}
			return tokenComment
		}
		at++
	}
	t.scanned = len(t.buf)
	return t.unfinished()
}

// cdata gives the text of a CDATA section.
func (t *tokenizer) cdata() tokenKind {
	const end = "]]>"
	i := bytes.Index(t.buf, []byte(end))
	switch {
	case i == 0:
		t.size, t.mode = len(end), modeData
		return tokenRaw
	case i > 0:
		return t.text(i)
	case t.eof:
		return t.text(len(t.buf))
	}
	// What may be the start of the end is kept back.
	n := len(t.buf)
	for n > 0 && len(t.buf)-n < len(end)-1 && t.buf[n-1] == ']' {
		n--
	}
	if n == 0 {
		return needMore
	}
	return t.text(n)
}
