// The project of `eddy init` with the real tools: wrangler deploys it unchanged, tsc accepts it with its declarations, and
// vitest with Cloudflare's integration runs its tests. It lies below this suite, whose packages it finds.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

const node = (script, ...args) => {
  const res = spawnSync(process.execPath, [`../node_modules/${script}`, ...args], {
    cwd: "made", encoding: "utf8", env: { ...process.env, CI: "1", NO_COLOR: "1", WRANGLER_SEND_METRICS: "false" },
  });
  return { code: res.status, text: res.stdout + res.stderr };
};
const succeeds = (text, script, ...args) => {
  const res = node(script, ...args);
  assert.equal(res.code, 0, res.text);
  assert.match(res.text, text);
};

export async function run(test) {
  rmSync("made", { recursive: true, force: true });
  await test("it is made, and eddy test passes", () => {
    execFileSync(process.env.EDDY, ["init", "made"]);
    assert.match(execFileSync(process.env.EDDY, ["test", "--root", "made", "--run"], { encoding: "utf8" }), /3 passed/);
  });
  await test("wrangler would deploy it", () => {
    succeeds(/--dry-run: exiting now/, "wrangler/bin/wrangler.js", "deploy", "--dry-run");
  });
  await test("tsc accepts it with the types of eddy types", () => {
    execFileSync(process.env.EDDY, ["types", "--cwd", "made"]);
    succeeds(/^$/, "typescript/bin/tsc");
  });
  await test("vitest with Cloudflare's integration passes", () => {
    succeeds(/3 passed/, "vitest/vitest.mjs", "run");
  });
}
