// Duplex: a readable and a writable side in one object.
(function (require, module) {
  "use strict";
  function Duplex(options) {
    if (!(this instanceof Duplex)) return new Duplex(options);
    this._readableState = new Readable.ReadableState(options, this, true);
    this._writableState = new Writable.WritableState(options, this, true);
    this.allowHalfOpen = options?.allowHalfOpen !== false;
    if (options) {
      if (options.readable === false) Object.assign(
        this._readableState, { readable: false, ended: true, endEmitted: true });
      if (options.writable === false) Object.assign(
        this._writableState, { writable: false, ending: true, ended: true, finished: true });
      for (const [option, method] of [["read", "_read"], ["write", "_write"], ["writev", "_writev"],
        ["destroy", "_destroy"], ["final", "_final"], ["construct", "_construct"]]) {
        if (typeof options[option] === "function") this[method] = options[option];
      }
    }
    // Both sides see the options' methods already; a construct option runs once for the two.
    const emitterOptions = options?.captureRejections ? { captureRejections: true } : undefined;
    Readable.call(this, emitterOptions);
    Writable.call(this, emitterOptions);
    if (options?.signal) require("internal/streams/abort").addAbortSignal(options.signal, this);
  }
  // This is set before the parents load: they ask for this module in a circle.
  module.exports = Duplex;
  const Readable = require("internal/streams/readable");
  const Writable = require("internal/streams/writable");
  Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
  Object.setPrototypeOf(Duplex, Readable);
  for (const key of Reflect.ownKeys(Writable.prototype)) {
    if (key === "constructor" || Object.hasOwn(Duplex.prototype, key)) continue;
    if (key in Readable.prototype && !/^(_?write|end$|cork|uncork|setDefault|writable)/.test(String(key))) continue;
    Object.defineProperty(Duplex.prototype, key, Object.getOwnPropertyDescriptor(Writable.prototype, key));
  }
  Duplex.prototype.destroy = Writable.prototype.destroy;
  Duplex.prototype._destroy = Writable.prototype._destroy;
  Object.defineProperty(Duplex.prototype, "destroyed", {
    configurable: true,
    get() {
      return !!(this._readableState && this._writableState && this._readableState.destroyed &&
        this._writableState.destroyed);
    },
    set(v) {
      if (this._readableState && this._writableState) this._readableState.destroyed = this._writableState.destroyed = v;
    },
  });
  Duplex.from = (body) => require("internal/streams/compose").duplexFrom(body, "body");
  Duplex.fromWeb = (pair, options) => require("internal/streams/web").duplexFromWeb(pair, options);
  Duplex.toWeb = (duplex) => require("internal/streams/web").duplexToWeb(duplex);
})
