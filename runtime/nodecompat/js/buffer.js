(function (require, module, exports, host) {
  "use strict";
  const { codes } = require("internal/errors");
  const { Buffer, constants, allocSlow } = require("internal/buffer");
  require("internal/buffer_methods");
  const native = host.buffer;

  const single = (name, test) => (input) => {
    if (!ArrayBuffer.isView(input) && !(input instanceof ArrayBuffer)) {
      throw new codes.ERR_INVALID_ARG_TYPE("input", ["ArrayBuffer", "Buffer", "TypedArray"], input);
    }
    return test(input);
  };

  function SlowBuffer(size) {
    return allocSlow(size);
  }
  SlowBuffer.prototype = Buffer.prototype;

  const transcodable = new Set(["utf8", "utf16le", "latin1", "ascii"]);
  const canonical = (enc) => require("internal/encoding").normalize(enc);

  module.exports = {
    Buffer, SlowBuffer, constants,
    kMaxLength: constants.MAX_LENGTH,
    kStringMaxLength: constants.MAX_STRING_LENGTH,
    INSPECT_MAX_BYTES: 50,
    atob: globalThis.atob,
    btoa: globalThis.btoa,
    Blob: globalThis.Blob,
    File: globalThis.File,
    isUtf8: single("isUtf8", native.isUtf8),
    isAscii: single("isAscii", native.isAscii),
    resolveObjectURL() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("buffer.resolveObjectURL");
    },
    transcode(source, from, to) {
      if (!ArrayBuffer.isView(source)) throw new codes.ERR_INVALID_ARG_TYPE("source", ["Buffer", "Uint8Array"], source);
      const a = canonical(from);
      const b = canonical(to);
      if (!transcodable.has(a) || !transcodable.has(b)) {
        throw Object.assign(new Error("Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]"),
          { code: "U_ILLEGAL_ARGUMENT_ERROR", errno: 1 });
      }
      return Buffer.from(native.transcode(source, a, b));
    },
  };
})
