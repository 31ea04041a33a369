// Readable.prototype.pipe.
(function (require, module) {
  "use strict";
  const { prependListener } = require("internal/streams/legacy");
  const { errorOrDestroy } = require("internal/streams/destroy");

  function pipe(source, dest, options) {
    const state = source._readableState;
    state.pipes.push(dest);
    const doEnd = (!options || options.end !== false) && dest !== require("process").stdout &&
      dest !== require("process").stderr;
    const atEnd = doEnd ? () => dest.end() : () => source.unpipe(dest);
    if (state.endEmitted) queueMicrotask(atEnd);
    else source.once("end", atEnd);

    let onDrain;
    let cleaned = false;
    function onUnpipe(readable, info) {
      if (readable === source && info && info.hasUnpiped === false) {
        info.hasUnpiped = true;
        cleanup();
      }
    }
    function cleanup() {
      dest.removeListener("close", onClose);
      dest.removeListener("finish", onFinish);
      if (onDrain) dest.removeListener("drain", onDrain);
      dest.removeListener("error", onError);
      dest.removeListener("unpipe", onUnpipe);
      source.removeListener("end", atEnd);
      source.removeListener("data", onData);
      cleaned = true;
      if (onDrain && state.awaitDrainWriters.has(dest) &&
        (!dest._writableState || dest._writableState.needDrain)) onDrain();
    }
    function pause() {
      if (!cleaned) {
        if (state.pipes.includes(dest)) state.awaitDrainWriters.add(dest);
        source.pause();
      }
      if (!onDrain) {
        onDrain = () => {
          state.awaitDrainWriters.delete(dest);
          if (state.awaitDrainWriters.size === 0 && source.listenerCount("data") > 0) source.resume();
        };
        dest.on("drain", onDrain);
      }
    }
    function onData(chunk) {
      if (dest.write(chunk) === false) pause();
    }
    function onError(err) {
      source.unpipe(dest);
      dest.removeListener("error", onError);
      if (dest.listenerCount("error") === 0) {
        const s = dest._writableState || dest._readableState;
        if (s && !s.errorEmitted) errorOrDestroy(dest, err);
        else dest.emit("error", err);
      }
    }
    function onClose() {
      dest.removeListener("finish", onFinish);
      source.unpipe(dest);
    }
    function onFinish() {
      dest.removeListener("close", onClose);
      source.unpipe(dest);
    }
    dest.on("unpipe", onUnpipe);
    source.on("data", onData);
    prependListener(dest, "error", onError);
    dest.once("close", onClose);
    dest.once("finish", onFinish);
    dest.emit("pipe", source);
    if (dest.writableNeedDrain === true) pause();
    else if (!state.flowing) source.resume();
    return dest;
  }
  module.exports = { pipe };
})
