// What `import … from "vitest"` gives (TEST-79).
(function (v) {
  "use strict";
  v.provided = v.config.provided ?? {};
  const test = (v.test = v.makeTest(new Map()));
  const need = (word) => {
    const t = v.running();
    if (!t) throw new Error(`Hook ${word}() can only be called inside a test`);
    return t;
  };
  const nothing = () => typed;
  const typed = new Proxy(function () {}, {
    get: (_, k) => (k === Symbol.toPrimitive ? () => "" : typed),
    apply: () => typed,
  });
  v.chai = {
    Assertion: v.Assertion,
    AssertionError: v.AssertionError,
    get assert() {
      return v.assert;
    },
    expect: v.expect,
    should: v.should,
    use: (plugin) => {
      v.makeWords();
      plugin(v.chai, {
        flag: v.flag,
        inspect: v.inspect,
        addMethod: (p, n, f) => v.method(n, f),
        addProperty: (p, n, f) => v.property(n, f),
      });
      return v.chai;
    },
    util: { flag: v.flag, inspect: v.inspect },
    config: { truncateThreshold: 40, includeStack: false, showDiff: true },
  };
  v.module = {
    test,
    it: test,
    describe: v.describe,
    suite: v.describe,
    beforeAll: v.beforeAll,
    afterAll: v.afterAll,
    beforeEach: v.beforeEach,
    afterEach: v.afterEach,
    aroundEach: v.aroundEach,
    aroundAll: v.aroundAll,
    onTestFinished: (fn) => {
      need("onTestFinished").finished.push(fn);
    },
    onTestFailed: (fn) => {
      need("onTestFailed").failed.push(fn);
    },
    expect: v.expect,
    createExpect: v.createExpect,
    get assert() {
      return v.assert;
    },
    should: v.should,
    chai: v.chai,
    vi: v.vi,
    vitest: v.vi,
    inject: (name) => v.provided[name],
    expectTypeOf: nothing,
    assertType: () => {},
    bench: () => {
      throw new Error("`bench()` is only available in benchmark mode.");
    },
  };
  if (v.config.globals)
    for (const name of [
      "test",
      "it",
      "describe",
      "suite",
      "beforeAll",
      "afterAll",
      "beforeEach",
      "afterEach",
      "aroundEach",
      "aroundAll",
      "onTestFinished",
      "onTestFailed",
      "expect",
      "assert",
      "chai",
      "vi",
      "vitest",
      "expectTypeOf",
      "assertType",
    ])
      Object.defineProperty(globalThis, name, {
        value: v.module[name],
        writable: true,
        configurable: true,
        enumerable: false,
      });
});
