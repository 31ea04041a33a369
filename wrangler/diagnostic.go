package wrangler

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// Severity orders diagnostics: an Error means that the Config must not be used.
type Severity uint8

const (
	Warning Severity = iota
	Error
)

// String returns "warning" or "error".
func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// Diagnostic is one mistake, or one thing worth a warning, in a configuration.
type Diagnostic struct {
	Severity Severity
	File     string   // absolute path; empty for command line options
	Line     int      // from 1; 0 when the mistake has no place in a file
	Column   int      // from 1, in characters
	Width    int      // characters to underline, at least 1
	LineText string   // the line the mistake is on, without its line end
	Text     string   // what is wrong; where the reference has a text, that text
	Notes    []string // what was expected, and where the other half of a conflict is
	Fix      string   // what to write instead
}

// Pos returns the place of the mistake.
func (d Diagnostic) Pos() Pos { return Pos{File: d.File, Line: d.Line, Column: d.Column} }

// Error makes a single diagnostic usable as an error.
func (d Diagnostic) Error() string {
	if d.Line == 0 {
		return d.Text
	}
	return fmt.Sprintf("%s: %s", d.Pos(), d.Text)
}

// Diagnostics are all findings of one Load in file order.
type Diagnostics []Diagnostic

// HasErrors reports whether the configuration must be refused.
func (ds Diagnostics) HasErrors() bool { return ds.count(Error) > 0 }

// Errors returns the findings of severity Error.
func (ds Diagnostics) Errors() Diagnostics { return ds.filter(Error) }

// Warnings returns the findings of severity Warning.
func (ds Diagnostics) Warnings() Diagnostics { return ds.filter(Warning) }

// Err returns nil when there are no errors, and otherwise an error that counts them and quotes the first.
func (ds Diagnostics) Err() error {
	errs := ds.Errors()
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	default:
		return fmt.Errorf("%w (and %d more)", errs[0], len(errs)-1)
	}
}

func (ds Diagnostics) count(s Severity) int {
	n := 0
	for _, d := range ds {
		if d.Severity == s {
			n++
		}
	}
	return n
}

func (ds Diagnostics) filter(s Severity) Diagnostics {
	var out Diagnostics
	for _, d := range ds {
		if d.Severity == s {
			out = append(out, d)
		}
	}
	return out
}

// report collects the findings of one Load. An inherited value is read once for the top level and once for the
// environment, so equal findings at one place are kept once.
type report struct {
	found   Diagnostics
	seen    map[string]bool
	dropped int // findings beyond maxFindings
}

// maxFindings bounds a report. A file with more mistakes is the wrong file.
const maxFindings = 500

func (r *report) add(d Diagnostic) {
	if len(r.found) >= maxFindings {
		r.dropped++
		return
	}
	key := fmt.Sprintf("%d %s %d %d %s", d.Severity, d.File, d.Line, d.Column, d.Text)
	if r.seen[key] {
		return
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	r.seen[key] = true
	r.found = append(r.found, d)
}

// sorted returns the findings in file order; those without a place come first. Dropped ones are mentioned, as an
// error, since there may be errors among them.
func (r *report) sorted() Diagnostics {
	if r.dropped > 0 {
		r.found = append(
			r.found, Diagnostic{
				Severity: Error, Text: fmt.Sprintf("There are %d more mistakes.", r.dropped),
				Fix: "correct the others first"})
		r.dropped = 0
	}
	sort.SliceStable(r.found, func(i, j int) bool {
		a, b := r.found[i], r.found[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	return r.found
}

// at builds a diagnostic that points at a byte range of src.
func at(src *source, where span, severity Severity, text, fix string, notes ...string) Diagnostic {
	pos := src.pos(where.start)
	line := src.line(pos.Line - 1)
	start := min(max(where.start, 0), len(src.text))
	end := min(max(where.end, start), src.lines[pos.Line-1]+len(line))
	width := 1
	if end > start {
		width = utf8.RuneCountInString(src.text[start:end])
	}
	return Diagnostic{
		Severity: severity, File: src.path, Line: pos.Line, Column: pos.Column, Width: width, LineText: line,
		Text: text, Notes: notes, Fix: fix,
	}
}
