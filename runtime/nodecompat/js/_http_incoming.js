(function (require, module) {
  "use strict";
  const { IncomingMessage } = require("http");
  module.exports = { IncomingMessage };
})
