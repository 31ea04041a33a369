package reporter

import (
	"fmt"
	"strings"

	"eddy/runtime/testrun"
)

// github writes the annotations that a workflow of GitHub Actions shows beside the code, and the summary of its job
// (TEST-128).
type github struct{ o Options }

func (g *github) Began(string)                                       {}
func (g *github) Reported(*testrun.File, *testrun.Task, string)      {}
func (g *github) Wrote(*testrun.File, *testrun.Task, testrun.Output) {}

func (g *github) Ended(r *testrun.Result) error {
	suites, tests := failures(r.Files)
	for _, f := range append(suites, tests...) {
		title := strings.Join(append([]string{f.file.Name}, f.path...), " > ")
		for _, e := range f.errs {
			if at, ok := nearest(e); ok {
				_, err := fmt.Fprintf(g.o.Out, "\n::error file=%s,title=%s,line=%d,column=%d::%s\n",
					property(strings.TrimPrefix(at.File, "file://")), property(title), at.Line, at.Column,
					data(g.printed(e)))
				if err != nil {
					return err
				}
				continue
			}
			if _, err := fmt.Fprintf(g.o.Out, "\n::error title=%s::%s\n", property(title),
				data(g.printed(e))); err != nil {
				return err
			}
		}
	}
	return g.o.JobSummary.write(r)
}

// printed is an error as the terminal shows it, without the source.
func (g *github) printed(e *testrun.TaskError) string {
	var b strings.Builder
	(&terminal{o: Options{Err: &b, Root: g.o.Root}}).failure(e, "")
	return b.String() + "\n"
}

// data and property escape what would end a value of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
