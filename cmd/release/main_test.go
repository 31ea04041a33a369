package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// linked makes the command that the release runs, once: to look seven times whether it is up to date takes as long as
// to link it. The go command keeps what it links for `go run`, so a copy is made of that.
func linked(t *testing.T) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "eddy")
	run := eddy
	cmd := run(program)
	cmd.Args = slices.Insert(cmd.Args, 2, "-exec", "cp")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	eddy = func(args ...string) *exec.Cmd { return exec.Command(program, args...) }
	t.Cleanup(func() { eddy = run })
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "expected a command: man, completions or npm"},
		{"packages", `unknown command "packages": expected man, completions or npm`},
		{"completions", "expected: completions DIR"}, {"man", "expected: man DIR"},
		{"npm", "-version is missing"}, {"npm -version 1.0.0 -dist nowhere", "no finished build"},
	} {
		if err := run(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("release %s: %v, want %s", c.args, err, c.want)
		}
	}
}

// There is a manual page for each command, the same for the same version, and a folder that cannot be made is told. A
// completion script is written for each shell, from the command of the tree that is worked in.
func TestManPagesAndCompletions(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	linked(t)
	page := func(dir, name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	pages, again := t.TempDir(), t.TempDir()
	for _, dir := range []string{pages, again} {
		if err := run([]string{"man", dir}); err != nil {
			t.Fatal(err)
		}
	}
	if text := page(pages, "eddy-queues-send.1"); !strings.Contains(text, "each line of standard input is a message") {
		t.Errorf("eddy-queues-send.1:\n%s", text)
	}
	for _, name := range []string{"eddy.1", "eddy-dev.1"} {
		if page(pages, name) != page(again, name) {
			t.Errorf("%s differs from one time to the next", name)
		}
	}
	err := run([]string{"man", "go.mod/pages"})
	if err == nil || !strings.Contains(err.Error(), "cannot make the directory go.mod") {
		t.Errorf("a file in place of the folder: %v", err)
	}
	dir := t.TempDir()
	if err := run([]string{"completions", dir}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"eddy.bash", "_eddy", "eddy.fish", "eddy.ps1"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(text), "eddy") {
			t.Errorf("%s: %d bytes, %v", file, len(text), err)
		}
	}
}
