// do-queue in TypeScript (DQ-1). With the output of `eddy types --do-queue` the real compiler accepts the code of do-queue's page, and
// the same code runs.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { start } from "./session.mjs";

const dir = "workers/lanes";
const tsc = (...files) =>
  spawnSync(process.execPath, [
    "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "esnext", "--module", "esnext",
    "--moduleResolution", "bundler", "--lib", "esnext", "--types", "@cloudflare/workers-types", ...files,
  ], { encoding: "utf8" });

export async function run(test) {
  await test("without declarations tsc does not know the module", () => {
    assert.match(tsc(`${dir}/index.ts`).stdout, /TS2307: Cannot find module '@cloudflare-boilerplate\/do-queue'/);
  });
  await test("with those of eddy types --do-queue it compiles strictly", () => {
    execFileSync(process.env.EDDY, ["types", "--do-queue", `${dir}/do-queue.d.ts`]);
    const res = tsc(`${dir}/index.ts`, `${dir}/do-queue.d.ts`);
    assert.equal(res.stdout + res.stderr, "");
  });
  await test("it runs, bound as the page binds it", async () => {
    const session = await start(`${dir}/wrangler.jsonc`);
    assert.equal(await (await fetch(session.url)).text(), "sent");
    for (const text of ["handled bar 1 function", "handled inferred 1 function", "dead bad 2"]) {
      await session.line((l) => l.msg?.startsWith(text));
    }
    await session.stop();
  });
}
