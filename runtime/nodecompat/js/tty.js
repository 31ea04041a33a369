(function (require, module) {
  "use strict";
  const { classes } = require("internal/absent");
  module.exports = classes({ isatty: () => false }, "tty", "ReadStream WriteStream");
})
