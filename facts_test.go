package eddy

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// factLists are the lists under testdata/facts, each with the shape of its numbers.
var factLists = []struct {
	file string
	// number matches what looks like a fact of this list. Where strict is set, a citation of a number that the list lacks
	// is an error too.
	number *regexp.Regexp
	strict bool
}{
	{"queues.txt", regexp.MustCompile(`\b(?:P|C|K|D|H|W|T|X|DQ|Z0|BE)-[0-9]{1,2}\b`), true},
	{"durable-objects.txt", regexp.MustCompile(`\b(?:AG|AL|CL|DEV|GJ|GT|ID|KV|RPC|RT|SQL|TX|WF|WS|B|D)[0-9]+\b`), false},
}

// Every fact of the lists is cited, by its own number and not as part of a range, in a test or in what a test reads: else
// nobody can say which test proves it.
func TestFactsAreCited(t *testing.T) {
	cited := citations(t)
	for _, l := range factLists {
		listed := readFacts(t, filepath.Join("testdata", "facts", l.file), l.number)
		for _, fact := range listed.order {
			if len(cited[fact]) == 0 {
				t.Errorf("%s: no test cites %s", l.file, fact)
			}
		}
		for fact, where := range cited {
			if l.strict && l.number.FindString(fact) == fact && !listed.has[fact] {
				t.Errorf("%s: cites %s, which is not in %s", strings.Join(where, ", "), fact, l.file)
			}
		}
	}
}

type facts struct {
	order []string
	has   map[string]bool
}

// readFacts reads numbers separated by white space; the rest of a line after # is a remark.
func readFacts(t *testing.T, file string, number *regexp.Regexp) facts {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := facts{has: map[string]bool{}}
	for i, line := range strings.Split(string(b), "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, fact := range strings.Fields(line) {
			switch {
			case number.FindString(fact) != fact:
				t.Errorf("%s:%d: %q is no fact's number", file, i+1, fact)
			case out.has[fact]:
				t.Errorf("%s:%d: %s stands here twice", file, i+1, fact)
			}
			out.order, out.has[fact] = append(out.order, fact), true
		}
	}
	if len(out.order) == 0 {
		t.Errorf("%s: no facts", file)
	}
	return out
}

// citations finds every fact's number in tests and their data, with the files it stands in. The lists themselves and the
// ledgers of gaps prove nothing.
func citations(t *testing.T) map[string][]string {
	t.Helper()
	var any []string
	for _, l := range factLists {
		any = append(any, l.number.String())
	}
	number := regexp.MustCompile(strings.Join(any, "|"))
	cited := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		slash := filepath.ToSlash(path)
		if d.IsDir() {
			if slash == "testdata/facts" || d.Name() == "node_modules" || path != "." && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		inData := strings.HasPrefix(slash, "testdata/") || strings.Contains(slash, "/testdata/")
		if !strings.HasSuffix(slash, "_test.go") && !inData || d.Name() == "gaps.txt" || slash == "facts_test.go" {
			return nil
		}
		switch filepath.Ext(slash) {
		case ".go", ".txt", ".txtar", ".mjs", ".js", ".ts":
		default:
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("citations: %w", err)
		}
		seen := map[string]bool{}
		for _, fact := range number.FindAllString(string(b), -1) {
			if !seen[fact] {
				seen[fact], cited[fact] = true, append(cited[fact], slash)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return cited
}
