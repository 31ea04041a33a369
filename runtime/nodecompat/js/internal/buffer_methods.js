// Methods of Buffer.prototype.
(function (require, module, exports, host) {
  "use strict";
  const { codes } = require("internal/errors");
  const { validateString, validateNumber, validateInteger } = require("internal/validators");
  const { normalize } = require("internal/encoding");
  const { Buffer, FastBuffer, checkEncoding } = require("internal/buffer");
  const native = host.buffer;
  const proto = Buffer.prototype;
  const define = (name, value) => {
    Object.defineProperty(proto, name, { value, writable: true, configurable: true, enumerable: true });
  };

  // Numbers are read and written by Go; the aliases spell Uint.
  for (const name of Object.keys(native)) {
    if (!/^(read|write)(Big)?(U?Int|Float|Double)/.test(name)) continue;
    define(name, native[name]);
    if (name.includes("UInt")) define(name.replace("UInt", "Uint"), native[name]);
  }

  const needBuffer = (v, name) => {
    if (!(v instanceof Uint8Array)) throw new codes.ERR_INVALID_ARG_TYPE(name, ["Buffer", "Uint8Array"], v);
  };

  // bound checks an offset of compare and copy.
  const bound = (v, name, low, high, def) => {
    if (v === undefined) return def;
    validateInteger(v, name, low, high);
    return v;
  };
  const integer = (v, def) => {
    const n = +v;
    return Number.isNaN(n) ? def : Math.trunc(n);
  };

  const methods = {
    toString(encoding, start, end) {
      if (arguments.length === 0) return native.toString(this, "utf8");
      const length = this.length;
      if (start <= 0) start = 0;
      else if (start >= length) return "";
      else start = Math.trunc(start) || 0;
      if (end === undefined || end > length) end = length;
      else end = Math.trunc(end) || 0;
      if (end <= start) return "";
      return native.toString(this, encoding === undefined ? "utf8" :
        checkEncoding(encoding === "" ? "utf8" : String(encoding)), start, end);
    },
    write(string, offset, length, encoding) {
      if (typeof string !== "string") throw new codes.ERR_INVALID_ARG_TYPE("argument", "string", string);
      if (offset === undefined) return native.write(this, string, 0, this.length, "utf8");
      if (length === undefined && typeof offset === "string") {
        encoding = offset;
        offset = 0;
        length = this.length;
      } else {
        validateInteger(offset, "offset", 0, this.length);
        const rest = this.length - offset;
        if (length === undefined) length = rest;
        else if (typeof length === "string") {
          encoding = length;
          length = rest;
        } else {
          validateInteger(length, "length", 0, this.length);
          if (length > rest) length = rest;
        }
      }
      return native.write(this, string, offset, length, encoding ? checkEncoding(encoding) : "utf8");
    },
    toJSON() {
      return { type: "Buffer", data: Array.from(this) };
    },
    equals(other) {
      needBuffer(other, "otherBuffer");
      return this === other || (this.byteLength === other.byteLength && native.equals(this, other));
    },
    compare(target, targetStart, targetEnd, sourceStart, sourceEnd) {
      needBuffer(target, "target");
      if (arguments.length === 1) return native.compare(this, target);
      targetStart = bound(targetStart, "targetStart", 0, Number.MAX_SAFE_INTEGER, 0);
      targetEnd = bound(targetEnd, "targetEnd", 0, target.length, target.length);
      sourceStart = bound(sourceStart, "sourceStart", 0, Number.MAX_SAFE_INTEGER, 0);
      sourceEnd = bound(sourceEnd, "sourceEnd", 0, this.length, this.length);
      if (sourceStart >= sourceEnd) return targetStart >= targetEnd ? 0 : -1;
      if (targetStart >= targetEnd) return 1;
      return native.compare(this.subarray(sourceStart, sourceEnd), target.subarray(targetStart, targetEnd));
    },
    copy(target, targetStart, sourceStart, sourceEnd) {
      if (!ArrayBuffer.isView(this)) throw new codes.ERR_INVALID_ARG_TYPE("source", ["Buffer", "Uint8Array"], this);
      if (!ArrayBuffer.isView(target)) throw new codes.ERR_INVALID_ARG_TYPE("target", ["Buffer", "Uint8Array"], target);
      targetStart = targetStart === undefined ? 0 : integer(targetStart, 0);
      if (targetStart < 0) throw new codes.ERR_OUT_OF_RANGE("targetStart", ">= 0", targetStart);
      sourceStart = sourceStart === undefined ? 0 : integer(sourceStart, 0);
      if (sourceStart < 0) throw new codes.ERR_OUT_OF_RANGE("sourceStart", ">= 0", sourceStart);
      sourceEnd = sourceEnd === undefined ? this.length : integer(sourceEnd, 0);
      if (sourceEnd < 0) throw new codes.ERR_OUT_OF_RANGE("sourceEnd", ">= 0", sourceEnd);
      if (targetStart >= target.byteLength || sourceStart >= sourceEnd) return 0;
      return native.copy(this, target, targetStart, sourceStart, Math.min(sourceEnd, this.length));
    },
    slice(start, end) {
      return this.subarray(start, end);
    },
    subarray(start, end) {
      const length = this.length;
      const place = (v, def) => {
        if (v === undefined) return def;
        v = Math.trunc(+v) || 0;
        return v < 0 ? Math.max(v + length, 0) : Math.min(v, length);
      };
      const from = place(start, 0);
      const to = place(end, length);
      return new FastBuffer(this.buffer, this.byteOffset + from, Math.max(0, to - from));
    },
    fill(value, offset, end, encoding) {
      if (typeof value === "string") {
        if (offset === undefined || typeof offset === "string") {
          encoding = offset;
          offset = undefined;
        } else if (typeof end === "string") {
          encoding = end;
          end = undefined;
        }
        const name = normalize(encoding);
        if (name === undefined) {
          validateString(encoding, "encoding");
          throw new codes.ERR_UNKNOWN_ENCODING(encoding);
        }
        const bytes = Buffer.from(value, name);
        if (value.length > 0 && bytes.length === 0) throw new codes.ERR_INVALID_ARG_VALUE("value", value);
        value = value.length === 0 ? Buffer.of(0) : bytes;
      } else if (ArrayBuffer.isView(value)) {
        if (value.byteLength === 0) throw new codes.ERR_INVALID_ARG_VALUE("value", value);
      } else {
        value = Buffer.of(typeof value === "boolean" ? +value : value & 255);
      }
      if (offset === undefined) offset = 0;
      else {
        validateNumber(offset, "offset", 0);
        if (offset > this.length) throw new codes.ERR_OUT_OF_RANGE("offset", `>= 0 && <= ${this.length}`, offset);
      }
      if (end === undefined) end = this.length;
      else validateNumber(end, "end", 0, this.length);
      if (offset < end) native.fill(this, value, offset, end);
      return this;
    },
    indexOf(value, byteOffset, encoding) {
      return find(this, value, byteOffset, encoding, true);
    },
    lastIndexOf(value, byteOffset, encoding) {
      return find(this, value, byteOffset, encoding, false);
    },
    includes(value, byteOffset, encoding) {
      return this.indexOf(value, byteOffset, encoding) !== -1;
    },
    toLocaleString(encoding, start, end) {
      return this.toString(encoding, start, end);
    },
    inspect(depth, ctx) {
      return inspect.call(this, depth, ctx);
    },
  };
  for (const size of [2, 4, 8]) {
    methods[`swap${size * 8}`] = function () {
      if (this.length % size !== 0) throw new codes.ERR_INVALID_BUFFER_SIZE(`${size * 8}-bits`);
      native.swap(this, size);
      return this;
    };
  }

  function find(buffer, value, byteOffset, encoding, forward) {
    if (typeof byteOffset === "string") {
      encoding = byteOffset;
      byteOffset = undefined;
    } else if (byteOffset > 0x7fffffff) byteOffset = 0x7fffffff;
    else if (byteOffset < -0x80000000) byteOffset = -0x80000000;
    byteOffset = +byteOffset;
    if (Number.isNaN(byteOffset)) byteOffset = forward ? 0 : buffer.length;
    byteOffset = Math.trunc(byteOffset);
    if (typeof value === "number") {
      return native.search(buffer, Buffer.of(value), byteOffset, forward, 1);
    }
    let step = 1;
    if (typeof value === "string") {
      const name = encoding === undefined ? "utf8" : normalize(encoding);
      if (name === undefined) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
      if (name === "utf16le") step = 2;
      value = Buffer.from(value, name);
    } else if (!(value instanceof Uint8Array)) {
      throw new codes.ERR_INVALID_ARG_TYPE("value", ["number", "string", "Buffer", "Uint8Array"], value);
    } else if (normalize(encoding) === "utf16le" && encoding) step = 2;
    return native.search(buffer, value, byteOffset, forward, step);
  }

  function inspect(depth, ctx) {
    const max = require("buffer").INSPECT_MAX_BYTES;
    const shown = Math.min(max, this.length);
    let text = native.toString(this, "hex", 0, shown).replace(/(.{2})/g, "$1 ").trim();
    const rest = this.length - max;
    if (rest > 0) text += ` ... ${rest} more byte${rest > 1 ? "s" : ""}`;
    const extra = Object.keys(this).filter((k) => !/^\d+$/.test(k));
    if (extra.length > 0 && ctx) {
      const o = { __proto__: null };
      for (const k of extra) o[k] = this[k];
      text += `, ${host.inspect(o, { ...ctx, breakLength: Infinity, compact: true }).replace(
        /^\[Object: null prototype\] \{ ?/, "").replace(/ ?\}$/, "")}`;
    }
    return `<${this.constructor.name} ${text}>`;
  }

  for (const [name, fn] of Object.entries(methods)) define(name, fn);
  Object.defineProperty(proto, Symbol.for("nodejs.util.inspect.custom"),
    { value: inspect, writable: true, configurable: true, enumerable: false });
  Object.defineProperty(proto, "parent",
    { enumerable: true, get() { return this instanceof Buffer ? this.buffer : undefined; } });
  Object.defineProperty(proto, "offset",
    { enumerable: true, get() { return this instanceof Buffer ? this.byteOffset : undefined; } });

  // The encoding-named pairs that old libraries call.
  for (const enc of ["utf8", "latin1", "ascii", "base64", "base64url", "hex", "ucs2"]) {
    define(`${enc}Slice`, function (start, end) {
      return native.toString(this, enc, start, end);
    });
    define(`${enc}Write`, function (string, offset = 0, length = this.length - offset) {
      if (offset < 0 || offset > this.length) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("offset");
      return native.write(this, string, offset, length, enc);
    });
  }
  Object.defineProperty(proto, "readBigUint64LE",
    { value: native.readBigUInt64LE, writable: true, configurable: true, enumerable: true });
  module.exports = methods;
})
