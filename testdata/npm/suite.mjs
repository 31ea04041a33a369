// Runs every suite, prints what failed, and exits with 1 if anything did.
import * as sdk from "./sdk.mjs";
import * as wranglerCli from "./wrangler.mjs";
import * as workflows from "./workflows.mjs";
import * as apps from "./apps.mjs";
import * as packages from "./packages.mjs";
import * as exchange from "./exchange.mjs";
import * as brand from "./brand.mjs";
import * as types from "./types.mjs";
import * as init from "./init.mjs";
import * as inspect from "./inspect.mjs";
import * as jsdebug from "./jsdebug.mjs";
import * as containers from "./containers.mjs";
import * as kernels from "./kernels.mjs";

const wanted = process.argv.slice(2);
let failed = 0;
for (const [name, suite] of Object.entries({ sdk, wrangler: wranglerCli, workflows, packages, apps, brand, exchange, types, init, inspect, jsdebug, containers, kernels })) {
  if (wanted.length > 0 && !wanted.some((w) => name.includes(w))) continue;
  const began = Date.now();
  await suite.run(async (what, test) => {
    // What never comes is not waited for until somebody ends the whole run without saying which test it was.
    const hangs = setTimeout(() => {
      console.log(`FAIL  ${name}: ${what}\nhas not ended in ten minutes`);
      process.exit(1);
    }, 600_000);
    try {
      await test();
      console.log(`ok    ${name}: ${what}`);
    } catch (e) {
      failed++;
      console.log(`FAIL  ${name}: ${what}\n${e.stack ?? e}`);
    } finally {
      clearTimeout(hangs);
    }
  });
  console.log(`      ${name} took ${Date.now() - began} ms`);
}
if (failed > 0) {
  console.log(`${failed} failed`);
  process.exit(1);
}
