// Each project is installed once and then runs on both, each with a copy of its own. See run.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { own, upload } from "./own.mjs";

const { C3, TEMPLATES, SDK, EDDY, WRANGLER, WORK, BUILT } = process.env;
const json = (method, path, body) => [method, path, JSON.stringify(body), "application/json"];
const pages = ["/", "/nope", "/index.html", "/favicon.ico"];
const task = { name: "a", slug: "s", description: "d", completed: false, due_date: "2026-01-01" };

/** Each project by name: where it is, its databases with migrations, its calls, and those after the second start. */
const projects = {
  common: { c3: "common/ts", calls: pages },
  "hello-world": { c3: "hello-world/ts", calls: [...pages, ["POST", "/x", "body"], ["HEAD", "/"]] },
  "hello-world-assets-only": { c3: "hello-world-assets-only/templates", calls: [...pages, ["POST", "/"], ["HEAD", "/"]] },
  "hello-world-durable-object": { c3: "hello-world-durable-object/ts", calls: pages },
  "hello-world-durable-object-with-assets": { c3: "hello-world-durable-object-with-assets/ts", calls: [...pages, "/hello"] },
  "hello-world-with-assets": { c3: "hello-world-with-assets/ts", calls: [...pages, "/message", "/random"] },
  "hello-world-workflows": { c3: "hello-world-workflows/ts", calls: ["/favicon.ico", "/?instanceId=none"] },
  openapi: {
    c3: "openapi/ts", calls: ["/", "/openapi.json", "/api/tasks?page=0&isCompleted=true", "/api/tasks?page=x", json("POST", "/api/tasks", { task }),
      json("POST", "/api/tasks", { ...task }), json("POST", "/api/tasks", { name: 5 }), ["POST", "/api/tasks", "{", "application/json"], "/api/tasks/s", ["DELETE", "/api/tasks/s"], "/none"],
  },
  queues: { c3: "queues/ts", calls: ["/", ["POST", "/a?b=c", "x"]] },
  scheduled: { c3: "scheduled/ts", calls: ["/", "/__scheduled?cron=*+*+*+*+*", "/cdn-cgi/handler/scheduled"] },
  "chanfana-openapi": {
    template: "chanfana-openapi-template", database: "DB",
    calls: ["/", "/openapi.json", json("POST", "/tasks", task), json("POST", "/tasks", { name: 5 }), "/tasks", "/tasks/1", json("PUT", "/tasks/1", { ...task, name: "b" }), "/tasks/77",
      "/tasks?search=b&order_by=name", json("POST", "/dummy/x", { name: "n" }), "/dummy/x"],
    again: ["/tasks", ["DELETE", "/tasks/1"], "/tasks"],
  },
  d1: { template: "d1-template", database: "DB", calls: ["/", "/x"], again: ["/"] },
  "d1-sessions": {
    template: "d1-starter-sessions-api-template",
    calls: ["/", "/api/orders", ["POST", "/api/reset"], json("POST", "/api/orders", { customerId: "c", orderId: "1", quantity: 2 }), "/api/orders", ["POST", "/api/orders", "no"], "/api/x"],
    again: ["/api/orders"],
  },
  "durable-chat": {
    builds: true, template: "durable-chat-template", calls: ["/", "/room", "/parties/chat/a", "/styles.css"],
    talk: ["/parties/chat/a", JSON.stringify({ type: "add", id: "1", content: "hi", user: "u", role: "user" }), JSON.stringify({ type: "update", id: "1", content: "ho", user: "u", role: "user" })],
  },
  "hello-world-do": { template: "hello-world-do-template", calls: ["/", "/a/b", "/"] },
  "multiplayer-globe": { builds: true, template: "multiplayer-globe-template", calls: ["/", "/nope", "/parties/globe/default"], talk: ["/parties/globe/default"] },
  "nodejs-http-server": { template: "nodejs-http-server-template", calls: ["/", "/api/status", "/none", ["POST", "/", "x"], ["HEAD", "/"]] },
  openauth: {
    template: "openauth-template", database: "AUTH_DB",
    calls: ["/", "/callback?code=1", "/.well-known/oauth-authorization-server", "/authorize?redirect_uri=http://localhost/callback&client_id=c&response_type=code",
      "/password/authorize", "/password/register", ["POST", "/token", "grant_type=none", "application/x-www-form-urlencoded"], "/userinfo", "/none"],
  },
  "workers-builds-notifications": { template: "workers-builds-notifications-template", calls: pages },
  microfrontend: { template: "microfrontend-template", calls: [...pages, "/app1", "/app1/x", "/app2", "//app1"] },
  x402: { template: "x402-proxy-template", calls: [...pages, "/__x402/health", "/__x402/config", "/__x402/protected", "/premium", "/premium/a?b=c", ["POST", "/premium/x", "y"]] },
  nlweb: { template: "nlweb-template", args: ["-c", "wrangler.e2e.jsonc"], calls: [...pages, "/ask", "/ask?query=x", "/mcp", json("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" })] },
  "worker-app": {
    sdk: "worker-app", beside: { "@fixture/isomorphic-random": "isomorphic-random-example" }, wants: { cookie: "^0.6.0" },
    calls: ["/env", "/version_metadata", "/error", "/redirect", "/cookie", "/explicit-resource-management", "/favicon.ico", "/cdn-cgi/handler/scheduled"],
  },
  "do-exports": { sdk: "durable-objects-exports-app", calls: ["/", "/a/increment", "/a/increment", "/b/increment", "/c/increment", "/a/value", "/c/value", "/a/sql", "/x/y"], again: ["/a/value", "/b/value", "/c/increment"] },
  "dynamic-workers": { sdk: "dynamic-worker-loading", calls: ["/", "/my-worker", "/my-other-worker", "/my-worker"] },
  email: {
    sdk: "email-worker", wants: { mimetext: "^3.0.24" },
    calls: ["/", "/error", "/send", "/send-simple", "/send-html", "/send-attachment", "/send-multi-attachment", "/send-complex", "/test-bindings"],
  },
  "import-wasm": { sdk: "import-wasm-example", beside: { "@fixture/import-wasm-static": "import-wasm-static" }, calls: ["/", "/x"] },
  "legacy-site": { sdk: "legacy-site-app", wants: { "@cloudflare/kv-asset-handler": "^0.4.0" }, calls: [...pages, "/img/404-wrangler-ferris.gif"] },
  sites: { sdk: "sites-app", wants: { "@cloudflare/kv-asset-handler": "^0.4.0" }, calls: [...pages, "/img/404-wrangler-ferris.gif"] },
  "no-bundle": { sdk: "no-bundle-import", calls: ["/", "/dynamic", "/wasm", "/wasm-nested", "/wasm-dynamic", "/lang/fr.json", "/lang/en.json", "/txt", "/bin", "/cjs", "/cjs-loop"] },
  "wildcard-modules": { sdk: "wildcard-modules", calls: ["/dep", "/text", "/common", "/dynamic", "/lang/en", "/lang/fr", "/lang/xx", "/none"] },
  "additional-modules": { sdk: "additional-modules", calls: ["/dep", "/text", "/sql", "/common", "/dynamic", "/lang/en", "/lang/fr.js", "/lang/xx", "/none"] },
  als: { sdk: "nodejs-als-app", calls: ["/", "/x"] },
  hybrid: {
    sdk: "nodejs-hybrid-app", wants: { pg: "8.16.0", debug: "^4.4.1", "cross-fetch": "^4.0.0" },
    calls: ["/", "/test-random", "/test-process", "/env", "/process-env", "/test-x509-certificate", "/test-require-alias", "/test-immediate", "/test-tls", "/test-crypto", "/test-sqlite", "/test-http", "/test-debug-import", "/test-debug-require"],
  },
  ratelimit: { sdk: "ratelimit-app", calls: ["/", "/", "/", "/", "/unsafe", "/unsafe", "/unsafe"], again: ["/none"] },
  rules: { sdk: "rules-app", calls: ["/", "/x"] },
  "secrets-store": { sdk: "secrets-store", calls: ["/"] },
  "unbound-object": { sdk: "unbound-durable-object", calls: ["/", "/increment?name=a", "/increment?name=a", "/decrement?name=b", "/?name=b", "/x?name=a"], again: ["/?name=a", "/?name=b"] },
  "worker-ts": { sdk: "worker-ts", calls: ["/", "/error"] },
  "worker-logs": { sdk: "worker-logs", args: ["-c", "wrangler.module.jsonc"], calls: ["/"] },
  "worker-logs-service": { sdk: "worker-logs", args: ["-c", "wrangler.service.jsonc"], calls: ["/"] },
  resources: {
    sdk: "worker-with-resources", args: ["-c", "wrangler.jsonc", "-c", "worker-b/wrangler.jsonc"],
    calls: ["/", "/kv/get", "/kv/put?key=a&value=b", "/kv/get?key=a", "/kv/delete?key=z", "/kv/seed", "/r2/seed", "/d1", "/do", "/do?id=x"], again: ["/kv/get?key=a", "/do"],
  },
  assets: {
    sdk: "workers-with-assets",
    calls: ["/", "/index.html", "/.assetsignore", "/.dot", "/.dotfile.html", "/README.md", "/readme.md", "/_headers", "/_redirects", "/_worker.js", "/about", "/about/", "/about/index.html", "/about/%255Bboop%255D", "/about/%5Bboop%5D",
      "/about/[boop]", "/about/%5Bwomp%5D", "/about/[f%C3%BCnky].txt", "/assets-binding", "/named-entrypoint", "/foo", "/foo.html", "/bar", "/pic", "/ignore-me.txt", "/totallyinvalidextension.greg", "/yay.txt", "//yay.txt", ["POST", "/yay.txt", "x"], ["HEAD", "/yay.txt"]],
  },
  "assets-only": {
    sdk: "workers-with-assets-only",
    calls: ["/", "/index.html", "/README.md", "/about", "/about/", "/about/index", "/about/none", "/about/%5Bboop%5D", "/about/%255Bboop%255D", "/bin", "/bin/", "/bin.html", "/both", "/both/", "/both.html", "/file", "/file.html", "/file/", "/file-bin",
      "/file-bin/", "/folder", "/folder/", "/folder.html", "/folder-bin", "/folder-bin/", "/index-bin", "/index-bin/", "/index-bin/index", "/index", "/none", ["POST", "/"], ["OPTIONS", "/yay.txt"]],
  },
  "assets-spa": { sdk: "workers-with-assets-spa", calls: ["/", "/api/math", "/blog", "/blog/random", "/shadowed-by-asset.txt", "/shadowed-by-spa", ["POST", "/blog", "x"]] },
  "assets-worker-first": { sdk: "workers-with-assets-run-worker-first", calls: ["/", "/index.html", "/none"] },
  "assets-routing": { sdk: "workers-with-assets-static-routing", calls: ["/", "/static/page", "/worker/asset", "/worker/worker-runs", "/missing-asset", "/oauth/callback", "/worker", "/none"] },
  "assets-routing-spa": { sdk: "workers-with-assets-static-routing", args: ["-c", "spa.wrangler.jsonc"], calls: ["/", "/some/page", "/api/route", "/api/asset", "/api/", "/api"] },
  "assets-services": {
    sdk: "workers-with-assets-and-service-bindings",
    args: ["workerA", "workerB-with-default-export", "workerC-with-default-entrypoint", "workerD-with-named-entrypoint"].flatMap((w) => ["-c", `${w}/wrangler.jsonc`]),
    calls: ["/", "/busy-bee", "/no-assets-at-this-path", "/none"],
  },
  workflow: {
    sdk: "workflow",
    calls: ["/create?workflowName=a", ["WAIT", "/status?workflowName=a", '"complete"'], "/createBatch", "/status?workflowName=none", "/createDemo2?workflowName=b", ["DO", "/sendEvent?workflowName=b", '{"a":1}', "application/json"], ["WAIT", "/get2?workflowName=b", '"complete"'], "/createDemo2?workflowName=c", ["DO", "/terminate?workflowName=c"], ["WAIT", "/get2?workflowName=c", '"terminated"'],
      ["DO", "/createDemo3?workflowName=d&doRetry=false&errorMessage=x"], ["WAIT", "/get3?workflowName=d", '"complete"'], ["DO", "/createDemo3?workflowName=e&doRetry=true&errorMessage=x"], ["WAIT", "/get3?workflowName=e", '"complete"'], "/create?workflowName=a", "/createDemo2?workflowName=bad%20name!"],
    again: ["/status?workflowName=a", "/get2?workflowName=b", "/get3?workflowName=e"],
  },
  "workflow-multiple": {
    sdk: "workflow-multiple",
    calls: ["/create?workflowName=1&id=t", ["WAIT", "/status?workflowName=1&id=t", '"complete"'], "/create?workflowName=2&id=t", ["WAIT", "/status?workflowName=2&id=t", '"complete"'], "/create?workflowName=3&id=t", 
      ["DO", "/pause?workflowName=3&id=t"], ["WAIT", "/status?workflowName=3&id=t", '"paused"'], ["DO", "/terminate?workflowName=3&id=t"], ["WAIT", "/status?workflowName=3&id=t", '"terminated"'], "/status?workflowName=1&id=none"],
    again: ["/status?workflowName=1&id=t"],
  },
  wasm: { sdk: "wasm-app", args: ["worker/module/index.js", "--compatibility-date", "2025-01-01"], calls: ["/", "/x"] },
  "vite-react": { template: "vite-react-template", build: ["npx", "vite", "build"], calls: [...pages, "/api/", "/api/x", "/vite.svg"] },
  "to-do-list": { template: "to-do-list-kv-template", build: ["npx", "remix", "vite:build"], calls: [...pages, ["POST", "/?index", "intent=create&text=a", "application/x-www-form-urlencoded"], "/x?_data=routes"] },
  "astro-blog": { template: "astro-blog-starter-template", build: ["npx", "astro", "build"], calls: [...pages, "/about", "/blog", "/blog/first-post/", "/rss.xml", "/sitemap-index.xml"] },
  ...own,
};

/** Leaves out what differs from run to run, and the reference's frames of its own middleware. */
const neutral = (text) => text
  .replace(/\n    at [^\n]*\/node_modules\/(wrangler|miniflare)\/[^\n]*/g, "").replace(/(\/[\w.-]+)-(eddy|wrangler)\//g, "$1/")
  .replace(/Fe26\.2\*[\w*.-]+/g, "SEALED").replace(/:\\"[\w+/]{80,}=*\\"/g, ":SEALED").replace(/\\"digest\\":\\"\d+\\"/g, "DIGEST").replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, "DATE")
  .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "UUID").replace(/[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}/g, "BOOKMARK")
  .replace(/[0-9a-f]{16,}/g, "HEX").replace(/localhost(:|%3A)\d+/g, "HOST").replace(/eyJ[\w.-]+/g, "TOKEN").replace(/"id":"[\w-]{21}"/g, '"id":"ID"').replace(/"d1Latency":\d+/g, '"d1Latency":N').replace(/"exp":\d{10}\b/g, '"exp":N')
  .replace(/"status":"(running|waiting|queued)","__LOCAL_DEV_STEP_OUTPUTS":[^\n]*?,"output":null/g, '"status":"going on"')
  .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE").replace(/\w{3} \w{3} \d\d \d{4} \d\d:\d\d:\d\d/g, "DATE").replace(/\b1[78]\d{11}\b/g, "MS").replace(/"(lat|lng)":[\d.-]+/g, '"$1":N');

const call = async (base, c, jar) => {
  const [method, path, body, type, headers] = typeof c === "string" ? ["GET", c] : c;
  if (method === "WAIT") return until(base, path, body);
  if (method === "LINKS") return links(base, path, jar);
  if (method === "FORM") return call(base, upload(path, { ...await hidden(base, path), ...body }), jar);
  if (method === "DO") return (await call(base, body === undefined ? path : ["POST", path, body, type])).split("\n", 2).join("\n") + "\n"; // the state that it tells is that of an instant
  // fetch would tidy the path.
  const args = ["-s", "-i", "-m", "180", "--path-as-is", ...(method === "HEAD" ? ["-I"] : ["-X", method]), base + path];
  if (body !== undefined) args.push("--data-binary", body, "-H", `content-type: ${type ?? "text/plain"}`);
  for (const [n, v] of Object.entries(headers ?? {})) args.push("-H", `${n}: ${v.replace("HOST", base)}`);
  if (jar) args.push("-b", jar, "-c", jar);
  const { status, stdout: text } = spawnSync("curl", args, { encoding: "utf8" });
  if (status !== 0) return `> ${method} ${path}\nno answer: curl ended with ${status}\n`;
  const [head, ...rest] = text.split("\r\n\r\n");
  const lines = head.split("\r\n");
  const kept = lines.slice(1).map((l) => l.replace(/^[^:]+/, (n) => n.toLowerCase()))
    .filter((l) => !/^(date|content-length|transfer-encoding|connection|keep-alive|etag|content-encoding|vary):/.test(l)).sort();
  return neutral(`> ${method} ${path}\n${lines[0].split(" ")[1]}\n${kept.join("\n")}\n${rest.join("\r\n\r\n")}\n`);
};

/** Asks for all that a page links to of the same origin, and then for what those modules import. */
const links = async (base, path, jar) => {
  const seen = new Set();
  const wanted = [path];
  let out = "";
  for (const at of wanted) {
    const text = await call(base, at, jar);
    if (at !== path) out += text;
    for (const [, to] of text.matchAll(/(?:href=|src=|from|import\(?)\s*["']((?:\/|\.)[^"'<>]*\.(?:m?js|css|svg|woff2))["']/g)) {
      const next = new URL(to, new URL(at, base)).pathname;
      if (seen.has(next)) continue;
      seen.add(next);
      wanted.push(next);
    }
  }
  return `> LINKS ${path} ${seen.size}\n${out}`;
};

/** The hidden inputs of a page. */
const hidden = async (base, path) => {
  const text = await (await fetch(base + path)).text();
  const tags = text.match(/<input[^>]*type="hidden"[^>]*>/g) ?? [];
  return Object.fromEntries(tags.map((t) => [/name="([^"]*)"/.exec(t)?.[1], /value="([^"]*)"/.exec(t)?.[1] ?? ""]));
};

/** Asks until the answer has the word, and gives that answer. */
const until = async (base, path, word) => {
  for (let i = 0; i < 100; i++) {
    const text = await call(base, path);
    if (text.includes(word)) return text;
    await new Promise((ok) => setTimeout(ok, 200));
  }
  return `> WAIT ${path}\n${word} never came, last: ${await call(base, path)}\n`;
};

/** Says the words one by one on a WebSocket, and gives what comes within a second after each. */
const talk = async (base, [path, ...words]) => {
  const ws = new WebSocket(base.replace("http", "ws") + path);
  const got = [];
  ws.onmessage = (m) => got.push(String(m.data));
  await new Promise((ok, no) => { ws.onopen = ok; ws.onerror = () => no(new Error(`no WebSocket at ${path}`)); });
  const wait = () => new Promise((ok) => setTimeout(ok, 1000));
  await wait();
  for (const w of words) { ws.send(w); await wait(); }
  ws.close();
  return neutral(`> WS ${path}\n${got.join("\n")}\n`);
};

let port = 21000 + process.pid % 20000;

/** What each life of the project at hand took, one of ours beside one of the reference's. */
let times = [];

/** Runs a project once from start to end and gives what it answered. */
async function life(command, folder, p, calls) {
  const base = `http://localhost:${++port}`;
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1", NO_COLOR: "1", PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH}` };
  const child = spawn(command, ["dev", "--port", String(port), ...(p.args ?? [])], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  const ready = new Promise((ok, no) => {
    const more = (d) => { log += d; if (/Ready on http/.test(log)) ok(); };
    child.stdout.on("data", more); child.stderr.on("data", more);
    child.on("exit", () => no(new Error(`ended before it was ready:\n${log}`)));
    setTimeout(() => no(new Error(`not ready after 300 s:\n${log}`)), 300_000).unref();
  });
  let out = "";
  const jar = p.own && join(folder, "cookies.txt");
  const began = performance.now();
  try {
    await ready;
    const up = performance.now();
    for (const c of calls) out += await call(base, c, jar);
    times.push(`${command === EDDY ? "eddy" : "wrangler"} ready after ${Math.round(up - began)} ms, answered ${calls.length} calls in ${Math.round(performance.now() - up)} ms`);
    if (p.talk) out += await talk(base, p.talk);
  } finally {
    child.kill("SIGINT");
    const hangs = setTimeout(() => child.kill("SIGKILL"), 10_000);
    if (child.exitCode === null) await once(child, "exit");
    clearTimeout(hangs);
    writeFileSync(join(folder, "log.txt"), log);
  }
  return out;
}

async function run(name, p) {
  const from = p.own ? join(import.meta.dirname, "own", p.own) : p.c3 ? join(C3, p.c3) : p.sdk ? join(SDK, "fixtures", p.sdk) : join(TEMPLATES, p.template);
  const folder = join(BUILT || WORK, name);
  times = [];
  if (BUILT && existsSync(folder)) return compare(name, p, folder);
  cpSync(from, folder, { recursive: true, filter: (f) => !/node_modules|\/\.wrangler/.test(f.slice(from.length)) });
  for (const f of readdirSync(folder)) {
    if (!/^wrangler\.(jsonc?|toml)$/.test(f)) continue;
    const file = join(folder, f);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("<TBD>", "2026-04-01").replaceAll("<WORKER_NAME>", "my-app").replaceAll("<COMPATIBILITY_DATE>", "2026-04-01"));
  }
  const list = join(folder, "package.json");
  if (existsSync(list)) {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(list, "utf8"));
    // What only checks, tests and deploys is left out.
    const build = Object.entries(p.sdk ? {} : devDependencies ?? {})
      .filter(([n]) => p.build ? !/^(eslint|prettier|@types|vitest|@cloudflare\/vitest|playwright)/.test(n) : !/^(@|wrangler$|vite|typescript|eslint|prettier)/.test(n));
    const wants = p.sdk ? { ...p.wants } : { ...dependencies, ...Object.fromEntries(build) };
    if (p.builds) wants.esbuild = "^0.25.0"; // wrangler brings it along
    const { name: title, type } = JSON.parse(readFileSync(list, "utf8"));
    writeFileSync(list, JSON.stringify({ name: title, type, private: true, dependencies: wants }));
    rmSync(join(folder, "package-lock.json"), { force: true });
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
    if (Object.keys(wants).length > 0) execFileSync("npm", args, { cwd: folder, stdio: "pipe" });
  }
  for (const [as, fixture] of Object.entries(p.beside ?? {})) cpSync(join(SDK, "fixtures", fixture), join(folder, "node_modules", as), { recursive: true });
  if (p.build) execFileSync(p.build[0], p.build.slice(1), { cwd: folder, stdio: "pipe", env: { ...process.env, CI: "1", ...p.env } });
  return compare(name, p, folder);
}

/** Runs what was built on both, each twice, and tells how the answers differ. */
async function compare(name, p, folder) {
  const answers = [];
  for (const command of [WRANGLER, EDDY]) {
    const own = `${join(WORK, name)}-${command === EDDY ? "eddy" : "wrangler"}`;
    cpSync(folder, own, { recursive: true, verbatimSymlinks: true, filter: (f) => !p.own || f !== join(folder, "node_modules") });
    if (p.own) symlinkSync(join(folder, "node_modules"), join(own, "node_modules"));
    if (p.database) execFileSync(command, ["d1", "migrations", "apply", p.database, "--local"], { cwd: own, stdio: "pipe", env: { ...process.env, CI: "1" } });
    const first = await life(command, own, p, p.calls);
    answers.push(`${first}= started again\n${await life(command, own, p, p.again ?? p.calls)}`);
    rmSync(own, { recursive: true, force: true });
  }
  if (!BUILT) rmSync(folder, { recursive: true, force: true });
  if (p.own) console.log(times.map((t) => `  ${t}`).join("\n"));
  if (answers[0] === answers[1]) return `same (${answers[0].split("\n> ").length} answers)`;
  const [a, b] = answers.map((text, i) => { const f = join(WORK, `${name}.${i}`); writeFileSync(f, text); return f; });
  let diff = "";
  try { execFileSync("diff", ["-U3", a, b]); } catch (e) { diff = String(e.stdout); }
  return `DIFFERS\n${diff}`;
}

const wanted = process.argv.slice(2);
let same = 0, count = 0;
for (const [name, p] of Object.entries(projects)) {
  if (wanted.length > 0 && !wanted.includes(name) || (p.template && !TEMPLATES || p.sdk && !SDK)) continue;
  count++;
  const result = await run(name, p).catch((e) => `FAILED ${e.message} ${e.stderr ?? ""}`);
  if (result.startsWith("same")) same++;
  console.log(`${name}: ${result}`);
}
console.log(`${count} projects, ${same} the same`);
