package testrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/regexp"
	"eddy/runtime/session"
	"eddy/runtime/testrun/vitest"
	"eddy/runtime/worker"
)

// Suite is the tests of projects, which may run more than once: what has not changed in between is not built again.
// One goroutine at a time uses it.
type Suite struct {
	root string
	runs []*run
	// Watched says that passes follow on changes. A pass of captured events alone builds then, too, which tells the
	// files on which they depend.
	Watched bool
}

// Selection says what one pass runs. The zero value is everything.
type Selection struct {
	// Files are those that run, nil for all.
	Files []string
	// Pattern, if set, is in the place of Filter.Pattern.
	Pattern *string
	// Update, if set, is in the place of Settings.Update.
	Update string
	// List runs no test: the result has what is declared.
	List bool
	// Observer is in the place of that of the first project.
	Observer Observer
}

// NewSuite makes the tests of projects, whose names start at root.
func NewSuite(root string, projects []Options) *Suite {
	s := &Suite{root: root}
	for _, o := range projects {
		s.runs = append(s.runs, &run{o: o, auxiliary: &auxiliary{}})
	}
	return s
}

// Close frees what is kept for the next pass.
func (s *Suite) Close() {
	for _, r := range s.runs {
		if r.modules != nil {
			r.modules.Close()
			r.modules = nil
		}
	}
}

// Run runs the files of a project. The error is of the configuration or the build; failing tests are in the result.
func Run(ctx context.Context, o Options) (*Result, error) { return RunAll(ctx, o.Dir, []Options{o}) }

// RunAll runs the files of projects, whose names start at root. What concerns the run as a whole is that of the first.
func RunAll(ctx context.Context, root string, projects []Options) (*Result, error) {
	s := NewSuite(root, projects)
	defer s.Close()
	return s.Run(ctx, Selection{Observer: projects[0].Observer})
}

// job is a file of a pass, or several that share a session.
type job struct {
	run   *run
	files []*File
}

// Run is one pass over the chosen files.
func (s *Suite) Run(ctx context.Context, chosen Selection) (*Result, error) {
	p := &pass{root: s.root}
	p.to = chosen.Observer
	result := &Result{Started: time.Now()}
	var jobs []job
	for _, kept := range s.runs {
		r := *kept
		r.pass, r.kept, r.all = p, kept, kept.o.Files
		r.choose(chosen)
		if len(r.o.Files) == 0 {
			continue
		}
		mine := r.o.Files
		if r.o.Files, r.all = tests(mine), tests(r.all); len(r.o.Files) > 0 || s.Watched {
			err := r.build()
			if failed := (*bundle.BuildError)(nil); errors.As(err, &failed) {
				r.notBuilt(result, mine, failed)
				continue
			} else if err != nil {
				return nil, r.named(err)
			}
		}
		r.setup = make([]string, len(r.o.Setup))
		for i, f := range r.o.Setup {
			r.setup[i] = bundle.ModuleID(f)
		}
		for _, path := range mine {
			f := &File{Path: path, Name: p.name(path), Project: r.o.Name}
			result.Files = append(result.Files, f)
			if last := len(jobs) - 1; r.o.Shared && last >= 0 && jobs[last].run == &r && !isReplay(path) &&
				!isReplay(jobs[last].files[0].Path) {
				jobs[last].files = append(jobs[last].files, f)
			} else {
				jobs = append(jobs, job{&r, []*File{f}})
			}
		}
	}
	result.Build = time.Since(result.Started)
	first := s.runs[0].o
	workers := first.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	err := each(ctx, jobs, workers)
	for _, j := range jobs {
		for _, f := range j.files {
			if first.Explore.Schedules > 0 && err == nil && !isReplay(f.Path) {
				j.run.explore(ctx, f, &result.Explored)
			}
		}
	}
	result.Coverage = &p.coverage
	result.Duration = time.Since(result.Started)
	return result, err
}

// notBuilt lets files fail whose Worker cannot be built, as those that cannot be imported do.
func (r *run) notBuilt(result *Result, files []string, why *bundle.BuildError) {
	for _, path := range files {
		f := &File{Path: path, Name: r.name(path), Project: r.o.Name, State: Failed}
		f.Errors = []*TaskError{{Name: "Error", Message: why.Error()}}
		result.Files = append(result.Files, f)
		r.tell(f, nil, "file")
	}
}

// each runs the files of jobs, so many at a time.
func each(ctx context.Context, jobs []job, workers int) error {
	var errs []error
	var mu sync.Mutex
	queue := make(chan job)
	var group sync.WaitGroup
	for range min(workers, len(jobs)) {
		group.Go(func() {
			for j := range queue {
				if err := j.run.runFiles(ctx, j.files, nil); err != nil {
					for _, f := range j.files {
						if f.State == "" {
							f.State = Failed
						}
					}
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
	return errors.Join(errs...)
}

// name is the name of a file in the reports.
func (p *pass) name(path string) string {
	name, err := filepath.Rel(p.root, path)
	if err != nil {
		name = path
	}
	return filepath.ToSlash(name)
}

// choose leaves what a pass runs in the options.
func (r *run) choose(chosen Selection) {
	if chosen.Files != nil {
		r.o.Files = slices.DeleteFunc(slices.Clone(r.o.Files), func(file string) bool {
			return !slices.Contains(chosen.Files, file)
		})
	}
	if chosen.Pattern != nil {
		r.o.Filter = vitest.Filter{Pattern: *chosen.Pattern}
	}
	r.o.Settings.CollectOnly = chosen.List
	if chosen.Update != "" {
		r.o.Settings.Update = chosen.Update
	}
}

// Files are the test files of all projects.
func (s *Suite) Files() (files []string) {
	for _, r := range s.runs {
		files = append(files, r.o.Files...)
	}
	return files
}

// Find looks for test files again, and gives those that are new.
func (s *Suite) Find() (found []string, err error) {
	for _, r := range s.runs {
		if r.o.Find == nil {
			continue
		}
		files, err := r.o.Find()
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if !slices.Contains(r.o.Files, f) {
				found = append(found, f)
			}
		}
		r.o.Files = files
	}
	return found, nil
}

// Configs are the configuration files of the Workers, once a pass has read them.
func (s *Suite) Configs() (files []string) {
	for _, r := range s.runs {
		files = append(files, r.configs...)
	}
	return files
}

// Related are the test files that files have an influence on; not nil, also if it is none.
func (s *Suite) Related(files []string) ([]string, error) {
	if len(files) == 0 {
		return []string{}, nil
	}
	for _, kept := range s.runs {
		r := *kept
		r.pass, r.kept = &pass{root: s.root}, kept
		r.o.Files = tests(r.o.Files)
		r.all = r.o.Files
		if len(r.all) == 0 {
			continue
		}
		if err := r.build(); err != nil && !errors.As(err, new(*bundle.BuildError)) {
			return nil, r.named(err)
		}
	}
	return append([]string{}, s.Changed(files)...), nil
}

// Watch is what the tests depend on.
func (s *Suite) Watch() (set bundle.WatchSet) {
	folders := map[string]bool{}
	for _, r := range s.runs {
		for _, f := range slices.Concat(r.o.Files, r.o.Setup) {
			set.Files = append(set.Files, f)
			folders[filepath.Dir(f)] = true
		}
		if r.modules != nil {
			w := r.modules.Watch()
			set.Files, set.Missing = append(set.Files, w.Files...), append(set.Missing, w.Missing...)
			set.Folders = append(set.Folders, w.Folders...)
		}
		set.Files = append(set.Files, r.auxiliary.files()...)
	}
	set.Folders = append(set.Folders, slices.Sorted(maps.Keys(folders))...)
	return set
}

// Changed tells that files have changed, and gives the test files on which they have an influence.
func (s *Suite) Changed(files []string) (affected []string) {
	for _, r := range s.runs {
		all := len(files) == 0
		var mine []string
		watched := r.auxiliary.files()
		for _, f := range files {
			switch {
			case slices.Contains(r.o.Setup, f), slices.Contains(watched, f):
				all = true
			case isReplay(f) && slices.Contains(r.o.Files, f):
				affected = append(affected, f)
				continue
			case r.modules != nil && !r.modules.Concerns(f):
				continue // of another project, or of none
			}
			mine = append(mine, f)
		}
		if slices.ContainsFunc(mine, func(f string) bool { return slices.Contains(watched, f) }) {
			r.auxiliary.forget()
		}
		if r.modules == nil {
			continue
		}
		if !all && len(mine) > 0 {
			var users []string
			if users, all = r.modules.Users(mine); !all {
				users = append(users, replays(r.o.Files)...)
				affected = append(affected, slices.DeleteFunc(users, func(f string) bool {
					return !slices.Contains(r.o.Files, f)
				})...)
			}
		}
		if all {
			affected = append(affected, r.o.Files...)
		}
		if all || len(mine) > 0 {
			r.modules.Changed(mine)
			r.stale = true
		}
	}
	return affected
}

// Stale lets the next pass build, because there are other files than before.
func (s *Suite) Stale() {
	for _, r := range s.runs {
		if r.modules != nil && !r.stale {
			r.modules.Unchanged()
			r.stale = true
		}
	}
}

// named adds the project's name to an error.
func (r *run) named(err error) error {
	if r.o.Name == "" {
		return err
	}
	return fmt.Errorf("project %s: %w", r.o.Name, err)
}

// build makes the program, unless that of the last pass is as good.
func (r *run) build() error {
	kept := r.kept
	if kept == nil {
		kept, r.all = r, r.o.Files
	}
	if kept.program != nil && !kept.stale {
		return nil
	}
	if err := r.open(); err != nil {
		return err
	}
	kept.modules, kept.stale, kept.configs = r.modules, true, r.configs
	b, err := r.modules.Build()
	if err != nil {
		return err
	}
	r.covered(r.modules)
	r.program = &worker.Script{Bundle: b, WatchAwaits: true}
	kept.program, kept.stale, kept.entry, kept.first, kept.counted = r.program, false, r.entry, r.first, r.counted
	if r.o.Frames != nil {
		r.o.Frames.store(r.o.Name, b.Map)
	}
	return nil
}

// open makes the builder, or tells it the files of this pass.
func (r *run) open() error {
	more, err := r.uncovered()
	if err != nil {
		return err
	}
	roots := slices.Concat(r.all, r.o.Setup, more)
	if r.modules != nil {
		r.modules.SetRoots(roots)
		return nil
	}
	config, o, err := session.Prepare(r.session())
	if err != nil {
		return err
	}
	r.configs = append([]string{config.Path}, config.SecretFiles...)
	if r.o.Pool != nil {
		for _, w := range r.o.Pool.Workers {
			r.configs = append(r.configs, w.Path)
		}
	}
	r.configs = slices.DeleteFunc(r.configs, func(path string) bool { return path == "" })
	o.CheckRegExp, o.Stops = regexp.Check, r.o.Inspector != nil
	if !filepath.IsAbs(o.Entry) {
		o.Entry = filepath.Join(o.Dir, o.Entry)
	}
	r.entry, r.first = bundle.ModuleID(o.Entry), o.Entry
	if r.o.Pool != nil {
		r.o.Pool.bundled(&o)
	}
	if r.modules, err = bundle.NewModules(o, roots); err != nil {
		return err
	}
	if r.o.Pool != nil {
		r.modules.Hooks = r.o.Pool.Hooks
	}
	r.cover(r.modules)
	return nil
}
