// What the Go side calls, see bridge.go. Streams come in and go out as the objects that users see.

// nativeReadable makes a byte stream over a Go source. The source gives a Uint8Array or null at its end, at once or as
// a promise.
function nativeReadable(source, expected, empty) {
  const s = newByteReadable({
    pull: () => promiseThen(promising(native.pull, undefined, [source]), (chunk) => {
      if (s.state !== 'readable') return;
      if (chunk === null) {
        s.control.finish();
      } else {
        s.control.enqueue(chunk);
        if (native.ended(source)) s.control.finish();
      }
    }),
    cancel: () => promising(native.cancel, undefined, [source]),
  });
  s.control.begin();
  s.native = source;
  s.oneRead = !native.enabled('typescript_implemented_streams');
  if (expected !== undefined) s.expectedLength = expected;
  if (empty) s.control.finish();
  return s;
}

// takeNative locks a stream that nobody has touched and gives out its Go source; undefined when it has none or has
// been touched.
function takeNative(stream) {
  const s = selfReadable(stream);
  if (s.native === null || s.locked || s.disturbed || s.state !== 'readable') return undefined;
  acquireReader(s);
  s.disturbed = true;
  return s.native;
}

// finishNative ends a stream whose source was taken.
function finishNative(stream, failed, e) {
  const s = selfReadable(stream);
  if (failed) s.control.fail(e);
  else s.control.finish();
}

// drain reads a stream to its end. take(chunk) answers true to get the next chunk at once, and otherwise calls next()
// of the result when it is ready for more.
function drain(stream, take, done, fail) {
  const s = selfReadable(stream);
  if (s.locked) throw new TypeError('The ReadableStream has been locked to a reader.');
  const reader = acquireReader(s);
  let inside = false;
  let again = false;
  const next = () => {
    if (inside) {
      again = true;
      return;
    }
    do {
      again = false;
      inside = true;
      reader.read(request);
      inside = false;
    } while (again);
  };
  const request = {
    chunk(value) {
      if (take(value)) next();
    },
    close() {
      reader.release();
      done();
    },
    error(e) {
      reader.release();
      fail(e);
    },
  };
  return { next, cancel: (reason) => handled(s.cancel(reason)) };
}

// detach gives the record of a stream to a new object; the old one is left locked, disturbed and empty.
function detach(stream) {
  const s = selfReadable(stream);
  if (s.locked) throw new TypeError('The ReadableStream has been locked to a reader.');
  const husk = new Readable();
  new DefaultControl(husk, { highWaterMark: 0, size: countSize });
  husk.state = 'closed';
  husk.disturbed = true;
  acquireReader(husk);
  becomes(stream, husk);
  s.object = null;
  return s.wrap();
}

// ReadableStreamDrainingReader is there only under the flag expose_draining_reader.
class ReadableStreamDrainingReader {
  #r;

  constructor(stream) {
    this.#r = acquireReader(selfReadable(stream));
  }

  get expectedLength() {
    return this.#r.stream?.expectedLength;
  }

  cancel(reason) {
    return cancelReader(this.#r, reason);
  }

  releaseLock() {
    if (this.#r.stream !== null) this.#r.release();
  }
}

publish(ReadableStreamDrainingReader);

return {
  classes: {
    __proto__: null,
    ReadableStream,
    ReadableStreamDefaultReader,
    ReadableStreamBYOBReader,
    ReadableStreamDefaultController,
    ReadableByteStreamController,
    ReadableStreamBYOBRequest,
    WritableStream,
    WritableStreamDefaultWriter,
    WritableStreamDefaultController,
    TransformStream,
    TransformStreamDefaultController,
    ByteLengthQueuingStrategy,
    CountQueuingStrategy,
    IdentityTransformStream,
    FixedLengthStream,
    ReadableStreamDrainingReader,
  },
  isReadable: (v) => readableOf(v) !== undefined,
  isWritable: (v) => writableOf(v) !== undefined,
  locked: (v) => selfReadable(v).locked,
  disturbed: (v) => selfReadable(v).disturbed,
  expectedLength: (v) => selfReadable(v).expectedLength,
  writableLocked: (v) => selfWritable(v).locked,
  cancel: (v, reason) => selfReadable(v).cancel(reason),
  tee: (v) => {
    const s = selfReadable(v);
    if (s.locked) throw new TypeError(lockedText);
    const [a, b] = tee(s);
    return [a.wrap(), b.wrap()];
  },
  // teeNative is the two branches of a stream whose source could be doubled.
  teeNative: (s, a, b, expected) => {
    acquireReader(s);
    s.disturbed = true;
    return [nativeReadable(a, expected, false), nativeReadable(b, expected, false)];
  },
  nativeUntouched: (s) => s.native !== null && !s.disturbed && !s.locked && s.state === 'readable',
  pipe: (r, w) => pipe(selfReadable(r), selfWritable(w), {}),
  nativeReadable: (source, expected, empty) => nativeReadable(source, expected, empty).wrap(),
  // inner is what the platform shows of a stream beside its accessors, as names and values in turn.
  inner: (v) => {
    const r = readableOf(v);
    if (r !== undefined) {
      return ['state', r.state, 'supportsBYOB', r.control instanceof ByteControl, 'length', r.expectedLength];
    }
    const w = writableOf(v);
    return w === undefined ? undefined : ['state', w.state, 'expectsBytes', w.expectsBytes];
  },
  nativeWritable: (write, close, abort, highWaterMark) => {
    const w = newWritable({
      write: (chunk) => promising(write, undefined, [chunk]),
      close: () => promising(close, undefined, []),
      abort: (reason) => promising(abort, undefined, [reason]),
      highWaterMark,
    });
    w.expectsBytes = true;
    return w.wrap();
  },
  writer: (v) => acquireWriter(selfWritable(v)),
  writerWrite: (w, chunk) => w.write(chunk),
  writerClose: (w) => w.closeWithErrorPropagation(),
  writerAbort: (w, reason) => (w.stream === null ? resolved(undefined) : w.stream.abort(reason)),
  transform: (algorithms) => new TransformStream(secret, (t) => setUpByteTransform(t, algorithms)),
  from: (iterable) => readableFrom(iterable).wrap(),
  takeNative,
  finishNative,
  drain,
  detach,
  // kit is for the packages that build classes of their own on a TransformStream.
  kit: {
    TransformStream,
    publish,
    secret,
    setUpTransform,
    setUpByteTransform,
  },
};
