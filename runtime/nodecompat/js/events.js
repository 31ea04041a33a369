(function (require, module, exports, host) {
  "use strict";
  const { codes, AbortError } = require("internal/errors");
  const { validateFunction, validateAbortSignal, validateBoolean, validateNumber, validateString } =
    require("internal/validators");

  const kCapture = Symbol("kCapture");
  const kErrorMonitor = Symbol("events.errorMonitor");
  const kRejection = Symbol.for("nodejs.rejection");
  const listenerCheck = (listener) => validateFunction(listener, "listener");

  function EventEmitter(options) {
    EventEmitter.init.call(this, options);
  }
  EventEmitter.prototype._events = undefined;
  EventEmitter.prototype._eventsCount = 0;
  EventEmitter.prototype._maxListeners = undefined;
  Object.defineProperty(EventEmitter.prototype, kCapture, { value: false, writable: true, enumerable: false });

  let defaultMax = 10;
  Object.defineProperties(EventEmitter, {
    defaultMaxListeners: {
      enumerable: true,
      get: () => defaultMax,
      set(n) {
        validateNumber(n, "defaultMaxListeners", 0);
        defaultMax = n;
      },
    },
    captureRejections: {
      enumerable: true,
      get: () => EventEmitter.prototype[kCapture],
      set(v) {
        validateBoolean(v, "EventEmitter.captureRejections");
        EventEmitter.prototype[kCapture] = v;
      },
    },
  });

  EventEmitter.init = function (options) {
    if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
      this._events = { __proto__: null };
      this._eventsCount = 0;
    }
    this._maxListeners = this._maxListeners || undefined;
    if (options?.captureRejections) {
      validateBoolean(options.captureRejections, "options.captureRejections");
      this[kCapture] = true;
    }
  };

  EventEmitter.setMaxListeners = function (n = defaultMax, ...targets) {
    validateNumber(n, "setMaxListeners", 0);
    if (targets.length === 0) {
      defaultMax = n;
      return;
    }
    for (const t of targets) {
      if (typeof t?.setMaxListeners === "function") t.setMaxListeners(n);
      else if (!(t instanceof EventTarget)) throw new codes.ERR_INVALID_ARG_TYPE(
        "eventTargets", ["EventEmitter", "EventTarget"], t);
    }
  };

  EventEmitter.prototype.setMaxListeners = function setMaxListeners(n) {
    validateNumber(n, "setMaxListeners", 0);
    this._maxListeners = n;
    return this;
  };
  EventEmitter.prototype.getMaxListeners = function getMaxListeners() {
    return this._maxListeners === undefined ? defaultMax : this._maxListeners;
  };

  // captured sends a rejection of an async listener to the emitter.
  function captured(emitter, promise, type, args) {
    let then;
    try {
      then = promise.then;
      if (typeof then !== "function") return;
      then.call(promise, undefined, (err) => {
        queueMicrotask(() => {
          if (typeof emitter[kRejection] === "function") {
            emitter[kRejection](err, type, ...args);
            return;
          }
          const before = emitter[kCapture];
          try {
            emitter[kCapture] = false;
            emitter.emit("error", err);
          } finally {
            emitter[kCapture] = before;
          }
        });
      });
    } catch (err) {
      emitter.emit("error", err);
    }
  }

  function throwUnhandled(args) {
    const er = args[0];
    if (er instanceof Error) throw er;
    let text;
    try {
      text = host.inspect(er);
    } catch {
      text = er;
    }
    const err = new codes.ERR_UNHANDLED_ERROR(text);
    err.context = er;
    throw err;
  }

  EventEmitter.prototype.emit = function emit(type, ...args) {
    const events = this._events;
    if (type === "error") {
      if (events?.[kErrorMonitor] !== undefined) this.emit(kErrorMonitor, ...args);
      if (events?.error === undefined) throwUnhandled(args);
    }
    const handler = events?.[type];
    if (handler === undefined) return false;
    if (typeof handler === "function") {
      const result = Reflect.apply(handler, this, args);
      if (result != null && this[kCapture]) captured(this, result, type, args);
    } else {
      for (const listener of handler.slice()) {
        const result = Reflect.apply(listener, this, args);
        if (result != null && this[kCapture]) captured(this, result, type, args);
      }
    }
    return true;
  };

  function warnOfLeak(target, type, existing) {
    const max = target.getMaxListeners();
    if (max > 0 && existing.length > max && !existing.warned) {
      existing.warned = true;
      const name = target.constructor?.name ?? "EventEmitter";
      const w = new Error(`Possible EventEmitter memory leak detected. ${existing.length} ${String(
        type)} listeners added to [${name}]. MaxListeners is ${max}. Use emitter.setMaxListeners() to increase limit`);
      w.name = "MaxListenersExceededWarning";
      w.emitter = target;
      w.type = type;
      w.count = existing.length;
      require("process").emitWarning(w);
    }
  }

  function add(target, type, listener, prepend) {
    listenerCheck(listener);
    let events = target._events;
    if (events === undefined) {
      events = target._events = { __proto__: null };
      target._eventsCount = 0;
    } else if (events.newListener !== undefined) {
      target.emit("newListener", type, listener.listener ?? listener);
      events = target._events;
    }
    let existing = events[type];
    if (existing === undefined) {
      events[type] = listener;
      ++target._eventsCount;
      return target;
    }
    if (typeof existing === "function") {
      existing = events[type] = prepend ? [listener, existing] : [existing, listener];
    } else if (prepend) existing.unshift(listener);
    else existing.push(listener);
    warnOfLeak(target, type, existing);
    return target;
  }

  function onceWrap(target, type, listener) {
    listenerCheck(listener);
    let fired = false;
    const wrapped = function (...args) {
      if (fired) return undefined;
      target.removeListener(type, wrapped);
      fired = true;
      return Reflect.apply(listener, target, args);
    };
    wrapped.listener = listener;
    return wrapped;
  }

  const methods = {
    addListener(type, listener) {
      return add(this, type, listener, false);
    },
    prependListener(type, listener) {
      return add(this, type, listener, true);
    },
    once(type, listener) {
      this.on(type, onceWrap(this, type, listener));
      return this;
    },
    prependOnceListener(type, listener) {
      this.prependListener(type, onceWrap(this, type, listener));
      return this;
    },
    removeListener(type, listener) {
      listenerCheck(listener);
      const events = this._events;
      const existing = events?.[type];
      if (existing === undefined) return this;
      if (existing === listener || existing.listener === listener) {
        this._eventsCount -= 1;
        if (this._eventsCount === 0) this._events = { __proto__: null };
        else delete events[type];
        if (events.removeListener) this.emit("removeListener", type, existing.listener ?? listener);
        return this;
      }
      if (typeof existing === "function") return this;
      let at = -1;
      for (let i = existing.length - 1; i >= 0; i--) {
        if (existing[i] === listener || existing[i].listener === listener) {
          at = i;
          break;
        }
      }
      if (at < 0) return this;
      existing.splice(at, 1);
      if (existing.length === 1) events[type] = existing[0];
      if (events.removeListener !== undefined) this.emit("removeListener", type, listener);
      return this;
    },
    removeAllListeners(type) {
      const events = this._events;
      if (events === undefined) return this;
      if (events.removeListener === undefined) {
        if (arguments.length === 0) {
          this._events = { __proto__: null };
          this._eventsCount = 0;
        } else if (events[type] !== undefined) {
          if (--this._eventsCount === 0) this._events = { __proto__: null };
          else delete events[type];
        }
        return this;
      }
      if (arguments.length === 0) {
        for (const key of Reflect.ownKeys(events)) {
          if (key !== "removeListener") this.removeAllListeners(key);
        }
        this.removeAllListeners("removeListener");
        this._events = { __proto__: null };
        this._eventsCount = 0;
        return this;
      }
      const listeners = events[type];
      if (typeof listeners === "function") this.removeListener(type, listeners);
      else if (listeners !== undefined) for (let i = listeners.length - 1; i >= 0; i--) this.removeListener(
        type, listeners[i]);
      return this;
    },
    listeners(type) {
      return this.rawListeners(type).map((l) => l.listener ?? l);
    },
    rawListeners(type) {
      const existing = this._events?.[type];
      if (existing === undefined) return [];
      return typeof existing === "function" ? [existing] : existing.slice();
    },
    listenerCount(type, listener) {
      const existing = this._events?.[type];
      if (existing === undefined) return 0;
      if (listener != null) return this.rawListeners(type).filter(
        (l) => l === listener || l.listener === listener).length;
      return typeof existing === "function" ? 1 : existing.length;
    },
    eventNames() {
      return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
    },
  };
  Object.assign(EventEmitter.prototype, methods);
  EventEmitter.prototype.on = EventEmitter.prototype.addListener;
  EventEmitter.prototype.off = EventEmitter.prototype.removeListener;

  const isEmitter = (e) => typeof e?.on === "function";
  const isTarget = (e) => typeof e?.addEventListener === "function";

  // listen joins a function to either kind of emitter and gives back how to part them.
  function listen(emitter, type, fn, { once: only = false } = {}) {
    if (isEmitter(emitter)) {
      if (only) emitter.once(type, fn);
      else emitter.on(type, fn);
      return () => emitter.removeListener(type, fn);
    }
    if (isTarget(emitter)) {
      emitter.addEventListener(type, fn, { once: only });
      return () => emitter.removeEventListener(type, fn);
    }
    throw new codes.ERR_INVALID_ARG_TYPE("emitter", "EventEmitter", emitter);
  }

  function once(emitter, type, options = {}) {
    return new Promise((resolve, reject) => {
      const signal = options?.signal;
      validateAbortSignal(signal, "options.signal");
      if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
      const undo = [];
      const done = (f) => (...args) => {
        for (const u of undo) u();
        f(args);
      };
      undo.push(listen(emitter, type, done(resolve), { once: true }));
      if (type !== "error" && isEmitter(emitter)) undo.push(
        listen(emitter, "error", done((args) => reject(args[0])), { once: true }));
      if (signal != null) undo.push(listen(
        signal, "abort", done(() => reject(new AbortError(undefined, { cause: signal.reason }))), { once: true }));
    });
  }

  // on is an async iterator over the arguments of every emit.
  function on(emitter, type, options = {}) {
    const signal = options.signal;
    validateAbortSignal(signal, "options.signal");
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    const high = options.highWaterMark ?? options.highWatermark ?? Number.MAX_SAFE_INTEGER;
    const low = options.lowWaterMark ?? options.lowWatermark ?? 1;
    const values = [];
    const readers = [];
    const undo = [];
    let failure;
    let finished = false;
    let paused = false;
    const result = (value) => ({ value, done: value === undefined });
    function fail(err) {
      const reader = readers.shift();
      if (reader) reader.reject(err);
      else failure = { err };
      close();
    }
    function close() {
      for (const u of undo.splice(0)) u();
      finished = true;
      for (const r of readers.splice(0)) r.resolve(result(undefined));
      return Promise.resolve(result(undefined));
    }
    undo.push(listen(emitter, type, (...args) => {
      const reader = readers.shift();
      if (reader) return reader.resolve(result(args));
      values.push(args);
      if (!paused && values.length > high && typeof emitter.pause === "function") {
        paused = true;
        emitter.pause();
      }
    }));
    if (type !== "error" && isEmitter(emitter)) undo.push(listen(emitter, "error", fail));
    for (const end of options.close ?? []) undo.push(listen(emitter, end, close));
    if (signal) undo.push(listen(signal, "abort", () => fail(new AbortError(undefined, { cause: signal.reason })),
      { once: true }));
    return Object.setPrototypeOf({
      next() {
        if (values.length > 0) {
          const value = values.shift();
          if (paused && values.length < low) {
            paused = false;
            emitter.resume();
          }
          return Promise.resolve(result(value));
        }
        if (failure) {
          const { err } = failure;
          failure = undefined;
          return Promise.reject(err);
        }
        if (finished) return close();
        return new Promise((resolve, reject) => readers.push({ resolve, reject }));
      },
      return: close,
      throw(err) {
        if (!(err instanceof Error)) throw new codes.ERR_INVALID_ARG_TYPE("EventEmitter.AsyncIterator", "Error", err);
        fail(err);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    }, require("internal/iteration").AsyncIteratorPrototype);
  }

  function addAbortListener(signal, listener) {
    if (signal === undefined) throw new codes.ERR_INVALID_ARG_TYPE("signal", "AbortSignal", signal);
    validateAbortSignal(signal, "signal");
    validateFunction(listener, "listener");
    let remove;
    if (signal.aborted) queueMicrotask(() => listener());
    else remove = listen(signal, "abort", listener, { once: true });
    return { [Symbol.dispose]: () => remove?.() };
  }

  class EventEmitterAsyncResource extends EventEmitter {
    #resource;
    constructor(options = undefined) {
      let name;
      if (typeof options === "string") [name, options] = [options, undefined];
      else if (new.target === EventEmitterAsyncResource) validateString(options?.name, "options.name");
      super(options);
      const { AsyncResource } = require("async_hooks");
      this.#resource = new AsyncResource(name ?? options?.name ?? new.target.name, options);
      this.#resource.eventEmitter = this;
    }
    emit(event, ...args) {
      return this.#resource.runInAsyncScope(super.emit, this, event, ...args);
    }
    emitDestroy() {
      this.#resource.emitDestroy();
    }
    get asyncId() {
      return this.#resource.asyncId();
    }
    get triggerAsyncId() {
      return this.#resource.triggerAsyncId();
    }
    get asyncResource() {
      return this.#resource;
    }
  }

  Object.assign(EventEmitter, {
    once, on, addAbortListener,
    usingDomains: false,
    captureRejectionSymbol: kRejection,
    errorMonitor: kErrorMonitor,
    EventEmitterAsyncResource, EventEmitter,
    listenerCount(emitter, type) {
      if (typeof emitter.listenerCount === "function") return emitter.listenerCount(type);
      return EventEmitter.prototype.listenerCount.call(emitter, type);
    },
    getEventListeners(target, type) {
      if (typeof target?.listeners === "function") return target.listeners(type);
      if (isTarget(target)) return host.eventListeners(target, type);
      throw new codes.ERR_INVALID_ARG_TYPE("emitter", ["EventEmitter", "EventTarget"], target);
    },
    getMaxListeners(target) {
      if (typeof target?.getMaxListeners === "function") return target.getMaxListeners();
      if (isTarget(target)) return defaultMax;
      throw new codes.ERR_INVALID_ARG_TYPE("emitter", ["EventEmitter", "EventTarget"], target);
    },
  });
  module.exports = EventEmitter;
})
