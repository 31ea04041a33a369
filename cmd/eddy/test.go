package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eddy/runtime/inspector"
	"eddy/runtime/testrun"
	"eddy/runtime/testrun/reporter"
	"eddy/runtime/testrun/testconfig"
	"eddy/runtime/testrun/vitest"
)

// testPatience and hookPatience are vitest's own time-outs, in milliseconds of real time, and testSlow is from when on
// it shows a test that passes.
var testPatience, hookPatience, testSlow float64 = 5000, 10_000, 300

// testFlags are those of eddy test, named as vitest names them (TEST-133).
type testFlags struct {
	configs                                  []string
	env, pattern, root, dir, shard, seed     string
	journal                                  string
	reporters, outputFiles, exclude          []string
	update, globals, passWithNone, allowOnly bool
	noParallel, shuffle, watch, once         bool
	parallel                                 bool
	changed, sequenceHooks                   string
	bail, retry, workers, concurrency        int
	explore                                  int
	crash                                    bool
	testTimeout, hookTimeout                 float64
	clearMocks, mockReset, restoreMocks      bool
	projects                                 []string
	isolate, time, silent                    string
	noIsolate, ignoreUnhandled               bool
	hideSkipped, requireAssertions           bool
	coverage                                 coverageFlags
	keys                                     *testKeys
	inspect                                  inspectFlags
	debugger                                 *inspector.Inspector
	// watchWord, list and related are the words before the filters; related are the files that it names.
	watchWord, list, filesOnly bool
	listTo                     string
	related                    []string
	// reports are the reporters of the configuration, with their options.
	reports []testconfig.ReporterChoice
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
			"A filter is a part of a file's path, with :LINE behind it for the tests on that line. Before the " +
			"filters may\nstand, as with vitest: run (once), watch, list (shows the tests and runs none), or related " +
			"and files of the\nWorker (runs the tests that import them).",
		Example: "  eddy test\n  eddy test orders -t \"dead letter\"\n" +
			"  eddy test --reporter=junit --output-file=report.xml\n" +
			"  eddy test list --json\n  eddy test related src/orders.ts",
		RunE: func(cmd *cobra.Command, filters []string) error {
			f.given = cmd.Flags().Changed
			dir, err := env.Getwd()
			if err != nil {
				return err
			}
			if filters, err = f.words(cmd.Context(), filters, inDir(dir, f.root)); err != nil {
				return err
			}
			return f.all(cmd.Context(), env, filters)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVarP(&f.configs, "config", "c", nil, "the tests' configuration `file`, or the Worker's, or "+
		"the directory it is in")
	fl.StringVar(&f.isolate, "isolate", "", "`what` sees nothing of the others: each file, or each test, whose writes "+
		"are undone, or none: all files share one isolate; without it the configuration decides")
	fl.BoolVar(&f.noIsolate, "no-isolate", false, "let all files share one isolate, as --isolate=none")
	fl.StringVar(&f.time, "time", "", "`clock` of the tests: virtual, which jumps to what is due, or real")
	fl.Lookup("isolate").NoOptDefVal = "file"
	fl.StringArrayVar(&f.projects, "project", nil, "run only projects of a `name`, with * and !; may be repeated")
	fl.StringVarP(&f.env, "env", "e", "", "`environment` of the configuration")
	fl.StringVarP(&f.pattern, "test-name-pattern", "t", "",
		"run only tests whose full names match a regular `expression`")
	fl.StringVarP(&f.root, "root", "r", "", "`directory` of the project")
	fl.StringVar(&f.dir, "dir", "", "`directory` to look for test files in")
	fl.StringVar(&f.journal, "journal", "", "`folder` to record in what happens, for eddy tail, trace and capture "+
		"--journal, and for a CI run to keep")
	_ = cmd.MarkFlagDirname("journal")
	fl.StringArrayVar(&f.exclude, "exclude", nil, "leave out files that match a `glob`, besides node_modules and .git")
	fl.BoolVarP(&f.update, "update", "u", false, "write all snapshots anew, and remove obsolete ones")
	fl.BoolVarP(&f.watch, "watch", "w", false,
		"run again what a changed file concerns; on a terminal that is the default")
	fl.BoolVar(&f.once, "run", false, "run once")
	fl.IntVar(&f.bail, "bail", 0, "stop after a `number` of failed tests")
	fl.IntVar(&f.retry, "retry", 0, "try a failing test again, at most a `number` of times")
	fl.StringArrayVar(&f.reporters, "reporter", nil, "how to report: "+strings.Join(reporter.Names(), ", ")+
		"; may be repeated")
	fl.StringVar(&f.silent, "silent", "", "show no console output, with passed-only none of tests that pass")
	fl.Lookup("silent").NoOptDefVal = "true"
	fl.StringArrayVar(&f.outputFiles, "output-file", nil, "`file` for the report of json or junit, or REPORTER=FILE")
	for _, name := range reporter.Names() {
		flag := "output-file." + name
		fl.Var(reportFile{name, &f.outputFiles}, flag, "`file` for the report of "+name)
		_ = fl.MarkHidden(flag)
	}
	fl.BoolVar(&f.hideSkipped, "hide-skipped-tests", false, "do not list tests that did not run")
	fl.BoolVar(&f.requireAssertions, "expect.require-assertions", false, "let tests fail that assert nothing")
	acceptFlags(fl)
	fl.BoolVar(&f.globals, "globals", false, "make the functions of vitest global")
	fl.BoolVar(&f.passWithNone, "pass-with-no-tests", false, "succeed when there is no test")
	fl.BoolVar(&f.ignoreUnhandled, "dangerously-ignore-unhandled-errors", false,
		"succeed although exceptions or rejections were not handled")
	fl.BoolVar(&f.allowOnly, "allow-only", getenv(env, "CI") == "",
		"allow .only in tests; not allowed by default where CI is set")
	fl.StringVar(&f.shard, "shard", "", "run the files of one `part`, as 1/3")
	fl.StringVar(&f.seed, "seed", "", "`number` that decides every order that is free")
	fl.IntVar(&f.explore, "explore", 0,
		"run each test under a `number` of orders of events, 200 without a number; the seed decides the first")
	fl.Lookup("explore").NoOptDefVal = "200"
	fl.BoolVar(&f.crash, "crash", false, "with --explore: let the Worker crash in the background, too")
	fl.BoolVar(&f.shuffle, "sequence.shuffle", false, "run tests in an order that the seed decides")
	fl.Var(workerCount{&f.workers}, "max-workers", "`number` of files that run at a time, or a share of the cores as "+
		"50%; the cores without it")
	fl.BoolVar(&f.noParallel, "no-file-parallelism", false, "run the files one after the other")
	fl.BoolVar(&f.parallel, "file-parallelism", true, "run files at the same time")
	_ = fl.MarkHidden("file-parallelism")
	fl.StringVar(&f.sequenceHooks, "sequence.hooks", "", "`order` of hooks: stack, list or parallel")
	fl.StringVar(&f.changed, "changed", "", "run only tests that files concern which are changed since a `commit`, or "+
		"without one not committed; needs git")
	fl.Lookup("changed").NoOptDefVal = uncommitted
	fl.IntVar(&f.concurrency, "max-concurrency", 5, "`number` of concurrent tests in a file")
	fl.Float64Var(&f.testTimeout, "test-timeout", testPatience, "`milliseconds` that a test may take; 0 for no limit")
	fl.Float64Var(&f.hookTimeout, "hook-timeout", hookPatience, "`milliseconds` that a hook may take; 0 for no limit")
	fl.BoolVar(&f.clearMocks, "clear-mocks", false, "clear mocks after each test")
	fl.BoolVar(&f.mockReset, "mock-reset", false, "reset mocks after each test")
	fl.BoolVar(&f.restoreMocks, "restore-mocks", false, "restore spies after each test")
	fl.StringVar(&f.listTo, "json", "", "with list: as JSON, to a `file` or without one to stdout")
	fl.Lookup("json").NoOptDefVal = "true"
	fl.BoolVar(&f.filesOnly, "files-only", false, "with list: only the files")
	f.coverage.add(fl)
	f.inspect.add(fl)
	for flag, values := range map[string][]string{"isolate": isolations, "time": times,
		"silent": testrun.Silences()} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = cmd.RegisterFlagCompletionFunc("reporter", cobra.FixedCompletions(reporter.Names(),
		cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// What --isolate and --time take.
var (
	isolations = []string{"file", "test", "none"}
	times      = []string{"virtual", "real"}
)

// all runs the tests, and reads everything again if a watch asks for it.
func (f *testFlags) all(ctx context.Context, env OS, filters []string) error {
	f.keys = &testKeys{restore: func() {}}
	if f.watches(env) {
		if f.shard != "" {
			return usage("You cannot use --shard option with enabled watch")
		}
		var err error
		if f.keys, err = readKeys(env); err != nil {
			return err
		}
	}
	defer func() { f.keys.restore() }()
	var end func()
	f.debugger, end = f.inspect.announced(env)
	defer end()
	var last *restart
	for {
		own := *f
		err := own.test(ctx, env, filters)
		var r *restart
		switch {
		case errors.As(err, &r):
			fmt.Fprintf(env.Stdout, "\n%s\n", r.why)
			if r.projects != nil {
				f.projects = r.projects
			}
			last = r
		case err == nil, last == nil, errors.As(err, new(*exitError)):
			return err
		default:
			// The configuration cannot be read as it is now.
			fmt.Fprint(env.Stderr, explain(err, isTerminal(env.Stderr) && getenv(env, "NO_COLOR") == ""))
			if err := last.wait(ctx, f.keys.typed); err != nil {
				return err
			}
		}
	}
}

func (f *testFlags) test(ctx context.Context, env OS, filters []string) error {
	switch {
	case f.noIsolate && f.given("isolate"):
		return usage("--no-isolate and --isolate cannot be used together")
	case f.noIsolate || f.isolate == "false":
		f.isolate = "none"
	case f.isolate == "true":
		f.isolate = "file"
	case f.isolate != "" && !slices.Contains(isolations, f.isolate):
		return usage("--isolate %s: expected %s", f.isolate, strings.Join(isolations, ", "))
	}
	if f.silent != "" && !slices.Contains(testrun.Silences(), f.silent) {
		return usage("--silent=%s: expected %s", f.silent, strings.Join(testrun.Silences(), ", "))
	}
	switch {
	case f.time != "" && !slices.Contains(times, f.time):
		return usage("--time %s: expected %s", f.time, strings.Join(times, ", "))
	case f.time == "real" && f.explore > 0:
		return usage("--explore needs virtual time: leave out --time=real")
	}
	dir, err := env.Getwd()
	if err != nil {
		return err
	}
	if f.root != "" {
		dir = inDir(dir, f.root)
	}
	file, configs, err := f.testConfig(dir)
	if err != nil {
		return err
	}
	if file != "" || testconfig.HasWorkspace(dir) || len(configs) == 0 && !hasWorker(dir) {
		// What has no Worker is run as vitest would without a configuration.
		return f.configured(ctx, env, dir, file, filters)
	}
	f.configs = configs
	look := dir
	if f.dir != "" {
		look = inDir(dir, f.dir)
	}
	unwanted := append(slices.Clone(testrun.DefaultExclude), f.exclude...)
	files, err := testrun.Find(look, testGlobs(testrun.DefaultInclude), unwanted)
	if err != nil {
		return asFailure(err)
	}
	o, err := f.options(env, dir)
	if err != nil {
		return err
	}
	o.Find = func() ([]string, error) {
		files, err := testrun.Find(look, testGlobs(testrun.DefaultInclude), unwanted)
		kept, _ := testrun.Choose(dir, files, filters)
		return kept, err
	}
	o.Files, o.Filter.Lines = testrun.Choose(dir, files, filters)
	if o.Files, err = testrun.Shard(dir, o.Files, f.shard); err != nil {
		return usage("--shard %s: %w", f.shard, err)
	}
	if len(o.Files) == 0 {
		return f.none(env, dir, filters, testrun.DefaultInclude, testrun.DefaultExclude)
	}
	return f.run(ctx, env, dir, []testrun.Options{o}, configFiles(dir, configs))
}

// testGlobs are the globs of test files, and that of captured events.
func testGlobs(include []string) []string {
	return append(slices.Clone(include), testrun.ReplayInclude)
}

// options are those of a project without a configuration of tests.
func (f *testFlags) options(env OS, dir string) (testrun.Options, error) {
	o := testrun.Options{
		Dir: dir, Configs: f.configs, Env: f.env, Environ: testEnviron(env.Environ), PassWithNone: f.passWithNone,
		Workers: f.workers, Shared: f.isolate == "none", RealTime: f.time == "real",
		Explore: testrun.Explore{Schedules: f.explore, Crash: f.crash}, Silent: testrun.ParseSilence(f.silent),
		Settings: vitest.Config{
			TestTimeout: f.testTimeout, HookTimeout: f.hookTimeout, Retry: f.retry, Bail: f.bail,
			MaxConcurrency: f.concurrency, RequireAssertions: f.requireAssertions,
			AllowOnly: f.allowOnly, PassWithNone: f.passWithNone, Shuffle: f.shuffle, ClearMocks: f.clearMocks,
			MockReset: f.mockReset, RestoreMocks: f.restoreMocks, Globals: f.globals, Update: f.snapshots(env),
			IsolateTests: f.isolate == "test", Env: maps.Clone(vitestEnv),
		},
	}
	if f.noParallel || !f.parallel {
		o.Workers = 1
	}
	if o.Inspector = f.debugger; o.Inspector != nil {
		// A person needs longer, and looks at one thing at a time.
		o.Workers, o.Settings.TestTimeout, o.Settings.HookTimeout = 1, 0, 0
	}
	o.Settings.SequenceHooks = f.sequenceHooks
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

// vitestEnv is what vitest adds to the process.env of tests (TEST-118).
var vitestEnv = map[string]string{
	"PROD": "", "DEV": "1", "SSR": "1", "MODE": "test", "BASE_URL": "/", "VITEST_POOL_ID": "1", "VITEST_WORKER_ID": "1",
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
func (f *testFlags) none(env OS, dir string, filters, include, exclude []string) error {
	fmt.Fprintf(env.Stdout, "\n RUN  eddy %s %s\n\n", version, dir)
	if f.passWithNone {
		fmt.Fprint(env.Stdout, "No test files found, exiting with code 0\n\n")
	} else {
		fmt.Fprint(env.Stderr, "No test files found, exiting with code 1\n\n")
	}
	if len(filters) > 0 {
		fmt.Fprintln(env.Stderr, "filter: "+strings.Join(filters, ", "))
	}
	if len(f.projects) > 0 {
		fmt.Fprintln(env.Stderr, "projects: "+strings.Join(f.projects, ", "))
	}
	fmt.Fprintln(env.Stderr, "include: "+strings.Join(include, ", "))
	fmt.Fprintln(env.Stderr, "exclude:  "+strings.Join(append(slices.Clone(exclude), f.exclude...), ", "))
	if f.passWithNone {
		return nil
	}
	return &exitError{code: exitFailure}
}

// reportFile is --outputFile.json=FILE, which is --output-file=json=FILE.
type reportFile struct {
	reporter string
	files    *[]string
}

func (r reportFile) String() string { return "" }
func (r reportFile) Type() string   { return "file" }

func (r reportFile) Set(path string) error {
	*r.files = append(*r.files, r.reporter+"="+path)
	return nil
}

// acceptFlags takes flags of vitest that change nothing here, so that scripts written for it run: there are no pools,
// and the console is always caught.
func acceptFlags(fl *pflag.FlagSet) {
	for _, name := range []string{"pool", "config-loader", "vm-memory-limit", "min-workers", "teardown-timeout",
		"slow-test-threshold"} {
		fl.String(name, "", "")
		_ = fl.MarkHidden(name)
	}
	for _, name := range []string{"no-watch", "no-coverage", "no-cache", "cache", "color", "no-color", "clear-screen",
		"no-clear-screen", "disable-console-intercept", "print-console-trace", "log-heap-usage", "coverage.clean"} {
		fl.Bool(name, false, "")
		_ = fl.MarkHidden(name)
	}
}
