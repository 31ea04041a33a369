// Equality as expect knows it (TEST-97): loose (toEqual), strict (toStrictEqual), of a part (toMatchObject).
(function (v) {
  "use strict";

  const tag = (x) => Object.prototype.toString.call(x);
  const own = (o, key) => Object.prototype.hasOwnProperty.call(o, key);
  v.isAsymmetric = (x) =>
    x !== null && x !== undefined && typeof x === "object" && typeof x.asymmetricMatch === "function";

  function keysOf(o, loose) {
    const list = Object.keys(o);
    for (const s of Object.getOwnPropertySymbols(o))
      if (Object.getOwnPropertyDescriptor(o, s).enumerable) list.push(s);
    return loose ? list.filter((k) => o[k] !== undefined) : list;
  }

  // A tester answers true or false, or undefined if it has no opinion.
  v.equals = function (a, b, testers = [], strict = false) {
    return compare(a, b, [], [], [...v.ownTesters, ...testers], strict);
  };
  v.ownTesters = [];

  function asymmetric(a, b, testers) {
    const left = v.isAsymmetric(a),
      right = v.isAsymmetric(b);
    if (left && right) return undefined;
    if (left) return a.asymmetricMatch(b, testers);
    if (right) return b.asymmetricMatch(a, testers);
    return undefined;
  }

  function compare(a, b, above, beside, testers, strict) {
    const matched = asymmetric(a, b, testers);
    if (matched !== undefined) return matched;
    const context = { equals: (x, y, more) => compare(x, y, [...above], [...beside], more ?? testers, strict) };
    for (const t of testers) {
      const r = t.call(context, a, b, testers);
      if (r !== undefined) return r;
    }
    if (typeof URL === "function" && a instanceof URL && b instanceof URL) return a.href === b.href;
    if (Object.is(a, b)) return true;
    const type = tag(a);
    if (type !== tag(b)) return false;
    switch (type) {
      case "[object Boolean]":
      case "[object String]":
      case "[object Number]":
        if (typeof a !== typeof b) return false;
        if (typeof a !== "object") return Object.is(a, b);
        return Object.is(a.valueOf(), b.valueOf());
      case "[object Date]": {
        const x = +a,
          y = +b;
        return x === y || (Number.isNaN(x) && Number.isNaN(y));
      }
      case "[object RegExp]":
        return a.source === b.source && a.flags === b.flags;
    }
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    for (let i = above.length - 1; i >= 0; i--) {
      if (above[i] === a) return beside[i] === b;
      if (beside[i] === b) return false;
    }
    above.push(a);
    beside.push(b);
    try {
      if (type === "[object Array]" && a.length !== b.length) return false;
      if (a instanceof Error && b instanceof Error && !errors(a, b, above, beside, testers, strict)) return false;
      const names = keysOf(a, !strict);
      if (keysOf(b, !strict).length !== names.length) return false;
      return names.every(
        (k) => own(b, k) && (strict || b[k] !== undefined) && compare(a[k], b[k], above, beside, testers, strict),
      );
    } finally {
      above.pop();
      beside.pop();
    }
  }

  function errors(a, b, above, beside, testers, strict) {
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || a.name !== b.name || a.message !== b.message)
      return false;
    if (b.cause !== undefined && !compare(a.cause, b.cause, above, beside, testers, strict)) return false;
    if (typeof AggregateError === "function" && a instanceof AggregateError && b instanceof AggregateError)
      return compare(a.errors, b.errors, above, beside, testers, strict);
    return true;
  }

  const iterates = (x) => x !== null && typeof x === "object" && Symbol.iterator in x;

  v.iterableEquality = function iterableEquality(a, b, testers = [], above = [], beside = []) {
    if (!iterates(a) || !iterates(b) || Array.isArray(a) || Array.isArray(b)) return undefined;
    if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) return undefined;
    if (a.constructor !== b.constructor) return false;
    for (let i = above.length - 1; i >= 0; i--) if (above[i] === a) return beside[i] === b;
    above.push(a);
    beside.push(b);
    const inner = [
      ...testers.filter((t) => t !== v.iterableEquality),
      (x, y) => v.iterableEquality(x, y, testers, [...above], [...beside]),
    ];
    const same = (x, y) => v.equals(x, y, inner);
    try {
      if (a instanceof Set) {
        if (a.size !== b.size) return false;
        for (const x of a) if (!b.has(x) && ![...b].some((y) => same(x, y))) return false;
        return true;
      }
      if (a instanceof Map) {
        if (a.size !== b.size) return false;
        for (const [k, x] of a) {
          if (b.has(k) && same(x, b.get(k))) continue;
          if (![...b].some(([l, y]) => same(k, l) && same(x, y))) return false;
        }
        return true;
      }
      const other = b[Symbol.iterator]();
      for (const x of a) {
        const next = other.next();
        if (next.done || !same(x, next.value)) return false;
      }
      if (!other.next().done) return false;
      return v.equals(Object.entries(a), Object.entries(b), inner);
    } finally {
      above.pop();
      beside.pop();
    }
  };

  v.typeEquality = (a, b) =>
    a === null || a === undefined || b === null || b === undefined || a.constructor === b.constructor
      ? undefined
      : false;

  v.sparseArrayEquality = (a, b, testers = []) => {
    if (!Array.isArray(a) || !Array.isArray(b)) return undefined;
    const x = Object.keys(a),
      y = Object.keys(b);
    return (
      v.equals(
        a,
        b,
        testers.filter((t) => t !== v.sparseArrayEquality),
        true,
      ) && v.equals(x, y)
    );
  };

  v.arrayBufferEquality = (a, b) => {
    let x = a,
      y = b;
    if (a instanceof DataView && b instanceof DataView) {
      x = new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
      y = new Uint8Array(b.buffer, b.byteOffset, b.byteLength);
    } else if (a instanceof ArrayBuffer && b instanceof ArrayBuffer) {
      x = new Uint8Array(a);
      y = new Uint8Array(b);
    } else {
      return undefined;
    }
    return x.length === y.length && x.every((n, i) => n === y[i]);
  };

  const isObject = (x) =>
    x !== null &&
    typeof x === "object" &&
    !(x instanceof Error) &&
    !Array.isArray(x) &&
    !(x instanceof Date) &&
    !(x instanceof Set) &&
    !(x instanceof Map);

  v.subsetEquality = function (object, subset, testers = []) {
    const inner = testers.filter((t) => t !== v.subsetEquality);
    const seen = new Map();
    const part = (o, s) => {
      if (Array.isArray(s)) {
        if (!Array.isArray(o) || o.length !== s.length) return undefined;
        return undefined; // element by element, by equals
      }
      if (!isObject(s) || v.isAsymmetric(s)) return undefined;
      if (seen.get(s) === o && o !== undefined) return true;
      return keysOf(s, false).every((k) => {
        if (o === null || o === undefined || (typeof o !== "object" && typeof o !== "function") || !(k in Object(o)))
          return false;
        if (isObject(s[k])) seen.set(s, o);
        return v.equals(o[k], s[k], [...inner, (x, y) => part(x, y)]);
      });
    };
    return part(object, subset);
  };

  v.strictTesters = [v.iterableEquality, v.typeEquality, v.sparseArrayEquality, v.arrayBufferEquality];
});
