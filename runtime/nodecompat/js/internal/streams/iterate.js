// Async iteration over a Readable.
(function (require, module) {
  "use strict";
  const { AsyncIteratorPrototype } = require("internal/iteration");
  const { destroyer } = require("internal/streams/destroy");
  const { finished } = require("internal/streams/finished");

  function iterate(stream, options) {
    if (typeof stream.read !== "function") stream =
      require("internal/streams/readable").wrap(stream, { objectMode: true });
    let wake;
    let error;
    let started = false;
    let over = false;
    let cleanup;
    const next = () => {
      const f = wake;
      wake = undefined;
      f?.();
    };
    function start() {
      started = true;
      stream.on("readable", next);
      cleanup = finished(stream, { writable: false }, (err) => {
        error = err ? { err } : null;
        next();
      });
    }
    function leave(failed) {
      over = true;
      if ((failed || options?.destroyOnReturn !== false) &&
        (error === undefined || stream._readableState.autoDestroy)) destroyer(stream, null);
      else {
        stream.off("readable", next);
        cleanup?.();
      }
    }
    async function step() {
      if (over) return { value: undefined, done: true };
      if (!started) start();
      for (;;) {
        const chunk = stream.destroyed ? null : stream.read();
        if (chunk !== null) return { value: chunk, done: false };
        if (error) {
          const { err } = error;
          leave(true);
          throw err;
        }
        if (error === null) {
          leave(false);
          return { value: undefined, done: true };
        }
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
    }
    let chain = Promise.resolve();
    const queue = (f) => {
      const p = chain.then(f, f);
      chain = p.catch(() => {});
      return p;
    };
    return Object.setPrototypeOf({
      stream,
      next: () => queue(step),
      return: (value) => queue(() => {
        if (!over) leave(false);
        return { value, done: true };
      }),
      throw: (err) => queue(() => {
        if (!over) leave(true);
        throw err;
      }),
    }, AsyncIteratorPrototype);
  }
  module.exports = { iterate };
})
