package session

import (
	"strings"
	"testing"
	"time"
)

// logged keeps in an object what its code, version v1, consumed.
const logged = `
-- wrangler.jsonc --
{
	"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
	"queues": { "producers": [{ "binding": "Q", "queue": "q" }], "consumers": [{
		"queue": "q", "max_batch_timeout": 5 }] },
	"durable_objects": { "bindings": [{ "name": "LOG", "class_name": "Log" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Log"] }]
}
-- index.js --
import { DurableObject } from "cloudflare:workers";
const version = "v1";
export class Log extends DurableObject {
	async add(entry) {
		const all = (await this.ctx.storage.get("all")) ?? [];
		all.push(version + " " + entry);
		await this.ctx.storage.put("all", all);
	}
	async all() { return (await this.ctx.storage.get("all")) ?? []; }
	async arm(s) { await this.ctx.storage.setAlarm(Date.now() + s * 1000); }
	async alarm() { await this.add("alarm"); }
}
const log = (env) => env.LOG.getByName("log");
export default {
	async fetch(request, env) {
		const url = new URL(request.url), n = url.searchParams.get("n");
		switch (url.pathname) {
			case "/send": await env.Q.send(n); return new Response("sent");
			case "/arm": await log(env).arm(Number(n)); return new Response("armed");
			case "/all": return new Response((await log(env).all()).join());
		}
		return new Response(version);
	},
	async queue(batch, env) { for (const m of batch.messages) await log(env).add(batch.queue + " " + m.body); },
};
`

// An isolate that was given up is replaced by one with the same code: its memory is new, consumers, objects and their
// storage are those from before; and only once.
func TestReplace(t *testing.T) {
	r := newProject(t, logged).start()
	svc := r.services[0]
	old := svc.live()
	r.replaceNow(svc, old)
	r.replaceNow(svc, old)
	if g := svc.live(); g == old || g.number != old.number+1 {
		t.Errorf("generation %d after %d", g.number, old.number)
	}
	r.expect("/", "v1")
	r.expect("/send?n=1", "sent")
	r.clock.Advance(t.Context(), 5*time.Second)
	r.expect("/all", "v1 q 1")
	if !strings.Contains(r.out.String(), "Restarted w") {
		t.Error("the restart was not told")
	}
}
