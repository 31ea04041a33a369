(function (require, module, exports, host) {
  "use strict";
  const { codes } = require("internal/errors");
  const { functions } = require("internal/absent");
  const builtinModules = host.builtinNames().map((n) => n.slice(5)).filter(
    (n) => n !== "sqlite" && n !== "test" && n !== "sys");
  const isBuiltin = (id) => typeof id === "string" && host.builtin(id) !== undefined;

  function createRequire(path) {
    const text = path instanceof URL ? path.href : path;
    if (typeof text !== "string" || !(text.startsWith("/") || text.startsWith("file:"))) {
      throw new codes.ERR_INVALID_ARG_VALUE(
        "filename", path, "must be a file URL object, file URL string, or absolute path string");
    }
    const req = (id) => {
      const found = host.builtin(id);
      if (found === undefined) throw Object.assign(
        new Error(`Cannot find module '${id}'\nRequire stack:\n- ${text}`),
        { code: "MODULE_NOT_FOUND", requireStack: [text] });
      return found;
    };
    req.resolve = (id) => {
      if (!isBuiltin(id)) throw Object.assign(new Error(`Cannot find module '${id}'`), { code: "MODULE_NOT_FOUND" });
      return id;
    };
    req.cache = {};
    req.main = undefined;
    return req;
  }

  function Module(id = "") {
    this.id = id;
    this.exports = {};
    this.loaded = false;
    this.children = [];
  }
  const api = Object.assign(Module, {
    Module, builtinModules, isBuiltin, createRequire, _cache: {}, _pathCache: {}, _extensions: {}, globalPaths: [],
    constants: { compileCacheStatus: { FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 } },
    syncBuiltinESMExports() {},
    enableCompileCache: () => ({ status: 3 }),
    flushCompileCache() {},
    getCompileCacheDir: () => undefined,
    getSourceMapsSupport: () => ({ enabled: false, nodeModules: false, generatedCode: false }),
    setSourceMapsSupport() {},
    findSourceMap: () => undefined,
    findPackageJSON: () => undefined,
    stripTypeScriptTypes: (s) => s,
  });
  functions(api, "module",
    "register registerHooks runMain wrap _load _resolveFilename _nodeModulePaths _findPath _initPaths " +
      "_preloadModules _resolveLookupPaths stripTypeScriptTypes");
  module.exports = functions(api, "module", "SourceMap");
})
