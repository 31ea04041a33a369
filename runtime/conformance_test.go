package runtime

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"eddy/runtime/report"
)

var (
	record = flag.String("conformance.record", "",
		"command of the reference (wrangler): record the transcripts anew")
	updateGaps = flag.Bool("conformance.gaps", false, "write the ledger of gaps anew")
)

const conformanceDir = "../testdata/conformance"

// A conformance case is an archive with a Worker, the calls made to it and the transcript of the reference. What this
// runtime answers is compared line by line; where it differs on purpose, or not yet rightly, the ledger gaps.txt has
// the reference's line and ours. A difference that is not in the ledger fails, and so does an entry that no longer
// differs.
func TestConformance(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(conformanceDir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	ledger := readLedger(t)
	gaps := make([][]string, len(files)) // of each case
	var lines atomic.Int64
	t.Run("cases", func(t *testing.T) { // returns when all have ended
		for i, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			t.Run(name, func(t *testing.T) {
				if *record == "" {
					t.Parallel() // many of them wait
				}
				n, differ := compareCase(t, name, file)
				lines.Add(int64(n))
				gaps[i] = differ
			})
		}
	})
	found := slices.Concat(gaps...)
	t.Logf("%d lines compared, %d gaps", lines.Load(), len(found))
	if *updateGaps {
		writeLedger(t, found)
		return
	}
	for _, f := range found {
		if !slices.Contains(ledger, f) {
			t.Errorf("differs from the reference:\n%s", f)
		}
	}
	for _, l := range ledger {
		if !slices.Contains(found, l) {
			t.Errorf("a gap has closed, or changed; take it out of gaps.txt or correct it:\n%s", l)
		}
	}
}

// compareCase plays a case. It gives back how many lines its transcript has, and what differs as the ledger says it.
func compareCase(t *testing.T, name, file string) (lines int, differ []string) {
	t.Helper()
	arc, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	calls, want, flags := unpackCase(t, arc, dir)
	if *record != "" {
		want = recordCase(t, dir, calls, flags)
		writeCase(t, file, arc, want)
	}
	got := playCase(t, dir, calls, flags)
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(w) != len(g) {
		t.Fatalf("the transcript has %d lines, ours %d\n%s", len(w), len(g), got)
	}
	for i := range w {
		if w[i] != g[i] {
			differ = append(differ, name+"\n- "+w[i]+"\n+ "+g[i]+"\n")
		}
	}
	return len(w), differ
}

// unpackCase writes the files of a case's Worker.
func unpackCase(t *testing.T, arc *txtar.Archive, dir string) (calls, want string, flags []string) {
	t.Helper()
	for _, f := range arc.Files {
		switch f.Name {
		case "calls":
			calls = string(f.Data)
		case "flags":
			flags = strings.Fields(string(f.Data))
		case "transcript":
			want = string(f.Data)
		default:
			path := filepath.Join(dir, filepath.FromSlash(f.Name))
			// what is given up after some time is waited for longer here, on a machine that may be under load
			text := bytes.ReplaceAll(f.Data, []byte("within(5000,"), []byte("within(100000,"))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
				os.WriteFile(path, text, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return calls, want, flags
}

const ledgerHead = `Where this runtime answers other than the reference: the case, the reference's line (-), ours (+).
Each is a decision:
queue-producer(-old): production's limits and coded texts instead of those of local development (X-4, X-5).
web-errors, RT11 in: the engine folds two constants before anything of ours sees them. With variables the text is V8's.
site, folder: the reference gives its disk service's listing of a folder; no key is a folder.
globals: functions and classes are own properties of globalThis here, inherited there; they are found sooner.
globals-node: wrangler bundles a performance object of its own before 2026; here it is the platform's at every date.
sql-rows: the reference patches SQLite to count in its loops. Ours counts scans and searches exactly, not what runs
inside another loop, in triggers, virtual tables and empty sorters; no answer of a query depends on it.
loader, syntax: the text of the bundler, which reads the code before the engine does.
analytics: production's checks of data points instead of none (X-4).
analytics, email, ratelimit: the reference's classes are JavaScript of its own, with their own names; its parser
stumbles over an empty message, and a text of eddy says that it was the Worker that threw.
restore: stubs of Workers from code stay in the isolate that made them.
workflows, workflow-*: X-11 to X-14 and X-17; rollbacks get the documented text, where the reference's step is gone.
Made by go test ./runtime -run Conformance -args -conformance.gaps.

`

func readLedger(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(conformanceDir, "gaps.txt"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), "\n\n")
	var list []string
	for _, entry := range strings.Split(text, "\n\n") {
		if entry = strings.TrimRight(entry, "\n"); entry != "" {
			list = append(list, entry+"\n")
		}
	}
	return list
}

func writeLedger(t *testing.T, found []string) {
	t.Helper()
	// a test's data
	if err := os.WriteFile(filepath.Join(conformanceDir, "gaps.txt"), []byte(ledgerHead+strings.Join(found, "\n")),
		0o644); err != nil {
		t.Fatal(err)
	}
}

func writeCase(t *testing.T, file string, arc *txtar.Archive, transcript string) {
	t.Helper()
	kept := slices.DeleteFunc(arc.Files, func(f txtar.File) bool { return f.Name == "transcript" })
	arc.Files = append(kept, txtar.File{Name: "transcript", Data: []byte(transcript)})
	if err := os.WriteFile(file, txtar.Format(arc), 0o644); err != nil { // a test's data
		t.Fatal(err)
	}
}

// playCase runs the calls against this runtime.
func playCase(t *testing.T, dir, calls string, flags []string) string {
	t.Helper()
	out := printedLines{newLines()}
	o := Options{Dir: dir, Reporter: report.New(report.Options{Out: out, Level: report.Log})}
	for _, f := range flags {
		switch f {
		case "--test-scheduled":
			o.TestScheduled = true
		default:
			t.Fatalf("flags of the case: %s is not known here", f)
		}
	}
	s, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(Explain(err, false))
	}
	defer func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	h, err := s.Handler("")
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	defer web.Close()
	return transcript(t, only(web.URL), calls, func() string { return printed(out.String()) })
}

// recordCase runs the calls against the reference.
func recordCase(t *testing.T, dir, calls string, flags []string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	_ = ln.Close()
	cmd := exec.Command(*record, append([]string{"dev", "-c", "wrangler.jsonc", "--port", fmt.Sprint(port),
		"--persist-to", "state", "--show-interactive-dev-session=false"}, flags...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CI=1", "WRANGLER_SEND_METRICS=false")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout := filepath.Join(dir, "stdout")
	out, err := os.Create(stdout)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	}()
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	for deadline := time.Now().Add(40 * time.Second); ; {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the reference did not start")
		}
		<-time.After(100 * time.Millisecond) // recording only: nothing else tells that a foreign process listens
	}
	return transcript(t, only(url), calls, func() string {
		for {
			b, err := os.ReadFile(stdout)
			if err != nil {
				t.Fatal(err)
			}
			if text := printed(string(b)); text != "" {
				return text
			}
			<-time.After(100 * time.Millisecond) // recording only
		}
	})
}

// printed is what a Worker has printed between the lines begin and end; nothing if there is no end yet.
func printed(text string) string {
	_, text, _ = strings.Cut(text, "begin\n")
	text, _, found := strings.Cut(text, "\nend\n")
	if !found {
		return ""
	}
	return text + "\n"
}

// site is where the calls of a transcript go.
type site struct {
	// base is where a call to a path goes.
	base func(path string) string
	// token is what /cdn-cgi and /__scheduled ask for, "" for nothing.
	token string
}

// only is the site with one base.
func only(base string) site { return site{base: func(string) string { return base }} }

// transcript makes the calls, one a line: METHOD PATH [header: value …] [| body], or WS PATH | steps (see socketCall),
// and writes what came back; PRINTED writes what the Worker has printed. Headers that depend on time or transport are
// left out. hashed are ETags that identify a content, by whatever hash.
var hashed = regexp.MustCompile(`"[0-9a-f]{32}"`)

func transcript(t *testing.T, to site, calls string, printed func() string) string {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	var out bytes.Buffer
	for _, line := range strings.Split(strings.TrimSpace(calls), "\n") {
		head, body, _ := strings.Cut(line, " | ")
		fields := strings.Fields(head)
		if fields[0] == "PRINTED" {
			fmt.Fprintf(&out, "> %s\n%s", line, printed())
			continue
		}
		if fields[0] == "WS" {
			fmt.Fprintf(&out, "> %s\n%s", line, socketCall(t, to.base(fields[1]), fields[1], body))
			continue
		}
		req, err := http.NewRequest(fields[0], to.base(fields[1])+fields[1], strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", "curl/8")
		for _, f := range fields[2:] {
			k, v, _ := strings.Cut(f, ":")
			req.Header.Set(k, v)
		}
		if to.token != "" && (strings.HasPrefix(fields[1], "/cdn-cgi/") || strings.HasPrefix(fields[1], "/__")) {
			req.Header.Set("Authorization", "Bearer "+to.token)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		fmt.Fprintf(&out, "> %s\n%d\n", line, res.StatusCode)
		names := make([]string, 0, len(res.Header))
		for k := range res.Header {
			if !slices.Contains([]string{"Date", "Content-Length", "Connection", "Keep-Alive", "Transfer-Encoding",
				"Vary", "Content-Encoding"}, k) {
				names = append(names, k)
			}
		}
		slices.Sort(names)
		for _, k := range names {
			fmt.Fprintf(&out, "%s: %s\n", k, hashed.ReplaceAllString(strings.Join(res.Header[k], " & "), `"hash"`))
		}
		text := string(b)
		if res.StatusCode == http.StatusInternalServerError {
			text, _, _ = strings.Cut(text, "\n") // the stack below has paths of the machine
		}
		fmt.Fprintf(&out, "%s\n", text)
	}
	return out.String()
}
