// The object of those sides that have a configuration.
import { DurableObject } from "cloudflare:workers";

export class Counter extends DurableObject {
  async add() {
    const value = ((await this.ctx.storage.get("value")) ?? 0) + 1;
    await this.ctx.storage.put("value", value);
    return value;
  }
  ping() {
    return 1;
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
