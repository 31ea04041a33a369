// The object of those sides that have a configuration.
import { DurableObject } from "cloudflare:workers";
import { state } from "./state.js";

export class Counter extends DurableObject {
  async add() {
    const value = ((await this.ctx.storage.get("value")) ?? 0) + 1;
    await this.ctx.storage.put("value", value);
    return value;
  }
  ping() {
    return 1;
  }
  async wake() {
    await this.ctx.storage.setAlarm(Date.now());
  }
  alarm() {
    state.fired++;
  }
  // fill adds n keys, until there are size.
  async fill(n, size) {
    this.filled ??= 0;
    for (let i = 0; i < n && this.filled < size; i += 100) {
      const keys = Array.from({ length: Math.min(100, size - this.filled) },
        () => ["key" + this.filled, { number: this.filled++ }]);
      await this.ctx.storage.put(Object.fromEntries(keys));
    }
    return this.filled < size ? "more" : "ok";
  }
  async read(n, size) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += (await this.ctx.storage.get("key" + (i * 7919) % size)).number;
    return sum;
  }
  sql(n) {
    const { sql } = this.ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, name TEXT)");
    let rows = 0;
    for (let i = 0; i < n; i++) {
      sql.exec("INSERT INTO items (name) VALUES (?)", "item " + i);
      rows += [...sql.exec("SELECT * FROM items WHERE id > (SELECT max(id) FROM items) - 10")].length;
    }
    sql.exec("DELETE FROM items");
    return rows;
  }
}
