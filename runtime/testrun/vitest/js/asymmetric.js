// Asymmetric matchers (TEST-96): they stand for any value that fits.
(function (v) {
  "use strict";

  class Asymmetric {
    constructor(sample, inverse = false) {
      this.$$typeof = Symbol.for("jest.asymmetricMatcher");
      this.sample = sample;
      this.inverse = inverse;
      Object.defineProperty(this, "$$typeof", { enumerable: false });
    }
  }

  class Anything extends Asymmetric {
    asymmetricMatch(x) {
      return x !== undefined && x !== null;
    }
    toString() {
      return "Anything";
    }
    toAsymmetricMatcher() {
      return "Anything";
    }
  }

  class Any extends Asymmetric {
    constructor(sample) {
      if (sample === undefined)
        throw new TypeError(
          "any() expects to be passed a constructor function. Please pass one or use anything() to match any object.",
        );
      super(sample);
    }
    asymmetricMatch(x) {
      switch (this.sample) {
        case String:
          return typeof x === "string" || x instanceof String;
        case Number:
          return typeof x === "number" || x instanceof Number;
        case Function:
          return typeof x === "function" || x instanceof Function;
        case Boolean:
          return typeof x === "boolean" || x instanceof Boolean;
        case BigInt:
          return typeof x === "bigint" || x instanceof BigInt;
        case Symbol:
          return typeof x === "symbol" || x instanceof Symbol;
        case Object:
          return typeof x === "object";
      }
      return x instanceof this.sample;
    }
    toString() {
      return "Any";
    }
    toAsymmetricMatcher() {
      return `Any<${this.sample.name || "anonymous"}>`;
    }
    getExpectedType() {
      const types = new Map([
        [String, "string"], [Number, "number"], [Function, "function"], [Object, "object"], [Boolean, "boolean"],
      ]);
      return types.get(this.sample) ?? "any";
    }
  }

  class StringContaining extends Asymmetric {
    constructor(sample, inverse) {
      if (typeof sample !== "string") throw new Error("Expected is not a string");
      super(sample, inverse);
    }
    asymmetricMatch(x) {
      return (typeof x === "string" && x.includes(this.sample)) !== this.inverse;
    }
    toString() {
      return `String${this.inverse ? "Not" : ""}Containing`;
    }
    getExpectedType() {
      return "string";
    }
  }

  class StringMatching extends Asymmetric {
    constructor(sample, inverse) {
      if (typeof sample !== "string" && !(sample instanceof RegExp))
        throw new Error("Expected is not a String or a RegExp");
      super(new RegExp(sample), inverse);
    }
    asymmetricMatch(x) {
      this.sample.lastIndex = 0;
      return (typeof x === "string" && this.sample.test(x)) !== this.inverse;
    }
    toString() {
      return `String${this.inverse ? "Not" : ""}Matching`;
    }
    getExpectedType() {
      return "string";
    }
  }

  class ArrayContaining extends Asymmetric {
    asymmetricMatch(x, testers) {
      if (!Array.isArray(this.sample))
        throw new TypeError(`You must provide an array to ${this.toString()}, not '${typeof this.sample}'.`);
      const fits =
        this.sample.length === 0 ||
        (Array.isArray(x) && this.sample.every((item) => x.some((y) => v.equals(item, y, testers))));
      return fits !== this.inverse;
    }
    toString() {
      return `Array${this.inverse ? "Not" : ""}Containing`;
    }
    getExpectedType() {
      return "array";
    }
  }

  class ObjectContaining extends Asymmetric {
    asymmetricMatch(x, testers) {
      if (typeof this.sample !== "object" || this.sample === null)
        throw new TypeError(`You must provide an object to ${this.toString()}, not '${typeof this.sample}'.`);
      const keys = [...Object.keys(this.sample), ...Object.getOwnPropertySymbols(this.sample)];
      const fits = keys.every(
        (k) => x !== null && x !== undefined && k in Object(x) && v.equals(this.sample[k], x[k], testers),
      );
      return fits !== this.inverse;
    }
    toString() {
      return `Object${this.inverse ? "Not" : ""}Containing`;
    }
    getExpectedType() {
      return "object";
    }
  }

  class CloseTo extends Asymmetric {
    constructor(sample, precision = 2, inverse = false) {
      if (typeof sample !== "number") throw new Error("Expected is not a Number");
      if (typeof precision !== "number") throw new Error("Precision is not a Number");
      super(sample, inverse);
      this.precision = precision;
    }
    asymmetricMatch(x) {
      if (typeof x !== "number") return false;
      const fits = x === this.sample || Math.abs(this.sample - x) < 10 ** -this.precision / 2;
      return fits !== this.inverse;
    }
    toString() {
      return `Number${this.inverse ? "Not" : ""}CloseTo`;
    }
    getExpectedType() {
      return "number";
    }
    toAsymmetricMatcher() {
      return `${this.toString()} ${this.sample} (${this.precision} digit${this.precision === 1 ? "" : "s"})`;
    }
  }

  class SchemaMatching extends Asymmetric {
    constructor(sample, inverse) {
      if (sample === null || (typeof sample !== "object" && typeof sample !== "function") || !sample["~standard"])
        throw new TypeError("SchemaMatching expected to receive a Standard Schema.");
      super(sample, inverse);
    }
    asymmetricMatch(x) {
      const result = this.sample["~standard"].validate(x);
      if (result instanceof Promise)
        throw new TypeError("Async schema validation is not supported in asymmetric matchers.");
      this.result = result;
      return !(result.issues?.length > 0) !== this.inverse;
    }
    toString() {
      return `Schema${this.inverse ? "Not" : ""}Matching`;
    }
    getExpectedType() {
      return "object";
    }
    toAsymmetricMatcher() {
      return this.result?.issues?.length > 0 ? `${this} ${v.stringify(this.result)}` : `${this}`;
    }
  }

  class JestExtend extends Asymmetric {
    constructor(name, matcher, inverse, args) {
      super(args, inverse);
      this.name = name;
      this.matcher = matcher;
    }
    asymmetricMatch(x, testers) {
      const r = this.matcher.call(v.matcherState(false, ""), x, ...this.sample);
      return !!r.pass !== this.inverse;
    }
    toString() {
      return `${this.inverse ? "not." : ""}${this.name}`;
    }
    getExpectedType() {
      return "any";
    }
    toAsymmetricMatcher() {
      return `${this.toString()}<${this.sample.map((s) => v.pretty(s, { printBasicPrototype: true })).join(", ")}>`;
    }
  }

  v.asymmetric = {
    anything: () => new Anything(),
    any: (c) => new Any(c),
    stringContaining: (s) => new StringContaining(s, false),
    stringMatching: (s) => new StringMatching(s, false),
    arrayContaining: (s) => new ArrayContaining(s, false),
    objectContaining: (s) => new ObjectContaining(s, false),
    closeTo: (n, p) => new CloseTo(n, p),
    schemaMatching: (s) => new SchemaMatching(s, false),
    not: {
      stringContaining: (s) => new StringContaining(s, true),
      stringMatching: (s) => new StringMatching(s, true),
      arrayContaining: (s) => new ArrayContaining(s, true),
      objectContaining: (s) => new ObjectContaining(s, true),
      closeTo: (n, p) => new CloseTo(n, p, true),
      schemaMatching: (s) => new SchemaMatching(s, true),
    },
  };
  // Matchers of vitest that are asymmetric ones as well.
  const asMatcher = (name) => (x, ...args) => {
    try {
      new v.Assertion(x, undefined, {})[name](...args);
      return { pass: true };
    } catch (e) {
      if (e instanceof v.AssertionError) return { pass: false };
      throw e;
    }
  };
  for (const name of ["toBeOneOf", "toSatisfy"]) {
    v.asymmetric[name] = (...args) => new JestExtend(name, asMatcher(name), false, args);
    v.asymmetric.not[name] = (...args) => new JestExtend(name, asMatcher(name), true, args);
  }
  v.extendAsymmetric = (name, matcher) => {
    v.asymmetric[name] = (...args) => new JestExtend(name, matcher, false, args);
    v.asymmetric.not[name] = (...args) => new JestExtend(name, matcher, true, args);
  };
  // These two are matchers of vitest's own that also stand inside values.
  v.extendAsymmetric("toBeOneOf", (x, sample) => ({
    pass: Array.from(sample).some((one) => v.equals(x, one, [v.iterableEquality])),
    message: () => "",
  }));
  v.extendAsymmetric("toSatisfy", (x, fn) => ({ pass: !!fn(x), message: () => "" }));
});
