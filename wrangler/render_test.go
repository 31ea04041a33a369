package wrangler

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	d := Diagnostic{
		Severity: Error, File: filepath.FromSlash("/p/wrangler.jsonc"), Line: 12, Column: 4, Width: 3,
		LineText: "\ta: bcd", Text: "wrong", Notes: []string{"n1", "n2"}, Fix: "f"}
	plain := "error: wrong\n   --> wrangler.jsonc:12:4\n    |\n 12 |  a: bcd\n    |    ^^^\n    = note: n1\n    = " +
		"note: n2\n    = fix: f\n"
	if got := d.Render(RenderOptions{Base: filepath.FromSlash("/p")}); got != plain {
		t.Errorf("rendered:\n%s\nwant:\n%s", got, plain)
	}
	coloured := d.Render(RenderOptions{Base: filepath.FromSlash("/p"), Color: true})
	if !strings.Contains(coloured, "\x1b[31m^^^\x1b[0m") || stripColour(coloured) != plain {
		t.Errorf("coloured: %q", coloured)
	}
	d.Severity = Warning
	if got := d.Render(RenderOptions{Color: true}); !strings.Contains(got, "\x1b[33mwarning:") {
		t.Errorf("warning: %q", got)
	}
}

func stripColour(s string) string {
	for _, sequence := range []string{
		coloured.red, coloured.yellow, coloured.cyan, coloured.green, coloured.bold, coloured.dim, coloured.reset} {
		s = strings.ReplaceAll(s, sequence, "")
	}
	return s
}

// TestRenderIsSafe: neither a file nor an option can send escape sequences to the terminal.
func TestRenderIsSafe(t *testing.T) {
	d := Diagnostic{
		File: "f\x1b[2J\u202e\nerror: forged", Line: 1, Column: 1, Width: 1, LineText: "\x1b[2Jx\u2066\u2028",
		Text: "a\x1b[1mb\nc\u200f", Notes: []string{"\u009b1m\u202d"}, Fix: "\a"}
	got := d.Render(RenderOptions{})
	if strings.ContainsAny(got, "\x1b\u009b\a\u202e\u202d\u2066\u2028\u200f") || strings.Count(got, "\n") != 7 {
		t.Errorf("rendered %q", got)
	}
}

func TestRenderLongLine(t *testing.T) {
	line := strings.Repeat("a", 500) + "X" + strings.Repeat("b", 500)
	got := Diagnostic{File: "f", Line: 1, Column: 501, Width: 1, LineText: line, Text: "t"}.Render(RenderOptions{})
	lines := strings.Split(got, "\n")
	code, caret := []rune(lines[3]), strings.Index(lines[4], "^")
	if len(code) > 140 || code[caret] != 'X' {
		t.Errorf("frame:\n%s", got)
	}
}

func TestDiagnosticsErr(t *testing.T) {
	e1, e2 := Diagnostic{Severity: Error, Text: "one"},
		Diagnostic{Severity: Error, Text: "two", File: "f", Line: 1, Column: 2}
	tests := []struct {
		found Diagnostics
		want  string
	}{
		{Diagnostics{{Text: "w"}}, ""},
		{Diagnostics{{Text: "w"}, e2}, "f:1:2: two"},
		{Diagnostics{e1, e2, e2}, "one (and 2 more)"},
	}
	for _, test := range tests {
		err := test.found.Err()
		if got := ""; err == nil {
			if test.want != got {
				t.Errorf("no error, want %q", test.want)
			}
			continue
		}
		var d Diagnostic
		if err.Error() != test.want || !errors.As(err, &d) {
			t.Errorf("error %q, want %q", err, test.want)
		}
	}
	if all := (Diagnostics{{Text: "w"}, e1}); !all.HasErrors() || len(all.Warnings()) != 1 || len(all.Errors()) != 1 {
		t.Errorf("errors %v, warnings %v", all.Errors(), all.Warnings())
	}
}
