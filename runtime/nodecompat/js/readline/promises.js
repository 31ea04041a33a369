(function (require, module) {
  "use strict";
  const { Interface } = require("readline");
  const { classes } = require("internal/absent");
  module.exports = classes({ Interface, createInterface: () => new Interface() }, "readline/promises", "Readline");
})
