(function (require, module) {
  "use strict";
  const { unimplemented } = require("internal/errors");
  // The module's object inherits from the global console; its methods work apart from it.
  const api = Object.create(console);
  for (const name of ["log", "info", "debug", "warn", "error", "dir", "dirxml", "table", "trace", "group",
    "groupCollapsed", "groupEnd", "time", "timeEnd", "timeLog", "timeStamp", "assert", "clear", "count", "countReset",
    "profile", "profileEnd"]) {
    api[name] = typeof console[name] === "function" ? console[name].bind(console) : () => {};
  }
  api.Console = unimplemented("console.Console");
  api.context = unimplemented("console.context");
  api.createTask = unimplemented("console.createTask");
  module.exports = api;
})
