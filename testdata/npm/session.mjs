// A running `eddy dev` for a suite.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts `eddy dev` on a configuration, or on several, and waits for its ready line. */
export async function start(config, ...flags) {
  const state = await mkdtemp(join(tmpdir(), "eddy-npm-"));
  const child = spawn(
    process.env.EDDY,
    ["dev", ...[config].flat().flatMap((c) => ["-c", c]), "--port", "-1", "--persist-to", state, "--no-watch", "--log-format", "json", ...flags],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const lines = [];
  const waiting = new Set();
  let rest = "";
  child.stdout.setEncoding("utf8"); // a chunk may end within a character
  child.stdout.on("data", (chunk) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    for (const p of parts) {
      lines.push(JSON.parse(p));
      for (const w of [...waiting]) w();
    }
  });
  let over = false; // its output, too, has come to its end
  const ended = once(child, "close").then(() => {
    over = true;
    for (const w of [...waiting]) w();
  });
  /** The first line after the given index that passes the test. */
  const line = (test, from = 0) =>
    new Promise((resolve, reject) => {
      let at = from;
      const look = () => {
        while (at < lines.length) {
          const l = lines[at++];
          if (test(l)) {
            waiting.delete(look);
            return resolve(l);
          }
        }
        if (over) {
          waiting.delete(look);
          reject(new Error("eddy dev ended:\n" + lines.map((l) => l.msg).join("\n")));
        }
      };
      waiting.add(look);
      look();
    });
  const ready = await line((l) => l.kind === "ready");
  return {
    url: ready.url,
    state,
    lines,
    line,
    api: `${ready.url.replace("localhost", "127.0.0.1")}/cdn-cgi/eddy/client/v4`,
    /** Ends it as kill -9 does. Its state stays. */
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGINT");
      await ended;
      await rm(state, { recursive: true, force: true });
    },
  };
}
