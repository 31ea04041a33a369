package testrun

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"eddy/runtime/testrun/vitest"
)

// What eddy:test has does what its declarations say; the test file asserts it.
func TestEddyTest(t *testing.T) {
	dir, err := filepath.Abs("testdata/eddytest")
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(context.Background(), Options{
		Dir: dir, Files: []string{filepath.Join(dir, "eddy.test.ts")}, Seed: 7,
		Settings: vitest.Config{TestTimeout: 60_000, HookTimeout: 60_000, Update: "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, passed := result.Files[0], 0
	f.Tests(func(path []string, k *Task) {
		if k.State == Passed {
			passed++
			return
		}
		t.Errorf("%s %s: %s", strings.Join(path, " "), k.Name, k.State)
		for _, e := range k.Errors {
			t.Errorf("%s %v\n%s", e.Message, e.Frames, e.Diff)
		}
	})
	if passed < 12 {
		t.Errorf("%d tests passed", passed)
	}
	for _, e := range append(f.Errors, f.Unhandled...) {
		t.Errorf("%s %v", e.Message, e.Frames)
	}
}

// The page names everything that the declarations name.
func TestEddyTestIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^ *(?:export (?:const|function) )?(?:readonly )?([a-zA-Z]+)[(<:?].*$`)
	found := 0
	for _, m := range names.FindAllStringSubmatch(EddyTestTypes, -1) {
		found++
		if !strings.Contains(string(page), m[1]) {
			t.Errorf("docs/testing.md does not name %s", m[1])
		}
	}
	if found < 25 {
		t.Errorf("%d names are declared", found)
	}
}
