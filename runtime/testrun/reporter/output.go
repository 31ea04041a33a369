package reporter

import (
	"fmt"
	"io"
	"strings"

	"eddy/runtime/report"
	"eddy/runtime/testrun"
)

// wrote is whose console output was shown last, and on which of the two streams.
type wrote struct {
	file   *testrun.File
	task   *testrun.Task
	stderr bool
}

// Wrote shows console output under a line that names its test. Output of the same test that follows comes below it, and
// an empty line ends it.
func (t *terminal) Wrote(f *testrun.File, task *testrun.Task, o testrun.Output) {
	out, stream := t.o.Out, "stdout"
	if o.Stderr {
		out, stream = t.o.Err, "stderr"
	}
	if now := (wrote{f, task, o.Stderr}); t.wrote == nil || *t.wrote != now {
		t.endOutput()
		t.wrote = &now
		path := append([]string{t.name(f)}, pathTo(f.Tasks, task)...)
		fmt.Fprintln(out, t.paint("90", stream+t.paint("2", " | "+report.Escape(strings.Join(path, " > ")))))
	}
	text := o.Text
	if t.o.Color && o.Coloured != "" {
		text = o.Coloured
	}
	fmt.Fprintln(out, report.Lines(text))
}

// endOutput ends the console output that was shown last, if nothing was shown after it.
func (t *terminal) endOutput() {
	if t.wrote == nil {
		return
	}
	var out io.Writer = t.o.Out
	if t.wrote.stderr {
		out = t.o.Err
	}
	t.wrote = nil
	fmt.Fprintln(out)
}
