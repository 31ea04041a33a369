// Names of Buffer encodings.
(function (require, module) {
  "use strict";
  const names = {
    __proto__: null,
    utf8: "utf8", "utf-8": "utf8", utf16le: "utf16le", "utf-16le": "utf16le", ucs2: "utf16le", "ucs-2": "utf16le",
    latin1: "latin1", binary: "latin1", ascii: "ascii", base64: "base64", base64url: "base64url", hex: "hex",
  };
  // normalize gives the one name of an encoding; undefined for what is none. Nothing means utf8.
  function normalize(enc) {
    if (enc == null || enc === "") return "utf8";
    if (typeof enc !== "string") return undefined;
    return names[enc] ?? names[enc.toLowerCase()];
  }
  module.exports = { normalize };
})
