// Reads what a configuration exports into plain data (TEST-50 to TEST-65).
(function (v, host) {
  "use strict";
  const { path } = host;
  const live = []; // configurations of projects, by index
  const setups = []; // teardowns of global setups
  const words = (s) => new Set(s.split(/\s+/).filter(Boolean));
  const honoured = words(`
    name root dir include exclude setupFiles globalSetup globals testTimeout hookTimeout retry bail
    reporters outputFile restoreMocks mockReset clearMocks unstubEnvs unstubGlobals sequence passWithNoTests isolate
    maxWorkers fileParallelism maxConcurrency provide env alias projects workspace allowOnly poolOptions environment
    coverage testNamePattern silent dangerouslyIgnoreUnhandledErrors`);
  // What has no meaning where there is no Node, or does not change results.
  const ignored = words(`
    pool deps server ssr optimizeDeps typecheck benchmark browser ui api watch watchExclude forceRerunTriggers open
    cache poolMatchGlobs environmentMatchGlobs environmentOptions css mode uiBase inspect inspectBrk execArgv
    vmMemoryLimit disableConsoleIntercept printConsoleTrace logHeapUsage includeTaskLocation attachmentsDir standalone
    run color experimental minWorkers teardownTimeout slowTestThreshold hideSkippedTests watchTriggerPatterns
    related changed runner`);
  const viteKeys = words(`
    test plugins root define resolve mode base publicDir cacheDir css json esbuild assetsInclude logLevel customLogger
    clearScreen envDir envPrefix appType server build preview optimizeDeps ssr worker environments dev builder future
    html legacy experimental oxc`);

  const alias = (x) =>
    v.aliases(x).map((a) =>
      a.find instanceof RegExp
        ? { find: a.find.source, flags: a.find.flags, regexp: true, replacement: String(a.replacement) }
        : { find: String(a.find), replacement: String(a.replacement) },
    );

  async function flat(plugins) {
    const out = [];
    for (const p of [await plugins].flat(Infinity)) {
      const q = await p;
      if (Array.isArray(q)) out.push(...(await flat(q)));
      else if (q) out.push(q);
    }
    return out;
  }

  const list = (x) => (x === undefined || x === null ? undefined : [x].flat());

  // settings is the section test as plain data.
  function settings(test, unknown) {
    const out = {};
    for (const [key, x] of Object.entries(test)) {
      if (x === undefined || ignored.has(key)) continue;
      if (!honoured.has(key)) {
        unknown.push(["test", key]);
        continue;
      }
      switch (key) {
        case "name":
          out.name = typeof x === "object" ? x.label : x;
          break;
        case "include": case "exclude": case "setupFiles": case "globalSetup":
          out[key] = list(x);
          break;
        case "reporters":
          out.reporters = list(x).map((r) => (Array.isArray(r) ? { name: String(r[0]), options: r[1] } :
            { name: typeof r === "string" ? r : (r?.constructor?.name ?? "custom"), custom: typeof r !== "string" }));
          break;
        case "outputFile":
          out.outputFiles = typeof x === "string" ? { "": x } : x;
          break;
        case "sequence": {
          const s = (out.sequence = {});
          if (x.shuffle !== undefined) s.shuffle = typeof x.shuffle === "object" ? !!x.shuffle.tests : !!x.shuffle;
          for (const k of ["seed", "hooks", "concurrent"]) if (x[k] !== undefined) s[k] = x[k];
          for (const k of Object.keys(x))
            if (!["shuffle", "seed", "hooks", "concurrent", "setupFiles", "groupOrder"].includes(k))
              unknown.push(["test", "sequence", k]);
          break;
        }
        case "maxWorkers":
          out.maxWorkers = typeof x === "string" ? parseFloat(x) : x;
          break;
        case "retry":
          out.retry = typeof x === "object" ? (x.count ?? 0) : x;
          break;
        case "testNamePattern":
          out.testNamePattern = x instanceof RegExp ? x.source : String(x);
          break;
        case "silent":
          out.silent = x === true;
          break;
        case "alias": case "projects": case "workspace": case "poolOptions":
          break;
        default:
          out[key] = x;
      }
    }
    return out;
  }

  async function evaluated(x, root) {
    let config = await x;
    if (typeof config === "function")
      config = await config({ mode: "test", command: "serve", isSsrBuild: false, isPreview: false });
    if (config === null || typeof config !== "object")
      throw new TypeError("config must export or return an object.");
    return config;
  }

  // describe gives the plain data of a configuration whose relative paths start at dir.
  async function describe(config, dir) {
    const unknown = [];
    for (const key of Object.keys(config))
      if (!viteKeys.has(key)) unknown.push([key]);
    const test = config.test ?? {};
    const plugins = await flat(config.plugins);
    const pools = plugins.filter((p) => v.isPool in p);
    const foreign = plugins.filter((p) => p[v.isForeign]).map((p) => p[v.isForeign]);
    // A plugin of the project's own may change the configuration, and nothing else.
    for (const p of plugins) {
      if (v.isPool in p || p[v.isForeign]) continue;
      const change = typeof p.config === "function" ? p.config : p.config?.handler;
      if (change) config = v.merged(config, await change.call({}, config, { mode: "test", command: "serve" }));
      if (p.resolveId || p.load || p.transform) foreign.push(p.name ?? "a plugin");
    }
    const pool = pools.length > 0 ? pools[0][v.isPool] : test.poolOptions?.workers;
    const dialect = pools.length > 0 ? "plugin" : config[v.isOld] || pool !== undefined ? "pool" : "";
    const root = path.resolve(dir, test.root ?? config.root ?? ".");
    const index = live.push({ pool, config, root, dialect }) - 1;
    const out = {
      index, root, dialect, foreign, test: settings(config.test ?? {}, unknown),
      alias: [...alias(config.test?.alias), ...alias(config.resolve?.alias)],
      define: Object.fromEntries(Object.entries(config.define ?? {}).map(([k, x]) => [k,
        typeof x === "string" ? x : (JSON.stringify(x) ?? "undefined")])),
      conditions: config.resolve?.conditions, unknown,
    };
    const projects = test.projects ?? test.workspace;
    if (Array.isArray(projects)) {
      out.projects = [];
      for (const p of projects) out.projects.push(await member(p, config, root));
    } else if (typeof projects === "string") out.workspace = projects;
    return out;
  }

  // member is one entry of a list of projects: a glob, or a configuration.
  async function member(p, base, root) {
    if (typeof p === "string") return { glob: p };
    let config = await evaluated(p, root);
    if (typeof config.extends === "string") return { extends: config.extends };
    if (config.extends === true) {
      const { projects, workspace, name, globalSetup, ...test } = base.test ?? {};
      const { extends: _, ...own } = config;
      config = v.merged({ ...base, test }, own);
      if (base[v.isOld]) config[v.isOld] = true;
    } else if (config.extends !== undefined) {
      const { extends: _, ...own } = config;
      config = own;
    }
    return { config: await describe(config, root) };
  }

  const reader = {
    // read evaluates the module of a configuration.
    async read(id, dir) {
      const ns = await host.load(id);
      return JSON.stringify(await describe(await evaluated(ns.default, dir), dir));
    },
    // workspace evaluates a list of projects.
    async workspace(id, dir) {
      const x = await (await host.load(id)).default;
      const out = [];
      for (const p of typeof x === "function" ? await x() : x) out.push(await member(p, {}, dir));
      return JSON.stringify(out);
    },
    // worker reads the options of a project's Worker; provided is what global setups have provided, as JSON.
    async worker(index, provided) {
      const { pool, dialect } = live[index];
      const values = JSON.parse(provided);
      let options = pool ?? {};
      const at = dialect === "plugin" ? [] : ["test", "poolOptions", "workers"];
      if (typeof options === "function") options = await options({ inject: (name) => values[name] });
      if (options === null || typeof options !== "object")
        throw new TypeError(`Unexpected options of the pool: expected an object, got ${options}`);
      const known = dialect === "plugin"
        ? ["main", "wrangler", "miniflare", "remoteBindings", "verbose", "additionalExports", "experimental"]
        : ["main", "wrangler", "miniflare", "remoteBindings", "isolatedStorage", "singleWorker", "verbose",
          "experimental_remoteBindings", "additionalExports"];
      const out = { unknown: Object.keys(options).filter((k) => !known.includes(k)).map((k) => [...at, k]) };
      if (options.experimental?.newConfig) {
        throw new Error("cloudflare.config.ts (experimental.newConfig) is not read by eddy");
      }
      out.main = options.main;
      out.configPath = options.wrangler?.configPath;
      out.environment = options.wrangler?.environment;
      for (const k of Object.keys(options.wrangler ?? {}))
        if (k !== "configPath" && k !== "environment") out.unknown.push([...at, "wrangler", k]);
      out.isolatedStorage = dialect === "pool" && options.isolatedStorage !== false;
      out.singleWorker = dialect === "pool" && !!options.singleWorker;
      out.exports = options.additionalExports ?? {};
      const { script, scriptPath, modules, ...own } = options.miniflare ?? {};
      out.worker = v.workerOf(own, [...at, "miniflare"]);
      out.workers = (options.miniflare?.workers ?? []).map((w, i) => {
        if (!w.name)
          throw new TypeError(`In project ${host.root}, \`miniflare.workers[${i}].name\` must be non-empty`);
        return v.workerOf(w, [...at, "miniflare", "workers"]);
      });
      return JSON.stringify(out);
    },
    // setup runs a global setup and gives what it provided.
    async setup(id, index) {
      const ns = await host.load(id);
      const provided = {};
      const project = { provide: (name, value) => void (provided[name] = value), config: {}, name: "",
        onTestsRerun() {}, vitest: {} };
      const f = typeof ns.default === "function" ? ns.default : ns.setup;
      if (f === undefined && ns.teardown === undefined)
        throw new Error(`invalid globalSetup file ${id}. Must export setup, teardown or have a default export`);
      const end = f ? await f(project) : undefined;
      if (typeof end === "function") setups.push(end);
      if (typeof ns.teardown === "function") setups.push(ns.teardown);
      return JSON.stringify({ provided, env: { ...host.process.default.env } });
    },
    // teardown runs the teardowns, the last first.
    async teardown() {
      while (setups.length > 0) await setups.pop()();
    },
    // call answers a request to a function of the configuration.
    call(id, request) {
      return v.functions[id](request, {});
    },
  };
  v.reader = reader;
});
