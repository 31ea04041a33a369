// Everything below is taken from the global object once, before user code can replace it: the algorithms must not be
// steered by a patched prototype. `native` is the Go side, see bridge.go.

const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf, setPrototypeOf, create } =
	Object;
const { apply, construct } = Reflect;
const { isView } = ArrayBuffer;
const { isNaN: numberIsNaN, isInteger, MAX_SAFE_INTEGER } = Number;
const { round, max, min } = Math;
const isArray = Array.isArray;
const toStringTag = Symbol.toStringTag;
const iteratorKey = Symbol.iterator;
const asyncIteratorKey = Symbol.asyncIterator ?? Symbol.for('Symbol.asyncIterator');
// The promises of the streams' own use. pending makes one, which resolveWith and rejectWith settle, once. promiseThen
// is then, and react is it without a promise for what the functions give. handled keeps a promise from being reported
// as an unhandled rejection. resolved is "a promise resolved with v" of Web IDL, always a fresh one, and rejected its
// counterpart.
const { pending, resolveWith, rejectWith, then: promiseThen, react, handled, resolved, rejected } = native;

// settled is a promise of undefined that no script sees.
const settled = resolved(undefined);
const microtask = (fn) => react(settled, fn, undefined);

// secret marks calls of public constructors from inside: users cannot name it.
const secret = Symbol('streams');

const noop = () => {};

function isObject(v) {
  return (typeof v === 'object' && v !== null) || typeof v === 'function';
}

class Deferred {
  constructor() {
    this.promise = pending();
    this.over = false;
  }

  resolve(v) {
    if (this.over) return;
    this.over = true;
    resolveWith(this.promise, v);
  }

  reject(e) {
    if (this.over) return;
    this.over = true;
    rejectWith(this.promise, e);
  }
}

function deferredResolved(v) {
  const d = new Deferred();
  d.resolve(v);
  return d;
}

function deferredRejected(e) {
  const d = new Deferred();
  handled(d.promise);
  d.reject(e);
  return d;
}

// promising calls a user's algorithm and answers with a promise for its result.
function promising(fn, self, args) {
  try {
    return resolved(apply(fn, self, args));
  } catch (e) {
    return rejected(e);
  }
}

const objectProto = Object.prototype;

// giveResult resolves a promise with a read result. A `then` that user code has put on Object.prototype would run in
// the middle of an algorithm, so the promise is then resolved a microtask later.
function giveResult(promise, value, done) {
  const result = { value, done };
  if ('then' in objectProto) microtask(() => resolveWith(promise, result));
  else resolveWith(promise, result);
}

// resultPromise is a promise of a read result that is there already.
function resultPromise(value) {
  if ('then' in objectProto) {
    const promise = pending();
    giveResult(promise, value, false);
    return promise;
  }
  return resolved({ value, done: false });
}

function illegalInvocation() {
  return new TypeError(native.illegalInvocation);
}

function illegalConstructor() {
  return new TypeError('Illegal constructor');
}

// Queue is first in, first out, in constant time: a read position runs through the array and the read part is cut off
// once it is the larger one.
class Queue {
  constructor() {
    this.items = [];
    this.head = 0;
    this.length = 0;
  }

  push(v) {
    this.items[this.head + this.length++] = v;
  }

  peek() {
    return this.items[this.head];
  }

  shift() {
    const { items, head } = this;
    const v = items[head];
    items[head] = undefined;
    this.head = --this.length === 0 ? 0 : head + 1;
    if (this.length === 0 && items.length > 64) this.clear();
    else if (this.head > 64 && this.head > this.length) {
      const rest = [];
      this.each((x) => {
        rest[rest.length] = x;
      });
      this.items = rest;
      this.head = 0;
    }
    return v;
  }

  // take empties the queue and answers with what was in it.
  take() {
    const all = [];
    this.each((v) => {
      all[all.length] = v;
    });
    this.clear();
    return all;
  }

  each(f) {
    for (let i = 0; i < this.length; i++) f(this.items[this.head + i]);
  }

  clear() {
    this.items = [];
    this.head = 0;
    this.length = 0;
  }
}

// --- buffers

const typedArrayProto = getPrototypeOf(Uint8Array.prototype);
const getterOf = (proto, name) => uncurry(getOwnPropertyDescriptor(proto, name).get);
const taTag = getterOf(typedArrayProto, toStringTag);
const taBuffer = getterOf(typedArrayProto, 'buffer');
const taOffset = getterOf(typedArrayProto, 'byteOffset');
const taLength = getterOf(typedArrayProto, 'byteLength');
const dvBuffer = getterOf(DataView.prototype, 'buffer');
const dvOffset = getterOf(DataView.prototype, 'byteOffset');
const dvLength = getterOf(DataView.prototype, 'byteLength');
const bufferLength = getterOf(ArrayBuffer.prototype, 'byteLength');
const Bytes = Uint8Array;

const viewClasses = { __proto__: null, DataView };
const elementSizes = { __proto__: null, DataView: 1 };
for (const C of [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array,
  Float64Array, typeof BigInt64Array === 'function' ? BigInt64Array : undefined,
  typeof BigUint64Array === 'function' ? BigUint64Array : undefined,
  typeof Float16Array === 'function' ? Float16Array : undefined,
]) {
  if (C === undefined) continue;
  viewClasses[C.name] = C;
  elementSizes[C.name] = C.BYTES_PER_ELEMENT;
}

// kindOf is the name of a view's class, whatever its prototype says.
function kindOf(view) {
  const tag = taTag(view);
  return tag === undefined ? 'DataView' : tag;
}

const viewBuffer = (v) => (taTag(v) === undefined ? dvBuffer(v) : taBuffer(v));
const viewOffset = (v) => (taTag(v) === undefined ? dvOffset(v) : taOffset(v));
const viewLength = (v) => (taTag(v) === undefined ? dvLength(v) : taLength(v));
const { transfer, copyBytes, isDetached, isArrayBuffer } = native;

// --- how platform classes look from outside

// publish gives a class the shape of a platform class: enumerable members, functions of length 0, a toStringTag.
function publish(C, statics = []) {
  const plain = (f) => f !== undefined && defineProperty(f, 'length', { value: 0, configurable: true });
  const proto = C.prototype;
  for (const key of getOwnPropertyNames(proto)) {
    if (key === 'constructor') continue;
    const d = getOwnPropertyDescriptor(proto, key);
    plain(d.value);
    d.enumerable = true;
    defineProperty(proto, key, d);
  }
  for (const key of statics) {
    const d = getOwnPropertyDescriptor(C, key);
    plain(d.value);
    d.enumerable = true;
    defineProperty(C, key, d);
  }
  plain(C);
  defineProperty(proto, toStringTag, { value: C.name, writable: true, configurable: true });
  return C;
}

// constructing and calling say in workerd's words that argument i is not of type.
function constructing(name, i, type) {
  return new TypeError(`Failed to construct '${name}': constructor parameter ${i} is not of type '${type}'.`);
}

function calling(name, method, i, type) {
  return new TypeError(`Failed to execute '${method}' on '${name}': parameter ${i} is not of type '${type}'.`);
}

const noFields = Object.freeze({ __proto__: null });

// dictionary is a Web IDL dictionary argument: undefined and null are the empty one. error makes what other
// primitives throw.
function dictionary(v, error, ...args) {
  if (v === undefined || v === null) return noFields;
  if (!isObject(v)) throw error(...args);
  return v;
}

// callback is a field of a dictionary that must be a function if it is there.
function callback(dict, name, type) {
  const fn = dict[name];
  if (fn === undefined) return undefined;
  if (typeof fn !== 'function') {
    throw new TypeError(
      `Incorrect type for the '${name}' field on '${type}': the provided value is not of type 'function'.`);
  }
  return fn;
}
