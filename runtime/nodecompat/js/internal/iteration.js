// Async iterators as async generators would give them. These files do not pass through the bundler, and goja cannot
// parse async generators.
(function (require, module) {
  "use strict";
  const AsyncIteratorPrototype = {};
  Object.defineProperty(AsyncIteratorPrototype, Symbol.asyncIterator, {
    value: function () {
      return this;
    },
    writable: true, configurable: true,
  });
  if (Symbol.asyncDispose) {
    Object.defineProperty(AsyncIteratorPrototype, Symbol.asyncDispose, {
      value: async function () {
        await this.return?.();
      },
      writable: true, configurable: true,
    });
  }

  // iteratorOf opens any iterable for asynchronous reading: next and return always give promises.
  function iteratorOf(iterable) {
    const method = iterable[Symbol.asyncIterator];
    if (method) return method.call(iterable);
    const it = iterable[Symbol.iterator]();
    return {
      async next(v) {
        const r = it.next(v);
        return { value: await r.value, done: r.done };
      },
      async return(v) {
        return it.return ? it.return(v) : { value: v, done: true };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  // each runs body for every value, as `for await` does; body may return false to stop.
  async function each(iterable, body) {
    const it = iteratorOf(iterable);
    for (;;) {
      const { value, done } = await it.next();
      if (done) return;
      let go;
      try {
        go = await body(value);
      } catch (e) {
        try {
          await it.return?.();
        } catch {
          // The error of the body counts.
        }
        throw e;
      }
      if (go === false) {
        await it.return?.();
        return;
      }
    }
  }

  // generate makes an async iterator from a producer: produce(emit) calls `await emit(value)` for each value; emit
  // throws when the consumer has left.
  function generate(produce) {
    const left = Symbol("left");
    let started = false;
    let over = false;
    let pull;
    let resume;
    let running;
    const emit = (value) => {
      if (over) throw left;
      pull?.resolve({ value, done: false });
      pull = undefined;
      return new Promise((resolve, reject) => {
        resume = { resolve, reject };
      });
    };
    const start = () => {
      started = true;
      running = (async () => {
        try {
          await produce(emit);
          over = true;
          pull?.resolve({ value: undefined, done: true });
        } catch (e) {
          over = true;
          if (e === left) pull?.resolve({ value: undefined, done: true });
          else if (pull) pull.reject(e);
          else throw e;
        }
        pull = undefined;
      })();
      running.catch(() => {});
    };
    let chain = Promise.resolve();
    const queue = (f) => {
      const p = chain.then(f, f);
      chain = p.catch(() => {});
      return p;
    };
    return Object.setPrototypeOf({
      next() {
        return queue(() => {
          if (over) return { value: undefined, done: true };
          return new Promise((resolve, reject) => {
            pull = { resolve, reject };
            if (!started) start();
            else {
              const r = resume;
              resume = undefined;
              r.resolve();
            }
          });
        });
      },
      return(value) {
        return queue(async () => {
          over = true;
          if (started) {
            resume?.reject(left);
            resume = undefined;
            await running;
          }
          return { value, done: true };
        });
      },
      throw(err) {
        return queue(async () => {
          over = true;
          if (started && resume) {
            resume.reject(left);
            resume = undefined;
            await running;
          }
          throw err;
        });
      },
    }, AsyncIteratorPrototype);
  }

  module.exports = { AsyncIteratorPrototype, iteratorOf, each, generate };
})
