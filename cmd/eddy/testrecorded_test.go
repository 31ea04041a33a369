package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recordedRun is what vitest printed for a command line (record.mjs beside it).
type recordedRun struct {
	Args           string
	Code           int
	Stdout, Stderr string
}

// TestVitestFlags runs the same files with the same flags as vitest 4.1.12 and compares exit codes and what is printed
// for people, line by line (TEST-119, TEST-120, TEST-121, TEST-123, TEST-124, TEST-126, TEST-127, TEST-133, TEST-135),
// and the reports for machines by what they say of each test (TEST-129, TEST-131). What tests print stands under their
// names (TEST-122), and differences are blocks of lines (TEST-105).
func TestVitestFlags(t *testing.T) {
	exe, err := exec.LookPath("eddy") // testscript puts it there
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/vitestflags/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var runs []recordedRun
	if err := json.Unmarshal(data, &runs); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/vitestflags")); err != nil {
		t.Fatal(err)
	}
	for _, want := range runs {
		t.Run(want.Args, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(exe, append([]string{"test"}, strings.Fields(want.Args)...)...)
			var stdout, stderr bytes.Buffer
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
			cmd.Env = append(os.Environ(), "NO_COLOR=1", "CI=", "GITHUB_ACTIONS=", "HOME="+dir,
				"EDDY_REGISTRY="+filepath.Join(dir, ".registry"))
			_ = cmd.Run() // the code says it
			code := cmd.ProcessState.ExitCode()
			if code == exitUsage && want.Code != 0 {
				code = want.Code // a mistake in the command line, which vitest does not tell apart
			}
			if code != want.Code {
				t.Errorf("exit code %d, vitest's is %d\n%s%s", code, want.Code, &stdout, &stderr)
			}
			if want.Stdout == "" {
				return // a mistake in the command line: the texts are eddy's own
			}
			root, _ := filepath.EvalSymlinks(dir)
			short := strings.NewReplacer(root, "$DIR", dir, "$DIR").Replace
			if diff := cmp.Diff(said(want.Stdout), said(short(stdout.String()))); diff != "" {
				t.Errorf("stdout (-vitest +eddy):\n%s", diff)
			}
			wanted, errs := failuresIn(want.Stderr), failuresIn(short(stderr.String()))
			if strings.HasPrefix(want.Args, "syntax") {
				wanted, errs = nameLines(wanted), nameLines(errs) // each parser has its own words
			}
			if diff := cmp.Diff(wanted, errs); diff != "" {
				t.Errorf("stderr (-vitest +eddy):\n%s", diff)
			}
		})
	}
}

var (
	reportTimes = regexp.MustCompile(`\b\d+(\.\d+)?(ms|s)\b`)
	reportNames = regexp.MustCompile(` RUN  .*`)
	xmlValues   = regexp.MustCompile(`(time|timestamp|hostname)="[^"]*"`)
)

// said is a report without what differs from run to run, in the order of the alphabet: files end in any order.
func said(text string) (lines []string) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return saidJSON(text)
	}
	cdata := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ")
		if strings.Contains(line, "<failure") {
			cdata = true
		}
		inside := cdata && !strings.Contains(line, "<failure") // the printed error: its frames are the engine's
		if strings.Contains(line, "</failure") {
			cdata = false
		}
		if inside || line == "" || strings.HasPrefix(line, "   Start at") || strings.HasPrefix(line, "   Duration") {
			continue
		}
		line = reportNames.ReplaceAllString(reportTimes.ReplaceAllString(line, "Nms"), " RUN")
		line = xmlValues.ReplaceAllString(line, `$1=""`)
		if file, text, ok := strings.Cut(line, "::"); ok && file == "" {
			line, _, _ = strings.Cut(text, "::") // of an annotation the place and the title
			text, _, _ = strings.Cut(line, "%0A")
			line = text
		}
		lines = append(lines, strings.TrimSuffix(strings.Split(line, ">AssertionError")[0], "</failure>"))
	}
	slices.Sort(lines)
	return lines
}

// saidJSON is the report of json by test.
func saidJSON(text string) (lines []string) {
	var r map[string]any
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		return []string{err.Error()}
	}
	for key, value := range r {
		if strings.HasPrefix(key, "num") || key == "success" {
			lines = append(lines, key+" "+jsonText(value))
		}
	}
	for _, f := range r["testResults"].([]any) {
		file := f.(map[string]any)
		lines = append(lines, filepath.Base(file["name"].(string))+" "+jsonText(file["status"])+
			jsonText(file["message"]))
		for _, x := range file["assertionResults"].([]any) {
			test := x.(map[string]any)
			var failures []string
			for _, m := range test["failureMessages"].([]any) {
				first, _, _ := strings.Cut(m.(string), "\n    at ")
				failures = append(failures, first)
			}
			_, ran := test["duration"]
			lines = append(lines, jsonText([]any{test["ancestorTitles"], test["fullName"], test["status"],
				test["title"],
				ran, test["meta"], test["tags"], failures}))
		}
	}
	slices.Sort(lines)
	return lines
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// nameLines leaves the lines that name what failed.
func nameLines(lines []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool {
		return !strings.HasPrefix(line, " FAIL ") && !strings.HasPrefix(line, "Failed ") &&
			!strings.HasPrefix(line, "[")
	})
}

// failuresIn are the heads of the failures that go to stderr: banners, names, errors, diffs, and places in the files.
func failuresIn(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ")
		switch trimmed := strings.Trim(line, "⎯ "); {
		case strings.Contains(line, "|"), trimmed == "", strings.Contains(line, "❯ ") &&
			strings.Contains(line, "node_modules/"):
		case strings.HasPrefix(line, "⎯"):
			lines = append(lines, trimmed)
		default:
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}
