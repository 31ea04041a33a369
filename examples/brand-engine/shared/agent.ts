import { DurableObject } from "cloudflare:workers";

// The part of the agents SDK that the brand engine uses, so that the example runs without npm. The configuration names
// this file "agents"; with the package installed, take the line out.

interface Schedule extends Record<string, SqlStorageValue> {
  id: string;
  callback: string;
  payload: string;
  time: number;
}

/** A Durable Object with a state, and with methods that are called at their times. */
export class Agent<E, State> extends DurableObject<E> {
  initialState!: State;

  constructor(ctx: DurableObjectState, env: E) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS agent_state (id INTEGER PRIMARY KEY, state TEXT)");
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS agent_schedules (id TEXT PRIMARY KEY, callback TEXT, payload TEXT, time INTEGER)");
  }

  get name(): string {
    return this.ctx.id.name!;
  }

  get state(): State {
    const [row] = this.ctx.storage.sql.exec<{ state: string }>("SELECT state FROM agent_state").toArray();
    return row ? JSON.parse(row.state) : this.initialState;
  }

  setState(state: State): void {
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO agent_state VALUES (1, ?)", JSON.stringify(state));
  }

  /** Calls a method with a payload after so many seconds. */
  async schedule<T>(seconds: number, callback: keyof this & string, payload?: T): Promise<{ id: string }> {
    const id = crypto.randomUUID();
    this.ctx.storage.sql.exec("INSERT INTO agent_schedules VALUES (?, ?, ?, ?)",
      id, callback, JSON.stringify(payload ?? null), Date.now() + seconds * 1000);
    await this.#arm();
    return { id };
  }

  /** A method that throws is called again with its alarm; one that has ended is forgotten. */
  async alarm(): Promise<void> {
    const due = this.ctx.storage.sql.exec<Schedule>("SELECT * FROM agent_schedules WHERE time <= ? ORDER BY time, id", Date.now());
    for (const { id, callback, payload } of due.toArray()) {
      await (this as unknown as Record<string, (payload: unknown) => unknown>)[callback](JSON.parse(payload));
      this.ctx.storage.sql.exec("DELETE FROM agent_schedules WHERE id = ?", id);
    }
    await this.#arm();
  }

  async #arm(): Promise<void> {
    const [next] = this.ctx.storage.sql.exec<Schedule>("SELECT * FROM agent_schedules ORDER BY time LIMIT 1").toArray();
    if (next) await this.ctx.storage.setAlarm(next.time);
  }
}

export async function getAgentByName<T extends Rpc.DurableObjectBranded>(namespace: DurableObjectNamespace<T>, name: string) {
  return namespace.getByName(name);
}
