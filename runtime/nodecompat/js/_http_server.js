(function (require, module) {
  "use strict";
  const { Server, ServerResponse, STATUS_CODES } = require("http");
  module.exports = { Server, ServerResponse, STATUS_CODES };
})
