package testrun

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/testrun/coverage"
	"eddy/runtime/testrun/vitest"
)

// covered runs the suite in testdata/coverage and gives its coverage with the reports.
func covered(t *testing.T, o coverage.Options) (*Result, coverage.Options, string) {
	t.Helper()
	dir, err := filepath.Abs("testdata/coverage")
	if err != nil {
		t.Fatal(err)
	}
	o.Root, o.Dir = dir, t.TempDir()
	result, err := Run(context.Background(), Options{
		Dir: dir, Files: []string{filepath.Join(dir, "coverage.test.js")}, Coverage: &o,
		Settings: vitest.Config{TestTimeout: 60000, HookTimeout: 60000, Update: "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Failed() {
		result.Files[0].Tests(func(_ []string, k *Task) { t.Fatal(k.Name, k.State, texts(k.Errors)) })
		t.Fatal(texts(result.Files[0].Errors))
	}
	var text bytes.Buffer
	if err := o.Report(&text, result.Coverage); err != nil {
		t.Fatal(err)
	}
	return result, o, text.String()
}

// Of pure functions the same lines run by Node's own coverage (shapes.lcov, recorded by record.sh) and by eddy's, and
// the whole of lcov's record is that of istanbul under vitest (TEST-137).
func TestCoverageAgrees(t *testing.T) {
	result, o, _ := covered(t, coverage.Options{Reporters: []string{"lcov", "json"}})
	recorded, err := os.ReadFile("testdata/coverage/shapes.lcov")
	if err != nil {
		t.Fatal(err)
	}
	ran := map[int]bool{}
	for line := range strings.Lines(string(recorded)) {
		var n, count int
		if _, err := fmt.Sscanf(line, "DA:%d,%d", &n, &count); err == nil {
			ran[n] = count > 0
		}
	}
	compared := 0
	for _, f := range result.Coverage.Files() {
		if filepath.Base(f.Path) != "shapes.js" {
			continue
		}
		for line, count := range f.Lines() {
			node, known := ran[line]
			if !known || node != (count > 0) {
				t.Errorf("line %d ran %d times; Node knows it: %v, and says that it ran: %v", line, count, known, node)
			}
			compared++
		}
	}
	if compared != 45 {
		t.Errorf("%d lines were compared, expected 45", compared)
	}
	want, err := os.ReadFile("testdata/coverage/istanbul.lcov")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(o.Dir, "lcov.info"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains("TN:\n"+string(got), strings.TrimPrefix(string(want), "TN:\n")) {
		t.Errorf("lcov.info\n%s\nhas not what istanbul has\n%s", got, want)
	}
	for _, file := range []string{"lcov-report/index.html", "lcov-report/src/words.ts.html", "coverage-final.json"} {
		if _, err := os.Stat(filepath.Join(o.Dir, file)); err != nil {
			t.Error(err)
		}
	}
}

// The table is istanbul's; files that are included count although nobody imports them, and thresholds that are not
// reached are told (TEST-135, TEST-137).
func TestCoverageReport(t *testing.T) {
	result, o, text := covered(t, coverage.Options{
		Include: []string{"src/**"}, Reporters: []string{"text", "text-summary"},
		Thresholds: coverage.Thresholds{Lines: 90, Functions: 10, Branches: -3},
	})
	want := `
 % Coverage report from eddy
-----------|---------|----------|---------|---------|-------------------------------
File       | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s             
-----------|---------|----------|---------|---------|-------------------------------
All files  |   71.87 |    60.71 |   72.22 |   72.72 |                               
 alone.js  |       0 |      100 |       0 |       0 | 1                             
 shapes.js |   76.47 |       70 |   78.57 |   75.55 | 5,9,17,20-21,31-32,42,65,82,94
 words.ts  |   63.63 |     37.5 |   66.66 |   66.66 | 21-24                         
-----------|---------|----------|---------|---------|-------------------------------

=============================== Coverage summary ===============================
Statements   : 71.87% ( 46/64 )
Branches     : 60.71% ( 17/28 )
Functions    : 72.22% ( 13/18 )
Lines        : 72.72% ( 40/55 )
================================================================================
`
	if text != want {
		t.Errorf("got %s\nwant %s", text, want)
	}
	missed := strings.Join(o.Missed(result.Coverage), "\n")
	if want := "ERROR: Coverage for lines (72.72%) does not meet global threshold (90%)\n" +
		"ERROR: Uncovered branches (11) exceed global threshold (3)"; missed != want {
		t.Errorf("missed:\n%s\nwant\n%s", missed, want)
	}
}
