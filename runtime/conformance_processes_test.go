package runtime

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/txtar"

	"eddy/queues/workqueue/servers"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
	"eddy/runtime/cluster/postgres"
)

// onProcesses are the cases that are run on processes also without -conformance.cluster.
var onProcesses = []string{"rpc", "d1 before 50"}

// The transcripts hold on three processes of eddy serve and a PostgreSQL, behind a proxy that takes the nodes by turns;
// also when one of them is killed (kill -9) in the middle.
func TestConformanceOnProcesses(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(conformanceDir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	if testing.Short() { // it builds the program, and what it runs has no race detector
		return
	}
	cases := killed
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if notOnCluster[name] == "" && onCluster.Match(text) {
			cases = append(cases, killing{name: name})
		}
	}
	server, err := servers.Postgres()
	if err != nil {
		if servers.Missing("runtime: TestConformanceOnProcesses", err) != 0 {
			t.Fatal(err)
		}
		return
	}
	t.Cleanup(server.Stop)
	eddy := filepath.Join(t.TempDir(), "eddy")
	// The go command keeps what it links for `go run`, and tests of the release need the same.
	build := exec.Command("go", "run", "-tags", "man", "-exec", "cp", "eddy/cmd/eddy", eddy)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ledger := readLedger(t)
	// Each case has six processes: more than two at a time only wait for each other.
	room := make(chan struct{}, 2)
	for i, kill := range cases {
		name := kill.name
		if at := kill.call + kill.line; at > 0 {
			name += fmt.Sprint(" before ", at)
		}
		if !*allOnCluster && !slices.Contains(onProcesses, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			room <- struct{}{}
			defer func() { <-room }()
			arc, err := txtar.ParseFile(filepath.Join(conformanceDir, kill.name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			playOnProcesses(t, server, eddy, arc, i, kill, ledger)
		})
	}
}

// playOnProcesses runs a case in a schema of its own.
func playOnProcesses(t *testing.T, s *servers.Server, eddy string, arc *txtar.Archive, turn int, kill killing,
	ledger []string) {
	t.Helper()
	p := &processes{t: t, eddy: eddy}
	if end, ok := t.Deadline(); ok {
		late := time.AfterFunc(time.Until(end)*9/10, p.quit)
		t.Cleanup(func() { late.Stop() })
	}
	p.cluster(s.URL, fmt.Sprint("c", turn))
	kill.within(t, p, arc)
	gatherLogs(t, arc, p.made.Token, p.urls)
	dir := t.TempDir()
	calls, want, _ := unpackCase(t, arc, dir)
	if !p.start(dir) {
		return
	}
	p.turn.Store(int64(turn))
	n := 0
	to := site{token: p.made.Token, base: func(path string) string {
		n++
		kill.before(p, n)
		switch {
		case slices.Contains(atFlow, kill.name):
			p.turn.Store(int64(p.owner(theFlow.Object())))
		case !slices.Contains(pinned, path):
			p.turn.Add(1)
		}
		return p.front.URL
	}}
	got := transcript(t, to, calls, func() string { return "" })
	compare(t, kill.name, want, got, true, ledger)
}

// processesLease is longer than any machine stands still: nobody is taken for dead who is not. That of a node which was
// killed is ended by hand.
const processesLease = "1m"

// processes are three nodes of eddy serve, behind a proxy that takes them by turns.
type processes struct {
	t      *testing.T
	eddy   string
	url    string // of the database, with the cluster's schema
	engine *postgres.Engine
	made   postgres.Cluster
	front  *httptest.Server
	turn   atomic.Int64 // counts calls

	mu    sync.Mutex // guards the rest
	alive []*process
	all   []*process
}

type process struct {
	name, url string
	cmd       *exec.Cmd
	ended     chan struct{}
	errs      bytes.Buffer // what it has said on stderr, once it has ended
}

// cluster makes the tables in a schema of their own.
func (p *processes) cluster(server, schema string) {
	p.t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		p.t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	p.url = u.String()
	if p.engine, err = postgres.Open(p.url); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(p.engine.Close)
	db, err := pgx.Connect(p.t.Context(), server)
	if err != nil {
		p.t.Fatal(err)
	}
	_, err = db.Exec(p.t.Context(), "create schema "+schema)
	if err = errors.Join(err, db.Close(p.t.Context())); err != nil {
		p.t.Fatal(err)
	}
	if p.made, err = p.engine.Init(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// start starts the nodes with the Worker in dir, and waits until each has the shards that are its own. It is false if
// the Worker has bindings that a cluster does not keep.
func (p *processes) start(dir string) bool {
	p.t.Helper()
	list := make([]*process, 3)
	errs := make([]error, len(list))
	var starting sync.WaitGroup
	for i := range list {
		starting.Go(func() { list[i], errs[i] = p.run(fmt.Sprint("n", i), dir) })
	}
	starting.Wait()
	if err := errors.Join(errs...); err != nil {
		if strings.Contains(err.Error(), "are not served in a cluster yet") {
			return false
		}
		p.t.Fatal(err)
	}
	p.alive = list
	p.await(len(list))
	p.front = httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // a connection that was cut is not news
		Rewrite: func(r *httputil.ProxyRequest) {
			to, err := url.Parse(p.urls()[0])
			if err != nil {
				p.t.Error(err)
			}
			r.SetURL(to)
			r.Out.Host = r.In.Host
		},
	})
	p.t.Cleanup(p.front.Close)
	return true
}

var servesAt = regexp.MustCompile(`"msg":"Ready on http://localhost:(\d+)`)

// run starts a node, and returns when it serves.
func (p *processes) run(name, dir string) (*process, error) {
	host := "127.0.0.1"
	if runtime.GOOS == "linux" { // an address of its own: nobody takes the port between here and the process
		host = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(250), rand.IntN(250), 1+rand.IntN(250))
	}
	free, err := net.Listen("tcp", host+":0")
	if err != nil {
		return nil, err
	}
	links := free.Addr().String()
	_ = free.Close()
	cmd := exec.Command(p.eddy, "serve", "--cluster", p.url, "--node", name, "--advertise", links, "--lease",
		processesLease, "--port", "0", "--admin", "off", "--journal", "off")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "EDDY_REGISTRY="+p.t.TempDir(), "TMPDIR="+p.t.TempDir())
	n := &process{name: name, cmd: cmd, ended: make(chan struct{})}
	cmd.Stderr = &n.errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan string, 1)
	go func() {
		all := bufio.NewScanner(out)
		all.Buffer(nil, 1<<20)
		for all.Scan() {
			if m := servesAt.FindStringSubmatch(all.Text()); m != nil {
				ready <- "http://127.0.0.1:" + m[1]
			}
		}
		_ = cmd.Wait() // it is killed
		close(n.ended)
	}()
	p.mu.Lock()
	p.all = append(p.all, n)
	p.mu.Unlock()
	p.t.Cleanup(func() {
		n.end()
		if p.t.Failed() {
			p.t.Logf("node %s: %s", n.name, n.errs.String())
		}
	})
	select {
	case n.url = <-ready:
		return n, nil
	case <-n.ended:
		return nil, fmt.Errorf("node %s: %s", name, n.errs.String())
	}
}

// end is kill -9.
func (n *process) end() {
	_ = n.cmd.Process.Kill() // it may have ended
	<-n.ended
}

// await waits until there are so many nodes, and each has what is its own. It fails if one has ended by itself.
func (p *processes) await(nodes int) {
	p.t.Helper()
	for {
		v := p.look()
		if len(v.Nodes) == nodes && balanced(v) {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// look looks at the cluster; again if that fails, as it does when the machine stood still while the database was asked.
// It fails if a node has ended by itself.
func (p *processes) look() engine.View {
	p.t.Helper()
	for {
		v, err := p.engine.Look(p.t.Context())
		p.mu.Lock()
		alive := slices.Clone(p.alive)
		p.mu.Unlock()
		for _, n := range alive {
			select {
			case <-n.ended:
				p.t.Fatalf("node %s has ended by itself: %+v, %v", n.name, v, err)
			default:
			}
		}
		if err == nil {
			return v
		}
		<-time.After(20 * time.Millisecond)
	}
}

// quit ends the nodes and lets them say what their goroutines do, shortly before the tests are ended: whoever still
// waits for one hears that it is gone.
func (p *processes) quit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.all {
		_ = n.cmd.Process.Signal(syscall.SIGQUIT) // it may have ended
	}
}

// urls are where the nodes answer, that of the last call first.
func (p *processes) urls() (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.alive {
		list = append(list, p.alive[(int(p.turn.Load())+i)%len(p.alive)].url)
	}
	return list
}

func (p *processes) turns() *atomic.Int64 { return &p.turn }

func (p *processes) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.alive)
}

func (p *processes) kill(at int) {
	p.mu.Lock()
	n := p.alive[at]
	p.alive = slices.Concat(p.alive[:at], p.alive[at+1:])
	left := len(p.alive)
	p.mu.Unlock()
	n.end()
	p.lapse(n.name)
	p.await(left)
}

// lapse ends a node that was killed, as others do when they have not heard of it for a lease.
func (p *processes) lapse(name string) {
	p.t.Helper()
	for {
		v := p.look()
		at := slices.IndexFunc(v.Nodes, func(n engine.Seen) bool { return n.ID.Name() == name })
		if at < 0 {
			return
		}
		// If that fails, its last beat was on its way, or the machine stood still meanwhile: it is seen then.
		_, _ = p.engine.Claim(p.t.Context(), engine.Nobody, v.Nodes[at].ID, v.Nodes[at].Beat)
	}
}

func (p *processes) owner(key, id string) int {
	p.t.Helper()
	v := p.look()
	owner := v.Shards[node.ShardOf(key, id, p.made.ObjectShards)].Owner
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.alive, func(n *process) bool { return n.name == owner.Name() })
	if at < 0 {
		p.t.Fatalf("no node has %s %s", key, id)
	}
	return at
}
