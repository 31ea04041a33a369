// WritableStreamDefaultWriter (https://streams.spec.whatwg.org/#default-writer-class).

const writerReleasedText = 'This WritableStream writer has been released.';

let writerOf;

class Writer {
  constructor(stream) {
    this.stream = stream;
    stream.writer = this;
    this.object = null;
    switch (stream.state) {
      case 'writable':
        this.ready = !stream.isClosing() && stream.backpressure ? this.unsettled() : deferredResolved(undefined);
        this.closed = this.unsettled();
        break;
      case 'erroring':
        this.ready = deferredRejected(stream.error);
        this.closed = this.unsettled();
        break;
      case 'closed':
        this.ready = deferredResolved(undefined);
        this.closed = deferredResolved(undefined);
        break;
      default:
        this.ready = deferredRejected(stream.error);
        this.closed = deferredRejected(stream.error);
    }
    this.readyPending = stream.state === 'writable' && !stream.isClosing() && stream.backpressure;
    this.closedPending = stream.state === 'writable' || stream.state === 'erroring';
  }

  wrap() {
    return this.object ?? new WritableStreamDefaultWriter(secret, this);
  }

  unsettled() {
    const d = new Deferred();
    handled(d.promise);
    return d;
  }

  renewReady() {
    this.ready = this.unsettled();
    this.readyPending = true;
  }

  settleReady() {
    this.ready.resolve(undefined);
    this.readyPending = false;
  }

  failReady(e) {
    if (this.readyPending) this.ready.reject(e);
    else this.ready = deferredRejected(e);
    this.readyPending = false;
  }

  failClosed(e) {
    if (this.closedPending && this.stream.state !== 'closed') this.closed.reject(e);
    else this.closed = deferredRejected(e);
    this.closedPending = false;
  }

  get desiredSize() {
    const { stream } = this;
    if (stream.state === 'errored' || stream.state === 'erroring') return null;
    return stream.state === 'closed' ? 0 : stream.control.desiredSize;
  }

  // write is WritableStreamDefaultWriterWrite.
  write(chunk) {
    const { stream } = this;
    const size = stream.control.chunkSize(chunk);
    // The size algorithm is the user's and may have released this writer.
    if (stream !== this.stream) return rejected(new TypeError(writerReleasedText));
    const { state } = stream;
    if (state === 'errored') return rejected(stream.error);
    if (stream.isClosing() || state === 'closed') return rejected(new TypeError(writableClosedText));
    if (state === 'erroring') return rejected(stream.error);
    const promise = stream.addWriteRequest();
    stream.control.write(stream.own === null ? chunk : stream.own(chunk), size);
    return promise;
  }

  // closeWithErrorPropagation is what a pipe does at the end of its source.
  closeWithErrorPropagation() {
    const { stream } = this;
    if (stream.isClosing() || stream.state === 'closed') return resolved(undefined);
    if (stream.state === 'errored') return rejected(stream.error);
    return stream.close();
  }

  release() {
    const e = new TypeError(writerReleasedText);
    this.failReady(e);
    this.failClosed(e);
    this.stream.writer = null;
    this.stream = null;
  }
}

function acquireWriter(s) {
  if (s.locked) throw new TypeError(writerLockedText);
  return new Writer(s);
}

class WritableStreamDefaultWriter {
  #w;

  static {
    writerOf = (v) => (isObject(v) && #w in v ? v.#w : undefined);
  }

  constructor(stream, writer) {
    if (stream !== secret) {
      const s = writableOf(stream);
      if (s === undefined) {
        throw constructing('WritableStreamDefaultWriter', 1, 'WritableStream');
      }
      writer = acquireWriter(s);
    }
    this.#w = writer;
    writer.object = this;
  }

  get closed() {
    const w = writerOf(this);
    return w === undefined ? rejected(illegalInvocation()) : w.closed.promise;
  }

  get ready() {
    const w = writerOf(this);
    return w === undefined ? rejected(illegalInvocation()) : w.ready.promise;
  }

  get desiredSize() {
    const w = writerOf(this);
    if (w === undefined) throw illegalInvocation();
    if (w.stream === null) throw new TypeError(writerReleasedText);
    return w.desiredSize;
  }

  abort(reason) {
    const w = writerOf(this);
    if (w === undefined) return rejected(illegalInvocation());
    if (w.stream === null) return rejected(new TypeError(writerReleasedText));
    return w.stream.abort(reason);
  }

  close() {
    const w = writerOf(this);
    if (w === undefined) return rejected(illegalInvocation());
    if (w.stream === null) return rejected(new TypeError(writerReleasedText));
    if (w.stream.isClosing()) return rejected(new TypeError(writableClosedText));
    return w.stream.close();
  }

  releaseLock() {
    const w = writerOf(this);
    if (w === undefined) throw illegalInvocation();
    if (w.stream === null) return;
    const { stream } = w;
    w.release();
    // Writes that have not begun are still made, but nobody hears of them any more.
    stream.requests.each((d) => d.reject(new TypeError(writerReleasedText)));
  }

  write(chunk) {
    const w = writerOf(this);
    if (w === undefined) return rejected(illegalInvocation());
    if (w.stream === null) return rejected(new TypeError(writerReleasedText));
    return w.write(chunk);
  }
}

publish(WritableStreamDefaultWriter);
