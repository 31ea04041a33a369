// The base classes and functions of cloudflare:workers that need nothing but the isolate (RT2).
(function (host) {
  "use strict";
  // A view of what is current: withEnv replaces it for the code it runs.
  const view = (current) => {
    const target = () => Object(current() ?? {});
    return new Proxy(Object.create(null), {
      get: (_, key) => Reflect.get(target(), key),
      set: (_, key, value) => Reflect.set(target(), key, value),
      has: (_, key) => Reflect.has(target(), key),
      deleteProperty: (_, key) => Reflect.deleteProperty(target(), key),
      ownKeys: () => Reflect.ownKeys(target()),
      getOwnPropertyDescriptor: (_, key) => {
        const d = Reflect.getOwnPropertyDescriptor(target(), key);
        if (d) d.configurable = true;
        return d;
      },
      defineProperty: (_, key, d) => Reflect.defineProperty(target(), key, d),
      getPrototypeOf: () => Object.prototype,
    });
  };
  class DurableObject {
    constructor(ctx, env) {
      this.ctx = ctx;
      this.env = env;
    }
  }
  class WorkerEntrypoint {
    constructor(ctx, env) {
      this.ctx = ctx;
      this.env = env;
    }
  }
  class WorkflowEntrypoint {
    constructor(ctx, env) {
      this.ctx = ctx;
      this.env = env;
    }
  }
  return {
    DurableObject,
    WorkerEntrypoint,
    WorkflowEntrypoint,
    env: view(host.env),
    exports: view(host.exports),
    abortIsolate: host.abortIsolate,
    waitUntil: host.waitUntil,
    withEnv: host.withEnv,
    withExports: host.withExports,
    withEnvAndExports: (env, exports, f) => host.withEnv(env, () => host.withExports(exports, f)),
    cache: host.cache(),
    get tracing() {
      const tracing = host.tracing();
      Object.defineProperty(this, "tracing", { value: tracing, enumerable: true });
      return tracing;
    },
  };
})
