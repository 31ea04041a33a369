(function (require, module, exports, host) {
  "use strict";
  const EventEmitter = require("events");
  const { codes, unimplemented } = require("internal/errors");
  const { validateString, validateFunction } = require("internal/validators");
  const { env } = require("internal/environment");
  const nodeVersion = host.nodeVersion24 ? "24.22.2" : "22.23.4";

  function Process() {}
  Object.setPrototypeOf(Process.prototype, EventEmitter.prototype);
  Object.defineProperty(Process.prototype, Symbol.toStringTag, { value: "process", configurable: true });
  Object.defineProperty(Process, "name", { value: "process" });
  const process = new Process();
  EventEmitter.call(process);

  function hrtime(time) {
    if (time !== undefined) {
      if (!Array.isArray(time)) throw new codes.ERR_INVALID_ARG_TYPE("time", "Array", time);
      if (time.length !== 2) throw new codes.ERR_OUT_OF_RANGE("time", "2", time.length);
    }
    const now = BigInt(Math.round(performance.now() * 1000)) * 1000n;
    let seconds = Number(now / 1_000_000_000n);
    let nanos = Number(now % 1_000_000_000n);
    if (time) {
      seconds -= time[0];
      nanos -= time[1];
      if (nanos < 0) {
        seconds -= 1;
        nanos += 1e9;
      }
    }
    return [seconds, nanos];
  }
  hrtime.bigint = function bigint() {
    return BigInt(Math.round(performance.now() * 1000)) * 1000n;
  };

  function emitWarning(warning, type, code) {
    let detail;
    if (type !== null && typeof type === "object" && !Array.isArray(type)) {
      ({ code, detail } = type);
      type = type.type;
    } else if (typeof type === "function") {
      type = undefined;
      code = undefined;
    }
    if (type !== undefined) validateString(type, "type");
    if (typeof code === "function") code = undefined;
    if (code !== undefined) validateString(code, "code");
    if (typeof warning === "string") {
      const text = warning;
      warning = new Error(text);
      warning.name = String(type ?? "Warning");
      if (code !== undefined) warning.code = code;
      if (typeof detail === "string") warning.detail = detail;
    } else if (!(warning instanceof Error)) {
      throw new codes.ERR_INVALID_ARG_TYPE("warning", ["Error", "string"], warning);
    }
    queueMicrotask(() => {
      if (process.listenerCount("warning") === 0) {
        console.warn(`(node) ${warning.code ? `[${warning.code}] ` :
          ""}${warning.name}: ${warning.message}${warning.detail ? `\n${warning.detail}` : ""}`);
      }
      process.emit("warning", warning);
    });
  }

  let directory = "/bundle";
  let mask = 18;
  const empty = (...names) => Object.fromEntries(names.map((n) => [n, 0]));

  const fields = {
    version: `v${nodeVersion}`,
    versions: { node: nodeVersion },
    arch: "x64",
    platform: "linux",
    release: { name: "node", lts: true, sourceUrl: "", headersUrl: "" },
    connected: false,
    channel: null,
    domain: null,
    _exiting: false,
    _preload_modules: [],
    send: () => false,
    title: "workerd",
    argv: ["workerd"],
    argv0: "workerd",
    execArgv: [],
    execPath: "",
    pid: 1,
    ppid: 0,
    debugPort: 0,
    config: { target_defaults: {}, variables: {} },
    features: {
      cached_builtins: true, debug: false, inspector: false, ipv6: true, openssl_is_boringssl: true,
        require_module: false,
      tls: true, tls_alpn: true, tls_ocsp: true, tls_sni: true, typescript: false, uv: true,
    },
    allowedNodeEnvironmentFlags: new Set(),
    exitCode: undefined,
    moduleLoadList: [],
    noDeprecation: false,
    traceDeprecation: false,
    throwDeprecation: false,
    sourceMapsEnabled: false,
    env,
    hrtime,
    emitWarning,
    nextTick(callback, ...args) {
      validateFunction(callback, "callback");
      queueMicrotask(args.length === 0 ? () => callback() : () => callback(...args));
    },
    cwd: () => directory,
    chdir(path) {
      validateString(path, "directory");
      directory = require("path").resolve(directory, path);
    },
    umask(value) {
      if (value === undefined) return mask;
      if (typeof value === "string") {
        if (!/^[0-7]+$/.test(value)) throw new codes.ERR_INVALID_ARG_VALUE(
          "mask", value, "must be a 32-bit unsigned integer or an octal string");
        value = parseInt(value, 8);
      }
      const { validateUint32 } = require("internal/validators");
      validateUint32(value, "mask");
      return mask;
    },
    uptime: () => performance.now() / 1000,
    exit(code) {
      throw new Error(`The Node.js process.exit(${code ?? process.exitCode ??
        0}) API was called. Canceling the request.`);
    },
    reallyExit(code) {
      process.exit(code);
    },
    abort() {
      throw new Error("The Node.js process.abort() API was called. Canceling the request.");
    },
    memoryUsage: Object.assign(() => empty("rss", "heapTotal", "heapUsed", "external", "arrayBuffers"),
      { rss: () => 0 }),
    resourceUsage: () => empty("userCPUTime", "systemCPUTime", "maxRSS", "sharedMemorySize", "unsharedDataSize",
      "unsharedStackSize", "minorPageFault", "majorPageFault", "swappedOut", "fsRead", "fsWrite", "ipcSent",
      "ipcReceived", "signalsCount", "voluntaryContextSwitches", "involuntaryContextSwitches"),
    cpuUsage: unimplemented("process.cpuUsage"),
    threadCpuUsage: unimplemented("process.threadCpuUsage"),
    execve: unimplemented("process.execve"),
    constrainedMemory: () => 0,
    availableMemory: () => 0,
    getuid: () => 0,
    geteuid: () => 0,
    getgid: () => 0,
    getegid: () => 0,
    getgroups: () => [0],
    ref() {},
    unref() {},
    setSourceMapsEnabled() {},
    getSourceMapsSupport: () => ({ enabled: false, nodeModules: false, generatedCode: false }),
    assert: (...args) => require("assert")(...args),
    loadEnvFile(path = ".env") {
      Object.assign(env, require("util").parseEnv(require("fs").readFileSync(path, "utf8")));
    },
    getBuiltinModule(name) {
      validateString(name, "id");
      const ns = host.builtin(name);
      return ns ?? undefined;
    },
    permission: { has: () => true },
    report: {
      directory: "", filename: "", compact: false, signal: "SIGUSR2", reportOnFatalError: false, reportOnSignal: false,
        reportOnUncaughtException: false,
      getReport: () => ({}), writeReport: () => "",
    },
    finalization: { register() {}, registerBeforeExit() {}, unregister() {} },
    binding: unimplemented("process.binding"),
    dlopen: unimplemented("process.dlopen"),
    kill: unimplemented("process.kill"),
    getActiveResourcesInfo: unimplemented("process.getActiveResourcesInfo"),
    setUncaughtExceptionCaptureCallback: unimplemented("process.setUncaughtExceptionCaptureCallback"),
    hasUncaughtExceptionCaptureCallback: unimplemented("process.hasUncaughtExceptionCaptureCallback"),
    openStdin: () => process.stdin,
    initgroups: unimplemented("process.initgroups"),
    setgroups: unimplemented("process.setgroups"),
    setegid: unimplemented("process.setegid"),
    seteuid: unimplemented("process.seteuid"),
    setgid: unimplemented("process.setgid"),
    setuid: unimplemented("process.setuid"),
  };
  for (const name of ["_debugEnd", "_debugProcess", "_rawDebug", "_startProfilerIdleNotifier",
    "_stopProfilerIdleNotifier", "_tickCallback"]) fields[name] = () => {};
  for (const name of ["_getActiveHandles", "_getActiveRequests"]) fields[name] = () => [];
  for (const name of ["_kill", "_linkedBinding"]) fields[name] = unimplemented(`process.${name}`);
  Object.assign(process, fields);
  for (const name of ["on", "addListener", "once", "off", "removeListener", "removeAllListeners", "emit", "listeners",
    "listenerCount", "prependListener", "prependOnceListener", "eventNames", "setMaxListeners", "getMaxListeners",
    "rawListeners"]) {
    process[name] = process[name];
  }
  for (const name of ["stdin", "stdout", "stderr"]) {
    Object.defineProperty(process, name, {
      configurable: true, enumerable: true,
      get() {
        const value = require("internal/stdio")[name];
        Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true });
        return value;
      },
    });
  }
  module.exports = host.processV2 ? process : require("internal/process_before_v2")(process);
})
