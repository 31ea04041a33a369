(function (require, module, exports, host) {
  "use strict";
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const { normalize } = require("internal/encoding");
  const native = host.buffer;

  // tails tells how many bytes at the end of a chunk must wait for the next one.
  const tails = {
    utf8: (b) => native.incomplete(b),
    utf16le(b) {
      const odd = b.length % 2;
      const last = b.length - odd - 1;
      return last > 0 && b[last] >= 0xd8 && b[last] <= 0xdb ? odd + 2 : odd;
    },
    base64: (b) => b.length % 3,
    base64url: (b) => b.length % 3,
  };

  function StringDecoder(encoding) {
    const name = normalize(encoding);
    if (name === undefined) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
    this.encoding = name;
    Object.defineProperty(this, "rest", { value: Buffer.alloc(0), writable: true });
  }
  StringDecoder.prototype.write = function write(chunk) {
    if (typeof chunk === "string") return chunk;
    if (!ArrayBuffer.isView(chunk)) throw new codes.ERR_INVALID_ARG_TYPE(
      "buf", ["Buffer", "TypedArray", "DataView"], chunk);
    if (!this.encoding) throw new codes.ERR_INVALID_THIS("StringDecoder");
    let bytes = chunk instanceof Uint8Array ? chunk : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const tail = tails[this.encoding];
    if (!tail) return native.toString(bytes, this.encoding);
    if (this.rest.length > 0) bytes = Buffer.concat([this.rest, bytes]);
    const cut = bytes.length - tail(bytes);
    this.rest = cut === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(cut));
    return native.toString(bytes, this.encoding, 0, cut);
  };
  StringDecoder.prototype.end = function end(chunk) {
    let out = chunk === undefined ? "" : this.write(chunk);
    if (this.rest.length > 0) {
      out += native.toString(this.rest, this.encoding);
      this.rest = Buffer.alloc(0);
    }
    return out;
  };
  StringDecoder.prototype.text = function text(chunk, offset) {
    this.rest = Buffer.alloc(0);
    return this.write(chunk.slice(offset));
  };
  Object.defineProperties(StringDecoder.prototype, {
    lastChar: { configurable: true, enumerable: true, get() { return this.rest; } },
    lastNeed: { configurable: true, enumerable: true,
      get() { return this.rest.length === 0 ? 0 : need(this.encoding, this.rest); } },
    lastTotal: { configurable: true, enumerable: true,
      get() { return this.rest.length === 0 ? 0 : this.rest.length + need(this.encoding, this.rest); } },
  });
  function need(encoding, rest) {
    if (encoding === "utf8") return (rest[0] >= 0xf0 ? 4 : rest[0] >= 0xe0 ? 3 : 2) - rest.length;
    if (encoding === "utf16le") return rest.length === 1 ? 1 : 4 - rest.length;
    return 3 - rest.length;
  }
  module.exports = { StringDecoder };
})
