// stream.addAbortSignal.
(function (require, module) {
  "use strict";
  const { codes, AbortError } = require("internal/errors");
  const { isNodeStream, isWebStream } = require("internal/streams/state");
  const { finished } = require("internal/streams/finished");

  function addAbortSignal(signal, stream) {
    if (signal === null || typeof signal !== "object" || !("aborted" in signal)) throw new codes.ERR_INVALID_ARG_TYPE(
      "signal", "AbortSignal", signal);
    if (!isNodeStream(stream) && !isWebStream(stream)) throw new codes.ERR_INVALID_ARG_TYPE(
      "stream", ["ReadableStream", "WritableStream", "Stream"], stream);
    const abort = () => {
      const err = new AbortError(undefined, { cause: signal.reason });
      if (typeof stream.destroy === "function") stream.destroy(err);
      else if (typeof stream.cancel === "function") stream.cancel(err);
      else stream.abort(err);
    };
    if (signal.aborted) abort();
    else {
      signal.addEventListener("abort", abort, { once: true });
      if (isNodeStream(stream)) queueMicrotask(
        () => finished(stream, () => signal.removeEventListener("abort", abort)));
    }
    return stream;
  }
  module.exports = { addAbortSignal };
})
