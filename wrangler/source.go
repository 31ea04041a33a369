package wrangler

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Pos is a place in a file. Line and Column count from 1; Column counts characters, not bytes. The zero Pos means
// that the value came from no file (a default or a command line option).
type Pos struct {
	File   string // absolute path
	Line   int
	Column int
}

// IsValid reports whether the position points into a file.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String writes the position as file:line:column, or "-" for the zero Pos.
func (p Pos) String() string {
	if !p.IsValid() {
		return "-"
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// source is the text of one file with what is needed to turn offsets into positions.
type source struct {
	path   string
	text   string
	format Language
	lines  []int // offset of the first byte of every line
	runes  []int // runes[i] is the number of characters before byte i*runeBlock
}

// runeBlock is how many bytes at most are read to find a column, however long the line is.
const runeBlock = 256

func newSource(path, text string, format Language) *source {
	lines := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			lines = append(lines, i+1)
		}
	}
	runes := make([]int, 1, len(text)/runeBlock+1)
	for start := 0; start+runeBlock <= len(text); start += runeBlock {
		runes = append(runes, runes[len(runes)-1]+countRuneStarts(text[start:start+runeBlock]))
	}
	return &source{path: path, text: text, format: format, lines: lines, runes: runes}
}

// line returns the text of a line (from 0) without its line end.
func (s *source) line(i int) string {
	end := len(s.text)
	if i+1 < len(s.lines) {
		end = s.lines[i+1] - 1
	}
	return strings.TrimSuffix(s.text[s.lines[i]:end], "\r")
}

// runesBefore counts the characters that begin before a byte offset.
func (s *source) runesBefore(offset int) int {
	block := offset / runeBlock
	return s.runes[block] + countRuneStarts(s.text[block*runeBlock:offset])
}

func countRuneStarts(s string) int {
	n := 0
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}

// pos turns a byte offset into a position. Offsets outside the text are moved to its nearest end.
func (s *source) pos(offset int) Pos {
	offset = min(max(offset, 0), len(s.text))
	i := sort.SearchInts(s.lines, offset+1) - 1
	return Pos{File: s.path, Line: i + 1, Column: s.runesBefore(offset) - s.runesBefore(s.lines[i]) + 1}
}

// offset is the inverse of pos for the line and byte column that decoders report in their errors.
func (s *source) offset(line, column int) int {
	if line < 1 {
		return 0
	}
	if line > len(s.lines) {
		return len(s.text)
	}
	return min(s.lines[line-1]+max(column-1, 0), len(s.text))
}

// offsetOf is the inverse of pos.
func (s *source) offsetOf(p Pos) int {
	if !p.IsValid() {
		return 0
	}
	start := s.lines[p.Line-1]
	for column, i := 1, start; i < len(s.text); column++ {
		if column == p.Column {
			return i
		}
		_, size := utf8.DecodeRuneInString(s.text[i:])
		i += size
	}
	return len(s.text)
}
