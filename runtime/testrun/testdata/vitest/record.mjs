// Records what vitest says of the tests in this folder, from its JSON report:
//   npx vitest run --reporter=json --outputFile=out.json; node record.mjs out.json .
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [report, folder] = process.argv.slice(2);
for (const file of JSON.parse(readFileSync(report, "utf8")).testResults) {
  const out = {};
  for (const test of file.assertionResults)
    out[test.fullName] = {
      status: test.status === "pending" ? "skipped" : test.status,
      errors: test.failureMessages.map((m) => (m === null ? null : m.split(/\n    at /)[0])),
    };
  writeFileSync(join(folder, basename(file.name).replace(".test.js", ".json")), `${JSON.stringify(out, null, 1)}\n`);
}
