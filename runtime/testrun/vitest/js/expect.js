// expect itself: its state, its extensions, soft and polled forms, and what is checked at the end of a test (TEST-95).
(function (v, host) {
  "use strict";

  // diffText shows two values line by line, or one after the other if they are of different types (TEST-105).
  v.diffText = (expected, actual, bare) => {
    if (Object.is(expected, actual)) return "";
    let type = kind(expected);
    if (v.isAsymmetric(expected)) {
      if (typeof expected.getExpectedType !== "function") return "";
      type = expected.getExpectedType();
    }
    if (type !== kind(actual)) return `- Expected:\n${v.stringify(expected)}\n\n+ Received:\n${v.stringify(actual)}`;
    if (v.isAsymmetric(expected) && type === "string") return "";
    const [x, y] = sameWhereItFits(expected, actual, new Map(), new Map());
    const a = v.stringify(x),
      b = v.stringify(y);
    const text = host.diff(a, b);
    return bare ? text.replace(/^- Expected\n\+ Received\n\n/, "") : text;
  };
  // failureText is diffText for a failure: two strings of one line each are shown as they are.
  v.failureText = (expected, actual) => {
    if (typeof expected !== "string" || typeof actual !== "string" || !expected || !actual || expected === actual)
      return v.diffText(expected, actual);
    if (expected.includes("\n") || actual.includes("\n")) return host.diff(expected, actual);
    return `Expected: ${v.stringify(expected)}\nReceived: ${v.stringify(actual)}`;
  };
  // sameWhereItFits are copies in which a value stands in the place of an asymmetric matcher that it fits, so that a
  // diff shows what does not fit only.
  const replaceable = (a, b) =>
    (Array.isArray(a) && Array.isArray(b)) || [a, b].every((x) => ({}).toString.call(x) === "[object Object]");
  function sameWhereItFits(expected, actual, copies, actualCopies) {
    const done = [copies.get(expected), actualCopies.get(actual)];
    if (done[0] || done[1]) return [done[0] ?? expected, done[1] ?? actual];
    if (!replaceable(expected, actual) || v.isAsymmetric(expected)) return [expected, actual];
    const copy = (x) => (Array.isArray(x) ? x.slice() : Object.assign(Object.create(Object.getPrototypeOf(x)), x));
    const a = copy(expected),
      b = copy(actual);
    copies.set(expected, a);
    actualCopies.set(actual, b);
    const pair = (x, y) => sameWhereItFits(x, y, copies, actualCopies);
    for (const k of [...Object.keys(a), ...Object.getOwnPropertySymbols(a)]) {
      const x = a[k],
        y = b[k];
      if (v.isAsymmetric(x)) {
        if (x.asymmetricMatch(y)) a[k] = y;
        else if (x.sample !== undefined && replaceable(x.sample, y)) [a[k], b[k]] = pair(x.sample, y);
      } else if (v.isAsymmetric(y)) {
        if (y.asymmetricMatch(x)) b[k] = x;
        else if (y.sample !== undefined && replaceable(y.sample, x)) [b[k], a[k]] = pair(y.sample, x);
      } else if (replaceable(x, y)) [a[k], b[k]] = pair(x, y);
    }
    return [a, b];
  }
  const kind = (x) =>
    x === null
      ? "null"
      : Array.isArray(x)
        ? "array"
        : x instanceof Error
          ? "error"
          : x instanceof Map
            ? "map"
            : x instanceof Set
              ? "set"
              : x instanceof Date
                ? "date"
                : x instanceof RegExp
                  ? "regexp"
                  : typeof x;

  const states = new WeakMap(); // test → state of expect; null is for outside of tests
  const outside = newState();
  function newState() {
    return {
      assertionCalls: 0,
      isExpectingAssertions: false,
      isExpectingAssertionsError: null,
      expectedAssertionsNumber: null,
      expectedAssertionsNumberError: null,
    };
  }
  const stateOf = (test) => (test ? (states.get(test) ?? outside) : outside);

  v.beginTry = (test) => {
    states.set(test, newState());
    test.soft = [];
    test.promises = [];
    v.beginSnapshots(test);
  };
  v.restartTry = (test) => v.restartSnapshots(test);
  v.softErrors = (test) => test.soft.splice(0);
  v.checkAssertions = (test) => {
    const s = stateOf(test);
    if (s.expectedAssertionsNumber !== null && s.assertionCalls !== s.expectedAssertionsNumber)
      throw s.expectedAssertionsNumberError();
    if (s.isExpectingAssertions && s.assertionCalls === 0) throw s.isExpectingAssertionsError;
    if (v.config.requireAssertions && s.assertionCalls === 0)
      throw Object.defineProperty(new Error("expected any number of assertion, but got none"), "place", {
        value: test.place,
      });
  };
  v.endTry = async (test, errors) => {
    // What a test waited for in vain is not waited for once more.
    if (errors.some((e) => v.limited.has(e))) test.promises = [];
    for (const p of test.promises)
      try {
        await v.bounded("test", test.options.timeout ?? v.config.testTimeout, test.place, () => p);
      } catch (e) {
        if (!errors.includes(e)) errors.push(e);
      }
    errors.push(...test.soft.splice(0));
    v.endMocks(test);
  };
  v.endFile = async (file) => {
    v.endSnapshots(file);
  };

  const shown = (x) => v.stringify(x, { printBasicPrototype: true });
  v.matcherState = (isNot, promise) => ({
    isNot,
    promise,
    equals: (a, b, testers, strict) => v.equals(a, b, testers ?? [v.iterableEquality], strict),
    utils: {
      stringify: shown,
      printReceived: shown,
      printExpected: shown,
      diff: (a, b) => v.diffText(a, b),
      iterableEquality: v.iterableEquality,
      subsetEquality: v.subsetEquality,
      EXPECTED_COLOR: String,
      RECEIVED_COLOR: String,
      INVERTED_COLOR: String,
      BOLD_WEIGHT: String,
      DIM_COLOR: String,
      matcherHint: (name, received = "received", expected = "expected", o = {}) =>
        `expect(${received})${o.isNot ? ".not" : ""}.${name}(${expected})`,
      printDiffOrStringify: (a, b) => v.failureText(b, a),
    },
    customTesters: v.ownTesters,
    currentTestName: v.running()?.names.join(" > "),
    testPath: v.file?.filepath,
    task: v.running()?.task,
    dontThrow: () => {},
    suppressedErrors: [],
  });

  function extend(matchers) {
    v.makeWords();
    for (const [name, matcher] of Object.entries(matchers)) {
      v.method(name, function (...args) {
        const f = this.__flags;
        const state = { ...v.matcherState(!!f.negate, f.was ?? ""), poll: !!f.polling, soft: !!f.soft };
        const finish = ({ pass, message, actual, expected, meta }) => {
          if (!!pass !== !!f.negate) return;
          const text = typeof message === "function" ? message() : String(message ?? "");
          throw new v.ExtendError(f.message ? `${f.message}: ${text}` : text, actual, expected);
        };
        const result = matcher.call(state, this._obj, ...args);
        if (result !== null && typeof result === "object" && typeof result.then === "function") {
          const promise = result.then(finish);
          v.awaitLater(promise);
          return promise;
        }
        finish(result);
      });
      v.extendAsymmetric(name, matcher);
    }
  }

  // createExpect makes an expect for a test, null being whichever runs.
  function createExpect(test) {
    const now = () => test ?? v.running();
    const start = (value, message, flags) => {
      stateOf(now()).assertionCalls++;
      return new v.Assertion(value, message, { test: now(), ...flags });
    };
    const expect = (value, message) => start(value, message, {});
    for (const [name, make] of Object.entries(v.asymmetric)) if (name !== "not") expect[name] = make;
    Object.defineProperty(expect, "not", { get: () => v.asymmetric.not });
    Object.assign(expect, {
      soft: (value, message) => start(value, message, { soft: true }),
      poll: (fn, options) => poll(start, fn, options),
      extend: (matchers) => {
        extend(matchers);
        for (const name of Object.keys(matchers)) expect[name] = v.asymmetric[name];
      },
      addEqualityTesters: (testers) => {
        v.ownTesters.push(...testers);
      },
      addSnapshotSerializer: (plugin) => {
        v.snapshotPlugins.unshift(plugin);
      },
      getState: () => ({
        ...stateOf(now()),
        currentTestName: now()?.names.join(" > "),
        testPath: v.file?.filepath,
        environment: "workers",
        snapshotState: v.file?.snapshots,
      }),
      setState: (s) => {
        Object.assign(stateOf(now()), s);
      },
      assertions: (n) => {
        const s = stateOf(now());
        const at = new Error("place");
        s.expectedAssertionsNumber = n;
        s.expectedAssertionsNumberError = () =>
          placed(new Error(`expected number of assertions to be ${n}, but got ${s.assertionCalls}`), at);
      },
      hasAssertions: () => {
        const s = stateOf(now());
        s.isExpectingAssertions = true;
        s.isExpectingAssertionsError = placed(
          new Error("expected any number of assertion, but got none"),
          new Error("place"),
        );
      },
      unreachable: (message) => {
        v.assert.fail(`expected${message ? ` "${message}" ` : " "}not to be reached`);
      },
      fail: (message) => {
        v.assert.fail(message);
      },
      withContext: () => expect,
    });
    Object.defineProperty(expect, "assert", { get: () => v.assert, enumerable: true, configurable: true });
    return expect;
  }

  function placed(e, at) {
    Object.defineProperty(e, "at", { value: at, configurable: true });
    return e;
  }

  // poll calls fn until the matcher holds. Its time is the clock's: under virtual time it goes on to what is due next.
  function poll(start, fn, { interval = 50, timeout = 1000, message } = {}) {
    return start(fn, message, {
      polling: true,
      poll: (assertion, name, matcher, args) => {
        const at = new Error("poll");
        const attempt = async () => {
          const value = await fn({ signal: new AbortController().signal });
          const a = new v.Assertion(value, message, { ...assertion.__flags, poll: undefined });
          await matcher.apply(a, args);
        };
        const promise = (async () => {
          const until = v.waiter(timeout);
          for (;;) {
            try {
              return await attempt();
            } catch (e) {
              if (await until(interval)) continue;
              const late = new Error("Matcher did not succeed in time.");
              if (!(e instanceof Error)) throw placed(new Error(v.shortText(e), { cause: late }), at);
              Object.defineProperty(e, "cause", { value: late, configurable: true, writable: true });
              throw placed(e, at);
            }
          }
        })();
        v.awaitLater(promise);
        return promise;
      },
    });
  }

  v.expect = createExpect(null);
  v.createExpect = () => createExpect(null);
  v.boundExpect = (test) => createExpect(test);

  // describeError is an error as reports carry it.
  v.describeError = function (e, test, depth = 0) {
    const isError = e !== null && typeof e === "object";
    const out = {
      name: isError && (e instanceof Error || e.name !== undefined) ? String(e.name ?? "Error") : "",
      message: isError ? String(e.message ?? (e instanceof Error ? "" : v.inspect(e))) : String(e),
      frames: [],
    };
    if (isError) {
      if (e.place) out.frames = [e.place].flat();
      else {
        out.frames = host.frames(e);
        const own = (f) => f.file.startsWith("file://") && !f.file.includes("/node_modules/");
        if (e.at && !out.frames.some(own)) out.frames = host.frames(e.at);
      }
      if (!e.place && e.stack === undefined) out.frames = [];
      if (e.showDiff || (e.showDiff === undefined && e.actual !== undefined && e.expected !== undefined)) {
        try {
          const text = v.failureText(e.expected, e.actual);
          out.expected = v.stringify(e.expected);
          out.actual = v.stringify(e.actual);
          out.diff = text;
        } catch {
          /* what cannot be printed has no diff */
        }
      }
      if (e.cause !== null && typeof e.cause === "object" && "name" in e.cause && depth < 8)
        out.cause = v.describeError(e.cause, test, depth + 1);
      if (Array.isArray(e.errors) && depth < 3)
        out.errors = e.errors.slice(0, 20).map((x) => v.describeError(x, test, depth + 1));
    }
    return out;
  };

  v.place = () => {
    const list = host.frames(new Error("place"));
    return list.find((f) => f.file.startsWith("file://") && !f.file.includes("/node_modules/")) ?? null;
  };
});
