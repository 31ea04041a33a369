package testrun

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"eddy/runtime/testrun/vitest"
)

// orders writes a project with so many files of 25 tests of one kind, and gives the options of its run.
func orders(t testing.TB, kind string, files int) Options {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/orders")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, kind+".js"))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: dir, Settings: vitest.Config{TestTimeout: 60000, HookTimeout: 60000, Update: "none"}}
	for i := range files {
		file := filepath.Join(dir, fmt.Sprintf("%s%d.test.js", kind, i))
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		o.Files = append(o.Files, file)
	}
	return o
}

// An hour of back-off passes in a test, and waiting for it by looking opens no object anew (TEST-X3).
func TestOrders(t *testing.T) {
	for _, kind := range []string{"waits", "polls"} {
		t.Run(kind, func(t *testing.T) {
			result, err := Run(context.Background(), orders(t, kind, 2))
			if err != nil {
				t.Fatal(err)
			}
			passed := 0
			for _, f := range result.Files {
				f.Tests(func(_ []string, k *Task) {
					if k.State == Passed {
						passed++
						return
					}
					t.Errorf("%s: %s %q %v", f.Name, k.Name, k.State, texts(k.Errors))
				})
			}
			if passed != 50 {
				t.Errorf("%d tests passed, expected 50", passed)
			}
		})
	}
}

// BenchmarkOrders is the suite of 1,000 tests in 40 files.
func BenchmarkOrders(b *testing.B) {
	for _, kind := range []string{"waits", "polls"} {
		b.Run(kind, func(b *testing.B) {
			o := orders(b, kind, 40)
			b.ReportAllocs()
			for b.Loop() {
				result, err := Run(context.Background(), o)
				if err != nil || result.Failed() {
					b.Fatal(err, result.Failed())
				}
			}
		})
	}
}
