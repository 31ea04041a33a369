(function (require, module) {
  "use strict";
  module.exports = require("inspector");
})
