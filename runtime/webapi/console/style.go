package console

import (
	"strings"
	"unicode/utf8"
)

// style says what a piece of text is, so that it gets a colour.
type style rune

// Styles are marks: code points of a private area, which no text of a Worker is expected to hold.
const (
	styleSpecial style = 0x10ff00 + iota
	styleNumber
	styleBoolean
	styleUndefined
	styleNull
	styleString
	styleSymbol
	styleDate
	styleRegexp
	styleModule
	styleFaint
	stylesEnd
	styleOff style = 0x10ff7f
)

// colours are the ANSI codes that begin and end each style.
var colours = [stylesEnd - styleSpecial][2]string{
	0:                             {"\x1b[36m", "\x1b[39m"},
	styleNumber - styleSpecial:    {"\x1b[33m", "\x1b[39m"},
	styleBoolean - styleSpecial:   {"\x1b[33m", "\x1b[39m"},
	styleUndefined - styleSpecial: {"\x1b[90m", "\x1b[39m"},
	styleNull - styleSpecial:      {"\x1b[1m", "\x1b[22m"},
	styleString - styleSpecial:    {"\x1b[32m", "\x1b[39m"},
	styleSymbol - styleSpecial:    {"\x1b[32m", "\x1b[39m"},
	styleDate - styleSpecial:      {"\x1b[35m", "\x1b[39m"},
	styleRegexp - styleSpecial:    {"\x1b[31m", "\x1b[39m"},
	styleModule - styleSpecial:    {"\x1b[4m", "\x1b[24m"},
	styleFaint - styleSpecial:     {"\x1b[2m", "\x1b[22m"},
}

// markStart are the first bytes of every mark in UTF-8.
const markStart = "\xf4\x8f\xbc"

// mark puts text between two marks.
func mark(text string, s style) string { return string(rune(s)) + text + string(rune(styleOff)) }

// plain removes the marks.
func plain(s string) string {
	if !strings.Contains(s, markStart[:2]) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if s := style(r); s >= styleSpecial && s < stylesEnd || s == styleOff {
			return -1
		}
		return r
	}, s)
}

// coloured replaces the marks by ANSI colours.
func coloured(s string) string {
	if !strings.Contains(s, markStart[:2]) {
		return s
	}
	var b strings.Builder
	var open []style
	for _, r := range s {
		switch s := style(r); {
		case s >= styleSpecial && s < stylesEnd:
			open = append(open, s)
			b.WriteString(colours[s-styleSpecial][0])
		case s == styleOff && len(open) > 0:
			b.WriteString(colours[open[len(open)-1]-styleSpecial][1])
			open = open[:len(open)-1]
		case s == styleOff:
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// length counts the UTF-16 code units without marks. JavaScript's layout goes by it.
func length(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			n++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case style(r) >= styleSpecial && style(r) <= styleOff:
		case r > 0xffff:
			n += 2
		default:
			n++
		}
	}
	return n
}

// width is the number of columns on a terminal, without marks.
func width(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != 0x7f {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case style(r) >= styleSpecial && style(r) <= styleOff, zeroWidth(r):
		case fullWidth(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

func zeroWidth(r rune) bool {
	return r <= 0x9f || r >= 0x300 && r <= 0x36f || r >= 0x200b && r <= 0x200f || r >= 0x20d0 && r <= 0x20ff ||
		r >= 0xfe00 && r <= 0xfe0f || r >= 0xfe20 && r <= 0xfe2f || r >= 0xe0100 && r <= 0xe01ef
}

// fullWidth covers the wide blocks of Unicode's EastAsianWidth.txt.
func fullWidth(r rune) bool {
	for _, block := range [...][2]rune{{0x1100, 0x115f}, {0x2329, 0x232a}, {0x2e80, 0x303e}, {0x3040, 0x3247},
		{0x3250, 0x4dbf}, {0x4e00, 0xa4c6}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe10, 0xfe19},
		{0xfe30, 0xfe6b}, {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x1b000, 0x1b001}, {0x1f200, 0x1f251},
		{0x1f300, 0x1f64f}, {0x20000, 0x3fffd}} {
		if r <= block[1] {
			return r >= block[0]
		}
	}
	return false
}
