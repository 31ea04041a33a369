(function (require, module, exports, host) {
  "use strict";
  const { kind } = host;
  const text = Object.prototype.toString;
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const typedTag = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
  const object = (v) => v !== null && typeof v === "object";

  // brand makes a test out of a method that throws for everything that is not of its class.
  const brand = (method, ...args) => (v) => {
    if (!object(v)) return false;
    try {
      Reflect.apply(method, v, args);
      return true;
    } catch {
      return false;
    }
  };
  const key = {};
  const boxed = (Class, name) => brand(Class.prototype[name]);
  const tagged = (...tags) => (v) => object(v) && kind(v) !== "Proxy" && tags.includes(text.call(v));
  const sharedLength = typeof SharedArrayBuffer === "function" ?
    Object.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, "byteLength").get : () => {
    throw new TypeError("no such buffer");
  };

  const types = {
    isDate: brand(Date.prototype.getTime),
    isRegExp: (v) => object(v) && (kind(v) === "RegExp" || tagged("[object RegExp]")(v) && v instanceof RegExp),
    isMap: brand(Map.prototype.has, key),
    isSet: brand(Set.prototype.has, key),
    isWeakMap: brand(WeakMap.prototype.has, key),
    isWeakSet: brand(WeakSet.prototype.has, key),
    isNumberObject: boxed(Number, "valueOf"),
    isStringObject: boxed(String, "valueOf"),
    isBooleanObject: boxed(Boolean, "valueOf"),
    isBigIntObject: boxed(BigInt, "valueOf"),
    isSymbolObject: boxed(Symbol, "valueOf"),
    isBoxedPrimitive: (v) => types.isNumberObject(v) || types.isStringObject(v) || types.isBooleanObject(v) ||
      types.isBigIntObject(v) || types.isSymbolObject(v),
    isArrayBuffer: brand(Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get),
    isSharedArrayBuffer: brand(sharedLength),
    isAnyArrayBuffer: (v) => types.isArrayBuffer(v) || types.isSharedArrayBuffer(v),
    isDataView: (v) => ArrayBuffer.isView(v) && typedTag.call(v) === undefined,
    isArrayBufferView: ArrayBuffer.isView,
    isTypedArray: (v) => typedTag.call(v) !== undefined,
    isPromise: (v) => kind(v) === "Promise",
    isProxy: (v) => kind(v) === "Proxy",
    isNativeError: (v) => object(v) && kind(v) === "Error",
    isArgumentsObject: tagged("[object Arguments]"),
    isAsyncFunction: (v) => typeof v === "function" && /^\[object Async/.test(text.call(v)),
    isGeneratorFunction: (v) => typeof v === "function" && /GeneratorFunction\]$/.test(text.call(v)),
    isGeneratorObject: tagged("[object Generator]", "[object AsyncGenerator]"),
    isMapIterator: tagged("[object Map Iterator]"),
    isSetIterator: tagged("[object Set Iterator]"),
    isModuleNamespaceObject: tagged("[object Module]"),
    isExternal: () => false,
    isEventTarget: (v) => v instanceof EventTarget,
    isCryptoKey: (v) => v instanceof CryptoKey,
    isKeyObject: (v) => v instanceof require("crypto").KeyObject,
  };
  for (const name of ["Uint8Array", "Uint8ClampedArray", "Uint16Array", "Uint32Array", "Int8Array", "Int16Array",
    "Int32Array", "Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"]) {
    types[`is${name}`] = (v) => object(v) && typedTag.call(v) === name;
  }
  module.exports = types;
})
