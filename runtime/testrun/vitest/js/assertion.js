// The assertion: a value, flags, and chains of words after it (TEST-94, TEST-95).
(function (v) {
  "use strict";

  class AssertionError extends Error {
    constructor(message, extra = {}) {
      super(message);
      Object.assign(this, extra);
    }
    get name() {
      return "AssertionError";
    }
    set name(_) {}
    toJSON() {
      return { name: this.name, message: this.message, ok: false, ...this };
    }
  }
  v.AssertionError = AssertionError;

  // ExtendError is what matchers of expect.extend fail with.
  v.ExtendError = class extends Error {
    constructor(message, actual, expected) {
      super(message);
      Object.assign(this, { actual, expected });
    }
  };

  class Assertion {
    constructor(object, message, flags) {
      Object.defineProperty(this, "__flags", {
        value: { ...flags, object, message },
        writable: true,
        enumerable: false,
      });
    }
    get _obj() {
      return this.__flags.object;
    }
    set _obj(x) {
      this.__flags.object = x;
    }

    // assert fails unless ok; text and notText are messages with #{this}, #{exp} and #{act}.
    assert(ok, text, notText, expected, actual, showDiff) {
      const f = this.__flags;
      if (!!ok !== !!f.negate) return;
      let message = f.negate ? notText : text;
      if (typeof message === "function") message = message();
      message = (message ?? "")
        .replace(/#\{this\}/g, () => v.display(f.object))
        .replace(/#\{act\}/g, () => v.display(actual))
        .replace(/#\{exp\}/g, () => v.display(expected));
      if (f.message) message = `${f.message}: ${message}`;
      const extra = {};
      if (showDiff !== false && arguments.length > 3) {
        extra.actual = arguments.length > 4 ? actual : f.object;
        extra.expected = expected;
        extra.showDiff = true;
      }
      throw new AssertionError(message, extra);
    }
  }
  v.Assertion = Assertion;

  // The words of chai and of mocks are there once one of them is looked for, or somebody defines a word of their own.
  v.makeWords = function () {
    if (Object.getPrototypeOf(Assertion.prototype) !== seeker) return;
    Object.setPrototypeOf(Assertion.prototype, Object.prototype);
    v.late("mockmatchers");
    v.late("chai");
    Object.setPrototypeOf(Assertion.prototype, refuser);
  };
  const known = (key) => typeof key === "symbol" || key === "then" || key in Object.prototype;
  const seeker = new Proxy(Object.prototype, {
    get(target, key, receiver) {
      if (!known(key)) v.makeWords();
      if (!known(key) && !asked.has(key) && !Object.hasOwn(Assertion.prototype, key)) throw unknown(key);
      return Reflect.get(known(key) ? target : Assertion.prototype, key, receiver);
    },
    has(target, key) {
      if (!known(key)) v.makeWords();
      return known(key) ? key in target : key in Assertion.prototype;
    },
  });
  const refuser = new Proxy(Object.prototype, {
    get(target, key, receiver) {
      if (!known(key) && !asked.has(key)) throw unknown(key);
      return Reflect.get(target, key, receiver);
    },
  });
  // asked are the words that programs look for without meaning them.
  const asked = new Set(["catch", "inspect", "toJSON", "__flags", "__methods", "_obj", "assert", "$$typeof"]);
  function unknown(key) {
    let best = "",
      least = 4;
    for (const word in describeWords()) {
      const n = edits(key, word, least);
      if (n < least) [best, least] = [word, n];
    }
    return new Error(`Invalid Chai property: ${key}${best ? `. Did you mean "${best}"?` : ""}`);
  }
  const describeWords = () =>
    Object.fromEntries(Object.getOwnPropertyNames(Assertion.prototype).map((word) => [word, true]));

  // edits is the distance of Levenshtein, or limit if it is not below it.
  function edits(a, b, limit) {
    if (Math.abs(a.length - b.length) >= limit) return limit;
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++)
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      row = next;
    }
    return Math.min(row[b.length], limit);
  }
  Object.setPrototypeOf(Assertion.prototype, seeker);
  let assert;
  Object.defineProperty(v, "assert", {
    get() {
      if (!assert) v.late("assert");
      return assert;
    },
    set(made) {
      assert = made;
    },
  });
  v.flag = (assertion, name, value) => {
    if (value === undefined) return assertion.__flags[name];
    assertion.__flags[name] = value;
  };

  // method defines a word that is called. It returns what fn returns, or the assertion.
  function method(name, fn) {
    const own = function (...args) {
      return run(this, name, fn, args);
    };
    Object.defineProperty(own, "name", { value: name, configurable: true });
    Object.defineProperty(Assertion.prototype, name, {
      value: own,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  }

  // property defines a word that is read; with fn it does something, else it only connects.
  function property(name, fn) {
    Object.defineProperty(Assertion.prototype, name, {
      configurable: true,
      get() {
        if (!fn) return this;
        const out = run(this, name, fn, []);
        return out;
      },
    });
  }

  // chainable defines a word that is both: to.be.a("string"), to.contain.keys.
  function chainable(name, fn, read) {
    Object.defineProperty(Assertion.prototype, name, {
      configurable: true,
      get() {
        if (read) read.call(this);
        const self = this;
        const call = function (...args) {
          return run(self, name, fn, args);
        };
        return new Proxy(call, {
          get(target, key) {
            if (key === "length") return self.length;
            if (key === "__flags" || key in Assertion.prototype) {
              const value = Reflect.get(self, key, self);
              return typeof value === "function" && key !== "constructor" ? value.bind(self) : value;
            }
            return Reflect.get(target, key);
          },
        });
      },
    });
  }
  Object.assign(v, { method, property, chainable });

  function run(assertion, name, fn, args) {
    const f = assertion.__flags;
    const result = (e, out) => (out === undefined ? assertion : out);
    if (f.promise) return settled(assertion, name, fn, args);
    if (f.poll) return f.poll(assertion, name, fn, args);
    try {
      const out = fn.apply(assertion, args);
      if (out !== null && typeof out === "object" && typeof out.then === "function" && f.soft)
        return out.then(undefined, (e) => soft(f, e));
      return result(null, out);
    } catch (e) {
      if (!f.soft) throw e;
      soft(f, e);
      return assertion;
    }
  }

  function soft(f, e) {
    const test = f.test ?? v.running();
    if (!test) throw e;
    test.soft.push(e);
  }

  // settled is expect(…).resolves and .rejects: the word is for what the promise gives.
  function settled(assertion, name, fn, args) {
    const f = assertion.__flags;
    const kind = f.promise;
    let object = f.object;
    const called = new Error(name); // inline snapshots are written where the word is called
    const at = f.asked;
    if (kind === "rejects" && typeof object === "function") object = object();
    if (object === null || object === undefined || typeof object.then !== "function")
      throw new TypeError(
        `You must provide a Promise to expect() when using .${kind}, not ` +
            `'${object === null ? "null" : typeof object}'.`,
      );
    const inner = (value) => {
      const a = new Assertion(value, f.message, { ...f, promise: undefined, was: kind, at: called });
      try {
        const out = fn.apply(a, args);
        return out instanceof Assertion ? undefined : out;
      } catch (e) {
        if (e instanceof Error && !e.place) Object.defineProperty(e, "at", { value: at, configurable: true });
        throw e;
      }
    };
    const refused = (text, value) => {
      const e = new AssertionError((f.message ? `${f.message}: ` : "") + text, { showDiff: false });
      Object.defineProperty(e, "at", { value: at, configurable: true });
      if (value instanceof Error) e.cause = value;
      throw e;
    };
    const promise =
      kind === "resolves"
        ? object.then(inner, (e) => refused(`promise rejected "${v.shortText(e)}" instead of resolving`, e))
        : object.then((x) => refused(`promise resolved "${v.shortText(x)}" instead of rejecting`), inner);
    const kept = f.soft ? promise.then(undefined, (e) => soft(f, e)) : promise;
    v.awaitLater(kept, at, `expect(actual).${kind}.${name}(expected)`);
    return kept;
  }

  v.shortText = (x) => (x instanceof Error ? `${x.name}: ${x.message}` : typeof x === "string" ? x : v.inspect(x));

  // Promises of assertions that nobody awaits are awaited at the end of the test.
  v.awaitLater = (promise) => {
    promise.catch(() => {});
    const test = v.running();
    if (test) test.promises.push(promise);
  };

  for (const word of [
    "to",
    "be",
    "been",
    "is",
    "and",
    "has",
    "have",
    "with",
    "that",
    "which",
    "at",
    "of",
    "same",
    "but",
    "does",
    "still",
    "also",
  ])
    property(word);
  // not, resolves and rejects do nothing by themselves, so they are no words that a promise delays.
  Object.defineProperty(Assertion.prototype, "not", {
    configurable: true,
    get() {
      return new Assertion(this._obj, this.__flags.message, { ...this.__flags, negate: !this.__flags.negate });
    },
  });
  function connector(word, flags) {
    Object.defineProperty(Assertion.prototype, word, {
      configurable: true,
      get() {
        Object.assign(this.__flags, flags);
        return this;
      },
    });
  }
  for (const word of ["deep", "nested", "own", "ordered"]) connector(word, { [word]: true });
  connector("any", { any: true, all: false });
  connector("all", { all: true, any: false });
  for (const kind of ["resolves", "rejects"])
    Object.defineProperty(Assertion.prototype, kind, {
      configurable: true,
      get() {
        if (this.__flags.poll) throw new SyntaxError(`expect.poll() is not supported in combination with .${kind}`);
        return new Assertion(this._obj, this.__flags.message, {
          ...this.__flags,
          promise: kind,
          asked: new Error(kind),
        });
      },
    });
});
