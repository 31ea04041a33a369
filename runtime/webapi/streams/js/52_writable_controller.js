// WritableStreamDefaultController (https://streams.spec.whatwg.org/#ws-default-controller-class).

const closeMark = { close: true };

let writableControlOf;

class WritableControl {
  constructor(stream, { write, close, abort, onAbort, interrupt, highWaterMark, size }) {
    this.stream = stream;
    stream.control = this;
    this.object = null;
    this.queue = new Queue();
    this.total = 0;
    this.started = false;
    this.highWaterMark = highWaterMark;
    this.size = size;
    this.writeAlgorithm = write;
    this.closeAlgorithm = close;
    this.abortAlgorithm = abort;
    // onAbort hears of an abort at once, also while a write is in flight; interrupt breaks off a write in flight when
    // the pipe that made it is aborted.
    this.onAbort = onAbort;
    this.interrupt = interrupt;
    // The AbortController behind signal is made when somebody asks for it.
    this.aborter = null;
    this.aborted = false;
    this.abortReason = undefined;
    stream.updateBackpressure(this.isFull());
  }

  wrap() {
    return this.object ?? new WritableStreamDefaultController(secret, this);
  }

  // start lets writes through when the start algorithm has ended, or at once if there is none.
  start(result) {
    const { stream } = this;
    if (result === undefined) {
      this.started = true;
      return;
    }
    react(result, () => {
      this.started = true;
      this.advance();
    }, (e) => {
      this.started = true;
      stream.dealWithRejection(e);
    });
  }

  get desiredSize() {
    return this.highWaterMark - this.total;
  }

  isFull() {
    return this.highWaterMark - this.total <= 0;
  }

  get signal() {
    if (this.aborter === null) {
      this.aborter = native.abortController();
      if (this.aborted) this.aborter.abort(this.abortReason);
    }
    return this.aborter.signal;
  }

  signalAbort(reason) {
    if (this.aborted) return;
    this.aborted = true;
    this.abortReason = reason;
    if (this.onAbort !== undefined) this.onAbort(reason);
    if (this.aborter !== null) this.aborter.abort(reason);
  }

  abortSteps(reason) {
    const abort = this.abortAlgorithm;
    const result = abort === undefined ? resolved(undefined) : abort(reason);
    this.forget();
    return result;
  }

  errorSteps() {
    this.queue.clear();
    this.total = 0;
  }

  forget() {
    this.writeAlgorithm = this.closeAlgorithm = this.abortAlgorithm = undefined;
    this.size = countSize;
  }

  close() {
    this.queue.push({ chunk: closeMark, size: 0 });
    this.advance();
  }

  // chunkSize runs the size algorithm; when that throws the stream fails and the chunk counts 1.
  chunkSize(chunk) {
    try {
      return this.size(chunk);
    } catch (e) {
      this.errorIfNeeded(e);
      return 1;
    }
  }

  write(chunk, size) {
    try {
      size = checkedSize(size);
    } catch (e) {
      this.errorIfNeeded(e);
      return;
    }
    this.queue.push({ chunk, size });
    this.total += size;
    const { stream } = this;
    if (!stream.isClosing() && stream.state === 'writable') stream.updateBackpressure(this.isFull());
    this.advance();
  }

  advance() {
    const { stream } = this;
    if (!this.started || stream.inFlightWrite !== null) return;
    if (stream.state === 'erroring') {
      stream.finishErroring();
      return;
    }
    if (this.queue.length === 0) return;
    const { chunk } = this.queue.peek();
    if (chunk === closeMark) this.processClose();
    else this.processWrite(chunk);
  }

  errorIfNeeded(e) {
    if (this.stream.state === 'writable') this.fail(e);
  }

  fail(e) {
    this.forget();
    this.stream.startErroring(e);
  }

  processClose() {
    const { stream } = this;
    stream.inFlightClose = stream.closeRequest;
    stream.closeRequest = null;
    this.queue.shift();
    const close = this.closeAlgorithm;
    const result = close === undefined ? resolved(undefined) : close();
    this.forget();
    react(result, () => stream.finishInFlightClose(), (e) => stream.finishInFlightCloseWithError(e));
  }

  processWrite(chunk) {
    const { stream } = this;
    stream.inFlightWrite = stream.requests.shift();
    const write = this.writeAlgorithm;
    react(write === undefined ? resolved(undefined) : write(chunk, this), () => {
      stream.finishInFlightWrite();
      const { size } = this.queue.shift();
      this.total = this.queue.length === 0 ? 0 : max(this.total - size, 0);
      if (!stream.isClosing() && stream.state === 'writable') stream.updateBackpressure(this.isFull());
      this.advance();
    }, (e) => {
      if (stream.state === 'writable') this.forget();
      stream.finishInFlightWriteWithError(e);
    });
  }
}

class WritableStreamDefaultController {
  #c;

  static {
    writableControlOf = (v) => {
      if (!isObject(v) || !(#c in v)) throw illegalInvocation();
      return v.#c;
    };
  }

  constructor(key, control) {
    if (key !== secret) throw illegalConstructor();
    this.#c = control;
    control.object = this;
  }

  get signal() {
    return writableControlOf(this).signal;
  }

  error(reason) {
    const c = writableControlOf(this);
    if (c.stream.state === 'writable') c.fail(reason);
  }
}

publish(WritableStreamDefaultController);
