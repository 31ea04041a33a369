// Sign, Verify and their one-shot forms.
(function (require, module, exports, host) {
  "use strict";
  const { Writable } = require("stream");
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const { validateString, validateFunction } = require("internal/validators");
  const { bytes, output } = require("internal/crypto/bytes");
  const { read, toPublic } = require("internal/crypto/keys");
  const native = host.crypto;

  function define(name) {
    function Class(algorithm, options) {
      if (!(this instanceof Class)) return new Class(algorithm, options);
      validateString(algorithm, "algorithm");
      if (native.hash(algorithm) === undefined) throw new Error(`Unknown digest: ${algorithm}`);
      Object.defineProperty(this, "_algorithm", { value: algorithm });
      Object.defineProperty(this, "_data", { value: [] });
      Writable.call(this, options);
    }
    Object.setPrototypeOf(Class.prototype, Writable.prototype);
    Object.setPrototypeOf(Class, Writable);
    Object.defineProperty(Class, "name", { value: name });
    Class.prototype._write = function (chunk, encoding, callback) {
      this.update(chunk, encoding);
      callback();
    };
    Class.prototype.update = function update(data, encoding) {
      if (typeof data !== "string" && !ArrayBuffer.isView(data)) throw new codes.ERR_INVALID_ARG_TYPE(
        "data", ["string", "Buffer", "TypedArray", "DataView"], data);
      this._data.push(Buffer.from(bytes(data, "data", encoding)));
      return this;
    };
    return Class;
  }
  const Sign = define("Sign");
  const Verify = define("Verify");
  const how = (key) => (typeof key === "object" && key !== null ? [key.padding, key.saltLength, key.dsaEncoding] : []);

  Sign.prototype.sign = function (key, encoding) {
    if (!key) throw new codes.ERR_CRYPTO_SIGN_KEY_REQUIRED();
    return output(native.sign(read(key, true), Buffer.concat(this._data), this._algorithm, ...how(key)), encoding);
  };
  Verify.prototype.verify = function (key, signature, encoding) {
    return native.verify(toPublic(read(key, false)), Buffer.concat(this._data), bytes(signature, "signature", encoding),
      this._algorithm, ...how(key));
  };

  function later(callback, f) {
    if (callback === undefined) return f();
    validateFunction(callback, "callback");
    let value;
    let failure = null;
    try {
      value = f();
    } catch (e) {
      failure = e;
    }
    queueMicrotask(() => (failure ? callback(failure) : callback(null, value)));
    return undefined;
  }
  module.exports = {
    Sign, Verify,
    createSign: (a, o) => new Sign(a, o),
    createVerify: (a, o) => new Verify(a, o),
    sign(algorithm, data, key, callback) {
      if (algorithm != null) validateString(algorithm, "algorithm");
      if (!key) throw new codes.ERR_CRYPTO_SIGN_KEY_REQUIRED();
      return later(callback, () => output(native.sign(read(key, true), bytes(data, "data"), algorithm, ...how(key))));
    },
    verify(algorithm, data, key, signature, callback) {
      if (algorithm != null) validateString(algorithm, "algorithm");
      return later(callback, () => native.verify(
        toPublic(read(key, false)), bytes(data, "data"), bytes(signature, "signature"), algorithm, ...how(key)));
    },
  };
})
