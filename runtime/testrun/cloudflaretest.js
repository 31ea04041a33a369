// The module cloudflare:test (TEST-5 to TEST-47). queues is what queuejs has for batches, workflows what workflowjs
// has.
(function (host, queues, workflows) {
  "use strict";

  const type = (fn, n, kind) => new TypeError(`Failed to execute '${fn}': parameter ${n} is not of type '${kind}'.`);

  // Execution contexts (TEST-31 to TEST-34).
  const waiting = new WeakMap();
  let constructing = false;
  class ExecutionContext {
    constructor() {
      if (!constructing) throw new TypeError("Illegal constructor");
      waiting.set(this, []);
      Object.defineProperty(this, "exports", { get: () => host.exports(), enumerable: true, configurable: true });
    }
    waitUntil(promise) {
      const list = waiting.get(this);
      if (!list) throw new TypeError("Illegal invocation");
      list.push(Promise.resolve(promise));
      list.at(-1).catch(() => {});
    }
    passThroughOnException() {
      if (!waiting.has(this)) throw new TypeError("Illegal invocation");
    }
  }
  function createExecutionContext() {
    constructing = true;
    try {
      return new ExecutionContext();
    } finally {
      constructing = false;
    }
  }

  async function waitFor(ctx) {
    const list = waiting.get(ctx);
    if (!list)
      throw new TypeError(
        "Failed to execute 'getWaitUntil': parameter 1 is not of type 'ExecutionContext'.\nYou must call " +
          "'createExecutionContext()' or 'createPagesEventContext()' to get an 'ExecutionContext' instance.",
      );
    const errors = [];
    while (list.length > 0) {
      const round = list.splice(0);
      const late = host.limit(30000);
      const results = await Promise.race([Promise.allSettled(round), late.promise]);
      late.stop();
      if (results === undefined) {
        console.warn(
          `[vitest-plugin] ${round.length} waitUntil promise(s) did not resolve within 30s and will be abandoned. ` +
            "This normally means your Worker's waitUntil handler has a bug that prevents it from settling (e.g. a " +
                "fetch that never " +
            "completes or a missing resolve/reject call).",
        );
        break;
      }
      for (const r of results) if (r.status === "rejected") errors.push(r.reason);
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors);
  }
  const waitOnExecutionContext = (ctx) => waitFor(ctx);

  class ScheduledController {
    constructor(o) {
      if (!constructing) throw new TypeError("Illegal constructor");
      this.scheduledTime = Number(o.scheduledTime ?? Date.now());
      this.cron = String(o.cron ?? "");
    }
    noRetry() {
      if (!(this instanceof ScheduledController)) throw new TypeError("Illegal invocation");
    }
  }
  function createScheduledController(options) {
    if (options !== undefined && (options === null || typeof options !== "object"))
      throw type("createScheduledController", 1, "ScheduledOptions");
    constructing = true;
    try {
      return new ScheduledController(options ?? {});
    } finally {
      constructing = false;
    }
  }

  async function getQueueResult(batch, ctx) {
    // The outcome is of the moment when the handler's waitUntil work is over; a batch that is none fails first.
    const early = queues.getQueueResult;
    if (waiting.get(ctx) === undefined) await waitFor(ctx);
    await waitFor(ctx);
    return early(batch, queues.createExecutionContext());
  }

  // SELF is the Worker's default export, called as others call it (TEST-8).
  const SELF = new Proxy(Object.create(null), {
    get(_, key) {
      if (key === "then" || typeof key === "symbol") return undefined;
      const call = (args) => {
        const main = host.exports().default;
        if (main === undefined)
          throw new TypeError(
            `${host.main} does not export a default entrypoint. \`@cloudflare/vitest-plugin\` does not support ` +
                `service workers or named entrypoints for \`SELF\`.\nIf you're using service workers, please ` +
                    `migrate to the modules format: ` +
                        `https://developers.cloudflare.com/workers/reference/migrate-to-module-workers/`,
          );
        return main[key](...args);
      };
      // The call is at its place in the test, if the Worker's entry has run: a schedule shows where that is.
      return (...args) => (host.entryHasRun() ? call(args) : (async () => (await host.loadEntry(), call(args)))());
    },
  });

  async function applyD1Migrations(db, migrations, table = "d1_migrations") {
    if (db === null || typeof db !== "object" || typeof db.prepare !== "function")
      throw type("applyD1Migrations", 1, "D1Database");
    if (
      !Array.isArray(migrations) ||
      !migrations.every((m) => m && typeof m.name === "string" && Array.isArray(m.queries))
    )
      throw type("applyD1Migrations", 2, "D1Migration[]");
    if (typeof table !== "string") throw type("applyD1Migrations", 3, "string");
    await db
      .prepare(
        `CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at ` +
            `TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);`,
      )
      .run();
    const applied = new Set((await db.prepare(`SELECT name FROM ${table};`).all()).results.map((r) => r.name));
    for (const m of migrations) {
      if (applied.has(m.name)) continue;
      await db.batch([
        ...m.queries.map((q) => db.prepare(q)),
        db.prepare(`INSERT INTO ${table} (name) VALUES (?);`).bind(m.name),
      ]);
    }
  }

  function createPagesEventContext(options) {
    if (options === null || typeof options !== "object") throw type("createPagesEventContext", 1, "EventContextInit");
    const { request, functionPath = "", next, params = {}, data = {} } = options;
    if (!(request instanceof Request))
      throw new TypeError(
        "Incorrect type for the 'request' field on 'EventContextInit': the provided value is not of type 'Request'.",
      );
    if (!host.env.ASSETS)
      throw new TypeError("Cannot call `createPagesEventContext()` without defining `ASSETS` service binding");
    const ctx = createExecutionContext();
    const made = {
      request: next ? request.clone() : request, // next() may need it again
      functionPath,
      params,
      data,
      waitUntil: ctx.waitUntil.bind(ctx),
      passThroughOnException() {},
      async next(to, init) {
        if (to === undefined) {
          if (next === undefined)
            throw new TypeError(
              "Cannot call `EventContext#next()` without including `next` property in 2nd argument to " +
                  "`createPagesEventContext()`",
            );
          return next(request);
        }
        const target = typeof to === "string" ? new Request(new URL(to, request.url), init) : new Request(to, init);
        if (next === undefined)
          throw new TypeError(
            "Cannot call `EventContext#next()` without including `next` property in 2nd argument to " +
                "`createPagesEventContext()`",
          );
        return next(target);
      },
      env: { ...host.env, ASSETS: { fetch: host.env.ASSETS.fetch.bind(host.env.ASSETS) } },
    };
    waiting.set(made, waiting.get(ctx));
    return made;
  }

  async function reset() {
    await host.objects.deleteAll();
    await host.clear();
  }

  function evict(stub, options = {}) {
    const mode = options.webSockets ?? "hibernate";
    if (mode !== "hibernate" && mode !== "close")
      throw new TypeError(
        'Failed to execute \'evictDurableObject\': options.webSockets must be "hibernate" or "close".',
      );
    return host.objects.evict(stub, mode);
  }

  return {
    get env() {
      return host.env;
    },
    SELF,
    runInDurableObject: async (stub, fn) => host.objects.run(stub, fn),
    runDurableObjectAlarm: async (stub) => host.objects.alarm(stub),
    listDurableObjectIds: async (ns) => host.objects.list(ns),
    evictDurableObject: async (stub, options) => evict(stub, options),
    evictAllDurableObjects: async (options = {}) => host.objects.evictAll(options.webSockets ?? "hibernate"),
    createExecutionContext,
    waitOnExecutionContext,
    createScheduledController,
    createMessageBatch: queues.createMessageBatch,
    getQueueResult,
    applyD1Migrations,
    fetchMock: host.fetchMock,
    createPagesEventContext,
    adminSecretsStore: (secret) => secret["SecretsStoreSecret::admin_api"](),
    introspectWorkflow: workflows.introspectWorkflow,
    introspectWorkflowInstance: workflows.introspectWorkflowInstance,
    reset,
    abortAllDurableObjects: async () => host.objects.abortAll(),
  };
});
