// The Buffer class: how buffers are made. What they can do is in buffer_methods.
(function (require, module, exports, host) {
  "use strict";
  const { codes } = require("internal/errors");
  const { validateNumber, validateArray, validateString } = require("internal/validators");
  const { normalize } = require("internal/encoding");
  const native = host.buffer;

  const constants = { MAX_LENGTH: 2 ** 31 - 1, MAX_STRING_LENGTH: 2 ** 29 - 24 };
  const TypedArray = Object.getPrototypeOf(Uint8Array);

  class FastBuffer extends Uint8Array {}

  function checkSize(size) {
    validateNumber(size, "size");
    if (Number.isNaN(size)) {
      const error = new RangeError("The argument 'size' is invalid. Received NaN");
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    if (size > constants.MAX_LENGTH) {
      throw new codes.ERR_OUT_OF_RANGE("size", `0 to ${constants.MAX_LENGTH}`, size);
    }
  }

  function Buffer(arg, encodingOrOffset, length) {
    if (typeof arg === "number") {
      if (typeof encodingOrOffset === "string") throw new codes.ERR_INVALID_ARG_TYPE("string", "string", arg);
      return Buffer.alloc(arg);
    }
    return Buffer.from(arg, encodingOrOffset, length);
  }
  Object.setPrototypeOf(Buffer, Uint8Array);
  Buffer.prototype = FastBuffer.prototype;
  Object.defineProperty(FastBuffer.prototype, "constructor",
    { value: Buffer, writable: true, configurable: true, enumerable: false });
  Object.defineProperty(Buffer, Symbol.species, { configurable: true, get: () => FastBuffer });

  const wrap = (arrayBuffer) => new FastBuffer(arrayBuffer);

  function checkEncoding(enc) {
    const name = normalize(enc);
    if (name === undefined) throw new codes.ERR_UNKNOWN_ENCODING(enc);
    return name;
  }

  function fromString(string, encoding) {
    const enc = typeof encoding !== "string" || encoding.length === 0 ? "utf8" : checkEncoding(encoding);
    return wrap(native.fromString(string, enc));
  }

  // More than an isolate may hold is refused before the memory is asked for.
  const most = 2 ** 29;
  function fits(size) {
    if (size > most) throw new RangeError("Array buffer allocation failed");
    return size;
  }

  const isAnyArrayBuffer = (v) => v instanceof ArrayBuffer ||
    (typeof SharedArrayBuffer === "function" && v instanceof SharedArrayBuffer) ||
    (v !== null && typeof v === "object" && /^\[object (Shared)?ArrayBuffer\]$/.test(
    Object.prototype.toString.call(v)));

  function fromArrayBuffer(buffer, offset, length) {
    if (offset === undefined) offset = 0;
    else {
      offset = +offset;
      if (Number.isNaN(offset)) offset = 0;
    }
    const max = buffer.byteLength - offset;
    if (max < 0) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("offset");
    if (length === undefined) length = max;
    else {
      length = +length;
      if (length > 0) {
        if (length > max) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("length");
      } else length = 0;
    }
    return new FastBuffer(buffer, offset, length);
  }

  function fromArrayLike(list) {
    if (list.length <= 0) return new FastBuffer();
    const b = new FastBuffer(fits(Math.trunc(+list.length)));
    if (ArrayBuffer.isView(list) || Array.isArray(list)) b.set(list);
    else for (let i = 0; i < b.length; i++) b[i] = list[i];
    return b;
  }

  Buffer.from = function from(value, encodingOrOffset, length) {
    if (typeof value === "string") return fromString(value, encodingOrOffset);
    if (typeof value === "object" && value !== null) {
      if (isAnyArrayBuffer(value)) return fromArrayBuffer(value, encodingOrOffset, length);
      const primitive = value.valueOf && value.valueOf();
      if (primitive != null && primitive !== value &&
        (typeof primitive === "string" || typeof primitive === "object")) {
        return Buffer.from(primitive, encodingOrOffset, length);
      }
      if (value.length !== undefined || isAnyArrayBuffer(value.buffer)) {
        return typeof value.length === "number" ? fromArrayLike(value) : new FastBuffer();
      }
      if (value.type === "Buffer" && Array.isArray(value.data)) return fromArrayLike(value.data);
      if (typeof value[Symbol.toPrimitive] === "function") {
        const text = value[Symbol.toPrimitive]("string");
        if (typeof text === "string") return fromString(text, encodingOrOffset);
      }
    }
    throw new codes.ERR_INVALID_ARG_TYPE(
      "first argument", ["string", "Buffer", "ArrayBuffer", "Array", "Array-like Object"], value);
  };

  Buffer.copyBytesFrom = function copyBytesFrom(view, offset, length) {
    if (!(view instanceof TypedArray)) throw new codes.ERR_INVALID_ARG_TYPE("view", ["TypedArray"], view);
    const start = offset ?? 0;
    const { validateInteger } = require("internal/validators");
    if (offset !== undefined) validateInteger(offset, "offset", 0);
    if (length !== undefined) validateInteger(length, "length", 0);
    if (view.length === 0 || start >= view.length) return Buffer.alloc(0);
    const part = view.slice(start, length === undefined ? view.length : start + length);
    return fromArrayLike(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  };

  Buffer.of = function of(...items) {
    const b = new FastBuffer(items.length);
    for (let i = 0; i < items.length; i++) b[i] = items[i];
    return b;
  };

  Buffer.alloc = function alloc(size, fill, encoding) {
    checkSize(size);
    const b = new FastBuffer(fits(size));
    if (fill !== undefined && fill !== 0 && size > 0) {
      if (encoding !== undefined) validateString(encoding, "encoding");
      b.fill(fill, encoding);
    }
    return b;
  };
  // Memory is never given out with old contents in it, so the unsafe ways are as safe as the others.
  const allocSlow = (size) => {
    checkSize(size);
    return new FastBuffer(fits(size));
  };
  Buffer.allocUnsafe = function allocUnsafe(size) {
    return allocSlow(size);
  };
  Buffer.allocUnsafeSlow = function allocUnsafeSlow(size) {
    return allocSlow(size);
  };
  Buffer.poolSize = 8192;

  Buffer.isBuffer = function isBuffer(b) {
    return b instanceof Buffer;
  };
  Buffer.isEncoding = function isEncoding(enc) {
    return typeof enc === "string" && enc.length !== 0 && normalize(enc) !== undefined;
  };

  Buffer.byteLength = function byteLength(value, encoding) {
    if (typeof value !== "string") {
      if (ArrayBuffer.isView(value) || isAnyArrayBuffer(value)) return value.byteLength;
      throw new codes.ERR_INVALID_ARG_TYPE("string", ["string", "Buffer", "ArrayBuffer"], value);
    }
    return native.byteLength(value, normalize(encoding) ?? "utf8");
  };

  Buffer.compare = function compare(a, b) {
    if (!(a instanceof Uint8Array)) throw new codes.ERR_INVALID_ARG_TYPE("buf1", ["Buffer", "Uint8Array"], a);
    if (!(b instanceof Uint8Array)) throw new codes.ERR_INVALID_ARG_TYPE("buf2", ["Buffer", "Uint8Array"], b);
    return a === b ? 0 : native.compare(a, b);
  };

  Buffer.concat = function concat(list, total) {
    validateArray(list, "list");
    if (list.length === 0) return new FastBuffer();
    let sum = 0;
    list.forEach((b, i) => {
      if (!(b instanceof Uint8Array)) throw new codes.ERR_INVALID_ARG_TYPE(`list[${i}]`, ["Buffer", "Uint8Array"], b);
      sum += b.length;
    });
    if (total === undefined) total = sum;
    else {
      const { validateInteger } = require("internal/validators");
      validateInteger(total, "length", 0);
    }
    return wrap(native.concat(list, fits(total)));
  };

  for (const name of Object.keys(Buffer)) {
    Object.defineProperty(Buffer, name, { enumerable: true });
  }
  module.exports = { Buffer, FastBuffer, constants, wrap, checkEncoding, allocSlow, isAnyArrayBuffer };
})
