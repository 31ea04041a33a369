package htmlrewriter

import (
	"bytes"
)

// modeOf is how the text inside an HTML element is read.
func modeOf(name string) textMode {
	switch name {
	case "textarea", "title", "style", "xmp", "iframe", "noembed", "noframes", "noscript":
		return modeRaw
	case "script":
		return modeScript
	case "plaintext":
		return modePlain
	}
	return modeData
}

// rawText gives the text of an element that only its own end tag ends, or that end tag.
func (t *tokenizer) rawText() tokenKind {
	if t.inTag {
		return t.scanTag()
	}
	at := 0
	for {
		i := bytes.IndexAny(t.buf[at:], t.marks())
		if i < 0 {
			return t.text(len(t.buf))
		}
		at += i
		if t.buf[at] == '<' {
			if is, maybe := t.closes(at); is && t.script != scriptDoubleEscaped {
				if at > 0 {
					return t.text(at)
				}
				t.mode, t.script = modeData, scriptPlain
				t.tag.start(true)
				t.inTag = true
				return t.scanTag()
			} else if maybe {
				return t.keepBack(at)
			}
		}
		n, ok := t.follow(at)
		if !ok {
			return t.keepBack(at)
		}
		at += n
	}
}

// marks are the bytes that may begin something else than text.
func (t *tokenizer) marks() string {
	if t.mode == modeScript && t.script != scriptPlain {
		return "<-"
	}
	return "<"
}

// keepBack gives out the text before at. What follows may become an end tag when more input comes.
func (t *tokenizer) keepBack(at int) tokenKind {
	if at > 0 {
		return t.text(at)
	}
	return needMore
}

// closes tells whether the end tag of the element starts at at. maybe tells that more input may still make it one.
func (t *tokenizer) closes(at int) (is, maybe bool) { return t.named(at, "</"+t.closer) }

// named tells whether mark, followed by a delimiter, stands at at. maybe tells that more input may still make it so.
func (t *tokenizer) named(at int, mark string) (is, maybe bool) {
	rest := t.buf[at:]
	n := min(len(mark), len(rest))
	if !bytes.EqualFold(rest[:n], []byte(mark[:n])) {
		return false, false
	}
	if len(rest) <= len(mark) {
		return false, !t.eof
	}
	c := rest[len(mark)]
	return space(c) || c == '/' || c == '>', false
}

// follow looks at what a script has at at. It changes the state accordingly and returns how many bytes to go on. ok is
// false if that cannot be told without more input.
func (t *tokenizer) follow(at int) (n int, ok bool) {
	if t.mode != modeScript {
		return 1, true
	}
	prefix := func(mark string) (is, maybe bool) {
		k := min(len(mark), len(t.buf)-at)
		same := bytes.EqualFold(t.buf[at:at+k], []byte(mark[:k]))
		return same && k == len(mark), same && k < len(mark) && !t.eof
	}
	switch t.script {
	case scriptPlain:
		is, maybe := prefix("<!--")
		if is {
			t.script = scriptEscaped
			// These dashes may be those of the comment's end.
			return 2, true
		}
		return 1, !maybe
	case scriptEscaped:
		if is, maybe := prefix("-->"); is || maybe {
			if is {
				t.script = scriptPlain
			}
			return 3, is
		}
		is, maybe := t.named(at, "<script")
		if is {
			t.script = scriptDoubleEscaped
		}
		return 1, !maybe
	}
	if is, maybe := prefix("-->"); is || maybe {
		if is {
			t.script = scriptPlain
		}
		return 3, is
	}
	is, maybe := t.named(at, "</script")
	if is {
		t.script = scriptEscaped
	}
	return 1, !maybe
}
