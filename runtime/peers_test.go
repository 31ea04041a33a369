package runtime

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// peerWorker sends to one queue and consumes another; what it got is in its ledger.
var peerWorker = script("peers", "peer.js")

func peerConfig(name, to string) string {
	return fmt.Sprintf(`{
		"name": %q, "main": "index.js", "compatibility_date": "2026-04-01",
		"queues": { "producers": [{ "binding": "Q", "queue": "to-%s" }], "consumers": [{
			"queue": "to-%[1]s", "max_batch_timeout": 0, "max_retries": 100 }] },
		"durable_objects": { "bindings": [{ "name": "LEDGER", "class_name": "Ledger" }] },
		"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Ledger"] }]
	}`, name, to)
}

// TestKillPeers runs two sessions on one state directory, each sending to the other, and kills now one, now the other,
// now both: owner and guest change places all the time. Whatever was acknowledged arrives on the other side.
func TestKillPeers(t *testing.T) {
	rounds := *crashRounds
	if testing.Short() {
		rounds = min(rounds, 8)
	}
	seed := *crashSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	names := [2]string{"left", "right"}
	state := t.TempDir()
	var dirs [2]string
	for i, name := range names {
		dirs[i] = newProject(t, "wrangler.jsonc", peerConfig(name, names[1-i]), "index.js", peerWorker).dir
	}
	var children [2]*child
	var sent [2]map[int]bool // acknowledged by each
	start := func(i int) {
		if children[i] == nil {
			children[i] = startChild(t, dirs[i], crashState+"="+state)
		}
	}
	t.Cleanup(func() {
		for _, c := range children {
			if c != nil {
				c.kill()
			}
		}
	})
	sent[0], sent[1] = map[int]bool{}, map[int]bool{}
	next := 0
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for range rounds {
		first := rng.IntN(2)
		start(first)
		start(1 - first)
		var mu sync.Mutex // guards what the askers share
		limit, answered := 1+rng.IntN(40), 0
		enough, over := make(chan struct{}), false
		var askers sync.WaitGroup
		for k := range 4 {
			i := k % 2
			c := children[i]
			askers.Go(func() {
				for {
					mu.Lock()
					if over {
						mu.Unlock()
						return
					}
					next++
					n := next
					mu.Unlock()
					_, ok := c.ask(client, fmt.Sprintf("/send?n=%d", n))
					mu.Lock()
					if ok {
						sent[i][n] = true
						if answered++; answered == limit {
							close(enough)
						}
					}
					mu.Unlock()
					select {
					case <-c.ended:
						return
					default:
					}
				}
			})
		}
		select {
		case <-enough:
		case <-children[0].ended:
		case <-children[1].ended:
		}
		for _, c := range children {
			c.lives(t)
		}
		victims := [][]int{{0}, {1}, {0, 1}, {1, 0}}[rng.IntN(4)]
		for _, i := range victims {
			children[i].kill()
		}
		mu.Lock()
		over = true
		mu.Unlock()
		askers.Wait()
		for _, i := range victims {
			children[i] = nil
		}
	}
	start(0)
	start(1)
	twice := 0
	for i := range names {
		twice += awaitSeen(t, children[1-i], client, sent[i])
	}
	// Only what was in flight when one of the two was killed may come again: a batch of ten for each queue, and what
	// the round before left.
	if twice > 80*rounds {
		t.Errorf("%d deliveries too many in %d rounds", twice, rounds)
	}
	t.Logf("%d rounds: %d and %d sends; %d redelivered", rounds, len(sent[0]), len(sent[1]), twice)
}

// awaitSeen asks until a session has seen all numbers, and counts those that it saw more than once.
func awaitSeen(t *testing.T, c *child, client *http.Client, want map[int]bool) (twice int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; {
		body, ok := c.ask(client, "/seen")
		var rep crashReport
		if !ok || json.Unmarshal([]byte(body), &rep) != nil {
			t.Fatalf("seen: %s", body)
		}
		seen := map[int]bool{}
		twice = 0
		for _, s := range rep.Seen {
			seen[s[0]] = true
			twice += s[1] - 1
		}
		missing := 0
		for n := range want {
			if !seen[n] {
				missing++
			}
		}
		if missing == 0 {
			return twice
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d acknowledged messages are missing", missing)
		}
	}
}

// Sessions that were joined leave no goroutine behind, whichever way round they end; what the guest sends meanwhile
// arrives.
func TestJoinedSessionsEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	state := t.TempDir()
	join := func(name, to string) *served {
		p := newProject(t, "wrangler.jsonc", peerConfig(name, to), "index.js", peerWorker)
		return p.serve(func(o *Options) { o.Listen, o.Port, o.Clock, o.PersistTo = true, -1, nil, state })
	}
	left := join("left", "right")
	right := join("right", "left")
	right.Banner(0)
	right.wantLines(fmt.Sprintf("Joined process %d at %s, which runs left", os.Getpid(), left.URL()))
	if left.Broker() == nil || right.Broker() != nil {
		t.Fatal("not one owner")
	}
	right.expect("/send?n=1", "sent")
	left.out.await("QUEUE to-left 1/1", 1)
	left.end()
	right.out.await("This session owns the queues now", 1)
	if right.Broker() == nil {
		t.Fatal("the guest has no log")
	}
	right.expect("/send?n=2", "sent")
	again := join("left", "right")
	again.out.await("QUEUE to-left 1/1", 1)
	again.expect("/", `{"seen":[[1,1],[2,1]]}`)
	again.end()
	right.out.await("left with left", 1)
	right.end()
	if text := leftGoroutines(before); text != "" {
		t.Errorf("goroutines left:\n%s", text)
	}
}
