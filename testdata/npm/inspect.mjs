// The debugger with clients that others wrote: chrome-remote-interface, and the debugger of Node's command line.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import CDP from "chrome-remote-interface";
import { start } from "./session.mjs";

const files = {
  "wrangler.jsonc": JSON.stringify({
    name: "shop", main: "index.ts", compatibility_date: "2026-04-01",
    queues: { producers: [{ binding: "JOBS", queue: "jobs" }], consumers: [{ queue: "jobs", max_batch_timeout: 0 }] },
    durable_objects: { bindings: [{ name: "ROOM", class_name: "Room" }] },
    migrations: [{ tag: "v1", new_sqlite_classes: ["Room"] }],
  }),
  "index.ts": `import { DurableObject } from "cloudflare:workers";
interface Env { JOBS: Queue<{ n: number }>; ROOM: DurableObjectNamespace<Room> }
export class Room extends DurableObject<Env> {
  async later(n: number) {
    await this.ctx.storage.put("n", n);
    await this.ctx.storage.setAlarm(Date.now());
  }
  async alarm() {
    const n = await this.ctx.storage.get<number>("n"); // alarm
    console.log("alarm of", { n });
  }
}
async function slow(n: number) {
  await scheduler.wait(5);
  return n + 1;
}
export default {
  async fetch(request: Request, env: Env) {
    const path = new URL(request.url).pathname;
    let n: number = path.length; // fetch
    n = await slow(n);
    if (path === "/send") await env.JOBS.send({ n });
    if (path === "/later") await env.ROOM.getByName("a").later(n);
    if (path === "/throw") throw new RangeError("too far: " + n);
    return new Response(String(n));
  },
  async queue(batch: MessageBatch<{ n: number }>) {
    for (const { body } of batch.messages) {
      console.log("job", body); // queue
    }
  },
} satisfies ExportedHandler<Env, { n: number }>;
`,
};
const lineOf = (mark) => files["index.ts"].split("\n").findIndex((l) => l.endsWith("// " + mark));

/** A debugger that stops, looks and steps. */
async function attach(port) {
  const client = await CDP({ port });
  const waiting = [];
  const pauses = [];
  client.Debugger.paused((e) => (waiting.shift() ?? ((p) => pauses.push(p)))(e));
  const scripts = [];
  client.Debugger.scriptParsed((s) => scripts.push(s));
  const console = [];
  client.Runtime.consoleAPICalled((e) => console.push(e));
  await client.Runtime.enable();
  await client.Debugger.enable();
  await client.Runtime.runIfWaitingForDebugger();
  const debug = {
    ...client, client, scripts, console,
    paused: () => (pauses.length > 0 ? Promise.resolve(pauses.shift()) : new Promise((r) => waiting.push(r))),
    at: (e) => `${e.callFrames[0].functionName}:${e.callFrames[0].location.lineNumber}`,
    async step(how) {
      const next = debug.paused();
      await client.Debugger[how]();
      return next;
    },
    async value(e, expression) {
      const { result, exceptionDetails } = await client.Debugger.evaluateOnCallFrame({
        callFrameId: e.callFrames[0].callFrameId, expression, returnByValue: true,
      });
      assert.equal(exceptionDetails, undefined);
      return result.value;
    },
    async local(e) {
      const scope = e.callFrames[0].scopeChain.find((s) => s.type === "local");
      const { result } = await client.Runtime.getProperties({ objectId: scope.object.objectId, ownProperties: true });
      return Object.fromEntries(result.map((p) => [p.name, p.value.value ?? p.value.description]));
    },
    /** Goes, and leaves nothing set: what it has set is taken back before the answer, not after the connection's end. */
    async leave() {
      await client.Debugger.disable();
      await client.close();
    },
    set: (mark, more) =>
      client.Debugger.setBreakpointByUrl({ urlRegex: ".*/index\\.ts$", lineNumber: lineOf(mark), ...more }),
  };
  return debug;
}

/** The port at which a command waits for a debugger, and how it ends, when all its output has been read. */
async function waits(child) {
  let text = "";
  const ended = once(child, "close").then(([code, signal]) => ({ code: code ?? signal, text }));
  child.stdout.on("data", (chunk) => (text += chunk));
  const port = await new Promise((found, failed) => {
    child.stderr.on("data", (chunk) => {
      const m = /Debugger at (ws:\S+)[^]*Waiting/.exec((text += chunk));
      if (m) found(Number(new URL(m[1]).port));
    });
    ended.then(() => failed(new Error("it ended without a debugger:\n" + text)));
  });
  return { port, ended };
}

export async function run(test) {
  const dir = resolve("inspected");
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  for (const [name, text] of Object.entries(files)) writeFileSync(`${dir}/${name}`, text);
  const session = await start(`${dir}/wrangler.jsonc`, "--inspect=0");
  const { address } = await session.line((l) => l.kind === "debugger");
  const port = Number(new URL(address).port);
  const get = async (path) => (await fetch(session.url + path)).text();

  await test("the source is the file", async () => {
    const d = await attach(port);
    const script = d.scripts.find((s) => s.url.endsWith("/inspected/index.ts"));
    const { scriptSource } = await d.Debugger.getScriptSource({ scriptId: script.scriptId });
    assert.equal(scriptSource, files["index.ts"]);
    await d.leave();
  });
  await test("a request: set, hit, look, change, step over an await, resume", async () => {
    const d = await attach(port);
    const { locations } = await d.set("fetch");
    assert.deepEqual(locations.map((l) => l.lineNumber), [lineOf("fetch")]);
    const answer = get("/abc");
    let e = await d.paused();
    assert.equal(e.hitBreakpoints.length, 1);
    assert.equal(d.at(e), `fetch:${lineOf("fetch")}`);
    assert.equal(await d.value(e, "path + request.method"), "/abcGET");
    e = await d.step("stepOver");
    assert.deepEqual(await d.local(e), { request: "Request", env: "Object", path: "/abc", n: 4 });
    await d.Debugger.setVariableValue({
      scopeNumber: 0, variableName: "n", newValue: { value: 40 }, callFrameId: e.callFrames[0].callFrameId,
    });
    e = await d.step("stepInto");
    assert.equal(e.callFrames.map((f) => f.functionName).join(), "slow,fetch");
    e = await d.step("stepOver");
    assert.equal(d.at(e), `slow:${lineOf("fetch") - 5}`);
    assert.equal(e.asyncStackTrace.callFrames[0].functionName, "fetch");
    e = await d.step("stepOut");
    assert.equal(d.at(e), `fetch:${lineOf("fetch") + 2}`);
    assert.equal(await d.value(e, "n"), 41);
    await d.Debugger.resume();
    assert.equal(await answer, "41");
    await d.leave();
  });
  await test("a batch of a queue", async () => {
    const d = await attach(port);
    await d.set("queue");
    const answer = get("/send");
    const e = await d.paused();
    assert.equal(d.at(e), `queue:${lineOf("queue")}`);
    assert.deepEqual(await d.value(e, "({ ...body, queue: batch.queue })"), { n: 6, queue: "jobs" });
    await d.step("stepOver");
    assert.equal(d.console.at(-1).args[1].preview.properties[0].value, "6");
    await d.Debugger.resume();
    assert.equal(await answer, "6");
    await d.leave();
  });
  await test("an alarm, over its await", async () => {
    const d = await attach(port);
    await d.set("alarm");
    const answer = get("/later");
    let e = await d.paused();
    assert.equal(d.at(e), `alarm:${lineOf("alarm")}`);
    e = await d.step("stepOver");
    assert.deepEqual(await d.local(e), { n: 7 });
    assert.equal(await d.value(e, "this.constructor.name"), "Room");
    await d.Debugger.resume();
    assert.equal(await answer, "7");
    await d.leave();
  });
  await test("an error that nobody catches, and a logpoint", async () => {
    const d = await attach(port);
    await d.set("fetch", { condition: "console.log('at', path), false" });
    await d.Debugger.setPauseOnExceptions({ state: "uncaught" });
    const answer = get("/throw");
    const e = await d.paused();
    assert.equal(e.reason, "exception");
    assert.match(e.data.description, /^RangeError: too far: 7/);
    assert.equal(await d.value(e, "n"), 7);
    assert.deepEqual(d.console.at(-1).args.map((a) => a.value), ["at", "/throw"]);
    await d.Debugger.resume();
    assert.match(await answer, /too far/);
    await d.leave();
  });
  await test("a client that goes lets the script go on", async () => {
    const d = await attach(port);
    await d.set("fetch");
    const answer = get("/x");
    await d.paused();
    await d.client.close();
    assert.equal(await answer, "3");
  });
  await test("node inspect", async () => {
    const child = spawn(process.execPath, ["inspect", `127.0.0.1:${port}`], { stdio: ["pipe", "pipe", "inherit"] });
    let text = "";
    let look = () => {};
    child.stdout.on("data", (chunk) => look((text += chunk)));
    const says = (pattern) =>
      new Promise((found) => {
        look = () => {
          const m = pattern.exec(text);
          if (!m) return;
          look = () => {}; // what comes now is for the next question
          found((text = text.slice(m.index + m[0].length)));
        };
        look();
      });
    await says(/debug> /);
    child.stdin.write(`sb('index.ts', ${lineOf("fetch") + 1})\n`);
    await says(/let n: number = path\.length[^]*debug> /); // it shows where it stands; a prompt alone may be an older one
    const answer = get("/node");
    await says(/break in .*index\.ts:\d+[^]*let n: number = path\.length[^]*debug> /);
    child.stdin.write("exec('path')\n");
    await says(/'\/node'[^]*debug> /);
    child.stdin.write("next\n");
    await says(/n = await slow\(n\)[^]*debug> /);
    child.stdin.write("cont\n");
    assert.equal(await answer, "6");
    const ended = once(child, "close");
    child.kill();
    await ended;
  });
  await test("eddy test --inspect-brk waits, and stops in a test and in the Worker", async () => {
    writeFileSync(`${dir}/shop.test.ts`, `import { SELF } from "cloudflare:test";
import { expect, it } from "vitest";
it("answers", async () => {
  const res = await SELF.fetch("https://shop.test/four"); // test
  expect(await res.text()).toBe("6");
});
`);
    const child = spawn(process.env.EDDY, ["test", "--root", dir, "--run", "--inspect-brk=0"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { port: where, ended } = await waits(child);
    const d = await attach(where);
    let e = await d.paused();
    assert.equal(e.reason, "Break on start");
    await d.Debugger.setBreakpointByUrl({ urlRegex: ".*/shop\\.test\\.ts$", lineNumber: 3 });
    await d.set("fetch");
    e = await d.step("resume");
    assert.equal(e.callFrames[0].location.lineNumber, 3);
    e = await d.step("resume");
    assert.equal(d.at(e), `fetch:${lineOf("fetch")}`);
    assert.equal(await d.value(e, "path"), "/four");
    await d.Debugger.resume();
    const { code, text } = await ended;
    assert.equal(code, 0, text);
  });
  await test("eddy replay --inspect-brk steps through a captured failure", async () => {
    writeFileSync(`${dir}/failed.replay.jsonl`, JSON.stringify({
      version: 1, kind: "queue", at: "2026-04-01T12:00:00.040Z", worker: "shop", queue: "jobs",
      settings: { max_batch_size: 10, max_batch_timeout: 0, max_retries: 3 }, backlog: { count: 0, bytes: 0 },
      messages: [{ id: "5ba3527d4bee1a3ac80b6f09f5c67400", timestamp: "2026-04-01T12:00:00.000Z", attempts: 2,
        contentType: "json", body: { json: { n: 41 } }, outcome: "ack" }],
      outcome: "ok", wallMs: 1, cpuMs: 0,
    }) + "\n");
    const child = spawn(process.env.EDDY, ["replay", "-c", `${dir}/wrangler.jsonc`, "--inspect-brk=0",
      `${dir}/failed.replay.jsonl`], { stdio: ["ignore", "pipe", "pipe"] });
    const { port: where, ended } = await waits(child);
    const d = await attach(where);
    let e = await d.paused();
    assert.equal(e.reason, "Break on start");
    await d.set("queue");
    e = await d.step("resume");
    assert.equal(d.at(e), `queue:${lineOf("queue")}`);
    assert.deepEqual(await d.value(e, "[body, batch.messages[0].attempts, Date.now()]"),
      [{ n: 41 }, 2, Date.parse("2026-04-01T12:00:00.040Z")]);
    await d.Debugger.resume();
    const { code, text } = await ended;
    assert.equal(code, 0, text);
  });
  await session.stop();
}
