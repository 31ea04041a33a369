package runtime

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
)

// Nodes with the same code join each other, wherever it lies; one with other code is refused, unless that is a rollout.
func TestRollout(t *testing.T) {
	kept := engine.NewMemory(3)
	named := func(name string, rolling bool) func(*Options) {
		return func(o *Options) {
			o.PersistTo = t.TempDir() // scratch
			o.Cluster = &ClusterOptions{Engine: kept, Token: "0123456789abcdef", ObjectShards: 2, Name: name,
				Listen: "127.0.0.1:0", Rolling: rolling}
		}
	}
	codes := func() map[string]string {
		v, err := kept.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, n := range v.Nodes {
			found[n.ID.Name()] = n.Hash
		}
		return found
	}
	config := `{ "name": "w", "main": "w.js", "compatibility_date": "2026-04-01" }`
	projects := []*project{newProject(t), newProject(t)}
	for _, p := range projects {
		p.write("w.js", `import { n } from "./n.js"; export default { fetch() { return new Response(n) } }`)
		p.write("n.js", `export const n = "one"`)
		p.write("w.jsonc", config)
	}
	one := projects[0].serve(using("w"), named("a", false))
	projects[1].serve(using("w"), named("b", false)).expect("/", "one")
	if c := codes(); len(c) != 2 || c["a"] != c["b"] || len(c["a"]) != 12 {
		t.Fatalf("one code is %v", c)
	}
	projects[1].write("n.js", `export const n = "two"`)
	_, err := projects[1].start(using("w"), named("c", false))
	var other *node.CodeError
	if !errors.As(err, &other) {
		t.Fatalf("other code: %v", err)
	}
	for _, want := range []string{"node c has other code", "than a, b (" + codes()["a"] + ")", "--rolling"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	projects[1].serve(using("w"), named("c", true)).expect("/", "two")
	one.expect("/", "one")
	// What looks into a node asks for the cluster's token, also from this machine: a proxy there brings other people's
	// requests.
	for token, want := range map[string]int{"": http.StatusForbidden, "Bearer wrong": http.StatusForbidden,
		"Bearer 0123456789abcdef": http.StatusOK} {
		req, err := http.NewRequest(http.MethodGet, one.web.URL+"/cdn-cgi/eddy/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if (res.StatusCode == http.StatusForbidden) != (want == http.StatusForbidden) {
			t.Errorf("/cdn-cgi with token %q: %s", token, res.Status)
		}
	}
	if c := codes(); c["c"] == c["a"] || c["c"] != other.Code {
		t.Errorf("the codes are %v", c)
	}
}

// Nodes of a Worker with nothing but files have the same code, wherever their scratch directories are.
func TestFilesAreOneCode(t *testing.T) {
	kept := engine.NewMemory(3)
	p := newProject(t)
	p.write("public/a.txt", "a")
	p.write("f.jsonc", `{ "name": "f", "assets": { "directory": "public" }, "compatibility_date": "2026-04-01" }`)
	for _, name := range []string{"a", "b"} {
		p.serve(using("f"), func(o *Options) {
			o.PersistTo = t.TempDir()
			o.Cluster = &ClusterOptions{Engine: kept, Token: "0123456789abcdef", ObjectShards: 2, Name: name,
				Listen: "127.0.0.1:0"}
		}).expect("/a.txt", "a")
	}
}
