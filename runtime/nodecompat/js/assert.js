(function (require, module, exports, host) {
  "use strict";
  const equality = require("internal/equality");
  const show = (v) => host.inspect(v);

  class AssertionError extends Error {
    constructor(options) {
      const { message, actual, expected, operator } = options;
      super(message === undefined ? `${show(actual)} ${operator} ${show(expected)}` : String(message));
      this.name = "AssertionError";
      this.code = "ERR_ASSERTION";
      this.generatedMessage = message === undefined;
      this.actual = actual;
      this.expected = expected;
      this.operator = operator;
    }
  }

  const fail = (actual, expected, message, operator, text) => {
    if (message instanceof Error) throw message;
    const e = new AssertionError({ message: message ?? text, actual, expected, operator });
    e.generatedMessage = message === undefined;
    throw e;
  };

  function ok(value, message) {
    if (arguments.length === 0) {
      fail(undefined, true, "No value argument passed to `assert.ok()`", "==");
    }
    if (!value) fail(value, true, message, "==", "The expression evaluated to a falsy value");
  }
  function assert(...args) {
    ok(...args);
  }

  const compare = (operator, test, text) => function (actual, expected, message) {
    if (arguments.length < 2) {
      const e = new TypeError('The "actual" and "expected" arguments must be specified');
      e.code = "ERR_MISSING_ARGS";
      throw e;
    }
    if (!test(actual, expected)) fail(actual, expected, message, operator,
      `${text}\n\n${show(actual)}\n\nand\n\n${show(expected)}`);
  };
  const looseEqual = (a, b) => a == b || (a !== a && b !== b);

  // matches tells whether an error is what throws and rejects expect: a class, a pattern, a checking function, or an
  // object whose properties the error must have.
  function matches(error, expected, message, operator) {
    if (expected === undefined) return;
    if (typeof expected === "function") {
      if (expected.prototype !== undefined && error instanceof expected) return;
      if (Object.prototype.isPrototypeOf.call(Error, expected) || expected === Error) {
        if (message === undefined) throw error;
        fail(error, expected, message, operator);
      }
      if (expected.call({}, error) === true) return;
      fail(error, expected, message, operator,
        `The validation function is expected to return "true".\n\nCaught error:\n\n${error}`);
    }
    if (expected instanceof RegExp) {
      if (expected.test(String(error))) return;
      fail(error, expected, message, operator,
        `The input did not match the regular expression ${show(expected)}. Input:\n\n${show(String(error))}\n`);
    }
    if (typeof expected === "object" && expected !== null) {
      const keys = Object.keys(expected);
      if (expected instanceof Error) keys.push("name", "message");
      for (const key of keys) {
        if (typeof error[key] === "string" && expected[key] instanceof RegExp &&
          expected[key].test(error[key])) continue;
        if (!equality.deepEqual(error[key], expected[key], true)) {
          fail(error, expected, message, operator,
            `Expected ${key} to be ${show(expected[key])}, received ${show(error[key])}`);
        }
      }
    }
  }

  const isPromise = (v) => v !== null && (typeof v === "object" || typeof v === "function") &&
    typeof v.then === "function" && typeof v.catch === "function";
  const argumentError = (text) => Object.assign(new TypeError(text), { code: "ERR_INVALID_ARG_TYPE" });

  const api = {
    ok,
    fail(message) {
      if (message instanceof Error) throw message;
      const e = new AssertionError({ message: message ?? "Failed", operator: "fail" });
      e.generatedMessage = message === undefined;
      throw e;
    },
    equal: compare("==", looseEqual, "Expected values to be loosely equal:"),
    notEqual: compare("!=", (a, b) => !looseEqual(a, b), "Expected values to be loosely unequal:"),
    strictEqual: compare("strictEqual", Object.is, "Expected values to be strictly equal:"),
    notStrictEqual: compare("notStrictEqual", (a, b) => !Object.is(a, b), "Expected values not to be strictly equal:"),
    deepEqual: compare("deepEqual", (a, b) => equality.deepEqual(a, b, false),
      "Expected values to be loosely deep-equal:"),
    notDeepEqual: compare("notDeepEqual", (a, b) => !equality.deepEqual(a, b, false),
      "Expected values not to be loosely deep-equal:"),
    deepStrictEqual: compare("deepStrictEqual", (a, b) => equality.deepEqual(a, b, true),
      "Expected values to be strictly deep-equal:"),
    notDeepStrictEqual: compare("notDeepStrictEqual", (a, b) => !equality.deepEqual(a, b, true),
      "Expected values not to be strictly deep-equal:"),
    throws(fn, expected, message) {
      if (typeof fn !== "function") throw argumentError('The "fn" argument must be of type function.');
      if (typeof expected === "string") [message, expected] = [expected, undefined];
      let caught;
      try {
        fn();
      } catch (e) {
        caught = { e };
      }
      if (!caught) fail(undefined, expected, message, "throws", "Missing expected exception.");
      matches(caught.e, expected, message, "throws");
    },
    doesNotThrow(fn, expected, message) {
      try {
        fn();
      } catch (e) {
        fail(e, expected, typeof expected === "string" ? expected : message, "doesNotThrow",
          `Got unwanted exception.\nActual message: "${e?.message}"`);
      }
    },
    async rejects(promise, expected, message) {
      if (typeof promise === "function") promise = promise();
      if (!isPromise(promise)) throw argumentError(
        'The "promiseFn" argument must be of type function or an instance of Promise.');
      if (typeof expected === "string") [message, expected] = [expected, undefined];
      let caught;
      try {
        await promise;
      } catch (e) {
        caught = { e };
      }
      if (!caught) fail(undefined, expected, message, "rejects", "Missing expected rejection.");
      matches(caught.e, expected, message, "rejects");
    },
    async doesNotReject(promise, expected, message) {
      if (typeof promise === "function") promise = promise();
      try {
        await promise;
      } catch (e) {
        fail(e, expected, typeof expected === "string" ? expected : message, "doesNotReject",
          `Got unwanted rejection.\nActual message: "${e?.message}"`);
      }
    },
    match(string, regexp, message) {
      if (typeof string !== "string" || !regexp.test(string)) {
        fail(string, regexp, message, "match",
          `The input did not match the regular expression ${show(regexp)}. Input:\n\n${show(string)}\n`);
      }
    },
    doesNotMatch(string, regexp, message) {
      if (regexp.test(string)) {
        fail(string, regexp, message, "doesNotMatch",
          `The input was expected to not match the regular expression ${show(regexp)}. Input:\n\n${show(string)}\n`);
      }
    },
    ifError(value) {
      if (value !== null && value !== undefined) {
        fail(value, null, undefined, "ifError", `ifError got unwanted exception: ${value?.message ?? show(value)}`);
      }
    },
    partialDeepStrictEqual: compare("partialDeepStrictEqual", (a, b) => equality.partial(a, b),
      "Expected values to be partially and strictly deep-equal:"),
    AssertionError,
  };
  Object.assign(assert, api);
  const strict = Object.assign((...args) => ok(...args), api, {
    equal: api.strictEqual, notEqual: api.notStrictEqual, deepEqual: api.deepStrictEqual,
      notDeepEqual: api.notDeepStrictEqual,
  });
  strict.strict = strict;
  assert.strict = strict;
  module.exports = assert;
})
