package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"eddy/runtime/engine/host"
	"eddy/runtime/testrun"
	"eddy/runtime/testrun/testconfig"
)

// testConfig is the configuration of tests, "" for none, and those of Workers that --config names.
func (f *testFlags) testConfig(dir string) (file string, configs []string, err error) {
	for _, c := range f.configs {
		path := c
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		switch strings.TrimPrefix(filepath.Ext(path), ".") {
		case "ts", "mts", "cts", "js", "mjs", "cjs":
			if _, err := os.Stat(path); err != nil {
				return "", nil, usage("--config %s: %w", c, err)
			}
			file = path
		default:
			configs = append(configs, c)
		}
	}
	if file == "" && len(configs) == 0 {
		file = testconfig.Find(dir)
	}
	return file, configs, nil
}

// configured runs the projects of a configuration of tests.
func (f *testFlags) configured(ctx context.Context, env OS, dir, file string, filters []string) (err error) {
	environ := testEnviron(env.Environ)
	tree, err := testconfig.Load(ctx, testconfig.Options{
		Root: dir, Environ: environ, Modules: testrun.Keeper, Build: testrun.WranglerCommand,
		Console: func(e host.ConsoleLine) { fmt.Fprintln(env.Stdout, e.Text) },
	}, file)
	if err != nil {
		return asFailure(err)
	}
	folder, err := os.MkdirTemp("", "eddy-test-")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, tree.Close(context.WithoutCancel(ctx)), os.RemoveAll(folder))
	}()
	if err := tree.Choose(f.projects); err != nil {
		return asFailure(err)
	}
	if err := tree.Setup(ctx); err != nil {
		return asFailure(err)
	}
	f.global(tree.Base)
	if err := f.coverage.configure(tree.Base.Test.Coverage, f.given); err != nil {
		return asFailure(err)
	}
	var projects []testrun.Options
	var include, exclude []string
	seed, err := f.seedOf()
	if err != nil {
		return err
	}
	for _, p := range tree.Projects {
		o, in, out, err := f.project(ctx, env, p, folder, filters)
		if err != nil {
			return asFailure(err)
		}
		o.Seed = seed
		projects = append(projects, o)
		include, exclude = append(include, in...), append(exclude, out...)
	}
	for _, w := range tree.Warnings {
		fmt.Fprintln(env.Stderr, "warning: "+w)
	}
	if !slices.ContainsFunc(projects, func(o testrun.Options) bool { return len(o.Files) > 0 }) {
		return f.none(env, dir, filters, include, exclude)
	}
	return f.run(ctx, env, dir, projects, tree.Files())
}

// global takes over settings of the run as a whole that the command line does not name.
func (f *testFlags) global(p *testconfig.Project) {
	t := p.Test
	if t.Watch != nil && !*t.Watch && !f.given("watch") {
		f.once = true
	}
	for _, r := range t.Reporters {
		if !f.given("reporter") {
			f.reporters = append(f.reporters, r.Name)
		}
		f.reports = append(f.reports, r) // those that the command line names have the configuration's options as well
	}
	if len(f.outputFiles) == 0 {
		for name, path := range t.OutputFiles {
			if name == "" {
				f.outputFiles = append(f.outputFiles, path)
			} else {
				f.outputFiles = append(f.outputFiles, name+"="+path)
			}
		}
	}
	settle(f, "pass-with-no-tests", &f.passWithNone, t.PassWithNoTests)
	settle(f, "bail", &f.bail, t.Bail)
	settle(f, "hide-skipped-tests", &f.hideSkipped, t.HideSkipped)
	settle(f, "dangerously-ignore-unhandled-errors", &f.ignoreUnhandled, t.IgnoreUnhandled)
	if !f.given("max-workers") && t.MaxWorkers != nil {
		f.workers = int(*t.MaxWorkers)
		if *t.MaxWorkers < 0 { // a share of the cores
			f.workers = share(-*t.MaxWorkers)
		}
	}
	if !f.given("no-file-parallelism") && t.FileParallelism != nil {
		f.noParallel = !*t.FileParallelism
	}
	settle(f, "allow-only", &f.allowOnly, t.AllowOnly)
	if n, err := strconv.ParseUint(t.Sequence.Seed.String(), 10, 64); err == nil && f.seed == "" {
		f.seed = strconv.FormatUint(n, 10)
	}
}

// project are the options of a project, with the globs of its files.
func (f *testFlags) project(
	ctx context.Context, env OS, p *testconfig.Project, folder string, filters []string,
) (o testrun.Options, include, exclude []string, err error) {
	if o, err = f.options(env, p.Root); err != nil {
		return o, nil, nil, err
	}
	t := p.Test
	o.Name, o.Setup = p.Name, p.Abs(t.SetupFiles)
	for name, value := range t.Env {
		o.Environ = append(o.Environ, name+"="+value)
	}
	if !f.given("silent") {
		o.Silent = testrun.ParseSilence(t.Silent)
	}
	s := &o.Settings
	s.Provided = p.Provided()
	if f.debugger == nil {
		settle(f, "test-timeout", &s.TestTimeout, t.TestTimeout)
		settle(f, "hook-timeout", &s.HookTimeout, t.HookTimeout)
	}
	settle(f, "retry", &s.Retry, t.Retry)
	settle(f, "max-concurrency", &s.MaxConcurrency, t.MaxConcurrency)
	settle(f, "globals", &s.Globals, t.Globals)
	settle(f, "clear-mocks", &s.ClearMocks, t.ClearMocks)
	settle(f, "mock-reset", &s.MockReset, t.MockReset)
	settle(f, "restore-mocks", &s.RestoreMocks, t.RestoreMocks)
	settle(f, "", &s.UnstubEnvs, t.UnstubEnvs)
	settle(f, "", &s.UnstubGlobals, t.UnstubGlobals)
	settle(f, "sequence.shuffle", &s.Shuffle, t.Sequence.Shuffle)
	settle(f, "pass-with-no-tests", &s.PassWithNone, t.PassWithNoTests)
	o.PassWithNone = s.PassWithNone
	if !f.given("sequence.hooks") {
		s.SequenceHooks = t.Sequence.Hooks
	}
	if f.pattern == "" {
		o.Filter.Pattern = t.TestNamePattern
	}
	if include = t.Include; include == nil {
		include = testrun.DefaultInclude
	}
	if exclude = t.Exclude; exclude == nil {
		exclude = testrun.DefaultExclude
	}
	look := p.Root
	if t.Dir != "" {
		look = p.Abs([]string{t.Dir})[0]
	}
	if f.dir != "" {
		look = filepath.Join(p.Root, f.dir)
	}
	find := func() ([]string, error) {
		unwanted := append(slices.Clone(exclude), f.exclude...)
		files, err := testrun.Find(look, testGlobs(include), unwanted)
		if err == nil {
			var beside []string
			beside, err = testrun.FindSource(look, t.IncludeSource, unwanted)
			files = append(files, slices.DeleteFunc(beside, func(f string) bool {
				return slices.Contains(files,
					f)
			})...)
			slices.Sort(files)
		}
		return slices.DeleteFunc(files, func(file string) bool { return slices.Contains(o.Setup, file) }), err
	}
	o.Find = func() ([]string, error) {
		files, err := find()
		kept, _ := testrun.Choose(p.Root, files, filters)
		return kept, err
	}
	files, err := find()
	if err != nil {
		return o, nil, nil, err
	}
	o.Files, o.Filter.Lines = testrun.Choose(p.Root, files, filters)
	if o.Files, err = testrun.Shard(p.Root, o.Files, f.shard); err != nil {
		return o, nil, nil, usage("--shard %s: %w", f.shard, err)
	}
	if len(o.Files) > 0 {
		o.Pool, err = testrun.Configured(ctx, p, folder)
	}
	if o.Pool != nil && o.Pool.Workers[0].Path == "" && p.Dialect == "" {
		// Without a Worker the tests expect to be in Node, which has what the process has.
		for _, text := range o.Environ {
			name, value, _ := strings.Cut(text, "=")
			s.Env[name] = value
		}
	}
	maps.Copy(s.Env, t.Env)
	if err == nil && o.Pool != nil && f.isolate == "" {
		s.IsolateTests = o.Pool.IsolatedStorage
		o.Shared = o.Pool.SingleWorker || t.Isolate != nil && !*t.Isolate
	}
	if f.time == "" && t.Eddy.Time != "" {
		if !slices.Contains(times, t.Eddy.Time) {
			return o, nil, nil, fmt.Errorf("test.eddy.time: %q: expected %s", t.Eddy.Time, strings.Join(times, " or "))
		}
		o.RealTime = t.Eddy.Time == "real"
	}
	return o, include, exclude, err
}

// settle takes over what a configuration says, unless the command line names the flag.
func settle[T any](f *testFlags, flag string, to *T, configured *T) {
	if configured != nil && (flag == "" || !f.given(flag)) {
		*to = *configured
	}
}
