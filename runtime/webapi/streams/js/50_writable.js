// WritableStream (https://streams.spec.whatwg.org/#ws).

const writerLockedText = 'This WritableStream is currently locked to a writer.';
const writableClosedText = 'This WritableStream has been closed.';

let writableOf;

class Writable {
  constructor() {
    this.state = 'writable';
    this.error = undefined;
    this.writer = null;
    this.control = null;
    this.object = null;
    this.backpressure = false;
    this.requests = new Queue();
    this.inFlightWrite = null;
    this.closeRequest = null;
    this.inFlightClose = null;
    // pendingAbort is { deferred, reason, wasErroring }.
    this.pendingAbort = null;
    // aborted is the promise of an abort that has been asked for: a later one gets it again.
    this.aborted = null;
    // expectsBytes: a stream of the platform's own, which takes nothing else. Only console shows it.
    this.expectsBytes = false;
    // own, where there is one, gives what is kept of a chunk when it is written. What the script does to the chunk
    // while it waits for the writes before does not count then.
    this.own = null;
  }

  get locked() {
    return this.writer !== null;
  }

  wrap() {
    return this.object ?? new WritableStream(secret, this);
  }

  isClosing() {
    return this.closeRequest !== null || this.inFlightClose !== null;
  }

  // abort is WritableStreamAbort.
  abort(reason) {
    if (this.state === 'closed' || this.state === 'errored') return this.aborted ?? resolved(undefined);
    this.control.signalAbort(reason);
    // The signal's listeners may have changed the state.
    const { state } = this;
    if (state === 'closed' || state === 'errored') return resolved(undefined);
    if (this.pendingAbort !== null) return this.pendingAbort.deferred.promise;
    const wasErroring = state === 'erroring';
    if (wasErroring) reason = undefined;
    const deferred = new Deferred();
    this.pendingAbort = { deferred, reason, wasErroring };
    this.aborted = deferred.promise;
    if (!wasErroring) this.startErroring(reason);
    return deferred.promise;
  }

  // close is WritableStreamClose.
  close() {
    const { state } = this;
    if (state === 'closed' || state === 'errored') return rejected(new TypeError(writableClosedText));
    const deferred = new Deferred();
    this.closeRequest = deferred;
    if (this.writer !== null && this.backpressure && state === 'writable') this.writer.settleReady();
    this.control.close();
    return deferred.promise;
  }

  addWriteRequest() {
    const deferred = new Deferred();
    this.requests.push(deferred);
    return deferred.promise;
  }

  dealWithRejection(e) {
    if (this.state === 'writable') this.startErroring(e);
    else this.finishErroring();
  }

  startErroring(reason) {
    this.state = 'erroring';
    this.error = reason;
    if (this.writer !== null) this.writer.failReady(reason);
    if (!this.hasInFlight() && this.control.started) this.finishErroring();
  }

  hasInFlight() {
    return this.inFlightWrite !== null || this.inFlightClose !== null;
  }

  finishErroring() {
    this.state = 'errored';
    this.control.errorSteps();
    for (const d of this.requests.take()) d.reject(this.error);
    const abort = this.pendingAbort;
    if (abort === null) {
      this.rejectCloseAndClosed();
      return;
    }
    this.pendingAbort = null;
    if (abort.wasErroring) {
      abort.deferred.reject(this.error);
      this.rejectCloseAndClosed();
      return;
    }
    react(this.control.abortSteps(abort.reason), () => {
      abort.deferred.resolve(undefined);
      this.rejectCloseAndClosed();
    }, (e) => {
      abort.deferred.reject(e);
      this.rejectCloseAndClosed();
    });
  }

  finishInFlightWrite() {
    this.inFlightWrite.resolve(undefined);
    this.inFlightWrite = null;
  }

  finishInFlightWriteWithError(e) {
    this.inFlightWrite.reject(e);
    this.inFlightWrite = null;
    this.dealWithRejection(e);
  }

  finishInFlightClose() {
    this.inFlightClose.resolve(undefined);
    this.inFlightClose = null;
    if (this.state === 'erroring') {
      // The sink has closed: an abort that came meanwhile has nothing left to do.
      this.error = undefined;
      if (this.pendingAbort !== null) {
        this.pendingAbort.deferred.resolve(undefined);
        this.pendingAbort = null;
      }
    }
    this.state = 'closed';
    if (this.writer !== null) this.writer.closed.resolve(undefined);
  }

  finishInFlightCloseWithError(e) {
    this.inFlightClose.reject(e);
    this.inFlightClose = null;
    if (this.pendingAbort !== null) {
      this.pendingAbort.deferred.reject(e);
      this.pendingAbort = null;
    }
    this.dealWithRejection(e);
  }

  rejectCloseAndClosed() {
    if (this.closeRequest !== null) {
      this.closeRequest.reject(this.error);
      this.closeRequest = null;
    }
    if (this.writer !== null) this.writer.failClosed(this.error);
  }

  updateBackpressure(backpressure) {
    if (this.writer !== null && backpressure !== this.backpressure) {
      if (backpressure) this.writer.renewReady();
      else this.writer.settleReady();
    }
    this.backpressure = backpressure;
  }
}

class WritableStream {
  #s;

  static {
    writableOf = (v) => (isObject(v) && #s in v ? v.#s : undefined);
  }

  constructor(underlyingSink, queuingStrategy) {
    if (underlyingSink === secret) {
      this.#s = queuingStrategy;
      queuingStrategy.object = this;
      return;
    }
    const s = new Writable();
    s.object = this;
    this.#s = s;
    startWritable(s, dictionary(underlyingSink, constructing, 'WritableStream', 1, 'UnderlyingSink'),
      dictionary(queuingStrategy, constructing, 'WritableStream', 2, 'StreamQueuingStrategy'));
  }

  get locked() {
    return selfWritable(this).locked;
  }

  abort(reason) {
    const s = writableOf(this);
    if (s === undefined) return rejected(illegalInvocation());
    if (s.locked) return rejected(new TypeError(writerLockedText));
    return s.abort(reason);
  }

  close() {
    const s = writableOf(this);
    if (s === undefined) return rejected(illegalInvocation());
    if (s.locked) return rejected(new TypeError(writerLockedText));
    if (s.isClosing()) return rejected(new TypeError(writableClosedText));
    return s.close();
  }

  getWriter() {
    return acquireWriter(selfWritable(this)).wrap();
  }
}

publish(WritableStream);

function selfWritable(v) {
  const s = writableOf(v);
  if (s === undefined) throw illegalInvocation();
  return s;
}

function startWritable(s, sink, strategy) {
  const abort = callback(sink, 'abort', 'UnderlyingSink');
  const close = callback(sink, 'close', 'UnderlyingSink');
  const start = callback(sink, 'start', 'UnderlyingSink');
  const write = callback(sink, 'write', 'UnderlyingSink');
  const size = sizeOf(strategy);
  const control = new WritableControl(s, {
    write: write === undefined ? undefined : (chunk, c) => promising(write, sink, [chunk, c.wrap()]),
    close: close === undefined ? undefined : () => promising(close, sink, []),
    abort: abort === undefined ? undefined : (reason) => promising(abort, sink, [reason]),
    highWaterMark: highWaterMarkOf(strategy, 1),
    size,
  });
  control.start(start === undefined ? undefined : promising(start, sink, [control.wrap()]));
}

// newWritable makes a stream for the platform's own use.
function newWritable(algorithms) {
  const s = new Writable();
  new WritableControl(s, { highWaterMark: 1, size: countSize, ...algorithms }).start(algorithms.start?.());
  return s;
}
