package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "expected a command: completions or npm"},
		{"packages", `unknown command "packages": expected completions or npm`},
		{"completions", "expected: completions DIR"},
		{"npm", "-version is missing"}, {"npm -version 1.0.0 -dist nowhere", "no finished build"},
	} {
		if err := run(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("release %s: %v, want %s", c.args, err, c.want)
		}
	}
}

// A completion script is written for each shell, from the command of the tree that is worked in.
func TestCompletions(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(filepath.Join("..", ".."))
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
