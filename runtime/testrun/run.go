package testrun

import (
	"context"
	"errors"
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
	"eddy/runtime/testrun/vitest"
	"eddy/runtime/worker"
)

// Options say what to run.
type Options struct {
	// Dir is the working directory, absolute. Configs are the Worker's configuration files, Env its environment.
	Dir     string
	Configs []string
	Env     string
	Environ []string
	// Files are the test files, Setup those that run before each of them; absolute.
	Files, Setup []string
	Settings     vitest.Config
	Filter       vitest.Filter
	PassWithNone bool
	// Workers is how many files run at a time; 0 is the number of cores.
	Workers  int
	Seed     uint64
	Observer Observer
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
}

// Failed tells whether any file, test or hook failed.
func (r *Result) Failed() bool {
	return slices.ContainsFunc(r.Files, func(f *File) bool { return f.State != Passed || len(f.Unhandled) > 0 })
}

// run is one pass.
type run struct {
	o        Options
	program  *worker.Script
	entry    string // id of the Worker's entry
	failures atomic.Int64
	observing
}

func (r *run) tell(f *File, t *Task, kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to != nil {
		r.to.Reported(f, t, kind)
	}
}

// Run runs the files. The error is of the configuration or the build; failing tests are in the result.
func Run(ctx context.Context, o Options) (*Result, error) {
	r := &run{o: o}
	r.to = o.Observer
	result := &Result{Started: time.Now()}
	if err := r.build(); err != nil {
		return nil, err
	}
	result.Build = time.Since(result.Started)
	setup := make([]string, len(o.Setup))
	for i, f := range o.Setup {
		setup[i] = bundle.ModuleID(f)
	}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var errs []error
	var mu sync.Mutex
	queue := make(chan *File)
	var group sync.WaitGroup
	for range min(workers, len(o.Files)) {
		group.Go(func() {
			for f := range queue {
				if err := r.runFile(ctx, f, setup); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for _, path := range o.Files {
		name, err := filepath.Rel(o.Dir, path)
		if err != nil {
			name = path
		}
		f := &File{Path: path, Name: filepath.ToSlash(name)}
		result.Files = append(result.Files, f)
		queue <- f
	}
	close(queue)
	group.Wait()
	result.Duration = time.Since(result.Started)
	return result, errors.Join(errs...)
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
	modules, err := bundle.NewModules(o, append(slices.Clone(r.o.Files), r.o.Setup...))
	if err != nil {
		return err
	}
	defer modules.Close()
	b, err := modules.Build()
	if err != nil {
		return err
	}
	r.program = &worker.Script{Bundle: b}
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
	return session.Options{
		Configs: r.o.Configs, Dir: r.o.Dir, Env: r.o.Env, Environ: r.o.Environ, Ephemeral: true, Relaxed: true,
		Clock: clock.Real{}, Report: report.New(lines),
		Modules: map[string]worker.Module{bundle.ModulesName: nil, "vitest": nil},
	}
}
