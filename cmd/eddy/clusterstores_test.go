package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/node"
	"eddy/runtime/cluster/postgres"
)

// has is the node that has a store, nil if none has.
func (f *fleet) has(ctx context.Context, name objectstore.Name) *fleetNode {
	f.t.Helper()
	e, err := postgres.Open(f.url)
	if err != nil {
		f.t.Fatal(err)
	}
	defer e.Close()
	v, err := e.Look(ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	key, id := name.Object()
	owner := v.Shards[node.ShardOf(key, id, len(v.Shards)-1)].Owner
	for _, n := range f.nodes {
		if n.name == owner.Name() {
			return n
		}
	}
	return nil
}

// method calls a method of a store of testdata/clusterstores through a node.
func (n *fleetNode) method(ctx context.Context, store, method string, args ...any) (string, error) {
	list, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	return n.ask(ctx, "/"+store+"/"+method+"?args="+url.QueryEscape(string(list)))
}

// What is written to a store through one node is read through another one, also when the node that has the store was
// killed in between.
func TestStoresOnCluster(t *testing.T) {
	f := newFleet(t, "cmd/eddy: TestStoresOnCluster", "testdata/clusterstores")
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
	// call gives the answer of the first node that runs and does not fail, beginning with one.
	call := func(from int, store, method string, args ...any) string {
		t.Helper()
		for i := from; ; i++ {
			text, err := f.nodes[i%len(f.nodes)].method(ctx, store, method, args...)
			if err == nil {
				return text
			}
			t.Logf("%s.%s through %s: %v", store, method, f.nodes[i%len(f.nodes)].name, err)
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				t.Fatal(err)
			}
		}
	}
	want := func(text, want string) {
		t.Helper()
		if text != want {
			t.Fatalf("%.300s, want %.300s", text, want)
		}
	}
	for round := range 3 {
		call(round, "KV", "put", fmt.Sprint("key", round), fmt.Sprint("value", round),
			map[string]any{"metadata": map[string]int{"n": round}})
		if owner := f.has(ctx, objectstore.Name{Kind: "kv", ID: "shelf-kv"}); owner != nil && round < 2 {
			owner.kill()
		}
		want(call(round+1, "KV", "getWithMetadata", fmt.Sprint("key", round)),
			fmt.Sprintf(`{"value":"value%d","metadata":{"n":%[1]d},"cacheStatus":null}`, round))
	}
	want(call(0, "KV", "list", map[string]any{"limit": 2}), `{"keys":[{"name":"key0","metadata":{"n":0}},`+
		`{"name":"key1","metadata":{"n":1}}],"list_complete":false,"cursor":"a2V5MQ==","cacheStatus":null}`)
}
