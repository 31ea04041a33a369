package runtime

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var allOnCluster = flag.Bool("conformance.cluster", false,
	"run all cases on a cluster, not only those that it may change")

var clusterOnPostgres = flag.Bool("conformance.postgres", false,
	"keep the clusters of tests in a PostgreSQL each, not in memory")

// onCluster finds the cases that a cluster may change: those whose Worker has objects, queues, workflows or other
// Workers.
var onCluster = regexp.MustCompile(`"(durable_objects|queues|services|workflows)"`)

// atFlow are cases that look at variables of the isolate in which the instances run, on the node that has the workflow:
// all calls go there.
var atFlow = []string{"workflows", "workflow-control", "workflow-errors", "workflow-subscribe"}

// notOnCluster are cases that are others on a cluster, and why.
var notOnCluster = map[string]string{
	"connect":          "connect() reaches no object of another node",
	"restore":          "looks at variables of the isolate in which the objects are",
	"scheduled":        "looks at a variable of the isolate that the event came to",
	"scheduled-legacy": "the same",
}

// The transcripts hold on a cluster of three nodes whose calls go round robin: objects are on whichever of them.
// Workers with bindings that a cluster does not keep are refused.
func TestConformanceOnCluster(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(conformanceDir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	ledger := readLedger(t)
	for i, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		arc, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if notOnCluster[name] != "" || !*allOnCluster && !onCluster.Match(txtar.Format(arc)) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playOnCluster(t, name, arc, i, nil, ledger)
		})
	}
}

// playOnCluster runs a case, from the turnth node on. In the middle a node is killed, if kill says so.
func playOnCluster(t *testing.T, name string, arc *txtar.Archive, turn int, kill *killing, ledger []string) {
	t.Helper()
	c := newTestCluster(t)
	c.turn.Store(int64(turn))
	kill.within(t, c, arc)
	gatherLogs(t, arc, c.token, func() (urls []string) {
		for i := range c.webs {
			urls = append(urls, c.web(i))
		}
		return urls
	})
	dir := t.TempDir()
	calls, want, flags := unpackCase(t, arc, dir)
	if err := c.start(dir, slices.Contains(flags, "--test-scheduled")); err != nil {
		t.Fatal(Explain(err, false))
	}
	to := c.site()
	if slices.Contains(atFlow, name) {
		to.base = func(string) string { return c.webs[c.hasFlow("flow")].URL }
	}
	base, n := to.base, 0
	to.base = func(path string) string {
		n++
		kill.before(c, n)
		return base(path)
	}
	got := transcript(t, to, calls, func() string { return printed(c.out.String()) })
	compare(t, name, want, got, *clusterOnPostgres, ledger)
}

// compare shows where a transcript differs from the reference's. moved says that nobody knows where an object is.
func compare(t *testing.T, name, want, got string, moved bool, ledger []string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(w) != len(g) {
		t.Fatalf("the transcript has %d lines, ours %d\n%s", len(w), len(g), got)
	}
	for i := range w {
		f := name + "\n- " + w[i] + "\n+ " + g[i] + "\n"
		elsewhere := moved &&
			slices.ContainsFunc(placed, func(line string) bool { return strings.HasPrefix(w[i], line) })
		if w[i] != g[i] && !elsewhere && !slices.Contains(ledger, f) {
			t.Errorf("differs from the reference:\n%s", f)
		}
	}
}

// placed are lines about a variable of the isolate in which the object is: it is that of the node that was asked with
// the shards of a cluster in memory, and may be another with those of a PostgreSQL.
var placed = []string{"CL4 fetch => "}

// pinned are calls that are about variables of the isolate that the call before has met.
var pinned = []string{"/kept"}

// site is the nodes by turns.
func (c *testCluster) site() site {
	return site{token: c.token, base: func(path string) string {
		if !slices.Contains(pinned, path) {
			c.turn.Add(1)
		}
		return c.web(0)
	}}
}

// Some cases keep a log in a variable. Here there are three such variables, one on each node: whoever reads asks all.
var (
	logVariable = regexp.MustCompile(`(?m)^const (log|seen) = \[\];$`)
	mainObject  = regexp.MustCompile(`(?m)^export default \{`)
)

// gatherLogs changes a case so that it reads the variables of all nodes. urls are where they answer, the caller's own
// first.
func gatherLogs(t *testing.T, arc *txtar.Archive, token string, urls func() []string) {
	for i, f := range arc.Files {
		if f.Name == "index.js" {
			arc.Files[i].Data = gatherLog(t, f.Data, token, urls)
		}
	}
}

func gatherLog(t *testing.T, text []byte, token string, urls func() []string) []byte {
	text = bytes.ReplaceAll(text, []byte(`{ method: "POST", body: text }`), // to /cdn-cgi
		[]byte(`{ method: "POST", body: text, headers: { Authorization: "Bearer `+token+`" } }`))
	m := logVariable.FindSubmatch(text)
	if m == nil {
		return text
	}
	all := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, url := range urls() {
			if res, err := http.Get(url + "/__taken"); err == nil {
				_, _ = io.Copy(w, res.Body)
				_ = res.Body.Close()
			}
			_, _ = io.WriteString(w, "\n")
		}
	}))
	t.Cleanup(all.Close)
	gather := strings.ReplaceAll(script("cluster", "gather.js"), "URL", all.URL)
	text = distantLog(text, gather+"const take = async () => (await gather()).join();")
	text = bytes.ReplaceAll(text, []byte(`seen.splice(0).join("\n")`), []byte(`(await gather()).join("\n")`))
	if !bytes.Contains(text, []byte(gather)) {
		text = append(text, gather...)
	}
	text = mainObject.ReplaceAll(text, []byte("const own = {"))
	return append(text, strings.ReplaceAll(script("cluster", "log.js"), "VARIABLE", string(m[1]))...)
}
