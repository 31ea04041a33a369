// Hash, Hmac and hash().
(function (require, module, exports, host) {
  "use strict";
  const { Transform } = require("stream");
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const { validateString, validateUint32, validateObject } = require("internal/validators");
  const { bytes, output } = require("internal/crypto/bytes");
  const native = host.crypto;

  function streaming(Class) {
    Object.setPrototypeOf(Class.prototype, Transform.prototype);
    Object.setPrototypeOf(Class, Transform);
    // Most hashes are never used as a stream: that part is made when somebody asks for it.
    for (const side of ["_readableState", "_writableState"]) {
      Object.defineProperty(Class.prototype, side, {
        configurable: true,
        get() {
          if (!Object.hasOwn(this, "_state")) return undefined;
          for (const name of ["_readableState", "_writableState"]) Object.defineProperty(
            this, name, { value: undefined, writable: true, configurable: true });
          Transform.call(this, this._options);
          return this[side];
        },
        set(value) {
          Object.defineProperty(this, side, { value, writable: true, configurable: true, enumerable: true });
        },
      });
    }
    for (const name of ["on", "once", "addListener"]) {
      Class.prototype[name] = function (...args) {
        void this._readableState;
        return Transform.prototype[name].apply(this, args);
      };
    }
    Class.prototype._transform = function (chunk, encoding, callback) {
      this.update(chunk, encoding);
      callback();
    };
    Class.prototype._flush = function (callback) {
      // digest() may still be called after the stream has ended, and gives the same.
      this._result = this._state.digest();
      this.push(Buffer.from(this._result));
      callback();
    };
  }
  const hidden = (o, name, value) => Object.defineProperty(
    o, name, { value, writable: true, configurable: true, enumerable: false });

  function Hash(algorithm, options) {
    if (!(this instanceof Hash)) return new Hash(algorithm, options);
    const from = algorithm instanceof Hash ? algorithm : undefined;
    if (!from) validateString(algorithm, "algorithm");
    const length = typeof options === "object" && options !== null ? options.outputLength : undefined;
    if (length !== undefined) validateUint32(length, "options.outputLength");
    hidden(this, "_state", from ? from._state.copy(length) : native.hash(algorithm, length));
    if (this._state === undefined) throw Object.assign(
      new Error("Digest method not supported"), { code: "ERR_CRYPTO_INVALID_DIGEST" });
    hidden(this, "_done", undefined);
    hidden(this, "_result", undefined);
    hidden(this, "_options", options);
  }
  streaming(Hash);
  Hash.prototype.copy = function copy(options) {
    if (this._done !== undefined) throw new codes.ERR_CRYPTO_HASH_FINALIZED();
    return new Hash(this, options);
  };

  const update = (finished) => function (data, encoding) {
    if (this._done !== undefined) throw finished();
    if (typeof data !== "string" && !ArrayBuffer.isView(data)) throw new codes.ERR_INVALID_ARG_TYPE(
      "data", ["string", "Buffer", "TypedArray", "DataView"], data);
    this._state.update(bytes(data, "data", encoding));
    return this;
  };
  Hash.prototype.update = update(() => new codes.ERR_CRYPTO_HASH_FINALIZED());
  Hash.prototype.digest = function digest(encoding) {
    if (this._done !== undefined) throw new codes.ERR_CRYPTO_HASH_FINALIZED();
    this._done = true;
    return output(this._result ?? this._state.digest(), encoding === undefined ? undefined : `${encoding}`);
  };

  function Hmac(algorithm, key, options) {
    if (!(this instanceof Hmac)) return new Hmac(algorithm, key, options);
    validateString(algorithm, "hmac");
    const { secretBytes } = require("internal/crypto/keys");
    hidden(this, "_state", native.hmac(algorithm, secretBytes(key, options?.encoding)));
    if (this._state === undefined) throw new codes.ERR_CRYPTO_INVALID_DIGEST(algorithm);
    hidden(this, "_done", undefined);
    hidden(this, "_result", undefined);
    hidden(this, "_options", options);
  }
  streaming(Hmac);
  Hmac.prototype.update = Hash.prototype.update;
  // A second digest of an Hmac is empty.
  Hmac.prototype.digest = function digest(encoding) {
    if (this._done) return encoding && encoding !== "buffer" ? "" : Buffer.alloc(0);
    this._done = true;
    return output(this._result ?? this._state.digest(), encoding);
  };

  function hash(algorithm, input, options = "hex") {
    validateString(algorithm, "algorithm");
    if (typeof input !== "string" && !ArrayBuffer.isView(input)) throw new codes.ERR_INVALID_ARG_TYPE(
      "input", ["Buffer", "TypedArray", "DataView", "string"], input);
    if (typeof options === "object" && options !== null) {
      validateObject(options, "options");
      options = options.outputEncoding ?? "hex";
    }
    return new Hash(algorithm).update(input).digest(options);
  }
  module.exports = { Hash, Hmac, hash, createHash: (a, o) => new Hash(a, o),
    createHmac: (a, k, o) => new Hmac(a, k, o) };
})
