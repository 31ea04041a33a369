// stream.pipeline: joins streams, iterables and functions, and ends all when one ends badly.
(function (require, module) {
  "use strict";
  const { codes, AbortError } = require("internal/errors");
  const { validateFunction, validateAbortSignal } = require("internal/validators");
  const { destroyer } = require("internal/streams/destroy");
  const { finished } = require("internal/streams/finished");
  const state = require("internal/streams/state");
  const { each } = require("internal/iteration");

  // pump writes an iterable into a writable stream, waiting for drain.
  async function pump(iterable, writable, { end = true }) {
    let failure;
    let wake;
    const resume = (err) => {
      if (err) failure = err;
      const f = wake;
      wake = undefined;
      f?.();
    };
    const wait = () => new Promise((resolve, reject) => {
      if (failure) reject(failure);
      else wake = () => (failure ? reject(failure) : resolve());
    });
    writable.on("drain", resume);
    const cleanup = finished(writable, { readable: false }, resume);
    try {
      if (writable.writableNeedDrain) await wait();
      await each(iterable, async (chunk) => {
        if (failure) throw failure;
        if (!writable.write(chunk)) await wait();
      });
      if (end) {
        writable.end();
        await new Promise((resolve, reject) => {
          finished(writable, { readable: false }, (err) => (err ? reject(err) : resolve()));
        });
      }
    } finally {
      cleanup();
      writable.off("drain", resume);
    }
  }

  const iterableOf = (v) => {
    if (state.isReadableNode(v)) return require("internal/streams/iterate").iterate(v);
    return v;
  };

  function pipeline(...streams) {
    const callback = streams.pop();
    validateFunction(callback, "streams[stream.length - 1]");
    return run(streams, callback, {});
  }

  function run(streams, callback, options) {
    if (streams.length === 1 && Array.isArray(streams[0])) streams = streams[0];
    if (streams.length < 2) throw new codes.ERR_MISSING_ARGS("streams");
    const { signal: outer } = options;
    validateAbortSignal(outer, "options.signal");
    const controller = new AbortController();
    const { signal } = controller;
    const end = options.end !== false;
    let failure;
    let value;
    let pending = 0;
    let over = false;
    const cleanups = [];
    const started = [];

    function finish(err) {
      if (err && (!failure || failure.code === "ERR_STREAM_PREMATURE_CLOSE")) failure = err;
      if (err || --pending === 0) settle();
    }
    function settle() {
      if (over) return;
      if (!failure && pending > 0) return;
      over = true;
      for (const stream of started) if (failure) destroyer(stream, failure);
      for (const f of cleanups.splice(0)) f();
      controller.abort();
      queueMicrotask(() => callback(failure, value));
    }
    if (outer) {
      const abort = () => finish(new AbortError(undefined, { cause: outer.reason }));
      if (outer.aborted) queueMicrotask(abort);
      else {
        outer.addEventListener("abort", abort, { once: true });
        cleanups.push(() => outer.removeEventListener("abort", abort));
      }
    }

    const watch = (stream, reading, writing) => {
      pending++;
      started.push(stream);
      let done = false;
      const once = (err) => {
        if (done) return;
        done = true;
        if (err && err.code === "ERR_STREAM_PREMATURE_CLOSE" && reading && !writing &&
          stream._readableState?.ended) err = undefined;
        finish(err);
      };
      finished(stream, { readable: reading, writable: writing }, once);
    };
    const { Readable, PassThrough } = require("stream");
    let current;
    pending++;
    streams.forEach((stream, i) => {
      const first = i === 0;
      const last = i === streams.length - 1;
      if (state.isWebStream(stream)) stream = require("internal/streams/web").adapt(stream);
      if (state.isNodeStream(stream)) {
        const writing = !first && (end || !last);
        if (!last || !first) watch(stream, !last, writing);
      }
      if (first) {
        if (typeof stream === "function") {
          current = stream({ signal });
          if (!state.isIterable(current)) throw new codes.ERR_INVALID_RETURN_VALUE(
            "Iterable, AsyncIterable or Stream", "source", current);
        } else if (state.isIterable(stream) || state.isReadableNode(stream)) current = stream;
        else throw new codes.ERR_INVALID_ARG_TYPE(
          `streams[0]`, ["Stream", "Iterable", "AsyncIterable", "function"], stream);
        return;
      }
      if (typeof stream === "function") {
        const result = stream(iterableOf(current), { signal });
        if (!last) {
          if (!state.isIterable(result, true)) throw new codes.ERR_INVALID_RETURN_VALUE(
            "AsyncIterable", `transform[${i - 1}]`, result);
          current = result;
          return;
        }
        pending++;
        if (typeof result?.then === "function") {
          const out = new PassThrough({ objectMode: true });
          result.then((v) => {
            value = v;
            if (v != null) out.write(v);
            if (end) out.end();
            queueMicrotask(() => finish());
          }, (err) => {
            out.destroy(err);
            queueMicrotask(() => finish(err));
          });
          out.on("error", () => {});
          current = out;
        } else if (state.isIterable(result)) {
          const out = Readable.from(result);
          started.push(out);
          finished(out, { readable: true, writable: false }, finish);
          current = out;
        } else throw new codes.ERR_INVALID_RETURN_VALUE("AsyncIterable or Promise", "destination", result);
        return;
      }
      if (!state.isNodeStream(stream)) throw new codes.ERR_INVALID_ARG_TYPE(
        `streams[${i}]`, ["Stream", "function"], stream);
      if (state.isReadableNode(current)) current.pipe(stream, { end: end || !last });
      else {
        pending++;
        pump(current, stream, { end: end || !last }).then(() => finish(), finish);
      }
      current = stream;
    });
    queueMicrotask(() => finish());
    return current;
  }

  function promised(...streams) {
    return new Promise((resolve, reject) => {
      let options = {};
      const last = streams[streams.length - 1];
      if (last && typeof last === "object" && !state.isNodeStream(last) && !state.isIterable(last) &&
        !state.isWebStream(last)) {
        options = streams.pop();
      }
      run(streams, (err, value) => (err ? reject(err) : resolve(value)), options);
    });
  }
  module.exports = { pipeline, promised, run };
})
