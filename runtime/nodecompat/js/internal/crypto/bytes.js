// Arguments of node:crypto: bytes in, in the asked encoding out.
(function (require, module) {
  "use strict";
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const isAny = (v) => v instanceof ArrayBuffer || ArrayBuffer.isView(v);

  // bytes converts a string or view; everything else throws.
  function bytes(v, name, encoding) {
    if (typeof v === "string") return Buffer.from(v, encoding === "buffer" ? "utf8" : encoding);
    if (!isAny(v)) throw new codes.ERR_INVALID_ARG_TYPE(
      name, ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"], v);
    return v;
  }
  // output gives a Buffer, or text when an encoding is named.
  function output(arrayBuffer, encoding) {
    const b = Buffer.from(arrayBuffer);
    return encoding && encoding !== "buffer" ? b.toString(encoding) : b;
  }
  module.exports = { bytes, output, isAny };
})
