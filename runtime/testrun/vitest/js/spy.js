// Mock functions: vi.fn and vi.spyOn (TEST-106).
(function (v) {
  "use strict";

  const states = new WeakMap(); // mock → its state
  const all = new Set(); // the states of all mocks
  let order = 0;

  v.isMock = (x) => typeof x === "function" && states.has(x);

  function empty() {
    const c = { calls: [], instances: [], contexts: [], invocationCallOrder: [], results: [], settledResults: [] };
    return Object.defineProperty(c, "lastCall", { get: () => c.calls.at(-1), configurable: true, enumerable: true });
  }

  function create(original, name, spied) {
    const s = { original, implementation: original, once: [], name, restore: null, context: empty(), mock: null };
    const mock = function (...args) {
      // The engine may show a caller's new.target to what it calls: only an instance was constructed.
      const made = new.target && this !== null && typeof this === "object" &&
        Object.getPrototypeOf(this) === new.target.prototype;
      return call(s, this, args, made ? new.target : undefined);
    };
    if (typeof original === "function") {
      try {
        Object.defineProperty(mock, "name", { value: original.name || "Mock", configurable: true });
        Object.defineProperty(mock, "length", { value: original.length, configurable: true });
      } catch {
        /* names are for people */
      }
      for (const key of Reflect.ownKeys(original)) {
        if (key in Function.prototype || key === "prototype") continue;
        const d = Object.getOwnPropertyDescriptor(original, key);
        Object.defineProperty(mock, key, { ...d, configurable: true });
      }
      if (spied && original.prototype) mock.prototype = original.prototype;
    }
    else Object.defineProperty(mock, "name", { value: "Mock", configurable: true });
    s.mock = mock;
    states.set(mock, s);
    all.add(s);
    decorate(mock, s);
    return mock;
  }

  function call(s, self, args, target) {
    const c = s.context;
    c.calls.push(args);
    c.contexts.push(self);
    c.invocationCallOrder.push(++order);
    const result = { type: "return", value: undefined };
    const settled = { type: "incomplete", value: undefined };
    const at = c.results.push({ type: "incomplete", value: undefined }) - 1;
    c.settledResults.push(settled);
    c.instances.push(target ? undefined : self);
    const implementation = s.once.length > 0 ? s.once.shift() : s.implementation;
    try {
      let value;
      if (target) {
        value = construct(implementation, args, target, self);
        c.instances[at] = value;
      } else {
        value = implementation ? implementation.apply(self, args) : undefined;
      }
      result.value = value;
      c.results[at] = result;
      if (value !== null && typeof value === "object" && typeof value.then === "function" && value instanceof Promise)
        value.then(
          (x) => Object.assign(settled, { type: "fulfilled", value: x }),
          (e) => Object.assign(settled, { type: "rejected", value: e }),
        );
      else Object.assign(settled, { type: "fulfilled", value });
      return value;
    } catch (e) {
      c.results[at] = { type: "throw", value: e };
      Object.assign(settled, { type: "rejected", value: e });
      throw e;
    }
  }

  function construct(implementation, args, target, self) {
    if (!implementation) return self;
    try {
      return Reflect.construct(implementation, args, target);
    } catch (e) {
      if (e instanceof TypeError && /not a constructor/.test(e.message)) {
        console.warn(
          "[vitest] The vi.fn() mock did not use 'function' or 'class' in its implementation, see " +
            "https://vitest.dev/api/vi#vi-spyon for examples.",
        );
        throw new TypeError(`${Function.prototype.toString.call(implementation)} is not a constructor`);
      }
      throw e;
    }
  }

  function decorate(mock, s) {
    const define = (name, value) =>
      Object.defineProperty(mock, name, { value, writable: true, configurable: true, enumerable: false });
    const chain = (name, fn) =>
      define(name, (...args) => {
        fn(...args);
        return mock;
      });
    Object.defineProperty(mock, "mock", {
      configurable: true,
      get: () => s.context,
    });
    const fresh = () => {
      s.context = empty();
    };
    define("_isMockFunction", true);
    define("getMockName", () => s.name ?? "vi.fn()");
    chain("mockName", (name) => {
      s.name = name;
    });
    define("getMockImplementation", () => s.once[0] ?? s.implementation);
    chain("mockImplementation", (fn) => {
      s.implementation = fn;
    });
    chain("mockImplementationOnce", (fn) => {
      s.once.push(fn);
    });
    chain("mockReturnThis", () => {
      s.implementation = function () {
        return this;
      };
    });
    const values = {
      Return: (value) =>
        function () {
          return value;
        },
      Resolved: (value) =>
        function () {
          return Promise.resolve(value);
        },
      Rejected: (value) =>
        function () {
          return Promise.reject(value);
        },
    };
    for (const [kind, make] of Object.entries(values)) {
      chain(`mock${kind}Value`, (value) => {
        s.implementation = make(value);
      });
      chain(`mock${kind}ValueOnce`, (value) => {
        s.once.push(make(value));
      });
    }
    chain("mockThrow", (value) => {
      s.implementation = function () {
        throw value;
      };
    });
    chain("mockThrowOnce", (value) => {
      s.once.push(function () {
        throw value;
      });
    });
    chain("mockClear", fresh);
    chain("mockReset", () => {
      fresh();
      s.once = [];
      s.implementation = s.original;
    });
    chain("mockRestore", () => {
      fresh();
      s.once = [];
      s.implementation = s.original;
      if (s.restore) {
        s.restore();
        s.restore = null;
      }
    });
    define("withImplementation", (fn, body) => {
      const before = s.implementation,
        once = s.once;
      s.implementation = fn;
      s.once = [];
      const back = () => {
        s.implementation = before;
        s.once = once;
      };
      const result = body();
      if (result !== null && typeof result === "object" && typeof result.then === "function")
        return result.then(() => {
          back();
          return mock;
        });
      back();
      return mock;
    });
    if (Symbol.dispose) define(Symbol.dispose, () => mock.mockRestore());
    s.clear = fresh;
  }

  v.fn = (implementation) => create(implementation, undefined);

  function descriptorOf(object, key) {
    for (let o = object; o !== null && o !== undefined; o = Object.getPrototypeOf(o)) {
      const d = Object.getOwnPropertyDescriptor(o, key);
      if (d) return { d, own: o === object };
    }
    return null;
  }

  // unread is a member that nothing describes. What a binding of a kind that is not served here has throws when it is
  // read; it may be replaced all the same.
  function unread(object, key) {
    try {
      return object[key];
    } catch (e) {
      return () => {
        throw e;
      };
    }
  }

  v.spyOn = function (object, key, access) {
    if (object !== null && object !== undefined && typeof object !== "object" && typeof object !== "function")
      throw new Error("Vitest cannot spy on a primitive value.");
    if (object === null || object === undefined)
      throw new Error(
        "The vi.spyOn() function could not find an object to spy upon. The first argument must be defined.",
      );
    const found = descriptorOf(object, key);
    const kind = access ?? "value";
    if (!found && !(key in object))
      throw new Error(`The property "${String(key)}" is not defined on the ${typeof object}.`);
    const d = found?.d ?? { value: unread(object, key), writable: true, configurable: true, enumerable: true };
    let original;
    if (kind === "get") original = d.get;
    else if (kind === "set") original = d.set;
    else original = d.get ? d.get.call(object) : found ? object[key] : d.value;
    if (states.has(original) && states.get(original).spied === object) return original;
    if (kind === "value" && typeof original !== "function")
      throw new Error(`vi.spyOn() can only spy on a function. Received ${typeof original}.`);
    if (found?.own && !d.configurable && !d.writable) throw new TypeError(`Cannot redefine property: ${String(key)}`);
    const mock = create(original, String(key), true);
    const s = states.get(mock);
    s.spied = object;
    const next =
      kind === "value"
        ? { value: mock, writable: true, configurable: true, enumerable: d.enumerable ?? true }
        : { get: d.get, set: d.set, [kind]: mock, configurable: true, enumerable: d.enumerable };
    if (kind !== "value" && "value" in d) {
      delete next.value;
    }
    put(object, key, next, mock, kind);
    s.restore = () => {
      if (found?.own) put(object, key, d, original, kind);
      else if (!Reflect.deleteProperty(object, key) || unread(object, key) === mock)
        put(object, key, d, original, kind);
    };
    return mock;
  };

  function put(object, key, descriptor, value, kind) {
    if (Reflect.defineProperty(object, key, descriptor)) {
      if (kind !== "value" || object[key] === value || descriptor.get) return;
    }
    object[key] = value; // an exotic object, such as env behind a proxy
  }

  v.clearAllMocks = () => {
    for (const s of all) s.clear();
  };
  v.resetAllMocks = () => {
    for (const s of all) s.mock.mockReset();
  };
  v.restoreAllMocks = () => {
    for (const s of all) if (s.restore) s.mock.mockRestore();
  };

  // v.automock makes what vi.mock without a factory stands for: functions that return undefined, empty arrays, the same
  // primitives, objects and classes member by member. kind "autospy" keeps what functions do.
  v.automock = function (value, kind, seen = new Map()) {
    if (seen.has(value)) return seen.get(value);
    if (typeof value === "function") {
      const mock = kind === "autospy" ? create(value, value.name) : create(undefined, value.name || undefined);
      const s = states.get(mock);
      seen.set(value, mock);
      if (kind !== "autospy") {
        Object.defineProperty(mock, "name", { value: value.name, configurable: true });
        if (value.prototype && Object.getOwnPropertyNames(value.prototype).length > 1) {
          const prototype = Object.create(Object.getPrototypeOf(value.prototype));
          members(value.prototype, prototype, kind, seen);
          const made = function () {};
          made.prototype = prototype;
          prototype.constructor = mock;
          mock.prototype = prototype;
          s.implementation = s.original = undefined;
        }
      }
      members(value, mock, kind, seen);
      return mock;
    }
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return kind === "autospy" ? value.map((x) => v.automock(x, kind, seen)) : [];
    const type = Object.prototype.toString.call(value);
    if (type !== "[object Object]" && type !== "[object Module]") return value;
    const out = Object.create(type === "[object Module]" ? null : Object.getPrototypeOf(value));
    seen.set(value, out);
    members(value, out, kind, seen);
    return out;
  };

  function members(from, to, kind, seen) {
    for (const key of Reflect.ownKeys(from)) {
      if (
        key === "prototype" ||
        key === "constructor" ||
        key === "length" ||
        key === "name" ||
        key === "arguments" ||
        key === "caller"
      )
        continue;
      const d = Object.getOwnPropertyDescriptor(from, key);
      if (d.get && Object.prototype.toString.call(from) !== "[object Module]") {
        Object.defineProperty(to, key, { ...d, configurable: true });
        continue;
      }
      let value;
      try {
        value = from[key];
      } catch {
        continue;
      }
      Object.defineProperty(to, key, {
        value: v.automock(value, kind, seen),
        writable: true,
        configurable: true,
        enumerable: d.enumerable,
      });
    }
  }
});
