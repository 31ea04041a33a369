// eddy dev and wrangler dev take turns on one state directory. Each reads what the other wrote, and alarms that the
// other set ring.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "./session.mjs";

const config = "workers/exchange.jsonc";

/** wrangler dev on a state directory; it and all its children end with stop. */
async function startWrangler(state) {
  const child = spawn(
    process.execPath,
    ["node_modules/wrangler/bin/wrangler.js", "dev", "-c", config, "--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0",
      "--persist-to", state, "--show-interactive-dev-session=false"],
    { stdio: ["ignore", "pipe", "pipe"], detached: true, env: { ...process.env, CI: "1", NO_COLOR: "1", WRANGLER_SEND_METRICS: "false", XDG_CONFIG_HOME: process.cwd() + "/config" } },
  );
  const ended = once(child, "close");
  let text = "";
  const url = await new Promise((resolve, reject) => {
    const see = (chunk) => {
      const m = /Ready on (http:\S+)\s/.exec((text += chunk));
      if (m) resolve(m[1]);
    };
    child.stdout.on("data", see);
    child.stderr.on("data", see);
    ended.then(() => reject(new Error("wrangler dev ended:\n" + text)));
  });
  return {
    url,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL");
      await ended;
      // workerd, which has the databases open, is a child of the child.
      while (processesOf(child.pid).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

/** The processes of a group that have not ended. */
const processesOf = (group) =>
  execFileSync("ps", ["-eo", "pgid=,stat="], { encoding: "utf8" }).split("\n").map((l) => l.trim().split(/\s+/))
    .filter(([of, stat]) => Number(of) === group && !stat.startsWith("Z"));

const get = async (session, path) => {
  const res = await fetch(session.url + path);
  const text = await res.text();
  assert.equal(res.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
};

/** Asks until the answer passes, because the alarm rings at a time of its own. */
async function until(session, path, test) {
  for (;;) {
    const answer = await get(session, path);
    if (test(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function run(test) {
  await test("a state directory goes from eddy to wrangler dev and back (DEV4, KV17, AL7, CL15)", async () => {
    const state = await mkdtemp(join(tmpdir(), "eddy-npm-exchange-"));
    try {
      const eddy = await start(config, "--persist-to", state);
      const first = await get(eddy, "/write/eddy");
      await eddy.stop();

      const wrangler = await startWrangler(state);
      try {
        assert.deepEqual(await get(wrangler, "/read/eddy"), first);
        await until(wrangler, "/rang/eddy", (at) => at > 0);
        const second = await get(wrangler, "/write/wrangler");
        assert.notDeepEqual(second.id, first.id);
        await wrangler.stop();

        const again = await start(config, "--persist-to", state);
        assert.deepEqual(await get(again, "/read/wrangler"), second);
        assert.deepEqual((await get(again, "/read/eddy")).values, first.values);
        await until(again, "/rang/wrangler", (at) => at > 0);
        await again.stop();
      } catch (e) {
        await wrangler.stop().catch(() => {});
        throw e;
      }
    } finally {
      await rm(state, { recursive: true, force: true });
    }
  });
}
