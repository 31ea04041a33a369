package objectjs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// CL14: a facet has a class, props and a database of its own, lives with its parent, and can be dropped.
func TestFacets(t *testing.T) {
	facts(t, config{classes: []string{"Parent"}}, `
export class Parent extends DurableObject {
	child(props) { return this.ctx.facets.get("c", async () => ({ class: props ? this.ctx.exports.Child({ props }) : this.ctx.exports.Child })) }
	async both() { await this.ctx.storage.put("k", "parent"); const c = this.child({ p: 1 }); await c.set("child"); return [await this.ctx.storage.get("k"), await c.get(), await c.props(), await (await c.fetch("http://x/")).text(), Object.keys(c).join()].join() }
	async abort() { const c = this.child(); await c.set("kept"); this.ctx.facets.abort("c", "why"); return [await caught(() => c.get()), await this.child().get(), await this.child().mem()].join("|") }
	async delete() { const c = this.child(); await c.set("x"); this.ctx.facets.delete("c"); return String(await this.child().get()) }
	async refuse() { return [await caught(() => this.ctx.facets.get("n".repeat(257), () => {})), await caught(() => this.ctx.facets.get("q", () => ({})).get()), await caught(() => this.child().alarmed())].join("|") }
}
export class Child extends DurableObject {
	n = 0;
	async set(v) { this.n++; await this.ctx.storage.put("k", v) }
	get() { return this.ctx.storage.get("k") }
	mem() { return this.n }
	props() { return JSON.stringify(this.ctx.props) }
	fetch() { return new Response("facet") }
	async alarmed() { await this.ctx.storage.setAlarm(Date.now() + 5) }
	alarm() {}
}
const tests = new Proxy({}, { get: (_, n) => (env) => env.Parent.getByName(n)[n]() });
`, [][2]string{
		{"both", `parent,child,{"p":1},facet,`},
		{"abort", "Error: why durableObjectReset|kept|0"},
		{"delete", "undefined"},
		{"refuse", "TypeError: Facet name is too long (max 256 characters).|TypeError: Incorrect type for the 'class' field on 'StartupOptions': the provided value is not of type 'DurableObjectClass'. remote|Error: alarms are not yet implemented for SQLite-backed Durable Objects durableObjectReset"},
	})
}

// CL14: files are numbered in the order of first use, at any depth; four levels are the limit; the id is the parent's or
// what the start callback says; deleteAll of the object takes its facets along.
func TestFacetTree(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"Parent", "Other"}}, prelude+`
const deeper = { down(path) { if (path.length === 0) return this.ctx.storage.put("k", 1).then(() => "bottom"); return this.ctx.facets.get(path[0], () => ({ class: this.ctx.exports.Child })).down(path.slice(1)) },
	async read() { return [await this.ctx.storage.get("k"), String(this.ctx.id), this.ctx.id.name, typeof this.ctx.id].join() } };
const births = {};
const birth = (name) => births[name] = (births[name] ?? 0) + 1;
export class Parent extends DurableObject {
	n = birth(this.ctx.id.name);
	dropSocket() { this.ctx.facets.abort("socket", "dropped"); return "dropped" }
	tree() { const go = (...path) => deeper.down.call(this, path); return [go("a"), go("b"), go("a", "b"), go("a", "b", "c")].reduce((p, f) => p.then(() => f)) }
	tooDeep() { return deeper.down.call(this, ["a", "b", "c", "d"]) }
	async ids() { const get = (name, id) => this.ctx.facets.get(name, () => ({ class: this.ctx.exports.Child, id })).read(); const own = String(this.ctx.id);
		return [await get("plain"), await get("string", "abc"), await get("object", this.env.Other.idFromName("o"))].join("|").replaceAll(own, "own").replaceAll(String(this.env.Other.idFromName("o")), "other") }
	async namespaced() { return this.ctx.facets.get("n", () => ({ class: this.ctx.exports.Other })).hi() }
	async deleted() { const a = this.ctx.facets.get("a", () => ({ class: this.ctx.exports.Child })); await a.down(["b"]); const waiting = caught(a.hang()); await sleep(1); this.ctx.facets.delete("a"); this.ctx.facets.delete("never was");
		const again = this.ctx.facets.get("a", () => ({ class: this.ctx.exports.Child })); return [await waiting, await again.read(), await again.facet("b")].join("|") }
	async wiped() { await deeper.down.call(this, ["x"]); await this.ctx.storage.deleteAll(); return this.ctx.facets.get("x", () => ({ class: this.ctx.exports.Child })).read() }
	async refuse() { const f = this.ctx.facets; const long = "n".repeat(257); return [await caught(() => f.get("", () => {})), await caught(() => f.abort(long)), await caught(() => f.delete(long))].join("|") }
	fetch(request) { return this.ctx.facets.get("socket", () => ({ class: this.ctx.exports.Sock })).fetch(request) }
}
export class Child extends DurableObject {
	down(path) { return deeper.down.call(this, path) }
	read() { return deeper.read.call(this) }
	facet(name) { return this.ctx.facets.get(name, () => ({ class: this.ctx.exports.Child })).read() }
	hang() { return new Promise(() => {}) }
}
export class Sock extends DurableObject {
	n = birth("facet");
	fetch() { const [client, server] = Object.values(new WebSocketPair()); this.ctx.acceptWebSocket(server, ["tag"]); server.serializeAttachment(this.n); return new Response(null, { status: 101, webSocket: client }) }
	webSocketMessage(ws, m) { ws.send(["facet", m, this.n, "of", ws.deserializeAttachment(), this.ctx.getTags(ws), "parent", births.socket].join(" ")) }
}
export class Other extends DurableObject { hi() { return "a class with a namespace" } }
const tests = new Proxy({ socket: (env, ctx, request) => env.Parent.getByName("socket").fetch(request), dropSocket: (env) => env.Parent.getByName("socket").dropSocket() }, { get: (t, n) => t[n] ?? ((env) => env.Parent.getByName(n)[n]()) });
`)
	for _, c := range [][2]string{
		{"tree", "bottom"},
		{"tooDeep", "thrown Error: Facet nesting depth limit exceeded. The maximum depth including the root Durable Object is 4. remote"},
		{"ids", ",own,ids,object|,abc,,string|,other,o,object"},
		{"namespaced", "a class with a namespace"},
		{"deleted", "Error: Facet was deleted. durableObjectReset|,own,deleted,object|,own,deleted,object"},
		{"wiped", ",own,wiped,object"},
		{"refuse", "TypeError: Facet name cannot be empty.|TypeError: Facet name is too long (max 256 characters).|TypeError: Facet name is too long (max 256 characters)."},
	} {
		got, _, _ := strings.Cut(b.get(w, "/"+c[0]), "\n")
		for _, name := range []string{"deleted", "wiped"} {
			got = strings.ReplaceAll(got, b.objs.ID("w-Parent", name), "own")
		}
		if got != c[1] {
			t.Errorf("%s\n got: %s\nwant: %s", c[0], got, c[1])
		}
	}
	id := b.objs.ID("w-Parent", "tree")
	files, err := filepath.Glob(filepath.Join(b.root, "v3/do/w-Parent", id+"*.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		files[i] = strings.TrimPrefix(filepath.Base(f), id)
	}
	if want := []string{".1.sqlite", ".2.sqlite", ".3.sqlite", ".4.sqlite"}; !slices.Equal(files, want) {
		t.Errorf("files %v, want %v", files, want)
	}
	if _, err := os.Stat(filepath.Join(b.root, "v3/do/w-Parent", id+".facets")); err != nil {
		t.Error(err)
	}
	// A facet with hibernatable sockets hibernates (WS17); its parent, without which it could not be woken, stays.
	b.clock.WaitIdle(t.Context())
	b.clock.Pause()
	ws, other := b.dial(w, "/socket"), b.dial(w, "/socket")
	b.talk(ws, "hello", "facet hello 1 of 1 tag parent 1")
	b.talk(ws, "again", "facet again 1 of 1 tag parent 1")
	b.clock.Advance(t.Context(), 11*time.Second)
	b.talk(ws, "later", "facet later 2 of 1 tag parent 1")
	b.clock.Advance(t.Context(), 11*time.Second)
	if state := b.state("w-Parent", "socket"); state != "running" {
		t.Errorf("the parent is %s", state)
	}
	b.expect(w, "/dropSocket", "dropped") // while it hibernates
	if got := b.next(ws) + b.next(other); got != "lostlost" {
		t.Errorf("dropped: %s", got)
	}
	b.clock.Advance(t.Context(), 11*time.Second)
	if state := b.state("w-Parent", "socket"); state != "" {
		t.Errorf("without sockets the parent is still %s", state)
	}
}

// state is what an object is doing, "" for one that is neither in memory nor stored.
func (b *bench) state(key, name string) string {
	b.t.Helper()
	d, err := b.objs.Show(context.Background(), key, name)
	if err != nil && !errors.Is(err, ErrNoObject) {
		b.t.Fatal(err)
	}
	return d.State
}
