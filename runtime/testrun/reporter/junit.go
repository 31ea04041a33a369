package reporter

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"

	"eddy/runtime/testrun"
)

// junitReport writes JUnit's XML as vitest does (TEST-129).
type junitReport struct{ o Options }

func (j *junitReport) Began(string)                                  {}
func (j *junitReport) Reported(*testrun.File, *testrun.Task, string) {}

type junitRun struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Timestamp string      `xml:"timestamp,attr"`
	Host      string      `xml:"hostname,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Time      string      `xml:"time,attr"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class    string         `xml:"classname,attr"`
	Name     string         `xml:"name,attr"`
	Time     string         `xml:"time,attr"`
	Skipped  *struct{}      `xml:"skipped"`
	Failures []junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func (j *junitReport) Ended(r *testrun.Result) error {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	out := junitRun{Name: "vitest tests", Time: fmt.Sprint(r.Duration.Seconds())}
	for _, f := range r.Files {
		s := junitSuite{Name: f.Name, Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05.000Z"), Host: host,
			Time: fmt.Sprint(f.Duration / 1000)}
		s.take(f)
		out.Tests += s.Tests
		out.Failures += s.Failures
		out.Suites = append(out.Suites, s)
	}
	text, err := xml.MarshalIndent(out, "", "    ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.o.File, "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n%s\n", text)
	return err
}

func (s *junitSuite) take(f *testrun.File) {
	f.Tests(func(path []string, t *testrun.Task) {
		c := junitCase{Class: f.Name, Name: strings.Join(append(append([]string{}, path...), t.Name), " > "),
			Time: fmt.Sprint(t.Duration / 1000)}
		s.Tests++
		switch t.State {
		case testrun.Skipped, testrun.Todo:
			c.Skipped = &struct{}{}
			s.Skipped++
		case testrun.Failed:
			s.Failures++
			c.Failures = junitFailures(t.Errors)
		}
		s.Cases = append(s.Cases, c)
	})
	suites, _ := failures([]*testrun.File{f})
	for _, x := range suites { // a hook or the file itself
		s.Tests++
		s.Failures++
		s.Cases = append(s.Cases, junitCase{Class: f.Name, Name: strings.Join(append([]string{f.Name}, x.path...),
			" > "),
			Time: "0", Failures: junitFailures(x.errs)})
	}
}

func junitFailures(list []*testrun.Failure) []junitFailure {
	var out []junitFailure
	for _, e := range list {
		text := stackText(e)
		if e.Diff != "" {
			text += "\n\n" + e.Diff
		}
		out = append(out, junitFailure{Message: e.Message, Type: e.Name, Text: text})
	}
	return out
}
