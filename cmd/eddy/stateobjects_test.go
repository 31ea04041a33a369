package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"eddy/durableobject/storage"
	"eddy/runtime/statedir"
)

// eddy state check finds an object whose file has lost a bit, and repair --force puts back what it held.
func TestStateOfObjects(t *testing.T) {
	project := t.TempDir()
	dir := statedir.Choose("", project, project)
	id := strings.Repeat("ab", 32)
	ns, err := storage.OpenNamespace(dir.Namespace("w-C"), storage.Options{HistoryDir: dir.History("w-C")})
	if err != nil {
		t.Fatal(err)
	}
	s := ns.Store(id)
	if err := s.Put("k", []byte(strings.Repeat("a", 100))); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := ns.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	st, _ := os.Stat(s.Path())
	damaged := bytes.Replace(whole, []byte("aaaa"), []byte("abaa"), 1)
	if err := os.WriteFile(s.Path(), damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(s.Path(), st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	config := "{\"name\": \"w\", \"main\": \"index.js\", \"compatibility_date\": \"2026-04-01\"}"
	if err := os.WriteFile(project+"/wrangler.json", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(want string, code int, args ...string) {
		t.Helper()
		var out bytes.Buffer
		got := Run(OS{Args: append([]string{"state"}, args...), Stdin: strings.NewReader(""), Stdout: &out,
			Stderr: &out,
			Getwd:  func() (string, error) { return project, nil }})
		if got != code || !strings.Contains(out.String(), want) {
			t.Errorf("%v: exit %d, want %d, with %q:\n%s", args, got, code, want, out.String())
		}
	}
	run("damaged object: "+id+" of w-C", 1, "check")
	run(`"repairable": true`, 1, "check", "--json")
	run("a repair puts back", 1, "repair")
	run("repaired; the damaged file is kept as ", 0, "repair", "--force")
	run("", 0, "check")
	if b, err := os.ReadFile(s.Path()); err != nil || !bytes.Equal(b, whole) {
		t.Errorf("the file is not what it was: %v", err)
	}
}
