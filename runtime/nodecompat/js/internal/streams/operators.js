// map, filter, toArray and the other iterator-like methods of Readable.
(function (require, module) {
  "use strict";
  const { codes, AbortError } = require("internal/errors");
  const { validateFunction, validateInteger, validateObject, validateAbortSignal } = require("internal/validators");
  const { each, generate } = require("internal/iteration");

  function checkOptions(options) {
    if (options != null) validateObject(options, "options");
    if (options?.signal != null) validateAbortSignal(options.signal, "options.signal");
    if (options?.concurrency !== undefined) validateInteger(options.concurrency, "options.concurrency", 1);
  }
  const throwIfAborted = (signal) => {
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  };
  const count = (n) => {
    n = Number(n);
    if (Number.isNaN(n)) return 0;
    if (n < 0) throw new codes.ERR_OUT_OF_RANGE("number", ">= 0", n);
    return n;
  };

  function map(fn, options) {
    validateFunction(fn, "fn");
    checkOptions(options);
    const concurrency = Math.floor(options?.concurrency ?? 1);
    const source = this;
    const signal = options?.signal;
    return generate(async (emit) => {
      const running = [];
      const inner = new AbortController();
      signal?.addEventListener("abort", () => inner.abort(signal.reason), { once: true });
      const drain = async (keep) => {
        while (running.length > keep) {
          const v = await running.shift();
          throwIfAborted(signal);
          if (v !== skip) await emit(v);
        }
      };
      try {
        await each(source, async (v) => {
          throwIfAborted(signal);
          const p = Promise.resolve().then(() => fn(v, { signal: inner.signal }));
          p.catch(() => {});
          running.push(p);
          await drain(concurrency - 1);
        });
        await drain(0);
      } finally {
        inner.abort();
      }
    });
  }
  const skip = Symbol("skip");

  const streams = {
    map,
    filter(fn, options) {
      validateFunction(fn, "fn");
      return map.call(this, async (v, o) => ((await fn(v, o)) ? v : skip), options);
    },
    flatMap(fn, options) {
      const values = map.call(this, fn, options);
      return generate((emit) => each(values, (v) => each(v, async (x) => {
        await emit(x);
      })));
    },
    drop(number, options) {
      checkOptions(options);
      let left = count(number);
      return generate((emit) => each(this, async (v) => {
        throwIfAborted(options?.signal);
        if (left-- <= 0) await emit(v);
      }));
    },
    take(number, options) {
      checkOptions(options);
      let left = count(number);
      return generate((emit) => each(this, async (v) => {
        throwIfAborted(options?.signal);
        if (left-- > 0) await emit(v);
        return left > 0;
      }));
    },
    asIndexedPairs(options) {
      checkOptions(options);
      let i = 0;
      return generate((emit) => each(this, async (v) => {
        throwIfAborted(options?.signal);
        await emit([i++, v]);
      }));
    },
  };

  const promises = {
    async forEach(fn, options) {
      validateFunction(fn, "fn");
      await each(map.call(this, async (v, o) => {
        await fn(v, o);
        return skip;
      }, options), () => {});
    },
    async toArray(options) {
      checkOptions(options);
      const out = [];
      await each(this, (v) => {
        throwIfAborted(options?.signal);
        out.push(v);
      });
      return out;
    },
    async some(fn, options) {
      validateFunction(fn, "fn");
      let found = false;
      await each(streams.filter.call(this, fn, options), () => {
        found = true;
        return false;
      });
      return found;
    },
    async every(fn, options) {
      validateFunction(fn, "fn");
      return !(await promises.some.call(this, async (...a) => !(await fn(...a)), options));
    },
    async find(fn, options) {
      let out;
      await each(streams.filter.call(this, fn, options), (v) => {
        out = v;
        return false;
      });
      return out;
    },
    async reduce(fn, ...rest) {
      validateFunction(fn, "reducer");
      const [initial, options] = rest;
      checkOptions(options);
      let has = rest.length > 0;
      let acc = initial;
      await each(this, async (v) => {
        throwIfAborted(options?.signal);
        if (!has) {
          has = true;
          acc = v;
        } else acc = await fn(acc, v, { signal: options?.signal });
      });
      if (!has) throw Object.assign(new TypeError("Reduce of an empty stream requires an initial value"),
        { code: "ERR_MISSING_ARGS" });
      return acc;
    },
  };

  function install(Readable) {
    for (const [name, fn] of Object.entries(streams)) {
      Object.defineProperty(Readable.prototype, name, {
        value(...args) {
          return Readable.from(Reflect.apply(fn, this, args));
        },
        writable: true, configurable: true,
      });
    }
    for (const [name, fn] of Object.entries(promises)) Object.defineProperty(
      Readable.prototype, name, { value: fn, writable: true, configurable: true });
    Readable.prototype.compose = function (stream, options) {
      return require("internal/streams/compose").compose(this, stream, options);
    };
  }
  module.exports = { install };
})
