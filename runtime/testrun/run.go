package testrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/engine/regexp"
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
	// Files are the test files, Setup those that run before each of them; absolute.
	Files, Setup []string
	Settings     vitest.Config
	Filter       vitest.Filter
	PassWithNone bool
	// Coverage, if set, says of which files the run counts what runs.
	Coverage *coverage.Options
	// Workers is how many files run at a time; 0 is the number of cores.
	Workers  int
	Seed     uint64
	Observer Observer
	// Explore says how often each test that passes is run again, under another order of events each time.
	Explore Explore
	// Console takes what the Worker and the tests write to the console, and exceptions that nobody caught; nil drops
	// it.
	Console io.Writer
	// Frames, if set, shows source of this run from the build on.
	Frames *Frames
}

// Observer hears of reports as they come, one at a time.
type Observer interface {
	// Reported is told that a task (nil: the file) has changed; kind is the report's.
	Reported(f *File, t *Task, kind string)
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

// pass is one pass over the files of all projects.
type pass struct {
	root     string
	failures atomic.Int64
	coverage coverage.Map
	observing
}

// run is the part of a pass that belongs to a project.
type run struct {
	*pass
	o       Options
	program *worker.Script
	covering
	entry string   // id of the Worker's entry
	setup []string // ids of the modules of o.Setup
	*auxiliary
}

func (p *pass) tell(f *File, t *Task, kind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil {
		p.to.Reported(f, t, kind)
	}
}

// Run runs the files of a project. The error is of the configuration or the build; failing tests are in the result.
func Run(ctx context.Context, o Options) (*Result, error) { return RunAll(ctx, o.Dir, []Options{o}) }

// RunAll runs the files of projects, whose names start at root. What concerns the run as a whole is that of the first.
func RunAll(ctx context.Context, root string, projects []Options) (*Result, error) {
	p := &pass{root: root}
	first := projects[0]
	p.to = first.Observer
	result := &Result{Started: time.Now()}
	type job struct {
		run  *run
		file *File
	}
	var jobs []job
	for _, o := range projects {
		r := &run{pass: p, o: o, auxiliary: &auxiliary{}}
		if len(o.Files) == 0 {
			continue
		}
		if err := r.build(); err != nil {
			return nil, r.named(err)
		}
		r.setup = make([]string, len(o.Setup))
		for i, f := range o.Setup {
			r.setup[i] = bundle.ModuleID(f)
		}
		for _, path := range o.Files {
			name, err := filepath.Rel(root, path)
			if err != nil {
				name = path
			}
			f := &File{Path: path, Name: filepath.ToSlash(name), Project: o.Name}
			result.Files = append(result.Files, f)
			jobs = append(jobs, job{r, f})
		}
	}
	result.Build = time.Since(result.Started)
	workers := first.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var errs []error
	var mu sync.Mutex
	queue := make(chan job)
	var group sync.WaitGroup
	for range min(workers, len(jobs)) {
		group.Go(func() {
			for j := range queue {
				if err := j.run.runFile(ctx, j.file, nil); err != nil {
					j.file.State = Failed
					mu.Lock()
					errs = append(errs, j.run.named(err))
					mu.Unlock()
				}
			}
		})
	}
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	group.Wait()
	for _, j := range jobs {
		if first.Explore.Schedules > 0 && len(errs) == 0 {
			j.run.explore(ctx, j.file, &result.Explored)
		}
	}
	result.Coverage = &p.coverage
	result.Duration = time.Since(result.Started)
	return result, errors.Join(errs...)
}

// named adds the project's name to an error.
func (r *run) named(err error) error {
	if r.o.Name == "" {
		return err
	}
	return fmt.Errorf("project %s: %w", r.o.Name, err)
}

// build makes the program.
func (r *run) build() error {
	_, o, err := session.Prepare(r.session())
	if err != nil {
		return err
	}
	o.CheckRegExp = regexp.Check
	if !filepath.IsAbs(o.Entry) {
		o.Entry = filepath.Join(o.Dir, o.Entry)
	}
	r.entry = bundle.ModuleID(o.Entry)
	if r.o.Pool != nil {
		r.o.Pool.bundled(&o)
	}
	more, err := r.uncovered()
	if err != nil {
		return err
	}
	modules, err := bundle.NewModules(o, slices.Concat(r.o.Files, r.o.Setup, more))
	if err != nil {
		return err
	}
	defer modules.Close()
	r.cover(modules)
	b, err := modules.Build()
	if err != nil {
		return err
	}
	r.covered(modules)
	r.program = &worker.Script{Bundle: b}
	r.first = o.Entry
	if r.o.Frames != nil {
		r.o.Frames.of.Store(b.Map)
	}
	return nil
}

// session are the options of a session for tests; the modules of the isolate have no makers yet.
func (r *run) session() session.Options {
	lines := report.Options{Level: report.None}
	if r.o.Console != nil {
		lines = report.Options{Out: r.o.Console, Level: report.Log}
	}
	o := session.Options{
		Configs: r.o.Configs, Dir: r.o.Dir, Env: r.o.Env, Environ: r.o.Environ, Ephemeral: true, Relaxed: true,
		Scratch: statedir.Memory(),
		Clock:   clock.Real{}, Report: report.New(lines),
		Modules: map[string]worker.Module{bundle.ModulesName: nil, "vitest": nil, EddyTestModule: nil},
	}
	if r.o.Pool != nil {
		r.o.Pool.session(&o)
	}
	return o
}
