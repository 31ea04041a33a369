package testrun

import (
	"io"
	"slices"
	"sync/atomic"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/inspector"
	"eddy/runtime/report"
	"eddy/runtime/session"
	"eddy/runtime/statedir"
	"eddy/runtime/testrun/coverage"
	"eddy/runtime/testrun/vitest"
	"eddy/runtime/worker"
)

// Options say what to run: one project.
type Options struct {
	// Name is the project's, "" for the only one.
	Name string
	// Dir is the working directory, absolute. Configs are the Worker's configuration files, Env its environment.
	Dir     string
	Configs []string
	Env     string
	Environ []string
	// Pool has the Workers in place of Configs, nil for a project that has no configuration of tests.
	Pool *Pool
	// Journal is the folder in which what happens is recorded, a folder for each file of tests; "" is none. It is not
	// for schedules.
	Journal string
	// Files are the test files, Setup those that run before each of them; absolute.
	Files, Setup []string
	// Find, if set, gives Files as they are now.
	Find         func() ([]string, error)
	Settings     vitest.Config
	Filter       vitest.Filter
	PassWithNone bool
	// Coverage, if set, says of which files the run counts what runs.
	Coverage *coverage.Options
	// Workers is how many files run at a time; 0 is the number of cores.
	Workers  int
	Seed     uint64
	Observer Observer
	// Shared lets all files share one session and one isolate, one file after the other.
	Shared bool
	// Inspector, if set, lets debuggers into the tests and their Workers.
	Inspector *inspector.Inspector
	// RealTime lets the tests run on the machine's clock.
	RealTime bool
	// Explore says how often each test that passes is run again, under another order of events each time.
	Explore Explore
	// Lines takes what the sessions tell besides console output: exceptions that nobody caught, events that compute
	// for long. If it is nil, they are dropped.
	Lines io.Writer
	// Silent says which console output the Observer does not hear of.
	Silent Silence
	// Frames, if set, shows source of this run from the build on.
	Frames *Frames
}

// Observer hears of reports as they come, one at a time.
type Observer interface {
	// Reported is told that a task (nil: the file) has changed; kind is the report's.
	Reported(f *File, t *Task, kind string)
	// Wrote is told of console output while a test (nil: none of the file's) ran.
	Wrote(f *File, t *Task, o Output)
}

// Result is what a run came to.
type Result struct {
	Files    []*File
	Started  time.Time
	Duration time.Duration
	Build    time.Duration
	// Coverage is what ran, if Options.Coverage asked for it.
	Coverage *coverage.Map
	// Explored is what exploring came to.
	Explored Explored
}

// Failed tells whether any file, test or hook failed.
func (r *Result) Failed() bool {
	return slices.ContainsFunc(r.Files, func(f *File) bool { return f.State != Passed || len(f.Unhandled) > 0 })
}

// TestsFailed is Failed without regard to what nobody has caught.
func (r *Result) TestsFailed() bool {
	return slices.ContainsFunc(r.Files, func(f *File) bool { return f.State != Passed })
}

// pass is one pass over the files of all projects.
type pass struct {
	root     string
	failures atomic.Int64
	coverage coverage.Map
	observing
}

// run is what passes have of a project.
type run struct {
	*pass
	o Options
	// kept is what the suite keeps of the project, for a run that is a copy for one pass; all are the files of all
	// passes.
	kept *run
	all  []string
	// modules builds program; stale says that it is not what is on disk.
	modules *bundle.Modules
	program *worker.Script
	stale   bool
	covering
	entry string // id of the Worker's entry
	first string // its file
	// configs are the files of the Workers' configurations.
	configs []string
	setup   []string // ids of the modules of o.Setup
	*auxiliary
}

func (p *pass) tell(f *File, t *Task, kind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil {
		switch {
		case kind == "test" && t != nil:
			p.heardLocked(f, t, t.State == Failed)
		case kind == "file":
			p.heardLocked(f, nil, f.State == Failed)
		}
		p.to.Reported(f, t, kind)
	}
}

// session are the options of a session for tests; the modules of the isolate have no makers yet.
func (r *run) session() session.Options {
	lines := report.Options{Level: report.None}
	if r.o.Lines != nil {
		lines = report.Options{Out: r.o.Lines, Level: report.Log}
	}
	o := session.Options{
		Configs: r.o.Configs, Dir: r.o.Dir, Env: r.o.Env, Environ: r.o.Environ, Ephemeral: true, Relaxed: true,
		Unattended: true,
		Scratch:    statedir.Memory(),
		Clock:      clock.Real{}, Report: report.New(lines),
		Modules: map[string]worker.Module{bundle.ModulesName: nil, "vitest": nil, EddyTestModule: nil},
	}
	o.Inspector = r.o.Inspector
	if r.o.Pool != nil {
		r.o.Pool.session(&o)
	}
	return o
}
