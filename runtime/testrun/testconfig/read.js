// Reads what a configuration exports into plain data (TEST-50 to TEST-65).
(function (v, host) {
  "use strict";
  const { path } = host;
  const live = []; // configurations of projects, by index
  const setups = []; // teardowns of global setups
  const words = (s) => new Set(s.split(/\s+/).filter(Boolean));
  const honoured = words(`
    name root dir include exclude includeSource setupFiles globalSetup globals testTimeout hookTimeout retry bail
    reporters outputFile restoreMocks mockReset clearMocks unstubEnvs unstubGlobals sequence passWithNoTests isolate
    maxWorkers fileParallelism maxConcurrency provide env alias projects workspace allowOnly poolOptions environment
    coverage testNamePattern silent watch eddy dangerouslyIgnoreUnhandledErrors
    hideSkippedTests`);
  // What has no meaning where there is no Node, or does not change results.
  const ignored = words(`
    pool deps server ssr optimizeDeps typecheck benchmark browser ui api watchExclude forceRerunTriggers open
    cache poolMatchGlobs environmentMatchGlobs environmentOptions css mode uiBase inspect inspectBrk execArgv
    vmMemoryLimit disableConsoleIntercept printConsoleTrace logHeapUsage includeTaskLocation attachmentsDir standalone
    run color experimental minWorkers teardownTimeout slowTestThreshold watchTriggerPatterns
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

  // newConfig adds what cloudflare.config.ts says; what the configuration of tests says wins.
  async function newConfig(out, module) {
    if (!module) throw new Error("experimental.newConfig: there is no cloudflare.config.ts beside");
    let made;
    try {
      made = await v.definedWorker(await host.load(module));
    } catch (e) {
      e.message = `cloudflare.config.ts: ${e.message}`;
      throw e;
    }
    out.main ??= made.main;
    const { config, classes } = out.worker;
    out.worker.config = v.merged(made.worker.config, config);
    out.worker.classes = [...(classes ?? []), ...made.worker.classes];
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
        case "include": case "exclude": case "includeSource": case "setupFiles": case "globalSetup":
          out[key] = list(x);
          break;
        case "reporters":
          out.reporters = list(x).map((r) => (Array.isArray(r) ? { name: String(r[0]), options: r[1] } :
            { name: typeof r === "string" ? r : (r?.constructor?.name ?? "custom"), custom: typeof r !== "string" }));
          for (const r of out.reporters)
            if (typeof r.options?.classnameTemplate === "function")
              unknown.push(["test", "reporters", "classnameTemplate"]);
          break;
        case "outputFile":
          out.outputFiles = typeof x === "string" ? { "": x } : x;
          break;
        case "eddy":
          out.eddy = { time: x.time === undefined ? "" : String(x.time) };
          for (const k of Object.keys(x)) if (k !== "time") unknown.push(["test", "eddy", k]);
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
          out.maxWorkers = typeof x !== "string" ? x : x.endsWith("%") ? -parseFloat(x) / 100 : parseFloat(x);
          break;
        case "retry":
          out.retry = typeof x === "object" ? (x.count ?? 0) : x;
          break;
        case "testNamePattern":
          out.testNamePattern = x instanceof RegExp ? x.source : String(x);
          break;
        case "silent":
          out.silent = x === undefined ? "" : String(x);
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

  // plugged are the plugins that have to do with modules, in the order in which Vite asks them.
  const hookNames = ["resolveId", "load", "transform"];
  async function plugged(plugins, config, root) {
    const resolved = { ...config, root, mode: "test", command: "serve", isProduction: false, plugins, base: "/",
      env: { MODE: "test", DEV: true, PROD: false, SSR: false, BASE_URL: "/" }, build: {}, server: {}, logger: console,
      define: config.define ?? {}, resolve: { alias: v.aliases(config.resolve?.alias), ...config.resolve } };
    const mine = plugins.filter((p) => !(v.isPool in p) && !p[v.isForeign] && (p.apply === undefined ||
      p.apply === "serve" || (typeof p.apply === "function" && p.apply(config, { mode: "test", command: "serve" }))));
    for (const p of mine) {
      const f = handler(p.configResolved);
      if (f) await guarded(p, "configResolved", () => f.call(context(p, []), resolved));
    }
    const rank = { pre: 0, post: 2 };
    const list = mine.filter((p) => hookNames.some((h) => p[h]));
    list.sort((a, b) => (rank[a.enforce] ?? 1) - (rank[b.enforce] ?? 1));
    for (const p of list) {
      const f = handler(p.buildStart);
      if (f) await guarded(p, "buildStart", () => f.call(context(p, list), {}));
    }
    return list;
  }
  const handler = (h) => (typeof h === "function" ? h : h?.handler);
  // guarded says which plugin has thrown.
  async function guarded(p, hook, f) {
    try {
      return await f();
    } catch (e) {
      const place = e?.loc ? ` (${e.loc.file ?? e.id ?? ""}:${e.loc.line}:${e.loc.column})` : "";
      const text = `Plugin ${p.name ?? "without a name"}, hook ${hook}: ${e?.message ?? e}${place}`;
      if (!(e instanceof Error)) throw new Error(text);
      e.message = text; // the error itself, which knows its place
      throw e;
    }
  }
  const absentHere = (p, name) => () => {
    throw new Error(`this.${name} is not available to plugins here`);
  };
  function context(p, list) {
    return {
      meta: { rollupVersion: "4.0.0", viteVersion: "7.0.0", watchMode: false },
      environment: { name: "ssr", mode: "dev", config: {} },
      resolve: async (source, importer, o) => {
        const found = await resolved(o?.skipSelf === false ? list : list.filter((q) => q !== p), source, importer);
        if (found) return found;
        const full = source.startsWith(".") && importer ? path.resolve(path.dirname(importer), source) : source;
        if (!path.isAbsolute(full)) return null;
        for (const ext of ["", ".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs", ".json", "/index.ts", "/index.js"])
          if (host.stat(full + ext, true).value?.kind === "file") return { id: full + ext, external: false };
        return null;
      },
      warn: (m) => console.warn(`[${p.name}]`, m?.message ?? m), info() {}, debug() {},
      error: (m) => {
        throw typeof m === "string" ? new Error(m) : Object.assign(new Error(m.message), m);
      },
      addWatchFile() {}, getWatchFiles: () => [], getModuleInfo: () => null, getModuleIds: () => [][Symbol.iterator](),
      getCombinedSourcemap: () => ({ version: 3, sources: [], names: [], mappings: "" }), setAssetSource() {},
      parse: absentHere(p, "parse"), load: absentHere(p, "load"), emitFile: absentHere(p, "emitFile"),
      getFileName: absentHere(p, "getFileName"),
    };
  }
  // passes tells whether a hook wants an id, by the filter that it may have.
  function passes(hook, id, code) {
    const wants = (rule, text) => {
      if (rule === undefined || text === undefined) return true;
      const hit = (x) => (x instanceof RegExp ? x.test(text) : text === x || host.glob(String(x), text));
      if (Array.isArray(rule) || rule instanceof RegExp || typeof rule === "string") return [rule].flat().some(hit);
      if (rule.exclude !== undefined && [rule.exclude].flat().some(hit)) return false;
      return rule.include === undefined || [rule.include].flat().some(hit);
    };
    return wants(hook.filter?.id, id) && wants(hook.filter?.code, code);
  }
  async function resolved(list, source, importer) {
    for (const p of list) {
      const f = handler(p.resolveId);
      if (!f || !passes(p.resolveId, source)) continue;
      const r = await guarded(p, "resolveId", () =>
        f.call(context(p, list), source, importer, { attributes: {}, custom: {}, isEntry: false, ssr: true }));
      if (r === null || r === undefined) continue;
      if (r === false) return { id: source, external: true };
      return typeof r === "string" ? { id: r, external: false } : { id: r.id, external: !!r.external };
    }
    return null;
  }
  const text = (r) => (typeof r === "string" ? { code: r } : r);
  const mapped = (r) => {
    if (!r.map || r.map.mappings === "" || typeof r.map === "string") return r.code;
    const json = JSON.stringify({ ...r.map, toString: undefined });
    return `${r.code}\n//# sourceMappingURL=data:application/json;charset=utf-8,${encodeURIComponent(json)}`;
  };

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
    }
    const hooking = await plugged(plugins, config, path.resolve(dir, test.root ?? config.root ?? "."));
    const pool = pools.length > 0 ? pools[0][v.isPool] : test.poolOptions?.workers;
    const dialect = pools.length > 0 ? "plugin" : config[v.isOld] || pool !== undefined ? "pool" : "";
    const root = path.resolve(dir, test.root ?? config.root ?? ".");
    const index = live.push({ pool, config, root, dialect, plugins: hooking }) - 1;
    const out = {
      index, root, hooks: hooking.length > 0, dialect, foreign, test: settings(config.test ?? {}, unknown),
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
    async worker(index, provided, newConfigModule) {
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
      if (options.experimental?.newConfig) await newConfig(out, newConfigModule);
      out.workers = (options.miniflare?.workers ?? []).map((w, i) => {
        if (!w.name)
          throw new TypeError(`In project ${host.root}, \`miniflare.workers[${i}].name\` must be non-empty`);
        return v.workerOf(w, [...at, "miniflare", "workers"]);
      });
      return JSON.stringify(out);
    },
    // The hooks of a project's plugins, each of which gives JSON.
    async resolveId(index, source, importer) {
      return JSON.stringify((await resolved(live[index].plugins, source, importer)) ?? {});
    },
    async load(index, id) {
      for (const p of live[index].plugins) {
        const f = handler(p.load);
        if (!f || !passes(p.load, id)) continue;
        const r = await guarded(p, "load", () => f.call(context(p, live[index].plugins), id, { ssr: true }));
        if (r !== null && r !== undefined) return JSON.stringify({ code: mapped(text(r)), changed: true });
      }
      return JSON.stringify({ code: "" });
    },
    async transform(index, id, code, before) {
      let changed = false;
      for (const p of live[index].plugins) {
        const f = handler(p.transform);
        if (!f || (p.enforce === "pre") !== before || !passes(p.transform, id, code)) continue;
        const r = await guarded(p, "transform", () => f.call(context(p, live[index].plugins), code, id, { ssr: true }));
        if (r === null || r === undefined || text(r).code === undefined || text(r).code === code) continue;
        code = mapped(text(r));
        changed = true;
      }
      return JSON.stringify({ code, changed });
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
