package runtime

import (
	"fmt"
	"regexp"
	"testing"

	"eddy/runtime/report"
)

// printedLines are what sessions print whose transcript is compared, without what eddy says of an event because the
// machine is slow, or the race detector makes it so: the reference says nothing, and how fast a case runs is no part of
// it.
type printedLines struct{ *lines }

// slowEvent begins a line about an event that has computed, or has no answer, for seconds.
var slowEvent = regexp.MustCompile(`^▲ [^\n]* has (computed for|no answer after) \d+s`)

// Write takes a line of a Reporter, which may have further lines below it: it is one call.
func (l printedLines) Write(line []byte) (int, error) {
	if slowEvent.Match(line) {
		return len(line), nil
	}
	return l.lines.Write(line)
}

// A session that is told to be slow leaves no line in the transcript; what a script prints is there whatever it says.
func TestPrintedLines(t *testing.T) {
	out := printedLines{newLines()}
	rep := report.New(report.Options{Out: out, Level: report.Log})
	const at = "\n    at Object.fetch (index.js:34:56)\n    34 | for (;;) {}\n       | ^\n"
	rep.Line(report.Log, "console", "a")
	rep.Line(report.Warn, "computing", "GET / has computed for 2s"+at)
	rep.Line(report.Warn, "computing", "[shop] GET / has computed for 2s in a built-in function or WebAssembly")
	rep.Line(report.Warn, "waiting", "GET / has no answer after 5s; its handler waits for 1 timer")
	rep.Line(report.Log, "console", "    b has computed for 2s"+at)
	rep.Line(report.Warn, "console", "c\n▲ d has computed for 2s")
	want := fmt.Sprint("a\n    b has computed for 2s", at, "\n▲ c\n▲ d has computed for 2s\n")
	if got := out.String(); got != want {
		t.Errorf("printed are %q, want %q", got, want)
	}
}
