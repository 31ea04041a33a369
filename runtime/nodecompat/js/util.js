(function (require, module, exports, host) {
  "use strict";
  const { codes, unimplemented } = require("internal/errors");
  const { validateString, validateFunction, validateObject, validateAbortSignal, validateNumber } =
    require("internal/validators");
  const types = require("util/types");
  const { inspect, format, formatWithOptions, stripVTControlCharacters, styleText } = require("internal/inspection");
  const equality = require("internal/equality");

  const kCustom = Symbol.for("nodejs.util.promisify.custom");
  const kArgs = Symbol.for("eddy.promisify.args");

  function promisify(original) {
    validateFunction(original, "original");
    if (original[kCustom]) {
      const fn = original[kCustom];
      validateFunction(fn, "util.promisify.custom");
      return Object.defineProperty(fn, kCustom, { value: fn, enumerable: false, writable: false, configurable: true });
    }
    const names = original[kArgs];
    function fn(...args) {
      return new Promise((resolve, reject) => {
        Reflect.apply(original, this, [...args, (err, ...values) => {
          if (err) return reject(err);
          if (names !== undefined && values.length > 1) resolve(
            Object.fromEntries(names.map((n, i) => [n, values[i]])));
          else resolve(values[0]);
        }]);
      });
    }
    Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
    Object.defineProperty(fn, kCustom, { value: fn, enumerable: false, writable: false, configurable: true });
    const own = Object.getOwnPropertyDescriptors(original);
    for (const key of Reflect.ownKeys(own)) {
      try {
        Object.defineProperty(fn, key, own[key]);
      } catch {
        // A property that a function of ours cannot have is left out.
      }
    }
    return fn;
  }
  promisify.custom = kCustom;

  function callbackify(original) {
    validateFunction(original, "original");
    function callbackified(...args) {
      const callback = args.pop();
      validateFunction(callback, "last argument");
      const cb = callback.bind(this);
      Reflect.apply(original, this, args).then(
        (value) => queueMicrotask(() => cb(null, value)),
        (reason) => queueMicrotask(() => {
          if (!reason) {
            const e = new codes.ERR_FALSY_VALUE_REJECTION();
            e.reason = reason;
            reason = e;
          }
          cb(reason);
        }),
      );
    }
    const own = Object.getOwnPropertyDescriptors(original);
    if (typeof own.length?.value === "number") own.length.value++;
    if (typeof own.name?.value === "string") own.name.value += "Callbackified";
    for (const key of ["length", "name"]) if (own[key]) Object.defineProperty(callbackified, key, own[key]);
    return callbackified;
  }

  function inherits(ctor, superCtor) {
    if (ctor === undefined || ctor === null) throw new codes.ERR_INVALID_ARG_TYPE("ctor", "Function", ctor);
    if (superCtor === undefined || superCtor === null) throw new codes.ERR_INVALID_ARG_TYPE(
      "superCtor", "Function", superCtor);
    if (superCtor.prototype === undefined) throw new codes.ERR_INVALID_ARG_TYPE(
      "superCtor.prototype", "Object", superCtor.prototype);
    Object.defineProperty(ctor, "super_", { value: superCtor, writable: true, configurable: true });
    Object.setPrototypeOf(ctor.prototype, superCtor.prototype);
  }

  const warned = new Set();
  function deprecate(fn, message, code) {
    let done = false;
    function deprecated(...args) {
      if (!done && !(code !== undefined && warned.has(code))) {
        done = true;
        if (code !== undefined) warned.add(code);
        require("process").emitWarning(message, "DeprecationWarning", code);
      }
      return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args);
    }
    Object.setPrototypeOf(deprecated, fn);
    if (fn.prototype) deprecated.prototype = fn.prototype;
    Object.defineProperty(deprecated, "length", { ...Object.getOwnPropertyDescriptor(fn, "length") });
    return deprecated;
  }

  function debuglog(set, callback) {
    let enabled;
    const test = () => {
      if (enabled === undefined) {
        const sections = (require("process").env.NODE_DEBUG ?? "").split(",").filter(Boolean);
        enabled = sections.some((s) => new RegExp(
          `^${s.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*")}$`, "i").test(set));
      }
      return enabled;
    };
    const log = (...args) => {
      if (test()) console.error(`${set.toUpperCase()} 1: ${format(...args)}`);
      if (callback) {
        const c = callback;
        callback = undefined;
        c(log);
      }
    };
    Object.defineProperty(log, "enabled", { get: test, configurable: true, enumerable: true });
    return log;
  }

  const errno = () => require("os").constants.errno;
  const api = {
    promisify, callbackify, inherits, deprecate, debuglog, debug: debuglog,
    inspect, format, formatWithOptions, stripVTControlCharacters, styleText, types,
    TextEncoder: globalThis.TextEncoder,
    TextDecoder: globalThis.TextDecoder,
    isDeepStrictEqual: (a, b) => equality.deepEqual(a, b, true),
    toUSVString: (s) => `${s}`.toWellFormed(),
    _extend(target, source) {
      if (source === null || typeof source !== "object") return target;
      for (const key of Object.keys(source)) target[key] = source[key];
      return target;
    },
    log(...args) {
      const t = new Date();
      console.log("%s - %s", `${t.getDate()} ${t.toDateString().slice(4, 7)} ${t.toTimeString().slice(0, 8)}`,
        format(...args));
    },
    parseEnv(content) {
      validateString(content, "content");
      return require("internal/dotenv").parse(content);
    },
    aborted(signal, resource) {
      try {
        validateAbortSignal(signal, "signal");
        if (signal === undefined) throw new codes.ERR_INVALID_ARG_TYPE("signal", "AbortSignal", signal);
        validateObject(resource, "resource", { allowFunction: true });
      } catch (e) {
        return Promise.reject(e);
      }
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
    getSystemErrorName(n) {
      validateNumber(n, "err");
      if (n >= 0 || !Number.isSafeInteger(n)) throw new codes.ERR_OUT_OF_RANGE("err", "a negative integer", n);
      const map = errno();
      return Object.keys(map).find((k) => map[k] === -n);
    },
    getSystemErrorMap: () => new Map(Object.entries(errno()).map(([name, n]) => [-n, [name, name]])),
    getSystemErrorMessage: (n) => api.getSystemErrorName(n),
    getCallSites(count = 8) {
      const lines = String(new Error().stack).split("\n").filter((l) => /^\s*at /.test(l)).slice(1, count + 1);
      return lines.map((l) => {
        const m = /at (?:(.*?) \()?(.*?):(\d+):(\d+)\)?$/.exec(l.trim());
        return { functionName: m?.[1] ?? "", scriptName: m?.[2] ?? "", scriptId: "", lineNumber: +(m?.[3] ?? 0),
          columnNumber: +(m?.[4] ?? 0), column: +(m?.[4] ?? 0) };
      });
    },
    transferableAbortController: unimplemented("util.transferableAbortController"),
    transferableAbortSignal: unimplemented("util.transferableAbortSignal"),
    _errnoException: unimplemented("util._errnoException"),
    _exceptionWithHostPort: unimplemented("util._exceptionWithHostPort"),
    isArray: Array.isArray,
    isBoolean: (v) => typeof v === "boolean",
    isBuffer: (v) => require("buffer").Buffer.isBuffer(v),
    isDate: types.isDate,
    isError: (v) => types.isNativeError(v) || v instanceof Error,
    isFunction: (v) => typeof v === "function",
    isNull: (v) => v === null,
    isNullOrUndefined: (v) => v === null || v === undefined,
    isNumber: (v) => typeof v === "number",
    isObject: (v) => v !== null && typeof v === "object",
    isPrimitive: (v) => (typeof v !== "object" && typeof v !== "function") || v === null,
    isRegExp: types.isRegExp,
    isString: (v) => typeof v === "string",
    isSymbol: (v) => typeof v === "symbol",
    isUndefined: (v) => v === undefined,
  };
  api.getCallSite = api.getCallSites;
  const lazy = { parseArgs: "internal/parse_args", MIMEType: "internal/mime", MIMEParams: "internal/mime" };
  for (const [name, from] of Object.entries(lazy)) {
    Object.defineProperty(api, name, { enumerable: true, configurable: true, get: () => require(from)[name] });
  }
  module.exports = api;
})
