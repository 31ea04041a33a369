package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eddy/runtime/testrun"
	"eddy/runtime/testrun/reporter"
	"eddy/runtime/testrun/testconfig"
	"eddy/runtime/testrun/vitest"
)

// testFlags are those of eddy test, named as vitest names them (TEST-133).
type testFlags struct {
	configs                                  []string
	env, pattern, root, dir, shard, seed     string
	reporters, outputFiles, exclude          []string
	update, globals, passWithNone, allowOnly bool
	noParallel, shuffle, run                 bool
	bail, retry, workers, concurrency        int
	explore                                  int
	crash                                    bool
	testTimeout, hookTimeout                 float64
	clearMocks, mockReset, restoreMocks      bool
	projects                                 []string
	isolate                                  string
	coverage                                 coverageFlags
	// given tells which flags the command line names.
	given func(flag string) bool
}

func newTest(env OS) *cobra.Command {
	f := testFlags{}
	cmd := &cobra.Command{
		Use:   "test [filter]...",
		Short: "Run the project's tests",
		Long: "Run the tests of a Worker's project: files named *.test.* and *.spec.*, written for vitest and for " +
			"Cloudflare's\n" +
			"integration with it. Each file runs in an isolate of its own with the Worker and its bindings, on a " +
			"clock that\n" +
			"stands while anything can run and jumps when all is idle: an hour of back-off takes no time.\n\n" +
			"A filter is a part of a file's path, with :LINE behind it for the tests on that line.",
		Example: "  eddy test\n  eddy test orders -t \"dead letter\"\n" +
			"  eddy test --reporter=junit --output-file=report.xml",
		RunE: func(cmd *cobra.Command, filters []string) error {
			f.given = cmd.Flags().Changed
			return f.test(cmd.Context(), env, filters)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVarP(&f.configs, "config", "c", nil, "the tests' configuration `file`, or the Worker's, or "+
		"the directory it is in")
	fl.StringVar(&f.isolate, "isolate", "", "`what` sees nothing of the others: a file, or a test, whose writes are "+
		"undone; without it the dialect of the configuration decides")
	fl.Lookup("isolate").NoOptDefVal = "file"
	fl.StringArrayVar(&f.projects, "project", nil, "run only projects of a `name`, with * and !; may be repeated")
	fl.StringVarP(&f.env, "env", "e", "", "`environment` of the configuration")
	fl.StringVarP(&f.pattern, "test-name-pattern", "t", "",
		"run only tests whose full names match a regular `expression`")
	fl.StringVarP(&f.root, "root", "r", "", "`directory` of the project")
	fl.StringVar(&f.dir, "dir", "", "`directory` to look for test files in")
	fl.StringArrayVar(&f.exclude, "exclude", nil, "leave out files that match a `glob`, besides node_modules and .git")
	fl.BoolVarP(&f.update, "update", "u", false, "write all snapshots anew, and remove obsolete ones")
	fl.BoolVar(&f.run, "run", false, "run once, which is what happens anyway")
	fl.IntVar(&f.bail, "bail", 0, "stop after a `number` of failed tests")
	fl.IntVar(&f.retry, "retry", 0, "try a failing test again, at most a `number` of times")
	fl.StringArrayVar(&f.reporters, "reporter", nil, "how to report: "+strings.Join(reporter.Names(), ", ")+
		"; may be repeated")
	fl.StringArrayVar(&f.outputFiles, "output-file", nil, "`file` for the report of json or junit, or REPORTER=FILE")
	fl.BoolVar(&f.globals, "globals", false, "make the functions of vitest global")
	fl.BoolVar(&f.passWithNone, "pass-with-no-tests", false, "succeed when there is no test")
	fl.BoolVar(&f.allowOnly, "allow-only", getenv(env, "CI") == "",
		"allow .only in tests; not allowed by default where CI is set")
	fl.StringVar(&f.shard, "shard", "", "run the files of one `part`, as 1/3")
	fl.StringVar(&f.seed, "seed", "", "`number` that decides every order that is free")
	fl.IntVar(&f.explore, "explore", 0,
		"run each test under a `number` of orders of events, 200 without a number; the seed decides the first")
	fl.Lookup("explore").NoOptDefVal = "200"
	fl.BoolVar(&f.crash, "crash", false, "with --explore: let the Worker crash in the background, too")
	fl.BoolVar(&f.shuffle, "sequence.shuffle", false, "run tests in an order that the seed decides")
	fl.IntVar(&f.workers, "max-workers", 0, "`number` of files that run at a time; the cores without it")
	fl.BoolVar(&f.noParallel, "no-file-parallelism", false, "run the files one after the other")
	fl.IntVar(&f.concurrency, "max-concurrency", 5, "`number` of concurrent tests in a file")
	fl.Float64Var(&f.testTimeout, "test-timeout", 5000, "`milliseconds` that a test may take; 0 for no limit")
	fl.Float64Var(&f.hookTimeout, "hook-timeout", 10000, "`milliseconds` that a hook may take; 0 for no limit")
	fl.BoolVar(&f.clearMocks, "clear-mocks", false, "clear mocks after each test")
	fl.BoolVar(&f.mockReset, "mock-reset", false, "reset mocks after each test")
	fl.BoolVar(&f.restoreMocks, "restore-mocks", false, "restore spies after each test")
	f.coverage.add(fl)
	fl.SetNormalizeFunc(asVitestWrites)
	_ = cmd.RegisterFlagCompletionFunc("reporter", cobra.FixedCompletions(reporter.Names(),
		cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *testFlags) test(ctx context.Context, env OS, filters []string) error {
	switch f.isolate {
	case "", "file", "test":
	default:
		return usage("--isolate %s: expected file or test", f.isolate)
	}
	dir, err := env.Getwd()
	if err != nil {
		return err
	}
	if f.root != "" {
		dir = filepath.Join(dir, f.root)
	}
	file, configs, err := f.testConfig(dir)
	if err != nil {
		return err
	}
	if file != "" || testconfig.HasWorkspace(dir) {
		return f.configured(ctx, env, dir, file, filters)
	}
	f.configs = configs
	look := dir
	if f.dir != "" {
		look = filepath.Join(dir, f.dir)
	}
	files, err := testrun.Find(look, testrun.DefaultInclude, append(slices.Clone(testrun.DefaultExclude), f.exclude...))
	if err != nil {
		return asFailure(err)
	}
	o, err := f.options(env, dir)
	if err != nil {
		return err
	}
	o.Files, o.Filter.Lines = testrun.Choose(dir, files, filters)
	if o.Files, err = testrun.Shard(dir, o.Files, f.shard); err != nil {
		return usage("--shard %s: %w", f.shard, err)
	}
	if len(o.Files) == 0 {
		return f.none(env, filters, testrun.DefaultInclude, testrun.DefaultExclude)
	}
	return f.report(ctx, env, dir, []testrun.Options{o})
}

// options are those of a project without a configuration of tests.
func (f *testFlags) options(env OS, dir string) (testrun.Options, error) {
	o := testrun.Options{
		Dir: dir, Configs: f.configs, Env: f.env, Environ: testEnviron(env.Environ), PassWithNone: f.passWithNone,
		Workers: f.workers, Explore: testrun.Explore{Schedules: f.explore, Crash: f.crash},
		Settings: vitest.Config{
			TestTimeout: f.testTimeout, HookTimeout: f.hookTimeout, Retry: f.retry, Bail: f.bail,
			MaxConcurrency: f.concurrency,
			AllowOnly:      f.allowOnly, PassWithNone: f.passWithNone, Shuffle: f.shuffle, ClearMocks: f.clearMocks,
			MockReset: f.mockReset, RestoreMocks: f.restoreMocks, Globals: f.globals, Update: f.snapshots(env),
			IsolateTests: f.isolate == "test",
		},
	}
	if f.noParallel {
		o.Workers = 1
	}
	o.Filter.Pattern = f.pattern
	var err error
	o.Seed, err = f.seedOf()
	return o, err
}

// snapshots says which of them are written: CI writes none (TEST-115).
func (f *testFlags) snapshots(env OS) string {
	switch {
	case f.update:
		return "all"
	case getenv(env, "CI") != "":
		return "none"
	}
	return "new"
}

// testEnviron is what the Worker's configuration and its tests see (TEST-118).
func testEnviron(environ []string) []string {
	out := slices.Clone(environ)
	out = append(out, "VITEST=true", "TEST=true")
	if !slices.ContainsFunc(environ, func(s string) bool { return strings.HasPrefix(s, "NODE_ENV=") }) {
		out = append(out, "NODE_ENV=test")
	}
	return out
}

func (f *testFlags) seedOf() (uint64, error) {
	if f.seed == "" {
		return rand.Uint64() >> 12, nil
	}
	n, err := strconv.ParseUint(f.seed, 10, 64)
	if err != nil {
		return 0, usage("--seed %q: expected a whole number", f.seed)
	}
	return n, nil
}

// none is a run without files (TEST-127).
func (f *testFlags) none(env OS, filters, include, exclude []string) error {
	if f.passWithNone {
		fmt.Fprintln(env.Stdout, "No test files found, exiting with code 0")
		return nil
	}
	fmt.Fprintln(env.Stderr, "No test files found, exiting with code 1")
	if len(filters) > 0 {
		fmt.Fprintln(env.Stderr, "filter: "+strings.Join(filters, ", "))
	}
	fmt.Fprintln(env.Stderr, "include: "+strings.Join(include, ", "))
	fmt.Fprintln(env.Stderr, "exclude:  "+strings.Join(append(slices.Clone(exclude), f.exclude...), ", "))
	return &exitError{code: exitFailure}
}

// asVitestWrites takes --passWithNoTests for --pass-with-no-tests, as vitest takes both.
func asVitestWrites(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('-')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return pflag.NormalizedName(b.String())
}

// report runs the files and tells the reporters.
func (f *testFlags) report(ctx context.Context, env OS, root string, projects []testrun.Options) error {
	counting, err := f.coverage.options(root)
	if err != nil {
		return err
	}
	names := f.reporters
	if len(names) == 0 {
		names = []string{"default"}
		if getenv(env, "GITHUB_ACTIONS") == "true" {
			names = append(names, "github-actions")
		}
	}
	var all reporters
	frames := &testrun.Frames{}
	for _, name := range names {
		ro := reporter.Options{
			Out: env.Stdout, Err: env.Stderr, Root: root, Version: version, Frame: frames.Show,
			Color: isTerminal(env.Stdout) && getenv(env, "NO_COLOR") == "",
		}
		if path := f.outputFile(name); path != "" {
			if !filepath.IsAbs(path) {
				path = filepath.Join(root, path)
			}
			file, err := createReport(path)
			if err != nil {
				return asFailure(err)
			}
			defer file.Close()
			ro.File = file
		}
		r, err := reporter.New(name, ro)
		if err != nil {
			return usage("--reporter %s: %w", name, err)
		}
		all = append(all, r)
	}
	for i := range projects {
		projects[i].Coverage = counting
		projects[i].Observer, projects[i].Frames, projects[i].Console = all, frames, env.Stdout
	}
	for _, r := range all {
		r.Began(root)
	}
	if projects[0].Settings.Shuffle {
		fmt.Fprintf(env.Stdout, "      Running tests with seed \"%d\"\n", projects[0].Seed)
	}
	if getenv(env, "GOGC") == "" {
		// A run is short and makes much garbage: half the collections are worth some 30 MB.
		debug.SetGCPercent(200)
	}
	result, err := testrun.RunAll(ctx, root, projects)
	if result == nil {
		return err
	}
	var errs []error
	for _, r := range all {
		errs = append(errs, r.Ended(result))
	}
	if x := result.Explored; x.Tests > 0 {
		fmt.Fprintf(env.Stdout, "    Explored  %d schedules of %d tests, %d of them different, in %s\n", x.Schedules,
			x.Tests, x.Distinct, x.Duration.Round(time.Millisecond))
	}
	var missed []string
	if counting != nil {
		errs = append(errs, counting.Report(env.Stdout, result.Coverage))
		missed = counting.Missed(result.Coverage)
	}
	for _, text := range missed {
		fmt.Fprintln(env.Stderr, text)
	}
	switch err = errors.Join(append(errs, err)...); {
	case ctx.Err() != nil:
		return &exitError{130, nil}
	case err != nil:
		return asFailure(err)
	case result.Failed() || len(missed) > 0:
		return &exitError{code: exitFailure}
	}
	return nil
}

// outputFile is the file for a reporter's report.
func (f *testFlags) outputFile(name string) string {
	for _, given := range f.outputFiles {
		if reporterName, path, ok := strings.Cut(given, "="); ok {
			if reporterName == name {
				return path
			}
		} else if name == "json" || name == "junit" {
			return given
		}
	}
	return ""
}

func createReport(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	return os.Create(path)
}

// reporters tells several.
type reporters []reporter.Reporter

func (list reporters) Reported(f *testrun.File, t *testrun.Task, kind string) {
	for _, r := range list {
		r.Reported(f, t, kind)
	}
}
