package testrun

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eddy/runtime/testrun/coverage"
	"eddy/runtime/testrun/vitest"
)

var recordedAt = regexp.MustCompile(`(generated|timestamp)="\d+"`)

// Comments leave the same out as under vitest 4.1.12 with istanbul, an enum has no branches, and the reports for
// machines are the same, byte for byte but for the time and the order of lcov's files (TEST-137;
// testdata/leftout/record.sh).
func TestCoverageLeavesOut(t *testing.T) {
	dir, err := filepath.Abs("testdata/leftout")
	if err != nil {
		t.Fatal(err)
	}
	o := coverage.Options{Root: dir, Dir: t.TempDir(), Reporters: []string{"lcovonly", "clover", "cobertura"}}
	result, err := Run(context.Background(), Options{
		Dir: dir, Files: []string{filepath.Join(dir, "leftout.test.js")}, Coverage: &o,
		Settings: vitest.Config{TestTimeout: 60000, HookTimeout: 60000, Update: "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Failed() {
		t.Fatal(texts(result.Files[0].Errors))
	}
	var text bytes.Buffer
	if err := o.Report(&text, result.Coverage); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lcov.info", "clover.xml", "cobertura-coverage.xml"} {
		read := func(dir string) []string {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(recordedAt.ReplaceAllString(string(b), `$1=""`), o.Root, "$DIR")
			if name != "lcov.info" {
				return strings.Split(text, "\n")
			}
			records := strings.SplitAfter(text, "end_of_record\n")
			slices.Sort(records)
			return records
		}
		if diff := cmp.Diff(read("testdata/leftout/recorded"), read(o.Dir)); diff != "" {
			t.Errorf("%s (-vitest +eddy):\n%s", name, diff)
		}
	}
}
