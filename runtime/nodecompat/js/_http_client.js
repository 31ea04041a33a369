(function (require, module) {
  "use strict";
  const { ClientRequest } = require("http");
  module.exports = { ClientRequest };
})
