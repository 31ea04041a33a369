// Queuing strategies (https://streams.spec.whatwg.org/#qs).

function requiredHighWaterMark(init, name) {
  if (!isObject(init) || init.highWaterMark === undefined) {
    throw new TypeError(
      `Failed to construct '${name}': constructor parameter 1 is not of type 'QueuingStrategyInit'.`);
  }
  return +init.highWaterMark;
}

const byteLengthSize = function size(chunk) {
  return chunk.byteLength;
};
const countSize = function size() {
  return 1;
};
defineProperty(byteLengthSize, 'length', { value: 1, configurable: true });

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

// highWaterMarkOf is ExtractHighWaterMark.
function highWaterMarkOf(strategy, fallback) {
  const v = strategy.highWaterMark;
  if (v === undefined) return fallback;
  const n = +v;
  if (numberIsNaN(n) || n < 0) throw new RangeError('The highWaterMark must be a non-negative number.');
  return n;
}

// sizeOf is ExtractSizeAlgorithm. The user's function is called without this.
function sizeOf(strategy) {
  const fn = callback(strategy, 'size', 'strategy');
  return fn === undefined ? countSize : (chunk) => apply(fn, undefined, [chunk]);
}

// chunkSize runs a size algorithm and checks its result as EnqueueValueWithSize does.
function checkedSize(n) {
  n = +n;
  if (numberIsNaN(n) || n < 0 || n === Infinity) throw new RangeError('The chunk size must be a finite, non-negative number.');
  return n;
}
