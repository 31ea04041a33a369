package reporter

import (
	"fmt"
	"strings"

	"eddy/runtime/report"
	"eddy/runtime/testrun"
)

// Rerun says why there is another pass.
type Rerun struct {
	// Trigger is the file that changed or what was asked for. Count is how often its only file ran, 0 for several
	// files.
	Trigger string
	Count   int
	// Project, File and Pattern are what the passes are narrowed to.
	Project, File, Pattern string
	// Failed are files that failed before and do not run in this pass.
	Failed []*testrun.File
}

// rerun shows why there is another pass, on an empty screen.
func (t *terminal) rerun() {
	r := t.o.Rerun
	if t.o.Terminal {
		fmt.Fprint(t.o.Out, "\x1b[2J\x1b[3J\x1b[H")
	}
	var why []string
	if r.Trigger != "" {
		why = append(why, t.paint("2", report.Escape(r.Trigger)))
	}
	if r.Count > 0 {
		why = append(why, t.paint("34", fmt.Sprintf("x%d", r.Count)))
	}
	fmt.Fprintf(t.o.Out, "%s %s\n", t.paint("1;30;44", " RERUN "), strings.Join(why, " "))
	for _, x := range []struct{ what, is string }{
		{"Project name", r.Project}, {"Filename pattern", r.File}, {"Test name pattern", r.Pattern},
	} {
		if x.is != "" {
			fmt.Fprintf(t.o.Out, "%s%s%s\n", badge, t.paint("2", " "+x.what+": "), t.paint("34", report.Escape(x.is)))
		}
	}
	fmt.Fprintln(t.o.Out)
	for _, f := range r.Failed {
		t.file(f)
	}
}

const badge = "       "

// Waiting says that the next pass waits for a change, what the last one came to, and which keys there are.
func Waiting(o Options, failed, cancelled, snapshots bool) {
	t := &terminal{o: o}
	switch {
	case failed:
		fmt.Fprintf(o.Out, "%s %s\n", t.paint("1;30;41", " FAIL "),
			t.paint("31", "Tests failed. Watching for file changes..."))
	case cancelled:
		fmt.Fprintf(o.Out, "%s %s\n", t.paint("1;30;41", " CANCELLED "),
			t.paint("31", "Test run cancelled. Watching for file changes..."))
	default:
		fmt.Fprintf(o.Out, "%s %s\n", t.paint("1;30;42", " PASS "), t.paint("32", "Waiting for file changes..."))
	}
	hints := []string{"press h to show help"}
	if snapshots {
		hints = append([]string{"press u to update snapshot"}, hints...)
	} else {
		hints = append(hints, "press q to quit")
	}
	fmt.Fprintln(o.Out, badge+t.paint("2", strings.Join(hints, ", ")))
}

// FailedSnapshot tells whether a file has failed for a snapshot.
func FailedSnapshot(files []*testrun.File) bool {
	for _, f := range files {
		if f.Snapshots.Unmatched > 0 {
			return true
		}
	}
	return false
}
