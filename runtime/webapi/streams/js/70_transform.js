// TransformStream (https://streams.spec.whatwg.org/#ts).

let transformOf;
let transformControlOf;

class Transform {
  constructor() {
    this.readable = null;
    this.writable = null;
    this.control = null;
    // readableObject is what users see, also after the stream has been detached from it.
    this.readableObject = null;
    this.backpressure = undefined;
    this.backpressureChange = null;
  }

  setUp(startPromise, writableHighWaterMark, writableSize, readableHighWaterMark, readableSize) {
    this.setBackpressure(true);
    const start = () => startPromise;
    this.writable = newWritable({
      start,
      write: (chunk) => this.write(chunk),
      abort: (reason) => this.abort(reason),
      close: () => this.close(),
      highWaterMark: writableHighWaterMark,
      size: writableSize,
    });
    const source = {
      pull: () => {
        this.setBackpressure(false);
        return this.backpressureChange.promise;
      },
      cancel: (reason) => this.cancel(reason),
      highWaterMark: readableHighWaterMark,
      size: readableSize,
    };
    this.readable = new Readable();
    new DefaultControl(this.readable, source).start(startPromise);
  }

  setBackpressure(backpressure) {
    if (this.backpressureChange !== null) this.backpressureChange.resolve(undefined);
    this.backpressureChange = new Deferred();
    this.backpressure = backpressure;
  }

  // fail is TransformStreamError.
  fail(e) {
    this.readable.control.fail(e);
    this.failWritable(e);
  }

  // failWritable is TransformStreamErrorWritableAndUnblockWrite.
  failWritable(e) {
    this.control.forget();
    this.writable.control.errorIfNeeded(e);
    this.unblock();
  }

  unblock() {
    if (this.backpressure) this.setBackpressure(false);
  }

  write(chunk) {
    if (!this.backpressure) return this.control.perform(chunk);
    return promiseThen(this.backpressureChange.promise, () => {
      if (this.writable.state === 'erroring') throw this.writable.error;
      return this.control.perform(chunk);
    });
  }

  // abort, close and cancel run the one last algorithm of the transformer: flush, or cancel for either side that ends
  // early. control.finishing() notes that it runs.
  abort(reason) {
    const { control, readable } = this;
    if (control.finished !== null) return control.finished.promise;
    const d = control.finishing();
    react(control.runCancel(reason), () => {
      if (readable.state === 'errored') {
        d.reject(readable.error);
      } else {
        readable.control.fail(reason);
        d.resolve(undefined);
      }
    }, (e) => {
      readable.control.fail(e);
      d.reject(e);
    });
    control.forget();
    return d.promise;
  }

  close() {
    const { control, readable } = this;
    if (control.finished !== null) return control.finished.promise;
    const d = control.finishing();
    react(control.runFlush(), () => {
      if (readable.state === 'errored') {
        d.reject(readable.error);
      } else {
        readable.control.close();
        d.resolve(undefined);
      }
    }, (e) => {
      readable.control.fail(e);
      d.reject(e);
    });
    control.forget();
    return d.promise;
  }

  cancel(reason) {
    const { control, writable } = this;
    if (control.finished !== null) return control.finished.promise;
    const d = control.finishing();
    react(control.runCancel(reason), () => {
      if (writable.state === 'errored') {
        d.reject(writable.error);
      } else {
        writable.control.errorIfNeeded(reason);
        this.unblock();
        d.resolve(undefined);
      }
    }, (e) => {
      writable.control.errorIfNeeded(e);
      this.unblock();
      d.reject(e);
    });
    control.forget();
    return d.promise;
  }
}

class TransformControl {
  constructor(transform, { transform: fn, flush, cancel }) {
    this.stream = transform;
    transform.control = this;
    this.object = null;
    this.transform = fn;
    this.flush = flush;
    this.cancel = cancel;
    this.finished = null;
  }

  wrap() {
    return this.object ?? new TransformStreamDefaultController(secret, this);
  }

  forget() {
    this.transform = this.flush = this.cancel = undefined;
  }

  finishing() {
    this.finished = new Deferred();
    handled(this.finished.promise);
    return this.finished;
  }

  runFlush() {
    return this.flush === undefined ? resolved(undefined) : this.flush(this);
  }

  runCancel(reason) {
    return this.cancel === undefined ? resolved(undefined) : this.cancel(reason);
  }

  perform(chunk) {
    let p;
    if (this.transform === undefined) {
      try {
        this.enqueue(chunk);
        p = resolved(undefined);
      } catch (e) {
        p = rejected(e);
      }
    } else {
      p = this.transform(chunk, this);
    }
    return promiseThen(p, undefined, (e) => {
      this.stream.fail(e);
      throw e;
    });
  }

  enqueue(chunk) {
    const { stream } = this;
    const { readable } = stream;
    if (!readable.control.isOpen()) {
      throw new TypeError('The readable side of this TransformStream is no longer readable.');
    }
    try {
      readable.control.enqueue(chunk);
    } catch (e) {
      stream.failWritable(e);
      throw readable.error;
    }
    const backpressure = !readable.control.shouldPull();
    if (backpressure !== stream.backpressure && native.transformBackpressure) stream.setBackpressure(true);
  }

  terminate() {
    this.stream.readable.control.close();
    this.stream.failWritable(new TypeError('The transform stream has been terminated'));
  }
}

class TransformStream {
  #t;

  static {
    transformOf = (v) => {
      if (!isObject(v) || !(#t in v)) throw illegalInvocation();
      return v.#t;
    };
  }

  constructor(transformer, writableStrategy, readableStrategy) {
    const t = new Transform();
    this.#t = t;
    if (transformer === secret) {
      writableStrategy(t);
      return;
    }
    startTransform(t, dictionary(transformer, constructing, 'TransformStream', 1, 'Transformer'),
      dictionary(writableStrategy, constructing, 'TransformStream', 2, 'StreamQueuingStrategy'),
      dictionary(readableStrategy, constructing, 'TransformStream', 3, 'StreamQueuingStrategy'));
  }

  get readable() {
    const t = transformOf(this);
    t.readableObject ??= t.readable.wrap();
    return t.readableObject;
  }

  get writable() {
    return transformOf(this).writable.wrap();
  }
}

function startTransform(t, transformer, writableStrategy, readableStrategy) {
  const cancel = callback(transformer, 'cancel', 'Transformer');
  const expected = transformer.expectedLength;
  const flush = callback(transformer, 'flush', 'Transformer');
  if (transformer.readableType !== undefined) throw new TypeError('transformer.readableType must be undefined.');
  const start = callback(transformer, 'start', 'Transformer');
  const transform = callback(transformer, 'transform', 'Transformer');
  if (transformer.writableType !== undefined) throw new TypeError('transformer.writableType must be undefined.');
  const readableHighWaterMark = highWaterMarkOf(readableStrategy, 0);
  const readableSize = sizeOf(readableStrategy);
  const writableHighWaterMark = highWaterMarkOf(writableStrategy, 1);
  const writableSize = sizeOf(writableStrategy);
  const started = new Deferred();
  t.setUp(started.promise, writableHighWaterMark, writableSize, readableHighWaterMark, readableSize);
  if (expected !== undefined) t.readable.expectedLength = expectedLength(expected);
  const control = new TransformControl(t, {
    transform: transform === undefined ? undefined : (chunk, c) => promising(transform, transformer, [chunk, c.wrap()]),
    flush: flush === undefined ? undefined : (c) => promising(flush, transformer, [c.wrap()]),
    cancel: cancel === undefined ? undefined : (reason) => promising(cancel, transformer, [reason]),
  });
  started.resolve(start === undefined ? undefined : promising(start, transformer, [control.wrap()]));
}

// setUpTransform makes the two sides of a transform of the platform's own. run(chunk, enqueue) and flush(enqueue) are
// synchronous and may throw.
function setUpTransform(t, { run, flush }) {
  t.setUp(resolved(undefined), 1, countSize, 0, countSize);
  const enqueue = (v) => control.enqueue(v);
  const control = new TransformControl(t, {
    transform: (chunk) => promising(run, undefined, [chunk, enqueue]),
    flush: () => promising(flush, undefined, [enqueue]),
  });
}

class TransformStreamDefaultController {
  #c;

  static {
    transformControlOf = (v) => {
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
    return transformControlOf(this).stream.readable.control.desiredSize;
  }

  enqueue(chunk) {
    transformControlOf(this).enqueue(chunk);
  }

  error(reason) {
    transformControlOf(this).stream.fail(reason);
  }

  terminate() {
    transformControlOf(this).terminate();
  }
}

publish(TransformStream);
publish(TransformStreamDefaultController);
