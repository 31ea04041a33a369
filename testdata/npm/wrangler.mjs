// The real wrangler CLI runs every command of W-1 to W-7 that a stub once ran (T-2).
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { start } from "./session.mjs";

export async function run(test) {
  const session = await start("workers/queues.jsonc");
  const env = {
    ...process.env, CLOUDFLARE_API_BASE_URL: session.api, CLOUDFLARE_API_TOKEN: "any", CLOUDFLARE_ACCOUNT_ID: "any",
    CI: "1", NO_COLOR: "1", WRANGLER_SEND_METRICS: "false", XDG_CONFIG_HOME: process.cwd() + "/config",
  };
  const wrangler = (...args) =>
    new Promise((resolve) => {
      execFile(process.execPath, ["node_modules/wrangler/bin/wrangler.js", "queues", ...args], { env }, (error, stdout, stderr) => {
        resolve({ code: error ? error.code : 0, text: stdout + stderr, stdout });
      });
    });
  // Each step is [command line, exit code, texts that must be printed].
  const steps = async (name, list) =>
    test(name, async () => {
      for (const [command, code, ...texts] of list) {
        const res = await wrangler(...(Array.isArray(command) ? command : command.split(" ")));
        for (const t of texts) assert.ok(t instanceof RegExp ? t.test(res.text) : res.text.includes(t), `wrangler queues ${command}: no ${t} in:\n${res.text}`);
        assert.equal(res.code, code, `wrangler queues ${command}:\n${res.text}`);
      }
    });
  await Promise.all([
    steps("create, list, update, info, delete (W-1, W-2)", [
      ["create w1 --delivery-delay-secs 5 --message-retention-period-secs 3600", 0, "Created queue 'w1'"],
      ["list", 0, "w1", "bound"],
      ["update w1 --delivery-delay-secs 9", 0, "Updated queue w1"],
      ["info w1", 0, "Queue Name: w1", "Number of Consumers: 0"],
      ["create w1", 1, /A request to the Cloudflare API \(.*\/queues\) failed\./, "[code: 11009]"], // T-5
      ["delete w1", 0, "Deleted queue w1"],
      ["info w1", 1, 'Queue "w1" does not exist. To create it, run: wrangler queues create w1'],
    ]),
    steps("pause, resume, purge (W-3, W-4)", [
      ["create w2", 0],
      ["pause-delivery w2", 0, "Paused message delivery for queue w2."],
      ["resume-delivery w2", 0, "Resumed message delivery for queue w2."],
      ["purge w2", 1, "The --force flag is required to purge a Queue in non-interactive mode"],
      ["purge w2 --force", 0, "Purged Queue 'w2'"],
    ]),
    steps("worker consumers (W-5, W-6)", [
      ["create w3", 0],
      ["consumer add w3 consumer --batch-size 3 --batch-timeout 2 --message-retries 4 --dead-letter-queue w3-dlq --max-concurrency 5 --retry-delay-secs 6", 0, "Added consumer to queue w3."],
      ["consumer list w3", 0, /consumer .*w3-dlq .*3 .*4 .*2000 .*5 .*6/],
      ["consumer add w3 consumer", 1, "[code: 11004]"],
      ["consumer remove w3 consumer", 0, "Removed consumer from queue w3."],
      ["consumer worker add w3 consumer", 0, "Added consumer to queue w3."],
      ["consumer worker list w3", 0, "consumer"],
      ["consumer worker remove w3 other", 1, "No worker consumer 'other' exists for queue w3"],
      ["consumer worker remove w3 consumer", 0, "Removed consumer from queue w3."],
    ]),
    steps("pull consumers (W-5, W-6)", [
      ["create w4", 0],
      ["consumer http remove w4", 1, "No http_pull consumer exists for queue w4"],
      ["consumer http add w4 --batch-size 7 --message-retries 2 --dead-letter-queue w4-dlq --visibility-timeout-secs 40 --retry-delay-secs 3", 0, "Added consumer to queue w4."],
      ["consumer http list w4", 0, /w4-dlq .*7 .*2 .*40000 .*3/],
      ["consumer http remove w4", 0, "Removed consumer from queue w4."],
    ]),
    steps("event subscriptions (W-7)", [
      ["create w5", 0],
      ["subscription create w5 --source kv --events namespace.created", 0, "w5 kv"],
      ["subscription list w5", 0, "w5 kv", "namespace.created"],
    ]),
  ]);
  await test("get, update and delete a subscription (W-7)", async () => {
    const res = await wrangler("subscription", "list", "w5", "--json");
    const [{ id }] = JSON.parse(res.stdout.slice(res.stdout.indexOf("[")));
    for (const [args, text] of [
      [["get", "w5", "--id", id], "w5 kv"],
      [["update", "w5", "--id", id, "--name", "renamed"], "renamed"],
      [["get", "w2", "--id", id], /not|does/],
      [["delete", "w5", "--id", id, "--force"], /[Dd]eleted/],
    ]) {
      const got = await wrangler("subscription", ...args);
      assert.ok(text instanceof RegExp ? text.test(got.text) : got.text.includes(text), `${args}: no ${text} in\n${got.text}`);
    }
  });
  await session.stop();
}
