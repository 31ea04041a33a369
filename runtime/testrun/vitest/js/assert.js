// assert.*, chai's other face (TEST-94).
(function (v) {
  "use strict";
  const of = (x, message) => new v.Assertion(x, message, {});
  const assert = function (ok, message) {
    if (!ok) throw new v.AssertionError(message ?? "Unspecified AssertionError");
  };
  v.assert = assert;
  assert.fail = (actual, expected, message) => {
    if (expected === undefined && message === undefined) throw new v.AssertionError(actual ?? "assert.fail()");
    throw new v.AssertionError(message ?? "assert.fail()", { actual, expected });
  };

  // Each entry is the words after expect(x); a pair of names stands for the assertion and its opposite.
  const unary = {
    isOk: (a) => a.ok,
    ok: (a) => a.ok,
    isTrue: (a) => a.true,
    isFalse: (a) => a.false,
    isNull: (a) => a.null,
    isNaN: (a) => a.NaN,
    exists: (a) => a.exist,
    isUndefined: (a) => a.undefined,
    isCallable: (a) => a.callable,
    isFunction: (a) => a.a("function"),
    isObject: (a) => a.a("object"),
    isArray: (a) => a.an("array"),
    isString: (a) => a.a("string"),
    isNumber: (a) => a.a("number"),
    isBoolean: (a) => a.a("boolean"),
    isNumeric: (a) => a.numeric,
    isIterable: (a) => a.iterable,
    isExtensible: (a) => a.extensible,
    isSealed: (a) => a.sealed,
    isFrozen: (a) => a.frozen,
    isEmpty: (a) => a.empty,
    isFinite: (a) => a.finite,
  };
  const opposite = {
    isOk: "isNotOk",
    ok: "notOk",
    isTrue: "isNotTrue",
    isFalse: "isNotFalse",
    isNull: "isNotNull",
    isNaN: "isNotNaN",
    exists: "notExists",
    isUndefined: "isDefined",
    isCallable: "isNotCallable",
    isFunction: "isNotFunction",
    isObject: "isNotObject",
    isArray: "isNotArray",
    isString: "isNotString",
    isNumber: "isNotNumber",
    isBoolean: "isNotBoolean",
    isNumeric: "isNotNumeric",
    isIterable: "isNotIterable",
    isExtensible: "isNotExtensible",
    isSealed: "isNotSealed",
    isFrozen: "isNotFrozen",
    isEmpty: "isNotEmpty",
  };
  for (const [name, words] of Object.entries(unary)) {
    assert[name] = (x, message) => {
      words(of(x, message));
    };
    if (opposite[name])
      assert[opposite[name]] = (x, message) => {
        words(of(x, message).not);
      };
  }
  Object.assign(assert, {
    extensible: assert.isExtensible,
    notExtensible: assert.isNotExtensible,
    sealed: assert.isSealed,
    notSealed: assert.isNotSealed,
    frozen: assert.isFrozen,
    notFrozen: assert.isNotFrozen,
    empty: assert.isEmpty,
    notEmpty: assert.isNotEmpty,
  });

  const binary = {
    strictEqual: ["notStrictEqual", (a, y) => a.equal(y)],
    deepEqual: ["notDeepEqual", (a, y) => a.eql(y)],
    deepStrictEqual: ["notDeepStrictEqual", (a, y) => a.eql(y)],
    isAbove: [null, (a, y) => a.above(y)],
    isAtLeast: [null, (a, y) => a.least(y)],
    isBelow: [null, (a, y) => a.below(y)],
    isAtMost: [null, (a, y) => a.most(y)],
    typeOf: ["notTypeOf", (a, y) => a.a(y)],
    instanceOf: ["notInstanceOf", (a, y) => a.instanceOf(y)],
    include: ["notInclude", (a, y) => a.include(y)],
    deepInclude: ["notDeepInclude", (a, y) => a.deep.include(y)],
    nestedInclude: ["notNestedInclude", (a, y) => a.nested.include(y)],
    deepNestedInclude: ["notDeepNestedInclude", (a, y) => a.deep.nested.include(y)],
    ownInclude: ["notOwnInclude", (a, y) => a.own.include(y)],
    deepOwnInclude: ["notDeepOwnInclude", (a, y) => a.deep.own.include(y)],
    match: ["notMatch", (a, y) => a.match(y)],
    property: ["notProperty", (a, y) => a.property(y)],
    ownProperty: ["notOwnProperty", (a, y) => a.own.property(y)],
    nestedProperty: ["notNestedProperty", (a, y) => a.nested.property(y)],
    lengthOf: [null, (a, y) => a.lengthOf(y)],
    hasAnyKeys: ["doesNotHaveAnyKeys", (a, y) => a.any.keys(y)],
    hasAllKeys: ["doesNotHaveAllKeys", (a, y) => a.all.keys(y)],
    containsAllKeys: [null, (a, y) => a.contain.all.keys(y)],
    hasAnyDeepKeys: ["doesNotHaveAnyDeepKeys", (a, y) => a.any.deep.keys(y)],
    hasAllDeepKeys: ["doesNotHaveAllDeepKeys", (a, y) => a.all.deep.keys(y)],
    containsAllDeepKeys: [null, (a, y) => a.contain.all.deep.keys(y)],
    sameMembers: ["notSameMembers", (a, y) => a.members(y)],
    sameDeepMembers: ["notSameDeepMembers", (a, y) => a.deep.members(y)],
    sameOrderedMembers: ["notSameOrderedMembers", (a, y) => a.ordered.members(y)],
    sameDeepOrderedMembers: ["notSameDeepOrderedMembers", (a, y) => a.deep.ordered.members(y)],
    includeMembers: ["notIncludeMembers", (a, y) => a.include.members(y)],
    includeDeepMembers: ["notIncludeDeepMembers", (a, y) => a.include.deep.members(y)],
    includeOrderedMembers: ["notIncludeOrderedMembers", (a, y) => a.include.ordered.members(y)],
    includeDeepOrderedMembers: ["notIncludeDeepOrderedMembers", (a, y) => a.include.deep.ordered.members(y)],
    oneOf: [null, (a, y) => a.oneOf(y)],
    respondsTo: ["doesNotRespondTo", (a, y) => a.respondTo(y)],
    containsSubset: ["doesNotContainSubset", (a, y) => a.containSubset(y)],
  };
  for (const [name, [not, words]] of Object.entries(binary)) {
    assert[name] = (x, y, message) => {
      words(of(x, message), y);
    };
    if (not)
      assert[not] = (x, y, message) => {
        words(of(x, message).not, y);
      };
  }
  assert.containSubset = assert.containsSubset;
  for (const [name, words] of Object.entries({
    propertyVal: (a, k, y) => a.property(k, y),
    deepPropertyVal: (a, k, y) => a.deep.property(k, y),
    ownPropertyVal: (a, k, y) => a.own.property(k, y),
    deepOwnPropertyVal: (a, k, y) => a.deep.own.property(k, y),
    nestedPropertyVal: (a, k, y) => a.nested.property(k, y),
    deepNestedPropertyVal: (a, k, y) => a.deep.nested.property(k, y),
    closeTo: (a, n, d) => a.closeTo(n, d),
    approximately: (a, n, d) => a.approximately(n, d),
  })) {
    assert[name] = (x, y, z, message) => {
      words(of(x, message), y, z);
    };
    if (name.endsWith("Val"))
      assert[`not${name[0].toUpperCase()}${name.slice(1)}`] = (x, y, z, message) => {
        words(of(x, message).not, y, z);
      };
  }
  assert.equal = (x, y, message) => {
    of(x, message).assert(
      x == y,
      "expected #{this} to equal #{exp}",
      "expected #{this} to not equal #{act}",
      y,
      x,
      true,
    ); // eslint-disable-line eqeqeq
  };
  assert.notEqual = (x, y, message) => {
    of(x, message).assert(
      x != y,
      "expected #{this} to not equal #{exp}",
      "expected #{this} to equal #{act}",
      y,
      x,
      true,
    ); // eslint-disable-line eqeqeq
  };
  assert.isNotFinite = (x, message) => {
    of(x, message).not.finite;
  };
  assert.throws = (fn, type, pattern, message) => {
    if (typeof type === "string" || type instanceof RegExp) {
      pattern = type;
      type = undefined;
    }
    return of(fn, message).throw(type, pattern)._obj;
  };
  assert.throw = assert.Throw = assert.throws;
  assert.doesNotThrow = (fn, type, pattern, message) => {
    of(fn, message).not.throw(type, pattern);
  };
  assert.ifError = (e) => {
    if (e) throw e;
  };
  assert.operator = (x, operator, y, message) => {
    const tests = {
      "==": x == y,
      "===": x === y,
      ">": x > y,
      ">=": x >= y,
      "<": x < y,
      "<=": x <= y,
      "!=": x != y,
      "!==": x !== y,
    }; // eslint-disable-line eqeqeq
    if (!(operator in tests)) throw new v.AssertionError(`Invalid operator "${operator}"`);
    of(tests[operator], message).assert(
      tests[operator],
      `expected ${v.display(x)} to be ${operator} ${v.display(y)}`,
      "",
      undefined,
      undefined,
      false,
    );
  };
  for (const word of ["changes", "increases", "decreases"]) {
    assert[word] = (fn, o, k) => {
      of(fn)[word](o, k);
    };
    assert[`doesNot${word[0].toUpperCase()}${word.slice(1, -1)}`] = (fn, o, k) => {
      of(fn).not[word](o, k);
    };
    const by = `${word}By`;
    const withDelta = (o, k, delta) =>
      typeof o === "function" && delta === undefined ? [o, undefined, k] : [o, k, delta];
    assert[by] = (fn, ...args) => {
      const [o, k, delta] = withDelta(...args);
      of(fn)[word](o, k).by(delta);
    };
    if (word !== "changes" && word !== "increases")
      assert[`doesNot${by[0].toUpperCase()}${by.slice(1).replace("sBy", "By")}`] = (fn, ...args) => {
        const [o, k, delta] = withDelta(...args);
        of(fn).not[word](o, k).by(delta);
      };
    assert[`${word}ButNotBy`] = (fn, ...args) => {
      const [o, k, delta] = withDelta(...args);
      const a = of(fn)[word](o, k);
      a.not.by(delta);
    };
  }
  v.should = () => {
    Object.defineProperty(Object.prototype, "should", {
      configurable: true,
      get() {
        return of(this.valueOf());
      },
      set(value) {
        Object.defineProperty(this, "should", { value, enumerable: true, configurable: true, writable: true });
      },
    });
    return v.expect;
  };
});
