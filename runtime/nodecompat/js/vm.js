(function (require, module) {
  "use strict";
  const { functions, classes } = require("internal/absent");
  const api = { isContext: () => false, constants: {
    USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol("vm_dynamic_import_main_context_default"),
    DONT_CONTEXTIFY: Symbol("vm_context_no_contextify") } };
  functions(api, "vm",
    "createContext compileFunction measureMemory runInContext runInNewContext runInThisContext createScript");
  module.exports = classes(api, "vm", "Script Module SourceTextModule SyntheticModule");
})
