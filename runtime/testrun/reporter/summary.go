package reporter

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"eddy/runtime/report"
	"eddy/runtime/testrun"
)

// Ended shows the failures and the summary (TEST-123 to TEST-126).
func (t *terminal) Ended(r *testrun.Result) error {
	t.endOutput()
	if t.style == "dot" {
		fmt.Fprintln(t.o.Out)
	}
	suites, tests := failures(r.Files)
	total := 0
	for _, f := range slices.Concat(suites, tests) {
		total += len(f.errs)
	}
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
	type group struct {
		err  *testrun.TaskError
		list []failed
	}
	var groups []*group
	for _, f := range list {
		for _, e := range f.errs {
			i := slices.IndexFunc(groups, func(g *group) bool {
				return len(e.Frames) > 0 && g.list[0].file.Project == f.file.Project && g.err.Message == e.Message &&
					g.err.Diff == e.Diff && slices.Equal(g.err.Frames, e.Frames)
			})
			if i < 0 {
				i = len(groups)
				groups = append(groups, &group{err: e})
			}
			groups[i].list = append(groups[i].list, f)
		}
	}
	for _, g := range groups {
		fmt.Fprintln(t.o.Err)
		for _, f := range g.list {
			name := strings.Join(append([]string{t.name(f.file)}, f.path...), " > ")
			if f.task == nil {
				name += " [ " + f.file.Name + " ]"
			}
			fmt.Fprintf(t.o.Err, "%s %s\n", t.paint("7;31", " FAIL "), report.Escape(name))
		}
		t.failure(g.err, "")
		*n++
		fmt.Fprintf(t.o.Err, "\n%s\n", t.paint("31", t.rule(fmt.Sprintf("[%d/%d]", *n, total))))
	}
}

func (t *terminal) failure(e *testrun.TaskError, lead string) {
	head := e.Name
	if head == "" {
		head = "Unknown Error" // what was thrown is none
	}
	if e.Message != "" {
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
	unhandled := 0
	list := r.Files
	if t.o.Rerun != nil {
		list = append(slices.Clone(t.o.Rerun.Failed), list...)
	}
	for _, f := range list {
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
		unhandled += len(f.Unhandled)
	}
	fmt.Fprintln(t.o.Out)
	t.snapshots(r)
	t.line("Test Files", t.counted(files))
	t.line("Tests", t.counted(c))
	if unhandled > 0 {
		t.line("Errors", t.paint("31", plural(unhandled, "error")))
	}
	t.line("Start at", r.Started.Format("15:04:05"))
	var setup, imports, tests float64
	for _, f := range r.Files {
		setup, imports, tests = setup+f.Setup, imports+f.Import, tests+f.Duration
	}
	if t.o.Rerun != nil {
		t.line("Duration", duration(setup+imports+tests))
	} else {
		t.line("Duration", fmt.Sprintf("%s %s", duration(float64(r.Duration.Microseconds())/1000), t.paint("2",
			fmt.Sprintf("(transform %s, setup %s, import %s, tests %s)", duration(float64(r.Build.Microseconds())/1000),
				duration(setup), duration(imports), duration(tests)))))
	}
	fmt.Fprintln(t.o.Out)
}

func (t *terminal) line(title, text string) {
	fmt.Fprintf(t.o.Out, "%s  %s\n", t.paint("2", fmt.Sprintf("%11s", title)), text)
}

// snapshots shows what became of them (TEST-125).
func (t *terminal) snapshots(r *testrun.Result) {
	var written, failed, updated, removed, filesRemoved, obsolete int
	var list, gone []string
	for _, f := range r.Files {
		s := f.Snapshots
		written, failed, updated = written+s.Added, failed+s.Unmatched, updated+s.Updated
		if s.FileRemoved {
			filesRemoved++
			gone = append(gone, t.beside(f))
			continue
		}
		if removed += s.Removed; s.Removed == 0 {
			obsolete += len(s.Obsolete)
		}
		if len(s.Obsolete) > 0 {
			list = append(list, "↳ "+t.beside(f))
			for _, key := range s.Obsolete {
				list = append(list, "  · "+report.Escape(key))
			}
		}
	}
	var lines []string
	add := func(n int, word string) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", n, word))
		}
	}
	add(written, "written")
	add(failed, "failed")
	add(updated, "updated")
	add(filesRemoved, "files removed")
	for i, name := range gone {
		lines = append(lines, []string{"↳ ", "  · "}[min(i, 1)]+name)
	}
	add(removed, "removed")
	add(obsolete, "obsolete")
	lines = append(lines, list...)
	title := "Snapshots"
	for _, text := range lines {
		t.line(title, text)
		title = ""
	}
	if len(lines) > 1 {
		fmt.Fprintln(t.o.Out)
	}
}

// beside is the name of a file as vitest writes it beside snapshots.
func (t *terminal) beside(f *testrun.File) string {
	if !strings.Contains(f.Name, "/") {
		return "./" + f.Name
	}
	return f.Name
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
