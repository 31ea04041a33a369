package runtime

import "testing"

// connect() on a stub of a Worker, an entrypoint, an object or a Worker from code reaches its connect handler, and what
// a Worker from code connects to reaches that of its globalOutbound (BIND-163, BIND-113, BIND-123).
func TestConnectBetweenWorkers(t *testing.T) {
	p := newProject(t, "a/wrangler.jsonc", `{"name": "a", "main": "a.js", "compatibility_date": "2026-04-01",
	"services": [{ "binding": "B", "service": "b" }, { "binding": "NAMED", "service": "b", "entrypoint": "Named" },
		{ "binding": "NONE", "service": "b", "entrypoint": "None" }, { "binding": "MISSING", "service": "m" }],
	"durable_objects": { "bindings": [{ "name": "OBJ", "class_name": "Obj" },
		{ "name": "BARE", "class_name": "Bare" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Obj", "Bare"] }],
	"worker_loaders": [{ "binding": "LOADER" }]}`, "a/a.js", script("connect", "caller.js"),
		"b/wrangler.jsonc", `{"name": "b", "main": "b.js", "compatibility_date": "2026-04-01"}`,
		"b/b.js", script("connect", "callee.js"))
	s := p.serve(func(o *Options) { o.Configs = []string{"a/wrangler.jsonc", "b/wrangler.jsonc"} })
	const opened = `opened {"remoteAddress":"some.host:1234"} | read `
	const refused = "proxy request failed, cannot connect to the specified address"
	s.expect("/", "plain: closed | "+opened+"got hello | off | false\n"+
		"half: closed | "+opened+"got hello | off | false\n"+
		"named: closed | "+opened+"named | off | false\n"+
		"none: closed! Error: "+refused+" | opened! Error: "+refused+" | threw Error: "+refused+" | off | false\n"+
		"missing: closed! Error: "+refused+" | opened! Error: "+refused+" | threw Error: "+refused+" | off | false\n"+
		"tls: closed! Error: "+refused+" | opened! Error: "+refused+" | threw Error: "+refused+" | on | false\n"+
		"object: closed | "+opened+"object a | off | false\n"+
		"bare: closed! Error: "+refused+" | opened! Error: "+refused+" | threw Error: "+refused+" | off | false\n"+
		`loopback: closed | `+opened+`mine {"a":1} | off | false`+"\n"+
		"address threw TypeError: Specified address is missing port.\n"+
		"no address threw TypeError: Failed to execute 'connect' on 'Fetcher': parameter 1 is not of type "+
		"'SocketAddress or string'.\n"+
		"throws: closed | "+opened+" | off | false\n"+
		"early: closed | "+opened+" | off | false\n"+
		"outbound: got from code\n"+
		"alone: threw Error: This worker is not permitted to access the internet via global functions like fetch(). "+
		"It must use capabilities (such as bindings in 'env') to talk to the outside world.\n"+
		"code: closed | "+opened+"echo | off | false")
	s.wantLines(`connect {"localAddress":"some.host:1234"} off false function`,
		"Received a connect event but we lack a handler.", "Uncaught Error: no")
}

// connect() reaches an object of another session. It does not reach a Worker, and a warning says so.
func TestConnectBetweenSessions(t *testing.T) {
	state := t.TempDir()
	other := newProject(t, "wrangler.jsonc", `{ "name": "other", "main": "index.js",
		"compatibility_date": "2026-04-01", "durable_objects": { "bindings": [{ "name": "O", "class_name": "O" }] },
		"migrations": [{ "tag": "1", "new_sqlite_classes": ["O"] }] }`, "index.js",
		script("connect", "other.js")).serve(sharing(state))
	s := newProject(t, "wrangler.jsonc", `{ "name": "w", "main": "index.js",
		"compatibility_date": "2026-04-01", "services": [{ "binding": "OTHER", "service": "other" }],
		"durable_objects": { "bindings": [{ "name": "O", "class_name": "O", "script_name": "other" }] } }`, "index.js",
		script("connect", "near.js")).serve(sharing(state))
	awaitRunning(s, "other")
	s.expect("/object", "some.host:1 from ada")
	s.expect("/", "proxy request failed, cannot connect to the specified address")
	s.wantLines("connect() does not reach Workers of another session: give other to this one with -c")
	s.end()
	other.end()
}
