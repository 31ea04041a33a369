(function (require, module) {
  "use strict";
  const { Stream } = require("internal/streams/legacy");
  const state = require("internal/streams/state");
  const Duplex = require("internal/streams/duplex");
  const { Transform, PassThrough } = require("internal/streams/transform");
  const { finished, promised: finishedPromise } = require("internal/streams/finished");
  const { pipeline, promised: pipelinePromise } = require("internal/streams/pipeline");
  const { compose, duplexPair } = require("internal/streams/compose");
  const kPromisify = Symbol.for("nodejs.util.promisify.custom");

  // These exports are set before the streams load, which ask for this module.
  module.exports = Stream;
  Object.assign(Stream, {
    Stream,
    Readable: require("internal/streams/readable"),
    Writable: require("internal/streams/writable"),
    Duplex, Transform, PassThrough, pipeline, finished, compose, duplexPair,
    addAbortSignal: require("internal/streams/abort").addAbortSignal,
    destroy: require("internal/streams/destroy").destroyer,
    isDestroyed: state.isDestroyed,
    isDisturbed: state.isDisturbed,
    isErrored: state.isErrored,
    isReadable: state.isReadable,
    isWritable: state.isWritable,
    getDefaultHighWaterMark: state.getDefaultHighWaterMark,
    setDefaultHighWaterMark: state.setDefaultHighWaterMark,
    promises: { pipeline: pipelinePromise, finished: finishedPromise },
    _isUint8Array: (v) => v instanceof Uint8Array,
    _isArrayBufferView: ArrayBuffer.isView,
    _uint8ArrayToBuffer: (v) => require("buffer").Buffer.from(v.buffer, v.byteOffset, v.byteLength),
  });
  Object.defineProperty(pipeline, kPromisify, { enumerable: true, get: () => pipelinePromise });
  Object.defineProperty(finished, kPromisify, { enumerable: true, get: () => finishedPromise });
})
