package wrangler

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// RenderOptions decide how diagnostics look.
type RenderOptions struct {
	Color bool   // ANSI colours
	Base  string // directory that file names are shown relative to; "" shows them absolute
}

// palette holds the escape sequences of one rendering; all empty without colour.
type palette struct{ red, yellow, cyan, green, bold, dim, reset string }

var coloured = palette{
	red: "\x1b[31m", yellow: "\x1b[33m", cyan: "\x1b[36m", green: "\x1b[32m", bold: "\x1b[1m", dim: "\x1b[2m",
	reset: "\x1b[0m"}

// Render writes every diagnostic with its place, the line it is about, a caret under the mistake, the notes and what
// to write instead:
//
//	error: "queues.consumers[0]" should have a string "queue" field but got {}.
//	  --> wrangler.jsonc:3:18
//	   |
//	 3 |   "consumers": [{}]
//	   |                 ^^
//	   = fix: add "queue": "my-queue"
func (ds Diagnostics) Render(w io.Writer, opts RenderOptions) error {
	for i, d := range ds {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return fmt.Errorf("write diagnostics: %w", err)
			}
		}
		if _, err := io.WriteString(w, d.Render(opts)); err != nil {
			return fmt.Errorf("write diagnostics: %w", err)
		}
	}
	return nil
}

// maxFrame is how many characters of a line a code frame shows; of longer lines the part around the mistake.
const maxFrame = 120

// Render returns one diagnostic as text that ends with a line end.
func (d Diagnostic) Render(opts RenderOptions) string {
	var p palette
	if opts.Color {
		p = coloured
	}
	accent := p.yellow
	if d.Severity == Error {
		accent = p.red
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s%s:%s %s%s%s\n", p.bold, accent, d.Severity, p.reset, p.bold, printable(d.Text), p.reset)
	number := strconv.Itoa(d.Line)
	gutter := strings.Repeat(" ", len(number)+1)
	if d.File != "" {
		place := displayPath(d.File, opts.Base)
		if d.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, d.Line, d.Column)
		}
		fmt.Fprintf(&b, "%s%s-->%s %s\n", gutter, p.cyan, p.reset, printable(place))
	}
	if d.LineText != "" {
		line, column := frame(d.LineText, d.Column)
		caret := strings.Repeat("^", max(1, min(d.Width, utf8.RuneCountInString(line)-column+1)))
		fmt.Fprintf(&b, "%s %s|%s\n", gutter, p.dim, p.reset)
		fmt.Fprintf(&b, " %s%s |%s %s\n", p.dim, number, p.reset, line)
		fmt.Fprintf(&b, "%s %s|%s %s%s%s%s\n", gutter, p.dim, p.reset, strings.Repeat(" ", column-1), accent, caret,
			p.reset)
	}
	for _, note := range d.Notes {
		fmt.Fprintf(&b, "%s %s=%s note: %s\n", gutter, p.dim, p.reset, printable(note))
	}
	if d.Fix != "" {
		fmt.Fprintf(&b, "%s %s=%s %sfix:%s %s\n", gutter, p.dim, p.reset, p.green, p.reset, printable(d.Fix))
	}
	return b.String()
}

// frame cuts a line to what fits and returns the column of the mistake in it. Tabs become single blanks so that the
// caret stands where it should.
func frame(line string, column int) (string, int) {
	runes := []rune(printable(line))
	if len(runes) <= maxFrame {
		return string(runes), column
	}
	start := max(0, min(column-1-maxFrame/2, len(runes)-maxFrame))
	shown := string(runes[start:min(start+maxFrame, len(runes))])
	if start == 0 {
		return shown + "…", column
	}
	return "…" + shown, column - start + 1
}

// printable replaces what a terminal would obey instead of showing it by blanks: controls, marks of direction, which
// reorder a line, and separators of lines. A caret below stays where it should.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x061c, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029,
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return ' '
		}
		return r
	}, s)
}

func displayPath(path, base string) string {
	if base == "" {
		return path
	}
	rel, err := filepath.Rel(base, path)
	if err != nil || strings.HasPrefix(rel, ".."+string(filepath.Separator)+"..") {
		return path
	}
	return rel
}
