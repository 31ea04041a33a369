package runtime

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A bound lowers what the configuration allows, of the Worker that it names or of all, and of what they make of code.
func TestBounds(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"a", "b"} {
		p.write(name+".js", `export default { fetch() { for (;;); } }`)
		p.write(name+".jsonc", `{ "name": "`+name+`", "main": "`+name+`.js", "compatibility_date": "2026-04-01",
			"limits": { "cpu_ms": 300000 } }`)
	}
	s := p.serve(using("a", "b"), func(o *Options) {
		o.Bounds = []Bound{{Worker: "b", CPU: 7 * time.Millisecond}, {CPU: 30 * time.Millisecond},
			{Memory: 64 << 20}, {Worker: "b", Memory: 32 << 20}}
	})
	for name, want := range map[string]time.Duration{"a": 30 * time.Millisecond, "b": 7 * time.Millisecond} {
		if got := s.Worker(name).Isolate.CPULimit(); got != want {
			t.Errorf("%s has %s of CPU time, want %s", name, got, want)
		}
	}
	if res, body := s.ask("GET", "/", ""); !strings.Contains(body, "exceeded CPU time limit") {
		t.Errorf("an event without end gave %s %s", res.Status, body)
	}
	_, err := p.start(using("a"), func(o *Options) { o.Bounds = []Bound{{Worker: "c", CPU: time.Second}} })
	if err == nil || !strings.Contains(err.Error(), "the session has only a") {
		t.Errorf("a bound of no Worker: %v", err)
	}
}

// util.format is told before it writes what would take more than the limit, as console.log is: nothing looks at the
// memory while it writes.
func TestBoundOfFormat(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"compatibility_flags": ["nodejs_compat"], "limits": { "cpu_ms": 300000 } }`,
		"index.js", `import { format } from "node:util";
			export default { fetch(req) {
				const n = Number(new URL(req.url).searchParams.get("n"));
				return new Response(format("%s".repeat(n), ...Array(n).fill("x".repeat(4096))).length);
			} };`)
	s := p.serve(func(o *Options) { o.Bounds = []Bound{{Memory: 64 << 20}} })
	s.expect("/?n=100", "409600")
	if res, body := s.ask("GET", "/?n=6000", ""); !strings.Contains(body, "exceeded memory limit") {
		t.Errorf("a text of 24 MB, four times in memory, gave %s %.100q", res.Status, body)
	}
	s.expect("/?n=10", "40960")
}

// apartChild is the environment variable that makes the test binary the process of one test of memory: its name.
const apartChild = "EDDY_APART_CHILD"

// apart runs a test of memory in a process of its own, beside other tests, and is true there. A turn may add as much as
// was garbage when it began, and each collection is weighed by the profile of the heap, which has every place that has
// ever allocated: after hundreds of other isolates that takes minutes.
func apart(t *testing.T) bool {
	t.Helper()
	if os.Getenv(apartChild) == t.Name() {
		return true
	}
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	if end, ok := t.Deadline(); ok { // it tells where it stands before this process is ended
		cmd.Args = append(cmd.Args, fmt.Sprint("-test.timeout=", time.Until(end)*9/10))
	}
	cmd.Env = append(os.Environ(), apartChild+"="+t.Name())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// Of three Workers the one whose memory grows is ended and named, whether it grows from event to event or in one; the
// others, busy at the same time, go on with what they hold. It may compute for long, so that no other limit comes first
// on a slow machine.
func TestGrowthOfOneWorker(t *testing.T) {
	if !apart(t) {
		return
	}
	const limit = 32 << 20
	p := newProject(t)
	for _, name := range []string{"front", "grows", "holds"} {
		for _, file := range []string{name + "/wrangler.jsonc", name + "/index.js"} {
			p.write(file, script("growth", file))
		}
	}
	s := p.serve(func(o *Options) {
		for _, name := range []string{"front", "grows", "holds"} {
			o.Configs = append(o.Configs, filepath.Join(p.dir, name, "wrangler.jsonc"))
		}
		o.Bounds = []Bound{{Memory: limit}}
	})
	s.expect("/asked", "1")
	ask := func(path string) (held, grown string) {
		held, grown, _ = strings.Cut(s.read(path), " ")
		return held, grown
	}
	n := 0
	for before := 0; ; n++ {
		held, grown := ask("/grow")
		if held != strconv.Itoa(n+1) {
			t.Fatalf("the Worker that holds has answered %s events, not %d", held, n+1)
		}
		kept, err := strconv.Atoi(grown)
		if err != nil {
			t.Fatal(grown)
		}
		if kept <= before {
			break // it was started anew
		}
		if before = kept; before*200000*16 > 2*limit {
			t.Fatalf("%d bytes are kept", before*200000*16)
		}
	}
	s.out.await("[grows] Worker exceeded memory limit. What it keeps from event to event", 1)
	s.out.await("Restarted grows", 1)
	for restarts := 2; restarts < 5; restarts++ {
		held, grown := ask("/eat")
		if n++; held != strconv.Itoa(n+1) {
			t.Fatalf("the Worker that holds has answered %s events, not %d: %s", held, n+1, grown)
		}
		s.out.await("Restarted grows", restarts)
	}
	s.expect("/asked", "2")
	if out := s.out.String(); strings.Contains(out, "Restarted holds") || strings.Contains(out, "Restarted front") {
		t.Error("another Worker was started anew")
	}
}
