(function (require, module) {
  "use strict";
  const timers = require("timers");
  const { AbortError } = require("internal/errors");
  const { AsyncIteratorPrototype } = require("internal/iteration");
  const { validateObject, validateAbortSignal, validateBoolean, validateNumber } = require("internal/validators");

  function check(options) {
    validateObject(options, "options");
    validateAbortSignal(options.signal, "options.signal");
    if (options.ref !== undefined) validateBoolean(options.ref, "options.ref");
    return options.signal;
  }

  const settle = (start, stop, value, options) => new Promise((resolve, reject) => {
    const signal = check(options);
    const abort = () => {
      stop(timer);
      reject(new AbortError(undefined, { cause: signal.reason }));
    };
    let timer;
    if (signal?.aborted) return reject(new AbortError(undefined, { cause: signal.reason }));
    timer = start(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    });
    signal?.addEventListener("abort", abort, { once: true });
  });

  function setTimeout(delay, value, options = {}) {
    try {
      if (delay !== undefined) validateNumber(delay, "delay");
    } catch (e) {
      return Promise.reject(e);
    }
    return settle((f) => timers.setTimeout(f, delay), timers.clearTimeout, value, options);
  }
  const setImmediate = (value, options = {}) =>
    settle((f) => timers.setImmediate(f), timers.clearImmediate, value, options);

  // setInterval gives an async iterator that yields value at every tick.
  function setInterval(delay, value, options = {}) {
    const signal = check(options);
    let ticks = 0;
    let waiting;
    let failure;
    let over = false;
    const finish = () => {
      over = true;
      timers.clearInterval(timer);
      signal?.removeEventListener("abort", abort);
    };
    const abort = () => {
      finish();
      failure = new AbortError(undefined, { cause: signal.reason });
      waiting?.reject(failure);
      waiting = undefined;
    };
    let timer;
    if (signal?.aborted) failure = new AbortError(undefined, { cause: signal.reason });
    else {
      timer = timers.setInterval(() => {
        if (waiting) {
          waiting.resolve({ value, done: false });
          waiting = undefined;
        } else ticks++;
      }, delay);
      signal?.addEventListener("abort", abort, { once: true });
    }
    return Object.setPrototypeOf({
      next() {
        if (ticks > 0) {
          ticks--;
          return Promise.resolve({ value, done: false });
        }
        if (failure) return Promise.reject(failure);
        if (over) return Promise.resolve({ value: undefined, done: true });
        return new Promise((resolve, reject) => {
          waiting = { resolve, reject };
        });
      },
      return(v) {
        finish();
        waiting?.resolve({ value: undefined, done: true });
        return Promise.resolve({ value: v, done: true });
      },
    }, AsyncIteratorPrototype);
  }

  module.exports = {
    setTimeout, setImmediate, setInterval,
    scheduler: { wait: (delay, options) => setTimeout(delay, undefined, options), yield: () => setImmediate() },
  };
})
