package runtime

import (
	"strings"
	"testing"
)

// The members of a dispatch namespace are the Workers of a folder: files, folders with an entry, and projects of their
// own (BIND-121). Others are not in it, and the first call of one that is missing rejects (BIND-120).
func TestDispatchFolder(t *testing.T) {
	const member = `export default { fetch: (r, env) => new Response("NAME " + new URL(r.url).pathname + env.V) };`
	p := newProject(t, "wrangler.jsonc", `{"name": "gate", "main": "index.js", "compatibility_date": "2026-04-01",
	"dispatch_namespaces": [{ "binding": "NS", "namespace": "users" }]}`,
		"eddy.jsonc", `{ "bindings": { "NS": { "folder": "users" } } }`,
		"index.js", `export default { async fetch(request, env) {
			const name = new URL(request.url).pathname.slice(1);
			try { return await env.NS.get(name).fetch("http://x/" + name); } catch (e) {
				return new Response(e.message); }
		} };`,
		"users/single.js", member, "users/entry/index.js", member, "users/notes.txt", "no Worker",
		"users/project/wrangler.jsonc", `{"name": "project", "main": "w.js", "compatibility_date": "2026-04-01",
			"vars": { "V": "!" }}`, "users/project/w.js", member)
	s := p.serve()
	s.expect("/single", "NAME /singleundefined")
	s.expect("/entry", "NAME /entryundefined")
	s.expect("/project", "NAME /project!")
	s.expect("/gate", "Worker not found.")
	s.expect("/other", "Worker not found.")
	s.end()
	p.write("eddy.jsonc", `{ "bindings": { "NS": { "folder": "nowhere" } } }`)
	_, err := p.start()
	if err == nil {
		t.Fatal("a folder that is not there")
	}
	for _, want := range []string{`"bindings.NS.folder" names `, "eddy.jsonc:1:", "name the folder"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}

// What members send goes to the outbound Worker of the configuration, whose env has the parameters that get() was
// given, and what that sends to the network; members connect to nothing (BIND-120).
func TestDispatchOutbound(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "gate", "main": "index.js", "compatibility_date": "2026-04-01",
	"services": [{ "binding": "PLAIN", "service": "user" }],
	"dispatch_namespaces": [{ "binding": "NS", "namespace": "users",
		"outbound": { "service": "out", "parameters": ["customer", "plan"] } }]}`,
		"index.js", script("outbound", "gate.js"),
		"out/wrangler.jsonc", `{"name": "out", "main": "o.js", "compatibility_date": "2026-04-01",
			"vars": { "OWN": "own" }}`,
		"out/o.js", `export default { fetch: (r, env) =>
			new Response("out " + r.url + " " + JSON.stringify(env)) };`,
		"user/wrangler.jsonc", `{"name": "user", "main": "u.js", "compatibility_date": "2026-04-01"}`,
		"user/u.js", script("outbound", "user.js"))
	s := p.serve(func(o *Options) {
		o.Configs = []string{"wrangler.jsonc", "out/wrangler.jsonc", "user/wrangler.jsonc"}
	})
	const out = `out https://elsewhere.example/`
	s.expect("/", out+`a {"OWN":"own","customer":"ada","plan":{"seats":2}}`+"\n"+out+`a {"OWN":"own"}`+"\n"+
		"Error: connect() is not carried to this binding: only fetch() is.\n"+
		out+`rpc {"OWN":"own","customer":"ada","plan":{"seats":2}}`+"\nplain")
}
