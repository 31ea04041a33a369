package coverage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// Options say what is covered and how it is reported, as vitest's coverage options do (TEST-137).
type Options struct {
	// Root is the project's directory, Dir where reports go: coverage in it by default.
	Root, Dir string
	// Include are globs of files that count even if no test imports them; without any, those that ran. Exclude are left
	// out.
	Include, Exclude []string
	// Reporters; text, html and json by default.
	Reporters  []string
	Thresholds Thresholds
}

// Thresholds are the least percentages; a negative one is how many may be uncovered, 0 is none.
type Thresholds struct{ Lines, Statements, Functions, Branches float64 }

// Reporters are those that Report knows.
func Reporters() []string {
	return []string{"text", "text-summary", "lcov", "lcovonly", "json", "json-summary", "html", "clover",
		"cobertura"}
}

// Check fails for a reporter that there is none of.
func (o *Options) Check() error {
	for _, name := range o.Reporters {
		if !slices.Contains(Reporters(), name) {
			return fmt.Errorf("there is no reporter of coverage %q; there are %s", name,
				strings.Join(Reporters(), ", "))
		}
	}
	return nil
}

// Covers tells whether a file of the project counts.
func (o *Options) Covers(file string) bool {
	name, err := filepath.Rel(o.Root, file)
	if err != nil || name == ".." || strings.HasPrefix(name, ".."+string(filepath.Separator)) {
		return false
	}
	name = filepath.ToSlash(name)
	return (len(o.Include) == 0 || matches(o.Include, name)) && !matches(o.Exclude, name)
}

func matches(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := doublestar.Match(strings.TrimPrefix(glob, "./"), name)
		return ok && err == nil
	})
}

// Report writes the reports of a run; text goes to w.
func (o *Options) Report(w io.Writer, m *Map) error {
	dir := o.Dir
	if dir == "" {
		dir = "coverage"
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.Root, dir)
	}
	names := o.Reporters
	if len(names) == 0 {
		names = []string{"text", "html", "json"}
	}
	files := m.Files()
	fmt.Fprintf(w, "\n %% Coverage report from eddy\n")
	for _, name := range names {
		if err := o.report(name, w, dir, files); err != nil {
			return fmt.Errorf("coverage: %w", err)
		}
	}
	return nil
}

func (o *Options) report(name string, w io.Writer, dir string, files []*FileCoverage) error {
	into := func(base string, write func(io.Writer) error) error {
		return writeFile(filepath.Join(dir, base), func(f *os.File) error { return write(f) })
	}
	switch name {
	case "text":
		return writeText(w, files)
	case "text-summary":
		return writeSummary(w, files)
	case "json":
		return into("coverage-final.json", func(w io.Writer) error { return writeJSON(w, files) })
	case "json-summary":
		return into("coverage-summary.json", func(w io.Writer) error { return writeJSONSummary(w, files) })
	case "clover":
		return into("clover.xml", func(w io.Writer) error { return writeClover(w, files, time.Now()) })
	case "cobertura":
		return into("cobertura-coverage.xml", func(w io.Writer) error {
			return writeCobertura(w, o.Root, files, time.Now())
		})
	case "lcovonly":
		return into("lcov.info", func(w io.Writer) error { return writeLCOV(w, o.Root, files) })
	case "lcov":
		return errors.Join(o.report("lcovonly", w, dir, files),
			writeHTML(filepath.Join(dir, "lcov-report"), o.Root, files))
	case "html":
		return writeHTML(dir, o.Root, files)
	}
	return o.Check()
}

func writeFile(file string, write func(*os.File) error) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Missed are the thresholds that a run does not reach, in vitest's words.
func (o *Options) Missed(m *Map) (out []string) {
	s := Summarize(m.Files()...)
	for _, x := range []struct {
		name  string
		least float64
		of    Share
	}{{"lines", o.Thresholds.Lines, s.Lines}, {"functions", o.Thresholds.Functions, s.Functions},
		{"statements", o.Thresholds.Statements, s.Statements}, {"branches", o.Thresholds.Branches, s.Branches}} {
		switch {
		case x.least > 0 && x.of.Percent < x.least:
			out = append(out, fmt.Sprintf("ERROR: Coverage for %s (%s%%) does not meet global threshold (%v%%)", x.name,
				number(x.of), x.least))
		case x.least < 0 && float64(x.of.Total-x.of.Covered) > -x.least:
			out = append(out, fmt.Sprintf("ERROR: Uncovered %s (%d) exceed global threshold (%v)", x.name,
				x.of.Total-x.of.Covered, -x.least))
		}
	}
	return out
}
