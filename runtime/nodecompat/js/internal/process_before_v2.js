// process as it is under nodejs_compat before the platform's own took its place (2026-02-19, or the flags
// enable_nodejs_process_v2 and fetch_iterable_type_support): a plain object made by unenv when wrangler bundles.
// Programs tell Node from other runtimes by it: by its tag, by argv and release.
(function (require, module, exports, host) {
  "use strict";
  const EventEmitter = require("events");

  const same = [
    "features", "platform", "env", "exit", "nextTick", "getBuiltinModule", "hrtime", "emitWarning", "uptime",
      "memoryUsage",
    "constrainedMemory", "availableMemory", "allowedNodeEnvironmentFlags", "finalization", "permission", "report",
    "stdin", "stdout", "stderr",
  ];
  const values = {
    arch: "", argv: [], argv0: "", config: {}, connected: false, debugPort: 0, execArgv: [], execPath: "",
      exitCode: undefined,
    moduleLoadList: [], noDeprecation: undefined, pid: 200, ppid: 100, release: {}, sourceMapsEnabled: false,
    throwDeprecation: undefined, title: "", traceDeprecation: undefined, version: "v22.14.0",
      versions: { node: "22.14.0" },
    channel: undefined, domain: undefined, mainModule: undefined, send: undefined,
    getegid: undefined, geteuid: undefined, getgid: undefined, getgroups: undefined, getuid: undefined,
    setegid: undefined, seteuid: undefined, setgid: undefined, setgroups: undefined, setuid: undefined,
  };
  const missing = [
    "abort", "assert", "binding", "cpuUsage", "disconnect", "dlopen", "getActiveResourcesInfo",
    "hasUncaughtExceptionCaptureCallback", "initgroups", "kill", "loadEnvFile", "openStdin", "reallyExit",
    "setSourceMapsEnabled", "setUncaughtExceptionCaptureCallback", "umask",
  ];
  const events = [
    "on", "addListener", "once", "off", "removeListener", "removeAllListeners", "emit", "listeners", "listenerCount",
    "prependListener", "prependOnceListener", "eventNames", "setMaxListeners", "getMaxListeners", "rawListeners",
  ];

  module.exports = function before(process) {
    const old = {};
    for (const name of same) Object.defineProperty(old, name, Object.getOwnPropertyDescriptor(process, name));
    Object.assign(old, values);
    for (const name of missing) {
      old[name] = () => {
        throw new Error(`[unenv] process.${name} is not implemented yet!`);
      };
    }
    let directory = "/";
    old.cwd = () => directory;
    old.chdir = (path) => {
      directory = require("path").resolve(directory, path);
    };
    old.resourceUsage = () => ({});
    old.ref = old.unref = () => {};
    // Listeners hang on an emitter of its own, and that is what on() gives back.
    const emitter = new EventEmitter();
    for (const name of events) old[name] = emitter[name].bind(emitter);
    return old;
  };
})
