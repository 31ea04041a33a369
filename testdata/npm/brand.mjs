// The example brand-engine with the agents SDK itself: a brand's agent begins its campaign when the cron fires, a workflow
// researches each keyword, and the agent looks at the campaign a day later (BE-7).
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { start } from "./session.mjs";

const folder = "brand-engine";

/** Takes the line out of the configuration that names the example's own file "agents". */
async function useTheSDK() {
  const file = `${folder}/strategist/wrangler.jsonc`;
  const text = await readFile(file, "utf8");
  const line = /"alias": .*\n/;
  assert.match(text, line);
  await writeFile(file, text.replace(line, '"compatibility_flags": ["nodejs_compat"],\n'));
}

export async function run(test) {
  await useTheSDK();
  const workers = ["strategist", "gatherfeed", "publisher", "social", "deadletters", "model"];
  const session = await start(workers.map((w) => `${folder}/${w}/wrangler.jsonc`), "--time=virtual");
  const eddy = (...args) => promisify(execFile)(process.env.EDDY, [...args, "--persist-to", session.state]);
  await eddy("d1", "migrations", "apply", "strategist", "-c", `${folder}/strategist`);
  await eddy("d1", "migrations", "apply", "site", "-c", `${folder}/publisher`);
  const url = session.url.replace("localhost", "127.0.0.1");
  const ask = async (path, init) => (await fetch(url + path, init)).text();
  await test("a brand is learnt", async () => {
    const body = JSON.stringify({ voice: "salty", keywords: ["tide", "rope", "knot"] });
    const want = { voice: "salty", keywords: ["tide", "rope", "knot"], campaigns: {} };
    assert.deepEqual(JSON.parse(await ask("/brands/harbour", { method: "POST", body })), want);
  });
  await test("its campaign goes through all five Workers, and is looked at a day later (BE-7)", async () => {
    await ask("/cdn-cgi/handler/scheduled?cron=0+6+*+*+1");
    await eddy("time", "advance", "1m");
    await eddy("time", "advance", "24h");
    await session.line((l) => l.msg?.includes("harbour: 3 published since the campaign of"));
    const counts = {
      "campaign.start": 1, "content.generated": 3, "content.publish": 3, "content.published": 3, "research.completed": 3,
      "research.requested": 3, "social.post": 3, "social.posted": 3,
    };
    assert.deepEqual(JSON.parse(await ask("/")), counts);
    assert.deepEqual(Object.values(JSON.parse(await ask("/brands/harbour")).campaigns), [3]);
  });
  await session.stop();
}
