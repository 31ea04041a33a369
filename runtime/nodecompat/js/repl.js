(function (require, module) {
  "use strict";
  const { functions, classes } = require("internal/absent");
  const api = { REPL_MODE_SLOPPY: Symbol("repl-sloppy"), REPL_MODE_STRICT: Symbol("repl-strict"),
    builtinModules: require("module").builtinModules, _builtinLibs: require("module").builtinModules };
  functions(api, "repl", "start writer");
  module.exports = classes(api, "repl", "REPLServer Recoverable", require("events"));
})
