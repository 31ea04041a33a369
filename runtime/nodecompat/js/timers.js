(function (require, module, exports, host) {
  "use strict";
  const { codes } = require("internal/errors");
  const { validateFunction } = require("internal/validators");
  const plain = host.timers;

  // Timeout is what Node's setTimeout gives; it converts to the number that clearTimeout of the platform takes.
  class Timeout {
    #id;
    #callback;
    #args;
    #delay;
    #repeat;
    #cleared = false;
    #refed = true;
    constructor(callback, delay, args, repeat) {
      validateFunction(callback, "callback");
      this.#callback = callback;
      this.#delay = delay;
      this.#args = args;
      this.#repeat = repeat;
      this.#start();
    }
    #start() {
      const start = this.#repeat ? plain.setInterval : plain.setTimeout;
      this.#id = start(() => {
        if (!this.#repeat) this.#cleared = true;
        this.#callback.apply(this, this.#args);
      }, this.#delay);
    }
    refresh() {
      if (!this.#cleared || !this.#repeat) {
        plain.clearTimeout(this.#id);
        this.#cleared = false;
        this.#start();
      }
      return this;
    }
    ref() {
      this.#refed = true;
      return this;
    }
    unref() {
      this.#refed = false;
      return this;
    }
    hasRef() {
      return this.#refed;
    }
    close() {
      plain.clearTimeout(this.#id);
      this.#cleared = true;
      return this;
    }
    get _destroyed() {
      return this.#cleared;
    }
    get _onTimeout() {
      return this.#cleared ? null : this.#callback;
    }
    [Symbol.toPrimitive]() {
      return this.#id;
    }
    [Symbol.dispose]() {
      this.close();
    }
  }

  function clear(timer) {
    if (timer instanceof Timeout || timer instanceof Immediate) timer.close();
    else if (typeof timer === "number" || typeof timer === "string") plain.clearTimeout(+timer);
  }

  class Immediate {
    #id;
    #refed = true;
    constructor(callback, args) {
      validateFunction(callback, "callback");
      this.#id = plain.setTimeout(() => callback(...args), 0);
    }
    close() {
      plain.clearTimeout(this.#id);
    }
    ref() {
      this.#refed = true;
      return this;
    }
    unref() {
      this.#refed = false;
      return this;
    }
    hasRef() {
      return this.#refed;
    }
    [Symbol.dispose]() {
      this.close();
    }
  }

  const api = {
    setTimeout: (callback, delay, ...args) => new Timeout(callback, delay, args, false),
    setInterval: (callback, delay, ...args) => new Timeout(callback, delay, args, true),
    setImmediate: (callback, ...args) => new Immediate(callback, args),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    active() {},
    unenroll(item) {
      clear(item);
    },
    enroll() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("timers.enroll");
    },
    _unrefActive() {},
  };
  for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) api[name] =
    Object.defineProperty((t) => clear(t), "name", { value: name });
  const promisified = Symbol.for("nodejs.util.promisify.custom");
  for (const name of ["setTimeout", "setImmediate"]) {
    Object.defineProperty(api[name], promisified, { enumerable: true, get: () => require("timers/promises")[name] });
  }
  Object.defineProperty(api, "promises",
    { enumerable: true, configurable: true, get: () => require("timers/promises") });
  module.exports = api;
})
