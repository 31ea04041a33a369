package reporter

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"eddy/runtime/testrun"
)

// JUnitOptions are what a configuration may say of the reporter junit (TEST-130). The zero value leaves the console
// out; DefaultJUnit is what holds without a configuration.
type JUnitOptions struct {
	// SuiteName is the name of all suites together.
	SuiteName string `json:"suiteName"`
	// ClassnameTemplate is the class of a test, with {filename} for its file as seen from the root, and {filepath} for
	// the whole path.
	ClassnameTemplate string `json:"classnameTemplate"`
	// IncludeConsoleOutput keeps what tests write.
	IncludeConsoleOutput bool `json:"includeConsoleOutput"`
	// AddFileAttribute gives each test its file.
	AddFileAttribute bool   `json:"addFileAttribute"`
	Hostname         string `json:"hostname"`
}

// DefaultJUnit is vitest's.
var DefaultJUnit = JUnitOptions{SuiteName: "vitest tests", IncludeConsoleOutput: true}

// test are the attributes of one.
func (o JUnitOptions) test(f *testrun.File, c junitCase) []string {
	class := f.Name
	if o.ClassnameTemplate != "" {
		class = strings.NewReplacer("{filename}", f.Name, "{filepath}", f.Path).Replace(o.ClassnameTemplate)
	}
	list := []string{"classname", class}
	if o.AddFileAttribute {
		list = append(list, "file", f.Name)
	}
	return append(list, "name", c.name, "time", seconds(c.took))
}

// junitReport writes JUnit's XML as vitest does (TEST-129).
type junitReport struct {
	o Options
	// wrote is what tests wrote to the console: to stdout, and to stderr.
	wrote map[*testrun.Task]*[2]strings.Builder
}

func (j *junitReport) Began(string)                                  {}
func (j *junitReport) Reported(*testrun.File, *testrun.Task, string) {}

func (j *junitReport) Wrote(_ *testrun.File, t *testrun.Task, o testrun.Output) {
	if t == nil || !j.o.JUnit.IncludeConsoleOutput {
		return // the format has no place for what no test wrote
	}
	if j.wrote == nil {
		j.wrote = map[*testrun.Task]*[2]strings.Builder{}
	}
	texts := j.wrote[t]
	if texts == nil {
		texts = &[2]strings.Builder{}
		j.wrote[t] = texts
	}
	stream := 0
	if o.Stderr {
		stream = 1
	}
	texts[stream].WriteString(o.Text + "\n")
}

// element writes one element with its attributes, in pairs, and what is inside.
func (x *xmlText) element(name string, attributes []string, inside func()) {
	x.b.WriteString(x.indent + "<" + name)
	for i := 0; i < len(attributes); i += 2 {
		fmt.Fprintf(&x.b, " %s=\"%s\"", attributes[i], escaped(attributes[i+1]))
	}
	x.b.WriteString(">\n")
	x.indent += "    "
	inside()
	x.indent = x.indent[4:]
	x.b.WriteString(x.indent + "</" + name + ">\n")
}

type xmlText struct {
	b      strings.Builder
	indent string
}

// escaped leaves out what XML cannot have.
func escaped(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0xfffd && r <= 0xffff {
			return -1
		}
		return r
	}, text)
	return strings.NewReplacer("&", "&amp;", `"`, "&quot;", "'", "&apos;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// junitCase is a test, or a suite or file that failed by itself.
type junitCase struct {
	name  string
	task  *testrun.Task // nil for a file
	state testrun.TaskState
	took  float64
	errs  []*testrun.TaskError
}

func casesOf(f *testrun.File) (list []junitCase, failing, skipped int) {
	f.Tests(func(path []string, t *testrun.Task) {
		list = append(list, junitCase{strings.Join(append(append([]string{}, path...), t.Name), " > "), t, t.State,
			t.Duration, t.Errors})
		switch t.State {
		case testrun.Skipped, testrun.Todo:
			skipped++
		case testrun.Failed:
			failing++
		}
	})
	suites, _ := failures([]*testrun.File{f})
	for _, x := range suites { // a hook or the file itself
		c := junitCase{name: f.Name, state: testrun.Failed, errs: x.errs}
		if x.task != nil {
			c.name, c.took = x.task.Name, x.task.Duration
		}
		list = append(list, c)
		failing++
	}
	return list, failing, skipped
}

func (j *junitReport) Ended(r *testrun.Result) error {
	o := j.o.JUnit
	host := o.Hostname
	if host == "" {
		var err error
		if host, err = os.Hostname(); err != nil {
			host = "localhost"
		}
	}
	tests, failing, took := 0, 0, 0.0
	for _, f := range r.Files {
		list, n, _ := casesOf(f)
		tests, failing, took = tests+len(list), failing+n, took+f.Duration
	}
	x := &xmlText{}
	x.element("testsuites", []string{"name", o.SuiteName, "tests", strconv.Itoa(tests), "failures",
		strconv.Itoa(failing), "errors", "0", "time", seconds(took)}, func() {
		for _, f := range r.Files {
			list, n, skipped := casesOf(f)
			x.element("testsuite", []string{"name", f.Name, "timestamp",
				r.Started.UTC().Format("2006-01-02T15:04:05.000Z"), "hostname", host, "tests", strconv.Itoa(len(list)),
				"failures", strconv.Itoa(n), "errors", "0", "skipped", strconv.Itoa(skipped), "time",
				seconds(f.Duration)},
				func() {
					for _, c := range list {
						x.element("testcase", o.test(f, c), func() {
							x.outputs(j.wrote[c.task])
							x.outcome(c)
						})
					}
				})
		}
	})
	_, err := fmt.Fprintf(j.o.File, "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n%s", x.b.String())
	if err == nil && j.o.Path != "" {
		_, err = fmt.Fprintf(j.o.Out, "JUNIT report written to %s\n", j.o.Path)
	}
	return err
}

// outputs writes what a test wrote to the console.
func (x *xmlText) outputs(texts *[2]strings.Builder) {
	if texts == nil {
		return
	}
	for i, name := range []string{"system-out", "system-err"} {
		if text := texts[i].String(); text != "" {
			x.element(name, nil, func() { x.b.WriteString(escaped(text) + "\n") })
		}
	}
}

func (x *xmlText) outcome(c junitCase) {
	if c.state == testrun.Skipped || c.state == testrun.Todo {
		x.b.WriteString(x.indent + "<skipped/>\n")
	}
	if c.state != testrun.Failed {
		return
	}
	for _, e := range c.errs {
		x.element("failure", []string{"message", e.Message, "type", e.Name}, func() {
			text := stackText(e)
			if e.Diff != "" {
				text += "\n\n" + e.Diff
			}
			x.b.WriteString(escaped(text) + "\n")
		})
	}
}

// seconds writes milliseconds as seconds.
func seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', -1, 64) }
