package intl

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/clipperhouse/uax29/v2/words"

	"eddy/runtime/engine/builtin"
)

// pieces walks over a text by the default rules of UAX 29.
type pieces interface {
	Next() bool
	Value() string
}

// segment finds the breaks of a text as pairs: the end of a segment in UTF-16 units, and 1 if it is like a word. ICU
// breaks Chinese, Japanese, Thai and their like by dictionary, which UAX 29 leaves open: there a word is what the
// default rules make of it (gaps.txt of package ecma has an example).
func segment(u []uint16, granularity string) []int {
	text := builtin.Decode(u) // a lone surrogate is one character here, and one unit there
	var it pieces
	switch granularity {
	case "word":
		it = words.FromString(text)
	case "sentence":
		it = sentences.FromString(text)
	default:
		it = graphemes.FromString(text)
	}
	var out []int
	end := 0
	for it.Next() {
		piece := it.Value()
		for _, r := range piece {
			if end++; r > 0xFFFF {
				end++
			}
		}
		word := 0
		if granularity == "word" && strings.ContainsFunc(piece, wordLike) {
			word = 1
		}
		out = append(out, end, word)
	}
	return out
}

// wordLike tells whether a character makes its segment a word, and not space or punctuation.
func wordLike(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Pc, r)
}
