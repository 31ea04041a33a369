// Tests and suites as they are declared: the modifiers, their options, titles of rows (TEST-81 to TEST-91).
(function (v) {
  "use strict";

  // The suite that declarations go to now, and whether a test runs, inside which none may be declared.
  let current = null;
  const fileOptions = () => v.config;

  function newSuite(name, parent, options) {
    return {
      type: "suite",
      name,
      parent,
      options,
      tasks: [],
      mode: "run",
      file: parent ? parent.file : null,
      hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [], aroundEach: [], aroundAll: [] },
      meta: {},
      result: undefined,
      id: "",
    };
  }

  v.newFile = function (path) {
    const file = newSuite("", null, {});
    file.file = file;
    file.filepath = path;
    return file;
  };

  v.collecting = () => current;
  v.collectInto = function (suite, run) {
    const before = current;
    current = suite;
    const done = () => {
      current = before;
    };
    let result;
    try {
      result = run();
    } catch (e) {
      done();
      throw e;
    }
    if (result !== null && typeof result === "object" && typeof result.then === "function")
      return Promise.resolve(result).finally(done);
    done();
    return result;
  };

  const modifiers = ["concurrent", "sequential", "skip", "only", "todo", "fails", "shuffle"];

  function splitArguments(args, what) {
    let [name, second, third] = args;
    let options = {},
      fn;
    if (typeof second === "object" && second !== null) {
      if (typeof third === "object" && third !== null)
        throw new TypeError(
          "Cannot use two objects as arguments. Please provide options and a function callback in that order.",
        );
      options = second;
      fn = third;
    } else if (typeof third === "object" && third !== null) {
      throw new TypeError(
        'Signature "test(name, fn, { ... })" was deprecated in Vitest 3 and removed in Vitest 4. ' +
          "Please, provide options as a second argument instead.",
      );
    } else {
      fn = typeof second === "function" ? second : typeof third === "function" ? third : undefined;
      if (typeof third === "number") options = { timeout: third };
      else if (typeof second === "number") options = { timeout: second };
    }
    if (typeof name === "function") name = name.name || "<anonymous>";
    return { name: String(name), options, fn };
  }

  function modeOf(flags, fn) {
    if (flags.only) return "only";
    if (flags.skip) return "skip";
    if (flags.todo || fn === undefined) return "todo";
    return "run";
  }

  function inherit(options, parent) {
    const out = {};
    for (let s = parent; s; s = s.parent)
      for (const key of ["timeout", "retry", "repeats", "concurrent", "sequential", "tags", "fails"])
        if (!(key in out) && s.options[key] !== undefined) out[key] = s.options[key];
    return Object.assign(out, options);
  }

  function declareTest(args, flags, fixtures, place) {
    if (v.running && v.running() && !current)
      throw new Error(
        "Calling the test function inside another test function is not allowed. " +
          'Please put it inside "describe" or "suite" so it can be properly collected.',
      );
    if (!current) throw noSuite();
    const { name, options, fn } = splitArguments(args, "test");
    const own = { ...flags, ...options };
    const parent = current;
    const all = inherit(own, parent);
    if (own.sequential) delete all.concurrent;
    const mode = modeOf(own, fn);
    parent.tasks.push({
      type: "test",
      name,
      parent,
      file: parent.file,
      mode,
      fn,
      options: all,
      fixtures,
      meta: options.meta ?? {},
      place: place ?? v.place(),
      result: undefined,
      id: "",
      row: flags.row,
    });
  }

  const noSuite = () =>
    new Error("Vitest failed to find the current suite. This is a bug in your test or in a hook.");

  function declareSuite(args, flags) {
    if (v.running && v.running() && !current)
      throw new Error(
        "Calling the suite function inside test function is not allowed. " +
          "It can be only called at the top level or inside another suite function.",
      );
    if (!current) throw noSuite();
    const { name, options, fn } = splitArguments(args, "describe");
    const own = { ...flags, ...options };
    const parent = current;
    const suite = newSuite(name, parent, own);
    suite.place = v.place();
    suite.mode = own.only ? "only" : own.skip ? "skip" : own.todo ? "todo" : "run";
    if (fn === undefined && suite.mode === "run") suite.mode = "todo";
    if (fn) suite.declare = () => fn(flags.bound ?? v.test);
    parent.tasks.push(suite);
  }

  // collectSuites calls what the describes were given: when all of the file is loaded, one after the other, those
  // inside when the one around them is over.
  v.collectSuites = async function (suite) {
    for (const task of suite.tasks) {
      if (task.type !== "suite") continue;
      if (task.declare) await v.collectInto(task, task.declare);
      await v.collectSuites(task);
    }
  };

  // chain makes a function with the modifiers as properties, each of which is such a function again.
  function chain(call, flags, extra) {
    const fn = function (...args) {
      return call(args, flags);
    };
    for (const m of modifiers)
      Object.defineProperty(fn, m, {
        get: () => chain(call, { ...flags, [m]: true, ...(m === "sequential" ? { concurrent: false } : {}) }, extra),
      });
    extra(fn, flags);
    return fn;
  }

  v.formatTitle = function (template, items, index) {
    if (template.includes("%#") || template.includes("%$"))
      template = template
        .replace(/%%/g, "__eddy_percent__")
        .replace(/%#/g, `${index}`)
        .replace(/%\$/g, `${index + 1}`)
        .replace(/__eddy_percent__/g, "%%");
    const count = template.split("%").length - 1;
    if (template.includes("%f"))
      for (const m of [...template.matchAll(/%f/g)].keys())
        if (typeof items[m] === "number") {
          let n = -1;
          template = template.replace(/%f/g, (t) => (++n === m && Object.is(items[m], -0) ? "-0" : t));
        }
    const isObject = items[0] !== null && typeof items[0] === "object" && !Array.isArray(items[0]);
    const attributes = (text) =>
      text.replace(/\$([$\w.]+)/g, (whole, key) => {
        const isArrayKey = /^\d+$/.test(key);
        if (!isObject && !isArrayKey) return whole;
        const arrayElement = isArrayKey ? pick(items, key) : undefined;
        const value = isObject ? pick(items[0], key, arrayElement) : arrayElement;
        return v.titleValue(value);
      });
    // What stands for a value takes the next one, even if there is none.
    let out = "",
      from = 0,
      next = 0;
    for (const match of template.matchAll(/%[sdjifoOc%]/g)) {
      out += attributes(template.slice(from, match.index));
      out += next < count ? v.format(match[0], items[next++]) : match[0];
      from = match.index + match[0].length;
    }
    return out + attributes(template.slice(from));
  };

  function pick(object, path, fallback) {
    let value = object;
    for (const part of path.split(".")) {
      if (value === null || value === undefined) return fallback;
      value = value[part];
    }
    return value === undefined ? fallback : value;
  }

  function rowsOf(table, values) {
    if (!table.raw) return table;
    const heads = String(table.join(""))
      .trim()
      .replace(/ /g, "")
      .split("\n")
      .map((i) => i.split("|"))[0];
    const rows = [];
    for (let i = 0; i < Math.floor(values.length / heads.length); i++) {
      const row = {};
      for (let j = 0; j < heads.length; j++) row[heads[j]] = values[i * heads.length + j];
      rows.push(row);
    }
    return rows;
  }

  function withRows(fn, flags, declare) {
    fn.each = function (table, ...values) {
      const rows = rowsOf(table, values);
      return (name, second, third) => {
        const { name: title, options, fn: body } = splitArguments([name, second, third]);
        const spread = rows.every(Array.isArray);
        rows.forEach((row, i) => {
          const items = Array.isArray(row) ? row : [row];
          declare(
            [v.formatTitle(title, items, i), options, body && (spread ? () => body(...items) : () => body(row))],
            { ...flags, row: true },
          );
        });
      };
    };
    fn.for = function (table, ...values) {
      const rows = rowsOf(table, values);
      return (name, second, third) => {
        const { name: title, options, fn: body } = splitArguments([name, second, third]);
        rows.forEach((row, i) => {
          const items = Array.isArray(row) ? row : [row];
          const run = body && ((context) => body(row, context));
          if (run) v.fixtureSource.set(run, { fn: body, index: 1 });
          declare([v.formatTitle(title, items, i), options, run], { ...flags, row: true });
        });
      };
    };
    fn.skipIf = (condition) => (condition ? fn.skip : fn);
    fn.runIf = (condition) => (condition ? fn : fn.skip);
  }

  // fixtureSource says in which function, and at which parameter, the fixtures of a test are named.
  v.fixtureSource = new WeakMap();

  v.makeTest = function (fixtures) {
    const declare = (args, flags) => declareTest(args, flags, fixtures);
    const test = chain(declare, {}, (fn, flags) => {
      withRows(fn, flags, declare);
      v.extendable(fn, fixtures);
    });
    return test;
  };

  const describeCall = (args, flags) => declareSuite(args, flags);
  v.describe = chain(describeCall, {}, (fn, flags) => withRows(fn, flags, describeCall));

  function hook(kind) {
    return function (fn, timeout) {
      if (typeof fn !== "function") throw new TypeError(`${kind} expects a function, got ${typeof fn}`);
      if (!current && v.running()) return; // vitest takes it, and it never runs
      if (!current) throw new Error(`${kind}() must be called at the top level of a test file or inside describe()`);
      current.hooks[kind].push({ fn, timeout: timeout ?? v.config.hookTimeout, place: v.place() });
    };
  }
  for (const kind of ["beforeAll", "afterAll", "beforeEach", "afterEach", "aroundEach", "aroundAll"])
    v[kind] = hook(kind);

  // finishFile gives ids, applies only, -t and locations, and says which tests run.
  v.finishFile = function (file, filter) {
    const pattern = filter.pattern ? new RegExp(filter.pattern) : null;
    const hasOnly = (suite) => suite.tasks.some((t) => t.mode === "only" || (t.type === "suite" && hasOnly(t)));
    const only = hasOnly(file);
    let refused = false;
    const visit = (suite, prefix, onlyAbove, off) => {
      suite.tasks.forEach((task, i) => {
        task.id = `${prefix}_${i}`;
        task.names = [...(suite.names ?? []), task.name];
        const chosen = onlyAbove || task.mode === "only";
        if (task.mode === "only" && !v.config.allowOnly && !refused) {
          refused = true;
          file.failure ??= new Error(
            "[Vitest] Unexpected .only modifier. Remove it or pass --allowOnly argument to bypass this error",
          );
        }
        if (task.type === "suite") {
          const inner = hasOnly(task);
          if (only && task.mode === "run" && !chosen && !inner) task.mode = "skip";
          const mode = task.mode;
          if (task.mode === "only") task.mode = "run";
          visit(task, task.id, chosen && !inner, off || (mode === "skip" || mode === "todo" ? mode : ""));
          return;
        }
        if (only && !chosen && task.mode === "run") task.mode = "skip";
        if (task.mode === "only") task.mode = "run";
        if (off && task.mode === "run") task.mode = off;
        if (pattern && !pattern.test(task.names.join(" "))) task.mode = "skip";
        if (filter.lines && filter.lines.length > 0 && task.mode === "run" && !atLine(task, filter.lines))
          task.mode = "skip";
      });
    };
    visit(file, file.id, false, "");
  };

  function atLine(task, lines) {
    for (let t = task; t; t = t.parent) if (t.place && lines.includes(t.place.line)) return true;
    return false;
  }
});
