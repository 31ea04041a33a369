// An agent as users of the Agents SDK write it (AG1; the bundle has megabytes, AG4), and what is asked of it. It runs with two
// versions of the SDK: 0.9.0, in which a name is set by setName() (AG3), and a newer one that takes the object's own name.
import { answer, until } from "./answer.js";

type State = { count: number; log: string[] };

export function agent({ Agent, callable, getCurrentAgent }: any) {
  class Counter extends Agent {
    initialState: State = { count: 0, log: [] };
    static options = { hibernate: true };

    onStart() {
      this.sql`create table if not exists starts (n integer)`;
      this.sql`insert into starts values (1)`;
    }
    @callable() increment(by = 1) {
      this.setState({ ...this.state, count: this.state.count + by });
      return this.state.count;
    }
    @callable() async fail() {
      throw new RangeError("failed");
    }
    starts() {
      return this.sql`select count(*) as n from starts`[0].n;
    }
    notes() {
      this.sql`create table if not exists notes (id integer primary key, text text)`;
      this.sql`insert into notes (text) values (${"one"}), (${"two"})`;
      return this.sql`select text from notes where text <> ${"one"}`;
    }
    async later() {
      const s = await this.schedule(1, "note", "alarm");
      return [s.type, s.callback, s.payload, (await this.getSchedules()).length];
    }
    async cron() {
      const s = await this.schedule("*/5 * * * *", "note", "cron");
      return [s.type, s.cron, await this.cancelSchedule(s.id)];
    }
    async enqueue() {
      await this.queue("note", "first");
      await this.queue("note", "second");
    }
    note(text: string) {
      this.setState({ ...this.state, log: [...this.state.log, `${text} ${getCurrentAgent().agent === this}`] });
    }
    log() {
      return this.state.log;
    }
    who() {
      return this.name;
    }
    onRequest(request: Request) {
      return new Response(`${this.name} ${new URL(request.url).pathname} ${this.state.count}`);
    }
    onConnect(connection: any) {
      connection.setState({ seen: 1 });
    }
    onMessage(connection: any, message: string) {
      if (message === "bye") connection.close(4001, "bye");
      else connection.send(`echo ${message} ${JSON.stringify(connection.state)}`);
    }
  }
  return Counter;
}

export const worker = ({ getAgentByName, routeAgentRequest }: any) => ({
  async fetch(request: Request, env: any) {
    const routed = await routeAgentRequest(request, env);
    if (routed) return routed;
    const a = await getAgentByName(env.Counter, "one");
    return answer({
      "AG1 setState": () => a.increment(2),
      "AG1 state": () => a.increment(),
      "AG1 sql": () => a.notes(),
      "AG1 cron": () => a.cron(),
      "AG1 queue": () => a.enqueue(),
      "AG1 queued": () => until(async () => (await a.log()).length === 2 && a.log()),
      "AG1 schedule": () => a.later(),
      "AG2 alarm": () => until(async () => (await a.log()).length === 3 && a.log()),
      "AG1 error over RPC": () => a.fail(),
      "AG3 onStart once": () => a.starts(),
      "AG3 name": () => a.who(),
      "AG3 no setName": () => env.Counter.getByName("two").increment(7),
      "AG2 fetch": async () => (await a.fetch("http://x/y")).text(),
      "AG1 routed": async () => (await routeAgentRequest(new Request("http://x/agents/counter/three"), env)).text(),
    });
  },
});
