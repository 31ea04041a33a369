package reporter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"eddy/runtime/testrun"
)

// jsonReport writes the report that Jest and vitest write (TEST-131), on one line.
type jsonReport struct{ o Options }

func (j *jsonReport) Began(string)                                       {}
func (j *jsonReport) Reported(*testrun.File, *testrun.Task, string)      {}
func (j *jsonReport) Wrote(*testrun.File, *testrun.Task, testrun.Output) {}

type jsonRun struct {
	Suites        int          `json:"numTotalTestSuites"`
	PassedSuites  int          `json:"numPassedTestSuites"`
	FailedSuites  int          `json:"numFailedTestSuites"`
	PendingSuites int          `json:"numPendingTestSuites"`
	Tests         int          `json:"numTotalTests"`
	Passed        int          `json:"numPassedTests"`
	Failed        int          `json:"numFailedTests"`
	Pending       int          `json:"numPendingTests"`
	Todo          int          `json:"numTodoTests"`
	Snapshot      jsonSnapshot `json:"snapshot"`
	Start         int64        `json:"startTime"`
	Success       bool         `json:"success"`
	Results       []jsonFile   `json:"testResults"`
}

type jsonSnapshot struct {
	Added          int             `json:"added"`
	Failure        bool            `json:"failure"`
	FilesAdded     int             `json:"filesAdded"`
	FilesRemoved   int             `json:"filesRemoved"`
	FilesGone      []string        `json:"filesRemovedList"`
	FilesUnmatched int             `json:"filesUnmatched"`
	FilesUpdated   int             `json:"filesUpdated"`
	Matched        int             `json:"matched"`
	Total          int             `json:"total"`
	Unchecked      int             `json:"unchecked"`
	UncheckedKeys  []jsonUnchecked `json:"uncheckedKeysByFile"`
	Unmatched      int             `json:"unmatched"`
	Updated        int             `json:"updated"`
	DidUpdate      bool            `json:"didUpdate"`
}

type jsonUnchecked struct {
	Path string   `json:"filePath"`
	Keys []string `json:"keys"`
}

type jsonFile struct {
	Tests   []jsonTest `json:"assertionResults"`
	Start   int64      `json:"startTime"`
	End     int64      `json:"endTime"`
	Status  string     `json:"status"`
	Message string     `json:"message"`
	Name    string     `json:"name"`
}

type jsonTest struct {
	Ancestors []string        `json:"ancestorTitles"`
	FullName  string          `json:"fullName"`
	Status    string          `json:"status"`
	Title     string          `json:"title"`
	Duration  *float64        `json:"duration,omitempty"`
	Failures  []string        `json:"failureMessages"`
	Meta      json.RawMessage `json:"meta"`
	Tags      []string        `json:"tags"`
}

// jsonStates are the words of the report for states.
var jsonStates = map[testrun.TaskState]string{
	testrun.Passed: "passed", testrun.Failed: "failed", testrun.Skipped: "skipped", testrun.Todo: "todo", "": "pending",
}

func (j *jsonReport) Ended(r *testrun.Result) error {
	out := jsonRun{Start: r.Started.UnixMilli(), Success: !r.Failed(), Results: []jsonFile{}}
	out.Snapshot.FilesGone, out.Snapshot.UncheckedKeys = []string{}, []jsonUnchecked{}
	for _, f := range r.Files {
		out.add(f, r)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(j.o.File, string(text))
	if err == nil && j.o.Path != "" {
		_, err = fmt.Fprintf(j.o.Out, "JSON report written to %s\n", j.o.Path)
	}
	return err
}

func (out *jsonRun) add(f *testrun.File, r *testrun.Result) {
	var c counts
	c.add(f)
	out.Tests += c.total()
	out.Passed += c.passed + c.expected
	out.Failed += c.failed
	out.Pending += c.skipped
	out.Todo += c.todo
	suites := suitesOf(f.Tasks) + 1
	out.Suites += suites
	broken := failedSuites(f.Tasks)
	if f.State == testrun.Failed {
		broken++
	}
	todo := todoSuites(f.Tasks)
	out.FailedSuites += broken
	out.PendingSuites += todo
	out.PassedSuites += suites - broken - todo
	s := f.Snapshots
	out.Snapshot.Added += s.Added
	out.Snapshot.Matched += s.Matched
	out.Snapshot.Unmatched += s.Unmatched
	out.Snapshot.Updated += s.Updated
	out.Snapshot.Unchecked += len(s.Obsolete)
	out.Snapshot.Total += s.Added + s.Matched + s.Unmatched + s.Updated
	out.Snapshot.DidUpdate = out.Snapshot.DidUpdate || s.Updated > 0
	for count, n := range map[*int]int{&out.Snapshot.FilesAdded: s.Added, &out.Snapshot.FilesUnmatched: s.Unmatched,
		&out.Snapshot.FilesUpdated: s.Updated} {
		if n > 0 {
			*count++
		}
	}
	if len(s.Obsolete) > 0 {
		out.Snapshot.UncheckedKeys = append(out.Snapshot.UncheckedKeys, jsonUnchecked{f.Path, s.Obsolete})
	}
	if s.FileRemoved {
		out.Snapshot.FilesRemoved++
	}
	file := jsonFile{
		Start: r.Started.UnixMilli(), End: r.Started.UnixMilli() + int64(f.Duration), Status: "passed", Name: f.Path,
		Tests: []jsonTest{},
	}
	if f.State == testrun.Failed {
		file.Status = "failed"
	}
	for _, e := range f.Errors {
		file.Message = e.Message
	}
	f.Tests(func(path []string, t *testrun.Task) {
		test := jsonTest{
			Ancestors: append([]string{}, path...), FullName: strings.Join(append(append([]string{}, path...), t.Name),
				" "),
			Status: jsonStates[t.State], Title: t.Name, Failures: []string{},
			Meta: t.Meta,
			Tags: []string{},
		}
		if t.Ran {
			test.Duration = &t.Duration
		}
		if test.Meta == nil {
			test.Meta = json.RawMessage("{}")
		}
		for _, e := range t.Errors {
			test.Failures = append(test.Failures, stackText(e))
		}
		file.Tests = append(file.Tests, test)
	})
	out.Results = append(out.Results, file)
}

func suitesOf(list []*testrun.Task) (n int) {
	for _, t := range list {
		if t.Type == "suite" {
			n += 1 + suitesOf(t.Tasks)
		}
	}
	return n
}

// failedSuites counts those that failed or in which something did.
func failedSuites(list []*testrun.Task) (n int) {
	for _, t := range list {
		if t.Type == "suite" {
			n += failedSuites(t.Tasks)
			if hasFailed(t) {
				n++
			}
		}
	}
	return n
}

func todoSuites(list []*testrun.Task) (n int) {
	for _, t := range list {
		if n += todoSuites(t.Tasks); t.Type == "suite" && t.Mode == "todo" {
			n++
		}
	}
	return n
}

func hasFailed(t *testrun.Task) bool {
	return t.Type == "suite" && len(t.Errors) > 0 || t.State == testrun.Failed ||
		slices.ContainsFunc(t.Tasks, hasFailed)
}

// stackText is a failure as an error's stack shows it.
func stackText(e *testrun.TaskError) string {
	var b strings.Builder
	if e.Name != "" {
		b.WriteString(e.Name + ": ")
	}
	b.WriteString(e.Message)
	for _, f := range e.Frames {
		place := fmt.Sprintf("%s:%d:%d", strings.TrimPrefix(f.File, "file://"), f.Line, f.Column)
		if f.Function != "" {
			place = f.Function + " (" + place + ")"
		}
		b.WriteString("\n    at " + place)
	}
	return b.String()
}
