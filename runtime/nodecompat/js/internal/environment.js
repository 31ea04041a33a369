// process.env: strings only, started from the Worker's variables and secrets.
(function (require, module, exports, host) {
  "use strict";
  const { codes } = require("internal/errors");

  // serialisable tells whether JSON keeps a value whole: plain data without cycles or aliases.
  function serialisable(v, seen = new Set()) {
    if (v === null || typeof v === "string" || typeof v === "number" || typeof v === "boolean") return true;
    if (typeof v !== "object" || seen.has(v)) return false;
    seen.add(v);
    const proto = Object.getPrototypeOf(v);
    return (proto === Object.prototype || proto === Array.prototype) &&
      Object.values(v).every((x) => serialisable(x, seen));
  }

  const start = { };
  const bindings = host.populateEnv ? host.env : {};
  for (const [key, value] of Object.entries(bindings)) {
    if (typeof value === "string") start[key] = value;
    else if (serialisable(value)) start[key] = JSON.stringify(value);
  }

  const env = new Proxy(start, {
    set(target, key, value) {
      if (typeof key === "symbol" || typeof value === "symbol") throw new TypeError(
        "Cannot convert a Symbol value to a string");
      target[key] = String(value);
      return true;
    },
    defineProperty(target, key, d) {
      if (!("value" in d)) throw new codes.ERR_INVALID_ARG_VALUE(
        "descriptor", d, "does not accept an accessor(getter/setter) descriptor");
      if (!d.configurable || !d.writable || !d.enumerable) throw new codes.ERR_INVALID_ARG_VALUE(
        "descriptor", d, "only accepts a configurable, writable, and enumerable data descriptor");
      return Reflect.defineProperty(target, key, { ...d, value: String(d.value) });
    },
  });
  module.exports = { env };
})
