package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"eddy/durableobject"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/node"
	"eddy/runtime/cluster/postgres"
)

// has is the node that has a store. It waits until one has: between two owners none does.
func (f *fleet) has(ctx context.Context, name objectstore.Name) *fleetNode {
	f.t.Helper()
	e, err := postgres.Open(f.url)
	if err != nil {
		f.t.Fatal(err)
	}
	defer e.Close()
	key, id := name.Object()
	for {
		v, err := e.Look(ctx)
		if err != nil {
			f.t.Fatal(err)
		}
		owner := v.Shards[node.ShardOf(key, id, len(v.Shards)-1)].Owner
		for _, n := range f.nodes {
			if n.name == owner.Name() {
				return n
			}
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			f.t.Fatalf("no node has %v", name)
		}
	}
}

// method calls a method of a store of testdata/clusterstores through a node.
func (n *fleetNode) method(ctx context.Context, store, method string, args ...any) (string, error) {
	list, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	return n.ask(ctx, "/"+store+"/"+method+"?args="+url.QueryEscape(string(list)))
}

// killedStore is the kind of the store whose node TestStoresOnCluster kills.
var killedStore = flag.String("stores.kill", "kv", "whose node TestStoresOnCluster kills: kv, d1, vectorize, pipelines")

var shelfIDs = map[string]string{"kv": "shelf-kv", "d1": "shelf-d1", "vectorize": "shelf/vectors", "pipelines": "PIPE"}

// What is written to a store through one node is read through another one, also when the node that has the store was
// killed in between.
func TestStoresOnCluster(t *testing.T) {
	t.Parallel() // it waits for leases and processes most of the time
	f := newFleet(t, "cmd/eddy: TestStoresOnCluster", "testdata/clusterstores")
	if f == nil {
		return
	}
	f.extra = []string{"--journal", "on"}
	f.three()
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
	tailOf(ctx, t, f)
	call(0, "KV", "put", "key", "value", map[string]any{"metadata": map[string]int{"n": 1}})
	call(1, "KV", "put", "other", "value", map[string]int{"expirationTtl": 3600})
	// command runs one that looks into the cluster.
	command := func(args ...string) string {
		t.Helper()
		code, text, errs := ran(t, nil, append(args, "-c", f.dir, "--cluster", f.url)...)
		if code != exitOK {
			t.Fatalf("%s: %s%s", args, text, errs)
		}
		return text
	}
	command("secrets-store", "secret", "create", "shelf-secrets", "--name", "word", "--value", "hush")
	want(call(1, "SECRET", "get"), `"hush"`)
	if text := command("kv", "namespace", "list"); !strings.Contains(text, "shelf-kv") ||
		!strings.Contains(text, "yes") {
		t.Errorf("the namespaces are %s", text)
	}
	if text := command("r2", "bucket", "list"); !strings.Contains(text, "R2") {
		t.Errorf("the buckets are %s", text)
	}
	command("d1", "migrations", "apply", "shelf")
	var databases []struct {
		Bytes int64 `json:"file_size"`
	}
	if err := json.Unmarshal([]byte(command("d1", "list", "--json")), &databases); err != nil ||
		len(databases) != 1 || databases[0].Bytes == 0 {
		t.Errorf("the databases are %+v, %v", databases, err)
	}
	call(2, "DB", "batch", []any{"INSERT INTO t (v) VALUES (?)", "x"})
	call(0, "DB", "batch", []any{"UPDATE t SET v = v || '!'"})
	call(1, "R2", "put", "object", "text", map[string]any{"customMetadata": map[string]string{"n": "1"}})
	want(call(2, "R2", "large", "large", 3, 5), fmt.Sprint(15<<20))
	call(0, "VEC", "insert", []any{map[string]any{"id": "a", "values": []int{1, 0}, "metadata": map[string]int{"n": 1}},
		map[string]any{"id": "b", "values": []int{0, 1}}})
	call(1, "PIPE", "send", []any{map[string]int{"n": 1}, map[string]int{"n": 2}})
	call(2, "PIPE", "send", []any{map[string]int{"n": 3}})
	want(command("pipelines", "records", "PIPE"), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
	f.has(ctx, objectstore.Name{Kind: *killedStore, ID: shelfIDs[*killedStore]}).lose(ctx)
	want(call(1, "VEC", "query", []int{1, 0}, map[string]any{"topK": 1, "returnMetadata": "all"}),
		`{"count":1,"matches":[{"id":"a","score":1,"metadata":{"n":1}}]}`)
	want(call(2, "VEC", "describe"), `{"vectorCount":2,"dimensions":2}`)
	call(0, "PIPE", "send", []any{map[string]int{"n": 4}})
	want(command("pipelines", "records"), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n")
	want(call(1, "KV", "getWithMetadata", "key"), `{"value":"value","metadata":{"n":1},"cacheStatus":null}`)
	want(call(2, "DB", "batch", []any{"SELECT * FROM t"}), `[[{"id":1,"v":"x!"}]]`)
	want(call(0, "R2", "get", "object"), `{"key":"object","size":4,"text":"text","custom":{"n":"1"}}`)
	want(call(1, "R2", "sum", "large"), fmt.Sprint(15<<20))
	want(call(2, "R2", "sum", "large",
		map[string]any{"range": map[string]int{"offset": 5<<20 - 1, "length": 600_000}}), "600000")
	want(call(0, "R2", "list", map[string]any{"prefix": "o"}), `["object"]`)
	want(call(1, "KV", "list", map[string]any{"limit": 1}), `{"keys":[{"name":"key","metadata":{"n":1}}],`+
		`"list_complete":false,"cursor":"a2V5","cacheStatus":null}`)
	if text := command("d1", "execute", "shelf", "--json", "SELECT v FROM t"); !strings.Contains(text, `"v":"x!"`) &&
		!strings.Contains(text, `"v": "x!"`) {
		t.Errorf("d1 execute: %s", text)
	}
	want(command("kv", "get", "KV", "key"), "value")
	command("kv", "put", "KV", "told", "by a command")
	want(call(1, "KV", "get", "told"), `"by a command"`)
	want(command("r2", "object", "get", "shelf-r2/object", "--pipe"), "text")
	if code, _, errs := ran(t, nil, "kv", "list", "KV", "-c", f.dir, "--cluster", f.url, "--persist-to", "x"); code !=
		exitUsage || !strings.Contains(errs, "--persist-to") {
		t.Errorf("two places: %d, %s", code, errs)
	}
	lookedInto(ctx, t, f, call, command)
	// What fails is undone, and says what the database says.
	for _, n := range f.nodes {
		if n.at() == "" {
			continue
		}
		_, err := n.method(ctx, "DB", "batch", []any{"DELETE FROM t"}, []any{"SELECT * FROM gone"})
		if err == nil || !strings.Contains(err.Error(), "D1_ERROR: no such table: gone") {
			t.Errorf("error %v", err)
		}
	}
	want(call(2, "DB", "batch", []any{"SELECT count(*) AS n FROM t"}), `[[{"n":1}]]`)
}

// lookedInto: commands and the explorer of any node see objects wherever they are, queues, and stores.
func lookedInto(ctx context.Context, t *testing.T, f *fleet,
	call func(from int, store, method string, args ...any) string, command func(args ...string) string) {
	t.Helper()
	wants := func(what, text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q:\n%.2000s", what, part, text)
			}
		}
	}
	names := []string{"one", "two", "three"}
	for i, name := range names {
		call(i, "OBJ", "put", name, "key", "of "+name)
	}
	call(0, "Q", "send", "a message")
	wants("objects list", command("objects", "list"), append(names, "shelf-Shelf", "at ")...)
	for _, name := range names {
		wants("objects show "+name, command("objects", "show", name), "Node", "Table t", "1 row")
	}
	wants("objects storage", command("objects", "storage", "one"), "of one")
	wants("objects sql", command("objects", "sql", "three", "SELECT big FROM t"), "4503599627370497")
	command("objects", "sql", "two", "--write", "DELETE FROM t")
	wants("objects show", command("objects", "show", "two"), "0 rows")
	command("objects", "evict", "two")
	wants("a call after an eviction", call(1, "OBJ", "get", "two", "key"), "of two")
	command("objects", "delete", "one", "--force")
	if text := call(2, "OBJ", "get", "one", "key"); text != "null" {
		t.Errorf("a deleted object has %s", text)
	}
	code, _, errs := ran(t, nil, "objects", "bookmarks", "two", "-c", f.dir, "--cluster", f.url)
	if code != exitFailure || !strings.Contains(errs, "a cluster remembers no earlier states") {
		t.Errorf("bookmarks: %d, %s", code, errs)
	}
	wants("queues peek", command("queues", "peek", "shelf-queue"), "a message")
	e, err := postgres.Open(f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c, err := e.Cluster(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range f.nodes {
		if n.at() == "" {
			continue
		}
		if code, text := n.page(ctx, t, "", "objects"); code == http.StatusOK {
			t.Errorf("without a token: %s", text)
		}
		for path, parts := range map[string][]string{
			"objects": {"two", "three", "at "}, "objects/shelf-Shelf/" + objectID("two"): {"of two", "at node "},
			"kv/shelf-kv?key=key":             {"other", "value"},
			"d1/shelf-d1?sql=SELECT+v+FROM+t": {"x!", "CREATE TABLE"},
			"d1/shelf-d1?sql=DELETE+FROM+t":   {"only one SELECT"},
			"r2/shelf-r2?key=object":          {"large", "text"},
			"queues/shelf-queue":              {"a message"},
		} {
			_, text := n.page(ctx, t, c.Token, path)
			wants(path+" of "+n.name, text, parts...)
		}
	}
}

func objectID(name string) string { return durableobject.IDFromName("shelf-Shelf", name).String() }

// page is one of the explorer's.
func (n *fleetNode) page(ctx context.Context, t *testing.T, token, path string) (code int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.at()+"/cdn-cgi/eddy/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}
