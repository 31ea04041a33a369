(function (require, module) {
  "use strict";
  const { Agent, globalAgent } = require("http");
  module.exports = { Agent, globalAgent };
})
