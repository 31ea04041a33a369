package ecma

import (
	"strings"
	"sync"
	"unicode"

	"eddy/runtime/ecma/jsregexp"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// collator returns the comparison for a key of intl_text.js: sensitivity, then n (numeric), p (ignore punctuation).
// A collator keeps buffers, so each engine has its own.
func (e *Engine) collator(key string) *collate.Collator {
	if c := e.collators[key]; c != nil {
		return c
	}
	var opts []collate.Option
	switch {
	case strings.HasPrefix(key, "base"):
		opts = append(opts, collate.IgnoreCase, collate.IgnoreDiacritics)
	case strings.HasPrefix(key, "accent"):
		opts = append(opts, collate.IgnoreCase)
	case strings.HasPrefix(key, "case"):
		opts = append(opts, collate.IgnoreDiacritics)
	}
	if strings.Contains(key[4:], "n") && strings.HasSuffix(strings.TrimRight(key, "pu"), "n") {
		opts = append(opts, collate.Numeric)
	}
	c := collate.New(language.English, opts...)
	if e.collators == nil {
		e.collators = map[string]*collate.Collator{}
	}
	e.collators[key] = c
	return c
}

// installLocaleStrings adds localeCompare and normalize with V8's behaviour.
func (e *Engine) installLocaleStrings() {
	proto := e.object("String", "prototype")
	self := func(v goja.Value, name string) goja.String {
		if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
			e.throw("TypeError", "String.prototype."+name+" called on null or undefined")
		}
		return e.toString(v)
	}
	e.method(proto, "localeCompare", 1, func(call goja.FunctionCall) goja.Value {
		a, b := self(call.This, "localeCompare"), e.toString(call.Argument(0))
		if !goja.IsUndefined(call.Argument(1)) || !goja.IsUndefined(call.Argument(2)) {
			ctor, ok := goja.AssertConstructor(e.intl().object.Get("Collator"))
			if ok {
				c, err := ctor(nil, call.Argument(1), call.Argument(2))
				if err != nil {
					panic(err)
				}
				f, _ := goja.AssertFunction(c.Get("compare"))
				return e.call(f, a, b)
			}
		}
		return e.rt.ToValue(e.collator("variant").CompareString(a.String(), b.String()))
	})
	e.method(proto, "normalize", 0, func(call goja.FunctionCall) goja.Value {
		s := self(call.This, "normalize")
		form := "NFC"
		if v := call.Argument(0); !goja.IsUndefined(v) {
			form = e.toString(v).String()
		}
		f, ok := map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}[form]
		if !ok {
			e.throw("RangeError", "The normalization form should be one of NFC, NFD, NFKC, NFKD.")
		}
		if text := s.String(); f.IsNormalString(text) {
			return s
		} else if !strings.ContainsRune(text, unicode.ReplacementChar) {
			return e.rt.ToValue(f.String(text))
		}
		return goja.StringFromUTF16(normalizeUnits(units(s), f))
	})
}

// normalizeUnits normalizes the well-formed stretches of a text and keeps lone surrogates.
func normalizeUnits(u []uint16, f norm.Form) []uint16 {
	var out []uint16
	flush := func(part []uint16) { out = append(out, encode(f.String(decodeUnits(part)))...) }
	from := 0
	for i := 0; i < len(u); i++ {
		if u[i]&0xF800 != 0xD800 {
			continue
		}
		if u[i]&0xFC00 == 0xD800 && i+1 < len(u) && u[i+1]&0xFC00 == 0xDC00 {
			i++
			continue
		}
		flush(u[from:i])
		out = append(out, u[i])
		from = i + 1
	}
	flush(u[from:])
	return out
}

// segmentClass is what the break rules tell characters apart by.
type segmentClass uint8

const (
	classOther segmentClass = iota
	classExtend
	classZWJ
	classPictograph
	classRegional
	classControl
	classLetter
	classNumber
	classSpace
	classMid    // joins letters: apostrophe, full stop, colon
	classMidNum // joins digits: comma, full stop
	classUnderscore
	classIdeograph
	classKatakana
	classHangul
)

var segmentProperties = sync.OnceValue(func() (p struct{ extend, pict, regional func(rune) bool }) {
	p.extend, _ = jsregexp.Property("Grapheme_Extend")
	p.pict, _ = jsregexp.Property("Extended_Pictographic")
	p.regional, _ = jsregexp.Property("Regional_Indicator")
	return p
})

func classify(r rune) segmentClass {
	switch {
	case r == 0x200D:
		return classZWJ
	case r == '\'' || r == 0x2019 || r == ':' || r == 0xB7:
		return classMid
	case r == '.':
		return classMidNum
	case r == ',' || r == ';':
		return classMidNum
	case r == '_':
		return classUnderscore
	case r < 0x20 || r == 0x7F || r == 0x2028 || r == 0x2029:
		return classControl
	case r < 0x80 && r != ' ':
		if r >= '0' && r <= '9' {
			return classNumber
		}
		if r|32 >= 'a' && r|32 <= 'z' {
			return classLetter
		}
		return classOther
	}
	p := segmentProperties()
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) || p.extend(r) || r >= 0x1F3FB && r <= 0x1F3FF:
		return classExtend
	case p.regional(r):
		return classRegional
	case p.pict(r):
		return classPictograph
	case unicode.IsSpace(r):
		return classSpace
	case unicode.In(r, unicode.Han, unicode.Hiragana):
		return classIdeograph
	case unicode.Is(unicode.Katakana, r):
		return classKatakana
	case r >= 0x1100 && r <= 0x11FF || r >= 0xAC00 && r <= 0xD7FF:
		return classHangul
	case unicode.IsLetter(r):
		return classLetter
	case unicode.IsDigit(r):
		return classNumber
	}
	return classOther
}

type segmentRune struct {
	r     rune
	class segmentClass
	at    int // UTF-16 offset
}

func segmentRunes(u []uint16) []segmentRune {
	var out []segmentRune
	at := 0
	for _, r := range decodeLenient(u) {
		out = append(out, segmentRune{r, classify(r), at})
		at++
		if r > 0xFFFF {
			at++
		}
	}
	return out
}

// segment finds the breaks of a text as pairs (end, 1 if like a word).
func segment(u []uint16, granularity string) []int {
	runes := segmentRunes(u)
	var out []int
	end := func(i int) int {
		if i < len(runes) {
			return runes[i].at
		}
		return len(u)
	}
	for i := 0; i < len(runes); {
		n, word := 0, 0
		switch granularity {
		case "word":
			n, word = nextWord(runes, i)
		case "sentence":
			n = nextSentence(runes, i)
		default:
			n = nextGrapheme(runes, i)
		}
		out = append(out, end(n), word)
		i = n
	}
	return out
}

// nextGrapheme returns the end of the cluster at i (UAX 29: CR LF, controls, marks, emoji sequences, flags, Hangul).
func nextGrapheme(s []segmentRune, i int) int {
	first := s[i]
	i++
	if first.r == '\r' && i < len(s) && s[i].r == '\n' {
		return i + 1
	}
	if first.class == classControl {
		return i
	}
	if first.class == classRegional && i < len(s) && s[i].class == classRegional {
		i++
	}
	pict := first.class == classPictograph
	for i < len(s) {
		switch c := s[i]; {
		case c.class == classExtend, c.class == classZWJ:
			i++
			continue
		case pict && c.class == classPictograph && s[i-1].class == classZWJ:
			i++
			continue
		case hangulJoins(s[i-1].r, c.r):
			i++
			continue
		}
		break
	}
	return i
}

func hangulJoins(a, b rune) bool {
	l := func(r rune) bool { return r >= 0x1100 && r < 0x1160 }
	v := func(r rune) bool { return r >= 0x1160 && r < 0x11A8 }
	t := func(r rune) bool { return r >= 0x11A8 && r < 0x1200 }
	syllable := func(r rune) bool { return r >= 0xAC00 && r <= 0xD7A3 }
	lv := syllable(a) && (a-0xAC00)%28 == 0
	return l(a) && (l(b) || v(b) || syllable(b)) || (lv || v(a)) && (v(b) || t(b)) || (syllable(a) || t(a)) && t(b)
}

// nextWord returns the end of the word at i and whether it is one (UAX 29 word boundaries for spaced scripts; Han and
// Hiragana, which ICU breaks by dictionary, go one character at a time).
func nextWord(s []segmentRune, i int) (int, int) {
	wordy := func(c segmentClass) bool {
		return c == classLetter || c == classNumber || c == classUnderscore || c == classKatakana || c == classHangul
	}
	skip := func(i int) int {
		for i < len(s) && (s[i].class == classExtend || s[i].class == classZWJ) {
			i++
		}
		return i
	}
	first := s[i].class
	if first == classIdeograph {
		return skip(i + 1), 1
	}
	if !wordy(first) {
		if s[i].r == ' ' || first == classSpace {
			for i < len(s) && (s[i].r == ' ' || s[i].class == classSpace) {
				i++
			}
			return skip(i), 0
		}
		return nextGrapheme(s, i), 0
	}
	like := 0
	if first != classUnderscore {
		like = 1
	}
	prev := first
	for i = skip(i + 1); i < len(s); {
		c := s[i].class
		if wordy(c) && (prev == classKatakana || prev == classUnderscore) == (c == classKatakana || prev == classUnderscore) {
			prev = c
			if c != classUnderscore {
				like = 1
			}
			i = skip(i + 1)
			continue
		}
		next := skip(i + 1)
		letters := (c == classMid || s[i].r == '.') && prev == classLetter && next < len(s) && s[next].class == classLetter
		numbers := (c == classMidNum || s[i].r == '\'') && prev == classNumber && next < len(s) && s[next].class == classNumber
		if letters || numbers {
			prev = s[next].class
			i = skip(next + 1)
			continue
		}
		break
	}
	return i, like
}

// nextSentence returns the end of the sentence at i: after a terminator, closing marks and spaces.
func nextSentence(s []segmentRune, i int) int {
	for ; i < len(s); i++ {
		r := s[i].r
		if r == '\n' || r == 0x2028 || r == 0x2029 {
			return i + 1
		}
		if r == '\r' {
			if i+1 < len(s) && s[i+1].r == '\n' {
				i++
			}
			return i + 1
		}
		if !strings.ContainsRune(".?!。！？…", r) {
			continue
		}
		j := i + 1
		for j < len(s) && strings.ContainsRune(".?!。！？…", s[j].r) {
			j++
		}
		for j < len(s) && strings.ContainsRune(`"')]}”’»`, s[j].r) {
			j++
		}
		spaced := j
		for j < len(s) && (s[j].r == ' ' || s[j].class == classSpace) {
			j++
		}
		if j >= len(s) {
			return j
		}
		// A full stop ends no sentence inside a number or word, nor before a lower-case letter.
		if r == '.' && (j == spaced && s[j].r != '\n' || unicode.IsLower(s[j].r)) {
			i = j - 1
			continue
		}
		return j
	}
	return len(s)
}
