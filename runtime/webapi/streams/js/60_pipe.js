// pipeTo (https://streams.spec.whatwg.org/#readable-stream-pipe-to).

function pipeOptions(options, method) {
  const o = dictionary(options, calling, 'ReadableStream', method, 2, 'PipeToOptions');
  const preventAbort = !!o.preventAbort;
  const preventCancel = !!o.preventCancel;
  const preventClose = !!o.preventClose;
  const { signal } = o;
  if (signal !== undefined && !native.isAbortSignal(signal)) {
    throw new TypeError(
      "Incorrect type for the 'signal' field on 'PipeToOptions': the provided value is not of type 'AbortSignal'.");
  }
  return { preventAbort, preventCancel, preventClose, signal };
}

function pipe(source, dest, options) {
  const p = new Pipe(source, dest, options);
  p.begin();
  return p.result.promise;
}

class Pipe {
  constructor(source, dest, { preventAbort, preventCancel, preventClose, signal }) {
    this.source = source;
    this.dest = dest;
    this.preventAbort = preventAbort;
    this.preventCancel = preventCancel;
    this.preventClose = preventClose;
    this.signal = signal;
    this.reader = acquireReader(source);
    this.writer = acquireWriter(dest);
    source.disturbed = true;
    this.result = new Deferred();
    this.shuttingDown = false;
    // lastWrite is settled when everything read so far has been written.
    this.lastWrite = null;
    this.onAbort = null;
  }

  begin() {
    const { signal, source, dest, reader, writer } = this;
    if (signal !== undefined) {
      this.onAbort = () => this.abort();
      if (signal.aborted) {
        this.abort();
        return;
      }
      signal.addEventListener('abort', this.onAbort);
    }
    this.whenErrored(source, reader.closedPromise, (e) => this.sourceFailed(e));
    this.whenErrored(dest, writer.closed.promise, (e) => this.destFailed(e));
    if (source.state === 'closed') this.sourceClosed();
    else react(reader.closedPromise, () => this.sourceClosed(), noop);
    if (dest.isClosing() || dest.state === 'closed') this.destClosed();
    this.step();
  }

  whenErrored(stream, promise, act) {
    if (stream.state === 'errored') act(stream.error);
    else react(promise, undefined, act);
  }

  // step moves chunks for as long as the destination wants some.
  step() {
    if (this.shuttingDown) return;
    const { dest, writer, reader } = this;
    if (dest.state === 'writable' && dest.backpressure) {
      react(writer.ready.promise, () => this.step(), noop);
      return;
    }
    if (dest.state !== 'writable') return;
    reader.read({
      chunk: (chunk) => microtask(() => {
        this.lastWrite = handled(this.write(chunk));
        this.step();
      }),
      close: noop,
      error: noop,
    });
  }

  // A chunk that was read is written even when the pipe is shutting down meanwhile.
  write(chunk) {
    return this.writer.stream === null ? resolved(undefined) : this.writer.write(chunk);
  }

  abort() {
    const { reason } = this.signal;
    const { dest, source } = this;
    const actions = [];
    if (dest.control.interrupt !== undefined && dest.inFlightWrite !== null) dest.control.interrupt();
    if (!this.preventAbort) {
      actions.push(() => (dest.state === 'writable' ? dest.abort(reason) : resolved(undefined)));
    }
    if (!this.preventCancel) {
      actions.push(() => (source.state === 'readable' ? source.cancel(reason) : resolved(undefined)));
    }
    this.shutdown(() => all(actions.map((f) => f())), true, reason);
  }

  sourceFailed(e) {
    this.shutdown(this.preventAbort ? undefined : () => this.dest.abort(e), true, e);
  }

  destFailed(e) {
    this.shutdown(this.preventCancel ? undefined : () => this.source.cancel(e), true, e);
  }

  sourceClosed() {
    this.shutdown(this.preventClose ? undefined : () => this.writer.closeWithErrorPropagation(), false, undefined);
  }

  destClosed() {
    const e = new TypeError('This destination writable stream is closed.');
    this.shutdown(this.preventCancel ? undefined : () => this.source.cancel(e), true, e);
  }

  shutdown(action, failed, e) {
    if (this.shuttingDown) return;
    this.shuttingDown = true;
    const act = () => {
      if (action === undefined) {
        this.finalize(failed, e);
        return;
      }
      react(action(), () => this.finalize(failed, e), (e2) => this.finalize(true, e2));
    };
    if (this.dest.state === 'writable' && !this.dest.isClosing()) this.afterWrites(act);
    else act();
  }

  // afterWrites waits until what was read is written; more may be read while it waits.
  afterWrites(then) {
    const waited = this.lastWrite;
    if (waited === null) {
      // A chunk on its way from the reader becomes a write in the next microtask.
      microtask(() => (this.lastWrite === null ? then() : this.afterWrites(then)));
      return;
    }
    const check = () => (this.lastWrite === waited ? then() : this.afterWrites(then));
    react(waited, check, check);
  }

  finalize(failed, e) {
    const { signal, reader, writer } = this;
    writer.release();
    reader.release();
    if (signal !== undefined) signal.removeEventListener('abort', this.onAbort);
    if (failed) this.result.reject(e);
    else this.result.resolve(undefined);
  }
}

// all waits for every promise and fails with the first failure.
function all(promises) {
  const d = new Deferred();
  let left = promises.length;
  if (left === 0) d.resolve(undefined);
  for (const p of promises) {
    react(p, () => {
      if (--left === 0) d.resolve(undefined);
    }, (e) => d.reject(e));
  }
  return d.promise;
}
