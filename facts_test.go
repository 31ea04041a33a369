package eddy

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// factPages are the pages under docs/facts, each with the form of its numbers. No two forms match the same text.
var factPages = []struct {
	file   string
	number *regexp.Regexp
}{
	{"queues.md", regexp.MustCompile(`^(?:(?:P|C|K|D|H|W|T|DQ|Z0|BE)-[0-9]{1,2}|X-(?:[0-9]|10))$`)},
	{"objects.md", regexp.MustCompile(`^(?:(?:AG|AL|CL|DEV|GJ|GT|ID|KV|RPC|RT|SQL|TX|WS|B)[0-9]{1,2}|D1-[0-9])$`)},
	{"testing.md", regexp.MustCompile(`^TEST-X?[0-9]{1,3}$`)},
	{"workflows.md", regexp.MustCompile(`^(?:FLOW-[0-9]{1,3}|X-(?:1[1-9]|[2-9][0-9]))$`)},
	{"bindings.md", regexp.MustCompile(`^BIND-[0-9]{1,3}$`)},
	{"workqueue.md", regexp.MustCompile(`^GQ-[0-9]{1,2}$`)},
}

// citation finds what may be a fact's number: capital letters and digits that nothing precedes which could make them a
// part of something else. The forms of the pages decide whether it is one.
var citation = regexp.MustCompile(`(?:^|[^%\w-])([A-Z][A-Z0-9]{0,3}-?X?[0-9]{1,3})\b`)

// otherForms are beginnings of numbers that are easily taken for those of a page, with the page's own.
var otherForms = map[string]string{"WF-": "FLOW-", "B-": "BIND-"}

// factLine is one fact: its number in bold or in italics, what it says, and where that was learnt.
var factLine = regexp.MustCompile(`^- (\*\*|\*)([A-Z0-9-]+)(\*\*|\*) (\S.*[.:]) \(([^()]+)\)$`)

// factSources are the sources that docs/facts/README.md explains, besides pages of the documentation.
var factSources = []string{"observed", "workerd", "wrangler", "miniflare", "vitest", "vitest-plugin", "SDK", "goja",
	"agents",
	"field reports", "do-queue", "z0", "brand engine", "work queue", "inferred", "doubtful"}

// A fact in bold is cited by its own number, not as part of a range, in a test or in what a test reads: else nobody can
// say which test proves it. A fact in italics is not cited by a test, since the test would prove it. What the sources,
// the tests and the documents cite exists.
func TestFactsAreCited(t *testing.T) {
	facts := map[string]fact{}
	for _, page := range factPages {
		for _, f := range readFacts(t, page.file, page.number) {
			if other, ok := facts[f.number]; ok {
				t.Errorf("%s: %s stands in %s already", f.where, f.number, other.where)
			}
			facts[f.number] = f
		}
	}
	proofs, mentions := citations(t)
	for number, f := range facts {
		switch where := proofs[number]; {
		case !f.awaited && len(where) == 0:
			t.Errorf("%s: no test cites %s", f.where, number)
		case f.awaited && len(where) > 0:
			t.Errorf("%s: %s is in italics, so not yet proved, but %s cites it: write **%[2]s**", f.where, number,
				where[0])
		}
	}
	for _, found := range []map[string][]string{proofs, mentions} {
		for number, where := range found {
			if _, ok := facts[number]; !ok {
				t.Errorf("%s: cites %s, which stands on no page of docs/facts (its README tells which form a page's "+
					"numbers have)",
					strings.Join(where, ", "), rightForm(number))
			}
		}
	}
}

// Each page of docs/facts is read by TestFactsAreCited.
func TestFactPagesAreRead(t *testing.T) {
	entries, err := os.ReadDir("docs/facts")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		known := e.Name() == "README.md"
		for _, page := range factPages {
			known = known || page.file == e.Name()
		}
		if !known {
			t.Errorf("docs/facts/%s: not in factPages", e.Name())
		}
	}
}

// A fact is one item of a page.
type fact struct {
	number string
	// awaited: the number is in italics, and nothing proves the fact yet.
	awaited bool
	where   string
}

// readFacts reads the items of a page. An item may go on in lines that are indented by two spaces.
func readFacts(t *testing.T, page string, number *regexp.Regexp) []fact {
	t.Helper()
	file := path.Join("docs/facts", page)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []fact
	lines := strings.Split(string(b), "\n")
	for i := 0; i < len(lines); i++ {
		where := fmt.Sprintf("%s:%d", file, i+1)
		if !strings.HasPrefix(lines[i], "- ") {
			continue
		}
		item := lines[i]
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
			i++
			item += " " + strings.TrimSpace(lines[i])
		}
		m := factLine.FindStringSubmatch(item)
		if m == nil || m[1] != m[3] {
			t.Errorf("%s: not of the form `- **P-15** What holds. (source; source)`", where)
			continue
		}
		if !number.MatchString(m[2]) {
			t.Errorf("%s: %s has not the form of this page's numbers", where, m[2])
		}
		for _, source := range strings.Split(m[5], "; ") {
			if !strings.HasPrefix(source, "docs: ") && !slices.Contains(factSources, source) {
				t.Errorf("%s: %s names the source %q, which docs/facts/README.md does not explain", where, m[2], source)
			}
		}
		out = append(out, fact{number: m[2], awaited: m[1] == "*", where: where})
	}
	if len(out) == 0 {
		t.Errorf("%s: no facts", file)
	}
	return out
}

// citations finds every fact's number, with the files it stands in: proofs in tests and what they read, mentions in the
// other sources and documents. The ledgers of gaps prove nothing, and the pages themselves cite each other freely.
func citations(t *testing.T) (proofs, mentions map[string][]string) {
	t.Helper()
	proofs, mentions = map[string][]string{}, map[string][]string{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		slash := filepath.ToSlash(file)
		if d.IsDir() {
			if slash == "docs/facts" || d.Name() == "node_modules" || file != "." && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		inData := strings.HasPrefix(slash, "testdata/") || strings.Contains(slash, "/testdata/")
		if d.Name() == "gaps.txt" || slash == "facts_test.go" {
			return nil
		}
		into := mentions
		switch ext := path.Ext(slash); {
		case strings.HasSuffix(slash, "_test.go"):
			into = proofs
		case inData && slices.Contains([]string{".go", ".txt", ".txtar", ".mjs", ".js", ".ts"}, ext):
			into = proofs
		case inData || ext != ".go" && ext != ".md":
			return nil
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("citations: %w", err)
		}
		seen := map[string]bool{}
		for _, m := range citation.FindAllSubmatch(b, -1) {
			number := string(m[1])
			if !seen[number] && isFactNumber(number) {
				seen[number], into[number] = true, append(into[number], slash)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return proofs, mentions
}

// rightForm shows how a number that begins like no page's is written here.
func rightForm(number string) string {
	for other, own := range otherForms {
		if rest, ok := strings.CutPrefix(number, other); ok {
			return number + " (perhaps " + own + rest + ")"
		}
	}
	return number
}

// isFactNumber tells whether some page's numbers have this form, or one that is taken for it.
func isFactNumber(s string) bool {
	for other := range otherForms {
		if strings.HasPrefix(s, other) {
			return true
		}
	}
	for _, page := range factPages {
		if page.number.MatchString(s) {
			return true
		}
	}
	return false
}
