import type { Envelope } from "../shared/envelope";

/** Remembers in D1 which events were processed, so that a second delivery changes nothing. */
export class Journal {
  constructor(private db: D1Database) {}

  async known(id: string): Promise<boolean> {
    return (await this.db.prepare("SELECT 1 FROM processed_events WHERE event_id = ?").bind(id).first()) !== null;
  }

  // eddy-chaos-ignore d1.DB.processed_events[].processed_at
  async record(...events: Envelope[]): Promise<void> {
    const insert = this.db.prepare("INSERT OR IGNORE INTO processed_events VALUES (?, ?, ?, ?)");
    await this.db.batch(events.map((e) => insert.bind(e.event_id, e.type, e.source, Date.now())));
  }

  /** Forgets events that are older than a week, because no duplicate comes so late. */
  async prune(): Promise<number> {
    const week = Date.now() - 7 * 24 * 3600 * 1000;
    return (await this.db.prepare("DELETE FROM processed_events WHERE processed_at < ?").bind(week).run()).meta.changes;
  }

  async health() {
    const [hour, minutes] = await this.db.batch([
      this.db.prepare("SELECT type, count(*) AS n FROM processed_events WHERE processed_at > ? GROUP BY type ORDER BY type")
        .bind(Date.now() - 3_600_000),
      this.db.prepare("SELECT processed_at / 60000 AS minute, count(*) AS n FROM processed_events WHERE processed_at > ? GROUP BY minute ORDER BY minute")
        .bind(Date.now() - 1_800_000),
    ]);
    return { last_hour: hour.results, per_minute: minutes.results };
  }

  async counts(): Promise<Record<string, number>> {
    const rows = await this.db.prepare("SELECT type, count(*) AS n FROM processed_events GROUP BY type ORDER BY type")
      .all<{ type: string; n: number }>();
    return Object.fromEntries(rows.results.map((r) => [r.type, r.n]));
  }
}
