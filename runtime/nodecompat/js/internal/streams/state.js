// What readable and writable sides share: water marks and questions about any stream.
(function (require, module) {
  "use strict";
  const { codes } = require("internal/errors");
  const { validateInteger } = require("internal/validators");

  let bytesMark = 65536;
  let objectMark = 16;

  const getDefaultHighWaterMark = (objectMode) => (objectMode ? objectMark : bytesMark);
  function setDefaultHighWaterMark(objectMode, value) {
    validateInteger(value, "value", 0);
    if (objectMode) objectMark = value;
    else bytesMark = value;
  }

  // highWaterMark picks the option that applies to one side of a possible duplex.
  function highWaterMark(state, options, sideKey, isDuplex) {
    const hwm = options?.highWaterMark ?? options?.[sideKey];
    if (hwm != null) {
      if (!Number.isInteger(hwm) || hwm < 0) {
        throw new codes.ERR_INVALID_ARG_VALUE(
          isDuplex && options.highWaterMark == null ? `options.${sideKey}` : "options.highWaterMark", hwm);
      }
      return Math.floor(hwm);
    }
    return getDefaultHighWaterMark(state.objectMode);
  }

  const isReadableNode = (o, strict = false) =>
    !!(o && typeof o.pipe === "function" && typeof o.on === "function" &&
    (!strict || (typeof o.pause === "function" && typeof o.resume === "function")) &&
    (!o._writableState || o._readableState?.readable !== false) && (!o._writableState || o._readableState));
  const isWritableNode = (o) => !!(o && typeof o.write === "function" && typeof o.on === "function" &&
    (!o._readableState || o._writableState?.writable !== false));
  const isNodeStream = (o) => !!(o && (o._readableState || o._writableState ||
    (typeof o.write === "function" && typeof o.on === "function") ||
    (typeof o.pipe === "function" && typeof o.on === "function")));
  const isReadableWeb = (o) => !!(o && !isNodeStream(o) && typeof o.pipeThrough === "function" &&
    typeof o.getReader === "function" && typeof o.cancel === "function");
  const isWritableWeb = (o) => !!(o && !isNodeStream(o) && typeof o.getWriter === "function" &&
    typeof o.abort === "function");
  const isTransformWeb = (o) => !!(o && !isNodeStream(o) && typeof o.readable === "object" &&
    typeof o.writable === "object");
  const isWebStream = (o) => isReadableWeb(o) || isWritableWeb(o) || isTransformWeb(o);
  const isIterable = (o) => o != null &&
    (typeof o[Symbol.asyncIterator] === "function" || typeof o[Symbol.iterator] === "function");

  function isDestroyed(stream) {
    if (!isNodeStream(stream)) return null;
    return !!(stream.destroyed || stream._writableState?.destroyed || stream._readableState?.destroyed);
  }
  function isWritableEnded(stream) {
    if (!isWritableNode(stream)) return null;
    if (stream.writableEnded === true) return true;
    const w = stream._writableState;
    if (w?.errored) return false;
    return typeof w?.ended === "boolean" ? w.ended : null;
  }
  function isWritableFinished(stream, strict) {
    if (!isWritableNode(stream)) return null;
    if (stream.writableFinished === true) return true;
    const w = stream._writableState;
    if (w?.errored) return false;
    if (typeof w?.finished !== "boolean") return null;
    return !!(w.finished || (strict === false && w.ended === true && w.length === 0));
  }
  function isReadableFinished(stream, strict) {
    if (!isReadableNode(stream)) return null;
    const r = stream._readableState;
    if (r?.errored) return false;
    if (typeof r?.endEmitted !== "boolean") return null;
    return !!(r.endEmitted || (strict === false && r.ended === true && r.length === 0));
  }
  function isReadable(stream) {
    if (stream && typeof stream.readable !== "boolean" && isReadableWeb(stream)) return null;
    if (typeof stream?.readable !== "boolean") return null;
    if (isDestroyed(stream)) return false;
    return isReadableNode(stream) && stream.readable && !isReadableFinished(stream);
  }
  function isWritable(stream) {
    if (typeof stream?.writable !== "boolean") return null;
    if (isDestroyed(stream)) return false;
    return isWritableNode(stream) && stream.writable && !isWritableEnded(stream);
  }
  function isClosed(stream) {
    if (!isNodeStream(stream)) return null;
    if (typeof stream.closed === "boolean") return stream.closed;
    const w = stream._writableState;
    const r = stream._readableState;
    if (typeof w?.closed === "boolean" || typeof r?.closed === "boolean") return w?.closed || r?.closed;
    return null;
  }
  const isErrored = (s) => !!(s && (s._readableState?.errored || s._writableState?.errored || s.readableErrored ||
    s.writableErrored));
  const isDisturbed = (s) => !!(s && (s.readableDidRead || s.readableAborted ||
    (s instanceof ReadableStream && s.locked)));
  // isRequest recognises what the old request libraries make.
  const isRequest = (s) => !!(s && s.setHeader && typeof s.abort === "function");
  const isServerResponse = (s) => typeof s?._sent100 === "boolean" && typeof s._removedConnection === "boolean" &&
    typeof s._removedContLen === "boolean" && typeof s._removedTE === "boolean" && typeof s._closed === "boolean";
  const willEmitClose = (s) => {
    if (!isNodeStream(s)) return null;
    const state = s._writableState ?? s._readableState;
    return (!state && isServerResponse(s)) ||
      !!(state && state.autoDestroy && state.emitClose && state.closed === false);
  };

  module.exports = {
    getDefaultHighWaterMark, setDefaultHighWaterMark, highWaterMark, isReadableNode, isWritableNode, isNodeStream,
      isReadableWeb,
    isWritableWeb, isTransformWeb, isWebStream, isIterable, isDestroyed, isWritableEnded, isWritableFinished,
      isReadableFinished,
    isReadable, isWritable, isClosed, isErrored, isDisturbed, isRequest, willEmitClose,
  };
})
