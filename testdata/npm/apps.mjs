// Whole libraries and SDKs, each in a Worker of workers/apps. One eddy dev serves them all behind a router; what each one
// answers must be what the reference answered, which is kept in the .txt file beside it.
//   REFERENCE=path/to/wrangler node suite.mjs apps    records those files anew
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { start } from "./session.mjs";

/**
 * Each app by name: its bindings and the requests to make. Without requests it gets "/"; one with a body is a POST. One that is like
 * another one has its Worker and must answer the same.
 * For one that is alone the reference has no answer: the model answers for Workers AI here, by eddy.jsonc, and there only Cloudflare does.
 */
const apps = {
  agents: { objects: ["Counter"], calls: ["/", "/agents/counter/web", "/agents/nobody/web"], talk: agentTalk },
  "agents-0.9": { objects: ["Counter"], calls: ["/", "/names", "/agents/counter/web"], talk: agentTalk },
  "agents-work": { objects: ["BrandAgent", "Tools"], more: { workflows: [{ binding: "RESEARCH", name: "research", class_name: "Research" }] } },
  partyserver: { objects: ["Room"], calls: ["/", "/parties/room/a", "/parties/none/a"], talk: roomTalk },
  actors: { objects: ["Room"], calls: ["/", "/"] },
  sql: { objects: ["D"] },
  d1: { databases: ["DB"] },
  auth: { databases: ["DB"] },
  // scrypt of @noble/hashes in the place of node:crypto's, under the default CPU limit.
  "auth-noble": { like: "auth", databases: ["DB"], more: { alias: { "@better-auth/utils/password": "../../node_modules/@better-auth/utils/dist/password.mjs" } } },
  "oauth-provider": { kv: ["OAUTH_KV"] },
  mcp: {},
  ai: {},
  "workers-ai": { more: { ai: { binding: "AI" } }, alone: true },
  model: { alone: true },
  puppeteer: { more: { browser: { binding: "BROWSER" } } },
  effect: {},
  "graphql-yoga": {
    calls: [["/graphql", { query: '{ hello(name: "x") list { id } }' }], ["/graphql", { query: "{ nope }" }], ["/graphql", { query: "mutation { set(n: 5) }" }],
      "/graphql?query={hello}", "/stream"],
  },
  trpc: { calls: ["/trpc/hello?input=%22bob%22", "/trpc/nope", "/trpc/bad?input=5", "/trpc/sub", "/client"] },
  express: { calls: ["/books/7?full=1", ["/books", { title: "a" }], "/stream", "/fail", "/none"] },
  mail: {},
  sentry: {},
  small: {},
  wasm: {},
};

const folder = "workers/apps";

async function configure(name, { like = name, objects = [], kv = [], databases = [], more = {} }) {
  const file = `${folder}/${name}.json`;
  const main = ["ts", "js"].map((ext) => `${like}.${ext}`).find((f) => existsSync(`${folder}/${f}`));
  await writeFile(file, JSON.stringify({
    name: `app-${name.replace(".", "-")}`, main, compatibility_date: "2026-04-01", compatibility_flags: ["nodejs_compat"],
    durable_objects: { bindings: objects.map((o) => ({ name: o, class_name: o })) },
    migrations: objects.length > 0 ? [{ tag: "v1", new_sqlite_classes: objects }] : [],
    kv_namespaces: kv.map((binding) => ({ binding, id: `${name}-${binding}` })),
    d1_databases: databases.map((binding) => ({ binding, database_name: `${name}-${binding}`, database_id: `${name}-${binding}` })),
    ...more,
  }));
  return file;
}

/** Opens a WebSocket. next() gives its messages one by one, then how it was closed. */
async function dial(url) {
  const ws = new WebSocket(url);
  const got = [];
  let wake = () => {};
  const add = (text) => (got.push(text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UUID")), wake());
  ws.on("message", (data, binary) => add(binary ? `${data.length} bytes` : String(data)));
  ws.on("close", (code, reason) => add(`closed ${code} ${reason}`));
  await new Promise((ok, no) => ws.on("open", ok).on("error", no));
  return {
    send: (data) => ws.send(data),
    close: (code, reason) => ws.close(code, reason),
    async next() {
      while (got.length === 0) await new Promise((r) => (wake = r));
      return got.shift();
    },
  };
}

async function agentTalk(url) {
  const a = await dial(`${url}/agents/counter/socket`);
  const out = [];
  const rpc = (id, method, args = []) => a.send(JSON.stringify({ type: "rpc", id, method, args }));
  a.send("hi");
  rpc("1", "increment", [5]);
  rpc("2", "fail");
  rpc("3", "log");
  while (out.filter((l) => l.includes('"type":"rpc"')).length < 3) out.push(await a.next());
  a.send("bye");
  out.push(await a.next());
  return out;
}

async function roomTalk(url) {
  const out = [];
  const a = await dial(`${url}/parties/room/s`);
  out.push(`a ${await a.next()}`);
  const b = await dial(`${url}/parties/room/s`);
  out.push(`b ${await b.next()}`, `a ${await a.next()}`);
  a.send("one");
  out.push(`a ${await a.next()}`, `b ${await b.next()}`);
  b.send(Buffer.from([1, 2]));
  out.push(`a ${await a.next()}`, `b ${await b.next()}`);
  a.send("tags");
  out.push(`a ${await a.next()}`, `a ${await a.next()}`, `b ${await b.next()}`);
  a.close(3001, "x");
  out.push(`b ${await b.next()}`, `a ${await a.next()}`);
  b.close();
  return out;
}

/** Makes all requests to an app and returns them with its answers. */
async function transcript(base, { calls = ["/"], talk }) {
  const out = [];
  for (const call of calls) {
    const [path, body] = [call].flat();
    const init = body ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {};
    const res = await fetch(base + path, { ...init, headers: { ...init.headers, connection: "close" } });
    out.push(`> ${path} ${res.status} ${res.headers.get("content-type")}`, (await res.text()).trimEnd());
  }
  if (talk) out.push("> socket", ...(await talk(base.replace("http", "ws"))));
  return `${out.join("\n")}\n`;
}

/** The reference, started on one configuration. Its child processes end with its process group. */
async function reference(config) {
  const port = 8989;
  const state = await mkdtemp(join(tmpdir(), "eddy-npm-"));
  const child = spawn(process.env.REFERENCE, ["dev", "-c", config, "--port", port, "--persist-to", state, "--show-interactive-dev-session=false"],
    { stdio: "ignore", detached: true, env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false" } });
  for (let up = false; !up; ) {
    up = await new Promise((r) => {
      const socket = connect(port, "127.0.0.1", () => (socket.end(), r(true)));
      socket.on("error", () => setTimeout(r, 200, false));
    });
  }
  return { url: `http://127.0.0.1:${port}`, stop: () => process.kill(-child.pid, "SIGKILL") };
}

async function record(test) {
  for (const [name, app] of Object.entries(apps).filter(([, app]) => !app.alone)) {
    await test(name, async () => {
      const session = await reference(await configure(name, app));
      try {
        await writeFile(`${folder}/${app.like ?? name}.txt`, await transcript(session.url, app));
      } finally {
        session.stop();
      }
    });
  }
}

export async function run(test) {
  if (process.env.REFERENCE) return record(test);
  const names = Object.keys(apps);
  const services = names.map((n) => ({ binding: n, service: `app-${n.replace(".", "-")}` }));
  const configs = [await configure("router", { more: { services } })];
  for (const name of names) configs.push(await configure(name, apps[name]));
  const session = await start(configs);
  try {
    for (const name of names) {
      await test(name, async () => {
        const got = await transcript(`${session.url}/${name}`, apps[name]);
        const want = await readFile(`${folder}/${apps[name].like ?? name}.txt`, "utf8");
        assert.equal(got, want, session.lines.slice(-20).map((l) => l.msg).join("\n"));
      });
    }
  } finally {
    await session.stop();
  }
}
