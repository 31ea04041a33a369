package reporter

import (
	"encoding/json"
	"fmt"
	"strings"

	"eddy/runtime/testrun"
)

// jsonReport writes the report that Jest and vitest write (TEST-131), on one line.
type jsonReport struct{ o Options }

func (j *jsonReport) Began(string)                                  {}
func (j *jsonReport) Reported(*testrun.File, *testrun.Task, string) {}

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
	Added        int  `json:"added"`
	Failure      bool `json:"failure"`
	FilesAdded   int  `json:"filesAdded"`
	FilesRemoved int  `json:"filesRemoved"`
	Matched      int  `json:"matched"`
	Unmatched    int  `json:"unmatched"`
	Updated      int  `json:"updated"`
	Unchecked    int  `json:"unchecked"`
	Total        int  `json:"total"`
	DidUpdate    bool `json:"didUpdate"`
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
	Ancestors []string       `json:"ancestorTitles"`
	FullName  string         `json:"fullName"`
	Status    string         `json:"status"`
	Title     string         `json:"title"`
	Duration  float64        `json:"duration"`
	Failures  []string       `json:"failureMessages"`
	Location  *jsonPlace     `json:"location,omitempty"`
	Meta      map[string]any `json:"meta"`
	Tags      []string       `json:"tags"`
}

type jsonPlace struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// jsonStates are the words of the report for states.
var jsonStates = map[testrun.State]string{
	testrun.Passed: "passed", testrun.Failed: "failed", testrun.Skipped: "skipped", testrun.Todo: "todo", "": "pending",
}

func (j *jsonReport) Ended(r *testrun.Result) error {
	out := jsonRun{Start: r.Started.UnixMilli(), Success: !r.Failed(), Results: []jsonFile{}}
	for _, f := range r.Files {
		out.add(f, r)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(j.o.File, string(text))
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
	if f.State == testrun.Failed {
		out.FailedSuites += suites
	} else {
		out.PassedSuites += suites
	}
	s := f.Snapshots
	out.Snapshot.Added += s.Added
	out.Snapshot.Matched += s.Matched
	out.Snapshot.Unmatched += s.Unmatched
	out.Snapshot.Updated += s.Updated
	out.Snapshot.Unchecked += len(s.Obsolete)
	out.Snapshot.Total += s.Added + s.Matched + s.Unmatched + s.Updated
	out.Snapshot.Failure = out.Snapshot.Failure || s.Unmatched > 0
	out.Snapshot.DidUpdate = out.Snapshot.DidUpdate || s.Updated > 0
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
			Status: jsonStates[t.State], Title: t.Name, Duration: t.Duration, Failures: []string{},
			Meta: map[string]any{},
			Tags: []string{},
		}
		if t.Place != nil {
			test.Location = &jsonPlace{t.Place.Line, t.Place.Column}
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

// stackText is a failure as an error's stack shows it.
func stackText(e *testrun.Failure) string {
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
