// vi: mocks of modules, stubs, waiting, and what the other parts add (TEST-106 to TEST-110).
(function (v, host) {
  "use strict";

  const modules = () => host.modules();
  v.sleep = (ms) => new Promise((resolve) => v.realTimers.setTimeout(resolve, ms));

  // others is over when all that may happen now has had its turn, false if there is no need of it.
  const others = () => new Promise((resolve) => host.others(() => resolve(true)) || resolve(false));

  // waiter gives a function that waits for an interval and says whether there is more time. Time is the clock's: when
  // it is over but something is due later, it goes on to that first (TEST-X3). Where the order of events is searched,
  // the others go first as well: that they come after the time-out is no finding.
  v.waiter = function (timeout) {
    const now = () => v.realTimers.Date.now();
    const start = now();
    let jumps = 0;
    return async (interval) => {
      if (v.timers.isFakeTimers()) v.timers.advanceTimersByTime(interval);
      if (now() - start + interval <= timeout) {
        await v.sleep(interval);
        return true;
      }
      const due = host.due();
      if (due < 0 || jumps++ >= 1000) return false;
      if (due > 0 || !(await others())) await v.sleep(Math.max(Math.ceil(due), 1));
      return true;
    };
  };

  const waitOptions = (o, fallback) => ({
    interval: 50,
    timeout: fallback,
    ...(typeof o === "number" ? { timeout: o } : o),
  });

  async function waitFor(fn, options) {
    const { interval, timeout } = waitOptions(options, 1000);
    const at = new Error("place");
    const more = v.waiter(timeout);
    for (;;) {
      try {
        return await fn();
      } catch (e) {
        if (await more(interval)) continue;
        const error = e ?? new Error("Timed out in waitFor!");
        if (error instanceof Error && !error.at)
          Object.defineProperty(error, "at", { value: at, configurable: true });
        throw error;
      }
    }
  }

  async function waitUntil(fn, options) {
    const { interval, timeout } = waitOptions(options, 1000);
    const at = new Error("place");
    const more = v.waiter(timeout);
    for (;;) {
      const value = await fn();
      if (value) return value;
      if (await more(interval)) continue;
      const error = new Error("Timed out in waitUntil!");
      Object.defineProperty(error, "at", { value: at, configurable: true });
      throw error;
    }
  }

  // Stubs, and what they replaced.
  const globals = new Map(),
    envs = new Map();
  function stubGlobal(name, value) {
    if (!globals.has(name)) globals.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  }
  function unstubAllGlobals() {
    for (const [name, d] of globals)
      if (d) Object.defineProperty(globalThis, name, d);
      else Reflect.deleteProperty(globalThis, name);
    globals.clear();
  }
  const env = () => globalThis.process?.env ?? {};
  function stubEnv(name, value) {
    if (!envs.has(name)) envs.set(name, env()[name]);
    if (value === undefined) delete env()[name];
    else if (["DEV", "PROD", "SSR"].includes(name)) env()[name] = value ? "1" : "";
    else env()[name] = String(value);
  }
  function unstubAllEnvs() {
    for (const [name, value] of envs)
      if (value === undefined) delete env()[name];
      else env()[name] = value;
    envs.clear();
  }

  v.endMocks = () => {
    const c = v.config;
    if (c.clearMocks) v.clearAllMocks();
    if (c.mockReset) v.resetAllMocks();
    if (c.restoreMocks) v.restoreAllMocks();
    if (c.unstubEnvs) unstubAllEnvs();
    if (c.unstubGlobals) unstubAllGlobals();
  };

  function mock(path, factory) {
    if (typeof path !== "string") throw new Error(`vi.mock() expects a string path, but received a ${typeof path}`);
    const auto = typeof factory === "function" ? undefined : factory?.spy ? "autospy" : "automock";
    modules().mock(path, path, typeof factory === "function" ? factory : undefined, auto);
    return vi;
  }
  const unmock = (path) => {
    modules().unmock(path);
    return vi;
  };

  const vi = {
    fn: v.fn,
    spyOn: v.spyOn,
    isMockFunction: v.isMock,
    mocked: (x) => x,
    mockObject: (x, o) => v.automock(x, o?.spy ? "autospy" : "automock"),
    clearAllMocks: () => {
      v.clearAllMocks();
      return vi;
    },
    resetAllMocks: () => {
      v.resetAllMocks();
      return vi;
    },
    restoreAllMocks: () => {
      v.restoreAllMocks();
      return vi;
    },
    mock,
    doMock: mock,
    unmock,
    doUnmock: unmock,
    hoisted: (fn) => {
      if (typeof fn !== "function")
        throw new TypeError(`vi.hoisted() expects a function, but received a ${typeof fn}`);
      return fn();
    },
    importActual: (path) => modules().importActual(path),
    importMock: (path) => modules().importMock(path),
    resetModules: () => {
      modules().reset();
      return vi;
    },
    dynamicImportSettled: async () => {
      await v.sleep(0);
    },
    stubGlobal: (name, value) => {
      stubGlobal(name, value);
      return vi;
    },
    unstubAllGlobals: () => {
      unstubAllGlobals();
      return vi;
    },
    stubEnv: (name, value) => {
      stubEnv(name, value);
      return vi;
    },
    unstubAllEnvs: () => {
      unstubAllEnvs();
      return vi;
    },
    waitFor,
    waitUntil,
    setConfig: (c) => {
      Object.assign(v.config, c);
    },
    resetConfig: () => {},
    defineHelper: (fn) => fn,
  };
  for (const [name, fn] of Object.entries(v.timers))
    vi[name] = (...args) => {
      const out = fn(...args);
      return out === undefined ? vi : out;
    };
  vi.getTimerCount = v.timers.getTimerCount;
  v.vi = vi;
  v.automockNow = v.automock;
});
