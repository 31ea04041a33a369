(function (require, module) {
  "use strict";
  const { functions, classes } = require("internal/absent");
  module.exports = functions(classes({ constants: {} }, "sqlite", "DatabaseSync StatementSync Session"), "sqlite",
    "backup");
})
