// The class that all streams extend.
(function (require, module) {
  "use strict";
  const EventEmitter = require("events");

  function Stream(options) {
    EventEmitter.call(this, options);
  }
  Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Stream, EventEmitter);

  Stream.prototype.pipe = function pipe(dest, options) {
    const source = this;
    const onData = (chunk) => {
      if (dest.writable && dest.write(chunk) === false) source.pause?.();
    };
    const onDrain = () => {
      if (source.readable) source.resume?.();
    };
    let ended = false;
    const finish = (f) => () => {
      if (ended) return;
      ended = true;
      f();
    };
    const onEnd = finish(() => dest.end());
    const onClose = finish(() => {
      if (typeof dest.destroy === "function") dest.destroy();
    });
    function onError(err) {
      cleanup();
      if (EventEmitter.listenerCount(this, "error") === 0) this.emit("error", err);
    }
    const pairs = [[source, "data", onData], [dest, "drain", onDrain], [source, "error", onError],
      [dest, "error", onError]];
    if (!dest._isStdio && options?.end !== false) pairs.push([source, "end", onEnd], [source, "close", onClose]);
    function cleanup() {
      for (const [s, name, f] of [...pairs, [source, "end", cleanup], [source, "close", cleanup],
        [dest, "close", cleanup]]) s.removeListener(name, f);
    }
    for (const [s, name, f] of pairs) {
      if (name === "error") prependListener(s, name, f);
      else s.on(name, f);
    }
    source.on("end", cleanup);
    source.on("close", cleanup);
    dest.on("close", cleanup);
    dest.emit("pipe", source);
    return dest;
  };
  Stream.prototype.eventNames = function eventNames() {
    return Reflect.ownKeys(this._events ?? {}).filter((n) => this.listenerCount(n) > 0);
  };

  function prependListener(emitter, event, fn) {
    if (typeof emitter.prependListener === "function") return emitter.prependListener(event, fn);
    const all = emitter._events?.[event];
    if (!all) emitter.on(event, fn);
    else if (Array.isArray(all)) all.unshift(fn);
    else emitter._events[event] = [fn, all];
  }
  module.exports = { Stream, prependListener };
})
