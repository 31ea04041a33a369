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
    // wanted: a reader waits for bytes.
    this.wanted = false;
    // parked is the write that waits to be read: { bytes, done }, bytes being null once they are in the queue.
    this.parked = null;
    this.readableObject = null;
    this.failed = false;
    this.failure = undefined;
    const sized = highWaterMark !== undefined;
    this.writable = newWritable({
      write: (chunk) => this.write(chunk),
      close: () => this.close(),
      abort: (reason) => {
        this.readable.control.fail(abortReason(reason));
        return resolved(undefined);
      },
      // An abort must not wait for a reader.
      onAbort: (reason) => this.break(abortReason(reason)),
      interrupt: () => {
        const e = new Error('The pipe operation was aborted.');
        this.break(e);
        this.writable.control.errorIfNeeded(e);
        this.readable.control.fail(e);
      },
      highWaterMark: sized ? highWaterMark : 1,
      size: sized ? byteSize : countSize,
    });
    this.writable.expectsBytes = true;
    this.writable.own = (chunk) => ownBytes(chunk) ?? chunk;
    this.readable = newByteReadable({
      pull: () => {
        this.pull();
        return resolved(undefined);
      },
      drained: () => this.settle(),
      cancel: (reason) => {
        const e = cancelReason(reason);
        this.break(e);
        this.writable.control.errorIfNeeded(e);
        return resolved(undefined);
      },
    });
    this.readable.control.begin();
    this.readable.oneRead = !native.enabled('typescript_implemented_streams');
    if (limit !== undefined) this.readable.expectedLength = limit;
  }

  // break fails the write that waits, and all that follow.
  break(e) {
    if (this.failed) return;
    this.failed = true;
    this.failure = e;
    if (this.parked !== null) this.parked.done.reject(e);
    this.parked = null;
  }

  // overrun fails both sides because the promised length was not kept.
  overrun(text) {
    const e = native.enabled('typescript_implemented_streams') ? new RangeError(text) : new TypeError(text);
    this.readable.control.fail(e);
    return rejected(e);
  }

  write(chunk) {
    if (!isView(chunk)) return rejected(new TypeError(notBytesText));
    const bytes = chunk; // of its own since it was written
    const length = taLength(bytes);
    if (length === 0) return resolved(undefined);
    if (this.limit !== undefined) {
      const n = BigInt(length);
      if (n > this.limit) return this.overrun('Attempt to write too many bytes through a FixedLengthStream.');
      this.limit -= n;
    }
    if (this.failed) return rejected(this.failure);
    this.parked = { bytes, done: new Deferred() };
    const { promise } = this.parked.done;
    if (this.wanted) this.deliver();
    return promise;
  }

  // pull is called when a reader waits and the queue is empty.
  pull() {
    this.wanted = true;
    if (this.parked !== null && this.parked.bytes !== null) this.deliver();
  }

  deliver() {
    const { parked, readable } = this;
    const { control } = readable;
    if (!control.isOpen()) return;
    this.wanted = false;
    const { bytes } = parked;
    parked.bytes = null;
    // A writer goes on before the reader does.
    if (control.takesAll(taLength(bytes))) this.settle();
    control.enqueue(bytes);
    if (control.total === 0) this.settle();
    if (readable.waiting() > 0) this.wanted = true;
  }

  // settle ends the write whose bytes have all been read.
  settle() {
    const { parked } = this;
    if (parked === null || parked.bytes !== null) return;
    this.parked = null;
    parked.done.resolve(undefined);
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
    const t = identityOf(this);
    t.readableObject ??= t.readable.wrap();
    return t.readableObject;
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
