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
)

// The walk-through of examples/cluster: orders are placed through all nodes, the node with the queues is killed in the
// middle and another one is told to end, and each order arrives.
func TestOrdersOnCluster(t *testing.T) {
	f := newFleet(t, "cmd/eddy: TestOrdersOnCluster", "../../examples/orders")
	if f == nil {
		return
	}
	for _, name := range []string{"a", "b", "c"} {
		f.add(name)
	}
	for _, n := range f.nodes {
		n.await()
	}
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
	const orders = 9
	for i := range orders {
		switch i {
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
