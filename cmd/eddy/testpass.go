package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"eddy/runtime/testrun"
	"eddy/runtime/testrun/coverage"
	"eddy/runtime/testrun/reporter"
)

// testPasses runs the files of projects and tells the reporters: once, or after each change.
type testPasses struct {
	flags    *testFlags
	env      OS
	root     string
	projects []testrun.Options
	suite    *testrun.Suite
	counting *coverage.Options
	frames   *testrun.Frames
	watch    bool
}

// run runs the files once or until the watch ends.
func (f *testFlags) run(ctx context.Context, env OS, root string, projects []testrun.Options, more []string) error {
	counting, err := f.coverage.options(root)
	if err != nil {
		return err
	}
	p := &testPasses{flags: f, env: env, root: root, projects: projects, counting: counting,
		frames: &testrun.Frames{}, watch: f.watches(env)}
	kept := f.journal
	if kept != "" {
		if kept, err = filepath.Abs(kept); err != nil {
			return err
		}
	}
	for i := range projects {
		projects[i].Journal = kept
		projects[i].Coverage, projects[i].Frames, projects[i].Lines = counting, p.frames, env.Stderr
	}
	p.suite = testrun.NewSuite(root, projects)
	p.suite.Watched = p.watch
	defer p.suite.Close()
	slack.Store(testSlack)
	started.Store(true)
	chosen := testrun.Selection{}
	related := f.related
	if f.changed != "" {
		since := f.changed
		if since == uncommitted {
			since = ""
		}
		if related, err = changedSince(ctx, root, since); err != nil {
			return err
		}
		f.passWithNone = true
	}
	if related != nil && !slices.ContainsFunc(related, concernsAll) {
		if chosen.Files, err = p.suite.Related(related); err != nil {
			return asFailure(err)
		}
		if len(chosen.Files) == 0 && !p.watch {
			return f.none(env, root, nil, testrun.DefaultInclude, testrun.DefaultExclude)
		}
	}
	if f.list {
		return p.listing(ctx, chosen.Files)
	}
	if p.watch {
		return p.watching(ctx, more)
	}
	result, err := p.pass(ctx, chosen, nil)
	switch {
	case result == nil && err != nil:
		return err
	case ctx.Err() != nil:
		return &exitError{130, nil}
	case err != nil:
		return asFailure(err)
	case p.failed(result):
		return &exitError{code: exitFailure}
	}
	return nil
}

// failed tells whether a pass makes the exit code 1.
func (p *testPasses) failed(r *testrun.Result) bool {
	failed := r.Failed()
	if p.flags.ignoreUnhandled {
		failed = r.TestsFailed()
	}
	return failed || p.counting != nil && len(p.counting.Missed(r.Coverage)) > 0
}

// pass runs what is chosen.
func (p *testPasses) pass(
	ctx context.Context, chosen testrun.Selection, again *reporter.Rerun,
) (*testrun.Result, error) {
	count := len(p.suite.Files())
	if chosen.Files != nil {
		count = len(chosen.Files)
	}
	all, closeReports, err := p.reporters(count, again)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		r.Began(p.root)
	}
	if p.projects[0].Settings.Shuffle && again == nil {
		fmt.Fprintf(p.env.Stdout, "      Running tests with seed \"%d\"\n", p.projects[0].Seed)
	}
	chosen.Observer = all
	result, err := p.suite.Run(ctx, chosen)
	if result == nil {
		return nil, errors.Join(err, closeReports())
	}
	errs := []error{err}
	for _, r := range all {
		errs = append(errs, r.Ended(result))
	}
	errs = append(errs, closeReports())
	if x := result.Explored; x.Tests > 0 {
		fmt.Fprintf(p.env.Stdout, "    Explored  %d schedules of %d tests, %d of them different, in %s\n", x.Schedules,
			x.Tests, x.Distinct, x.Duration.Round(time.Millisecond))
	}
	if p.counting != nil {
		errs = append(errs, p.counting.Report(p.env.Stdout, result.Coverage))
		for _, text := range p.counting.Missed(result.Coverage) {
			fmt.Fprintln(p.env.Stderr, text)
		}
	}
	return result, errors.Join(errs...)
}

// reporters makes those of one pass over so many files.
func (p *testPasses) reporters(files int, again *reporter.Rerun) (all reporters, closeAll func() error, err error) {
	names := p.flags.reporters
	junit, err := p.flags.junit()
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		names = []string{"default"}
		if getenv(p.env, "GITHUB_ACTIONS") == "true" {
			names = append(names, "github-actions")
		}
	}
	var reports []io.Closer
	closeAll = func() (err error) {
		for _, r := range reports {
			err = errors.Join(err, r.Close())
		}
		return err
	}
	for _, name := range names {
		ro := reporter.Options{
			Out: p.env.Stdout, Err: p.env.Stderr, Root: p.root, Version: version, Frame: p.frames.Show,
			Color: isTerminal(p.env.Stdout) && getenv(p.env, "NO_COLOR") == "", Terminal: isTerminal(p.env.Stdout),
			Files: files, Slow: testSlow, Watch: p.watch, Rerun: again,
			SkippedHidden: p.flags.hideSkipped, JUnit: junit, JobSummary: p.jobSummary(),
		}
		path, err := p.flags.outputFile(name)
		if err != nil {
			return nil, nil, errors.Join(err, closeAll())
		}
		if path != "" {
			if !filepath.IsAbs(path) {
				path = filepath.Join(p.root, path)
			}
			file, err := createReport(path)
			if err != nil {
				return nil, nil, errors.Join(asFailure(err), closeAll())
			}
			reports = append(reports, file)
			ro.File, ro.Path = file, path
		}
		r, err := reporter.New(name, ro)
		if err != nil {
			return nil, nil, errors.Join(usage("--reporter %s: %w", name, err), closeAll())
		}
		all = append(all, r)
	}
	return all, closeAll, nil
}

// jobSummary is that of the job of GitHub Actions in which eddy runs.
func (p *testPasses) jobSummary() (s reporter.JobSummary) {
	s.Repository, s.Commit = getenv(p.env, "GITHUB_REPOSITORY"), getenv(p.env, "GITHUB_SHA")
	s.Workspace = getenv(p.env, "GITHUB_WORKSPACE")
	if path := getenv(p.env, "GITHUB_STEP_SUMMARY"); path != "" {
		s.Append = func(text string) error {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
			if err != nil {
				return asFailure(err)
			}
			_, err = file.WriteString(text)
			return errors.Join(err, file.Close())
		}
	}
	return s
}

func createReport(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	return os.Create(path)
}

// reporters tells several.
type reporters []reporter.RunReporter

func (list reporters) Reported(f *testrun.File, t *testrun.Task, kind string) {
	for _, r := range list {
		r.Reported(f, t, kind)
	}
}

func (list reporters) Wrote(f *testrun.File, t *testrun.Task, o testrun.Output) {
	for _, r := range list {
		r.Wrote(f, t, o)
	}
}
