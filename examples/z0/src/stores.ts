import { DurableObject } from "cloudflare:workers";

export interface Fact {
  fact_id: string;
  type: string;
  trace_id?: string;
}

/** Stores facts, projections of them, finished items of batches, and the times of attempts. */
export class Facts extends DurableObject {
  #sql: SqlStorage;
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS facts (fact_id TEXT PRIMARY KEY, type TEXT, trace_id TEXT);
      CREATE TABLE IF NOT EXISTS projections (fact_id TEXT PRIMARY KEY, entity_id TEXT, writes INTEGER);
      CREATE TABLE IF NOT EXISTS items (batch_id TEXT, item INTEGER, PRIMARY KEY (batch_id, item));
      CREATE TABLE IF NOT EXISTS attempts (key TEXT, at INTEGER);
    `);
  }
  /** Records a fact; false if it was known. */
  add(f: Fact): boolean {
    return this.#sql.exec("INSERT OR IGNORE INTO facts VALUES (?, ?, ?)", f.fact_id, f.type, f.trace_id ?? null).rowsWritten > 0;
  }
  has(id: string): boolean {
    return this.#sql.exec("SELECT 1 FROM facts WHERE fact_id = ?", id).toArray().length > 0;
  }
  list(): Fact[] {
    return this.#sql.exec("SELECT * FROM facts ORDER BY fact_id").toArray() as unknown as Fact[];
  }
  /** Upsert by fact_id: a duplicate is a no-op. */
  project(id: string, entity: string): void {
    this.#sql.exec("INSERT INTO projections VALUES (?, ?, 1) ON CONFLICT (fact_id) DO NOTHING", id, entity);
  }
  /** Finishes an item of a batch; false if it was finished. */
  finish(batch: string, item: number): boolean {
    return this.#sql.exec("INSERT OR IGNORE INTO items VALUES (?, ?)", batch, item).rowsWritten > 0;
  }
  /** Notes an attempt and says how many there were before. */ // eddy-chaos-ignore objects.Facts.*.attempts
  attempt(key: string): number {
    const before = this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM attempts WHERE key = ?", key).one().n;
    this.#sql.exec("INSERT INTO attempts VALUES (?, ?)", key, Date.now());
    return before;
  }
  attempts(key: string): number[] {
    return this.#sql.exec<{ at: number }>("SELECT at FROM attempts WHERE key = ? ORDER BY at", key).toArray().map((r) => r.at);
  }
  counts(): Record<string, number> {
    const of = (table: string) => this.#sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
    return { facts: of("facts"), projections: of("projections"), items: of("items") };
  }
}
