package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	nemesisRounds = flag.Int("nemesis.rounds", 2, "how often TestNemesis does something to a node of a cluster")
	nemesisSeed   = flag.Uint64("nemesis.seed", 1, "decides what TestNemesis does, and to which node")
)

// ledger is what became of messages: which were tried, acknowledged, and consumed.
type ledger struct {
	mu     sync.Mutex
	tried  map[string]bool // guarded by mu, as is all below
	acked  map[string]bool
	got    map[string]int
	change chan struct{} // closed with each change
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
	l.got[r.URL.Query().Get("n")]++
	close(l.change)
	l.change = make(chan struct{})
	_, _ = io.WriteString(w, "noted")
}

// missing counts acknowledged messages that were not consumed yet. changed is closed when it may be another number.
func (l *ledger) missing() (n int, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.acked {
		if l.got[k] == 0 {
			n++
		}
	}
	return n, l.change
}

// Three nodes are killed, stopped for longer than a lease, cut off from the database and from each other, and end.
// Nothing that was acknowledged is lost, and nothing comes that was not sent.
func TestNemesis(t *testing.T) {
	f := newFleet(t, "cmd/eddy: TestNemesis", "testdata/nemesis")
	if f == nil {
		return
	}
	book := &ledger{tried: map[string]bool{}, acked: map[string]bool{}, got: map[string]int{},
		change: make(chan struct{})}
	server := httptest.NewServer(book)
	defer server.Close()
	f.extra = []string{"--var", "LEDGER:" + server.URL}
	for _, name := range []string{"a", "b", "c"} {
		f.add(name)
	}
	for _, n := range f.nodes {
		n.await()
	}
	hist := &history{began: time.Now()}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	defer clients.Wait()
	defer stop()
	for i := range 4 {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				one, cancel := context.WithTimeout(ctx, 20*time.Second)
				if !f.act(one, f.nodes[(n+i)%len(f.nodes)], book, hist, i, n) {
					<-time.After(20 * time.Millisecond) // a node that does not run is not asked as fast as can be
				}
				cancel()
			}
		})
	}
	rounds := *nemesisRounds
	if testing.Short() {
		rounds = 1
	}
	rnd := rand.New(rand.NewPCG(*nemesisSeed, 0))
	for round := range rounds {
		victim := f.nodes[rnd.IntN(len(f.nodes))]
		if rnd.IntN(2) == 0 || round == 0 {
			if o := f.owner(); o != nil {
				victim = o
			}
		}
		act := rnd.IntN(5)
		if round == 0 {
			act = 0
		}
		f.harm(victim, act)
		before := book.ackedCount()
		book.await(t, func() bool { return book.ackedCount() > before+20 })
	}
	stop()
	clients.Wait()
	for {
		n, changed := book.missing()
		if n == 0 {
			break
		}
		select {
		case <-changed:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%d of %d acknowledged messages were not consumed", n, book.ackedCount())
		}
	}
	hist.judge(t)
	book.mu.Lock()
	defer book.mu.Unlock()
	twice := 0
	for n, times := range book.got {
		if !book.tried[n] {
			t.Errorf("%s was consumed and not sent", n)
		}
		if times > 1 {
			twice++
		}
	}
	t.Logf("%d rounds: %d messages and alarms tried, %d acknowledged, none lost, %d delivered again; "+
		"%d calls of objects, %d of them without an answer", rounds, len(book.tried), len(book.acked), twice,
		len(hist.ops), hist.unknown)
}

// act does one thing by turns: it sends a message, sets an alarm, counts, reads. It reports whether that was answered.
func (f *fleet) act(ctx context.Context, to *fleetNode, book *ledger, hist *history, client, n int) bool {
	name := fmt.Sprintf("%d-%d", client, n)
	switch n % 4 {
	case 0, 1:
		path := "/send?n="
		if n%8 == 1 {
			path = "/ring?n="
		}
		book.note(book.tried, name)
		_, err := to.ask(ctx, path+name)
		if err == nil {
			book.note(book.acked, name)
		}
		return err == nil
	}
	// Objects change with time, so that each has few calls without an answer: the judge tries all that they may mean.
	path, object := "/add", fmt.Sprintf("c%d-%d", time.Since(hist.began)/(4*time.Second), (n/4+client)%4)
	if n%4 == 3 {
		path = "/get"
	}
	called := hist.now()
	text, err := to.ask(ctx, path+"?n="+object)
	hist.note(client, object, path, called, text, err)
	return err == nil
}

func (l *ledger) ackedCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acked)
}

// await waits until something is so, looking ten times a second.
func (l *ledger) await(t *testing.T, so func() bool) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for !so() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("the cluster does not answer any more")
		}
	}
}

// harm does something to a node and takes it back.
func (f *fleet) harm(n *fleetNode, act int) {
	long := time.Duration(2.2 * float64(f.lease))
	switch act {
	case 0:
		f.t.Logf("kill -9 %s", n.name)
		n.kill()
		n.start()
		n.await()
	case 1:
		f.t.Logf("%s stands still", n.name)
		n.signal(syscall.SIGSTOP)
		<-time.After(long)
		n.signal(syscall.SIGCONT)
	case 2:
		f.t.Logf("%s is cut off from the database", n.name)
		n.database.setCut(true)
		<-time.After(long)
		n.database.setCut(false)
	case 4:
		f.t.Logf("%s leaves in order", n.name)
		n.end(syscall.SIGTERM)
		n.start()
		n.await()
	case 3:
		f.t.Logf("%s is cut off from the other nodes", n.name)
		n.links.setCut(true)
		<-time.After(long)
		n.links.setCut(false)
	}
}
