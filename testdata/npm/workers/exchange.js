// Everything that a state directory keeps, written and read back.
import { DurableObject } from "cloudflare:workers";

export class Box extends DurableObject {
  async write(who) {
    const { storage } = this.ctx;
    await storage.put({
      number: 1.5, text: who + " é😀", big: 12345678901234567890n, date: new Date(86400000), map: new Map([["a", new Set([1])]]),
      bytes: new Uint8Array([1, 2, 255]), nested: { a: [null, true, { b: "c" }] }, error: new RangeError("kept"),
    });
    storage.kv.put("sync", who);
    storage.sql.exec("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v TEXT, b BLOB)");
    storage.sql.exec("INSERT INTO t (v, b) VALUES (?, ?)", who, new Uint8Array([7]));
    await storage.setAlarm(Date.now() + 1500);
    return this.read();
  }
  async read() {
    const { storage } = this.ctx;
    const all = await storage.list();
    all.delete("rang");
    const show = (v) =>
      typeof v === "bigint" ? v + "n" : v instanceof Map ? ["Map", [...v].map(([k, s]) => [k, [...s]])] : ArrayBuffer.isView(v) ? ["bytes", ...v]
        : v instanceof Date ? ["Date", v.getTime()] : v instanceof Error ? [v.name, v.message] : v;
    return {
      id: this.ctx.id.toString(),
      values: [...all].map(([k, v]) => [k, show(v)]),
      rows: storage.sql.exec("SELECT id, v, hex(b) AS b FROM t ORDER BY id").toArray(),
    };
  }
  async alarm() {
    await this.ctx.storage.put("rang", Date.now());
  }
  async rang() {
    return (await this.ctx.storage.get("rang")) ?? 0;
  }
}

export default {
  async fetch(request, env) {
    const [, what, who] = new URL(request.url).pathname.split("/");
    const box = env.BOX.getByName(who);
    if (what === "rang") return Response.json(await box.rang());
    if (what === "write") {
      await env.KV.put("from " + who, who + " é", { metadata: { who } });
      await env.R2.put("from " + who, who + " ö", { customMetadata: { who }, httpMetadata: { contentType: "text/plain" } });
      await env.DB.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, who TEXT)");
      await env.DB.prepare("INSERT INTO notes (who) VALUES (?)").bind(who).run();
      await box.write(who);
    }
    const { keys } = await env.KV.list({ prefix: "from " + who });
    const object = await env.R2.get("from " + who);
    return Response.json({
      ...(await box.read()),
      r2: [object.size, object.etag, object.uploaded, object.httpMetadata, object.customMetadata, await object.text()],
      kv: [keys, await env.KV.get("from " + who)],
      d1: (await env.DB.prepare("SELECT who FROM notes WHERE who = ? ORDER BY id").bind(who).all()).results,
    });
  },
};
