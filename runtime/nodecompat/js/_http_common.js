(function (require, module) {
  "use strict";
  const { METHODS } = require("http");
  module.exports = { METHODS };
})
