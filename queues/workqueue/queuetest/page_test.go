package queuetest

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"
)

// The page of the package is in testdata/page.txt: each sentence that promises something, and under it the cases that
// show it. A case that does not exist is an error, and so is a sentence without one and a case without a sentence.
func TestPage(t *testing.T) {
	f, err := os.Open("testdata/page.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tests := goTests(t, "../api_test.go", "../application_test.go", "clock_test.go")
	shown := map[string]bool{}
	sentence, proofs := "", 0
	end := func() {
		if sentence != "" && proofs == 0 {
			t.Errorf("no case shows %q", sentence)
		}
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "", strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, "\t"):
			end()
			sentence, proofs = line, 0
		default:
			name := strings.TrimSpace(line)
			proofs++
			isCase := slices.ContainsFunc(allCases(), func(c testCase) bool { return c.name == name })
			if !isCase && !tests[name] {
				t.Errorf("%q: there is no case or test %q", sentence, name)
			}
			shown[name] = true
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	end()
	for _, c := range allCases() {
		if !shown[c.name] {
			t.Errorf("case %q is under no sentence of the page", c.name)
		}
	}
}

// goTests are the names of the tests of files.
func goTests(t *testing.T, files ...string) map[string]bool {
	names := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "func "); ok && strings.HasPrefix(rest, "Test") {
				name, _, _ := strings.Cut(rest, "(")
				names[name] = true
			}
		}
	}
	return names
}
