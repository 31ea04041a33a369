// ReadableStreamDefaultController (https://streams.spec.whatwg.org/#rs-default-controller-class).

let defaultControlOf;

class DefaultControl {
  constructor(stream, { pull, cancel, highWaterMark, size }) {
    this.stream = stream;
    stream.control = this;
    this.object = null;
    this.queue = new Queue();
    this.total = 0;
    this.started = false;
    this.closeRequested = false;
    this.pulling = false;
    this.pullAgain = false;
    this.highWaterMark = highWaterMark;
    this.size = size;
    this.pull = pull;
    this.cancelAlgorithm = cancel;
  }

  wrap() {
    return this.object ?? new ReadableStreamDefaultController(secret, this);
  }

  // start lets the controller run when its start algorithm has ended, or at once if it has none.
  start(result) {
    if (result === undefined) {
      this.begin();
      return;
    }
    react(result, () => this.begin(), (e) => this.fail(e));
  }

  begin() {
    this.started = true;
    this.pullIfNeeded();
  }

  get desiredSize() {
    const { state } = this.stream;
    if (state === 'errored') return null;
    return state === 'closed' ? 0 : this.highWaterMark - this.total;
  }

  isOpen() {
    return !this.closeRequested && this.stream.state === 'readable';
  }

  close() {
    if (!this.isOpen()) return;
    this.closeRequested = true;
    if (this.queue.length === 0) {
      this.forget();
      this.stream.close();
    }
  }

  enqueue(chunk) {
    if (!this.isOpen()) return;
    const { stream } = this;
    let n;
    try {
      n = checkedSize(this.size(chunk));
    } catch (e) {
      this.fail(e);
      throw e;
    }
    // The size algorithm is the user's and may have ended the stream.
    if (stream.state !== 'readable') return;
    if (stream.waiting() > 0) {
      stream.fulfill(chunk, false);
    } else {
      this.queue.push({ chunk, size: n });
      this.total += n;
    }
    this.pullIfNeeded();
  }

  fail(e) {
    if (this.stream.state !== 'readable') return;
    this.queue.clear();
    this.total = 0;
    this.forget();
    this.stream.fail(e);
  }

  // forget drops the algorithms, so that what they hold can be collected.
  forget() {
    this.pull = this.cancelAlgorithm = undefined;
    this.size = countSize;
  }

  pullIfNeeded() {
    if (!this.shouldPull()) return;
    if (this.pulling) {
      this.pullAgain = true;
      return;
    }
    if (this.pull === undefined) return;
    this.pulling = true;
    react(this.pull(this.wrap()), () => {
      this.pulling = false;
      if (this.pullAgain) {
        this.pullAgain = false;
        this.pullIfNeeded();
      }
    }, (e) => this.fail(e));
  }

  shouldPull() {
    if (!this.isOpen() || !this.started) return false;
    return this.stream.waiting() > 0 || this.highWaterMark - this.total > 0;
  }

  cancelSteps(reason) {
    this.queue.clear();
    this.total = 0;
    const cancel = this.cancelAlgorithm;
    const result = cancel === undefined ? resolved(undefined) : cancel(reason);
    this.forget();
    return result;
  }

  pullSteps(request) {
    if (this.hasChunk()) {
      request.chunk(this.next());
      return;
    }
    this.stream.reader.requests.push(request);
    this.pullIfNeeded();
  }

  // hasChunk tells whether a read can be answered at once, by next.
  hasChunk() {
    return this.queue.length > 0;
  }

  next() {
    const { chunk, size } = this.queue.shift();
    // Rounding errors of fractions must not leave less than nothing.
    this.total = this.queue.length === 0 ? 0 : max(this.total - size, 0);
    if (this.closeRequested && this.queue.length === 0) {
      this.forget();
      this.stream.close();
    } else {
      this.pullIfNeeded();
    }
    return chunk;
  }

  releaseSteps() {}
}

class ReadableStreamDefaultController {
  #c;

  static {
    defaultControlOf = (v) => {
      if (!isObject(v) || !(#c in v)) throw illegalInvocation();
      return v.#c;
    };
  }

  constructor(key, control) {
    if (key !== secret) throw illegalConstructor();
    this.#c = control;
    control.object = this;
  }

  get desiredSize() {
    return defaultControlOf(this).desiredSize;
  }

  close() {
    const c = defaultControlOf(this);
    if (!c.isOpen()) throw new TypeError('This ReadableStream is closed.');
    c.close();
  }

  enqueue(chunk) {
    const c = defaultControlOf(this);
    if (!c.isOpen()) throw new TypeError('Unable to enqueue');
    c.enqueue(chunk);
  }

  error(reason) {
    defaultControlOf(this).fail(reason);
  }
}

publish(ReadableStreamDefaultController);
