// Numeric kernels: packages that compute with numbers pass their own tests with kernels and without, as far as npm has
// them, and give what they give in Node.
import assert from "node:assert/strict";
import { start } from "./session.mjs";
import { outputs } from "./workers/kernels/outputs.js";

export async function run(test) {
  let want;
  for (const kernels of ["off", ""]) {
    await test(kernels === "off" ? "without" : "with", async () => {
      want ??= outputs();
      const before = process.env.EDDY_KERNELS;
      process.env.EDDY_KERNELS = kernels;
      const session = await start("workers/kernels.jsonc");
      process.env.EDDY_KERNELS = before ?? "";
      try {
        const own = await (await fetch(session.url + "/tests")).json();
        assert.deepEqual(own.failed, []);
        assert.ok(own.passed >= 99, `${own.passed} assertions of the packages' own`);
        assert.deepEqual(await (await fetch(session.url + "/outputs")).json(), want);
      } finally {
        await session.stop();
      }
    });
  }
}
