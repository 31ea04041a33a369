package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/postgres"
)

// The walk-through of examples/cluster: orders are placed through all nodes, the node with the queues is drained, then
// the one that has them is killed, another one is told to end, and each order arrives.
func TestOrdersOnCluster(t *testing.T) {
	t.Parallel() // it waits for leases and processes most of the time
	f := newFleet(t, "cmd/eddy: TestOrdersOnCluster", "../../examples/orders")
	if f == nil {
		return
	}
	f.three()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// until asks the nodes by turns until one gives an answer that is right: placing an order twice changes nothing.
	until := func(method, path, body string, right func(status int, text string) bool) {
		t.Helper()
		last := ""
		for i := 0; ; i++ {
			if at := f.nodes[i%len(f.nodes)].at(); at != "" {
				req, err := http.NewRequestWithContext(ctx, method, at+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				if res, err := http.DefaultClient.Do(req); err == nil {
					b, _ := io.ReadAll(res.Body) // what is cut is not right
					_ = res.Body.Close()
					if right(res.StatusCode, string(b)) {
						return
					}
					last = fmt.Sprintf("%s %s", res.Status, b)
				} else {
					last = err.Error()
				}
			}
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				t.Fatalf("%s %s: %s", method, path, last)
			}
		}
	}
	f.askWithToken(ctx, t)
	const orders = 9
	var drained *fleetNode
	for i := range orders {
		switch i {
		case 1:
			if drained = f.owner(); drained != nil {
				drained.drain(ctx, t)
			}
		case 2:
			if drained != nil {
				drained.undrain(ctx, t)
			}
		case 3:
			if o := f.owner(); o != nil {
				o.lose(ctx)
			}
		case 6:
			for _, n := range f.nodes {
				if n.at() != "" {
					n.end(syscall.SIGTERM)
					break
				}
			}
		}
		until("POST", fmt.Sprint("/orders/", i), `{"items":[{"sku":"tea","quantity":2}],"card":"ok"}`,
			func(status int, _ string) bool { return status == http.StatusAccepted })
	}
	for i := range orders {
		until("GET", fmt.Sprint("/orders/", i), "", func(_ int, text string) bool {
			return text == `{"status":"shipped","history":["placed","paid","shipped"]}`
		})
	}
}

// drain lets a node give back what it has: then the cluster says so, and its /readyz. A node that had no processor for
// longer than its lease joins again, which takes a drain back, as a start does: it is drained once more.
func (n *fleetNode) drain(ctx context.Context, t *testing.T) {
	t.Helper()
	e, err := postgres.Open(n.f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for {
		id := n.incarnation(ctx, t, e)
		code, drained, errs := ran(t, nil, "cluster", "drain", n.name, n.f.url, "--timeout", "5m")
		state := n.state()
		has := n.f.owner()
		ready, text := n.readyz(ctx, t)
		if n.incarnation(ctx, t, e) != id {
			continue
		}
		if code != exitOK || !strings.Contains(drained, "to other nodes and takes none") {
			t.Fatalf("drain: %d, %s%s", code, drained, errs)
		}
		if state != "drained" {
			t.Errorf("status shows a node that is drained as %q", state)
		}
		if has == n {
			t.Error("a drained node has the queues")
		}
		if ready != http.StatusServiceUnavailable || !strings.Contains(text, "drained") {
			t.Errorf("readyz: %d %s", ready, text)
		}
		return
	}
}

// undrain lets a node take shards again.
func (n *fleetNode) undrain(ctx context.Context, t *testing.T) {
	t.Helper()
	e, err := postgres.Open(n.f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for {
		id := n.incarnation(ctx, t, e)
		code, _, text := ran(t, []string{"EDDY_CLUSTER=" + n.f.url}, "cluster", "drain", n.name, "--undo")
		if code == exitOK {
			return
		}
		if n.incarnation(ctx, t, e) == id {
			t.Fatalf("undo: %d, %s", code, text)
		}
	}
}

// state is what the cluster's status shows of the node, as soon as it has heard a beat of it; "" if it has no such
// node.
func (n *fleetNode) state() string {
	n.f.t.Helper()
	row := regexp.MustCompile(`(?m)^` + n.name + ` +(silent|gives back|drained|beats) `)
	for {
		code, text, errs := ran(n.f.t, nil, "cluster", "status", n.f.url)
		if code != exitOK {
			n.f.t.Fatalf("cluster status: %d, %s%s", code, text, errs)
		}
		if m := row.FindStringSubmatch(text); m == nil {
			return ""
		} else if m[1] != "silent" {
			return m[1]
		}
	}
}

// incarnation is what the cluster knows the node as now; one that has been ended joins again.
func (n *fleetNode) incarnation(ctx context.Context, t *testing.T, e *postgres.Engine) engine.NodeID {
	t.Helper()
	for {
		v, err := e.Look(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, seen := range v.Nodes {
			if seen.ID.Name() == n.name {
				return seen.ID
			}
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("node %s is not in the cluster", n.name)
		}
	}
}

// readyz asks the node whether it is ready, as soon as its lease holds.
func (n *fleetNode) readyz(ctx context.Context, t *testing.T) (status int, text string) {
	t.Helper()
	n.mu.Lock()
	admin := n.admin
	n.mu.Unlock()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, admin+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body) // what is cut is not right
		_ = res.Body.Close()
		if !strings.HasPrefix(string(body), "no lease") {
			return res.StatusCode, string(body)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("readyz: %s", body)
		}
	}
}

// askWithToken asks a node as eddy's commands do: with the cluster's token, not without, and never for its scratch
// directory.
func (f *fleet) askWithToken(ctx context.Context, t *testing.T) {
	t.Helper()
	e, err := postgres.Open(f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c, err := e.Cluster(ctx)
	if err != nil {
		t.Fatal(err)
	}
	at := f.nodes[0].at()
	// While the queues move from node to node, one is told to try again.
	try := func(environ []string, args ...string) (code int, text string) {
		for {
			code, out, errs := ran(t, environ, append(args, "--url", at)...)
			if !strings.Contains(errs, "try again") {
				return code, out + errs
			}
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				t.Fatalf("%s: %s", args, errs)
			}
		}
	}
	if code, text := try(nil, "queues", "list"); code != exitFailure || !strings.Contains(text, "token") {
		t.Errorf("without a token: %d, %s", code, text)
	}
	if code, text := try([]string{"EDDY_TOKEN=" + c.Token}, "queues", "list"); code != exitOK ||
		!strings.Contains(text, "payments") {
		t.Errorf("with the token: %d, %s", code, text)
	}
	if code, text := try(nil, "kv", "list", "X", "--token", c.Token); code != exitUsage ||
		!strings.Contains(text, "of a cluster") {
		t.Errorf("a store of a node: %d, %s", code, text)
	}
}
