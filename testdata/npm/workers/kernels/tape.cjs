// What the packages' own tests ask of tape and mocha: each assertion is node:assert's, and what fails is kept.
const assert = require("node:assert");

const results = { passed: 0, failed: [] };

// What a script asks for at its top level waits: the whole takes longer than a Worker's start may.
let waiting = [];

function run(name, test, ...args) {
  if (waiting) {
    waiting.push([name, test, ...args]);
    return;
  }
  try {
    test(...args);
  } catch (e) {
    results.failed.push(`${name}: ${e?.stack ?? e}`);
  }
}

const asserts = new Proxy(assert, {
  get(target, name) {
    const check = target[name];
    return typeof check !== "function" ? check : (...args) => {
      check(...args);
      results.passed++;
    };
  },
});

const names = { equal: "strictEqual", equals: "strictEqual", same: "deepEqual", deepEquals: "deepEqual", true: "ok" };

/** tape's test function. */
function tape(name, test) {
  if (/performance/.test(name)) return; // which says how fast it is, no more
  run(name, test, new Proxy({}, {
    get(_, what) {
      if (what === "test") return tape;
      if (what === "end" || what === "plan" || what === "comment") return () => {};
      return asserts[names[what] ?? what];
    },
  }));
}

globalThis.describe = globalThis.context = (name, test) => run(name, test);
globalThis.it = (name, test) => {
  run(name, test, () => {});
  results.passed++;
};

module.exports = tape;
/** Runs what has been asked for, and tells what came of it. */
tape.run = () => {
  const all = waiting ?? [];
  waiting = null;
  for (const test of all) run(...test);
  return results;
};
