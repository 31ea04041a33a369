package testrun

import (
	"encoding/json"
	"fmt"

	"eddy/runtime/testrun/vitest"
)

// TaskState is what became of a task.
type TaskState string

// The states of tasks.
const (
	Passed  TaskState = "pass"
	Failed  TaskState = "fail"
	Skipped TaskState = "skip"
	Todo    TaskState = "todo"
)

// StackFrame is a place in the user's files.
type StackFrame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

// TaskError is one error of a task.
type TaskError struct {
	Name     string       `json:"name"`
	Message  string       `json:"message"`
	Frames   []StackFrame `json:"frames"`
	Expected *string      `json:"expected"`
	Actual   *string      `json:"actual"`
	Diff     string       `json:"diff"`
	Cause    *TaskError   `json:"cause"`
}

// Task is a test or a suite.
type Task struct {
	ID    string      `json:"id"`
	Type  string      `json:"type"` // "test" or "suite"
	Name  string      `json:"name"`
	Mode  string      `json:"mode"`
	Place *StackFrame `json:"place"`
	// Tasks are those of a suite.
	Tasks []*Task `json:"tasks"`

	State TaskState `json:"-"`
	// Duration is milliseconds of real time, if it Ran.
	Duration         float64 `json:"-"`
	Ran              bool    `json:"-"`
	Retries, Repeats int     `json:"-"`
	// Allowed is how many retries it may have.
	Allowed      int          `json:"-"`
	Note         string       `json:"-"`
	ExpectedFail bool         `json:"-"`
	Errors       []*TaskError `json:"-"`
	// Meta is what the test says of itself, as JSON.
	Meta json.RawMessage `json:"-"`
}

// File is a test file.
type File struct {
	Path, Name, Project string
	Tasks               []*Task
	State               TaskState
	// Errors are those of the file as a whole: its import, its hooks.
	Errors []*TaskError
	// Setup, Import and Tests are milliseconds of real time.
	Setup, Import, Duration float64
	// Ran says that it could be imported, so that Duration is known.
	Ran bool
	// Unhandled are exceptions and rejections that nobody caught while the file ran.
	Unhandled []*TaskError

	Snapshots vitest.Snapshots

	byID map[string]*Task
}

// message is one report of package vitest.
type message struct {
	Kind         string       `json:"kind"`
	ID           string       `json:"id"`
	State        TaskState    `json:"state"`
	Note         string       `json:"note"`
	Duration     *float64     `json:"duration"`
	Retries      int          `json:"retries"`
	Allowed      int          `json:"allowed"`
	Repeats      int          `json:"repeats"`
	ExpectedFail bool         `json:"expectedFail"`
	Errors       []*TaskError `json:"errors"`
	Tasks        []*Task      `json:"tasks"`

	Meta json.RawMessage `json:"meta"`
}

// take adds a report to the file and gives the task that it is about, nil for the file itself.
func (f *File) take(text string) (r message, task *Task, err error) {
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, nil, fmt.Errorf("report of a test: %w", err)
	}
	switch r.Kind {
	case "setup":
		f.Setup = *r.Duration
	case "imported":
		f.Import = *r.Duration
	case "collected":
		f.Tasks, f.byID = r.Tasks, map[string]*Task{}
		f.index(r.Tasks)
	case "file":
		f.State = r.State
		if r.Duration != nil {
			f.Duration, f.Ran = *r.Duration, true
		}
		f.Errors = append(f.Errors, r.Errors...)
	case "test", "suite":
		task = f.byID[r.ID]
		if task == nil { // the file as a suite
			f.Errors = append(f.Errors, r.Errors...)
			break
		}
		task.State, task.Note, task.Errors, task.Meta = r.State, r.Note, r.Errors, r.Meta
		if r.Duration != nil {
			task.Duration, task.Ran = *r.Duration, true
		}
		task.Retries, task.Allowed, task.Repeats = r.Retries, r.Allowed, r.Repeats
		task.ExpectedFail = r.ExpectedFail
	case "start":
		task = f.byID[r.ID]
	}
	return r, task, nil
}

func (f *File) index(list []*Task) {
	for _, t := range list {
		f.byID[t.ID] = t
		f.index(t.Tasks)
	}
}

// Tests calls visit for every test of the file, with the names of the suites around it.
func (f *File) Tests(visit func(path []string, t *Task)) { walk(nil, f.Tasks, visit) }

func walk(path []string, list []*Task, visit func([]string, *Task)) {
	for _, t := range list {
		if t.Type == "suite" {
			walk(append(path[:len(path):len(path)], t.Name), t.Tasks, visit)
		} else {
			visit(path, t)
		}
	}
}
