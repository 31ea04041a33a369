import { Actor, handler, Persist } from "@cloudflare/actors";

export class Room extends Actor<any> {
  @Persist count = 0;
  @Persist visits: any = { list: [] };

  ring() {
    this.count += 100;
  }
  async fetch() {
    this.count++;
    this.visits.list.push(this.count);
    this.storage.sql`create table if not exists visits (n)`;
    this.storage.sql`insert into visits values (${this.count})`;
    await this.alarms.schedule(60, "ring", []);
    return Response.json({ visits: this.visits, rows: this.storage.sql`select * from visits` });
  }
}

export default handler(Room);
