package reporter

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"eddy/runtime/report"
	"eddy/runtime/testrun"
)

// Ended shows the failures and the summary (TEST-123 to TEST-126).
func (t *terminal) Ended(r *testrun.Result) error {
	if t.style == "dot" {
		fmt.Fprintln(t.o.Out)
	}
	suites, tests := failures(r.Files)
	total := len(suites) + len(tests)
	n := 0
	t.failed("Failed Suites", suites, &n, total)
	t.failed("Failed Tests", tests, &n, total)
	t.unhandled(r)
	t.summary(r)
	return nil
}

func (t *terminal) failed(title string, list []failed, n *int, total int) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(t.o.Err, "\n%s\n", t.paint("31", t.banner(fmt.Sprintf(" %s %d ", title, len(list)))))
	for _, f := range list {
		names := append([]string{t.name(f.file)}, f.path...)
		fmt.Fprintf(t.o.Err, "\n%s %s\n", t.paint("7;31", " FAIL "), report.Escape(strings.Join(names, " > ")))
		for _, e := range f.errs {
			t.failure(e, "")
		}
		*n++
		fmt.Fprintf(t.o.Err, "\n%s\n", t.paint("31", t.rule(fmt.Sprintf("[%d/%d]", *n, total))))
	}
}

func (t *terminal) failure(e *testrun.Failure, lead string) {
	head := e.Name
	if head != "" && e.Message != "" {
		head += ": "
	}
	fmt.Fprintf(t.o.Err, "%s%s\n", lead, t.paint("31", t.paint("1", head)+report.Lines(e.Message)))
	if e.Diff != "" {
		fmt.Fprintf(t.o.Err, "\n%s\n\n", t.diff(e.Diff))
	}
	at, ok := nearest(e)
	for _, f := range e.Frames {
		if !strings.HasPrefix(f.File, "file://") {
			continue
		}
		place := fmt.Sprintf("%s:%d:%d", short(t.o.Root, f.File), f.Line, f.Column)
		if f.Function != "" {
			place = f.Function + " " + place
		}
		fmt.Fprintf(t.o.Err, " %s %s\n", t.paint("36", "❯"), t.paint("90", place))
		if ok && f == at {
			ok = false
			if t.o.Frame != nil {
				if code := t.o.Frame(f); code != "" {
					fmt.Fprintf(t.o.Err, "%s\n", report.Lines(strings.TrimRight(code, "\n")))
				}
			}
		}
	}
	if e.Cause != nil {
		t.failure(e.Cause, "\nCaused by: ")
	}
}

func (t *terminal) diff(text string) string {
	lines := strings.Split(report.Lines(text), "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "-"):
			lines[i] = t.paint("32", line)
		case strings.HasPrefix(line, "+"):
			lines[i] = t.paint("31", line)
		}
	}
	return strings.Join(lines, "\n")
}

func (t *terminal) unhandled(r *testrun.Result) {
	n := 0
	for _, f := range r.Files {
		n += len(f.Unhandled)
	}
	if n == 0 {
		return
	}
	were := "errors"
	if n == 1 {
		were = "error"
	}
	fmt.Fprintf(t.o.Err, "\n%s\n\n%s\n", t.paint("31", t.banner(" Unhandled Errors ")), t.paint("31", fmt.Sprintf(
		"Vitest caught %d unhandled %s during the test run.\nThis might cause false positive tests. Resolve unhandled "+
			"errors to make sure your tests are not affected.", n, were)))
	for _, f := range r.Files {
		for _, e := range f.Unhandled {
			fmt.Fprintf(t.o.Err, "\n%s\n", t.paint("31", t.banner(" Unhandled Rejection ")))
			t.failure(e, "")
			fmt.Fprintf(t.o.Err, "This error originated in %q test file. It doesn't mean the error was thrown "+
				"inside the file "+
				"itself, but while it was running.\n", f.Name)
		}
	}
	fmt.Fprintf(t.o.Err, "%s\n", t.paint("31", t.rule("")))
}

func (t *terminal) summary(r *testrun.Result) {
	var c, files counts
	snap := struct{ written, failed, updated, removed, filesRemoved, obsolete int }{}
	unhandled := 0
	for _, f := range r.Files {
		var own counts
		own.add(f)
		c.add(f)
		switch {
		case f.State == testrun.Failed:
			files.failed++
		case own.total() > 0 && own.skipped+own.todo == own.total():
			files.skipped++
		default:
			files.passed++
		}
		s := f.Snapshots
		snap.written += s.Added
		snap.failed += s.Unmatched
		snap.updated += s.Updated
		snap.removed += s.Removed
		if s.FileRemoved {
			snap.filesRemoved++
		}
		if s.Removed == 0 {
			snap.obsolete += len(s.Obsolete)
		}
		unhandled += len(f.Unhandled)
	}
	line := func(title, text string) {
		fmt.Fprintf(t.o.Out, "%s  %s\n", t.paint("2", fmt.Sprintf("%11s", title)), text)
	}
	fmt.Fprintln(t.o.Out)
	title := "Snapshots"
	for _, s := range []struct {
		n    int
		word string
	}{{snap.written, "written"}, {snap.failed, "failed"}, {snap.updated, "updated"},
		{snap.filesRemoved, "files removed"},
		{snap.removed, "removed"}, {snap.obsolete, "obsolete"}} {
		if s.n > 0 {
			line(title, fmt.Sprintf("%d %s", s.n, s.word))
			title = ""
		}
	}
	line("Test Files", t.counted(files))
	line("Tests", t.counted(c))
	if unhandled > 0 {
		line("Errors", t.paint("31", plural(unhandled, "error")))
	}
	line("Start at", r.Started.Format("15:04:05"))
	var setup, imports, tests float64
	for _, f := range r.Files {
		setup, imports, tests = setup+f.Setup, imports+f.Import, tests+f.Duration
	}
	line("Duration", fmt.Sprintf("%s %s", duration(float64(r.Duration.Microseconds())/1000), t.paint("2", fmt.Sprintf(
		"(transform %s, setup %s, import %s, tests %s)", duration(float64(r.Build.Microseconds())/1000),
		duration(setup),
		duration(imports), duration(tests)))))
	fmt.Fprintln(t.o.Out)
}

func duration(ms float64) string {
	if ms >= 1000 {
		return fmt.Sprintf("%.2fs", ms/1000)
	}
	return fmt.Sprintf("%.0fms", ms)
}

// counted is `1 failed | 5 passed (6)`.
func (t *terminal) counted(c counts) string {
	var parts []string
	for _, p := range []struct {
		n           int
		word, color string
	}{{c.failed, "failed", "1;31"}, {c.passed, "passed", "1;32"}, {c.expected, "expected fail", "36"},
		{c.skipped, "skipped", "33"}, {c.todo, "todo", "90"}} {
		if p.n > 0 {
			parts = append(parts, t.paint(p.color, fmt.Sprintf("%d %s", p.n, p.word)))
		}
	}
	if len(parts) == 0 {
		return t.paint("2", "no tests")
	}
	return strings.Join(parts, t.paint("2", " | ")) + t.paint("90", fmt.Sprintf(" (%d)", c.total()))
}

// banner centres a title in a line.
func (t *terminal) banner(title string) string {
	width := t.width()
	left := max((width-utf8.RuneCountInString(title))/2, 0)
	return strings.Repeat("⎯", left) + title + strings.Repeat("⎯", max(width-left-utf8.RuneCountInString(title), 0))
}

// rule ends a line with a text, as ⎯⎯[1/3]⎯.
func (t *terminal) rule(text string) string {
	return strings.Repeat("⎯", max(t.width()-utf8.RuneCountInString(text)-1, 0)) + text + "⎯"
}

func (t *terminal) width() int {
	if t.o.Width > 0 {
		return t.o.Width
	}
	return 80
}
