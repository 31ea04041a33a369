package testrun

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"eddy/runtime/testrun/vitest"
)

// TestRecorded runs tests whose results and texts are recorded from vitest 4.1: the matchers (TEST-92, TEST-93,
// TEST-95, TEST-96, TEST-97) and their texts (TEST-98, TEST-99, TEST-100, TEST-101, TEST-102, TEST-103, TEST-104),
// chai's and sinon's words (TEST-94), modifiers, options and the context (TEST-81, TEST-82, TEST-83, TEST-84), fixtures
// (TEST-85, TEST-86), the order of hooks (TEST-87) and failing ones (TEST-88), titles of rows (TEST-91), mocks
// (TEST-108, TEST-109), stubs (TEST-111) and fake timers (TEST-106, TEST-107).
func TestRecorded(t *testing.T) {
	dir, err := filepath.Abs("testdata/vitest")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"matchers", "mocks", "structure", "surface", "asymmetric", "calls", "fixtures",
		"hooks", "softly", "stubs", "thrown", "titles", "describes"} {
		t.Run(name, func(t *testing.T) {
			result, err := Run(context.Background(), Options{
				Dir: dir, Files: []string{filepath.Join(dir, name+".test.js")},
				Settings: vitest.Config{TestTimeout: 60_000, HookTimeout: 60_000, Update: "none", AllowOnly: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(dir, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]struct {
				Status string
				Errors []*string
			}
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			file := result.Files[0]
			for _, e := range file.Errors {
				t.Errorf("file: %s: %s %v", e.Name, e.Message, e.Frames)
			}
			words := map[TaskState]string{Passed: "passed", Failed: "failed", Skipped: "skipped", Todo: "todo"}
			file.Tests(func(path []string, k *Task) {
				full := strings.Join(append(path, k.Name), " ")
				w, ok := want[full]
				if !ok {
					t.Errorf("%s: vitest has no such test", full)
					return
				}
				delete(want, full)
				if words[k.State] != w.Status {
					t.Errorf("%s: %s, vitest says %s %v", full, words[k.State], w.Status, texts(k.Errors))
					return
				}
				got := texts(k.Errors)
				for i, e := range w.Errors {
					if e != nil && (i >= len(got) || got[i] != unnamed(*e)) {
						t.Errorf("%s:\n got %q\nwant %q", full, got, *e)
					}
				}
			})
			for full := range want {
				t.Errorf("%s: did not run", full)
			}
		})
	}
}

func texts(list []*TaskError) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Message)
	}
	return out
}

// unnamed is a recorded failure without the name of its class, which vitest takes from the stack.
func unnamed(text string) string {
	if name, rest, ok := strings.Cut(text, ": "); ok && strings.HasSuffix(name, "Error") &&
		!strings.Contains(name, " ") {
		return rest
	}
	return text
}

// A suite fails by its hooks, and if it has no test (TEST-88); vitest prints the same.
func TestSuitesFail(t *testing.T) {
	dir, err := filepath.Abs("testdata/vitest")
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(context.Background(), Options{
		Dir: dir, Files: []string{filepath.Join(dir, "describes.test.js")},
		Settings: vitest.Config{TestTimeout: 60_000, HookTimeout: 60_000, Update: "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range result.Files[0].Tasks {
		if k.Type == "suite" && k.State == Failed {
			got = append(got, k.Name+": "+strings.Join(texts(k.Errors), " "))
		}
	}
	want := []string{"empty: No test found in suite empty",
		"empty, with hooks: No test found in suite empty, with hooks",
		"beforeAll throws: before", "afterAll throws: after"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
