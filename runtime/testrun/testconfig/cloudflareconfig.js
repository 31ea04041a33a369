// cloudflare.config.ts, the configuration of a Worker as a program (experimental.newConfig): the module that it
// imports, and what it exports as keys of a configuration of wrangler.
(function (v, host) {
  "use strict";
  const clean = (o) => Object.fromEntries(Object.entries(o).filter(([, x]) => x !== undefined));
  const dashed = (name) => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);

  // maker gives a function for each name of a list, which makes what has that type.
  const maker = (names) => Object.fromEntries(names.split(" ").map((n) => [n, (o) => ({ ...o, type: dashed(n) })]));
  const bindings = maker("agentMemory ai aiSearch aiSearchNamespace analyticsEngineDataset artifacts assets browser " +
    "d1 dispatchNamespace durableObject flagship hyperdrive images kv logfwdr media mtlsCertificate pipeline queue " +
    "rateLimit r2 secret secretsStoreSecret sendEmail stream vectorize versionMetadata vpcService vpcNetwork " +
    "webSearch worker workerLoader");
  bindings.text = (value) => ({ type: "text", value });
  bindings.json = (value) => ({ type: "json", value });
  const definition = Symbol.for("@cloudflare/config:definition");
  const api = {
    bindings,
    triggers: maker("fetch queue scheduled email connect"),
    exports: maker("durableObject worker"),
    defineWorker: (config) => ({
      [definition]: { config, type: "worker" }, durableObject: bindings.durableObject, worker: bindings.worker }),
  };
  v.cloudflareConfig = { ...api, default: api };

  // What the bindings of each type are in wrangler's configuration: the key of a list and an entry, or else a function.
  const entry = {
    kv: ["kv_namespaces", (binding, b) => ({ binding, id: b.id ?? binding })],
    d1: ["d1_databases", (binding, b) => ({ binding, database_id: b.id ?? binding, database_name: b.name ?? binding })],
    r2: ["r2_buckets", (binding, b) => ({ binding, bucket_name: b.name, jurisdiction: b.jurisdiction })],
    hyperdrive: ["hyperdrive", (binding, b) => ({ binding, id: b.id, localConnectionString: b.localConnectionString })],
    vectorize: ["vectorize", (binding, b) => ({ binding, index_name: b.name })],
    worker: ["services", (binding, b) => ({
      binding, service: b.workerName, entrypoint: b.exportName, props: b.props })],
    pipeline: ["pipelines", (binding, b) => ({ binding, pipeline: b.name })],
    "analytics-engine-dataset": ["analytics_engine_datasets", (binding, b) => ({ binding, dataset: b.name })],
    "rate-limit": ["ratelimits", (name, b) => ({ name, namespace_id: b.namespace, simple: b.simple })],
    "secrets-store-secret": ["secrets_store_secrets", (binding, b) => ({
      binding, store_id: b.storeId, secret_name: b.secretName })],
    "send-email": ["send_email", (name, b) => ({
      name, destination_address: b.destinationAddress, allowed_destination_addresses: b.allowedDestinationAddresses,
      allowed_sender_addresses: b.allowedSenderAddresses })],
    "mtls-certificate": ["mtls_certificates", (binding, b) => ({ binding, certificate_id: b.id })],
    "worker-loader": ["worker_loaders", (binding) => ({ binding })],
  };
  const single = { ai: "ai", images: "images", browser: "browser", "version-metadata": "version_metadata" };

  function bind(out, name, b, def) {
    const c = out.config;
    if (entry[b?.type]) {
      const [key, make] = entry[b.type];
      (c[key] ??= []).push(clean(make(name, b)));
    } else if (single[b?.type]) c[single[b.type]] = { binding: name };
    else if (b?.type === "text" || b?.type === "json") (c.vars ??= {})[name] = b.value;
    else if (b?.type === "assets") (c.assets ??= {}).binding = name;
    else if (b?.type === "secret") return; // its value is in a file of secrets
    else if (b?.type === "queue")
      ((c.queues ??= {}).producers ??= []).push(
        clean({ binding: name, queue: b.name ?? name, delivery_delay: b.deliveryDelay }));
    else if (b?.type === "durable-object")
      ((c.durable_objects ??= {}).bindings ??= []).push(clean({
        name, class_name: b.exportName, script_name: b.workerName === def.name ? undefined : b.workerName }));
    else throw new Error(`env.${name}: a binding of type ${JSON.stringify(b?.type)} is not read by eddy`);
  }

  function trigger(out, t) {
    const c = out.config;
    if (t.type === "scheduled") ((c.triggers ??= {}).crons ??= []).push(t.schedule);
    else if (t.type === "queue")
      ((c.queues ??= {}).consumers ??= []).push(clean({
        queue: t.name, dead_letter_queue: t.deadLetterQueue, max_batch_size: t.maxBatchSize,
        max_batch_timeout: t.maxBatchTimeout, max_concurrency: t.maxConcurrency ?? undefined, max_retries: t.maxRetries,
        retry_delay: t.retryDelay }));
    else if (t.type !== "fetch" && t.type !== "email")
      throw new Error(`a trigger of type ${JSON.stringify(t.type)} is not read by eddy`);
  }

  // Keys that change nothing of what runs in tests.
  const elsewhere = new Set(("type name entrypoint compatibilityDate compatibilityFlags env triggers exports assets " +
    "domains tailConsumers cache placement limits observability logpush previewUrls workersDev accountId " +
    "complianceRegion").split(" "));

  // definedWorker is what a module exports, as the options of a Worker; main is the path of its entry.
  v.definedWorker = async (module) => {
    let def = await module.default;
    if (def?.[definition]) def = def[definition].config;
    def = await (typeof def === "function" ? def({ mode: "test" }) : def);
    if (def === null || typeof def !== "object") throw new TypeError("it exports no Worker by default");
    const other = Object.keys(def).find((k) => !elsewhere.has(k));
    if (other) throw new Error(`${other} is not read by eddy`);
    const out = { config: clean({ name: def.name, compatibility_date: def.compatibilityDate,
      compatibility_flags: def.compatibilityFlags }), unknown: [], classes: [] };
    if (def.assets)
      out.config.assets = clean({ html_handling: def.assets.htmlHandling,
        not_found_handling: def.assets.notFoundHandling, run_worker_first: def.assets.runWorkerFirst });
    if (def.tailConsumers) out.config.tail_consumers = def.tailConsumers.map((t) => ({ service: t.workerName }));
    for (const [name, b] of Object.entries(def.env ?? {})) bind(out, name, b, def);
    for (const t of def.triggers ?? []) trigger(out, t);
    for (const [name, e] of Object.entries(def.exports ?? {}))
      if (e.type === "durable-object" && (e.state ?? "created") === "created")
        out.classes.push({ name, sqlite: e.storage === "sqlite" });
    const entrypoint = typeof def.entrypoint === "object" ? def.entrypoint.default : def.entrypoint;
    return { worker: out, main: entrypoint };
  };
})
