package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A node that starts before its database waits for it. Of two that reach the database and not each other it is told,
// by the node and by the cluster, and which one takes over what a lost one had.
func TestTroubleIsTold(t *testing.T) {
	t.Parallel() // it waits for leases and processes most of the time
	f := newFleet(t, "cmd/eddy: TestTroubleIsTold", "testdata/nemesis")
	if f == nil {
		return
	}
	f.lease = time.Second
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	a := f.addTo("a", "", true)
	until := func(what string, found func() bool) {
		t.Helper()
		for !found() {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				t.Fatal("it was not told: " + what)
			}
		}
	}
	said := func(text string) bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return strings.Contains(strings.Join(a.log, "\n"), text)
	}
	says := func(text string) {
		t.Helper()
		until(text, func() bool { return said(text) })
	}
	says("waits for its database, and is not ready: the cluster's database at 127.0.0.1:")
	each(a.databases, func(p *tcpProxy) { p.setCut(false) })
	says("The cluster's database answers: this node starts.")
	a.await()
	b := f.add("b")
	b.await()
	const pair = "Node a does not reach node b"
	probe := func(path string) string {
		a.mu.Lock()
		at := a.admin
		a.mu.Unlock()
		res, err := http.Get(at + path)
		if err != nil {
			return err.Error()
		}
		defer func() { _ = res.Body.Close() }()
		text, _ := io.ReadAll(res.Body) // what is cut is not right
		return string(text)
	}
	// A node that does not run for longer than its lease is another one when it goes on, which answers for the first
	// time: then it is cut off once more.
	for again := "Node b answers this node again."; !said(again); {
		b.links.setCut(true)
		says(pair)
		until("by /readyz", func() bool { return strings.Contains(probe("/readyz"), "ready\n"+pair) })
		until("by metrics", func() bool { return strings.Contains(probe("/metrics"), `_reached{node="a",peer="b"} 0`) })
		until("by the cluster", func() bool {
			_, text, _ := ran(t, nil, "cluster", "status", f.url)
			return strings.Contains(text, pair)
		})
		b.links.setCut(false)
		until(again, func() bool { return said(again) || !strings.Contains(probe("/readyz"), pair) })
	}
	b.kill()
	says("Node b does not beat any more: this node has ended it")
	says("shards that node b had.")
}
