// The debugger with VS Code's own adapter (js-debug), spoken to as VS Code does: the Debug Adapter Protocol.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { resolve } from "node:path";
import { start } from "./session.mjs";

const source = `interface Env { JOBS: Queue<{ n: number }> }
async function slow(n: number) {
  await scheduler.wait(5);
  const more = n + 1; // slow
  return more;
}
export default {
  async fetch(request: Request, env: Env) {
    const path = new URL(request.url).pathname;
    let n: number = path.length; // fetch
    n = await slow(n); // call
    if (path === "/send") await env.JOBS.send({ n });
    if (path === "/throw") throw new RangeError("too far: " + n);
    return new Response(String(n));
  },
  async queue(batch: MessageBatch<{ n: number }>) {
    for (const { body } of batch.messages) {
      console.log("job", body); // queue
    }
  },
} satisfies ExportedHandler<Env, { n: number }>;
`;
const lineOf = (mark) => source.split("\n").findIndex((l) => l.endsWith("// " + mark)) + 1;

/** A client of the Debug Adapter Protocol. */
class Adapter {
  #sent = 0;
  #answers = new Map();
  #events = [];
  #waiting = [];
  constructor(port, reverse = {}) {
    let rest = Buffer.alloc(0);
    this.socket = net.connect(port, "127.0.0.1");
    this.socket.on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        const end = rest.indexOf("\r\n\r\n");
        const length = end < 0 ? Infinity : end + 4 + Number(/Content-Length: (\d+)/.exec(rest.subarray(0, end))[1]);
        if (rest.length < length) return;
        const m = JSON.parse(rest.subarray(end + 4, length));
        rest = rest.subarray(length);
        if (m.type === "response") {
          const { found, failed } = this.#answers.get(m.request_seq);
          m.success ? found(m.body) : failed(new Error(`${m.command}: ${JSON.stringify(m.body ?? m.message)}`));
        } else if (m.type === "request") {
          this.#write({ type: "response", request_seq: m.seq, command: m.command, success: true, body: {} });
          reverse[m.command]?.(m.arguments);
        } else {
          this.#events.push(m);
          this.#waiting = this.#waiting.filter((look) => !look());
        }
      }
    });
  }
  #write(m) {
    const text = JSON.stringify({ seq: ++this.#sent, ...m });
    this.socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    return this.#sent;
  }
  ask(command, args = {}) {
    const seq = this.#write({ type: "request", command, arguments: args });
    return new Promise((found, failed) => this.#answers.set(seq, { found, failed }));
  }
  event(name, test = () => true) {
    return new Promise((found) => {
      const look = () => {
        const i = this.#events.findIndex((e) => e.event === name && test(e.body));
        if (i >= 0) found(this.#events.splice(i, 1)[0].body);
        return i >= 0;
      };
      if (!look()) this.#waiting.push(look);
    });
  }
}

const hello = {
  clientID: "vscode", adapterID: "pwa-node", linesStartAt1: true, columnsStartAt1: true, pathFormat: "path",
  supportsVariableType: true, supportsStartDebuggingRequest: true,
};

/** What VS Code does for the launch.json of docs/debugger.md. */
async function attach(adapterPort, port, cwd, breakpoints) {
  let begin;
  const begun = new Promise((r) => (begin = r));
  const parent = new Adapter(adapterPort, { startDebugging: begin });
  await parent.ask("initialize", hello);
  const attached = parent.ask("attach", { type: "pwa-node", request: "attach", name: "Worker", port, restart: true, cwd });
  await parent.event("initialized");
  await parent.ask("configurationDone");
  await attached;
  const { configuration } = await begun;
  const d = new Adapter(adapterPort);
  await d.ask("initialize", hello);
  const ready = d.ask("attach", configuration);
  await d.event("initialized");
  await breakpoints(d);
  await d.ask("configurationDone");
  await ready;
  return d;
}

export async function run(test) {
  const dir = resolve("jsdebugged");
  const file = `${dir}/index.ts`;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  writeFileSync(file, source);
  writeFileSync(`${dir}/wrangler.jsonc`, JSON.stringify({
    name: "shop", main: "index.ts", compatibility_date: "2026-04-01",
    queues: { producers: [{ binding: "JOBS", queue: "jobs" }], consumers: [{ queue: "jobs", max_batch_timeout: 0 }] },
  }));
  const session = await start(`${dir}/wrangler.jsonc`, "--inspect=0");
  const { address } = await session.line((l) => l.kind === "debugger");
  const get = async (path) => (await fetch(session.url + path)).text();
  const adapter = spawn(process.execPath, ["package/dist/vendor/js-debug/vsDebugServer.cjs", "0", "127.0.0.1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  const adapterPort = await new Promise((found, failed) => {
    adapter.stdout.on("data", (chunk) => {
      const m = /:(\d+)\s*\n/.exec((said += chunk));
      if (m) found(Number(m[1]));
    });
    adapter.on("close", () => failed(new Error("js-debug ended: " + said)));
  });

  let d;
  const set = (breakpoints) => d.ask("setBreakpoints", { source: { path: file }, breakpoints });
  const stopped = async () => {
    const { reason, threadId } = await d.event("stopped");
    const { stackFrames } = await d.ask("stackTrace", { threadId });
    const frameId = stackFrames[0].id;
    const { scopes } = await d.ask("scopes", { frameId });
    const ref = scopes[0].variablesReference;
    const { variables } = await d.ask("variables", { variablesReference: ref });
    return {
      reason, ref, path: stackFrames[0].source.path, line: stackFrames[0].line,
      calls: stackFrames.map((f) => f.name).join(), locals: Object.fromEntries(variables.map((v) => [v.name, v.value])),
      value: async (expression) => (await d.ask("evaluate", { expression, frameId, context: "repl" })).result,
      go: (how) => d.ask(how, { threadId }),
      info: () => d.ask("exceptionInfo", { threadId }),
    };
  };

  await test("VS Code's adapter: set, hit, look, change, step over an await, resume", async () => {
    d = await attach(adapterPort, Number(new URL(address).port), dir, async (client) => {
      d = client;
      await set([{ line: lineOf("fetch") }]);
    });
    const answer = get("/abc");
    let s = await stopped();
    assert.deepEqual([s.reason, s.path, s.line], ["breakpoint", file, lineOf("fetch")]);
    assert.equal(s.locals.path, "'/abc'");
    assert.equal(await s.value("path + request.method"), "'/abcGET'");
    await s.go("next");
    s = await stopped();
    assert.deepEqual([s.reason, s.line, s.locals.n], ["step", lineOf("call"), "4"]);
    await d.ask("setVariable", { variablesReference: s.ref, name: "n", value: "40" });
    await set([{ line: lineOf("slow"), condition: "n === 40" }]);
    await s.go("continue");
    s = await stopped();
    assert.match(s.calls, /^slow,await,.*fetch$/);
    await s.go("stepOut");
    s = await stopped();
    assert.match(s.calls, /fetch$/);
    await set([]);
    await s.go("continue");
    assert.equal(await answer, "41");
  });
  await test("VS Code's adapter: a logpoint, the console, an error that nobody catches", async () => {
    await set([{ line: lineOf("queue"), logMessage: "log {body.n} {batch.queue}" }]);
    await get("/send");
    await d.event("output", (o) => o.output.trim() === "log 6 jobs");
    const said = await d.event("output", (o) => o.output.startsWith("job"));
    assert.deepEqual([said.source.path, said.line], [file, lineOf("queue")]);
    await d.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
    const answer = get("/throw");
    const s = await stopped();
    assert.deepEqual([s.reason, (await s.info()).exceptionId], ["exception", "RangeError: too far: 7"]);
    await s.go("continue");
    assert.match(await answer, /too far/);
    await d.ask("disconnect", { terminateDebuggee: false });
    assert.equal(await get("/"), "2");
  });
  adapter.kill();
  await session.stop();
}
