(function (require, module) {
  "use strict";
  module.exports = require("stream").Writable;
})
