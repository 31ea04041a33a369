package reporter

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"eddy/runtime/testrun"
)

// JobSummary says where the summary of a job goes that GitHub shows on the page of a workflow's run (TEST-128).
type JobSummary struct {
	// Append adds text to the job's summary; nil if there is no job.
	Append func(text string) error
	// Repository, Commit and Workspace are the job's: with all three the names of tests are links to their files.
	Repository, Commit, Workspace string
}

// write appends what vitest 4.1 says of a run: how many files and tests came to what, and which passed after retries.
func (s *JobSummary) write(r *testrun.Result) error {
	if s.Append == nil {
		return nil
	}
	var files, c counts
	for _, f := range r.Files {
		switch f.State {
		case testrun.Failed:
			files.failed++
		case testrun.Passed:
			files.passed++
		}
		c.add(f)
	}
	var b strings.Builder
	b.WriteString("## Vitest Test Report\n\n### Summary\n\n")
	fmt.Fprintf(&b, "- **Test Files**: %s\n", shares(files.failed+files.passed, marked("❌", files.failed, "failure"),
		marked("✅", files.passed, "pass")))
	fmt.Fprintf(&b, "- **Test Results**: %s\n", shares(c.failed+c.passed+c.expected, marked("❌", c.failed, "failure"),
		marked("✅", c.passed, "pass"), marked("🔵", c.expected, "expected failure")))
	if others := c.skipped + c.todo; others > 0 {
		fmt.Fprintf(&b, "- **Other**: %s\n", shares(others, counted(c.skipped, "skip"), counted(c.todo, "todo")))
	}
	b.WriteString(s.unsteady(r.Files))
	return s.Append(b.String())
}

// unsteady lists the tests that passed after retries, by file, those that needed most of theirs first.
func (s *JobSummary) unsteady(files []*testrun.File) string {
	var b strings.Builder
	for _, f := range files {
		type retried struct {
			name           string
			tries, allowed int
		}
		var list []retried
		f.Tests(func(path []string, t *testrun.Task) {
			if t.State == testrun.Passed && t.Retries > 0 {
				list = append(list, retried{strings.Join(append(path[:len(path):len(path)], t.Name), " > "), t.Retries,
					max(t.Allowed, t.Retries)})
			}
		})
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(x, y retried) int {
			return cmp.Compare(y.tries*x.allowed, x.tries*y.allowed)
		})
		fmt.Fprintf(&b, "\n##### `%s` (%d flaky tests)\n", f.Name, len(list))
		for _, t := range list {
			text := fmt.Sprintf("passed on retry %d out of %d", t.tries, t.allowed)
			if 5*t.tries >= 4*t.allowed {
				text = "**" + text + "**"
			}
			fmt.Fprintf(&b, "\n- %s (%s)", s.link("`"+t.name+"`", f.Path), text)
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n### Flaky Tests\n\n" +
		"These tests passed only after one or more retries, indicating potential instability.\n" + b.String()
}

// link makes a link to a file of the repository, if the job says where that is.
func (s *JobSummary) link(text, path string) string {
	if s.Repository == "" || s.Commit == "" || s.Workspace == "" {
		return text
	}
	name, err := filepath.Rel(s.Workspace, path)
	if err != nil {
		return text
	}
	return fmt.Sprintf("[%s](https://github.com/%s/blob/%s/%s)", text, s.Repository, s.Commit, filepath.ToSlash(name))
}

// shares are the parts of a number of files or tests, without those that are "", and the whole.
func shares(total int, parts ...string) string {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(append(parts, fmt.Sprintf("%d total", total)), " · ")
}

func marked(mark string, n int, noun string) string {
	text := counted(n, noun)
	if text == "" {
		return ""
	}
	return mark + " **" + text + "**"
}

// counted is a number with its noun, "" for none.
func counted(n int, noun string) string {
	switch {
	case n == 0:
		return ""
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "pass"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
