package reporter

import (
	"fmt"
	"path/filepath"
	"strings"

	"eddy/runtime/report"
	"eddy/runtime/testrun"
)

// terminal is the reporter for people: a line for each file, its tests where one failed or was slow, and at the end the
// failures and a summary (TEST-119 to TEST-126).
type terminal struct {
	o     Options
	style string // default, verbose or dot
	only  bool   // a single file runs: its tests are listed
	wrote *wrote // what console output was shown last, nil if something else was
}

func (t *terminal) Began(root string) {
	t.only = t.o.Terminal && t.o.Files <= 1
	if t.o.Rerun != nil {
		t.rerun()
		return
	}
	label := t.paint("7;36", " RUN ")
	if t.o.Watch {
		label = t.paint("7;34", " DEV ")
	}
	fmt.Fprintf(t.o.Out, "\n%s %s\n\n", label+" "+t.paint("36", "eddy "+t.o.Version), t.paint("90", root))
}

func (t *terminal) Reported(f *testrun.File, task *testrun.Task, kind string) {
	switch {
	case kind == "test" && t.style != "default", kind == "file" && t.style == "default":
		t.endOutput()
	}
	switch {
	case kind == "test" && t.style == "dot":
		fmt.Fprint(t.o.Out, t.dot(task))
	case kind == "test" && t.style == "verbose" && task != nil:
		t.verbose(f, task)
	case kind == "file" && t.style == "default":
		t.file(f)
	}
}

func (t *terminal) dot(task *testrun.Task) string {
	switch task.State {
	case testrun.Passed:
		return t.paint("32", "·")
	case testrun.Failed:
		return t.paint("31", "x")
	}
	return t.paint("90", "-")
}

func (t *terminal) verbose(f *testrun.File, task *testrun.Task) {
	path := pathTo(f.Tasks, task)
	fmt.Fprintf(t.o.Out, " %s %s%s\n", t.mark(task), report.Escape(strings.Join(append([]string{t.name(f)}, path...),
		" > ")),
		t.took(task))
	if task.State == testrun.Failed {
		for _, e := range task.Errors {
			fmt.Fprintf(t.o.Out, "   %s\n", t.paint("31", "→ "+indentRest(e.Message, "   ")))
		}
	}
}

// pathTo are the names down to a task.
func pathTo(list []*testrun.Task, task *testrun.Task) []string {
	for _, x := range list {
		if x == task {
			return []string{x.Name}
		}
		if below := pathTo(x.Tasks, task); below != nil {
			return append([]string{x.Name}, below...)
		}
	}
	return nil
}

func (t *terminal) name(f *testrun.File) string {
	if f.Project != "" {
		return "|" + f.Project + "| " + f.Name
	}
	return f.Name
}

func (t *terminal) file(f *testrun.File) {
	var c counts
	c.add(f)
	parts := []string{fmt.Sprintf("%d tests", c.total())}
	if c.total() < 2 {
		parts[0] = fmt.Sprintf("%d test", c.total())
	}
	for _, p := range []struct {
		n    int
		word string
	}{{c.failed, "failed"}, {c.skipped, "skipped"}, {c.todo, "todo"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	mark := t.paint("32", "✓")
	switch {
	case f.State == testrun.Failed:
		mark = t.paint("31", "❯")
	case c.total() > 0 && c.skipped+c.todo == c.total():
		mark = t.paint("90", "↓")
	}
	took := ""
	if f.Ran && (c.total() == 0 && f.State != testrun.Failed || c.total() > 0 && c.skipped+c.todo < c.total()) {
		took = " " + t.milliseconds(f.Duration)
	}
	fmt.Fprintf(t.o.Out, " %s %s %s%s\n", mark, t.name(f), t.paint("90", "("+strings.Join(parts, " | ")+")"), took)
	t.tasks(f.Tasks, "   ", t.only || f.State == testrun.Failed)
}

// tasks lists the tests of a file: all, or those that were slow.
func (t *terminal) tasks(list []*testrun.Task, indent string, all bool) {
	for _, task := range list {
		if task.Type == "suite" {
			if t.only {
				fmt.Fprintf(t.o.Out, "%s%s %s %s\n", indent, t.mark(task), report.Escape(task.Name),
					t.paint("2", fmt.Sprintf("(%d)", testsIn(task))))
			}
			t.tasks(task.Tasks, indent+"  ", all)
			continue
		}
		slowly := ""
		switch {
		case t.o.SkippedHidden && (task.State == testrun.Skipped || task.State == testrun.Todo):
			continue
		case task.State != testrun.Failed && task.Duration > t.o.Slow:
			slowly = " "
		case !all:
			continue
		}
		fmt.Fprintf(t.o.Out, "%s%s %s%s%s\n", indent, t.mark(task), report.Escape(task.Name), slowly, t.took(task))
	}
}

func testsIn(suite *testrun.Task) (n int) {
	for _, t := range suite.Tasks {
		if t.Type == "suite" {
			n += testsIn(t)
		} else {
			n++
		}
	}
	return n
}

// took is what follows a test's name.
func (t *terminal) took(task *testrun.Task) string {
	var b strings.Builder
	if task.Ran {
		b.WriteString(" " + t.milliseconds(task.Duration))
	}
	if task.Retries > 0 {
		b.WriteString(t.paint("33", fmt.Sprintf(" (retry x%d)", task.Retries)))
	}
	if task.Repeats > 0 {
		b.WriteString(t.paint("33", fmt.Sprintf(" (repeat x%d)", task.Repeats)))
	}
	if task.Note != "" {
		b.WriteString(t.paint("90", " ["+report.Escape(task.Note)+"]"))
	}
	return b.String()
}

func (t *terminal) mark(task *testrun.Task) string {
	switch state(task) {
	case testrun.Passed:
		return t.paint("32", "✓")
	case testrun.Failed:
		if task.Type == "suite" {
			return t.paint("31", "❯")
		}
		return t.paint("31", "×")
	case testrun.Todo:
		return t.paint("90", "□")
	case "":
		return t.paint("90", "·") // --bail came before it
	}
	return t.paint("90", "↓")
}

// state of a suite is what its tests say.
func state(task *testrun.Task) testrun.TaskState {
	if task.Type != "suite" {
		return task.State
	}
	out := testrun.Skipped
	for _, below := range task.Tasks {
		switch state(below) {
		case testrun.Failed:
			return testrun.Failed
		case testrun.Passed:
			out = testrun.Passed
		}
	}
	if task.State == testrun.Failed {
		return testrun.Failed
	}
	return out
}

func (t *terminal) milliseconds(ms float64) string {
	text := fmt.Sprintf("%.0f%s", ms, t.paint("2", "ms"))
	if ms > t.o.Slow {
		return t.paint("33", text)
	}
	return t.paint("32", text)
}

func (t *terminal) paint(code, text string) string {
	if !t.o.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func plural(n int, word string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func indentRest(text, indent string) string {
	return strings.ReplaceAll(report.Lines(text), "\n", "\n"+indent)
}

// short is a file of the project as the user would type it.
func short(root, file string) string {
	path := strings.TrimPrefix(file, "file://")
	if rel, err := filepath.Rel(root, path); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return path
}
