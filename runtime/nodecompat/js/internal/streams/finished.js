// stream.finished: when a stream is over, and how it ended.
(function (require, module) {
  "use strict";
  const { codes, AbortError } = require("internal/errors");
  const { validateFunction, validateAbortSignal, validateObject, validateBoolean } = require("internal/validators");
  const state = require("internal/streams/state");
  const nop = () => {};

  function finished(stream, options, callback) {
    if (arguments.length === 2) [callback, options] = [options, {}];
    else if (options == null) options = {};
    else validateObject(options, "options");
    validateFunction(callback, "callback");
    validateAbortSignal(options.signal, "options.signal");
    let called = false;
    const original = callback;
    callback = function (...args) {
      if (called) return;
      called = true;
      Reflect.apply(original, this, args);
    };
    if (state.isReadableWeb(stream) || state.isWritableWeb(stream)) return web(stream, options, callback);
    if (!state.isNodeStream(stream)) throw new codes.ERR_INVALID_ARG_TYPE(
      "stream", ["ReadableStream", "WritableStream", "Stream"], stream);

    const readable = options.readable ?? state.isReadableNode(stream);
    const writable = options.writable ?? state.isWritableNode(stream);
    const w = stream._writableState;
    const r = stream._readableState;
    let willEmitClose = state.willEmitClose(stream) && state.isReadableNode(stream) === readable &&
      state.isWritableNode(stream) === writable;
    let writableDone = state.isWritableFinished(stream, false);
    let readableDone = state.isReadableFinished(stream, false);

    const onFinish = () => {
      writableDone = true;
      if (stream.destroyed) willEmitClose = false;
      if (willEmitClose && (!stream.readable || readable)) return;
      if (!readable || readableDone) callback.call(stream);
    };
    const onEnd = () => {
      readableDone = true;
      if (stream.destroyed) willEmitClose = false;
      if (willEmitClose && (!stream.writable || writable)) return;
      if (!writable || writableDone) callback.call(stream);
    };
    const onError = (err) => callback.call(stream, err);
    let closed = state.isClosed(stream);
    const errorOf = () => {
      const e = stream.errored ?? w?.errored ?? r?.errored;
      return e && typeof e !== "boolean" ? e : undefined;
    };
    const onClose = () => {
      closed = true;
      const e = errorOf();
      if (e) return callback.call(stream, e);
      if (readable && !readableDone && state.isReadableNode(stream) &&
        !state.isReadableFinished(stream, false)) return callback.call(stream, new codes.ERR_STREAM_PREMATURE_CLOSE());
      if (writable && !writableDone && !state.isWritableFinished(stream, false)) return callback.call(
        stream, new codes.ERR_STREAM_PREMATURE_CLOSE());
      callback.call(stream);
    };
    const onClosed = () => {
      closed = true;
      const e = errorOf();
      if (e) return callback.call(stream, e);
      callback.call(stream);
    };
    const onRequest = () => stream.req.on("finish", onFinish);
    const listeners = [["end", onEnd], ["finish", onFinish], ["close", onClose]];
    if (options.error !== false) listeners.push(["error", onError]);
    if (state.isRequest(stream)) {
      listeners.push(["complete", onFinish]);
      if (!willEmitClose) listeners.push(["abort", onClose]);
      if (stream.req) onRequest();
      else listeners.push(["request", onRequest]);
    } else if (writable && !w) listeners.push(["end", legacyEnd], ["close", legacyEnd]);
    function legacyEnd() {
      if (!writableDone) onFinish();
    }
    if (!willEmitClose && typeof stream.aborted === "boolean") listeners.push(["aborted", onClose]);
    for (const [name, f] of listeners) stream.on(name, f);

    if (closed) queueMicrotask(onClose);
    else if (w?.errorEmitted || r?.errorEmitted) {
      if (!willEmitClose) queueMicrotask(onClosed);
    } else if ((!readable && (!willEmitClose || state.isReadable(stream)) &&
      (writableDone || state.isWritable(stream) === false))
      || (!writable && (!willEmitClose || state.isWritable(stream)) &&
        (readableDone || state.isReadable(stream) === false))) queueMicrotask(onClosed);
    else if (r && stream.req && stream.aborted) queueMicrotask(onClosed);

    const cleanup = () => {
      callback = nop;
      for (const [name, f] of listeners) stream.removeListener(name, f);
    };
    if (options.signal && !closed) watch(options.signal, (err) => {
      const end = callback;
      cleanup();
      end.call(stream, err);
    }, (f) => {
      const end = callback;
      callback = (...args) => {
        f();
        end.apply(stream, args);
      };
    });
    return cleanup;
  }

  // watch calls abort(err) when the signal fires; wrap(f) has f called when the stream is over first.
  function watch(signal, abort, wrap) {
    const fire = () => abort(new AbortError(undefined, { cause: signal.reason }));
    if (signal.aborted) {
      queueMicrotask(fire);
      return;
    }
    signal.addEventListener("abort", fire, { once: true });
    wrap(() => signal.removeEventListener("abort", fire));
  }

  function web(stream, options, callback) {
    let over = false;
    const done = (err) => {
      if (over) return;
      over = true;
      queueMicrotask(() => callback.call(stream, err));
    };
    if (options.signal) watch(options.signal, done, () => {});
    require("internal/streams/web").closed(stream).then(() => done(), done);
    return nop;
  }

  const promised = (stream, options) => new Promise((resolve, reject) => {
    let auto = false;
    if (options === null) options = undefined;
    if (options?.cleanup !== undefined) {
      validateBoolean(options.cleanup, "cleanup");
      auto = options.cleanup;
    }
    const cleanup = finished(stream, options ?? {}, (err) => {
      if (auto) cleanup();
      if (err) reject(err);
      else resolve();
    });
  });
  module.exports = { finished, promised };
})
