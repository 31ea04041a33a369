package objectjs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"eddy/durableobject/storage"
	"eddy/runtime/bundle"
	"eddy/runtime/worker"
)

const benchObject = `
import { DurableObject } from "cloudflare:workers";
export class B extends DurableObject {
	echo(x) { return x }
	async inc() { const n = ((await this.ctx.storage.get("n")) ?? 0) + 1; await this.ctx.storage.put("n", n); return n }
	inserts(n) { const sql = this.ctx.storage.sql; sql.exec("CREATE TABLE IF NOT EXISTS t (a, b)"); for (let i = 0; i < n; i++) sql.exec("INSERT INTO t VALUES (?, ?)", i, "x") }
	fill() { const sql = this.ctx.storage.sql; sql.exec("CREATE TABLE IF NOT EXISTS r (id INTEGER PRIMARY KEY, name TEXT, score REAL)"); if (!sql.exec("SELECT count(*) n FROM r").one().n) for (let i = 0; i < 1000; i++) { sql.exec("INSERT INTO r (name, score) VALUES (?, ?)", "name " + i, i / 3); this.ctx.storage.kv.put("key" + i, { i, name: "name " + i }) } }
	rows(n) { this.fill(); let k = 0; for (let i = 0; i < n; i += 1000) k += this.ctx.storage.sql.exec("SELECT id, name, score FROM r").toArray().length; return k }
	one(n) { this.fill(); for (let i = 0; i < n; i++) this.ctx.storage.sql.exec("SELECT name FROM r WHERE id = ?", 1 + i % 1000).one() }
	async gets(n) { this.fill(); for (let i = 0; i < n; i++) await this.ctx.storage.get("key" + i % 1000) }
	async lists(n) { this.fill(); for (let i = 0; i < n; i += 1000) await this.ctx.storage.list() }
	async transactions(n) { for (let i = 0; i < n; i++) await this.ctx.storage.transaction(async (t) => { await t.put("n", (await t.get("n") ?? 0) + 1) }) }
	insert() { this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS t (a, b)"); this.ctx.storage.sql.exec("INSERT INTO t VALUES (?, ?)", 1, "x"); return 1 }
}
const run = {
	async echo(env, n) { const s = env.B.getByName("a"); for (let i = 0; i < n; i++) await s.echo(i) },
	async object(env, n) { const s = env.B.getByName("a"); for (let i = 0; i < n; i++) await s.echo({ i, a: [1, 2, 3] }) },
	async inc(env, n) { const s = env.B.getByName("a"); for (let i = 0; i < n; i++) await s.inc() },
	async incParallel(env, n) { const s = env.B.getByName("a"); for (let i = 0; i < n; i += 100) await Promise.all(Array.from({ length: Math.min(100, n - i) }, () => s.inc())) },
	async insert(env, n) { const s = env.B.getByName("a"); for (let i = 0; i < n; i++) await s.insert() },
	inserts: (env, n) => env.B.getByName("a").inserts(n), rows: (env, n) => env.B.getByName("a").rows(n), one: (env, n) => env.B.getByName("a").one(n),
	gets: (env, n) => env.B.getByName("a").gets(n), lists: (env, n) => env.B.getByName("a").lists(n), transactions: (env, n) => env.B.getByName("a").transactions(n),
	async many(env, n) { for (let i = 0; i < n; i++) await env.B.getByName("o" + i).echo(1) },
};
export default { async fetch(request, env) { const u = new URL(request.url); await run[u.pathname.slice(1)](env, Number(u.searchParams.get("n"))); return new Response("ok") } };
`

// realTime starts the benchmark's Worker on the machine's clock.
func realTime(b *testing.B, d storage.Durability) *worker.Worker {
	objs, err := New(Options{Root: b.TempDir(), Durability: d})
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(file, []byte(benchObject), 0o600); err != nil {
		b.Fatal(err)
	}
	built, err := bundle.Build(bundle.Options{Dir: dir, Entry: file, Virtual: []bundle.VirtualModule{{Name: "cloudflare:workers"}}})
	if err != nil {
		b.Fatal(err)
	}
	class := Class{Worker: "w", Name: "B", SQL: true}
	if err := objs.Declare(class); err != nil {
		b.Fatal(err)
	}
	flags, _ := worker.ResolveFlags("2026-04-01", nil)
	w, err := worker.Start(context.Background(), worker.Options{
		Name: "w", Script: &worker.Script{Bundle: built}, Flags: flags,
		Install: []func(*worker.Isolate) error{objs.Install}, Bindings: []worker.Binding{objs.Binding("B", class)},
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := objs.Attach(context.Background(), w.Isolate); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := objs.Close(context.Background()); err != nil {
			b.Error(err)
		}
		w.Close()
	})
	return w
}

func drive(b *testing.B, w *worker.Worker, what string, n int) {
	req, _ := http.NewRequest("GET", fmt.Sprintf("http://localhost/%s?n=%d", what, n), nil)
	res, err := w.Fetch(context.Background(), req, worker.FetchOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "ok" {
		b.Fatal(string(body), err)
	}
}

// Calls and writes of one object, one operation each.
func BenchmarkObject(b *testing.B) {
	for _, c := range []struct {
		name string
		d    storage.Durability
	}{{"echo", storage.Strict}, {"object", storage.Strict}, {"inc", storage.Strict}, {"incParallel", storage.Strict}, {"inc", storage.Relaxed}, {"insert", storage.Relaxed},
		// One row, key or transaction each, all in one event.
		{"inserts", storage.Relaxed}, {"rows", storage.Relaxed}, {"one", storage.Relaxed}, {"gets", storage.Relaxed}, {"lists", storage.Relaxed}, {"transactions", storage.Relaxed}} {
		b.Run(fmt.Sprintf("%s/durability=%d", c.name, c.d), func(b *testing.B) {
			w := realTime(b, c.d)
			drive(b, w, c.name, 1)
			b.ReportAllocs()
			b.ResetTimer()
			drive(b, w, c.name, b.N)
		})
	}
}

// Memory of objects that are in memory with nothing to do.
func BenchmarkIdleObjects(b *testing.B) {
	w := realTime(b, storage.Strict)
	drive(b, w, "many", 1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	drive(b, w, "many", b.N)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(b.N), "B/object")
}
