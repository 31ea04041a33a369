// Readers (https://streams.spec.whatwg.org/#default-reader-class). A Reader record holds the lock; a request is an
// object with chunk(v), close(v) and error(e), of which exactly one is called.

const releasedText = 'This ReadableStream reader has been released.';
const pendingReadText = 'This ReadableStream only supports a single pending read request at a time.';

let readerOf;
let byobReaderOf;

class Reader {
  constructor(stream, byob) {
    this.stream = stream;
    this.byob = byob;
    this.requests = new Queue();
    this.object = null;
    stream.reader = this;
    if (stream.state === 'readable') this.closed = null;
    else this.closed = stream.state === 'closed' ? deferredResolved(undefined) : deferredRejected(stream.error);
    this.settled = stream.state !== 'readable';
  }

  wrap() {
    return this.object ?? (this.byob ? new ReadableStreamBYOBReader(secret, this) :
      new ReadableStreamDefaultReader(secret, this));
  }

  // The closed promise is made when somebody first asks for it.
  get closedPromise() {
    if (this.closed === null) {
      this.closed = new Deferred();
      handled(this.closed.promise);
    }
    return this.closed.promise;
  }

  settleClosed() {
    this.settled = true;
    if (this.closed === null) this.closed = deferredResolved(undefined);
    else this.closed.resolve(undefined);
  }

  failClosed(e) {
    if (!this.settled && this.closed !== null) this.closed.reject(e);
    else this.closed = deferredRejected(e);
    this.settled = true;
  }

  failRequests(e) {
    for (const r of this.requests.take()) r.error(e);
  }

  // read is ReadableStreamDefaultReaderRead.
  read(request) {
    const { stream } = this;
    stream.disturbed = true;
    if (stream.state === 'closed') request.close(undefined);
    else if (stream.state === 'errored') request.error(stream.error);
    else stream.control.pullSteps(request);
  }

  // release gives the lock back; pending reads fail.
  release() {
    const { stream } = this;
    const e = new TypeError(releasedText);
    this.failClosed(e);
    stream.control.releaseSteps();
    stream.reader = null;
    this.stream = null;
    this.failRequests(e);
  }

  cancel(reason) {
    return this.stream.cancel(reason);
  }
}

function acquireReader(s) {
  if (s.locked) throw new TypeError(lockedText);
  return new Reader(s, false);
}

function acquireByobReader(s) {
  if (s.locked) throw new TypeError(lockedText);
  if (!(s.control instanceof ByteControl)) throw new TypeError('This ReadableStream does not support BYOB reads.');
  return new Reader(s, true);
}

// PromiseRequest settles a promise of a read result.
class PromiseRequest {
  constructor() {
    this.promise = pending();
  }

  chunk(value) {
    giveResult(this.promise, value, false);
  }

  close(value) {
    giveResult(this.promise, value, true);
  }

  error(e) {
    rejectWith(this.promise, e);
  }
}

function cancelReader(r, reason) {
  if (r === undefined) return rejected(illegalInvocation());
  if (r.stream === null) return rejected(new TypeError(releasedText));
  return r.cancel(reason);
}

class ReadableStreamDefaultReader {
  #r;

  static {
    readerOf = (v) => (isObject(v) && #r in v ? v.#r : undefined);
  }

  constructor(stream, reader) {
    if (stream !== secret) {
      const s = readableOf(stream);
      if (s === undefined) {
        throw constructing('ReadableStreamDefaultReader', 1, 'ReadableStream');
      }
      reader = acquireReader(s);
    }
    this.#r = reader;
    reader.object = this;
  }

  get closed() {
    const r = readerOf(this);
    return r === undefined ? rejected(illegalInvocation()) : r.closedPromise;
  }

  cancel(reason) {
    return cancelReader(readerOf(this), reason);
  }

  read() {
    const r = readerOf(this);
    if (r === undefined) return rejected(illegalInvocation());
    if (r.stream === null) return rejected(new TypeError(releasedText));
    if (r.stream.oneRead && r.requests.length > 0) return rejected(new TypeError(pendingReadText));
    const { stream } = r;
    if (stream.state === 'readable' && stream.control.hasChunk()) {
      stream.disturbed = true;
      return resultPromise(stream.control.next());
    }
    const request = new PromiseRequest();
    r.read(request);
    return request.promise;
  }

  releaseLock() {
    const r = readerOf(this);
    if (r === undefined) throw illegalInvocation();
    if (r.stream !== null) r.release();
  }
}

class ReadableStreamBYOBReader {
  #r;

  static {
    byobReaderOf = (v) => (isObject(v) && #r in v ? v.#r : undefined);
  }

  constructor(stream, reader) {
    if (stream !== secret) {
      const s = readableOf(stream);
      if (s === undefined) {
        throw constructing('ReadableStreamBYOBReader', 1, 'ReadableStream');
      }
      reader = acquireByobReader(s);
    }
    this.#r = reader;
    reader.object = this;
  }

  get closed() {
    const r = byobReaderOf(this);
    return r === undefined ? rejected(illegalInvocation()) : r.closedPromise;
  }

  cancel(reason) {
    return cancelReader(byobReaderOf(this), reason);
  }

  read(view, options) {
    const r = byobReaderOf(this);
    if (r === undefined) return rejected(illegalInvocation());
    try {
      const min = dictionary(options, calling, 'ReadableStreamBYOBReader', 'read', 2,
        'ReadableStreamBYOBReaderReadOptions').min;
      return byobRead(r, view, min === undefined ? 1 : integer(min), 'read', 1);
    } catch (e) {
      return rejected(e);
    }
  }

  // readAtLeast is workerd's own, from before read had min.
  readAtLeast(minElements, view) {
    const r = byobReaderOf(this);
    if (r === undefined) return rejected(illegalInvocation());
    try {
      return byobRead(r, view, integer(minElements), 'readAtLeast', 2);
    } catch (e) {
      return rejected(e);
    }
  }

  releaseLock() {
    const r = byobReaderOf(this);
    if (r === undefined) throw illegalInvocation();
    if (r.stream !== null) r.release();
  }
}

publish(ReadableStreamDefaultReader);
publish(ReadableStreamBYOBReader);

function integer(v) {
  const n = +v;
  if (numberIsNaN(n)) return 0;
  return n < 0 ? Math.ceil(n) : Math.floor(n);
}

function byobRead(r, view, least, method, position) {
  if (r.stream === null) return rejected(new TypeError(releasedText));
  if (!isView(view)) {
    return rejected(calling('ReadableStreamBYOBReader', method, position, 'ArrayBufferView'));
  }
  const buffer = viewBuffer(view);
  const length = viewLength(view);
  if (!isArrayBuffer(buffer)) return rejected(new TypeError('Unable to use non-detachable ArrayBuffer.'));
  if (isDetached(buffer) || length === 0) {
    return rejected(new TypeError(
      'You must call read() on a "byob" reader with a positive-sized TypedArray object.'));
  }
  if (least < 1) return rejected(new TypeError(`Requested invalid minimum number of bytes to read (${least}).`));
  const bytes = least * elementSizes[kindOf(view)];
  if (bytes > length) {
    return rejected(new TypeError(`Minimum bytes to read (${bytes}) exceeds size of buffer (${length}).`));
  }
  if (r.stream.oneRead && r.requests.length > 0) return rejected(new TypeError(pendingReadText));
  const request = new PromiseRequest();
  byobReadInto(r, view, bytes, request);
  return request.promise;
}

// byobReadInto is ReadableStreamBYOBReaderRead; least is in bytes.
function byobReadInto(r, view, least, request) {
  const { stream } = r;
  stream.disturbed = true;
  if (stream.state === 'errored') request.error(stream.error);
  else stream.control.pullInto(view, least, request);
}
