// The real wrangler CLI runs its commands for workflows against the REST API, and with --local (FLOW-190 to FLOW-206). With
// WRANGLER=path/to/wrangler.js, one of 4.160 or later, also those that the suite's wrangler does not know.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { start } from "./session.mjs";

export async function run(test) {
  const session = await start("workers/workflows.jsonc");
  const env = {
    ...process.env, CLOUDFLARE_API_BASE_URL: session.api, CLOUDFLARE_API_TOKEN: "any", CLOUDFLARE_ACCOUNT_ID: "any",
    CI: "1", NO_COLOR: "1", WRANGLER_SEND_METRICS: "false", XDG_CONFIG_HOME: process.cwd() + "/config",
  };
  const wrangler = (args) =>
    new Promise((resolve) => {
      execFile(process.execPath, [process.env.WRANGLER ?? "node_modules/wrangler/bin/wrangler.js", "workflows", ...args], { env },
        (error, stdout, stderr) => resolve({ code: error ? error.code : 0, text: stdout + stderr }));
    });
  const port = new URL(session.url).port;
  const until = async (id, status) =>
    assert.equal(await (await fetch(`${session.url.replace("localhost", "127.0.0.1")}/?id=${id}&status=${status}`)).text(), "so it is");
  // Each step is [command line, exit code, texts that must be printed], or a function.
  const steps = (name, list, ...flags) =>
    test(name, async () => {
      for (const step of list) {
        if (typeof step === "function") { await step(); continue; }
        const [command, code, ...texts] = step;
        const res = await wrangler([...command.split(" "), ...flags]);
        for (const t of texts) assert.ok(t instanceof RegExp ? t.test(res.text) : res.text.includes(t), `wrangler workflows ${command}: no ${t} in:\n${res.text}`);
        assert.equal(res.code, code, `wrangler workflows ${command}:\n${res.text}`);
      }
    });
  const list = (id, triggered) => [
    ["list", 0, /flow .*flows .*Flow/],
    ["describe flow", 0, "Flow"],
    [`trigger flow {"n":1} --id ${id}`, 0, triggered],
    () => until(id, "waiting"),
    ["instances list flow --status waiting", 0, id, "Waiting"],
    [`instances pause flow ${id}`, 0, "was paused successfully"],
    [`instances resume flow ${id}`, 0, "was resumed successfully"],
    [`instances send-event flow ${id} --type go --payload {"x":2}`, 0, 'with type "go" and payload'],
    () => until(id, "complete"),
    [`instances describe flow ${id}`, 0, "Completed", "one-1", "go-1", '{"x":2}'],
    [`instances restart flow ${id}`, 0, "was restarted successfully"],
    () => until(id, "waiting"),
    [`instances terminate flow ${id}`, 0, "was terminated successfully"],
    [`instances describe flow ${id}`, 0, "Terminated"],
    [`instances terminate flow ${id}`, 1, "Cannot terminate instance since its on a finite state"],
    ...(process.env.WRANGLER ? newer(id) : []),
  ];
  const newer = (id) => [
    [`instances restart flow ${id} --from-step-name go --from-step-type waitForEvent`, 0, "was restarted successfully"],
    () => until(id, "waiting"),
    [`instances terminate flow ${id} --rollback`, 0, "was terminated successfully"],
    [`instances delete flow ${id} none`, 1, `Deleted workflow instances from "flow": "${id}"`, "none: workflows.api.error.instance.not_found"],
  ];
  await steps("every command, against the API", [
    ...list("a", "has been queued successfully"),
    ["describe none", 1, "[code: 10200]"],
    ["trigger flow", 0],
    ["instances terminate-all flow", 0, "A job to terminate instances"],
    ["instances describe flow latest", 0, "Terminated"],
    ["delete flow", 0],
    ["instances list flow", 0, 'There are no instances in workflow "flow"'],
  ]);
  await steps("every command, with --local", list("b", "has been triggered successfully"), "--local", "--port", port);
  await session.stop();
}
