// Transform and PassThrough.
(function (require, module) {
  "use strict";
  const Duplex = require("internal/streams/duplex");
  const { codes } = require("internal/errors");
  const kCallback = Symbol("kCallback");

  function Transform(options) {
    if (!(this instanceof Transform)) return new Transform(options);
    if (options?.readableHighWaterMark === 0) options = {
      ...options, highWaterMark: null, readableHighWaterMark: 0,
      writableHighWaterMark: options.writableHighWaterMark || 0 };
    if (options) {
      if (typeof options.transform === "function") this._transform = options.transform;
      if (typeof options.flush === "function") this._flush = options.flush;
    }
    Duplex.call(this, options);
    this._readableState.sync = false;
    this[kCallback] = null;
    this.on("prefinish", prefinish);
  }
  Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
  Object.setPrototypeOf(Transform, Duplex);

  function final(callback) {
    if (typeof this._flush !== "function" || this.destroyed) {
      this.push(null);
      callback?.();
      return;
    }
    this._flush((err, data) => {
      if (err) {
        if (callback) callback(err);
        else this.destroy(err);
        return;
      }
      if (data != null) this.push(data);
      this.push(null);
      callback?.();
    });
  }
  function prefinish() {
    if (this._final !== final) final.call(this);
  }
  Transform.prototype._final = final;
  Transform.prototype._transform = function _transform() {
    throw new codes.ERR_METHOD_NOT_IMPLEMENTED("_transform()");
  };
  Transform.prototype._write = function _write(chunk, encoding, callback) {
    const r = this._readableState;
    const w = this._writableState;
    const before = r.length;
    this._transform(chunk, encoding, (err, value) => {
      if (err) {
        callback(err);
        return;
      }
      if (value != null) this.push(value);
      if (w.ended || before === r.length || r.length < r.highWaterMark) callback();
      else this[kCallback] = callback;
    });
  };
  Transform.prototype._read = function _read() {
    const callback = this[kCallback];
    if (callback) {
      this[kCallback] = null;
      callback();
    }
  };

  function PassThrough(options) {
    if (!(this instanceof PassThrough)) return new PassThrough(options);
    Transform.call(this, options);
  }
  Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
  Object.setPrototypeOf(PassThrough, Transform);
  PassThrough.prototype._transform = function _transform(chunk, encoding, callback) {
    callback(null, chunk);
  };
  module.exports = { Transform, PassThrough };
})
