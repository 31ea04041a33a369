// Matchers of values, as Jest has them (TEST-92, TEST-99 to TEST-102).
(function (v) {
  "use strict";
  const { method } = v;

  function define(names, fn) {
    for (const n of [].concat(names)) method(n, fn);
  }

  define("toBe", function (expected) {
    const actual = this._obj;
    const pass = Object.is(actual, expected);
    let hint = "";
    if (!pass && !this.__flags.negate) {
      const strict = v.equals(actual, expected, v.strictTesters, true);
      const better = strict ? "toStrictEqual" : v.equals(actual, expected, [v.iterableEquality]) ? "toEqual" : "";
      if (better)
        hint = `\n\nIf it should pass with deep equality, replace "toBe" with "${better}"\n\nExpected: ` +
            `${v.display(actual)}\nReceived: serializes to the same string\n`;
    }
    this.assert(
      pass,
      `expected #{this} to be #{exp} // Object.is equality${hint}`,
      "expected #{this} not to be #{exp} // Object.is equality",
      expected,
      actual,
    );
  });
  define("toEqual", function (expected) {
    this.assert(
      v.equals(this._obj, expected, [v.iterableEquality]),
      "expected #{this} to deeply equal #{exp}",
      "expected #{this} to not deeply equal #{exp}",
      expected,
      this._obj,
    );
  });
  define("toStrictEqual", function (expected) {
    this.assert(
      v.equals(this._obj, expected, v.strictTesters, true),
      "expected #{this} to strictly equal #{exp}",
      "expected #{this} to not strictly equal #{exp}",
      expected,
      this._obj,
    );
  });
  define("toMatchObject", function (expected) {
    const actual = this._obj;
    const pass = v.equals(actual, expected, [v.iterableEquality, v.subsetEquality]);
    const { part, left } = partOf(actual, expected);
    const more = left > 0 ? `\n(${left} matching ${left === 1 ? "property" : "properties"} omitted from actual)` : "";
    this.assert(
      pass,
      `expected #{this} to match object #{exp}${more}`,
      "expected #{this} to not match object #{exp}",
      expected,
      part,
    );
  });

  // partOf is what of actual the expected object speaks of, and how much it leaves out.
  function partOf(actual, expected) {
    let left = 0;
    const visit = (a, e, seen) => {
      if (Array.isArray(a))
        return Array.isArray(e) && a.length === e.length ? a.map((x, i) => visit(x, e[i], seen)) : a;
      if (
        a === null ||
        typeof a !== "object" ||
        e === null ||
        typeof e !== "object" ||
        v.isAsymmetric(e) ||
        a instanceof Date ||
        a instanceof Map ||
        a instanceof Set ||
        a instanceof Error ||
        seen.includes(a)
      )
        return a;
      const out = Object.create(Object.getPrototypeOf(a));
      for (const k of [...Object.keys(a), ...Object.getOwnPropertySymbols(a)]) {
        if (k in e) out[k] = visit(a[k], e[k], [...seen, a]);
        else left++;
      }
      return out;
    };
    return { part: visit(actual, expected, []), left };
  }

  define("toContain", function (item) {
    const actual = this._obj;
    if (typeof actual === "string") {
      if (typeof item !== "string")
        throw new v.AssertionError(
          `the given combination of arguments (string and ${typeof item}) is invalid for this assertion. You can ` +
              `use an array, a map, an object, a set, a string, or a weakset instead of a string`,
        );
      this.assert(
        actual.includes(item),
        "expected #{this} to contain #{exp}",
        "expected #{this} not to contain #{exp}",
        item,
        actual,
      );
      return;
    }
    if (actual === null || actual === undefined || (typeof actual !== "object" && typeof actual !== "function"))
      throw new v.AssertionError(
        `the given combination of arguments (${kindOf(actual)} and ${kindOf(item)}) is invalid for this ` +
            `assertion. You can use an array, a map, an object, a set, a string, or a weakset instead of a ` +
                `${kindOf(item)}`,
      );
    const has =
      typeof actual.contains === "function" && !Array.isArray(actual)
        ? actual.contains(item)
        : actual instanceof Set
          ? actual.has(item)
          : Array.from(actual).some((x) => Object.is(x, item) || x === item);
    const shown = v.display(actual instanceof Set ? [...actual] : actual);
    this.assert(
      has, `expected ${shown} to include #{exp}`, `expected ${shown} to not include #{exp}`, item, actual, false,
    );
  });
  const kindOf = (x) => (x === null ? "null" : Array.isArray(x) ? "array" : typeof x);
  define("toContainEqual", function (expected) {
    const has = Array.from(this._obj).some((x) => v.equals(x, expected, [v.iterableEquality]));
    this.assert(
      has,
      "expected #{this} to deep equally contain #{exp}",
      "expected #{this} to not deep equally contain #{exp}",
      expected,
    );
  });
  const shown = (x) => v.stringify(x, { printBasicPrototype: true });
  // These two are made as matchers of expect.extend are, and fail as those do.
  function extended(assertion, pass, text, notText) {
    const f = assertion.__flags;
    if (!!pass !== !!f.negate) return;
    throw new v.ExtendError((f.message ? `${f.message}: ` : "") + (f.negate ? notText : text));
  }
  define("toBeOneOf", function (sample) {
    const list = Array.from(sample);
    const pass = list.some((x) => v.equals(x, this._obj, [v.iterableEquality]));
    extended(
      this,
      pass,
      `expect(received).toBeOneOf()\n\nExpected value to be one ` +
          `of:\n${shown(sample)}\n\nReceived:\n${shown(this._obj)}`,
      `expect(received).not.toBeOneOf()\n\nExpected value to not be one ` +
          `of:\n${shown(sample)}\nReceived:\n${shown(this._obj)}`,
    );
  });
  define("toSatisfy", function (fn, message) {
    const what = message ?? shown(fn);
    extended(
      this,
      fn(this._obj),
      `expect(received).toSatisfy()\n\nExpected value to satisfy:\n${what}\n\nReceived:\n${shown(this._obj)}`,
      `expect(received).not.toSatisfy()\n\nExpected value to not satisfy:\n${what}\n\nReceived:\n${shown(this._obj)}`,
    );
  });
  define("toMatch", function (expected) {
    const actual = this._obj;
    if (typeof actual !== "string")
      throw new TypeError(`.toMatch() expects to receive a string, but got ${kindOf(actual)}`);
    const pass = typeof expected === "string" ? actual.includes(expected) : !!actual.match(expected);
    this.assert(pass, "expected #{this} to match #{exp}", "expected #{this} not to match #{exp}", expected, actual);
  });
  define("toHaveLength", function (length) {
    const actual = this._obj;
    if (actual === null || actual === undefined || actual.length === undefined)
      throw new v.AssertionError(`expected ${v.display(actual)} to have property 'length'`);
    this.assert(
      actual.length === length,
      `expected #{this} to have a length of ${length} but got ${actual.length}`,
      `expected #{this} to not have a length of ${length}`,
      length,
      actual.length,
    );
  });

  function follow(object, path) {
    const own = (o, k) =>
      o !== null && o !== undefined && (Object.prototype.hasOwnProperty.call(Object(o), k) || k in Object(o));
    if (typeof path === "string" && own(object, path)) return { exists: true, value: object[path] };
    const keys = Array.isArray(path)
      ? path
      : typeof path === "string"
        ? [...path.matchAll(/\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]|([^.[\]]+)/g)].map(
            (m) => m[1] ?? m[2] ?? m[3] ?? m[4],
          )
        : [path];
    let value = object;
    for (const k of keys) {
      if (!own(value, k)) return { exists: false, value: undefined };
      value = value[k];
    }
    return { exists: keys.length > 0, value };
  }
  v.follow = follow;

  define("toHaveProperty", function (...args) {
    let [path, expected, message] = args;
    const { exists, value } = follow(this._obj, path);
    const pass = exists && (args.length === 1 || v.equals(expected, value, [v.iterableEquality]));
    const withValue = args.length === 1 ? "" : ` with value ${v.display(expected)}`;
    const name = Array.isArray(path) ? path.join(".") : String(path);
    this.assert(
      pass,
      message ?? `expected #{this} to have property "${name}"${withValue}`,
      message ?? `expected #{this} to not have property "${name}"${withValue}`,
      args.length === 1 ? undefined : expected,
      exists ? value : undefined,
      args.length > 1,
    );
  });
  define("toBeCloseTo", function (expected, digits = 2) {
    const actual = this._obj;
    let pass = false,
      limit = 0,
      distance = 0;
    if ((actual === Infinity && expected === Infinity) || (actual === -Infinity && expected === -Infinity))
      pass = true;
    else {
      limit = 10 ** -digits / 2;
      distance = Math.abs(actual - expected);
      pass = distance < limit;
    }
    this.assert(
      pass,
      `expected #{this} to be close to #{exp}, received difference is ${distance}, but expected ${limit}`,
      `expected #{this} to not be close to #{exp}, received difference is ${distance}, but expected ${limit}`,
      expected,
      actual,
      false,
    );
  });
  define("toBeInstanceOf", function (c) {
    if (typeof c !== "function")
      throw new TypeError(`The instanceof assertion needs a constructor but ${kindOf(c)} was given.`);
    this.assert(
      this._obj instanceof c,
      `expected #{this} to be an instance of ${c.name}`,
      `expected #{this} to not be an instance of ${c.name}`,
    );
  });
  define("toBeTypeOf", function (expected) {
    this.assert(
      typeof this._obj === expected,
      "expected #{this} to be type of #{exp}",
      "expected #{this} not to be type of #{exp}",
      expected,
      typeof this._obj,
    );
  });
  const states = {
    toBeTruthy: [(x) => !!x, "truthy", true],
    toBeFalsy: [(x) => !x, "falsy", false],
    toBeNaN: [Number.isNaN, "NaN", NaN],
    toBeUndefined: [(x) => x === undefined, "undefined", undefined],
    toBeNull: [(x) => x === null, "null", null],
    toBeNullable: [(x) => x === null || x === undefined, "nullish", null],
  };
  for (const [name, [test, word, expected]] of Object.entries(states))
    define(name, function () {
      this.assert(
        test(this._obj),
        `expected #{this} to be ${word}`,
        name === "toBeTruthy" || name === "toBeFalsy"
          ? `expected #{this} to not be ${word}`
          : `expected #{this} not to be ${word}`,
        expected,
        this._obj,
      );
    });
  define("toBeDefined", function () {
    this.assert(this._obj !== undefined, "expected #{this} to be defined", "expected #{this} to be undefined");
  });
  const orders = {
    toBeGreaterThan: [(a, b) => a > b, "greater than"],
    toBeGreaterThanOrEqual: [(a, b) => a >= b, "greater than or equal to"],
    toBeLessThan: [(a, b) => a < b, "less than"],
    toBeLessThanOrEqual: [(a, b) => a <= b, "less than or equal to"],
  };
  for (const [name, [test, words]] of Object.entries(orders))
    define(name, function (expected) {
      for (const [name, x] of [["actual", this._obj], ["expected", expected]])
        if (typeof x !== "number" && typeof x !== "bigint")
          throw new TypeError(`${name} value must be number or bigint, received "${typeof x}"`);
      this.assert(
        test(this._obj, expected),
        `expected ${this._obj} to be ${words} ${expected}`,
        `expected ${this._obj} to be not ${words} ${expected}`,
        expected,
        this._obj,
        false,
      );
    });

  define(["toThrow", "toThrowError"], function (expected) {
    const f = this.__flags;
    if (typeof expected === "string" || expected === undefined || expected instanceof RegExp) {
      thrown.call(this, expected);
      return;
    }
    let error,
      threw = false;
    if (f.was === "rejects") {
      error = this._obj;
      threw = true;
    } else if (f.was === "resolves" && f.negate && typeof this._obj !== "function") {
      return; // a promise that resolved has thrown nothing
    } else {
      callable(this);
      try {
        this._obj();
      } catch (e) {
        error = e;
        threw = true;
      }
    }
    const missing = () => {
      if (!threw) throw failed(f, `expected function to throw an error, but it didn't`, expected, undefined);
    };
    if (typeof expected === "function") {
      const name = expected.name || expected.prototype?.constructor?.name;
      if (!f.negate) missing();
      this.assert(
        threw && error instanceof expected,
        `expected error to be instance of ${name}`,
        `expected error not to be instance of ${name}`,
        expected,
        error,
      );
      return;
    }
    if (v.isAsymmetric(expected)) {
      if (!f.negate) missing();
      this.assert(
        threw && expected.asymmetricMatch(error),
        "expected error to match asymmetric matcher",
        "expected error not to match asymmetric matcher",
        expected,
        error,
      );
      return;
    }
    if (!f.negate) missing();
    const same = threw && v.equals(error, expected, [v.iterableEquality]);
    this.assert(
      same,
      "expected a thrown error to be #{exp}",
      "expected a thrown error not to be #{exp}",
      expected,
      error,
    );
  });

  function failed(f, message, expected, actual) {
    return new v.AssertionError((f.message ? `${f.message}: ` : "") + message, { expected, actual, showDiff: false });
  }

  function callable(assertion) {
    if (assertion.__flags.was === "resolves" && typeof assertion._obj !== "function")
      throw failed(assertion.__flags, "expected promise to throw an error, but it didn't");
    if (typeof assertion._obj !== "function")
      throw new v.AssertionError(`expected ${v.display(assertion._obj)} to be a function`);
  }

  // thrown is for no argument, a part of the message, or a pattern.
  function thrown(expected) {
    const f = this.__flags;
    let error,
      threw = false;
    if (f.was === "rejects") {
      error = this._obj;
      threw = true;
    } else if (f.was === "resolves" && f.negate && typeof this._obj !== "function") {
      return; // a promise that resolved has thrown nothing
    } else {
      callable(this);
      try {
        this._obj();
      } catch (e) {
        error = e;
        threw = true;
      }
    }
    const message = threw
      ? typeof error === "string"
        ? error
        : (error?.message ?? (typeof error === "object" ? "" : String(error)))
      : "";
    if (expected === undefined) {
      const shown = threw ? v.shortText(error) : "";
      this.assert(
        threw,
        f.was === "resolves"
          ? "expected promise to throw an error, but it didn't"
          : "expected #{this} to throw an error",
        `expected ${v.display(this._obj)} to not throw an error but '${shown}' was thrown`,
        undefined,
        undefined,
        false,
      );
      return;
    }
    if (!threw) {
      if (f.negate) return;
      throw failed(
        f,
        f.was === "resolves"
          ? "expected promise to throw an error, but it didn't"
          : `expected ${v.display(this._obj)} to throw an error`,
        expected,
        undefined,
      );
    }
    if (expected === "") expected = /^$/;
    const subject = f.was === "rejects" ? "[Function]" : v.display(this._obj);
    const isPattern = expected instanceof RegExp;
    const pass = isPattern ? expected.test(message) : message.includes(expected);
    const how = isPattern ? `matching ${v.display(expected)}` : `including ${v.display(expected)}`;
    this.assert(
      pass,
      `expected ${subject} to throw error ${how} but got ${v.display(message)}`,
      `expected ${subject} to throw error not ${how}`,
      expected,
      message,
    );
  }
});
