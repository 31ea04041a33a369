(function (require, module, exports, host) {
  "use strict";
  const { codes } = require("internal/errors");
  const { validateFunction, validateString, validateObject } = require("internal/validators");
  const context = host.async;

  class AsyncLocalStorage {
    #default;
    #name;
    // The loop's async context holds the value under this object.
    constructor(options = {}) {
      validateObject(options, "options");
      this.#default = options.defaultValue;
      if (options.name !== undefined) this.#name = `${options.name}`;
    }
    get name() {
      return this.#name || "";
    }
    static bind(fn) {
      return AsyncResource.bind(fn);
    }
    static snapshot() {
      const enter = context.snapshot();
      return function (fn, ...args) {
        return enter(fn, this, ...args);
      };
    }
    run(store, callback, ...args) {
      validateFunction(callback, "callback");
      return context.run(this, store, callback, ...args);
    }
    exit(callback, ...args) {
      validateFunction(callback, "callback");
      return context.exit(this, callback, ...args);
    }
    getStore() {
      return context.get(this, this.#default);
    }
    enterWith(store) {
      context.set(this, store);
    }
    disable() {
      context.unset(this);
    }
    _enable() {}
    _propagate() {}
  }

  class AsyncResource {
    #type;
    #enter;
    constructor(type, options = {}) {
      validateString(type, "type");
      if (typeof options === "object" && options !== null) {
        const id = options.triggerAsyncId;
        if (id !== undefined && (!Number.isSafeInteger(id) || id < -1)) throw new codes.ERR_INVALID_ASYNC_ID(
          "triggerAsyncId", id);
      }
      this.#type = type;
      this.#enter = context.snapshot();
    }
    get type() {
      return this.#type;
    }
    runInAsyncScope(fn, thisArg, ...args) {
      validateFunction(fn, "fn");
      return this.#enter(fn, thisArg, ...args);
    }
    emitDestroy() {
      return this;
    }
    asyncId() {
      return 0;
    }
    triggerAsyncId() {
      return 0;
    }
    bind(fn, thisArg) {
      validateFunction(fn, "fn");
      const resource = this;
      const bound = thisArg === undefined
        ? function (...args) {
          return resource.runInAsyncScope(fn, this, ...args);
        }
        : (...args) => resource.runInAsyncScope(fn, thisArg, ...args);
      Object.defineProperties(bound, {
        length: { configurable: true, enumerable: false, value: fn.length, writable: false },
        asyncResource: { configurable: true, enumerable: true, value: this, writable: true },
      });
      return bound;
    }
    static bind(fn, type, thisArg) {
      validateFunction(fn, "fn");
      return new AsyncResource(type || fn.name || "bound-anonymous-fn").bind(fn, thisArg);
    }
  }

  const hook = {
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  };
  module.exports = {
    AsyncLocalStorage,
    AsyncResource,
    createHook(callbacks) {
      validateObject(callbacks, "callbacks");
      for (const name of ["init", "before", "after", "destroy", "promiseResolve"]) {
        if (callbacks[name] !== undefined && typeof callbacks[name] !== "function") throw new codes.ERR_ASYNC_CALLBACK(
          `hook.${name}`);
      }
      return Object.create(hook);
    },
    executionAsyncId: () => 0,
    triggerAsyncId: () => 0,
    executionAsyncResource: () => Object.create(null),
    asyncWrapProviders: {},
  };
})
