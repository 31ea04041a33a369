// ReadableStream.tee (https://streams.spec.whatwg.org/#abstract-opdef-readablestreamtee).

function tee(s) {
  if (s.native !== null) {
    const parts = native.tee(s);
    if (parts !== null) return parts;
  }
  return s.control instanceof ByteControl ? teeBytes(s) : teeDefault(s);
}

// TeeCancel joins the cancellations of two branches: the source is cancelled once both are. The first is done at once
// and the source hears the reason of the second only, as on the platform; in the standard the first waits, and the
// source hears both.
class TeeCancel {
  constructor(s) {
    this.source = s;
    this.done = [false, false];
  }

  branch(i) {
    return (reason) => {
      this.done[i] = true;
      return this.done[1 - i] ? this.source.cancel(reason) : resolved(undefined);
    };
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
  react(reader.closedPromise, undefined, (e) => {
    for (const b of branches) b.control.fail(e);
  });
  for (const b of branches) b.control.begin();
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
  });
  const use = (byob) => {
    if (reader.byob === byob) return;
    reader.release();
    reader = new Reader(s, byob);
    watch(reader);
  };
  const fail = (e) => {
    for (const b of branches) b.control.fail(e);
    handled(s.cancel(e));
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
        for (let i = 0; i < 2; i++) if (!cancel.done[i]) branches[i].control.finish();
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
        const otherGone = cancel.done[1 - i];
        // What the source has ready beyond this buffer goes along: the other branch may have room for more.
        const rest = s.control.takeRest();
        let copy;
        try {
          if (!otherGone) copy = cloneChunk(chunk, rest);
        } catch (e) {
          fail(e);
          return;
        }
        if (!mineGone) {
          mine.respondWithNewView(chunk);
          if (rest !== null) mine.enqueue(rest);
        }
        if (!otherGone) other.enqueue(copy);
        continuePulling();
      }),
      close: (chunk) => {
        reading = false;
        const mineGone = cancel.done[i];
        const otherGone = cancel.done[1 - i];
        if (chunk !== undefined && !mineGone) mine.reclaim(viewBuffer(chunk));
        if (!mineGone) mine.finish();
        if (!otherGone) other.finish();
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
  for (const b of branches) b.control.begin();
  return branches;
}

// cloneChunk copies a view, and rest behind it if there is one.
function cloneChunk(view, rest = null) {
  const length = viewLength(view);
  const more = rest === null ? 0 : taLength(rest);
  const copy = new ArrayBuffer(length + more);
  copyBytes(copy, 0, viewBuffer(view), viewOffset(view), length);
  if (more > 0) copyBytes(copy, length, taBuffer(rest), 0, more);
  return new Bytes(copy);
}
