package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

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
	f.askWithToken(t)
	const orders = 9
	var drained *fleetNode
	for i := range orders {
		switch i {
		case 1:
			if drained = f.owner(); drained != nil {
				drained.drain(t)
			}
		case 2:
			if drained != nil {
				code, _, text := ran(t, []string{"EDDY_CLUSTER=" + f.url}, "cluster", "drain", drained.name, "--undo")
				if code != exitOK {
					t.Errorf("undo: %d, %s", code, text)
				}
			}
		case 3:
			if o := f.owner(); o != nil {
				o.kill()
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

// drain lets a node give back what it has: then the cluster says so, and its /readyz.
func (n *fleetNode) drain(t *testing.T) {
	t.Helper()
	code, text, errs := ran(t, nil, "cluster", "drain", n.name, n.f.url, "--timeout", "5m")
	if code != exitOK || !strings.Contains(text, "to other nodes and takes none") {
		t.Fatalf("drain: %d, %s%s", code, text, errs)
	}
	if _, text, _ := ran(t, nil, "cluster", "status", n.f.url); !strings.Contains(text, "drained") {
		t.Errorf("status shows no node that is drained: %s", text)
	}
	if has := n.f.owner(); has == n {
		t.Error("a drained node has the queues")
	}
	n.mu.Lock()
	admin := n.admin
	n.mu.Unlock()
	res, err := http.Get(admin + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != 503 || !strings.Contains(string(body), "drained") {
		t.Errorf("readyz: %d %s", res.StatusCode, body)
	}
}

// askWithToken asks a node as eddy's commands do: with the cluster's token, not without, and never for its scratch
// directory.
func (f *fleet) askWithToken(t *testing.T) {
	t.Helper()
	e, err := postgres.Open(f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c, err := e.Cluster(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := f.nodes[0].at()
	// While the queues move from node to node, one is told to try again.
	try := func(environ []string, args ...string) (code int, text string) {
		for {
			code, out, errs := ran(t, environ, append(args, "--url", at)...)
			if !strings.Contains(errs, "try again") || t.Context().Err() != nil {
				return code, out + errs
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
