// Deep equality as node:assert and util.isDeepStrictEqual define it.
(function (require, module) {
  "use strict";
  const types = require("util/types");
  const tag = (v) => Object.prototype.toString.call(v);
  const TypedArray = Object.getPrototypeOf(Uint8Array);

  function deepEqual(a, b, strict, memo = new Map()) {
    if (strict ? Object.is(a, b) : a == b || (a !== a && b !== b)) return true;
    if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) {
      return false;
    }
    if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (tag(a) !== tag(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    // A pair that is being compared already counts as equal: cycles must line up.
    const seen = memo.get(a);
    if (seen !== undefined) {
      if (seen.has(b)) return true;
      seen.add(b);
    } else {
      memo.set(a, new Set([b]));
    }
    return special(a, b, strict, memo) && properties(a, b, strict, memo);
  }

  // primitive unpacks a boxed primitive, whatever its own valueOf says.
  function primitive(v) {
    const Class = [Number, String, Boolean, BigInt, Symbol].find((C) => types[`is${C.name}Object`](v));
    return Class.prototype.valueOf.call(v);
  }

  // special compares what is not in properties.
  function special(a, b, strict, memo) {
    if (a instanceof Date) return b instanceof Date && Object.is(a.getTime(), b.getTime());
    if (a instanceof RegExp) return b instanceof RegExp && a.source === b.source && a.flags === b.flags &&
      a.lastIndex === b.lastIndex;
    if (a instanceof Error) {
      return b instanceof Error && a.message === b.message && a.name === b.name &&
        deepEqual(a.cause, b.cause, strict, memo) && deepEqual(a.errors, b.errors, strict, memo);
    }
    if (types.isBoxedPrimitive(a)) {
      if (!types.isBoxedPrimitive(b) || tag(a) !== tag(b)) return false;
      return Object.is(primitive(a), primitive(b));
    }
    if (a instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" &&
      a instanceof SharedArrayBuffer)) return bytes(new Uint8Array(a), new Uint8Array(b));
    if (a instanceof DataView) return b instanceof DataView &&
      bytes(new Uint8Array(a.buffer, a.byteOffset, a.byteLength), new Uint8Array(b.buffer, b.byteOffset, b.byteLength));
    if (a instanceof TypedArray) {
      if (!(b instanceof TypedArray) || a.length !== b.length) return false;
      for (let i = 0; i < a.length; i++) if (
        !(strict ? Object.is(a[i], b[i]) : a[i] == b[i] || (a[i] !== a[i] && b[i] !== b[i]))) return false;
      return true;
    }
    if (a instanceof Set) return b instanceof Set && sets(a, b, strict, memo);
    if (a instanceof Map) return b instanceof Map && maps(a, b, strict, memo);
    return true;
  }

  function bytes(a, b) {
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
    return true;
  }

  function sets(a, b, strict, memo) {
    if (a.size !== b.size) return false;
    const rest = [];
    for (const v of a) if (!b.has(v)) rest.push(v);
    const others = [...b].filter((v) => !a.has(v));
    for (const v of rest) {
      const i = others.findIndex((o) => deepEqual(v, o, strict, memo));
      if (i < 0) return false;
      others.splice(i, 1);
    }
    return true;
  }

  function maps(a, b, strict, memo) {
    if (a.size !== b.size) return false;
    const rest = [];
    for (const [k, v] of a) {
      if (b.has(k) && deepEqual(v, b.get(k), strict, memo)) continue;
      rest.push([k, v]);
    }
    const others = [...b].filter(([k, v]) => !(a.has(k) && deepEqual(a.get(k), v, strict, memo)));
    for (const [k, v] of rest) {
      const i = others.findIndex(([ok, ov]) => deepEqual(k, ok, strict, memo) && deepEqual(v, ov, strict, memo));
      if (i < 0) return false;
      others.splice(i, 1);
    }
    return true;
  }

  const enumerableSymbols = (o) => Object.getOwnPropertySymbols(o).filter(
    (s) => Object.prototype.propertyIsEnumerable.call(o, s));

  function properties(a, b, strict, memo) {
    if (a instanceof TypedArray) return true;
    const ka = Object.keys(a);
    if (ka.length !== Object.keys(b).length) return false;
    for (const k of ka) {
      if (!Object.prototype.hasOwnProperty.call(b, k) || !deepEqual(a[k], b[k], strict, memo)) return false;
    }
    if (Array.isArray(a) && a.length !== b.length) return false;
    if (!strict) return true;
    const sa = enumerableSymbols(a);
    if (sa.length !== enumerableSymbols(b).length) return false;
    return sa.every((s) => Object.prototype.propertyIsEnumerable.call(b, s) && deepEqual(a[s], b[s], strict, memo));
  }

  // partial tells whether actual has at least what expected has.
  function partial(actual, expected) {
    if (typeof expected !== "object" || expected === null || typeof actual !== "object" ||
      actual === null) return Object.is(actual, expected);
    if (Array.isArray(expected)) {
      if (!Array.isArray(actual)) return false;
      let i = 0;
      return expected.every((e) => {
        while (i < actual.length) if (partial(actual[i++], e)) return true;
        return false;
      });
    }
    const plain = [Object.prototype, null].includes(Object.getPrototypeOf(expected));
    if (!plain) return deepEqual(actual, expected, true);
    return Object.keys(expected).every((k) => k in actual && partial(actual[k], expected[k]));
  }

  module.exports = { deepEqual, partial };
})
