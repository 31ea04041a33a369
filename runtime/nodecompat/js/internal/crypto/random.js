// Random values, primes and key derivation.
(function (require, module, exports, host) {
  "use strict";
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const { validateFunction, validateNumber, validateInteger, validateString, validateUint32, validateInt32,
    validateObject, validateBoolean } = require("internal/validators");
  const { bytes, isAny } = require("internal/crypto/bytes");
  const native = host.crypto;
  const later = (callback, f) => {
    let value;
    let failure = null;
    try {
      value = f();
    } catch (e) {
      failure = e;
    }
    queueMicrotask(() => (failure ? callback(failure) : callback(null, value)));
  };

  function size(n, name = "size") {
    validateNumber(n, name, 0, 2 ** 31 - 1);
  }
  function randomBytes(n, callback) {
    size(n);
    if (callback !== undefined) validateFunction(callback, "callback");
    const make = () => {
      const b = Buffer.alloc(n);
      native.fill(b);
      return b;
    };
    if (callback === undefined) return make();
    later(callback, make);
    return undefined;
  }
  function randomFillSync(buffer, offset = 0, length) {
    if (!isAny(buffer)) throw new codes.ERR_INVALID_ARG_TYPE("buf", ["ArrayBuffer", "ArrayBufferView"], buffer);
    const unit = buffer.BYTES_PER_ELEMENT ?? 1;
    validateNumber(offset, "offset", 0);
    const start = offset * unit;
    const end = length === undefined ? buffer.byteLength : start + length * unit;
    if (start > buffer.byteLength) throw new codes.ERR_OUT_OF_RANGE(
      "offset", `>= 0 && <= ${buffer.byteLength}`, offset);
    if (end > buffer.byteLength) throw new codes.ERR_OUT_OF_RANGE("size + offset", `<= ${buffer.byteLength}`, end);
    const raw = ArrayBuffer.isView(buffer) ? new Uint8Array(buffer.buffer, buffer.byteOffset + start, end - start) :
      new Uint8Array(buffer, start, end - start);
    native.fill(raw);
    return buffer;
  }
  function randomFill(buffer, offset, length, callback) {
    if (typeof offset === "function") [callback, offset, length] = [offset, 0, undefined];
    else if (typeof length === "function") [callback, length] = [length, undefined];
    validateFunction(callback, "callback");
    later(callback, () => randomFillSync(buffer, offset, length));
  }
  function randomInt(min, max, callback) {
    if (max === undefined || typeof max === "function") [callback, max, min] = [max, min, 0];
    if (!Number.isSafeInteger(min)) throw new codes.ERR_INVALID_ARG_TYPE("min", "a safe integer", min);
    if (!Number.isSafeInteger(max)) throw new codes.ERR_INVALID_ARG_TYPE("max", "a safe integer", max);
    if (max <= min) throw new codes.ERR_OUT_OF_RANGE("max", `greater than the value of "min" (${min})`, max);
    const range = max - min;
    if (range >= 2 ** 48) throw new codes.ERR_OUT_OF_RANGE(min === 0 ? "max" : "max - min", `<= ${2 ** 48 - 1}`, range);
    const draw = () => {
      // Values past the last whole multiple of the range would make small ones likelier.
      const limit = 2 ** 48 - (2 ** 48 % range);
      for (;;) {
        const n = randomBytes(6).readUIntBE(0, 6);
        if (n < limit) return (n % range) + min;
      }
    };
    if (callback === undefined) return draw();
    validateFunction(callback, "callback");
    later(callback, draw);
    return undefined;
  }

  const derived = (buffer) => (buffer ? Buffer.from(buffer) : buffer);
  const finish = (callback) => (err, b) => (err ? callback(err) : callback(null, derived(b)));
  function pbkdf2Args(password, salt, iterations, length, digest) {
    const p = bytes(password, "password");
    const s = bytes(salt, "salt");
    validateInt32(iterations, "iterations", 1);
    validateInt32(length, "keylen", 0);
    validateString(digest, "digest");
    return [p, s, iterations, length, digest];
  }
  function scryptArgs(password, salt, length, o = {}) {
    if (o === undefined || o === null) o = {};
    const p = bytes(password, "password");
    const s = bytes(salt, "salt");
    validateInt32(length, "keylen", 0);
    validateObject(o, "options");
    const pick = (a, b, def) => {
      if (o[a] !== undefined && o[b] !== undefined) throw Object.assign(
        new TypeError(`Option "${a}" cannot be used together with option "${b}"`),
        { code: "ERR_INCOMPATIBLE_OPTION_PAIR" });
      const v = o[a] ?? o[b];
      if (v === undefined) return def;
      validateUint32(v, a);
      return v || def;
    };
    return [p, s, length, pick("N", "cost", 16384), pick("r", "blockSize", 8), pick("p", "parallelization", 1),
      o.maxmem ?? 32 * 1024 * 1024];
  }
  function hkdfArgs(digest, key, salt, info, length) {
    const { secretBytes } = require("internal/crypto/keys");
    validateString(digest, "digest");
    const k = secretBytes(key);
    const s = bytes(salt, "salt");
    const i = bytes(info, "info");
    validateInteger(length, "length", 0, 2 ** 31 - 1);
    if (i.byteLength > 1024) throw new codes.ERR_OUT_OF_RANGE(
      "info", "must not contain more than 1024 bytes", i.byteLength);
    return [digest, k, s, i, length];
  }

  function primeOptions(bits, options = {}) {
    validateInt32(bits, "size", 1);
    if (bits > 8192) throw new RangeError("generatePrime size exceeds maximum (8192 bits)");
    validateObject(options, "options");
    if (options.bigint !== undefined) validateBoolean(options.bigint, "options.bigint");
    const p = native.prime(bits);
    return options.bigint ? BigInt(`0x${Buffer.from(p).toString("hex")}`) : p;
  }
  function candidate(v) {
    if (typeof v === "bigint") {
      let hex = v.toString(16);
      if (hex.length % 2) hex = `0${hex}`;
      return Buffer.from(hex, "hex");
    }
    if (!isAny(v)) throw new codes.ERR_INVALID_ARG_TYPE(
      "candidate", ["ArrayBuffer", "TypedArray", "Buffer", "DataView", "bigint"], v);
    return v;
  }

  module.exports = {
    randomBytes, randomFillSync, randomFill, randomInt,
    pseudoRandomBytes: randomBytes,
    randomUUID(options) {
      if (options !== undefined) validateObject(options, "options");
      return globalThis.crypto.randomUUID();
    },
    pbkdf2Sync: (...a) => derived(native.pbkdf2(...pbkdf2Args(...a))),
    pbkdf2(password, salt, iterations, length, digest, callback) {
      if (typeof digest === "function") [callback, digest] = [digest, undefined];
      const args = pbkdf2Args(password, salt, iterations, length, digest);
      validateFunction(callback, "callback");
      native.pbkdf2(...args, finish(callback));
    },
    scryptSync: (password, salt, length, o) => derived(native.scrypt(...scryptArgs(password, salt, length, o))),
    scrypt(password, salt, length, o, callback) {
      if (typeof o === "function") [callback, o] = [o, {}];
      const args = scryptArgs(password, salt, length, o);
      validateFunction(callback, "callback");
      native.scrypt(...args, finish(callback));
    },
    hkdfSync: (...a) => native.hkdf(...hkdfArgs(...a)),
    hkdf(digest, key, salt, info, length, callback) {
      const args = hkdfArgs(digest, key, salt, info, length);
      validateFunction(callback, "callback");
      native.hkdf(...args, callback);
    },
    timingSafeEqual(a, b) {
      if (!isAny(a)) throw new codes.ERR_INVALID_ARG_TYPE(
        "buf1", ["ArrayBuffer", "Buffer", "TypedArray", "DataView"], a);
      if (!isAny(b)) throw new codes.ERR_INVALID_ARG_TYPE(
        "buf2", ["ArrayBuffer", "Buffer", "TypedArray", "DataView"], b);
      if (a.byteLength !== b.byteLength) throw new codes.ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH();
      return native.timingSafeEqual(a, b);
    },
    generatePrimeSync: primeOptions,
    generatePrime(bits, options, callback) {
      if (typeof options === "function") [callback, options] = [options, {}];
      later(callback, () => primeOptions(bits, options));
    },
    checkPrimeSync: (v) => native.probablyPrime(candidate(v)),
    checkPrime(v, options, callback) {
      if (typeof options === "function") callback = options;
      later(callback, () => native.probablyPrime(candidate(v)));
    },
  };
})
