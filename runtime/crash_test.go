package runtime

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	collector "runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	crashRounds = flag.Int("crash.rounds", 4,
		"how often TestKill, TestKillSockets and TestKillPeers kill their child processes")
	crashSeed = flag.Uint64("crash.seed", 0, "seed of TestKill, 0 for a new one")
)

// crashChild is the environment variable that makes the test binary the child of TestKill: the project's directory.
// crashState is that of a state directory outside the project.
const crashChild, crashState = "EDDY_CRASH_CHILD", "EDDY_CRASH_STATE"

func TestMain(m *testing.M) {
	if work := os.Getenv(hostileChild); work != "" {
		os.Exit(runHostile(work))
	}
	if dir := os.Getenv(crashChild); dir != "" {
		s, err := Start(context.Background(), Options{Dir: dir, Listen: true, Port: -1, Persist: true,
			PersistTo: os.Getenv(crashState)})
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		fmt.Println("ready", s.URL())
		// The parent kills this process; if the parent itself dies, the pipe ends.
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	// A test begins with a small heap again and again, and this process may be large; tests of memory, which wait for
	// collections, are in others.
	if os.Getenv(apartChild) == "" {
		collector.SetGCPercent(400)
	}
	// What runs beside others mostly waits for timers, processes and leases.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// crashWorker sends, consumes, counts and sets alarms. What it answers to has happened for good.
var crashWorker = script("crash", "crash.js")

const crashConfig = `{
	"name": "crash", "main": "index.js", "compatibility_date": "2026-04-01",
	"queues": { "producers": [{ "binding": "Q", "queue": "q" }], "consumers": [{
		"queue": "q", "max_batch_timeout": 0, "max_retries": 100 }] },
	"durable_objects": { "bindings": [{ "name": "LEDGER", "class_name": "Ledger" }, {
		"name": "COUNTER", "class_name": "Counter" }, { "name": "ALARMED", "class_name": "Alarmed" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Ledger", "Counter", "Alarmed"] }]
}`

// child is one life of the process under test.
type child struct {
	cmd   *exec.Cmd
	in    io.Closer
	url   string
	ended chan struct{}
	errs  tail // what it says on stderr
}

func startChild(t *testing.T, dir string, env ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(append(os.Environ(), crashChild+"="+dir), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: cmd, in: in, ended: make(chan struct{})}
	cmd.Stderr = &c.errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		_ = cmd.Wait() // it is killed
		close(c.ended)
	}()
	if _, url, ok := strings.Cut(strings.TrimSpace(line), "ready "); ok {
		c.url = url
		return c
	}
	c.kill()
	t.Fatalf("the child did not start: %s (%v)\n%s", line, err, &c.errs)
	return nil
}

func (c *child) kill() {
	_ = c.cmd.Process.Signal(syscall.SIGKILL)
	<-c.ended
	_ = c.in.Close()
}

// lives fails the test if the process has ended by itself: what is waited for would never come.
func (c *child) lives(t *testing.T) {
	t.Helper()
	select {
	case <-c.ended:
		t.Fatalf("the child has ended by itself: %s\n%s", c.cmd.ProcessState, &c.errs)
	default:
	}
}

// ask sends a request; ok is false when no whole answer came.
func (c *child) ask(client *http.Client, path string) (body string, ok bool) {
	res, err := client.Get(c.url + path)
	if err != nil {
		return "", false
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return string(b), err == nil && res.StatusCode == http.StatusOK
}

// TestKill kills a process under load with SIGKILL, again and again, on the same state. Afterwards every acknowledged
// send has been delivered, every acknowledged increment counted, every acknowledged alarm has fired, and nothing that
// was acknowledged long ago came again.
func TestKill(t *testing.T) {
	seed := *crashSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	for name, text := range map[string]string{"wrangler.jsonc": crashConfig, "index.js": crashWorker} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sent, armed := map[int]bool{}, map[int]bool{}
	tries, counted, next := 0, 0, 0
	for range *crashRounds {
		c := startChild(t, dir)
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
		limit := 1 + rng.IntN(40)
		var mu sync.Mutex // guards what the askers share
		answered := 0
		enough := make(chan struct{})
		var askers sync.WaitGroup
		for range 4 {
			askers.Go(func() {
				for {
					mu.Lock()
					next++
					n := next
					kind := []string{"/send", "/send", "/add", "/arm"}[rng.IntN(4)]
					if kind == "/add" {
						tries++
					}
					mu.Unlock()
					body, ok := c.ask(client, fmt.Sprintf("%s?n=%d", kind, n))
					if !ok {
						return
					}
					mu.Lock()
					switch kind {
					case "/send":
						sent[n] = true
					case "/arm":
						armed[n] = true
					case "/add":
						var v int
						if _, err := fmt.Sscan(body, &v); err != nil || v < 1 || v > tries {
							t.Errorf("counter answered %q after %d tries (%v)", body, tries, err)
						}
						counted = max(counted, v)
					}
					if answered++; answered == limit {
						close(enough)
					}
					mu.Unlock()
				}
			})
		}
		select {
		case <-enough:
		case <-c.ended:
			c.lives(t)
		}
		c.kill()
		askers.Wait()
		client.CloseIdleConnections()
		if t.Failed() {
			return
		}
	}
	c := startChild(t, dir)
	defer c.kill()
	client := &http.Client{}
	defer client.CloseIdleConnections()
	rep := settledReport(t, c, client, sent, armed)
	twice := 0
	for _, s := range rep.Seen {
		twice += s[1] - 1
	}
	// Only what was in flight at a kill may come again: one batch of ten a round, and what the round before left.
	if twice > 20**crashRounds {
		t.Errorf("%d deliveries too many in %d rounds", twice, *crashRounds)
	}
	if body, ok := c.ask(client, "/add"); ok {
		var v int
		if _, err := fmt.Sscan(body, &v); err != nil || v <= counted || v > tries+1 {
			t.Errorf("the counter stands at %q; %d increments were acknowledged, %d tried (%v)", body, counted, tries,
				err)
		}
	} else {
		t.Errorf("add: %s", body)
	}
	t.Logf("%d kills: %d sends, %d alarms, counter at %d; %d redelivered", *crashRounds, len(sent), len(armed), counted,
		twice)
}

type crashReport struct {
	Seen    [][2]int `json:"seen"`
	Fired   []int    `json:"fired"`
	Backlog int      `json:"backlog"`
}

// settledReport asks until everything acknowledged has shown up. Messages and alarms that are left come by themselves;
// the loop ends with the test's own time limit if they do not.
func settledReport(t *testing.T, c *child, client *http.Client, sent, armed map[int]bool) crashReport {
	t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for {
		body, ok := c.ask(client, "/report")
		var rep crashReport
		if !ok || json.Unmarshal([]byte(body), &rep) != nil {
			t.Fatalf("report: %s", body)
		}
		missing := 0
		seen, fired := map[int]bool{}, map[int]bool{}
		for _, s := range rep.Seen {
			seen[s[0]] = true
		}
		for _, n := range rep.Fired {
			fired[n] = true
		}
		for n := range sent {
			if !seen[n] {
				missing++
			}
		}
		late := 0
		for n := range armed {
			if !fired[n] {
				late++
			}
		}
		if missing == 0 && late == 0 && rep.Backlog == 0 {
			return rep
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d acknowledged messages and %d alarms are missing; backlog %d", missing, late, rep.Backlog)
		}
	}
}
