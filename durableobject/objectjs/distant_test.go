package objectjs

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"eddy/runtime/webapi/fetch"
)

// A stub reaches an object of another session by fetch(): under the same id, with its name, method, headers, body and cf;
// what it throws arrives. A class that a migration gave an older one's objects is found by name, since only its own
// session knows what the namespace is called. RPC and WebSockets are refused by name.
func TestDistant(t *testing.T) {
	far := newBenchAt(t, t.TempDir(), Options{Key: func(_, class string) string {
		if class == "Renamed" {
			return "far-Older"
		}
		return ""
	}})
	far.start(config{name: "far", classes: []string{"Room", "Renamed"}}, `
import { DurableObject } from "cloudflare:workers";
export class Room extends DurableObject {
	async fetch(req) {
		const { pathname } = new URL(req.url);
		if (pathname === "/throw") throw new RangeError("too far");
		if (pathname === "/null") return new Response(null, { status: 204 });
		const n = ((await this.ctx.storage.get("n")) ?? 0) + 1;
		await this.ctx.storage.put("n", n);
		return new Response([req.method, req.url, req.headers.get("x-a"), await req.text(), req.cf?.k, this.ctx.id.name, this.ctx.id, n].join(" "), { status: 201 });
	}
}
export class Renamed extends Room {}
export default {};
`)
	near := newBenchAt(t, t.TempDir(), Options{Elsewhere: func(worker string) Distant {
		switch worker {
		case "far":
			return func(req *http.Request, to DistantObject, cf string) (*fetch.Parts, error) {
				return far.objs.Fetch(req.Context(), worker, to, req, cf)
			}
		case "ended":
			return func(*http.Request, DistantObject, string) (*fetch.Parts, error) {
				return nil, errors.New("connection refused")
			}
		}
		return nil
	}})
	w := near.start(config{name: "near", others: map[string]Class{
		"ROOM": {Worker: "far", Name: "Room"}, "RENAMED": {Worker: "far", Name: "Renamed"}, "ENDED": {Worker: "ended", Name: "X"}, "NOBODY": {Worker: "nobody", Name: "X"},
	}}, `
const show = (e) => e.name + ": " + e.message + (e.retryable ? " (retryable)" : "");
const ask = async (stub, init) => { const r = await stub.fetch("http://far/x", init); return (r.status + " " + await r.text()).replaceAll(String(stub.id), "ID") };
const tests = {
	named: (env) => ask(env.ROOM.getByName("a"), { method: "PUT", body: "body", headers: { "x-a": "h" }, cf: { k: 7 } }),
	again: (env) => ask(env.ROOM.get(env.ROOM.idFromName("a"))),
	unique: (env) => ask(env.ROOM.get(env.ROOM.newUniqueId())),
	renamed: async (env) => (await ask(env.RENAMED.getByName("a"))).replace(/[0-9a-f]{64}/, "another id"),
	stranger: (env) => ask(env.RENAMED.get(env.RENAMED.newUniqueId())),
	null: async (env) => { const r = await env.ROOM.getByName("a").fetch("http://far/null"); return r.status + " " + r.body },
	throw: (env) => env.ROOM.getByName("a").fetch("http://far/throw"),
	ended: (env) => env.ENDED.getByName("a").fetch("http://far/"),
	nobody: (env) => ask(env.NOBODY.getByName("a")),
	rpc: (env) => env.ROOM.getByName("a").hello(),
	socket: (env) => env.ROOM.getByName("a").fetch("http://far/", { headers: { upgrade: "websocket" } }),
};
export default { async fetch(req, env) { try { return new Response(await tests[new URL(req.url).pathname.slice(1)](env)) } catch (e) { return new Response(show(e)) } } };
`)
	const only = ` to a Durable Object of Worker "far" is not carried between sessions that share a state directory: only fetch() is. Run both in one session: eddy dev -c ONE -c ANOTHER`
	for _, c := range [][2]string{
		{"/named", "201 PUT http://far/x h body 7 a ID 1"},
		{"/again", "201 GET http://far/x    a ID 2"},
		{"/unique", "201 GET http://far/x     ID 1"},
		{"/renamed", "201 GET http://far/x    a another id 1"},
		{"/stranger", "TypeError: Durable Object ID is not valid for this namespace."},
		{"/null", "204 null"},
		{"/throw", "RangeError: too far"},
		{"/ended", "Error: Network connection lost. (retryable)"},
		{"/nobody", `503 Worker "nobody" not found. Make sure it is running locally.`},
		{"/rpc", "Error: RPC" + only},
		{"/socket", "Error: A WebSocket" + only},
	} {
		near.expect(w, c[0], c[1])
	}
	req, err := http.NewRequest("GET", "http://far/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := near.objs.Fetch(context.Background(), "nobody", DistantObject{Class: "X", ID: "00", Name: "a", Named: true}, req, ""); err == nil {
		t.Error("an id that is none is taken")
	}
	id := near.objs.namespace(Class{Worker: "nobody", Name: "X"}, false)
	if _, err := near.objs.Fetch(context.Background(), "nobody", DistantObject{Class: "X", ID: near.objs.ID(id.key, "a")}, req, ""); !errors.Is(err, ErrNotServed) {
		t.Errorf("a Worker that does not run: %v", err)
	}
}
