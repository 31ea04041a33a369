// Chai's words (TEST-94): expect(x).to.deep.equal(y), and assert.* on the same assertions.
(function (v) {
  "use strict";
  const { method, property, chainable } = v;
  const define = (names, fn) => {
    for (const n of [].concat(names)) method(n, fn);
  };
  const chain = (names, fn, read) => {
    for (const n of [].concat(names)) chainable(n, fn, read);
  };
  const say = (a, message) => {
    if (message !== undefined) a.__flags.message = message;
  };
  const deepEqual = (a, b) => v.equals(a, b, v.strictTesters, true);

  function kind(x) {
    if (x === null) return "null";
    if (x === undefined) return "undefined";
    const tag = x[Symbol.toStringTag];
    if (typeof tag === "string") return tag.toLowerCase();
    return Object.prototype.toString.call(x).slice(8, -1).toLowerCase();
  }

  function isA(type, message) {
    say(this, message);
    const wanted = String(type).toLowerCase();
    const article = "aeiou".includes(wanted[0]) ? "an " : "a ";
    const is = wanted === "function" ? typeof this._obj === "function" : kind(this._obj) === wanted;
    this.assert(is, `expected #{this} to be ${article}${wanted}`, `expected #{this} not to be ${article}${wanted}`);
  }
  chain(["a", "an"], isA);

  function include(item, message) {
    say(this, message);
    const o = this._obj,
      f = this.__flags;
    const eq = f.deep ? deepEqual : (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b));
    let has;
    switch (kind(o)) {
      case "string":
        has = o.includes(item);
        break;
      case "weakset":
        has = o.has(item);
        break;
      case "map":
        has = [...o.values()].some((x) => eq(x, item));
        break;
      case "set":
        has = f.deep ? [...o].some((x) => eq(x, item)) : o.has(item);
        break;
      case "array":
        has = o.some((x) => eq(x, item));
        break;
      default: {
        if (item === null || typeof item !== "object")
          throw new v.AssertionError(
            `the given combination of arguments (${kind(o)} and ${kind(item)}) is invalid for this assertion. You ` +
                `can use an array, a map, an object, a set, a string, or a weakset instead of a ${kind(item)}`,
          );
        const keys = Object.keys(item);
        has = keys.every((k) => {
          const { exists, value } = f.nested ? v.follow(o, k) : { exists: k in Object(o), value: o?.[k] };
          return exists && eq(value, item[k]);
        });
      }
    }
    this.assert(
      has,
      `expected #{this} to ${f.deep ? "deep " : ""}include ${v.display(item)}`,
      `expected #{this} to not ${f.deep ? "deep " : ""}include ${v.display(item)}`,
    );
  }
  const contains = function () {
    this.__flags.contains = true;
  };
  chain(["include", "includes", "contain", "contains"], include, contains);

  const simple = {
    ok: [(x) => !!x, "to be truthy", "to be falsy"],
    true: [(x) => x === true, "to be true", "to be false"],
    false: [(x) => x === false, "to be false", "to be true"],
    null: [(x) => x === null, "to be null", "not to be null"],
    undefined: [(x) => x === undefined, "to be undefined", "not to be undefined"],
    NaN: [(x) => Number.isNaN(x), "to be NaN", "not to be NaN"],
    exist: [(x) => x !== null && x !== undefined, "to exist", "to not exist"],
    callable: [(x) => typeof x === "function", "to be a callable function", "not to be a callable function"],
    numeric: [(x) => typeof x === "number" || typeof x === "bigint", "to be numeric", "not to be numeric"],
    iterable: [
      (x) => x !== null && x !== undefined && typeof x[Symbol.iterator] === "function",
      "to be an iterable",
      "not to be an iterable",
    ],
    extensible: [(x) => Object(x) === x && Object.isExtensible(x), "to be extensible", "to not be extensible"],
    sealed: [(x) => Object(x) !== x || Object.isSealed(x), "to be sealed", "to not be sealed"],
    frozen: [(x) => Object(x) !== x || Object.isFrozen(x), "to be frozen", "to not be frozen"],
    finite: [
      (x) => typeof x === "number" && Number.isFinite(x),
      "to be a finite number",
      "to not be a finite number",
    ],
    arguments: [(x) => kind(x) === "arguments", "to be arguments", "to not be arguments"],
    empty: [isEmpty, "to be empty", "not to be empty"],
  };
  for (const [name, [test, yes, no]] of Object.entries(simple))
    property(name, function () {
      this.assert(test(this._obj), `expected #{this} ${yes}`, `expected #{this} ${no}`);
    });
  property("exists", function () {
    return this.exist;
  });
  property("Arguments", function () {
    return this.arguments;
  });

  function isEmpty(x) {
    switch (kind(x)) {
      case "array":
      case "string":
        return x.length === 0;
      case "map":
      case "set":
        return x.size === 0;
      case "weakmap":
      case "weakset":
        throw new v.AssertionError(".empty was passed a weak collection");
      case "function":
        throw new v.AssertionError(`.empty was passed a function ${x.name}`.trim());
    }
    if (x !== Object(x)) throw new v.AssertionError(`.empty was passed non-string primitive ${v.display(x)}`);
    return Object.keys(x).length === 0;
  }

  define(["equal", "equals", "eq"], function (expected, message) {
    say(this, message);
    if (this.__flags.deep) return this.eql(expected);
    this.assert(
      this._obj === expected,
      "expected #{this} to equal #{exp}",
      "expected #{this} to not equal #{exp}",
      expected,
      this._obj,
    );
  });
  define(["eql", "eqls"], function (expected, message) {
    say(this, message);
    this.assert(
      deepEqual(this._obj, expected),
      "expected #{this} to deeply equal #{exp}",
      "expected #{this} to not deeply equal #{exp}",
      expected,
      this._obj,
    );
  });

  const measured = (a) => {
    if (!a.__flags.doLength) return { n: a._obj, what: "" };
    const o = a._obj;
    const sized = kind(o) === "map" || kind(o) === "set";
    return { n: sized ? o.size : o.length, what: sized ? "size" : "length" };
  };
  const compares = {
    above: [["above", "gt", "greaterThan"], (a, b) => a > b, "above", "at most"],
    least: [["least", "gte", "greaterThanOrEqual"], (a, b) => a >= b, "at least", "below"],
    below: [["below", "lt", "lessThan"], (a, b) => a < b, "below", "at least"],
    most: [["most", "lte", "lessThanOrEqual"], (a, b) => a <= b, "at most", "above"],
  };
  for (const [names, test, yes, no] of Object.values(compares))
    define(names, function (n, message) {
      say(this, message);
      const m = measured(this);
      const what = m.what ? `have a ${m.what} ` : "be ";
      const got = m.what ? ` but got ${m.n}` : "";
      this.assert(
        test(m.n, n),
        `expected #{this} to ${what}${yes} ${v.display(n)}${got}`,
        `expected #{this} to ${what}${no} ${v.display(n)}${m.what ? "" : ""}`,
        n,
        m.n,
        false,
      );
    });
  define("within", function (low, high, message) {
    say(this, message);
    const m = measured(this);
    const what = m.what ? `have a ${m.what}` : "be";
    this.assert(
      m.n >= low && m.n <= high,
      `expected #{this} to ${what} within ${low}..${high}`,
      `expected #{this} to not ${what} within ${low}..${high}`,
    );
  });
  function length(n, message) {
    say(this, message);
    const m = measured(
      Object.assign(Object.create(Object.getPrototypeOf(this)), { __flags: { ...this.__flags, doLength: true } }),
    );
    this.assert(
      m.n === n,
      `expected #{this} to have a ${m.what} of #{exp} but got #{act}`,
      `expected #{this} to not have a ${m.what} of #{act}`,
      n,
      m.n,
      false,
    );
  }
  chain(["length", "lengthOf"], length, function () {
    this.__flags.doLength = true;
  });

  define(["instanceof", "instanceOf"], function (c, message) {
    say(this, message);
    if (typeof c !== "function")
      throw new v.AssertionError(`The instanceof assertion needs a constructor but ${kind(c)} was given.`);
    this.assert(
      this._obj instanceof c,
      `expected #{this} to be an instance of ${c.name}`,
      `expected #{this} to not be an instance of ${c.name}`,
    );
  });

  function propertyOf(name, expected, message) {
    say(this, message);
    const f = this.__flags,
      o = this._obj;
    if (o === null || o === undefined) throw new v.AssertionError("Target cannot be null or undefined.");
    const { exists, value } = f.nested
      ? v.follow(o, name)
      : { exists: f.own ? Object.prototype.hasOwnProperty.call(o, name) : name in Object(o), value: o[name] };
    const words = `${f.deep ? "deep " : ""}${f.nested ? "nested " : ""}${f.own ? "own " : ""}property`;
    const given = arguments.length > 1;
    if (!f.negate || !given)
      this.assert(
        exists,
        `expected #{this} to have ${words} ${v.inspect(name)}`,
        `expected #{this} to not have ${words} ${v.inspect(name)}`,
      );
    if (given)
      this.assert(
        exists && (f.deep ? deepEqual(expected, value) : expected === value),
        `expected #{this} to have ${words} ${v.inspect(name)} of #{exp}, but got #{act}`,
        `expected #{this} to not have ${words} ${v.inspect(name)} of #{act}`,
        expected,
        value,
      );
    this._obj = value;
  }
  define("property", propertyOf);
  define(["ownProperty", "haveOwnProperty"], function (...args) {
    this.__flags.own = true;
    propertyOf.apply(this, args);
  });
  define(["ownPropertyDescriptor", "haveOwnPropertyDescriptor"], function (name, descriptor) {
    const d = Object.getOwnPropertyDescriptor(Object(this._obj), name);
    this.assert(
      d && (descriptor === undefined || deepEqual(descriptor, d)),
      `expected #{this} to have an own property descriptor for ${v.inspect(name)}`,
      `expected #{this} to not have an own property descriptor for ${v.inspect(name)}`,
      descriptor,
      d,
      true,
    );
    this._obj = d;
  });
  define(["match", "matches"], function (re, message) {
    say(this, message);
    this.assert(re.exec(this._obj), `expected #{this} to match ${re}`, `expected #{this} not to match ${re}`);
  });
  define("string", function (s, message) {
    say(this, message);
    this.assert(
      this._obj.includes(s),
      `expected #{this} to contain ${v.inspect(s)}`,
      `expected #{this} to not contain ${v.inspect(s)}`,
    );
  });
  define(["keys", "key"], function (...given) {
    const o = this._obj,
      f = this.__flags;
    const wanted =
      given.length === 1 && Array.isArray(given[0])
        ? given[0]
        : given.length === 1 && Object(given[0]) === given[0] && kind(given[0]) === "object"
          ? Object.keys(given[0])
          : given;
    if (wanted.length === 0) throw new v.AssertionError("keys required");
    const actual =
      kind(o) === "map" || kind(o) === "set"
        ? [...o.keys()]
        : [...Object.keys(o), ...Object.getOwnPropertySymbols(o)];
    const has = (k) =>
      actual.some((x) =>
        f.deep
          ? deepEqual(x, k)
          : x === k ||
            (String(x) === String(k) && typeof k !== "symbol" && typeof x !== "symbol" && kind(o) !== "map"),
      );
    const ok = f.any ? wanted.some(has) : wanted.every(has) && (f.contains || actual.length === wanted.length);
    const names = wanted.map((k) => v.inspect(k));
    const text =
      names.length > 1
        ? `keys ${names.slice(0, -1).join(", ")}, ${f.any ? "or" : "and"} ${names.at(-1)}`
        : `key ${names[0]}`;
    this.assert(
      ok,
      `expected #{this} to ${f.contains ? "contain" : "have"} ${text}`,
      `expected #{this} to not ${f.contains ? "contain" : "have"} ${text}`,
      wanted,
      actual,
      true,
    );
  });
  define(["throw", "throws", "Throw"], function (type, pattern, message) {
    say(this, message);
    const f = this.__flags;
    let error,
      threw = false;
    if (f.was === "rejects") {
      error = this._obj;
      threw = true;
    } else {
      try {
        this._obj();
      } catch (e) {
        error = e;
        threw = true;
      }
    }
    if (typeof type === "string" || type instanceof RegExp) {
      pattern = type;
      type = undefined;
    }
    const what = type instanceof Error ? v.display(type) : typeof type === "function" ? type.name : "an error";
    if ((type === undefined && pattern === undefined) || !threw)
      this.assert(
        threw && ((type === undefined && pattern === undefined) || f.negate),
        `expected #{this} to throw ${what}`,
        threw ? `expected #{this} to not throw an error but ${v.display(v.shortText(error))} was thrown` : "",
        undefined,
        undefined,
        false,
      );
    if (!threw) return;
    if (type !== undefined) {
      const fits = typeof type === "function" ? error instanceof type : error === type;
      this.assert(
        fits,
        `expected #{this} to throw ${what} but ${v.display(v.shortText(error))} was thrown`,
        `expected #{this} to not throw ${what}`,
        undefined,
        undefined,
        false,
      );
    }
    if (pattern !== undefined) {
      const text = error?.message ?? String(error);
      const fits = pattern instanceof RegExp ? pattern.test(text) : text.includes(pattern);
      const how = pattern instanceof RegExp ? "matching" : "including";
      this.assert(
        fits,
        `expected #{this} to throw error ${how} ${v.display(pattern)} but got ${v.display(text)}`,
        `expected #{this} to throw error not ${how} ${v.display(pattern)}`,
        undefined,
        undefined,
        false,
      );
    }
    this._obj = error;
  });
  define(["respondTo", "respondsTo"], function (name) {
    const o = this._obj;
    const target = typeof o === "function" && !this.__flags.itself ? o.prototype : o;
    this.assert(
      typeof target?.[name] === "function",
      `expected #{this} to respond to ${v.inspect(name)}`,
      `expected #{this} to not respond to ${v.inspect(name)}`,
    );
  });
  property("itself", function () {
    this.__flags.itself = true;
  });
  define(["satisfy", "satisfies"], function (fn, message) {
    say(this, message);
    this.assert(
      fn(this._obj),
      `expected #{this} to satisfy ${v.display(fn)}`,
      `expected #{this} to not satisfy ${v.display(fn)}`,
    );
  });
  define(["closeTo", "approximately"], function (n, delta, message) {
    say(this, message);
    this.assert(
      Math.abs(this._obj - n) <= delta,
      `expected #{this} to be close to ${n} +/- ${delta}`,
      `expected #{this} not to be close to ${n} +/- ${delta}`,
    );
  });
  define("members", function (set, message) {
    say(this, message);
    const f = this.__flags,
      o = [...this._obj];
    const eq = f.deep ? deepEqual : (a, b) => a === b;
    let ok;
    if (f.ordered) ok = (f.contains || o.length === set.length) && set.every((x, i) => eq(o[i], x));
    else {
      const rest = [...o];
      ok =
        (f.contains || o.length === set.length) &&
        set.every((x) => {
          const i = rest.findIndex((y) => eq(y, x));
          if (i < 0) return false;
          if (!f.contains) rest.splice(i, 1);
          return true;
        });
    }
    const subject = f.contains
      ? `${f.ordered ? "an ordered superset" : "a superset"}`
      : `${f.ordered ? "ordered members" : "members"}`;
    const verb = f.contains ? "be " : "have the same ";
    this.assert(
      ok,
      `expected #{this} to ${verb}${subject}${f.contains ? " of" : " as"} ${v.display(set)}`,
      `expected #{this} to not ${verb}${subject}${f.contains ? " of" : " as"} ${v.display(set)}`,
      set,
      this._obj,
      true,
    );
  });
  // hasPart says whether a value has at least what another one has; a function in it is asked.
  function hasPart(actual, part) {
    if (Object.is(actual, part)) return true;
    if (part === null || typeof part !== "object" || actual === null || typeof actual !== "object") return false;
    if (part instanceof Date) return actual instanceof Date && actual.getTime() === part.getTime();
    if (Array.isArray(part))
      return typeof actual.length === "number" && part.every((p) => Array.from(actual).some((a) => hasPart(a, p)));
    return Object.keys(part).every((k) =>
      typeof part[k] === "function" ? !!part[k](actual[k]) : hasPart(actual[k], part[k]),
    );
  }
  define("containSubset", function (part) {
    this.assert(
      hasPart(this._obj, part),
      "expected #{act} to contain subset #{exp}",
      "expected #{act} to not contain subset #{exp}",
      part,
      this._obj,
      true,
    );
  });
  define("oneOf", function (list, message) {
    say(this, message);
    const f = this.__flags;
    const ok = f.contains
      ? list.some((x) => this._obj.indexOf(x) > -1)
      : list.some((x) => (f.deep ? deepEqual(this._obj, x) : x === this._obj));
    this.assert(
      ok,
      `expected #{this} to ${f.contains ? "contain" : "be"} one of ${v.display(list)}`,
      `expected #{this} to not ${f.contains ? "contain" : "be"} one of ${v.display(list)}`,
      list,
      this._obj,
    );
  });
  for (const [names, word, test] of [
    [["change", "changes"], "change", (a, b) => a !== b],
    [["increase", "increases"], "increase", (a, b) => b > a],
    [["decrease", "decreases"], "decrease", (a, b) => b < a],
  ])
    define(names, function (subject, name) {
      const read = () => (typeof subject === "function" && name === undefined ? subject() : subject[name]);
      const first = read();
      this._obj();
      const last = read();
      const what = name === undefined ? "value" : `.${name}`;
      this.__flags.delta = Math.abs(last - first);
      this.assert(test(first, last), `expected ${what} to ${word}`, `expected ${what} to not ${word}`);
    });
  define("by", function (delta) {
    this.assert(
      this.__flags.delta === delta,
      `expected value to change by ${delta}`,
      `expected value to not change by ${delta}`,
    );
  });
});
