// What suites use of vitest, by the example of Cloudflare's own (TEST-78). Each folder runs once, in its place in the repository, with the packages that it names. See run.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { EDDY, WORK, PACKAGES } = process.env;

/** How many tests each folder has, and whether the issue demands it (TEST-140). */
const head = {
  "basics-unit-integration-self": 5, "basics-integration-auxiliary": 2, "context-exports": 14, d1: 7, "durable-objects": 9,
  "durable-objects-exports": 2, "dynamic-import": 2, "kv-r2-caches": 2, misc: 20, "multiple-workers": 2, queues: 5,
  "request-mocking": 5, reset: 11, rpc: 31, "web-assembly": 2, "pages-with-config": 1, "workers-assets": 3,
  "workers-assets-no-dir": 1,
};
const beyond = {
  "ai-vectorize": 4, "container-app": 2, hyperdrive: 1, images: 1, "module-resolution": 10, "new-config": 4,
  "pages-functions-unit-integration-self": 9, pipelines: 2, workflows: 11,
};
/** What is behind a failure whose own text does not tell. */
const notes = {
  "context-exports": "the test asserts that the integration cannot see an export that production has; eddy serves it, as production does",
  "module-resolution": "it gives discord-api-types to JSON.stringify; under Vite its names are undefined, eddy has the values, BigInts among them",
  "request-mocking": "the registry does not have @msw/cloudflare",
};
const older = { d1: 7, "kv-r2-caches": 8, queues: 5 };
const templates = { "hello-world/ts": 2, "hello-world/js": 2, "hello-world-with-assets/ts": 4, "hello-world-with-assets/js": 4 };

/** Installs what the fixtures' own package.json names, but for the repository's packages, which eddy has in itself. */
const install = (root, fixtures) => {
  const own = JSON.parse(readFileSync(join(fixtures, "package.json"), "utf8")).devDependencies;
  const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8").split(/^catalogs?:/m).slice(1).join("");
  const wanted = {};
  for (let [name, version] of Object.entries(own)) {
    if (version.startsWith("workspace:") || name.startsWith("@types/") || ["vite", "vitest", "typescript"].includes(name)) continue;
    if (name.startsWith("@cloudflare/workers-types")) continue;
    if (version.startsWith("catalog:")) version = catalog.match(new RegExp(`^ +"?${name}"?: "?([^"\\s]+)`, "m"))?.[1] ?? "latest";
    wanted[name] = version.replace("file:./", `file:${fixtures}/`);
  }
  // An optional package that the registry does not have is left out, and its suite says so.
  writeFileSync(join(root, "package.json"), JSON.stringify({ private: true, optionalDependencies: wanted }));
  execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"], { cwd: root, stdio: "inherit" });
  if (PACKAGES) cpSync(PACKAGES, join(root, "node_modules"), { recursive: true, dereference: true });
};

/** Does to a template what create-cloudflare does: names, dates, and files whose names begin with a dot. */
const fill = (folder) => {
  for (const name of readdirSync(folder)) {
    if (name.startsWith("__dot__")) renameSync(join(folder, name), join(folder, name.replace("__dot__", ".")));
    if (!/^(package\.json|wrangler\.jsonc?)$/.test(name)) continue;
    const text = readFileSync(join(folder, name), "utf8");
    writeFileSync(join(folder, name), text.replaceAll("<WORKER_NAME>", "template").replaceAll("<COMPATIBILITY_DATE>", "2026-08-01"));
  }
};

const plain = (text) => text.replace(/\x1b\[[\d;]*m/g, "");
const firstLine = (text) => plain(text).split("\n").map((l) => l.trim()).find((l) => l) ?? "";

/** Runs one configuration, and gives how many tests it had, how many passed, and what the others said. */
const runOne = (folder, config) => {
  const report = join(WORK, "report.json");
  rmSync(report, { force: true });
  const args = ["test", "--run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  if (config) args.push("-c", config);
  const { status, stdout, stderr } = spawnSync(EDDY, args, { cwd: folder, encoding: "utf8", timeout: 300_000, env: { ...process.env, NO_COLOR: "1" } });
  const text = existsSync(report) ? readFileSync(report, "utf8") : "";
  if (text === "") {
    const said = plain(`${stderr}\n${stdout}`).split("\n").filter((l) => /error|fail|cannot|no test/i.test(l));
    return { tests: 0, passed: 0, why: [`exit ${status}: ${said[0]?.trim() ?? firstLine(stderr || stdout)}`] };
  }
  const { testResults, numTotalTests, numPassedTests } = JSON.parse(text);
  const why = [];
  for (const file of testResults) {
    const broken = file.assertionResults.filter((t) => t.status === "failed");
    for (const t of broken) why.push(`${t.fullName}: ${firstLine(t.failureMessages[0] ?? "")}`);
    if (file.status === "failed" && broken.length === 0) why.push(`${file.name.slice(folder.length + 1)}: ${firstLine(file.message ?? "")}`);
  }
  if (status !== 0 && why.length === 0) why.push(`exit ${status}: ${firstLine(stderr)}`);
  return { tests: numTotalTests, passed: numPassedTests, why };
};

const wanted = process.argv.slice(2);
let failed = false;
const table = (title, root, of, prefix = "") => {
  let [all, good] = [0, 0];
  const rows = [];
  for (const [name, expected] of Object.entries(of)) {
    if (wanted.length && !wanted.includes(prefix + name)) continue;
    const folder = join(root, name);
    const configs = readdirSync(folder).filter((f) => /^vitest\..*config\.[mc]?[jt]s$/.test(f) || /^vitest\.config\./.test(f));
    const runs = configs.map((c) => runOne(folder, c));
    const passed = runs.reduce((n, r) => n + r.passed, 0);
    // A test that two configurations run counts once.
    const counted = Math.min(passed, expected);
    // A configuration of several may have no file of its own (TEST-141).
    let why = runs.flatMap((r) => r.why);
    if (counted === expected) why = why.filter((reason) => !reason.includes("No test files found"));
    const short = counted < expected || why.length > 0;
    failed ||= short;
    all += expected;
    good += counted;
    console.log(`${(prefix + name).padEnd(44)} ${String(counted).padStart(4)} of ${String(expected).padStart(3)}`);
    for (const reason of why) console.log(`    ${reason}`);
    if (why.length && notes[name]) console.log(`    (${notes[name]})`);
    rows.push(name);
  }
  if (rows.length) console.log(`${title.padEnd(44)} ${String(good).padStart(4)} of ${String(all).padStart(3)}\n`);
};

const any = (of, prefix) => !wanted.length || Object.keys(of).some((n) => wanted.includes(prefix + n));
if (any({ ...head, ...beyond }, "")) {
  const at = join(WORK, "head/fixtures/vitest-plugin-examples");
  install(join(WORK, "head"), at);
  table("the 18 that the issue demands", at, head);
  table("the others", at, beyond);
}
if (any(older, "old/")) {
  const at = join(WORK, "old/fixtures/vitest-pool-workers-examples");
  install(join(WORK, "old"), at);
  table("the older pool, 0.12.21", at, older, "old/");
}
for (const name of Object.keys(templates)) fill(join(WORK, "c3", name));
table("create-cloudflare", join(WORK, "c3"), templates, "c3/");
process.exitCode = failed ? 1 : 0;
