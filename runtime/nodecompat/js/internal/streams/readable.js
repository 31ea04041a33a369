// Readable: what _read pushed waits in a buffer until it is read or flows.
(function (require, module) {
  "use strict";
  const { Stream } = require("internal/streams/legacy");
  const EventEmitter = require("events");
  const destroyImpl = require("internal/streams/destroy");
  const { highWaterMark } = require("internal/streams/state");
  const { codes, AbortError } = require("internal/errors");
  const { Buffer } = require("buffer");
  const { StringDecoder } = require("string_decoder");
  const { errorOrDestroy } = destroyImpl;
  const kPaused = Symbol("kPaused");

  class ReadableState {
    constructor(options, stream, isDuplex) {
      this.objectMode = !!(options?.objectMode || (isDuplex && options?.readableObjectMode));
      this.highWaterMark = highWaterMark(this, options, "readableHighWaterMark", isDuplex);
      this.buffer = [];
      this.length = 0;
      this.pipes = [];
      this.flowing = null;
      this.ended = this.endEmitted = this.reading = false;
      this.constructed = this.sync = true;
      this.needReadable = this.emittedReadable = this.readableListening = this.resumeScheduled = false;
      this.errorEmitted = false;
      this.emitClose = options?.emitClose !== false;
      this.autoDestroy = options?.autoDestroy !== false;
      this.destroyed = false;
      this.errored = null;
      this.closed = this.closeEmitted = false;
      this.defaultEncoding = options?.defaultEncoding || "utf8";
      this.awaitDrainWriters = new Set();
      this.readingMore = this.dataEmitted = false;
      this.decoder = this.encoding = null;
      this[kPaused] = null;
      if (options?.encoding) {
        this.decoder = new StringDecoder(options.encoding);
        this.encoding = options.encoding;
      }
    }
    get paused() {
      return this[kPaused] === true;
    }
    set paused(v) {
      this[kPaused] = !!v;
    }
    get pipesCount() {
      return this.pipes.length;
    }
  }

  function Readable(options) {
    if (!(this instanceof Readable)) return new Readable(options);
    const isDuplex = this instanceof require("internal/streams/duplex");
    if (!this._readableState) this._readableState = new ReadableState(options, this, isDuplex);
    if (options) {
      if (typeof options.read === "function") this._read = options.read;
      if (typeof options.destroy === "function") this._destroy = options.destroy;
      if (typeof options.construct === "function") this._construct = options.construct;
      if (options.signal && !isDuplex) require("internal/streams/abort").addAbortSignal(options.signal, this);
    }
    Stream.call(this, options);
    destroyImpl.construct(this, () => {
      if (this._readableState.needReadable) maybeReadMore(this, this._readableState);
    });
  }
  Object.setPrototypeOf(Readable.prototype, Stream.prototype);
  Object.setPrototypeOf(Readable, Stream);
  Readable.ReadableState = ReadableState;

  // add takes a chunk in; false tells the source to wait.
  function add(stream, chunk, encoding, front) {
    const state = stream._readableState;
    let err;
    if (!state.objectMode) {
      if (typeof chunk === "string") {
        encoding = encoding || state.defaultEncoding;
        if (state.encoding !== encoding) {
          if (front && state.encoding) chunk = Buffer.from(chunk, encoding).toString(state.encoding);
          else {
            chunk = Buffer.from(chunk, encoding);
            encoding = "";
          }
        }
      } else if (chunk instanceof Buffer) encoding = "";
      else if (ArrayBuffer.isView(chunk)) {
        chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        encoding = "";
      } else if (chunk != null) err = new codes.ERR_INVALID_ARG_TYPE(
        "chunk", ["string", "Buffer", "TypedArray", "DataView"], chunk);
    }
    if (err) errorOrDestroy(stream, err);
    else if (chunk === null) {
      state.reading = false;
      onEof(stream, state);
    } else if (state.objectMode || (chunk && chunk.length > 0)) {
      if (front) {
        if (state.endEmitted) errorOrDestroy(stream, new codes.ERR_STREAM_UNSHIFT_AFTER_END_EVENT());
        else if (state.destroyed || state.errored) return false;
        else enqueue(stream, state, chunk, true);
      } else if (state.ended) errorOrDestroy(stream, new codes.ERR_STREAM_PUSH_AFTER_EOF());
      else if (state.destroyed || state.errored) return false;
      else {
        state.reading = false;
        if (state.decoder && !encoding) {
          chunk = state.decoder.write(chunk);
          if (state.objectMode || chunk.length !== 0) enqueue(stream, state, chunk, false);
          else maybeReadMore(stream, state);
        } else enqueue(stream, state, chunk, false);
      }
    } else if (!front) {
      state.reading = false;
      maybeReadMore(stream, state);
    }
    return !state.ended && (state.length < state.highWaterMark || state.length === 0);
  }

  function enqueue(stream, state, chunk, front) {
    if (state.flowing && state.length === 0 && !state.sync && stream.listenerCount("data") > 0) {
      state.awaitDrainWriters.clear();
      state.dataEmitted = true;
      stream.emit("data", chunk);
    } else {
      state.length += state.objectMode ? 1 : chunk.length;
      if (front) state.buffer.unshift(chunk);
      else state.buffer.push(chunk);
      if (state.needReadable) emitReadable(stream);
    }
    maybeReadMore(stream, state);
  }

  function onEof(stream, state) {
    if (state.ended) return;
    if (state.decoder) {
      const rest = state.decoder.end();
      if (rest && rest.length) {
        state.buffer.push(rest);
        state.length += state.objectMode ? 1 : rest.length;
      }
    }
    state.ended = true;
    if (state.sync) emitReadable(stream);
    else {
      state.needReadable = false;
      state.emittedReadable = true;
      emitReadableNow(stream);
    }
  }

  function emitReadable(stream) {
    const state = stream._readableState;
    state.needReadable = false;
    if (state.emittedReadable) return;
    state.emittedReadable = true;
    queueMicrotask(() => emitReadableNow(stream));
  }
  function emitReadableNow(stream) {
    const state = stream._readableState;
    if (!state.destroyed && !state.errored && (state.length || state.ended)) {
      stream.emit("readable");
      state.emittedReadable = false;
    }
    state.needReadable = !state.flowing && !state.ended && state.length <= state.highWaterMark;
    flow(stream);
  }

  function maybeReadMore(stream, state) {
    if (state.readingMore || !state.constructed) return;
    state.readingMore = true;
    queueMicrotask(() => {
      while (!state.reading && !state.ended &&
        (state.length < state.highWaterMark || (state.flowing && state.length === 0))) {
        const before = state.length;
        stream.read(0);
        if (before === state.length) break;
      }
      state.readingMore = false;
    });
  }

  function howMuch(n, state) {
    if (n <= 0 || (state.length === 0 && state.ended)) return 0;
    if (state.objectMode) return 1;
    if (Number.isNaN(n)) {
      if (state.flowing && state.length) return state.buffer[0].length;
      return state.length;
    }
    if (n <= state.length) return n;
    return state.ended ? state.length : 0;
  }

  function take(n, state) {
    if (state.length === 0) return null;
    const { buffer } = state;
    if (state.objectMode) return buffer.shift();
    if (!n || n >= state.length) {
      if (buffer.length === 1) return buffer.shift();
      const all = buffer.splice(0);
      return state.decoder || typeof all[0] === "string" ? all.join("") : Buffer.concat(all, state.length);
    }
    const parts = [];
    let left = n;
    while (left > 0) {
      const first = buffer[0];
      if (first.length <= left) {
        parts.push(buffer.shift());
        left -= first.length;
      } else {
        parts.push(first.slice(0, left));
        buffer[0] = first.slice(left);
        left = 0;
      }
    }
    if (parts.length === 1) return parts[0];
    return typeof parts[0] === "string" ? parts.join("") : Buffer.concat(parts);
  }

  function endReadable(stream) {
    const state = stream._readableState;
    if (state.endEmitted) return;
    state.ended = true;
    queueMicrotask(() => {
      if (state.errored || state.closeEmitted || state.endEmitted || state.length !== 0) return;
      state.endEmitted = true;
      stream.emit("end");
      const w = stream._writableState;
      if (stream.writable && stream.allowHalfOpen === false) {
        queueMicrotask(() => {
          if (stream.writable && !stream.writableEnded && !stream.destroyed) stream.end();
        });
      } else if (state.autoDestroy && (!w || (w.autoDestroy && (w.finished || w.writable === false)))) stream.destroy();
    });
  }

  function flow(stream) {
    const state = stream._readableState;
    while (state.flowing && stream.read() !== null);
  }

  function updateListening(stream) {
    const state = stream._readableState;
    state.readableListening = stream.listenerCount("readable") > 0;
    if (state.resumeScheduled && state[kPaused] === false) state.flowing = true;
    else if (stream.listenerCount("data") > 0) stream.resume();
    else if (!state.readableListening) state.flowing = null;
  }

  const methods = {
    destroy: destroyImpl.destroy,
    _undestroy: destroyImpl.undestroy,
    _destroy(err, callback) {
      callback(err);
    },
    push(chunk, encoding) {
      return add(this, chunk, encoding, false);
    },
    unshift(chunk, encoding) {
      return add(this, chunk, encoding, true);
    },
    isPaused() {
      return this._readableState[kPaused] === true || this._readableState.flowing === false;
    },
    setEncoding(encoding) {
      const state = this._readableState;
      const decoder = new StringDecoder(encoding);
      state.decoder = decoder;
      state.encoding = decoder.encoding;
      let content = "";
      for (const data of state.buffer) content += decoder.write(data);
      state.buffer = content === "" ? [] : [content];
      state.length = content.length;
      return this;
    },
    read(n) {
      n = n === undefined ? NaN : Number.isInteger(n) ? n : Number.parseInt(n, 10);
      const state = this._readableState;
      const wanted = n;
      if (n > state.highWaterMark) state.highWaterMark = 2 ** Math.ceil(Math.log2(n));
      if (n !== 0) state.emittedReadable = false;
      if (n === 0 && state.needReadable &&
        ((state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0) || state.ended)) {
        if (state.length === 0 && state.ended) endReadable(this);
        else emitReadable(this);
        return null;
      }
      n = howMuch(n, state);
      if (n === 0 && state.ended) {
        if (state.length === 0) endReadable(this);
        return null;
      }
      let more = state.needReadable;
      if (state.length === 0 || state.length - n < state.highWaterMark) more = true;
      if (state.ended || state.reading || state.destroyed || state.errored || !state.constructed) more = false;
      else if (more) {
        state.reading = true;
        state.sync = true;
        if (state.length === 0) state.needReadable = true;
        try {
          this._read(state.highWaterMark);
        } catch (err) {
          errorOrDestroy(this, err);
        }
        state.sync = false;
        if (!state.reading) n = howMuch(wanted, state);
      }
      const ret = n > 0 ? take(n, state) : null;
      if (ret === null) {
        state.needReadable = state.length <= state.highWaterMark;
        n = 0;
      } else {
        state.length -= state.objectMode ? 1 : ret.length;
        state.awaitDrainWriters.clear();
      }
      if (state.length === 0) {
        if (!state.ended) state.needReadable = true;
        if (wanted !== n && state.ended) endReadable(this);
      }
      if (ret !== null && !state.errored && !state.closeEmitted) {
        state.dataEmitted = true;
        this.emit("data", ret);
      }
      return ret;
    },
    _read() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("_read()");
    },
    pipe(dest, options) {
      return require("internal/streams/pipe").pipe(this, dest, options);
    },
    unpipe(dest) {
      const state = this._readableState;
      if (state.pipes.length === 0) return this;
      if (!dest) {
        const dests = state.pipes;
        state.pipes = [];
        this.pause();
        for (const d of dests) d.emit("unpipe", this, { hasUnpiped: false });
        return this;
      }
      const at = state.pipes.indexOf(dest);
      if (at === -1) return this;
      state.pipes.splice(at, 1);
      if (state.pipes.length === 0) this.pause();
      dest.emit("unpipe", this, { hasUnpiped: false });
      return this;
    },
    on(event, fn) {
      const res = Stream.prototype.on.call(this, event, fn);
      const state = this._readableState;
      if (event === "data") {
        state.readableListening = this.listenerCount("readable") > 0;
        if (state.flowing !== false) this.resume();
      } else if (event === "readable" && !state.endEmitted && !state.readableListening) {
        state.readableListening = state.needReadable = true;
        state.flowing = false;
        state.emittedReadable = false;
        if (state.length) emitReadable(this);
        else if (!state.reading) queueMicrotask(() => this.read(0));
      }
      return res;
    },
    removeListener(event, fn) {
      const res = Stream.prototype.removeListener.call(this, event, fn);
      if (event === "readable") queueMicrotask(() => updateListening(this));
      return res;
    },
    removeAllListeners(event) {
      const res = Stream.prototype.removeAllListeners.apply(this, arguments);
      if (event === "readable" || event === undefined) queueMicrotask(() => updateListening(this));
      return res;
    },
    resume() {
      const state = this._readableState;
      if (!state.flowing) {
        state.flowing = !state.readableListening;
        if (!state.resumeScheduled) {
          state.resumeScheduled = true;
          queueMicrotask(() => {
            if (!state.reading) this.read(0);
            state.resumeScheduled = false;
            this.emit("resume");
            flow(this);
            if (state.flowing && !state.reading) this.read(0);
          });
        }
      }
      state[kPaused] = false;
      return this;
    },
    pause() {
      const state = this._readableState;
      if (state.flowing !== false) {
        state.flowing = false;
        this.emit("pause");
      }
      state[kPaused] = true;
      return this;
    },
    wrap(stream) {
      let paused = false;
      stream.on("data", (chunk) => {
        if (!this.push(chunk) && stream.pause) {
          paused = true;
          stream.pause();
        }
      });
      stream.on("end", () => this.push(null));
      stream.on("error", (err) => errorOrDestroy(this, err));
      stream.on("close", () => this.destroy());
      stream.on("destroy", () => this.destroy());
      this._read = () => {
        if (paused && stream.resume) {
          paused = false;
          stream.resume();
        }
      };
      for (const name of Object.keys(stream)) {
        if (this[name] === undefined && typeof stream[name] === "function") this[name] = stream[name].bind(stream);
      }
      return this;
    },
    [EventEmitter.captureRejectionSymbol](err) {
      this.destroy(err);
    },
    [Symbol.asyncIterator]() {
      return require("internal/streams/iterate").iterate(this);
    },
    iterator(options) {
      if (options !== undefined) require("internal/validators").validateObject(options, "options");
      return require("internal/streams/iterate").iterate(this, options);
    },
  };
  for (const key of Reflect.ownKeys(methods)) Readable.prototype[key] = methods[key];
  Readable.prototype.addListener = Readable.prototype.on;
  Readable.prototype.off = Readable.prototype.removeListener;
  if (Symbol.asyncDispose) {
    Readable.prototype[Symbol.asyncDispose] = async function () {
      if (!this.destroyed) this.destroy(this.readableEnded ? null : new AbortError());
      await new Promise((resolve, reject) =>
        require("internal/streams/finished").finished(
        this, (err) => (err && err.name !== "AbortError" ? reject(err) : resolve(null))));
    };
  }

  const getters = {
    readableDidRead: (r) => r.dataEmitted,
    readableAborted: (r) => r.readable !== false && (r.destroyed || !!r.errored) && !r.endEmitted,
    readableHighWaterMark: (r) => r.highWaterMark,
    readableBuffer: (r) => r.buffer,
    readableLength: (r) => r.length,
    readableObjectMode: (r) => r.objectMode,
    readableEncoding: (r) => r.encoding,
    readableEnded: (r) => r.endEmitted,
    errored: (r) => r.errored,
    closed: (r) => r.closed,
  };
  for (const [name, get] of Object.entries(getters)) {
    Object.defineProperty(Readable.prototype, name,
      { configurable: true, get() { return this._readableState ? get(this._readableState) : undefined; } });
  }
  Object.defineProperties(Readable.prototype, {
    readableFlowing: {
      configurable: true,
      get() { return this._readableState.flowing; },
      set(v) { if (this._readableState) this._readableState.flowing = v; },
    },
    destroyed: {
      configurable: true,
      get() { return !!this._readableState?.destroyed; },
      set(v) { if (this._readableState) this._readableState.destroyed = v; },
    },
    readable: {
      configurable: true,
      get() {
        const r = this._readableState;
        return !!r && r.readable !== false && !r.destroyed && !r.errorEmitted && !r.endEmitted;
      },
      set(v) { if (this._readableState) this._readableState.readable = !!v; },
    },
  });
  Readable._fromList = take;
  Readable.from = (iterable, options) => require("internal/streams/from").from(Readable, iterable, options);
  Readable.wrap = (source, options) => new Readable({
    objectMode: source.readableObjectMode ?? source.objectMode ?? true, ...options,
    destroy(err, callback) {
      destroyImpl.destroyer(source, err);
      callback(err);
    },
  }).wrap(source);
  Readable.fromWeb = (stream, options) => require("internal/streams/web").readableFromWeb(stream, options);
  Readable.toWeb = (stream, options) => require("internal/streams/web").readableToWeb(stream, options);
  require("internal/streams/operators").install(Readable);
  module.exports = Readable;
})
