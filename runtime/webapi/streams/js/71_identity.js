// IdentityTransformStream and FixedLengthStream: workerd's byte pipes. A write is done when its bytes have been taken
// by a reader; the readable side is a byte stream.

const notBytesText = 'This TransformStream is being used as a byte stream, but received an object of ' +
  'non-ArrayBuffer/ArrayBufferView type on its writable side.';

let identityOf;

// ownBytes copies a chunk; undefined for what is not bytes.
function ownBytes(chunk) {
  if (typeof chunk === 'string') return native.utf8(chunk);
  if (isView(chunk)) {
    const length = viewLength(chunk);
    const copy = new ArrayBuffer(length);
    if (length > 0) copyBytes(copy, 0, viewBuffer(chunk), viewOffset(chunk), length);
    return new Bytes(copy);
  }
  if (isArrayBuffer(chunk)) {
    const length = bufferLength(chunk);
    const copy = new ArrayBuffer(length);
    if (length > 0) copyBytes(copy, 0, chunk, 0, length);
    return new Bytes(copy);
  }
  return undefined;
}

// byteSize is what a chunk counts under a high-water mark given in bytes; a string counts its worst case.
function byteSize(chunk) {
  if (typeof chunk === 'string') return chunk.length * 3;
  if (isView(chunk)) return viewLength(chunk);
  return isArrayBuffer(chunk) ? bufferLength(chunk) : 1;
}

class Identity {
  constructor(limit, highWaterMark) {
    // limit is how many bytes may still come, undefined for no limit.
    this.limit = limit;
    // demand is settled when a reader asks for bytes or nobody ever will.
    this.wanted = false;
    this.demand = new Deferred();
    this.failure = undefined;
    this.failed = false;
    const sized = highWaterMark !== undefined;
    this.writable = newWritable({
      write: (chunk) => this.write(chunk),
      close: () => this.close(),
      abort: (reason) => {
        this.readable.control.fail(abortReason(reason));
        return resolved(undefined);
      },
      onAbort: (reason) => {
        this.failed = true;
        this.failure = abortReason(reason);
        this.demand.resolve(undefined);
      },
      interrupt: () => {
        const e = new Error('The pipe operation was aborted.');
        this.fail(e);
        this.readable.control.fail(e);
      },
      highWaterMark: sized ? highWaterMark : 1,
      size: sized ? byteSize : countSize,
    });
    this.readable = newByteReadable({
      pull: () => {
        this.wanted = true;
        this.demand.resolve(undefined);
        return resolved(undefined);
      },
      cancel: (reason) => {
        this.fail(cancelReason(reason));
        return resolved(undefined);
      },
    });
    this.readable.control.begin();
    this.readable.oneRead = !native.enabled('typescript_implemented_streams');
    if (limit !== undefined) this.readable.expectedLength = limit;
  }

  fail(e) {
    this.failed = true;
    this.failure = e;
    this.writable.control.errorIfNeeded(e);
    this.demand.resolve(undefined);
  }

  // overrun fails both sides because the promised length was not kept.
  overrun(text) {
    const e = native.enabled('typescript_implemented_streams') ? new RangeError(text) : new TypeError(text);
    this.readable.control.fail(e);
    return rejected(e);
  }

  write(chunk) {
    const bytes = ownBytes(chunk);
    if (bytes === undefined) return rejected(new TypeError(notBytesText));
    const length = taLength(bytes);
    if (length === 0) return resolved(undefined);
    if (this.limit !== undefined) {
      const n = BigInt(length);
      if (n > this.limit) return this.overrun('Attempt to write too many bytes through a FixedLengthStream.');
      this.limit -= n;
    }
    return this.deliver(bytes);
  }

  deliver(bytes) {
    if (this.failed) return rejected(this.failure);
    if (this.writable.state === 'erroring') return rejected(this.writable.error);
    if (!this.wanted) {
      this.demand = new Deferred();
      return promiseThen(this.demand.promise, () => this.deliver(bytes));
    }
    const { control } = this.readable;
    if (!control.open) return rejected(this.readable.error);
    this.wanted = false;
    control.enqueue(bytes);
    return this.drained();
  }

  // drained waits until a reader with a small buffer, or one that wants more than this, has taken the bytes.
  drained() {
    const { control } = this.readable;
    if (control.stream.waiting > 0) this.wanted = true;
    if (control.total === 0) return resolved(undefined);
    if (this.failed) return rejected(this.failure);
    this.wanted = false;
    this.demand = new Deferred();
    return promiseThen(this.demand.promise, () => this.drained());
  }

  close() {
    if (this.failed) return rejected(this.failure);
    if (this.limit !== undefined && this.limit > 0n) {
      return this.overrun('FixedLengthStream did not see all expected bytes before close().');
    }
    this.readable.control.finish();
    return resolved(undefined);
  }
}

// abortReason makes an error of whatever the other side gave as its reason.
function abortReason(reason) {
  return native.isError(reason) ? reason : new Error(`${reason}`);
}

function cancelReason(reason) {
  return reason === undefined ? new Error('Stream was cancelled.') : abortReason(reason);
}

class IdentityTransformStream {
  #t;

  static {
    identityOf = (v) => {
      if (!isObject(v) || !(#t in v)) throw illegalInvocation();
      return v.#t;
    };
  }

  constructor(strategy, limit, own) {
    let limited;
    if (strategy === secret) {
      limited = limit;
      strategy = own;
    }
    const hwm = dictionary(strategy, constructing, 'IdentityTransformStream', 1, 'StreamQueuingStrategy').highWaterMark;
    let highWaterMark = hwm === undefined ? undefined : highWaterMarkOf({ highWaterMark: hwm }, 0);
    // A mark above the promised length would never be reached.
    if (limited !== undefined && highWaterMark > Number(limited)) highWaterMark = Number(limited);
    this.#t = new Identity(limited, highWaterMark);
  }

  get readable() {
    return identityOf(this).readable.wrap();
  }

  get writable() {
    return identityOf(this).writable.wrap();
  }
}

class FixedLengthStream extends IdentityTransformStream {
  constructor(expectedLength, strategy) {
    super(secret, fixedLength(expectedLength), strategy);
  }
}

const tooLongText = 'FixedLengthStream requires an integer expected length less than 2^53.';

function fixedLength(v) {
  if (typeof v === 'bigint') {
    if (v < 0n) throw new TypeError(negativeText);
    if (v > 0xffffffffffffffffn) throw new TypeError(tooLongText);
    return v;
  }
  if (v === undefined) throw constructing('FixedLengthStream', 1, 'bigint');
  const n = +v;
  if (numberIsNaN(n)) throw new TypeError(notIntegerText);
  if (n < 0) throw new TypeError(negativeText);
  if (n > MAX_SAFE_INTEGER) throw new TypeError(tooLongText);
  return BigInt(integer(n));
}

publish(IdentityTransformStream);
publish(FixedLengthStream);
