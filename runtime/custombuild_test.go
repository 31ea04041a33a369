package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/bundle"
	"eddy/runtime/report"
)

// builtConfig has a command that writes the entry from a source.
const builtConfig = `{ "name": "w", "main": "out/index.js", "compatibility_date": "2026-04-01",
	"build": { "command": "COMMAND", "cwd": "tool", "watch_dir": "in" } }`

func withCommand(command string) string {
	return strings.Replace(builtConfig, "COMMAND", command, 1)
}

func answering(text string) string {
	return `export default { fetch() { return new Response("` + text + `") } }`
}

const copyCommand = `echo building for $WRANGLER_COMMAND; ` +
	`mkdir -p ../out && cp ../in/code.js ../out/index.js && printf done`

// TestCustomBuild: the command runs in its folder before bundling, and again when its sources change or on demand.
func TestCustomBuild(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", withCommand(copyCommand), "in/code.js", answering("one"), "tool/x", "")
	s := p.serve(func(o *Options) { o.Watch = true })
	s.expect("/", "one")
	s.wantLines("Running custom build: "+copyCommand, "[custom build] building for dev", "[custom build] done")
	p.write("in/code.js", answering("two"))
	s.out.await("Running custom build", 2)
	s.out.await("Reloaded w", 1)
	s.expect("/", "two")

	p.write("wrangler.jsonc", withCommand("echo broken; exit 3"))
	s.out.await("The code from before goes on.", 1)
	s.expect("/", "two")
	s.wantLines("[custom build] broken", "Running custom build `echo broken; exit 3` failed: exit status 3")
	p.write("wrangler.jsonc", withCommand(copyCommand))
	if err := s.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	s.expect("/", "two")
}

// TestCustomBuildTools: a command finds what the project has installed, from the nearest folder, as under npx.
func TestCustomBuildTools(t *testing.T) {
	script := func(text string) string { return "#!/bin/sh\n" + text }
	p := newProject(t, "worker/wrangler.jsonc", withCommand("near && far"), "worker/tool/x", "",
		"worker/node_modules/.bin/near", script(`mkdir -p ../out && echo '`+answering("built")+`' >../out/index.js`),
		"node_modules/.bin/near", script("exit 7"), "node_modules/.bin/far", script("echo from above"))
	for _, tool := range []string{"worker/node_modules/.bin/near", "node_modules/.bin/near", "node_modules/.bin/far"} {
		if err := os.Chmod(filepath.Join(p.dir, tool), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	s := p.serve(func(o *Options) {
		o.Configs, o.Environ = []string{filepath.Join(p.dir, "worker")}, os.Environ()
	})
	s.expect("/", "built")
	s.wantLines("[custom build] from above")
}

// TestCustomBuildFails: a failed command, and one that does not write the entry, fail the start as mistakes in the code
// do.
func TestCustomBuildFails(t *testing.T) {
	for command, want := range map[string]string{
		"exit 1": "Running custom build `exit 1` failed",
		"true":   "was not found after the custom build `true`",
	} {
		_, err := newProject(t, "wrangler.jsonc", withCommand(command), "tool/x", "").start()
		var failure *bundle.BuildError
		if !errors.As(err, &failure) || !strings.Contains(Explain(err, false), want) {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// TestCustomBuildEndsWithStart: who gives the start up does not wait for the command, nor for what it has started.
func TestCustomBuildEndsWithStart(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", withCommand("echo waiting; sleep 1000 & sleep 1000"), "tool/x", "")
	ctx, cancel := context.WithCancel(context.Background())
	out := newLines()
	go func() {
		out.await("[custom build] waiting", 1)
		cancel()
	}()
	if _, err := Start(ctx, Options{Dir: p.dir, Reporter: report.New(report.Options{Out: out})}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v", err)
	}
}
