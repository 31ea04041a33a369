// Writable: a queue of chunks in front of _write.
(function (require, module) {
  "use strict";
  const { Stream } = require("internal/streams/legacy");
  const destroyImpl = require("internal/streams/destroy");
  const { highWaterMark } = require("internal/streams/state");
  const { codes } = require("internal/errors");
  const { Buffer } = require("buffer");
  const { errorOrDestroy } = destroyImpl;
  const nop = () => {};

  class WritableState {
    constructor(options, stream, isDuplex) {
      this.objectMode = !!(options?.objectMode || (isDuplex && options?.writableObjectMode));
      this.highWaterMark = highWaterMark(this, options, "writableHighWaterMark", isDuplex);
      this.finalCalled = this.needDrain = this.ending = this.ended = this.finished = this.destroyed = false;
      this.decodeStrings = options?.decodeStrings !== false;
      this.defaultEncoding = options?.defaultEncoding || "utf8";
      this.length = 0;
      this.writing = false;
      this.corked = 0;
      this.sync = true;
      this.onwrite = (err) => onwrite(stream, err);
      this.writecb = null;
      this.writelen = 0;
      this.buffered = [];
      this.pendingcb = 0;
      this.constructed = true;
      this.prefinished = this.errorEmitted = false;
      this.emitClose = options?.emitClose !== false;
      this.autoDestroy = options?.autoDestroy !== false;
      this.errored = null;
      this.closed = this.closeEmitted = false;
      this.onFinish = [];
    }
    getBuffer() {
      return this.buffered.slice();
    }
    get bufferedRequestCount() {
      return this.buffered.length;
    }
  }

  function Writable(options) {
    const isDuplex = this instanceof require("internal/streams/duplex");
    if (!isDuplex && !Function.prototype[Symbol.hasInstance].call(Writable, this)) return new Writable(options);
    if (!this._writableState) this._writableState = new WritableState(options, this, isDuplex);
    if (options) {
      for (const [option, method] of [["write", "_write"], ["writev", "_writev"], ["destroy", "_destroy"],
        ["final", "_final"], ["construct", "_construct"]]) {
        if (typeof options[option] === "function") this[method] = options[option];
      }
      if (options.signal) require("internal/streams/abort").addAbortSignal(options.signal, this);
    }
    if (!isDuplex) Stream.call(this, options);
    destroyImpl.construct(this, () => {
      const state = this._writableState;
      if (!state.writing) clearBuffer(this, state);
      finishMaybe(this, state);
    });
  }
  Object.setPrototypeOf(Writable.prototype, Stream.prototype);
  Object.setPrototypeOf(Writable, Stream);
  Writable.WritableState = WritableState;

  Object.defineProperty(Writable, Symbol.hasInstance, {
    value(object) {
      if (Function.prototype[Symbol.hasInstance].call(this, object)) return true;
      if (this !== Writable) return false;
      return !!object && object._writableState instanceof WritableState;
    },
  });

  Writable.prototype.pipe = function pipe() {
    errorOrDestroy(this, new codes.ERR_STREAM_CANNOT_PIPE());
  };

  function doWrite(stream, chunk, encoding, callback) {
    const state = stream._writableState;
    if (typeof encoding === "function") [callback, encoding] = [encoding, state.defaultEncoding];
    else {
      if (!encoding) encoding = state.defaultEncoding;
      else if (encoding !== "buffer" && !Buffer.isEncoding(encoding)) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
      if (typeof callback !== "function") callback = nop;
    }
    if (chunk === null) throw new codes.ERR_STREAM_NULL_VALUES();
    if (!state.objectMode) {
      if (typeof chunk === "string") {
        if (state.decodeStrings !== false) {
          chunk = Buffer.from(chunk, encoding);
          encoding = "buffer";
        }
      } else if (chunk instanceof Buffer) encoding = "buffer";
      else if (ArrayBuffer.isView(chunk)) {
        chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        encoding = "buffer";
      } else throw new codes.ERR_INVALID_ARG_TYPE("chunk", ["string", "Buffer", "TypedArray", "DataView"], chunk);
    }
    let err;
    if (state.ending) err = new codes.ERR_STREAM_WRITE_AFTER_END();
    else if (state.destroyed) err = new codes.ERR_STREAM_DESTROYED("write");
    if (err) {
      queueMicrotask(() => callback(err));
      errorOrDestroy(stream, err, true);
      return err;
    }
    state.pendingcb++;
    return writeOrBuffer(stream, state, chunk, encoding, callback);
  }

  function writeOrBuffer(stream, state, chunk, encoding, callback) {
    const length = state.objectMode ? 1 : chunk.length;
    state.length += length;
    const below = state.length < state.highWaterMark;
    if (!below) state.needDrain = true;
    if (state.writing || state.corked || state.errored || !state.constructed) {
      state.buffered.push({ chunk, encoding, callback });
    } else {
      state.writelen = length;
      state.writecb = callback;
      state.writing = true;
      state.sync = true;
      stream._write(chunk, encoding, state.onwrite);
      state.sync = false;
    }
    return below && !state.errored && !state.destroyed;
  }

  function onwrite(stream, err) {
    const state = stream._writableState;
    const { sync, writecb: callback } = state;
    if (typeof callback !== "function") {
      errorOrDestroy(stream, new codes.ERR_MULTIPLE_CALLBACK());
      return;
    }
    state.writing = false;
    state.writecb = null;
    state.length -= state.writelen;
    state.writelen = 0;
    if (err) {
      void err.stack;
      state.errored ??= err;
      if (stream._readableState) stream._readableState.errored ??= err;
      const fail = () => {
        --state.pendingcb;
        callback(err);
        errorBuffer(state);
        errorOrDestroy(stream, err);
      };
      if (sync) queueMicrotask(fail);
      else fail();
      return;
    }
    if (state.buffered.length > 0) clearBuffer(stream, state);
    if (sync) queueMicrotask(() => afterWrite(stream, state, 1, callback));
    else afterWrite(stream, state, 1, callback);
  }

  function afterWrite(stream, state, count, callback) {
    if (!state.ending && !stream.destroyed && state.length === 0 && state.needDrain) {
      state.needDrain = false;
      stream.emit("drain");
    }
    while (count-- > 0) {
      state.pendingcb--;
      callback(null);
    }
    if (state.destroyed) errorBuffer(state);
    finishMaybe(stream, state);
  }

  // errorBuffer tells those that wait that their chunks will never be written.
  function errorBuffer(state) {
    if (state.writing) return;
    for (const { chunk, callback } of state.buffered.splice(0)) {
      state.length -= state.objectMode ? 1 : chunk.length;
      callback(state.errored ?? new codes.ERR_STREAM_DESTROYED("write"));
    }
    for (const callback of state.onFinish.splice(0)) callback(state.errored ?? new codes.ERR_STREAM_DESTROYED("end"));
  }

  function clearBuffer(stream, state) {
    if (state.corked || state.clearing || state.destroyed || !state.constructed || state.buffered.length === 0) return;
    state.clearing = true;
    if (stream._writev && state.buffered.length > 1) {
      const all = state.buffered.splice(0);
      state.pendingcb -= all.length - 1;
      state.writing = true;
      state.sync = true;
      state.writelen = state.length;
      state.writecb = (err) => {
        for (const { callback } of all) callback(err);
      };
      const chunks = all.map(({ chunk, encoding }) => ({ chunk, encoding }));
      chunks.allBuffers = all.every((c) => c.encoding === "buffer");
      stream._writev(chunks, state.onwrite);
      state.sync = false;
    } else {
      while (state.buffered.length > 0 && !state.writing) {
        const { chunk, encoding, callback } = state.buffered.shift();
        state.writelen = state.objectMode ? 1 : chunk.length;
        state.writecb = callback;
        state.writing = true;
        state.sync = true;
        stream._write(chunk, encoding, state.onwrite);
        state.sync = false;
      }
    }
    state.clearing = false;
  }

  const needFinish = (state) => state.ending && !state.destroyed && state.constructed && state.length === 0 &&
    !state.errored && state.buffered.length === 0 && !state.finished && !state.writing && !state.errorEmitted &&
    !state.closeEmitted;

  function callFinal(stream, state) {
    let called = false;
    function done(err) {
      if (called) {
        errorOrDestroy(stream, err ?? new codes.ERR_MULTIPLE_CALLBACK());
        return;
      }
      called = true;
      state.pendingcb--;
      if (err) {
        for (const callback of state.onFinish.splice(0)) callback(err);
        errorOrDestroy(stream, err, state.sync);
      } else if (needFinish(state)) {
        state.prefinished = true;
        stream.emit("prefinish");
        state.pendingcb++;
        queueMicrotask(() => finish(stream, state));
      }
    }
    state.sync = true;
    state.pendingcb++;
    try {
      stream._final(done);
    } catch (err) {
      done(err);
    }
    state.sync = false;
  }

  function finishMaybe(stream, state, sync) {
    if (!needFinish(state)) return;
    if (!state.prefinished && !state.finalCalled) {
      if (typeof stream._final === "function" && !state.destroyed) {
        state.finalCalled = true;
        callFinal(stream, state);
      } else {
        state.prefinished = true;
        stream.emit("prefinish");
      }
    }
    if (state.pendingcb !== 0) return;
    state.pendingcb++;
    if (sync) {
      queueMicrotask(() => {
        if (needFinish(state)) finish(stream, state);
        else state.pendingcb--;
      });
    } else if (needFinish(state)) finish(stream, state);
    else state.pendingcb--;
  }

  function finish(stream, state) {
    state.pendingcb--;
    state.finished = true;
    for (const callback of state.onFinish.splice(0)) callback(null);
    stream.emit("finish");
    if (state.autoDestroy) {
      const r = stream._readableState;
      if (!r || (r.autoDestroy && (r.endEmitted || r.readable === false))) stream.destroy();
    }
  }

  const methods = {
    write(chunk, encoding, callback) {
      return doWrite(this, chunk, encoding, callback) === true;
    },
    cork() {
      this._writableState.corked++;
    },
    uncork() {
      const state = this._writableState;
      if (!state.corked) return;
      state.corked--;
      if (!state.writing) clearBuffer(this, state);
    },
    setDefaultEncoding(encoding) {
      if (typeof encoding === "string") encoding = encoding.toLowerCase();
      if (!Buffer.isEncoding(encoding)) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
      this._writableState.defaultEncoding = encoding;
      return this;
    },
    _write(chunk, encoding, callback) {
      if (!this._writev) throw new codes.ERR_METHOD_NOT_IMPLEMENTED("_write()");
      this._writev([{ chunk, encoding }], callback);
    },
    _writev: null,
    end(chunk, encoding, callback) {
      const state = this._writableState;
      if (typeof chunk === "function") [callback, chunk, encoding] = [chunk, null, null];
      else if (typeof encoding === "function") [callback, encoding] = [encoding, null];
      let err;
      if (chunk !== null && chunk !== undefined) {
        const ret = doWrite(this, chunk, encoding);
        if (ret instanceof Error) err = ret;
      }
      if (state.corked) {
        state.corked = 1;
        this.uncork();
      }
      if (!err) {
        if (!state.errored && !state.ending) {
          state.ending = true;
          finishMaybe(this, state, true);
          state.ended = true;
        } else if (state.finished) err = new codes.ERR_STREAM_ALREADY_FINISHED("end");
        else if (state.destroyed) err = new codes.ERR_STREAM_DESTROYED("end");
      }
      if (typeof callback === "function") {
        if (err) queueMicrotask(() => callback(err));
        else if (state.finished) queueMicrotask(() => callback(null));
        else state.onFinish.push(callback);
      }
      return this;
    },
    destroy(err, callback) {
      const state = this._writableState;
      if (!state.destroyed && (state.buffered.length > 0 || state.onFinish.length > 0)) queueMicrotask(
        () => errorBuffer(state));
      destroyImpl.destroy.call(this, err, callback);
      return this;
    },
    _undestroy: destroyImpl.undestroy,
    _destroy(err, callback) {
      callback(err);
    },
    [require("events").captureRejectionSymbol](err) {
      this.destroy(err);
    },
  };
  for (const key of Reflect.ownKeys(methods)) Writable.prototype[key] = methods[key];

  const getters = {
    closed: (w) => !!w?.closed,
    writableFinished: (w) => !!w?.finished,
    writableObjectMode: (w) => !!w?.objectMode,
    writableEnded: (w) => !!w?.ending,
    writableNeedDrain: (w) => !!w && !w.destroyed && !w.ending && w.needDrain,
    writableHighWaterMark: (w) => w?.highWaterMark,
    writableCorked: (w) => w?.corked ?? 0,
    writableLength: (w) => w?.length,
    errored: (w) => w?.errored ?? null,
    writableBuffer: (w) => w?.getBuffer(),
    writableAborted: (w) => !!(w && w.writable !== false && (w.destroyed || w.errored) && !w.finished),
  };
  for (const [name, get] of Object.entries(getters)) {
    Object.defineProperty(Writable.prototype, name, { configurable: true, get() { return get(this._writableState); } });
  }
  Object.defineProperties(Writable.prototype, {
    destroyed: {
      configurable: true,
      get() { return !!this._writableState?.destroyed; },
      set(v) { if (this._writableState) this._writableState.destroyed = v; },
    },
    writable: {
      configurable: true,
      get() {
        const w = this._writableState;
        return !!w && w.writable !== false && !w.destroyed && !w.errored && !w.ending && !w.ended;
      },
      set(v) { if (this._writableState) this._writableState.writable = !!v; },
    },
  });
  if (Symbol.asyncDispose) {
    Writable.prototype[Symbol.asyncDispose] = async function () {
      if (!this.destroyed) this.destroy(this.writableFinished ? null : new (require("internal/errors").AbortError)());
      await new Promise((resolve, reject) =>
        require("internal/streams/finished").finished(
        this, (err) => (err && err.name !== "AbortError" ? reject(err) : resolve(null))));
    };
  }
  Writable.fromWeb = (stream, options) => require("internal/streams/web").writableFromWeb(stream, options);
  Writable.toWeb = (stream) => require("internal/streams/web").writableToWeb(stream);
  module.exports = Writable;
})
