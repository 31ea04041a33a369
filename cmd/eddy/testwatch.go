package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/term"

	"eddy/runtime/bundle"
	"eddy/runtime/testrun"
	"eddy/runtime/testrun/reporter"
	"eddy/wrangler"
)

// watches tells whether files are watched: when asked, and by default on a terminal, as vitest does (TEST-117).
func (f *testFlags) watches(env OS) bool {
	switch {
	case f.once:
		return false
	case f.watchWord:
		return true
	case f.given("watch"):
		return f.watch
	}
	return isTerminal(env.Stdin) && isTerminal(env.Stdout) && getenv(env, "CI") == "" && f.shard == "" && f.explore == 0
}

// restart says that the configuration has to be read again.
type restart struct {
	why      string
	projects []string // if set, what --project shall be
	files    []string // the configuration
}

func (r *restart) Error() string { return r.why }

// wait returns when one of the files has changed.
func (r *restart) wait(ctx context.Context, typed <-chan string) error {
	watcher, err := bundle.NewWatcher(bundle.WatchOptions{})
	if err != nil {
		return err
	}
	defer watcher.Close()
	if err := watcher.Set(bundle.WatchSet{Files: r.files}); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return &exitError{130, nil}
		case <-watcher.Changes():
			return nil
		case keys := <-typed:
			if keys == "q" {
				return &exitError{code: exitFailure}
			}
		}
	}
}

// configFiles are the Worker's configuration files as far as they are known before they are read.
func configFiles(dir string, configs []string) (files []string) {
	for _, c := range configs {
		if !filepath.IsAbs(c) {
			c = filepath.Join(dir, c)
		}
		files = append(files, c)
	}
	if loc, err := wrangler.Find(dir); err == nil && len(files) == 0 {
		files = append(files, loc.Path)
	}
	return files
}

// hasWorker tells whether there is a Worker's configuration, be it a wrong one.
func hasWorker(dir string) bool {
	_, err := wrangler.Find(dir)
	return !errors.Is(err, wrangler.ErrNotFound)
}

// testKeys reads what is typed, from its first use on until the process ends: a terminal offers no other way.
type testKeys struct {
	typed   chan string
	restore func()
}

// readKeys reads keys if they come from a terminal.
func readKeys(env OS) (*testKeys, error) {
	in, ok := env.Stdin.(*os.File)
	if !ok || !isTerminal(env.Stdin) {
		return &testKeys{restore: func() {}}, nil
	}
	state, err := makeCbreak(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	k := &testKeys{typed: make(chan string)}
	k.restore = sync.OnceFunc(func() { _ = term.Restore(int(in.Fd()), state) })
	go func() {
		buf := make([]byte, 64)
		for {
			n, err := in.Read(buf)
			if err != nil {
				return
			}
			k.typed <- string(buf[:n])
		}
	}()
	return k, nil
}

// testWatch runs tests again when files change or keys are pressed (TEST-136). One goroutine uses it.
type testWatch struct {
	*testPasses
	watcher *bundle.Watcher
	typed   <-chan string
	// configs are files on whose change everything is read again.
	configs []string
	// file and pattern narrow the passes.
	file, pattern string
	last          map[string]*testrun.File // what became of each file, by project and path
	times         map[string]int           // how often files ran again
	broken        error                    // why the last pass could not be built
	ever          bool                     // a pass has failed
}

// watching runs passes until the person ends it.
func (p *testPasses) watching(ctx context.Context, configs []string) error {
	watcher, err := bundle.NewWatcher(bundle.WatchOptions{})
	if err != nil {
		return err
	}
	defer watcher.Close()
	w := &testWatch{testPasses: p, watcher: watcher, typed: p.flags.keys.typed, configs: configs,
		last: map[string]*testrun.File{}, times: map[string]int{}}
	if err := w.run(ctx, testrun.Selection{}, nil); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return &exitError{130, nil}
		case change := <-watcher.Changes():
			err = w.changed(ctx, change)
		case keys := <-w.typed:
			err = w.press(ctx, keys)
		}
		if errors.Is(err, errQuit) {
			if w.ever {
				return &exitError{code: exitFailure}
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// errQuit ends a watch.
var errQuit = errors.New("quit")

// run is one pass. Keys that ask for something end it early.
func (w *testWatch) run(ctx context.Context, chosen testrun.Selection, again *reporter.Rerun) error {
	if w.pattern != "" && chosen.Pattern == nil {
		chosen.Pattern = &w.pattern
	}
	passing, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		result *testrun.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := w.pass(passing, chosen, again)
		done <- outcome{result, err}
	}()
	var out outcome
	for ended := false; !ended; {
		select {
		case out = <-done:
			ended = true
		case keys := <-w.typed:
			if keys == "\x1b" || keys == "\x03" {
				cancel()
				<-done
				return &exitError{130, nil}
			}
			if strings.Contains(" charftupwbqCHARFTUPWBQ\r\n", keys) {
				cancel()
			}
		}
	}
	if ctx.Err() != nil {
		return &exitError{130, nil}
	}
	cancelled := passing.Err() != nil
	w.broken = nil
	if out.err != nil && !cancelled {
		w.broken = out.err
		fmt.Fprint(w.env.Stderr, explain(asFailure(out.err),
			isTerminal(w.env.Stderr) && getenv(w.env, "NO_COLOR") == ""))
	}
	var files []*testrun.File
	if out.result != nil {
		files = out.result.Files
		for _, f := range files {
			w.last[f.Project+"\x00"+f.Path] = f
		}
	}
	failed := w.broken != nil || out.result != nil && !cancelled && w.failed(out.result)
	w.ever = w.ever || failed
	set := w.suite.Watch()
	w.configs = append(w.configs, w.suite.Configs()...)
	set.Files = append(set.Files, w.configs...)
	if err := w.watcher.Set(set); err != nil {
		return err
	}
	reporter.Waiting(reporter.Options{Out: w.env.Stdout,
		Color: isTerminal(w.env.Stdout) && getenv(w.env, "NO_COLOR") == ""}, failed, cancelled,
		reporter.FailedSnapshot(files))
	return nil
}

// changed runs what a change concerns.
func (w *testWatch) changed(ctx context.Context, change bundle.FileChange) error {
	for _, file := range change.Files {
		if slices.Contains(w.configs, file) {
			return &restart{why: "Restarting due to config changes...", files: w.configs}
		}
	}
	before := w.suite.Files()
	found, err := w.suite.Find()
	if err != nil {
		return err
	}
	for _, file := range before {
		if !slices.Contains(w.suite.Files(), file) {
			fmt.Fprintf(w.env.Stdout, "Test removed... [ %s ]\n", w.show(file))
		}
	}
	files := slices.DeleteFunc(slices.Clone(change.Files), func(file string) bool {
		return slices.Contains(found, file) || slices.Contains(before, file) && !slices.Contains(w.suite.Files(), file)
	})
	affected := found
	if len(files) > 0 || len(change.Files) == 0 {
		affected = append(w.suite.Changed(files), found...)
	}
	if len(found) > 0 {
		w.suite.Stale()
	}
	if w.broken != nil && len(affected) == 0 {
		affected = w.suite.Files()
	}
	affected = w.narrowed(affected)
	if len(affected) == 0 {
		return nil
	}
	trigger := ""
	if len(change.Files) > 0 {
		trigger = w.show(change.Files[len(change.Files)-1])
	}
	return w.again(ctx, affected, trigger, "")
}

// narrowed leaves the files that the person wants to see.
func (w *testWatch) narrowed(files []string) []string {
	if w.file == "" {
		return files
	}
	kept, _ := testrun.Choose(w.root, files, []string{w.file})
	return kept
}

// again runs files once more.
func (w *testWatch) again(ctx context.Context, files []string, trigger, update string) error {
	files = w.narrowed(files)
	slices.Sort(files)
	files = slices.Compact(files)
	r := &reporter.Rerun{Trigger: trigger, Project: strings.Join(w.flags.projects, ", "), File: w.file,
		Pattern: w.pattern}
	for _, file := range files {
		w.times[file]++
	}
	if len(files) == 1 {
		r.Count = w.times[files[0]]
	}
	for _, f := range w.last {
		if f.State == testrun.Failed && !slices.Contains(files, f.Path) && slices.Contains(w.suite.Files(), f.Path) {
			r.Failed = append(r.Failed, f)
		}
	}
	slices.SortFunc(r.Failed, func(a, b *testrun.File) int { return strings.Compare(a.Path, b.Path) })
	if len(files) == 0 {
		fmt.Fprintln(w.env.Stdout, "No test files found. You can change the file name pattern by pressing \"p\"")
		return nil
	}
	return w.run(ctx, testrun.Selection{Files: files, Update: update}, r)
}

func (w *testWatch) show(file string) string {
	if name, err := filepath.Rel(w.root, file); err == nil {
		return filepath.ToSlash(name)
	}
	return file
}

// watchHelp is vitest's, apart from the browser.
const watchHelp = `
  Watch Usage
  press a, return to rerun all tests
  press r to rerun current pattern tests
  press f to rerun only failed tests
  press u to update snapshot
  press p to filter by a filename
  press t to filter by a test name regex pattern
  press w to filter by a project name
  press q to quit
`

// press carries out a key while nothing runs.
func (w *testWatch) press(ctx context.Context, key string) error {
	switch strings.ToLower(key) {
	case "q":
		return errQuit
	case "\x1b", "\x03":
		return &exitError{130, nil}
	case "h", "?":
		fmt.Fprint(w.env.Stdout, watchHelp)
	case "a", "\r", "\n":
		w.file, w.pattern = "", ""
		return w.again(ctx, w.suite.Files(), "rerun all tests", "")
	case "r":
		return w.again(ctx, w.suite.Files(), "", "")
	case "f":
		return w.again(ctx, w.those(func(f *testrun.File) bool { return f.State == testrun.Failed }), "rerun failed",
			"")
	case "u":
		return w.again(ctx, w.those(func(f *testrun.File) bool {
			return f.State == testrun.Failed || len(f.Snapshots.Obsolete) > 0
		}), "update snapshot", "all")
	case "p":
		return w.filterFiles(ctx)
	case "t":
		return w.filterNames(ctx)
	case "w":
		name, ok, err := w.ask(ctx, "Input a single project name", func(typed string) (found []string) {
			for _, p := range w.projects {
				if strings.Contains(p.Name, typed) && !slices.Contains(found, p.Name) {
					found = append(found, p.Name)
				}
			}
			return found
		})
		if err != nil || !ok {
			return err
		}
		r := &restart{why: "Restarting...", projects: []string{}, files: w.configs}
		if name != "" {
			r.projects = []string{name}
		}
		return r
	}
	return nil
}

// those are the files of which the last run says something.
func (w *testWatch) those(want func(*testrun.File) bool) (files []string) {
	for _, f := range w.last {
		if want(f) && slices.Contains(w.suite.Files(), f.Path) {
			files = append(files, f.Path)
		}
	}
	return files
}

// filterFiles asks for a part of file names.
func (w *testWatch) filterFiles(ctx context.Context) error {
	typed, ok, err := w.ask(ctx, "Input filename pattern", func(typed string) (found []string) {
		kept, _ := testrun.Choose(w.root, w.suite.Files(), []string{typed})
		for _, f := range kept {
			found = append(found, w.show(f))
		}
		return found
	})
	if err != nil || !ok {
		return err
	}
	w.file = strings.TrimSpace(typed)
	trigger := "change filename pattern"
	if w.file == "" {
		trigger = "reset filename pattern"
	}
	return w.again(ctx, w.suite.Files(), trigger, "")
}

// filterNames asks for an expression for names of tests.
func (w *testWatch) filterNames(ctx context.Context) error {
	names := func(typed string) (found []string) {
		re, err := regexp.Compile(typed)
		if err != nil {
			return nil
		}
		for _, f := range w.last {
			f.Tests(func(_ []string, t *testrun.Task) {
				if re.MatchString(t.Name) && !slices.Contains(found, t.Name) {
					found = append(found, t.Name)
				}
			})
		}
		slices.Sort(found)
		return found
	}
	typed, ok, err := w.ask(ctx, "Input test name pattern (RegExp)", names)
	if err != nil || !ok {
		return err
	}
	if w.pattern = strings.TrimSpace(typed); w.pattern == "" {
		w.file = ""
		return w.again(ctx, w.suite.Files(), "change pattern", "")
	}
	re, err := regexp.Compile(w.pattern)
	return w.again(ctx, w.those(func(f *testrun.File) bool {
		some := false
		f.Tests(func(_ []string, t *testrun.Task) { some = some || err == nil && re.MatchString(t.Name) })
		return some || err != nil
	}), "change pattern", "")
}
