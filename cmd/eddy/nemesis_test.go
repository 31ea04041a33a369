package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	nemesisRounds = flag.Int("nemesis.rounds", 1, "how often TestNemesis does something to a cluster")
	nemesisSeed   = flag.Uint64("nemesis.seed", 1, "decides what TestNemesis does, and to which node")
	nemesisHarms  = flag.String("nemesis.harms", "", "a regular expression: TestNemesis does nothing else")
	nemesisLease  = flag.Duration("nemesis.lease", 2*time.Second, "the lease of TestNemesis' nodes")
	nemesisPause  = flag.Duration("nemesis.pause", 20*time.Millisecond, "how long its clients rest after an answer")
	nemesisClocks = flag.Duration("nemesis.clocks", 0, "by how much the clock of TestNemesis' first node is ahead and "+
		"that of its last one behind; 0 builds no program with clocks that can be set")
)

// ledger is what became of messages and alarms: which were tried, acknowledged, and consumed.
type ledger struct {
	mu     sync.Mutex
	tried  map[string]bool // guarded by mu, as is all below
	acked  map[string]bool
	got    map[string]int
	lanes  map[string][]int // what came for the first time, by lane, in order
	change chan struct{}    // closed with each change
}

func newLedger() *ledger {
	return &ledger{tried: map[string]bool{}, acked: map[string]bool{}, got: map[string]int{},
		lanes: map[string][]int{}, change: make(chan struct{})}
}

func (l *ledger) note(what map[string]bool, n string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	what[n] = true
}

// ServeHTTP hears of a message that was consumed.
func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := r.URL.Query().Get("n")
	if l.got[n]++; l.got[n] == 1 {
		if lane, place, ok := laneOf(n); ok {
			l.lanes[lane] = append(l.lanes[lane], place)
		}
	}
	close(l.change)
	l.change = make(chan struct{})
	_, _ = io.WriteString(w, "noted")
}

// laneOf takes the name of a message to a lane apart.
func laneOf(name string) (lane string, place int, ok bool) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return "", 0, false
	}
	place, err := strconv.Atoi(name[at+1:])
	return name[:at], place, err == nil
}

// lane is where a client sends to, one message after the other. After one whose outcome it does not know it goes on
// with another lane: that one may come in late, as what two clients send at once.
type lane struct{ number, place int }

func (l lane) message(client int) string {
	return fmt.Sprintf("lane%d-%d.%d", client, l.number, l.place)
}

// disordered tells of lanes whose messages have come in another order, or with one left out.
func (l *ledger) disordered() (wrong []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, came := range l.lanes {
		for i, place := range came {
			if i != place {
				wrong = append(wrong, fmt.Sprintf("%s: %d came as number %d: %v", name, place, i, came))
				break
			}
		}
	}
	return wrong
}

// missing are acknowledged messages that were not consumed yet. changed is closed when they may be others.
func (l *ledger) missing() (names []string, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.acked {
		if l.got[k] == 0 {
			names = append(names, k)
		}
	}
	return names, l.change
}

// campaign is clients of a cluster, and harm that is done to it meanwhile.
type campaign struct {
	*fleet
	pair *pair
	rnd  *rand.Rand
	book *ledger
	hist *history
	runs *flowBook
	deck []int // harms to come
	// stops counts nodes that were stopped.
	stops int
	// lanes and flows are of each client, which alone changes its own: flows are the instances that it looks after.
	lanes []lane
	flows [][]*flowRun

	mu   sync.Mutex
	done [3][3]int // guarded by mu: what was answered through each node: by queues and alarms, registers, workflows
}

// newCampaign starts three nodes on a pair of PostgreSQL; nil if none is installed.
func newCampaign(t *testing.T, program string, seed uint64, lease time.Duration) *campaign {
	p := newPair(t, "cmd/eddy: "+t.Name())
	if p == nil {
		return nil
	}
	c := &campaign{fleet: fleetOn(t, p.url(), p.addresses(), "testdata/nemesis"), pair: p,
		rnd: rand.New(rand.NewPCG(seed, 0)), book: newLedger(), hist: newHistory(),
		runs: newFlowBook(2 * *nemesisClocks)}
	mux := http.NewServeMux()
	mux.Handle("/", c.book)
	mux.Handle("/step", c.runs)
	mux.Handle("/told", c.runs)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c.eddy, c.lease = program, lease
	c.extra = []string{"--var", "LEDGER:" + server.URL}
	for i, name := range []string{"a", "b", "c"} {
		c.environ[name] = []string{fmt.Sprint(aheadVar, "=", *nemesisClocks*time.Duration(1-i))}
		c.addAt(name, smallDisk(t))
	}
	for _, n := range c.nodes {
		n.await()
	}
	return c
}

// clientTime is how long a client waits for an answer: longer than a statement of the database.
const clientTime = 12 * time.Second

// serve starts two clients of each node. They end with stop, which waits for them.
func (c *campaign) serve() (stop func()) {
	ctx, cancel := context.WithCancel(c.t.Context())
	var clients sync.WaitGroup
	c.lanes = make([]lane, 2*len(c.nodes))
	c.flows = make([][]*flowRun, len(c.lanes))
	for i := range c.lanes {
		rnd := rand.New(rand.NewPCG(c.rnd.Uint64(), uint64(i)))
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				one, cancel := context.WithTimeout(ctx, clientTime)
				pause := *nemesisPause
				if c.act(one, i, n, rnd) != nil {
					pause = 100 * time.Millisecond
				}
				cancel()
				<-time.After(pause)
			}
		})
	}
	return func() { cancel(); clients.Wait() }
}

// act does one thing: it sends a message, sets an alarm, asks a register, or does something with an instance of a
// workflow.
func (c *campaign) act(ctx context.Context, client, n int, rnd *rand.Rand) error {
	node := client % len(c.nodes)
	kind := 0
	var err error
	switch what := rnd.IntN(26); {
	case what >= 20:
		kind = 2
		err = c.flowAct(ctx, client, n, rnd)
	case what < 3:
		l := &c.lanes[client]
		name := l.message(client)
		l.place++
		c.book.note(c.book.tried, name)
		if _, err = c.nodes[node].ask(ctx, "/lane?n="+name); err == nil {
			c.book.note(c.book.acked, name)
		} else {
			*l = lane{number: l.number + 1}
		}
	case what < 7:
		path, name := "/send?n=", fmt.Sprintf("%d-%d", client, n)
		if what == 3 {
			path = "/ring?n="
		}
		c.book.note(c.book.tried, name)
		if _, err = c.nodes[node].ask(ctx, path+name); err == nil {
			c.book.note(c.book.acked, name)
		}
	default:
		kind = 1
		a := asked{path: "/get", value: 1000 * (client + 10*n)}
		a.object, a.from = c.hist.object(rnd.IntN(slots))
		switch {
		case what < 12:
			a.path = "/add"
		case what == 12:
			a.path = "/put"
		case what == 13:
			a.path = "/cas"
		}
		err = c.ask(ctx, c.nodes[node], client, a)
	}
	if err == nil {
		c.mu.Lock()
		c.done[node][kind]++
		c.mu.Unlock()
	}
	return err
}

// ask asks a register through a node and notes what it was told.
func (c *campaign) ask(ctx context.Context, n *fleetNode, client int, a asked) error {
	called := c.hist.now()
	text, err := n.ask(ctx, fmt.Sprintf("%s?n=%s&v=%d&from=%d", a.path, a.object, a.value, a.from))
	c.hist.note(client, a, called, c.hist.now(), text, err)
	return err
}

// recover waits until each node answers again, for queues, for registers and for workflows.
func (c *campaign) recover() error {
	c.mu.Lock()
	before := c.done
	c.mu.Unlock()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(2 * time.Minute); ; {
		c.mu.Lock()
		now := c.done
		c.mu.Unlock()
		lacking := ""
		for i := range now {
			for kind, name := range []string{"queues", "objects", "workflows"} {
				if now[i][kind] < before[i][kind]+3 {
					lacking += fmt.Sprintf(" node %s does not answer for %s.", c.nodes[i].name, name)
				}
			}
		}
		if lacking == "" {
			return nil
		}
		select {
		case <-tick.C:
		case <-late:
			return errors.New("the cluster is not what it was:" + lacking)
		}
	}
}

// settle waits until all that was acknowledged has come, and reads all registers once more. It tells what is missing.
func (c *campaign) settle() (wrong []string) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 3*time.Minute)
	defer cancel()
	for {
		names, changed := c.book.missing()
		if len(names) == 0 {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return []string{fmt.Sprintf("%d of %d acknowledged messages and alarms did not come: %.200q", len(names),
				len(c.book.acked), names)}
		}
	}
	for i, name := range c.hist.objects() {
		for try := 0; c.ask(ctx, c.nodes[(i+try)%len(c.nodes)], 99, asked{object: name, path: "/get"}) != nil; try++ {
			if ctx.Err() != nil {
				return []string{name + " does not answer any more"}
			}
			<-time.After(100 * time.Millisecond)
		}
	}
	wrong = c.settleFlows(ctx)
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	for n := range c.book.got {
		if !c.book.tried[n] {
			wrong = append(wrong, n+" was consumed and not sent")
		}
	}
	return wrong
}

// aheadVar says to a program of withClock by how much its clock is ahead.
const aheadVar = "EDDY_TEST_AHEAD"

// withClock builds a program whose clock is as much ahead as its environment says.
func withClock(t *testing.T) string {
	t.Helper()
	return overlayOf(t, "runtime/clock/clock.go", `import "time"`, "import (\n\t\"os\"\n\t\"time\"\n)\n\n"+
		`var ahead, _ = time.ParseDuration(os.Getenv("`+aheadVar+`"))`, "return time.Now().UTC()",
		"return time.Now().UTC().Add(ahead)").build(t)
}

// export ends all nodes, exports what the cluster keeps, serves that from one machine, and asks it for all registers
// and instances.
func (c *campaign) export() {
	t := c.t
	t.Helper()
	for _, n := range c.nodes {
		n.end(syscall.SIGTERM)
	}
	state := filepath.Join(t.TempDir(), "state")
	if code, text, errs := ran(t, nil, "cluster", "export", state, c.url); code != exitOK {
		t.Fatalf("export: %d, %s%s", code, text, errs)
	}
	files := map[string]string{}
	for _, name := range []string{"w.js", "wrangler.json"} {
		b, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(b)
	}
	s := serve(t, files, append([]string{"--persist-to", state}, c.extra...)...)
	one := &fleetNode{name: "the export", url: s.line(`Ready on (http://localhost:\d+)`)}
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		for range s.lines { // nobody else reads them
		}
	}()
	for _, name := range c.hist.objects() {
		if err := c.ask(t.Context(), one, 99, asked{object: name, path: "/get"}); err != nil {
			t.Errorf("the export does not answer for %s: %v", name, err)
		}
	}
	for _, in := range c.runs.all() { // all have ended, and what they have ended with stays
		if final, text, err := c.flowStatus(t.Context(), one, in); err != nil || !final {
			t.Errorf("the export does not answer for %s: %s, %v", in.id, text, err)
		}
	}
	s.end()
	<-rest
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}

// Three nodes and a pair of databases are killed, stopped, cut off from each other, late and full, change places and
// leave. Nothing that was acknowledged is lost, nothing comes that was not sent, and objects have one order.
func TestNemesis(t *testing.T) {
	t.Parallel() // it waits for leases and processes most of the time
	program := ""
	if *nemesisClocks != 0 {
		program = withClock(t)
	}
	c := newCampaign(t, program, *nemesisSeed, *nemesisLease)
	if c == nil {
		return
	}
	stop := c.serve()
	defer stop()
	rounds := *nemesisRounds
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		name := c.harm(round)
		began := time.Now()
		if err := c.recover(); err != nil {
			t.Fatalf("seed %d, round %d, %s: %v", *nemesisSeed, round, name, err)
		}
		t.Logf("seed %d, round %d: %s; all answer %.1f s later", *nemesisSeed, round, name, time.Since(began).Seconds())
	}
	if *nemesisClocks >= time.Second {
		_, text, _ := ran(t, nil, "cluster", "status", c.url)
		if !strings.Contains(text, "The clock of node a is") || !strings.Contains(text, "The clock of node c is") {
			t.Errorf("seed %d: clocks that are wrong were not told: %s", *nemesisSeed, text)
		}
	}
	stop()
	wrong := append(c.settle(), c.book.disordered()...)
	known := len(c.runs.contradictions())
	c.export()
	wrong = append(append(wrong, c.hist.wrong()...), c.runs.contradictions()[known:]...)
	for _, text := range wrong {
		t.Errorf("seed %d: %s", *nemesisSeed, text)
	}
	twice := 0
	for _, times := range c.book.got {
		if times > 1 {
			twice++
		}
	}
	t.Logf("%d rounds: %d messages and alarms tried, %d acknowledged, none lost, %d delivered again, "+
		"%d lanes in order; %d calls of %d objects, %d of them without an answer; %s", rounds, len(c.book.tried),
		len(c.book.acked), twice, len(c.book.lanes), len(c.hist.ops), len(c.hist.lives), c.hist.unknown, c.runs.sum())
}
