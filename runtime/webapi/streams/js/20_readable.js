// ReadableStream (https://streams.spec.whatwg.org/#rs). A stream object holds one private field, its Readable: the
// algorithms work on that record and never on the object that users can reach into.

let readableOf;
// becomes gives a stream object another record.
let becomes;

class Readable {
  constructor() {
    this.state = 'readable';
    this.error = undefined;
    this.reader = null;
    this.disturbed = false;
    this.control = null;
    this.object = null;
    // native is the Go source behind the stream, null for streams that JavaScript feeds.
    this.native = null;
    // expectedLength is how many bytes the stream promises to give, undefined if it does not say.
    this.expectedLength = undefined;
    // oneRead streams refuse a read while another is pending, as the platform's own streams do.
    this.oneRead = false;
    // cancelFailsReads streams reject the reads that wait with the reason of a cancellation.
    this.cancelFailsReads = false;
  }

  get locked() {
    return this.reader !== null;
  }

  wrap() {
    return this.object ?? new ReadableStream(secret, this);
  }

  // cancel is ReadableStreamCancel.
  cancel(reason) {
    this.disturbed = true;
    if (this.state === 'closed') return resolved(undefined);
    if (this.state === 'errored') return rejected(this.error);
    const { reader } = this;
    if (this.cancelFailsReads && reader !== null) reader.failRequests(reason);
    this.close();
    if (reader !== null && reader.byob) {
      for (const r of reader.requests.take()) r.close(undefined);
    }
    return promiseThen(this.control.cancelSteps(reason), noop);
  }

  // close is ReadableStreamClose.
  close() {
    if (this.state !== 'readable') return;
    this.state = 'closed';
    const { reader } = this;
    if (reader === null) return;
    reader.settleClosed();
    if (!reader.byob) {
      for (const r of reader.requests.take()) r.close(undefined);
    }
  }

  // fail is ReadableStreamError.
  fail(e) {
    if (this.state !== 'readable') return;
    this.state = 'errored';
    this.error = e;
    const { reader } = this;
    if (reader === null) return;
    reader.failClosed(e);
    reader.failRequests(e);
  }

  // fulfill hands a chunk to the oldest request of the reader.
  fulfill(chunk, done) {
    const r = this.reader.requests.shift();
    if (done) r.close(chunk);
    else r.chunk(chunk);
  }

  waiting() {
    return this.reader === null ? 0 : this.reader.requests.length;
  }

  hasByobReader() {
    return this.reader !== null && this.reader.byob;
  }
}

const lockedText = 'This ReadableStream is currently locked to a reader.';

class ReadableStream {
  #s;

  static {
    readableOf = (v) => (isObject(v) && #s in v ? v.#s : undefined);
    becomes = (stream, s) => {
      stream.#s = s;
      s.object = stream;
    };
  }

  constructor(underlyingSource, queuingStrategy) {
    if (underlyingSource === secret) {
      this.#s = queuingStrategy;
      queuingStrategy.object = this;
      return;
    }
    const s = new Readable();
    s.object = this;
    this.#s = s;
    startReadable(s, dictionary(underlyingSource, constructing, 'ReadableStream', 1, 'UnderlyingSource'),
      dictionary(queuingStrategy, constructing, 'ReadableStream', 2, 'StreamQueuingStrategy'));
  }

  static from(iterable) {
    return readableFrom(iterable).wrap();
  }

  get locked() {
    return selfReadable(this).locked;
  }

  cancel(reason) {
    const s = readableOf(this);
    if (s === undefined) return rejected(illegalInvocation());
    if (s.locked) return rejected(new TypeError(lockedText));
    return s.cancel(reason);
  }

  getReader(options) {
    const s = selfReadable(this);
    const mode = dictionary(options, calling, 'ReadableStream', 'getReader', 1, 'GetReaderOptions').mode;
    if (mode === undefined) return acquireReader(s).wrap();
    if (`${mode}` !== 'byob') throw new TypeError("mode must be undefined or 'byob' in call to getReader().");
    return acquireByobReader(s).wrap();
  }

  pipeThrough(transform, options) {
    const s = selfReadable(this);
    if (!isObject(transform)) {
      throw calling('ReadableStream', 'pipeThrough', 1, 'Transform');
    }
    const { readable, writable } = transform;
    if (readableOf(readable) === undefined) {
      throw new TypeError(
        "Incorrect type for the 'readable' field on 'Transform': the provided value is not of type 'ReadableStream'.");
    }
    const w = writableOf(writable);
    if (w === undefined) {
      throw new TypeError(
        "Incorrect type for the 'writable' field on 'Transform': the provided value is not of type 'WritableStream'.");
    }
    const o = pipeOptions(options, 'pipeThrough');
    if (s.locked) throw new TypeError(lockedText);
    if (w.locked) throw new TypeError(writerLockedText);
    handled(pipe(s, w, o));
    return readable;
  }

  pipeTo(destination, options) {
    const s = readableOf(this);
    if (s === undefined) return rejected(illegalInvocation());
    const w = writableOf(destination);
    if (w === undefined) {
      return rejected(calling('ReadableStream', 'pipeTo', 1, 'WritableStream'));
    }
    let o;
    try {
      o = pipeOptions(options, 'pipeTo');
    } catch (e) {
      return rejected(e);
    }
    if (s.locked) return rejected(new TypeError(lockedText));
    if (w.locked) return rejected(new TypeError(writerLockedText));
    return pipe(s, w, o);
  }

  tee() {
    const s = selfReadable(this);
    // The comma is the platform's.
    if (s.locked) throw new TypeError('This ReadableStream is currently locked to a reader,');
    const [a, b] = tee(s);
    return [a.wrap(), b.wrap()];
  }

  values(options) {
    const s = selfReadable(this);
    const preventCancel = !!dictionary(options, calling, 'ReadableStream', 'values', 1, 'ValuesOptions').preventCancel;
    return iterate(s, preventCancel);
  }
}

publish(ReadableStream, ['from']);
defineProperty(ReadableStream.prototype, asyncIteratorKey, {
  value: ReadableStream.prototype.values, writable: true, configurable: true,
});

function selfReadable(v) {
  const s = readableOf(v);
  if (s === undefined) throw illegalInvocation();
  return s;
}

// startReadable is the second half of the constructor: it reads the dictionaries in the order of Web IDL and sets up
// the controller they ask for.
function startReadable(s, source, strategy) {
  const autoAllocate = source.autoAllocateChunkSize;
  const cancel = callback(source, 'cancel', 'UnderlyingSource');
  const expected = source.expectedLength;
  const pull = callback(source, 'pull', 'UnderlyingSource');
  const start = callback(source, 'start', 'UnderlyingSource');
  let type = source.type;
  if (type !== undefined) type = `${type}`;
  if (expected !== undefined) s.expectedLength = expectedLength(expected);
  const algorithms = {
    pull: pull === undefined ? undefined : (c) => promising(pull, source, [c]),
    cancel: cancel === undefined ? undefined : (reason) => promising(cancel, source, [reason]),
  };
  let control;
  if (type === 'bytes') {
    algorithms.highWaterMark = highWaterMarkOf(strategy, 0);
    algorithms.autoAllocate = autoAllocateSize(autoAllocate);
    control = new ByteControl(s, algorithms);
  } else if (type === undefined || type === '') {
    algorithms.size = sizeOf(strategy);
    algorithms.highWaterMark = highWaterMarkOf(strategy, 1);
    control = new DefaultControl(s, algorithms);
  } else {
    throw new TypeError(`"${type}" is not a valid type of ReadableStream.`);
  }
  // What start throws fails the stream, not the constructor.
  control.start(start === undefined ? undefined : promising(start, source, [control.wrap()]));
}

// expectedLength is workerd's extension of underlying sources: how many bytes will come.
function expectedLength(v) {
  const n = typeof v === 'bigint' ? v : +v;
  if (typeof n === 'number' && !isInteger(n)) throw new TypeError('The expectedLength must be an integer.');
  if (n < 0) throw new RangeError('The expectedLength must not be negative.');
  return BigInt(n);
}

// newReadable makes a default stream for the platform's own use; it runs once its control's begin is called.
function newReadable(algorithms) {
  const s = new Readable();
  new DefaultControl(s, { highWaterMark: 1, size: countSize, ...algorithms });
  return s;
}

// newByteReadable is newReadable for byte streams.
function newByteReadable(algorithms) {
  const s = new Readable();
  new ByteControl(s, { highWaterMark: 0, ...algorithms });
  return s;
}
