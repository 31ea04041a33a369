// ReadableStream.tee (https://streams.spec.whatwg.org/#abstract-opdef-readablestreamtee).

function tee(s) {
  if (s.native !== null) {
    const parts = native.tee(s);
    if (parts !== null) return parts;
  }
  return s.control instanceof ByteControl ? teeBytes(s) : teeDefault(s);
}

// TeeCancel joins the cancellations of two branches: the source is cancelled once both are. It hears the reason of the
// second only, as on the platform; the standard has both in an array.
class TeeCancel {
  constructor(s) {
    this.source = s;
    this.done = [false, false];
    this.result = new Deferred();
  }

  branch(i) {
    return (reason) => {
      this.done[i] = true;
      if (this.done[1 - i]) this.result.resolve(this.source.cancel(reason));
      return this.result.promise;
    };
  }

  settle() {
    if (!this.done[0] || !this.done[1]) this.result.resolve(undefined);
  }
}

function teeDefault(s) {
  const reader = acquireReader(s);
  const cancel = new TeeCancel(s);
  const branches = [];
  let reading = false;
  let again = false;
  const each = (f) => {
    for (let i = 0; i < 2; i++) if (!cancel.done[i]) f(branches[i].control);
  };
  const pull = () => {
    if (reading) {
      again = true;
      return resolved(undefined);
    }
    reading = true;
    reader.read({
      chunk: (chunk) => microtask(() => {
        again = false;
        each((c) => c.enqueue(chunk));
        reading = false;
        if (again) pull();
      }),
      close: () => {
        reading = false;
        each((c) => c.close());
        cancel.settle();
      },
      error: () => {
        reading = false;
      },
    });
    return resolved(undefined);
  };
  for (let i = 0; i < 2; i++) {
    branches[i] = newReadable({ pull, cancel: cancel.branch(i) });
    branches[i].expectedLength = s.expectedLength;
  }
  promiseThen(reader.closedPromise, undefined, (e) => {
    for (const b of branches) b.control.fail(e);
    cancel.settle();
  });
  return branches;
}

function teeBytes(s) {
  let reader = acquireReader(s);
  const cancel = new TeeCancel(s);
  const branches = [];
  const again = [false, false];
  let reading = false;

  const watch = (r) => promiseThen(r.closedPromise, undefined, (e) => {
    if (r !== reader) return;
    for (const b of branches) b.control.fail(e);
    cancel.settle();
  });
  const use = (byob) => {
    if (reader.byob === byob) return;
    reader.release();
    reader = new Reader(s, byob);
    watch(reader);
  };
  const fail = (e) => {
    for (const b of branches) b.control.fail(e);
    cancel.result.resolve(s.cancel(e));
  };
  const continuePulling = () => {
    reading = false;
    if (again[0]) pull(0);
    else if (again[1]) pull(1);
  };

  const pullDefault = () => {
    use(false);
    reader.read({
      chunk: (chunk) => microtask(() => {
        again[0] = again[1] = false;
        let second = chunk;
        if (!cancel.done[0] && !cancel.done[1]) {
          try {
            second = cloneChunk(chunk);
          } catch (e) {
            fail(e);
            return;
          }
        }
        if (!cancel.done[0]) branches[0].control.enqueue(chunk);
        if (!cancel.done[1]) branches[1].control.enqueue(second);
        continuePulling();
      }),
      close: () => {
        reading = false;
        for (let i = 0; i < 2; i++) if (!cancel.done[i]) branches[i].control.close();
        for (const b of branches) if (b.control.pullIntos.length > 0) b.control.respond(0);
        cancel.settle();
      },
      error: () => {
        reading = false;
      },
    });
  };

  const pullByob = (view, i) => {
    use(true);
    const mine = branches[i].control;
    const other = branches[1 - i].control;
    byobReadInto(reader, view, 1, {
      chunk: (chunk) => microtask(() => {
        again[0] = again[1] = false;
        const mineGone = cancel.done[i];
        if (!cancel.done[1 - i]) {
          let copy;
          try {
            copy = cloneChunk(chunk);
          } catch (e) {
            fail(e);
            return;
          }
          if (!mineGone) mine.respondWithNewView(chunk);
          other.enqueue(copy);
        } else if (!mineGone) {
          mine.respondWithNewView(chunk);
        }
        continuePulling();
      }),
      close: (chunk) => {
        reading = false;
        const mineGone = cancel.done[i];
        const otherGone = cancel.done[1 - i];
        if (!mineGone) mine.close();
        if (!otherGone) other.close();
        if (chunk !== undefined) {
          if (!mineGone) mine.respondWithNewView(chunk);
          if (!otherGone && other.pullIntos.length > 0) other.respond(0);
        }
        cancel.settle();
      },
      error: () => {
        reading = false;
      },
    });
  };

  const pull = (i) => {
    if (reading) {
      again[i] = true;
      return resolved(undefined);
    }
    reading = true;
    const request = branches[i].control.byobRequest();
    if (request === null) pullDefault();
    else pullByob(request.view, i);
    return resolved(undefined);
  };

  for (let i = 0; i < 2; i++) {
    branches[i] = newByteReadable({ pull: () => pull(i), cancel: cancel.branch(i) });
    branches[i].expectedLength = s.expectedLength;
  }
  watch(reader);
  return branches;
}

function cloneChunk(view) {
  const length = viewLength(view);
  const copy = new ArrayBuffer(length);
  copyBytes(copy, 0, viewBuffer(view), viewOffset(view), length);
  return new Bytes(copy);
}
