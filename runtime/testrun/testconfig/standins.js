// Stand-ins for the packages that configurations import, and for the parts of Node that reach the machine (TEST-58).
(function (v, host) {
  "use strict";
  const { process, path, Buffer, EventEmitter } = host;
  process.default.cwd = () => host.root;
  process.default.argv = ["node", "vitest"];
  process.default.exit = (code) => {
    throw new Error(`process.exit(${code ?? ""}) was called by the configuration of the tests`);
  };
  if (process.cwd) process.cwd = process.default.cwd;

  // Errors of the machine, as Node's.
  function failed(call, at, e) {
    const err = new Error(`${e.code}: ${e.text}, ${call} '${at}'`);
    Object.assign(err, { code: e.code, errno: -1, syscall: call, path: at });
    throw err;
  }
  const name = (p) => (p instanceof URL ? decodeURIComponent(p.pathname) : String(p));
  const full = (p) => path.resolve(host.root, name(p));
  const use = (call, p, ...args) => {
    const r = host[call](full(p), ...args);
    if (r && r.failed) failed(call, name(p), r.failed);
    return r.value;
  };
  const encoding = (o) => (typeof o === "string" ? o : o?.encoding);
  const decoded = (bytes, o) => {
    const b = Buffer.from(bytes);
    return encoding(o) && encoding(o) !== "buffer" ? b.toString(encoding(o)) : b;
  };
  const bytes = (data, o) => {
    const b = typeof data === "string" ? Buffer.from(data, encoding(o)) : Buffer.from(data.buffer ?? data,
      data.byteOffset, data.byteLength);
    return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);
  };
  class Stats {
    constructor(s) {
      Object.assign(this, { size: s.size, mode: s.mode, mtimeMs: s.mtimeMs, ctimeMs: s.mtimeMs, atimeMs: s.mtimeMs });
      this.mtime = this.ctime = this.atime = new Date(s.mtimeMs);
      this.kind = s.kind;
      Object.defineProperty(this, "kind", { enumerable: false });
    }
    isFile() { return this.kind === "file"; }
    isDirectory() { return this.kind === "directory"; }
    isSymbolicLink() { return this.kind === "link"; }
  }
  class Dirent {
    constructor(folder, e) {
      this.name = e.name;
      this.parentPath = this.path = folder;
      Object.defineProperty(this, "kind", { value: e.kind });
    }
    isFile() { return this.kind === "file"; }
    isDirectory() { return this.kind === "directory"; }
    isSymbolicLink() { return this.kind === "link"; }
  }
  const sync = {
    readFileSync: (p, o) => decoded(use("readFile", p), o),
    writeFileSync: (p, data, o) => use("writeFile", p, bytes(data, o), o?.flag === "a"),
    appendFileSync: (p, data, o) => use("writeFile", p, bytes(data, o), true),
    existsSync: (p) => {
      try {
        use("stat", p, true);
        return true;
      } catch {
        return false;
      }
    },
    statSync: (p, o) => {
      try {
        return new Stats(use("stat", p, true));
      } catch (e) {
        if (o?.throwIfNoEntry === false && e.code === "ENOENT") return undefined;
        throw e;
      }
    },
    lstatSync: (p) => new Stats(use("stat", p, false)),
    accessSync: (p) => void use("stat", p, true),
    readdirSync: (p, o) => {
      const list = use("readdir", p, !!o?.recursive);
      return o?.withFileTypes ? list.map((e) => new Dirent(name(p), e)) : list.map((e) => e.name);
    },
    mkdirSync: (p, o) => void use("mkdir", p, !!o?.recursive),
    mkdtempSync: (prefix) => use("mkdtemp", prefix),
    rmSync: (p, o) => void use("rm", p, !!o?.recursive, !!o?.force),
    rmdirSync: (p, o) => void use("rm", p, !!o?.recursive, false),
    unlinkSync: (p) => void use("rm", p, false, false),
    realpathSync: (p) => use("realpath", p),
    copyFileSync: (from, to) => sync.writeFileSync(to, sync.readFileSync(from)),
    renameSync: (from, to) => void use("rename", from, full(to)),
  };
  const fs = { ...sync };
  const fsPromises = {};
  for (const key of Object.keys(sync)) {
    const plain = key.slice(0, -4);
    if (plain !== "exists") fsPromises[plain] = async (...args) => sync[key](...args);
    fs[plain] = (...args) => {
      const callback = args.pop();
      if (plain === "exists") return void queueMicrotask(() => callback(sync.existsSync(args[0])));
      fsPromises[plain](...args).then((r) => callback(null, r), (e) => callback(e));
    };
  }
  fs.promises = fsPromises;
  fs.constants = fsPromises.constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 };
  // What is not there is named when it is used, in the line that uses it.
  const absent = (module, known, names) => {
    for (const n of names.split(" "))
      known[n] ??= () => {
        throw new Error(`${module}.${n}() is not available in the configuration of tests that eddy runs`);
      };
    return Object.assign(known, { default: known });
  };
  v.fs = absent("node:fs", fs, "watch watchFile createReadStream createWriteStream openSync open symlinkSync symlink " +
    "chmodSync chmod cpSync cp globSync glob");
  v.fsPromises = absent("node:fs/promises", fsPromises, "open watch symlink chmod cp glob");

  // Commands. `wrangler build` is eddy's own.
  const environment = (o) => Object.entries(o?.env ?? process.default.env).map(([k, x]) => `${k}=${x}`);
  function run(command, args, o, shell) {
    const cwd = o?.cwd ? full(o.cwd) : host.root;
    return host.run(command, args, cwd, environment(o), shell, o?.input === undefined ? "" : String(o.input));
  }
  const text = (s, o) => (encoding(o) && encoding(o) !== "buffer" ? s : Buffer.from(s));
  function checked(command, r, o) {
    if (r.code === 0) return;
    const e = new Error(`Command failed: ${command}\n${r.stderr}`);
    throw Object.assign(e, { status: r.code, stdout: text(r.stdout, o), stderr: text(r.stderr, o), pid: 0 });
  }
  const split = (args, o) => (Array.isArray(args) ? [args, o] : [[], args]);
  const inherit = (r, o) => {
    if (o?.stdio === "inherit" || o?.stdio?.[1] === "inherit") host.print(r.stdout + r.stderr);
  };
  const child = {
    execSync(command, o) {
      const r = run(command, [], o, true);
      inherit(r, o);
      checked(command, r, o);
      return text(r.stdout, o);
    },
    execFileSync(file, args, options) {
      const [list, o] = split(args, options);
      const r = run(file, list, o, !!o?.shell);
      inherit(r, o);
      checked([file, ...list].join(" "), r, o);
      return text(r.stdout, o);
    },
    spawnSync(file, args, options) {
      const [list, o] = split(args, options);
      const r = run(file, list, o, !!o?.shell);
      inherit(r, o);
      return { status: r.code, signal: null, stdout: text(r.stdout, o), stderr: text(r.stderr, o), pid: 0,
        output: [null, text(r.stdout, o), text(r.stderr, o)], error: undefined };
    },
    exec(command, options, callback) {
      const [o, done] = typeof options === "function" ? [undefined, options] : [options, callback];
      const r = run(command, [], o, true);
      queueMicrotask(() => {
        try {
          checked(command, r, { encoding: "utf8" });
          done?.(null, r.stdout, r.stderr);
        } catch (e) {
          done?.(e, r.stdout, r.stderr);
        }
      });
    },
  };
  // spawn runs the command to its end before its events come: nothing that goes on beside the tests.
  child.spawn = (file, args, options) => {
    const [list, o] = split(args, options);
    const p = new EventEmitter();
    const stream = () => Object.assign(new EventEmitter(), { pipe: (to) => to, setEncoding() {} });
    Object.assign(p, { stdout: stream(), stderr: stream(), stdin: { write() {}, end() {} }, kill: () => true, pid: 0 });
    const r = run(file, list, o, !!o?.shell);
    inherit(r, o);
    setTimeout(() => {
      if (r.stdout) p.stdout.emit("data", Buffer.from(r.stdout));
      if (r.stderr) p.stderr.emit("data", Buffer.from(r.stderr));
      p.exitCode = r.code;
      p.emit("exit", r.code, null);
      p.emit("close", r.code, null);
    }, 0);
    return p;
  };
  child.execFile = (file, args, options, callback) => {
    const all = [args, options, callback].filter((x) => x !== undefined);
    const done = typeof all.at(-1) === "function" ? all.pop() : undefined;
    const [list, o] = split(...all);
    child.exec([file, ...list].map((x) => `'${String(x).replaceAll("'", `'\\''`)}'`).join(" "), o ?? {}, done);
  };
  v.childProcess = absent("node:child_process", child, "fork");

  // Vite and vitest.
  const merged = (a, b, at = "") => {
    if (a === undefined || a === null) return b;
    if (b === undefined || b === null) return a;
    if (at === "resolve.alias" || at === "test.alias" || at === "alias") return [...aliases(b), ...aliases(a)];
    if (Array.isArray(a) || Array.isArray(b))
      return [...(Array.isArray(a) ? a : [a]), ...(Array.isArray(b) ? b : [b])];
    const plain = (x) => typeof x === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(x));
    if (!plain(a) || !plain(b)) return b;
    const out = { ...a };
    for (const [k, x] of Object.entries(b)) out[k] = merged(out[k], x, at ? `${at}.${k}` : k);
    return out;
  };
  const aliases = (a) =>
    Array.isArray(a) ? a : Object.entries(a ?? {}).map(([find, replacement]) => ({ find, replacement }));
  v.aliases = aliases;
  const mergeConfig = (a, b) => {
    if (typeof a === "function" || typeof b === "function")
      throw new Error("Cannot merge config in form of callback");
    return merged(a, b);
  };
  v.merged = merged;
  const same = (x) => x;
  const defaultInclude = ["**/*.{test,spec}.?(c|m)[jt]s?(x)"];
  const defaultExclude = ["**/node_modules/**", "**/.git/**"];
  const configDefaults = Object.freeze({
    allowOnly: !process.default.env.CI, isolate: true, watch: false, globals: false, environment: "node",
    clearMocks: false, restoreMocks: false, mockReset: false, unstubGlobals: false, unstubEnvs: false,
    include: defaultInclude, exclude: defaultExclude, passWithNoTests: false, testTimeout: 5000, hookTimeout: 10000,
    teardownTimeout: 10000, retry: 0, bail: 0, maxConcurrency: 5, slowTestThreshold: 300, reporters: [],
    coverage: {
      provider: "v8", enabled: false, clean: true, reportsDirectory: "./coverage", exclude: [], reportOnFailure: false,
      reporter: ["text", "html", "clover", "json"],
    },
  });
  v.vitestConfig = {
    defineConfig: same, defineProject: same, defineWorkspace: same, mergeConfig, configDefaults,
    coverageConfigDefaults: configDefaults.coverage, defaultInclude, defaultExclude, defaultBrowserPort: 63315,
    esbuildVersion: "0.25.0", version: "4.1.12", viteVersion: "7.0.0",
  };
  v.vitestConfig.default = v.vitestConfig;
  const loadEnv = (mode, dir, prefixes = "VITE_") => {
    const list = [prefixes].flat();
    const out = {};
    for (const f of [".env", ".env.local", `.env.${mode}`, `.env.${mode}.local`]) {
      const file = path.join(dir ?? host.root, f);
      if (sync.existsSync(file)) Object.assign(out, host.dotenv(sync.readFileSync(file, "utf8")));
    }
    const wanted = (k) => list.some((p) => k.startsWith(p));
    return Object.fromEntries(Object.entries({ ...out, ...process.default.env }).filter(([k]) => wanted(k)));
  };
  v.vite = { defineConfig: same, mergeConfig, loadEnv, normalizePath: (p) => p.replaceAll("\\", "/"),
    version: "7.0.0" };
  v.vite.default = v.vite;

  // Plugins of others do nothing.
  v.isForeign = Symbol("foreign");
  v.foreign = (name, exports) => {
    const ns = {};
    for (const e of exports) {
      ns[e] = () => ({ name, [v.isForeign]: name });
      for (const more of ["configs", "extends"]) ns[e][more] = {};
    }
    return ns;
  };

  // Cloudflare's integration.
  v.isPool = Symbol("pool");
  const cloudflareTest = (options) => ({ name: "@cloudflare/vitest-plugin", [v.isPool]: options ?? {} });
  const cloudflarePool = (options) => ({ name: "cloudflare-pool", [v.isPool]: options ?? {} });
  const readD1Migrations = async (dir) => {
    if (typeof dir !== "string")
      throw new TypeError("Failed to execute 'readD1Migrations': parameter 1 is not of type 'string'.");
    const files = sync.readdirSync(dir).filter((n) => n.endsWith(".sql"));
    const number = (n) => parseInt(n.split("_")[0], 10);
    files.sort((a, b) => number(a) - number(b));
    return files.map((n) => ({ name: n, queries: host.statements(sync.readFileSync(path.join(dir, n), "utf8")) }));
  };
  v.isAssets = Symbol("assets");
  const buildPagesASSETSBinding = async (dir) => {
    if (typeof dir !== "string")
      throw new TypeError("Failed to execute 'buildPagesASSETSBinding': parameter 1 is not of type 'string'.");
    const served = () => {
      throw new Error("what buildPagesASSETSBinding() gives can be a service binding only");
    };
    served[v.isAssets] = full(dir);
    return served;
  };
  v.plugin = { cloudflareTest, cloudflarePool, readD1Migrations, buildPagesASSETSBinding };
  v.plugin.default = v.plugin;
  v.isOld = Symbol("old");
  const old = (config) =>
    typeof config === "function"
      ? async (...args) => old(await config(...args))
      : config instanceof Promise
        ? config.then(old)
        : { ...config, [v.isOld]: true };
  v.oldPlugin = {
    defineWorkersConfig: old, defineWorkersProject: old, readD1Migrations, buildPagesASSETSBinding,
    defineConfig: old, defineProject: old,
    kCurrentWorker: "eddy:current-worker",
  };
  v.oldPlugin.default = v.oldPlugin;
  const kCurrentWorker = (v.kCurrentWorker = Symbol.for("miniflare.kCurrentWorker"));
  v.miniflare = { Request, Response, Headers, FormData, File, WebSocket, WebSocketPair, fetch, kCurrentWorker,
    kUnsafeEphemeralUniqueKey: Symbol("ephemeral"), Log: class Log {}, LogLevel: { NONE: 0, ERROR: 1, WARN: 2, INFO: 3,
      DEBUG: 4, VERBOSE: 5 }, CoreHeaders: {}, 
    Miniflare: class Miniflare {
      constructor() {
        throw new Error("Miniflare cannot be started here: eddy runs the Workers of the tests itself");
      }
    } };
  v.miniflare.default = v.miniflare;
});
