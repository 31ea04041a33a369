// Records what vitest prints for cases.txt, and its exit codes: in a folder that has vitest 4.1 and these files,
//   node record.mjs
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const out = [];
for (const line of readFileSync("cases.txt", "utf8").trim().split("\n")) {
  const env = { ...process.env, NO_COLOR: "1", CI: "", GITHUB_ACTIONS: "" };
  const r = spawnSync("npx", ["--offline", "vitest", "run", ...line.split(" ")], { env, encoding: "utf8" });
  out.push({ args: line, code: r.status, stdout: r.stdout, stderr: r.stderr.replace(/^npm warn.*\n/gm, "") });
}
writeFileSync("recorded.json", JSON.stringify(out, null, 1).replaceAll(process.cwd(), "$DIR") + "\n");
