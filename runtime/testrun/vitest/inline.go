package vitest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf16"
)

// inlineSnapshot is a snapshot to be written into a call in the source (TEST-114). Line and Column, from 1, are those
// of the call.
type inlineSnapshot struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// writeInline writes snapshots into the calls of one file.
func writeInline(file string, list []inlineSnapshot) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := string(data)
	// From the end on, so that the places before stay where they are.
	slices.SortFunc(list, func(a, b inlineSnapshot) int {
		if a.Line != b.Line {
			return b.Line - a.Line
		}
		return b.Column - a.Column
	})
	for _, s := range list {
		start, end, arg, err := inlineArgument(text, s)
		if err != nil {
			return fmt.Errorf("%s:%d:%d: %w", file, s.Line, s.Column, err)
		}
		text = text[:start] + arg + text[end:]
	}
	return writeWhole(file, text)
}

// inlineArgument finds what to replace in the call, and by what.
func inlineArgument(text string, s inlineSnapshot) (start, end int, arg string, err error) {
	at, lineStart, ok := offset(text, s.Line, s.Column)
	if !ok {
		return 0, 0, "", fmt.Errorf("the file has changed since the tests began: no such place")
	}
	call := strings.Index(text[at:], "InlineSnapshot")
	if call < 0 {
		return 0, 0, "", fmt.Errorf("no call of toMatchInlineSnapshot here: the file has changed since the tests began")
	}
	at += call + len("InlineSnapshot")
	if open := strings.IndexByte(text[at:], '('); open < 0 {
		return 0, 0, "", fmt.Errorf("no call of toMatchInlineSnapshot here")
	} else {
		at += open + 1
	}
	literal := templateLiteral(indented(s.Text, text[lineStart:]))
	i := skipSpace(text, at)
	if i < len(text) && text[i] == '{' { // properties come first
		i = skipBrackets(text, i)
		j := skipSpace(text, i)
		if j < len(text) && text[j] == ',' {
			k := skipSpace(text, j+1)
			if k < len(text) && strings.IndexByte("`\"'", text[k]) >= 0 {
				return k, skipLiteral(text, k), literal, nil
			}
			return j, j + 1, ", " + literal, nil
		}
		return i, i, ", " + literal, nil
	}
	if i < len(text) && strings.IndexByte("`\"'", text[i]) >= 0 {
		return i, skipLiteral(text, i), literal, nil
	}
	return at, at, literal, nil
}

// indented puts a text of several lines one step further in than the line of the call.
func indented(text, from string) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	line, _, _ := strings.Cut(from, "\n")
	base := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	step := "  "
	if strings.HasPrefix(base, "\t") {
		step = "\t"
	}
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = base + step + l
		}
	}
	return "\n" + strings.Join(lines, "\n") + "\n" + base
}

// offset finds a line and a column of UTF-16 units, both from 1.
func offset(text string, line, column int) (at, lineStart int, ok bool) {
	for n := 1; n < line; n++ {
		next := strings.IndexByte(text[lineStart:], '\n')
		if next < 0 {
			return 0, 0, false
		}
		lineStart += next + 1
	}
	units := 1
	for i, c := range text[lineStart:] {
		if units >= column {
			return lineStart + i, lineStart, true
		}
		if c == '\n' {
			break
		}
		units += max(utf16.RuneLen(c), 1)
	}
	return len(text), lineStart, units >= column
}

func skipSpace(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

// skipLiteral is the offset behind a string or template without substitutions.
func skipLiteral(text string, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(text))
}

// skipBrackets is the offset behind the bracket that closes the one at i.
func skipBrackets(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'', '`':
			i = skipLiteral(text, i) - 1
		}
	}
	return i
}
