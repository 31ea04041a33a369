package main

import (
	"context"
	"eddy/runtime/cluster/node"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	silenceLeaves = flag.Int("silence.leaves", 1, "how often TestSilence lets a node leave")
	silenceKills  = flag.Int("silence.kills", 0, "how often TestSilence kills a node after that")
	silenceEvery  = flag.Duration("silence.every", 250*time.Millisecond,
		"how long after an answer TestSilence asks again, which is as fine as its figures are")
	silenceLease = flag.Duration("silence.lease", 4*time.Second, "the lease of TestSilence's nodes")
)

// silences is how long what was asked again and again did not answer.
type silences struct {
	c    *campaign
	stop func()

	mu      sync.Mutex // guards the rest
	gone    *fleetNode // not asked
	last    map[string]time.Time
	longest map[string]time.Duration
	place   map[string]string // the instance that answered last
	moved   map[string]bool   // another instance answers now
}

// listen asks a number of objects, and sends, through the nodes that are there, until stop.
func (c *campaign) listen() *silences {
	s := &silences{c: c, last: map[string]time.Time{}, place: map[string]string{}}
	s.forget()
	ctx, cancel := context.WithCancel(c.t.Context())
	var all sync.WaitGroup
	for i := range 16 {
		path := fmt.Sprintf("/add?n=q%d", i)
		if i < 2 {
			path = fmt.Sprintf("/send?n=q%d", i)
			c.book.note(c.book.tried, fmt.Sprint("q", i))
		}
		all.Go(func() {
			for try := i; ctx.Err() == nil; try++ {
				s.mu.Lock()
				gone := s.gone
				s.mu.Unlock()
				if to := c.nodes[try%len(c.nodes)]; to != gone {
					one, end := context.WithTimeout(ctx, clientTime)
					text, err := to.ask(one, path)
					end()
					if err == nil {
						s.answered(path, text)
					}
				}
				<-time.After(*silenceEvery)
			}
		})
	}
	s.stop = func() { cancel(); all.Wait() }
	return s
}

// forget is called with mu held, or before anybody asks.
func (s *silences) forget() { s.longest, s.moved = map[string]time.Duration{}, map[string]bool{} }

func (s *silences) answered(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if last, ok := s.last[path]; ok {
		s.longest[path] = max(s.longest[path], now.Sub(last))
	}
	s.last[path] = now
	if _, instance, ok := strings.Cut(text, " "); ok {
		s.moved[path] = s.moved[path] || s.place[path] != instance
		s.place[path] = instance
	}
}

// during asks only the other nodes while something is done to one, until all has answered again, and gives the
// longest silences of objects that have moved, and of sends.
func (s *silences) during(n *fleetNode, do func()) (objects, sends []time.Duration) {
	s.mu.Lock()
	s.gone = n
	s.mu.Unlock()
	<-time.After(time.Second) // what asks the node now has its answer
	s.mu.Lock()
	s.forget()
	s.mu.Unlock()
	began := time.Now()
	do()
	for {
		<-time.After(20 * time.Millisecond)
		s.mu.Lock()
		all := time.Since(began) > time.Second
		for _, last := range s.last {
			all = all && last.After(began.Add(500*time.Millisecond))
		}
		if all {
			for path, d := range s.longest {
				if s.moved[path] {
					objects = append(objects, d)
				} else if strings.HasPrefix(path, "/send") {
					sends = append(sends, d)
				}
			}
			s.mu.Unlock()
			return objects, sends
		}
		s.mu.Unlock()
	}
}

// figures are the median, the 99th of a hundred, and the largest.
func figures(list []time.Duration) string {
	if len(list) == 0 {
		return "none"
	}
	slices.Sort(list)
	at := func(p int) time.Duration { return list[(len(list)-1)*p/100].Round(time.Millisecond) }
	return fmt.Sprintf("p50 %v, p99 %v, longest %v of %d", at(50), at(99), at(100), len(list))
}

// placed waits until every node has its part of the shards.
func (f *fleet) placed() {
	f.t.Helper()
	for late := time.Now().Add(2 * time.Minute); ; {
		code, text, errs := ran(f.t, nil, "cluster", "status", "--json", f.url)
		var status struct{ Nodes []node.Status }
		if err := json.Unmarshal([]byte(text), &status); err != nil || code != exitOK {
			f.t.Fatalf("cluster status: %d, %v, %s%s", code, err, text, errs)
		}
		few := len(status.Nodes) != len(f.nodes)
		for _, n := range status.Nodes {
			few = few || n.Shards < 20
		}
		if !few {
			return
		}
		if time.Now().After(late) {
			f.t.Fatalf("the shards are not placed: %s", text)
		}
		<-time.After(200 * time.Millisecond)
	}
}

// When a node leaves in order, what it had is silent for a moment; when it is killed, for a lease and a little. The
// figures are for whoever reads them: a machine may be slow.
func TestSilence(t *testing.T) {
	t.Parallel() // it waits for leases and processes most of the time
	c := newCampaign(t, "", 1, *silenceLease)
	if c == nil {
		return
	}
	s := c.listen()
	defer s.stop()
	for _, harm := range []struct {
		name   string
		signal syscall.Signal
		rounds int
	}{{"leave", syscall.SIGTERM, *silenceLeaves}, {"kill -9", syscall.SIGKILL, *silenceKills}} {
		var objects, sends []time.Duration
		for round := range harm.rounds {
			c.placed()
			n := c.nodes[round%len(c.nodes)]
			if o := c.owner(); o != nil && round%2 == 0 {
				n = o
			}
			had, sent := s.during(n, func() { n.signal(harm.signal) })
			n.end(harm.signal)
			t.Logf("%s %s: objects %s; sends %s", harm.name, n.name, figures(had), figures(sent))
			objects, sends = append(objects, had...), append(sends, sent...)
			began := time.Now()
			n.start()
			n.await()
			t.Logf("ready again after %.1f s", time.Since(began).Seconds())
		}
		if harm.rounds > 0 {
			t.Logf("%s, %d rounds: objects %s; sends %s", harm.name, harm.rounds, figures(objects), figures(sends))
		}
	}
}
