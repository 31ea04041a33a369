// Options of Miniflare as keys of a Worker's configuration (TEST-52 to TEST-55).
(function (v, host) {
  "use strict";
  const functions = [];
  v.functions = functions;
  const service = (f) => `eddy:function:${functions.push(f) - 1}`;

  // entries are [binding, value] of what may be an array of names or a record.
  const entries = (x) => (Array.isArray(x) ? x.map((n) => [n, n]) : Object.entries(x ?? {}));
  const id = (x) => (typeof x === "object" && x !== null ? (x.id ?? x.name) : x);
  const clean = (o) => Object.fromEntries(Object.entries(o).filter(([, x]) => x !== undefined));

  function serviceBinding(binding, x, out, at) {
    const add = (o) => out.config.services.push(clean({ binding, ...o }));
    if (typeof x === "function" && x[v.isAssets]) {
      out.config.assets = { directory: x[v.isAssets], binding, not_found_handling: "404-page" };
    } else if (typeof x === "function") add({ service: service(x) });
    else if (typeof x === "string") add({ service: x === "eddy:current-worker" ? "eddy:self" : x });
    else if (x === v.kCurrentWorker) add({ service: "eddy:self" });
    else if (x && typeof x === "object" && (typeof x.name === "string" || x.name === v.kCurrentWorker))
      add({ service: x.name === v.kCurrentWorker ? "eddy:self" : x.name, entrypoint: x.entrypoint, props: x.props });
    else out.unknown.push([...at, binding]);
  }

  const readers = {
    name: (x, out) => (out.config.name = x),
    compatibilityDate: (x, out) => (out.config.compatibility_date = x),
    compatibilityFlags: (x, out) => (out.config.compatibility_flags = x),
    bindings: (x, out) => (out.config.vars = x),
    kvNamespaces: (x, out) =>
      (out.config.kv_namespaces = entries(x).map(([binding, n]) => ({ binding, id: id(n) }))),
    r2Buckets: (x, out) =>
      (out.config.r2_buckets = entries(x).map(([binding, n]) =>
        /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(id(n)) ? { binding, bucket_name: id(n) } : { binding })),
    d1Databases: (x, out) =>
      (out.config.d1_databases = entries(x).map(([binding, n]) => ({
        binding, database_name: binding, database_id: id(n) }))),
    durableObjects(x, out) {
      const list = entries(x).map(([name, o]) => {
        const d = typeof o === "string" ? { className: o } : o;
        return { name, class_name: d.className, script_name: d.scriptName, sqlite: !!d.useSQLite };
      });
      out.config.durable_objects = { bindings: list.map(({ sqlite, ...b }) => clean(b)) };
      const own = [...new Map(list.filter((b) => !b.script_name).map((b) => [b.class_name, b])).values()];
      out.classes = own.map((b) => ({ name: b.class_name, sqlite: b.sqlite }));
    },
    queueProducers: (x, out) =>
      ((out.config.queues ??= {}).producers = entries(x).map(([binding, q]) =>
        clean(typeof q === "object" ? { binding, queue: q.queueName, delivery_delay: q.deliveryDelay } :
          { binding, queue: q }))),
    queueConsumers: (x, out) =>
      ((out.config.queues ??= {}).consumers = entries(x).map(([queue, o]) => {
        const c = typeof o === "object" ? o : {};
        return clean({ queue, max_batch_size: c.maxBatchSize, max_batch_timeout: c.maxBatchTimeout,
          max_retries: c.maxRetries, dead_letter_queue: c.deadLetterQueue, retry_delay: c.retryDelay });
      })),
    serviceBindings(x, out, at) {
      out.config.services ??= [];
      for (const [binding, s] of entries(x)) serviceBinding(binding, s, out, at);
    },
    outboundService(x, out, at) {
      if (typeof x === "function") out.outbound = service(x);
      else if (typeof x === "string") out.outbound = x;
      else out.unknown.push(at);
    },
    tails: (x, out) => (out.config.tail_consumers = x.map((n) => ({ service: id(n) }))),
    assets: (x, out) =>
      (out.config.assets = clean({ directory: x.directory, binding: x.binding,
        html_handling: x.assetConfig?.html_handling, not_found_handling: x.assetConfig?.not_found_handling })),
    ratelimits: (x, out) =>
      (out.config.ratelimits = entries(x).map(([name, r], i) => ({
        name, namespace_id: String(r.namespace_id ?? 1001 + i), simple: r.simple }))),
    textBlobBindings: (x, out) => (out.config.text_blobs = x),
    dataBlobBindings: (x, out) => (out.config.data_blobs = x),
    wasmBindings: (x, out) => (out.config.wasm_modules = x),
    analyticsEngineDatasets: (x, out) =>
      (out.config.analytics_engine_datasets = entries(x).map(([binding, d]) => ({ binding, dataset: d.dataset }))),
    versionMetadata: (x, out) => (out.config.version_metadata = { binding: x }),
    hyperdrives: (x, out) =>
      (out.config.hyperdrive = entries(x).map(([binding, u]) => ({ binding, id: binding,
        localConnectionString: String(u) }))),
    workflows: (x, out) =>
      (out.config.workflows = entries(x).map(([binding, w]) => clean({ binding, name: w.name ?? binding,
        class_name: w.className, script_name: w.scriptName }))),
    secretsStoreSecrets: (x, out) =>
      (out.config.secrets_store_secrets = entries(x).map(([binding, s]) => ({ binding, ...s }))),
    modulesRules: (x, out) =>
      (out.config.rules = x.map((r) => clean({ type: r.type, globs: r.include, fallthrough: r.fallthrough }))),
    rootPath: (x, out) => (out.root = x),
    script: (x, out) => (out.script = x),
    scriptPath: (x, out) => (out.scriptPath = x),
    modules: (x, out) =>
      (out.modules = Array.isArray(x) ? x.map((m) => ({ type: m.type, path: m.path,
        contents: m.contents === undefined ? undefined : String(m.contents) })) : undefined),
  };
  // What has no effect on tests here: state starts empty, nothing listens, everything is logged.
  const ignored = new Set(("cf cache cacheAPI cachePersist cacheWarnUsage kvPersist r2Persist d1Persist " +
    "durableObjectsPersist workflowsPersist defaultPersistRoot host port https httpsKey httpsCert log verbose " +
    "liveReload modulesRoot upstream inspectorPort handleRuntimeStdio telemetry stripDisablePrettyError " +
    "unsafeEphemeralDurableObjects unsafeTriggerHandlers").split(" "));

  // workerOf reads the options of one Worker; at is where they are.
  v.workerOf = (options, at) => {
    const out = { config: {}, unknown: [] };
    for (const [key, x] of Object.entries(options ?? {})) {
      if (x === undefined || key === "workers" || ignored.has(key)) continue;
      if (readers[key]) readers[key](x, out, [...at, key]);
      else out.unknown.push([...at, key]);
    }
    return out;
  };
});
