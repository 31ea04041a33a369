// The algorithms of ReadableByteStreamController (https://streams.spec.whatwg.org/#rbs-controller-abstract-ops). The
// queue holds windows { buffer, offset, length } on buffers that the stream owns.

// autoAllocateSize has a default where the standard has none; the flag takes it away.
function autoAllocateSize(v) {
  if (v === undefined) return native.enabled('streams_no_default_auto_allocate_chunk_size') ? undefined : 4096;
  const n = integer(v);
  if (n <= 0) throw new TypeError('The autoAllocateChunkSize option cannot be zero.');
  return n;
}

class ByteControl {
  constructor(stream, { pull, cancel, drained, highWaterMark, autoAllocate }) {
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
    this.autoAllocate = autoAllocate;
    this.pull = pull;
    this.cancelAlgorithm = cancel;
    // drained hears that a read has emptied the queue.
    this.drained = drained;
    this.pullIntos = new Queue();
    this.request = null;
  }

  wrap() {
    return this.object ?? new ReadableByteStreamController(secret, this);
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

  forget() {
    this.pull = this.cancelAlgorithm = undefined;
  }

  clearQueue() {
    this.queue.clear();
    this.total = 0;
  }

  clearPullIntos() {
    this.invalidateRequest();
    this.pullIntos.clear();
  }

  invalidateRequest() {
    if (this.request === null) return;
    this.request.control = null;
    this.request.view = null;
    this.request = null;
  }

  fail(e) {
    if (this.stream.state !== 'readable') return;
    this.clearPullIntos();
    this.clearQueue();
    this.forget();
    this.stream.fail(e);
  }

  close() {
    if (!this.isOpen()) return;
    if (this.total > 0) {
      this.closeRequested = true;
      return;
    }
    if (this.pullIntos.length > 0) {
      const first = this.pullIntos.peek();
      if (first.filled % first.elementSize !== 0) {
        const e = new TypeError('This ReadableStream was closed with a partial read pending.');
        this.fail(e);
        throw e;
      }
    }
    this.forget();
    this.stream.close();
  }

  // finish closes and answers the reads that wait with a buffer, which in the standard is left to the source. A read
  // that got less than its minimum ends with what it got, and only the next one hears of the end.
  finish() {
    if (!this.isOpen()) return;
    if (this.total === 0 && this.pullIntos.length > 0 && this.stream.waiting() > 0) {
      const first = this.pullIntos.peek();
      if (first.readerType === 'byob' && first.filled > 0) {
        this.pullIntos.shift();
        this.invalidateRequest();
        this.commit(first);
      }
    }
    this.close();
    if (this.pullIntos.length > 0 && this.stream.state === 'closed') this.respond(0);
  }

  // byobRequest is the request for the oldest waiting buffer.
  byobRequest() {
    if (this.request === null && this.pullIntos.length > 0) {
      const first = this.pullIntos.peek();
      this.request = {
        control: this,
        view: new Bytes(first.buffer, first.offset + first.filled, first.length - first.filled),
        // atLeast is how many bytes are missing for the read to end: workerd's extension.
        atLeast: max(first.minimum - first.filled, 1),
        object: null,
      };
    }
    return this.request;
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
    const { stream } = this;
    if (stream.state !== 'readable' || this.closeRequested || !this.started) return false;
    return stream.waiting() > 0 || this.highWaterMark - this.total > 0;
  }

  // enqueue takes a view and owns its buffer from then on.
  enqueue(view) {
    if (!this.isOpen()) return;
    const buffer = viewBuffer(view);
    const offset = viewOffset(view);
    const length = viewLength(view);
    const owned = transfer(buffer);
    if (this.pullIntos.length > 0) {
      const first = this.pullIntos.peek();
      this.invalidateRequest();
      first.buffer = transfer(first.buffer);
      if (first.readerType === 'none') this.enqueueDetached(first);
    }
    this.enqueueOwned(owned, offset, length);
  }

  // enqueueOwned is enqueue for a buffer nobody else has.
  enqueueOwned(buffer, offset, length) {
    const { stream } = this;
    if (stream.reader !== null && !stream.reader.byob) {
      this.feedRequests();
      if (stream.waiting() === 0) {
        this.put(buffer, offset, length);
      } else {
        if (this.pullIntos.length > 0) this.pullIntos.shift();
        stream.fulfill(new Bytes(buffer, offset, length), false);
      }
    } else if (stream.hasByobReader()) {
      this.put(buffer, offset, length);
      for (const p of this.fillFromQueue()) this.commit(p);
    } else {
      this.put(buffer, offset, length);
    }
    this.pullIfNeeded();
  }

  // takesAll tells whether the read that waits would take n more bytes and leave none in the queue.
  takesAll(n) {
    const { stream } = this;
    if (stream.waiting() === 0 || this.total > 0) return false;
    return !stream.hasByobReader() || n <= this.pullIntos.peek().length - this.pullIntos.peek().filled;
  }

  put(buffer, offset, length) {
    this.queue.push({ buffer, offset, length });
    this.total += length;
  }

  // enqueueDetached moves what was filled for a reader that has gone into the queue.
  enqueueDetached(p) {
    if (p.filled > 0) this.putCopy(p.buffer, p.offset, p.filled);
    this.pullIntos.shift();
    this.invalidateRequest();
  }

  putCopy(buffer, offset, length) {
    const copy = new ArrayBuffer(length);
    copyBytes(copy, 0, buffer, offset, length);
    this.put(copy, 0, length);
  }

  // takeChunk takes what the next default read gets: one window, or several small ones in one piece if the source has
  // buffers allocated for it, as a read then fills one of those.
  takeChunk() {
    const head = this.queue.shift();
    this.total -= head.length;
    const limit = this.autoAllocate ?? 0;
    if (this.queue.length === 0 || head.length + this.queue.peek().length > limit) {
      return new Bytes(head.buffer, head.offset, head.length);
    }
    const buffer = new ArrayBuffer(min(limit, head.length + this.total));
    copyBytes(buffer, 0, head.buffer, head.offset, head.length);
    let at = head.length;
    while (this.queue.length > 0 && at + this.queue.peek().length <= limit) {
      const w = this.queue.shift();
      copyBytes(buffer, at, w.buffer, w.offset, w.length);
      at += w.length;
      this.total -= w.length;
    }
    return new Bytes(buffer, 0, at);
  }

  // takeRest takes everything that is queued, in one piece; null if nothing is.
  takeRest() {
    if (this.total === 0) return null;
    const buffer = new ArrayBuffer(this.total);
    let at = 0;
    for (const w of this.queue.take()) {
      copyBytes(buffer, at, w.buffer, w.offset, w.length);
      at += w.length;
    }
    this.total = 0;
    this.handleDrain();
    return new Bytes(buffer);
  }

  // feedRequests answers waiting default reads from the queue.
  feedRequests() {
    const { stream } = this;
    while (stream.waiting() > 0 && this.total > 0) stream.reader.requests.shift().chunk(this.next());
  }

  // hasChunk tells whether a default read can be answered at once, by next.
  hasChunk() {
    return this.total > 0;
  }

  next() {
    const chunk = this.takeChunk();
    this.handleDrain();
    return chunk;
  }

  handleDrain() {
    if (this.total === 0 && this.drained !== undefined) this.drained();
    if (this.total === 0 && this.closeRequested) {
      this.forget();
      this.stream.close();
    } else {
      this.pullIfNeeded();
    }
  }

  cancelSteps(reason) {
    this.clearPullIntos();
    this.clearQueue();
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
    const size = this.autoAllocate;
    if (size !== undefined) {
      let buffer;
      try {
        buffer = new ArrayBuffer(size);
      } catch (e) {
        request.error(e);
        return;
      }
      this.pullIntos.push(new PullInto(buffer, 0, size, 1, 'Uint8Array', 'default'));
    }
    this.stream.reader.requests.push(request);
    this.pullIfNeeded();
  }

  releaseSteps() {
    if (this.pullIntos.length === 0) return;
    const first = this.pullIntos.peek();
    first.readerType = 'none';
    this.pullIntos.clear();
    this.pullIntos.push(first);
  }

  // pullInto is ReadableByteStreamControllerPullInto; least is in bytes and rounded up to whole elements.
  pullInto(view, least, request) {
    const { stream } = this;
    const kind = kindOf(view);
    const size = elementSizes[kind];
    const offset = viewOffset(view);
    const length = viewLength(view);
    let buffer;
    try {
      buffer = transfer(viewBuffer(view));
    } catch (e) {
      request.error(e);
      return;
    }
    const p = new PullInto(buffer, offset, length, Math.ceil(least / size) * size, kind, 'byob');
    if (this.pullIntos.length > 0) {
      this.pullIntos.push(p);
      stream.reader.requests.push(request);
      return;
    }
    if (stream.state === 'closed') {
      request.close(p.viewOf(0));
      return;
    }
    if (this.total > 0) {
      if (this.fill(p) || this.closeRequested) {
        p.buffer = transfer(p.buffer);
        const filled = p.view();
        this.handleDrain();
        request.chunk(filled);
        return;
      }
    }
    this.pullIntos.push(p);
    stream.reader.requests.push(request);
    this.pullIfNeeded();
  }

  // fill copies from the queue into p and tells whether p has what it needs. What is beyond the last whole element
  // stays queued.
  fill(p) {
    const limit = min(this.total, p.length - p.filled);
    let todo = limit;
    const reach = p.filled + limit;
    const aligned = reach - (reach % p.elementSize);
    let ready = false;
    if (aligned >= p.minimum) {
      todo = aligned - p.filled;
      ready = true;
    }
    while (todo > 0) {
      const head = this.queue.peek();
      const n = min(todo, head.length);
      copyBytes(p.buffer, p.offset + p.filled, head.buffer, head.offset, n);
      if (head.length === n) {
        this.queue.shift();
      } else {
        head.offset += n;
        head.length -= n;
      }
      this.total -= n;
      p.filled += n;
      todo -= n;
    }
    return ready;
  }

  // fillFromQueue fills waiting buffers and answers with the finished ones: they are committed only afterwards, as
  // that runs code of the reader.
  fillFromQueue() {
    const done = [];
    while (this.pullIntos.length > 0 && this.total > 0) {
      const p = this.pullIntos.peek();
      if (!this.fill(p)) break;
      this.pullIntos.shift();
      this.invalidateRequest();
      done[done.length] = p;
    }
    return done;
  }

  commit(p) {
    const { stream } = this;
    if (stream.waiting() === 0) return;
    const done = stream.state === 'closed';
    p.buffer = transfer(p.buffer);
    const view = p.view();
    stream.fulfill(view, done);
  }

  // respond is ReadableByteStreamControllerRespond.
  respond(n) {
    const first = this.pullIntos.peek();
    if (this.stream.state === 'closed') {
      if (n !== 0) throw new TypeError('The bytesWritten must be zero after the stream is closed.');
    } else {
      if (n <= 0) throw new TypeError('The bytesWritten must be more than zero while the stream is open.');
      if (first.filled + n > first.length) {
        throw new RangeError(`Too many bytes [${n}] in response to a BYOB read request.`);
      }
    }
    first.buffer = transfer(first.buffer);
    this.respondInternal(n);
  }

  // reclaim takes back the buffer of the oldest read, which went out through byobRequest and holds nothing new.
  reclaim(buffer) {
    this.pullIntos.peek().buffer = transfer(buffer);
    this.invalidateRequest();
  }

  // respondWithNewView is ReadableByteStreamControllerRespondWithNewView.
  respondWithNewView(view) {
    const first = this.pullIntos.peek();
    const length = viewLength(view);
    const offset = viewOffset(view);
    const buffer = viewBuffer(view);
    if (this.stream.state === 'closed') {
      if (length !== 0) throw new TypeError('The view byte length must be zero after the stream is closed.');
    } else if (length === 0) {
      throw new TypeError('The view byte length must be more than zero while the stream is open.');
    }
    if (first.offset + first.filled !== offset) throw new RangeError('The view has an invalid byte offset.');
    if (first.bufferLength !== bufferLength(buffer)) {
      throw new RangeError('The underlying ArrayBuffer is not the correct length.');
    }
    if (first.filled + length > first.length) throw new RangeError('The view is not the correct length.');
    first.buffer = transfer(buffer);
    // The read ends with a view of the class that the source answered with.
    if (this.stream.state === 'readable' && first.filled === 0 && first.readerType === 'byob') first.become(
      kindOf(view));
    this.respondInternal(length);
  }

  respondInternal(n) {
    const first = this.pullIntos.peek();
    this.invalidateRequest();
    if (this.stream.state === 'closed') this.respondClosed(first);
    else this.respondReadable(n, first);
    this.pullIfNeeded();
  }

  respondClosed(first) {
    if (first.readerType === 'none') this.pullIntos.shift();
    if (!this.stream.hasByobReader()) return;
    const done = [];
    while (done.length < this.stream.waiting()) done[done.length] = this.pullIntos.shift();
    for (const p of done) this.commit(p);
  }

  respondReadable(n, first) {
    first.filled += n;
    if (first.readerType === 'none') {
      this.enqueueDetached(first);
      for (const p of this.fillFromQueue()) this.commit(p);
      return;
    }
    if (first.filled < first.minimum) return;
    this.pullIntos.shift();
    const rest = first.filled % first.elementSize;
    if (rest > 0) this.putCopy(first.buffer, first.offset + first.filled - rest, rest);
    first.filled -= rest;
    const done = this.fillFromQueue();
    this.commit(first);
    for (const p of done) this.commit(p);
  }
}
