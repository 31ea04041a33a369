// The modules of a test isolate: each of the project's files runs when it is first imported, mocks stand in their
// place.
(function (host) {
  "use strict";
  const factories = new Map(); // id → the function of the bundle
  const records = new Map(); // id → {space, done, failed, promise, importing}
  const counts = new Map(); // id → how often its statements, functions and branches ran, for coverage
  const mocks = new Map(); // id → {make, space, auto}
  let standIns = new Map(); // id → the id of a file in __mocks__
  let packages = null,
    packageNames = null;

  function space() {
    const s = Object.create(null);
    Object.defineProperty(s, Symbol.toStringTag, { value: "Module" });
    return s;
  }

  function addGetters(s, getters, stars) {
    for (const name of Object.keys(getters))
      Object.defineProperty(s, name, { get: getters[name], enumerable: true, configurable: true });
    for (const star of stars)
      for (const name of Object.keys(star))
        if (name !== "default" && !(name in s))
          Object.defineProperty(s, name, { get: () => star[name], enumerable: true, configurable: true });
  }

  // environment is import.meta.env: what the process has, and what Vite says of itself (TEST-118).
  const said = { MODE: "test", DEV: true, PROD: false, SSR: true, BASE_URL: "/" };
  const processes = () => globalThis.process?.env ?? {};
  const variable = (key) => {
    const own = processes();
    if (!Object.hasOwn(own, key)) return said[key];
    return typeof said[key] === "boolean" ? !!own[key] : own[key];
  };
  const environment = new Proxy(
    {},
    {
      get: (_, key) => (typeof key === "symbol" ? undefined : variable(key)),
      has: (_, key) => key in said || key in processes(),
      set(_, key, value) {
        processes()[key] = typeof said[key] === "boolean" ? (value ? "1" : "") : value;
        return true;
      },
      deleteProperty: (_, key) => delete processes()[key],
      ownKeys: () => [...new Set([...Object.keys(processes()), ...Object.keys(said)])],
      getOwnPropertyDescriptor: (_, key) =>
        key in said || key in processes()
          ? { value: variable(key), writable: true, enumerable: true, configurable: true }
          : undefined,
    },
  );
  const meta = (id) => Object.assign(host.meta(id), { env: environment });

  // importing says whether a module waits, through others, for another one.
  function waitsFor(id, target, seen = new Set()) {
    if (id === target) return true;
    const r = records.get(id);
    if (!r || r.done || seen.has(id)) return false;
    seen.add(id);
    for (const next of r.importing) if (waitsFor(next, target, seen)) return true;
    return false;
  }

  function run(id) {
    let r = records.get(id);
    if (r) return r;
    r = { space: space(), done: false, importing: new Set(), promise: null };
    records.set(id, r);
    const load = (specifier, names) => {
      r.importing.add(specifier);
      return load1(id, specifier, names);
    };
    r.promise = (async () => {
      try {
        await factories.get(id).call(
          undefined,
          load,
          (referrer, specifier) => imported(id, specifier),
          (getters, stars) => addGetters(r.space, getters, stars),
          meta(id),
          host.regexp,
        );
      } finally {
        r.done = true;
      }
      return r.space;
    })();
    r.promise.catch(() => {});
    return r;
  }

  function packageSpace(id) {
    if (!packageNames) {
      packageNames = {};
      packages.call(
        undefined,
        // A package may import a name that a module of the platform lacks, and never use it.
        (specifier) => host.import(specifier, []),
        (referrer, specifier) => imported("", specifier),
        (getters) => {
          packageNames = getters;
        },
        meta(""),
        host.regexp,
      );
    }
    return packageNames[id]()();
  }

  const inPackages = (id) => id.includes("/node_modules/") && !factories.has(id);

  // load1 is the namespace of a module for one that imports it. Of modules that import each other, the one that was
  // imported last sees what the other has exported so far.
  function load1(importer, id, names) {
    const mock = mocks.get(id);
    if (mock) return mockSpace(id, mock);
    return actual(importer, id, names);
  }

  function actual(importer, id, names) {
    if (factories.has(id)) {
      const r = run(id);
      if (!r.done && importer && waitsFor(id, importer)) return r.space;
      return r.promise;
    }
    if (id.startsWith("file://") && packages && inPackages(id)) return packageSpace(id);
    return host.import(id, names ?? []);
  }

  async function mockSpace(id, mock) {
    if (mock.space === undefined) {
      mock.space = (async () => {
        if (mock.auto === "automock" && standIns.has(id)) return actual("", standIns.get(id));
        if (mock.auto) return host.automock(await actual("", id), mock.auto);
        let made;
        try {
          made = await mock.make(() => actual("", id));
        } catch (cause) {
          throw new Error(
            '[vitest] There was an error when mocking a module. If you are using "vi.mock" factory, make sure there ' +
              "are no top level variables inside, since this call is hoisted to top of the file. Read more: " +
              "https://vitest.dev/api/vi.html#vi-mock",
            { cause },
          );
        }
        const name = mock.name.replace(/^file:\/\//, "");
        if (made === null || typeof made !== "object" || Array.isArray(made))
          throw new TypeError(
            `[vitest] vi.mock("${name}", factory?: () => unknown) is not returning an object. Did you mean to ` +
              'return an object with a "default" key?',
          );
        return new Proxy(made, {
          get(target, key) {
            if (!(key in target)) {
              if (key === "then" || typeof key === "symbol" || key === "__esModule") return undefined;
              throw new Error(
                `[vitest] No "${String(key)}" export is defined on the "${name}" mock. Did you forget to return it ` +
                  'from "vi.mock"?\nIf you need to partially mock a module, you can use "importOriginal" helper ' +
                  `inside:\n\nvi.mock(import("${name}"), async (importOriginal) => {\n  const actual = await ` +
                  "importOriginal()\n  return {\n    ...actual,\n    // your mocked methods\n  }\n})\n",
              );
            }
            return target[key];
          },
        });
      })();
      mock.space.catch(() => {});
    }
    return mock.space;
  }

  function resolve(from, specifier) {
    if (specifier.startsWith("./") || specifier.startsWith("../"))
      return host.resolve(from, specifier, [...factories.keys()]);
    return specifier;
  }

  async function imported(from, specifier) {
    return load1("", resolve(from, String(specifier)), []);
  }

  // Mock Service Worker wants one; the platform has none, and Cloudflare's integration gives it this.
  globalThis.BroadcastChannel ??= class BroadcastChannel {
    constructor(name) {
      this.name = name;
      this.onmessage = this.onmessageerror = null;
    }
    postMessage() {}
    close() {}
    addEventListener() {}
    removeEventListener() {}
  };

  let begun = false; // the file's event runs: from now on somebody may want to use the Worker
  const api = {
    begin() {
      begun = true;
    },
    define(id, factory) {
      factories.set(id, factory);
    },
    counters(id, n) {
      if (!counts.has(id)) counts.set(id, new Array(n).fill(0));
      return counts.get(id);
    },
    counts: () => JSON.stringify(Object.fromEntries(counts)),
    packages(f) {
      packages = f;
    },
    entry(name) {
      const r = records.get(host.entry);
      if (!r && !begun) return undefined;
      if (!r)
        throw new Error(`The Worker's entry ${host.entry} has not run yet: it runs after the test file was imported`);
      return r.space[name];
    },
    load: (id) => load1("", id, []),
    loadEntry: () => (factories.has(host.entry) ? run(host.entry).promise : undefined),
    entryHasRun: () => !factories.has(host.entry) || records.get(host.entry)?.done === true,
    standIns(table) {
      standIns = new Map(Object.entries(table));
    },
    mock(id, name, make, auto) {
      mocks.set(id, { make, name, auto, space: undefined });
    },
    unmock(id) {
      mocks.delete(id);
    },
    importActual: async (id) => actual("", id, []),
    importMock: async (id) => mockSpace(id, mocks.get(id) ?? { auto: "automock", name: id, space: undefined }),
    forget: (id) => records.delete(id),
    reset() {
      for (const id of [...records.keys()]) if (id !== host.entry) records.delete(id);
    },
  };
  return api;
});
