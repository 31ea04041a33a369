(function (require, module) {
  "use strict";
  const { functions, classes } = require("internal/absent");
  const api = { constants: require("internal/http2_constants"),
    sensitiveHeaders: Symbol("nodejs.http2.sensitiveHeaders"), getDefaultSettings: () => ({}) };
  functions(api, "http2",
    "createSecureServer createServer connect performServerHandshake getPackedSettings getUnpackedSettings");
  module.exports = classes(api, "http2", "Http2ServerRequest Http2ServerResponse");
})
