// ByteTransform is a transform of the platform's own between bytes and bytes (compression): writes never wait, what has
// come out is kept in one piece until somebody reads, and the readable side is a byte stream.
class ByteTransform {
  constructor({ run, flush }) {
    this.run = run;
    this.flush = flush;
    this.out = new Queue();
    this.size = 0;
    this.ended = false;
    // wake is called when a read waits for output.
    this.wake = null;
    this.emit = (bytes) => {
      this.out.push(bytes);
      this.size += taLength(bytes);
    };
    this.writable = newWritable({
      write: (chunk) => this.step(() => {
        if (!isView(chunk)) throw new TypeError(notBytesText);
        this.run(chunk, this.emit);
      }),
      close: () => this.step(() => {
        this.flush(this.emit);
        this.ended = true;
      }),
      abort: (reason) => {
        this.readable.control.fail(reason);
        return resolved(undefined);
      },
    });
    this.writable.expectsBytes = true;
    this.writable.own = (chunk) => ownBytes(chunk) ?? chunk;
    this.readable = newByteReadable({
      pull: () => this.pull(),
      cancel: (reason) => {
        this.writable.control.errorIfNeeded(reason);
        this.out.clear();
        return resolved(undefined);
      },
    });
    this.readable.control.begin();
    this.readable.cancelFailsReads = true;
  }

  // step runs a part of the transform; what it throws fails both sides.
  step(f) {
    try {
      f();
    } catch (e) {
      this.readable.control.fail(e);
      return rejected(e);
    }
    const { wake } = this;
    if (wake !== null && (this.size > 0 || this.ended)) {
      this.wake = null;
      this.deliver();
      wake();
    } else if (this.ended && this.size === 0) {
      this.readable.control.finish();
    }
    return resolved(undefined);
  }

  pull() {
    if (this.size > 0 || this.ended) {
      this.deliver();
      return resolved(undefined);
    }
    const promise = pending();
    this.wake = () => resolveWith(promise, undefined);
    return promise;
  }

  deliver() {
    const { control } = this.readable;
    if (this.size > 0) {
      const parts = this.out.take();
      let whole = parts[0];
      if (parts.length > 1) {
        whole = new Bytes(new ArrayBuffer(this.size));
        let at = 0;
        for (const p of parts) {
          copyBytes(taBuffer(whole), at, taBuffer(p), taOffset(p), taLength(p));
          at += taLength(p);
        }
      }
      this.size = 0;
      if (control.isOpen()) control.enqueue(whole);
    }
    if (this.ended) control.finish();
  }
}

// setUpByteTransform is setUpTransform for bytes; run gets a Uint8Array of its own.
function setUpByteTransform(t, algorithms) {
  const b = new ByteTransform(algorithms);
  t.readable = b.readable;
  t.writable = b.writable;
}
