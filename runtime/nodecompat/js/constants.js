(function (require, module) {
  "use strict";
  const { constants } = require("os");
  module.exports = { ...constants.errno, ...constants.signals, ...constants.priority, ...constants.dlopen,
    ...require("internal/fs_constants"), ...require("internal/crypto/constants") };
})
