package testrun_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"eddy/runtime/testrun"
)

// TestWatched: a watched suite of captured events alone knows the Worker's files. They run again when one of those
// changes, also one that the Worker imports only since a change.
func TestWatched(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/watched.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, f := range archive.Files {
		if err := os.WriteFile(path(f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	captured := path("jobs.replay.jsonl")
	s := testrun.NewSuite(dir, []testrun.Options{{Dir: dir, Files: []string{captured}}})
	defer s.Close()
	s.Watched = true
	pass := func(want testrun.TaskState) {
		t.Helper()
		result, err := s.Run(t.Context(), testrun.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		if f := result.Files[0]; f.State != want {
			t.Errorf("the file is %q, want %q: %v", f.State, want, f.Errors)
		}
	}
	change := func(name, source string) {
		t.Helper()
		if err := os.Rename(path(source), path(name)); err != nil {
			t.Fatal(err)
		}
		if got := s.Changed([]string{path(name)}); !slices.Equal(got, []string{captured}) {
			t.Errorf("after a change of %s runs %v, want the captured events", name, got)
		}
	}
	watches := func(name string) {
		t.Helper()
		if !slices.Contains(s.Watch().Files, path(name)) {
			t.Errorf("%s is not watched: %v", name, s.Watch().Files)
		}
	}

	pass(testrun.Passed)
	watches("value.js")
	change("value.js", "wrong.js")
	pass(testrun.Failed)
	change("index.js", "other.js")
	pass(testrun.Passed)
	watches("right.js")
	if got := s.Changed([]string{path("note.txt")}); len(got) > 0 {
		t.Errorf("after a change of another file runs %v", got)
	}
}
