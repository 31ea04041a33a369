package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"eddy/queues/workqueue/servers"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/postgres"
)

// fleet is a cluster of real processes of `eddy serve` on one PostgreSQL, or a pair of them. Each node reaches each of
// them, and is reached by the others, through a proxy of its own.
type fleet struct {
	t    *testing.T
	dir  string   // of the Worker
	url  string   // of the database, without a proxy
	dbs  []string // its addresses; nil: that of url
	eddy string   // the program; "": the one on the path
	// lease is longer than any machine stands still, unless a test says otherwise: nobody is taken for dead who is not.
	lease time.Duration
	nodes []*fleetNode
	// extra are flags of all nodes, environ what the environment of some has beside this process's, by name.
	extra   []string
	environ map[string][]string
}

// fleetServer is the PostgreSQL of all fleets of this process, one database each: to make the data of a server takes
// longer than many a test. It is nil until the first fleet.
var fleetServer = struct {
	sync.Mutex
	*servers.Server
	databases int
}{}

// runFleets runs the tests and ends the server of their fleets.
type runFleets struct{ *testing.M }

func (r runFleets) Run() int {
	clusterPatience = 5 * time.Minute // commands watch nodes for half a lease
	code := r.M.Run()
	if fleetServer.Server != nil {
		fleetServer.Stop()
	}
	return code
}

// newFleet makes a cluster in a database of its own for a folder with a Worker. It gives nil if no PostgreSQL is
// installed, which it says.
func newFleet(t *testing.T, test string, worker string) *fleet {
	t.Helper()
	to, err := fleetDatabase(t.Context())
	if err != nil {
		if servers.Missing(test, err) != 0 {
			t.Fatal(err)
		}
		return nil
	}
	return fleetOn(t, to, []string{fleetServer.Addr}, worker)
}

// fleetDatabase makes a database on the server of the fleets, and gives its URL.
func fleetDatabase(ctx context.Context) (string, error) {
	fleetServer.Lock()
	defer fleetServer.Unlock()
	if fleetServer.Server == nil {
		s, err := servers.Postgres("max_connections=400")
		if err != nil {
			return "", err
		}
		fleetServer.Server = s
	}
	conn, err := pgx.Connect(ctx, fleetServer.URL)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	fleetServer.databases++
	name := fmt.Sprint("fleet", fleetServer.databases)
	if _, err := conn.Exec(ctx, "create database "+name); err != nil {
		return "", err
	}
	return strings.Replace(fleetServer.URL, "/postgres?", "/"+name+"?", 1), nil
}

// fleetOn makes a cluster in a database that runs at some addresses.
func fleetOn(t *testing.T, url string, dbs []string, worker string) *fleet {
	t.Helper()
	f := &fleet{t: t, dir: t.TempDir(), url: url, dbs: dbs, lease: 30 * time.Second,
		environ: map[string][]string{}}
	if err := os.CopyFS(f.dir, os.DirFS(worker)); err != nil {
		t.Fatal(err)
	}
	if code, text, errs := ran(t, nil, "cluster", "init", f.url); code != exitOK {
		t.Fatalf("cluster init: %s%s", text, errs)
	}
	return f
}

// fleetNode is one process after the other of one name.
type fleetNode struct {
	f         *fleet
	name      string
	databases []*tcpProxy
	links     *tcpProxy
	scratch   string // where the node has its files; "": a new directory for each process

	mu    sync.Mutex // guards the rest
	cmd   *exec.Cmd  // nil while it does not run
	ended chan struct{}
	url   string // "" until it is ready
	admin string
	log   []string
	ready chan struct{}
}

// add starts a node.
func (f *fleet) add(name string) *fleetNode { return f.addAt(name, "") }

// addAt starts a node that has its files in a directory.
func (f *fleet) addAt(name, scratch string) *fleetNode { return f.addTo(name, scratch, false) }

// addTo starts a node whose way to the databases may be cut.
func (f *fleet) addTo(name, scratch string, cut bool) *fleetNode {
	f.t.Helper()
	n := &fleetNode{f: f, name: name, links: newProxy(f.t), scratch: scratch}
	for _, db := range f.dbs {
		p := newProxy(f.t)
		p.to(db)
		p.setCut(cut)
		n.databases = append(n.databases, p)
	}
	f.nodes = append(f.nodes, n)
	n.start()
	f.t.Cleanup(func() {
		if f.t.Failed() {
			n.end(syscall.SIGQUIT) // it shows what its goroutines do
		}
		n.kill()
		if f.t.Failed() {
			n.mu.Lock()
			defer n.mu.Unlock()
			f.t.Logf("%s:\n%s", name, strings.Join(n.log[max(0, len(n.log)-60):], "\n"))
		}
	})
	return n
}

var (
	readyLine = regexp.MustCompile(`"msg":"Ready on (http://localhost:\d+)`)
	adminLine = regexp.MustCompile(`metrics at (http://127\.0\.0\.1:\d+)`)
)

// three starts the nodes a, b and c, and waits until they serve.
func (f *fleet) three() {
	f.t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		f.add(name)
	}
	for _, n := range f.nodes {
		n.await()
	}
}

// start starts the process. It does not wait.
func (n *fleetNode) start() {
	f := n.f
	f.t.Helper()
	links, err := servers.FreeAddr()
	if err != nil {
		f.t.Fatal(err)
	}
	n.links.to(links)
	u, err := url.Parse(f.url)
	if err != nil {
		f.t.Fatal(err)
	}
	var hosts []string
	for _, p := range n.databases {
		hosts = append(hosts, p.addr())
	}
	u.Host = strings.Join(hosts, ",")
	path := f.eddy
	if path == "" {
		if path, err = exec.LookPath("eddy"); err != nil {
			f.t.Fatal(err)
		}
	}
	scratch := n.scratch
	if scratch == "" {
		scratch = f.t.TempDir()
	} else if err := clearDir(scratch); err != nil { // what a killed process leaves
		f.t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"serve", "--cluster", u.String(), "--node", n.name, "--advertise",
		n.links.addr(), "--links", links, "--lease", f.lease.String(), "--port", "0", "--admin", "127.0.0.1:0",
		"--journal", "off"}, f.extra...)...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "EDDY_REGISTRY="+f.t.TempDir(), "TMPDIR="+scratch)
	cmd.Env = append(cmd.Env, f.environ[n.name]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	ended, ready := make(chan struct{}), make(chan struct{})
	n.mu.Lock()
	n.cmd, n.ended, n.url, n.admin, n.ready = cmd, ended, "", "", ready
	n.mu.Unlock()
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			text := lines.Text()
			n.mu.Lock()
			if strings.Contains(text, `"kind":"request"`) {
				n.mu.Unlock()
				continue
			}
			n.log = append(n.log, text)
			if m := adminLine.FindStringSubmatch(text); m != nil {
				n.admin = m[1]
			}
			if m := readyLine.FindStringSubmatch(text); m != nil {
				n.url = m[1]
				close(ready)
			}
			n.mu.Unlock()
		}
		_ = cmd.Wait() // it is killed
		close(ended)
	}()
}

// clearDir removes what is in a directory.
func clearDir(dir string) error {
	list, err := os.ReadDir(dir)
	for _, e := range list {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// await waits until the node is ready, and gives its address.
func (n *fleetNode) await() string {
	n.f.t.Helper()
	n.mu.Lock()
	ready, ended := n.ready, n.ended
	n.mu.Unlock()
	select {
	case <-ready:
	case <-ended:
		n.f.t.Fatalf("node %s ended before it was ready", n.name)
	case <-time.After(stuckTime):
		n.tellStuck(ended, "is not ready")
	}
	return n.at()
}

// at is where the node answers now, "" if it does not run.
func (n *fleetNode) at() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.url
}

func (n *fleetNode) signal(s os.Signal) {
	n.mu.Lock()
	cmd := n.cmd
	n.mu.Unlock()
	if cmd != nil {
		_ = cmd.Process.Signal(s) // it may have ended
	}
}

// kill ends the process as kill -9 does.
func (n *fleetNode) kill() { n.end(syscall.SIGKILL) }

// lose is kill, and ends what the cluster knows of the node as others do when they have not heard of it for a lease.
func (n *fleetNode) lose(ctx context.Context) {
	t := n.f.t
	t.Helper()
	n.kill()
	e, err := postgres.Open(n.f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for {
		v, err := e.Look(ctx)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(v.Nodes, func(seen engine.Seen) bool { return seen.ID.Name() == n.name })
		if at < 0 {
			return
		}
		_, err = e.Claim(ctx, engine.Nobody, v.Nodes[at].ID, v.Nodes[at].Beat)
		if err != nil && !errors.Is(err, engine.ErrAlive) { // its last beat was on its way
			t.Fatal(err)
		}
	}
}

// end sends a signal and waits until the process is gone.
func (n *fleetNode) end(s os.Signal) {
	n.mu.Lock()
	ended := n.ended
	running := n.cmd != nil
	n.mu.Unlock()
	if !running {
		return
	}
	n.signal(s)
	select {
	case <-ended:
	case <-time.After(stuckTime):
		n.tellStuck(ended, fmt.Sprintf("has not ended by %s", s))
	}
	n.mu.Lock()
	n.cmd, n.url = nil, ""
	n.mu.Unlock()
}

// stuckTime is after which time a process that takes it for a start or an end hangs, however busy the machine is.
const stuckTime = 4 * time.Minute

// tellStuck fails the test because the process hangs, which tells on stderr what its goroutines do.
func (n *fleetNode) tellStuck(ended chan struct{}, what string) {
	n.f.t.Helper()
	n.signal(syscall.SIGQUIT)
	select {
	case <-ended:
	case <-time.After(10 * time.Second): // it is stopped
	}
	n.f.t.Fatalf("node %s %s for %s", n.name, what, stuckTime)
}

// owner is the node that has the queues, nil if none has.
func (f *fleet) owner() *fleetNode {
	f.t.Helper()
	e, err := postgres.Open(f.url)
	if err != nil {
		f.t.Fatal(err)
	}
	defer e.Close()
	v, err := e.Look(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	for _, n := range f.nodes {
		if n.name == v.Shards[len(v.Shards)-1].Owner.Name() {
			return n
		}
	}
	return nil
}

// ask sends a request to one node. The error of one that does not answer, or answers otherwise than 200, says so.
func (n *fleetNode) ask(ctx context.Context, path string) (string, error) {
	at := n.at()
	if at == "" {
		return "", errors.New("the node does not run")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at+path, nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", res.Status, b)
	}
	return string(b), err
}
