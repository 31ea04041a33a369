// Queuing strategies (https://streams.spec.whatwg.org/#qs).

function requiredHighWaterMark(init, name) {
  if (!isObject(init)) throw constructing(name, 1, 'QueuingStrategyInit');
  return +init.highWaterMark;
}

const byteLengthSize = function size(chunk) {
  return chunk?.byteLength;
};
const countSize = function size() {
  return 1;
};
defineProperty(byteLengthSize, 'length', { value: 0, configurable: true });

class ByteLengthQueuingStrategy {
  #highWaterMark;

  constructor(init) {
    this.#highWaterMark = requiredHighWaterMark(init, 'ByteLengthQueuingStrategy');
  }

  get highWaterMark() {
    if (!isObject(this) || !(#highWaterMark in this)) throw illegalInvocation();
    return this.#highWaterMark;
  }

  get size() {
    if (!isObject(this) || !(#highWaterMark in this)) throw illegalInvocation();
    return byteLengthSize;
  }
}

class CountQueuingStrategy {
  #highWaterMark;

  constructor(init) {
    this.#highWaterMark = requiredHighWaterMark(init, 'CountQueuingStrategy');
  }

  get highWaterMark() {
    if (!isObject(this) || !(#highWaterMark in this)) throw illegalInvocation();
    return this.#highWaterMark;
  }

  get size() {
    if (!isObject(this) || !(#highWaterMark in this)) throw illegalInvocation();
    return countSize;
  }
}

publish(ByteLengthQueuingStrategy);
publish(CountQueuingStrategy);

const notIntegerText = 'The value cannot be converted because it is not an integer.';
const negativeText = 'The value cannot be converted because it is negative and this API expects a positive bigint.';

// highWaterMarkOf is ExtractHighWaterMark.
function highWaterMarkOf(strategy, fallback) {
  const v = strategy.highWaterMark;
  if (v === undefined) return fallback;
  const n = +v;
  if (numberIsNaN(n)) throw new TypeError(notIntegerText);
  if (n < 0) throw new TypeError(negativeText);
  return n;
}

// sizeOf is ExtractSizeAlgorithm. The user's function is called without this.
function sizeOf(strategy) {
  const fn = callback(strategy, 'size', 'StreamQueuingStrategy');
  return fn === undefined ? countSize : (chunk) => apply(fn, undefined, [chunk]);
}

// checkedSize is the result of a size algorithm, checked as EnqueueValueWithSize does; no result counts 1.
function checkedSize(n) {
  if (n === undefined || n === 1) return 1;
  n = +n;
  if (n !== n || n === Infinity) throw new TypeError(notIntegerText);
  if (n < 0) throw new TypeError(negativeText);
  return n;
}
