// Fixtures: test.extend(). What a test, a hook or a fixture destructures from its first parameter is made for it, once,
// and taken down in reverse order (TEST-85, TEST-86).
(function (v) {
  "use strict";

  const scopes = ["test", "file", "worker"];

  function define(base, name, value, options) {
    if (options.scope !== undefined && !scopes.includes(options.scope))
      throw new Error(`Fixture "${name}" has unknown scope "${options.scope}"; expected test, file or worker`);
    const made = typeof value === "function";
    base.set(name, {
      name,
      make: made ? value : undefined,
      value,
      builder: !!options.builder,
      auto: !!options.auto,
      scope: options.scope ?? "test",
      injected: !!options.injected,
      before: base.get(name),
      needs: made ? wanted(value, options.builder ? 0 : 0) : [],
    });
  }

  v.extendable = function (fn, fixtures) {
    fn.extend = function (first, second, third) {
      const own = new Map(fixtures);
      if (typeof first === "string") {
        const options = third === undefined ? {} : second;
        define(own, first, third === undefined ? second : third, { ...options, builder: true });
      } else {
        for (const [name, given] of Object.entries(first)) {
          if (Array.isArray(given) && given.length === 2 && isOptions(given[1]))
            define(own, name, given[0], given[1]);
          else define(own, name, given, {});
        }
      }
      check(own);
      return v.makeTest(own);
    };
    fn.scoped = fn.override = function (values, value) {
      const suite = v.collecting();
      const given = typeof values === "string" ? { [values]: value } : values;
      suite.overrides = { ...(suite.overrides ?? {}), ...given };
      return fn;
    };
    for (const kind of ["beforeEach", "afterEach", "beforeAll", "afterAll", "aroundEach", "aroundAll"])
      fn[kind] = (body, timeout) => {
        v[kind](body, timeout);
        const list = v.collecting().hooks[kind];
        list[list.length - 1].fixtures = fixtures;
      };
    fn.describe = fn.suite = v.describe;
  };

  const isOptions = (o) => o !== null && typeof o === "object" && ["auto", "scope", "injected"].some((k) => k in o);

  function check(fixtures) {
    for (const f of fixtures.values())
      for (const need of f.needs) {
        if (need === f.name && !f.before)
          throw new Error(`Circular fixture dependency detected: ${f.name} <- ${f.name}`);
        const other = fixtures.get(need);
        if (other && other !== f && f.scope !== "test" && other.scope === "test")
          throw new SyntaxError(`cannot use the test fixture "${need}" inside ${f.scope} fixture "${f.name}"`);
      }
  }

  // wanted are the names that a function destructures from a parameter.
  function wanted(fn, index) {
    let text = Function.prototype.toString.call(fn);
    text = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
    let at = text.indexOf("(");
    const arrow = text.indexOf("=>");
    if (at < 0 || (arrow >= 0 && arrow < at)) return [];
    const params = split(text.slice(at + 1), ")");
    const param = (params[index] ?? "").trim();
    if (param === "") return [];
    if (param[0] !== "{") throw parseError(index, param);
    const names = split(param.slice(1), "}")
      .map((s) => s.trim().split(/[:=]/)[0].trim())
      .filter(Boolean);
    const rest = names.find((n) => n.startsWith("..."));
    if (rest) {
      const e = new Error(`Rest parameters are not supported in fixtures, received "${rest}".`);
      e.name = "FixtureParseError";
      throw e;
    }
    return names;
  }

  function parseError(index, param) {
    const nth = ["1st", "2nd"][index] ?? `${index + 1}th`;
    const e = new Error(
      `The ${nth} argument inside a fixture must use object destructuring pattern, ` +
        `e.g. ({ task } => {}). Instead, received "${param}".`,
    );
    e.name = "FixtureParseError";
    return e;
  }

  // split cuts a list at its commas, up to the bracket that closes it.
  function split(text, close) {
    const out = [];
    let depth = 0,
      from = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (depth === 0 && c === close) {
        out.push(text.slice(from, i));
        return out.filter((s) => s.trim() !== "");
      }
      if ("([{".includes(c)) depth++;
      else if (")]}".includes(c)) depth--;
      else if (c === '"' || c === "'" || c === "`") {
        for (i++; i < text.length && text[i] !== c; i++) if (text[i] === "\\") i++;
      } else if (c === "," && depth === 0) {
        out.push(text.slice(from, i));
        from = i + 1;
      }
    }
    return out;
  }

  v.wantedFixtures = function (fn) {
    const source = v.fixtureSource.get(fn);
    return source ? wanted(source.fn, source.index) : wanted(fn, 0);
  };

  // makeFixtures puts into context what is wanted; it returns the work of taking it down.
  v.makeFixtures = async function (test, context, fixtures, names, made, teardown) {
    const order = [];
    const need = (name, seen) => {
      const f = find(test, fixtures, name);
      if (!f || made.has(name) || order.includes(name)) return;
      if (seen.includes(name)) {
        if (f.before) return;
        throw new Error(`Circular fixture dependency detected: ${[...seen, name].reverse().join(" <- ")}`);
      }
      for (const n of f.needs) if (n !== name) need(n, [...seen, name]);
      order.push(name);
    };
    for (const f of fixtures.values()) if (f.auto || names.includes(f.name)) need(f.name, []);
    for (const name of order) {
      const f = find(test, fixtures, name);
      made.add(name);
      const shared = f.scope === "test" ? null : (test.file.shared ??= new Map());
      if (shared && shared.has(f)) {
        context[name] = shared.get(f);
        continue;
      }
      const down = shared ? (test.file.sharedTeardown ??= []) : teardown;
      context[name] = await make(f, context, down);
      if (shared) shared.set(f, context[name]);
    }
  };

  function find(test, fixtures, name) {
    const f = fixtures.get(name);
    for (let s = test.parent; s; s = s.parent)
      if (s.overrides && name in s.overrides) {
        const value = s.overrides[name];
        const fn = typeof value === "function";
        return {
          name,
          value,
          make: fn ? value : undefined,
          scope: f?.scope ?? "test",
          needs: fn ? wanted(value, 0) : [],
          builder: f?.builder,
          before: f,
        };
      }
    if (f && f.injected && name in v.provided) return { ...f, value: v.provided[name], make: undefined };
    return f;
  }

  async function make(f, context, down) {
    if (!f.make) return f.value;
    const own =
      f.before && f.needs.includes(f.name)
        ? { ...context, [f.name]: f.before.make ? await make(f.before, context, down) : f.before.value }
        : context;
    if (f.builder) {
      const cleanups = [];
      const value = await f.make(own, { onCleanup: (fn) => cleanups.push(fn) });
      down.push(async () => {
        for (const fn of cleanups.reverse()) await fn();
      });
      return value;
    }
    return await new Promise((resolve, reject) => {
      let used = false;
      const use = (value) => {
        used = true;
        resolve(value);
        return new Promise((release) =>
          down.push(async () => {
            release();
            await run;
          }),
        );
      };
      const run = (async () => f.make(own, use))();
      run.then(() => {
        if (!used)
          reject(
            new Error(
              `Fixture "${f.name}" returned without calling "use". Make sure to call "use" in every code path of ` +
                  `the fixture function.`,
            ),
          );
      }, reject);
    });
  }
});
