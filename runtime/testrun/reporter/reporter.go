package reporter

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"eddy/runtime/testrun"
)

// RunReporter is told of a run.
type RunReporter interface {
	testrun.Observer
	// Began is called before the first file.
	Began(root string)
	// Ended is called with the result, at the end.
	Ended(r *testrun.Result) error
}

// Options say where and how to report.
type Options struct {
	// Out takes what goes to people, Err the failures. File is where a machine's report goes, a file at Path; nil is
	// Out.
	Out, Err, File io.Writer
	Path           string
	Color          bool
	Root           string
	Version        string
	// Frame shows the source around a place, "" if it is not known.
	Frame func(f testrun.StackFrame) string
	// Width is that of the terminal; 0 means 80.
	Width int
	// Terminal says that Out is one: the tests of a single file are listed.
	Terminal bool
	// Slow is from how many milliseconds on a test is shown although it passed.
	Slow float64
	// Files is how many files the pass has.
	Files int
	// Watch says that passes follow; Rerun, set from the second pass on, why there is another one.
	Watch bool
	Rerun *Rerun
	// SkippedHidden leaves out the tests that did not run.
	SkippedHidden bool
	// JUnit is what the reporter junit writes.
	JUnit JUnitOptions
	// JobSummary is where the reporter github-actions sums up.
	JobSummary JobSummary
}

// Names are the reporters that New knows.
func Names() []string {
	return []string{"default", "verbose", "dot", "json", "junit", "github-actions"}
}

// New makes a reporter by its name.
func New(name string, o Options) (RunReporter, error) {
	if o.File == nil {
		o.File = o.Out
	}
	switch name {
	case "default", "verbose", "dot":
		return &terminal{o: o, style: name}, nil
	case "json":
		return &jsonReport{o: o}, nil
	case "junit":
		return &junitReport{o: o}, nil
	case "github", "github-actions":
		return &github{o: o}, nil
	}
	return nil, fmt.Errorf("there is no reporter %q; there are %s", name, strings.Join(Names(), ", "))
}

// counts are the tests of a run or of a file, by state.
//
// Tests that --bail left out have none.
type counts struct{ passed, failed, skipped, todo, expected, none int }

func (c *counts) add(f *testrun.File) {
	f.Tests(func(_ []string, t *testrun.Task) {
		switch t.State {
		case testrun.Passed:
			if t.ExpectedFail {
				c.expected++
			} else {
				c.passed++
			}
		case testrun.Failed:
			c.failed++
		case testrun.Todo:
			c.todo++
		case "":
			c.none++
		default:
			c.skipped++
		}
	})
}

func (c counts) total() int { return c.passed + c.failed + c.skipped + c.todo + c.expected + c.none }

// failed lists what failed in a file: suites with errors of their own, and tests, each with the names above it.
type failed struct {
	file *testrun.File
	path []string
	task *testrun.Task // nil for the file
	errs []*testrun.TaskError
}

func failures(files []*testrun.File) (suites, tests []failed) {
	for _, f := range files {
		if len(f.Errors) > 0 {
			suites = append(suites, failed{file: f, errs: f.Errors})
		}
		var visit func(path []string, list []*testrun.Task)
		visit = func(path []string, list []*testrun.Task) {
			for _, t := range list {
				own := append(slices.Clone(path), t.Name)
				if t.Type == "suite" {
					if len(t.Errors) > 0 {
						suites = append(suites, failed{f, own, t, t.Errors})
					}
					visit(own, t.Tasks)
				} else if t.State == testrun.Failed {
					tests = append(tests, failed{f, own, t, t.Errors})
				}
			}
		}
		visit(nil, f.Tasks)
	}
	return suites, tests
}

// nearest is the place of a failure in the project's own files.
func nearest(e *testrun.TaskError) (testrun.StackFrame, bool) {
	for _, f := range e.Frames {
		if strings.HasPrefix(f.File, "file://") && !strings.Contains(f.File, "/node_modules/") {
			return f, true
		}
	}
	return testrun.StackFrame{}, false
}
