// The run of a file: hooks, tries, time-outs, results (TEST-87 to TEST-90).
(function (v, host) {
  "use strict";

  let runningTest = null;
  v.running = () => runningTest;

  const report = (kind, data) => host.report(JSON.stringify({ kind, ...data }));

  // importTimeout bounds the import of a file, which vitest does not: a loop without an end would hold up the run.
  const importTimeout = () => Math.max(60_000, v.config.hookTimeout);
  const importing = (what) => bounded("import", importTimeout(), null, what);
  const load = (into, what) => importing(() => v.collectInto(into, what));

  function timeoutError(what, ms) {
    const text =
      what === "import"
        ? `The file was not imported within ${ms}ms.\nIf that takes so long, configure a longer "hookTimeout".`
        : what === "hook"
        ? `Hook timed out in ${ms}ms.\nIf this is a long-running hook, pass a timeout value as the last argument ` +
            `or configure it globally with "hookTimeout".`
        : `Test timed out in ${ms}ms.\nIf this is a long-running test, pass a timeout value as the last argument ` +
            `or configure it globally with "testTimeout".`;
    return new Error(text);
  }

  // limited are the errors that say that something took too long, or will never end.
  v.limited = new WeakSet();

  // bounded runs fn within ms of real time. A promise that nothing can settle any more ends it at once.
  function bounded(what, ms, place, fn) {
    return new Promise((resolve, reject) => {
      let over = false;
      const end = (settle, value) => {
        if (over) return;
        over = true;
        stop();
        settle(value);
      };
      const error = timeoutError(what, ms);
      if (place) error.place = place;
      v.limited.add(error);
      const stop = host.limit(
        ms > 0 && ms !== Infinity ? ms : 0,
        what,
        () => end(reject, error),
        (text, at) => {
          const e = new Error(text);
          v.limited.add(e);
          if (at ?? place) e.place = at ?? place;
          end(reject, e);
        },
      );
      // It is called in a job of its own: one without an end is interrupted with all that called it.
      const called = Promise.resolve().then(fn);
      called.then(
        (value) => {
          if (!over && stop()) end(reject, error);
          else end(resolve, value);
        },
        (e) => end(reject, e),
      );
    });
  }

  v.bounded = bounded;

  const failure = (e, test) => v.describeError(e, test);

  // parts are the failures that one exception stands for: each of several errors is told by itself.
  function parts(e) {
    if (e instanceof AggregateError && e.errors.length > 0) return e.errors.flatMap(parts);
    return Array.isArray(e) && e.length > 0 ? e : [e];
  }
  const failures = (list, test) => list.flatMap(parts).map((e) => failure(e, test));

  async function runHooks(suite, kind, args) {
    const list = suite.hooks[kind];
    const order = v.config.sequenceHooks ?? "stack";
    const run = (h) => bounded("hook", h.timeout, h.place, () => h.fn(...args(h)));
    if (order === "parallel") return Promise.all(list.map(run));
    const out = [];
    const ordered = order === "stack" && kind.startsWith("after") ? [...list].reverse() : list;
    for (const h of ordered) out.push(await run(h));
    return out;
  }

  const ancestors = (test) => {
    const list = [];
    for (let s = test.parent; s; s = s.parent) list.unshift(s);
    return list;
  };

  function newContext(test, controller) {
    const context = function () {
      throw new Error("done() callback is deprecated, use promise instead");
    };
    Object.assign(context, {
      task: test.task,
      signal: controller.signal,
      onTestFinished: (fn) => {
        test.finished.push(fn);
      },
      onTestFailed: (fn) => {
        test.failed.push(fn);
      },
      skip: (condition, note) => {
        if (condition === false) return;
        const e = new Error("test is skipped; abort execution");
        e.skip = true;
        e.note = typeof condition === "string" ? condition : note;
        throw e;
      },
      annotate: async (message, type = "notice") => {
        const a = { message, type: typeof type === "string" ? type : "notice", location: v.place() };
        (test.annotations ??= []).push(a);
        return a;
      },
    });
    let bound;
    Object.defineProperty(context, "expect", { get: () => (bound ??= v.boundExpect(test)), enumerable: true });
    Object.defineProperty(context, "_local", { get: () => test.options.concurrent === true, enumerable: false });
    return context;
  }

  async function aroundEach(test, context, body) {
    let wrapped = body;
    for (const suite of ancestors(test).reverse())
      for (const h of [...suite.hooks.aroundEach].reverse()) {
        const inner = wrapped;
        wrapped = () => h.fn(inner, context, suite);
      }
    return wrapped();
  }

  // tryOnce runs a test once; errors are what failed.
  async function tryOnce(test) {
    const errors = [];
    const controller = new AbortController();
    const context = newContext(test, controller);
    const made = new Set(),
      teardown = [],
      cleanups = [];
    const fixtures = test.fixtures ?? new Map();
    let skip = null;
    test.finished = [];
    test.failed = [];
    const caught = (e) => {
      if (e && e.skip === true) skip = e;
      else errors.push(e);
    };
    const use = async (fn, own) => {
      if ((own ?? fixtures).size > 0)
        await v.makeFixtures(test, context, own ?? fixtures, v.wantedFixtures(fn), made, teardown);
    };
    v.beginTry(test);
    const isolated = v.config.isolateTests && !(test.options.concurrent && !test.options.sequential);
    if (isolated) await host.keep();
    const everything = async () => {
      try {
        for (const suite of ancestors(test)) {
          for (const h of suite.hooks.beforeEach) await use(h.fn, h.fixtures ?? fixtures);
          const out = await runHooks(suite, "beforeEach", () => [context, suite]);
          cleanups.push(...out.filter((f) => typeof f === "function"));
        }
        const ms = test.options.timeout ?? v.config.testTimeout;
        await bounded("test", ms, test.place, async () => {
          await use(test.fn);
          return test.fn(context);
        });
        v.checkAssertions(test);
      } catch (e) {
        errors.push(...v.softErrors(test));
        caught(e);
      }
      errors.push(...v.softErrors(test));
      for (const suite of ancestors(test).reverse())
        try {
          await runHooks(suite, "afterEach", () => [context, suite]);
        } catch (e) {
          caught(e);
        }
      for (const fn of cleanups.reverse())
        try {
          await bounded("hook", v.config.hookTimeout, null, fn);
        } catch (e) {
          caught(e);
        }
      for (const fn of teardown.reverse())
        try {
          await bounded("hook", v.config.hookTimeout, null, fn);
        } catch (e) {
          caught(e);
        }
    };
    try {
      await aroundEach(test, context, everything);
    } catch (e) {
      caught(e);
    }
    if (isolated) await host.back();
    await v.endTry(test, errors);
    for (const fn of [...test.finished].reverse())
      try {
        await bounded("hook", v.config.hookTimeout, null, () => fn(context));
      } catch (e) {
        errors.push(e);
      }
    if (errors.length > 0)
      for (const fn of test.failed)
        try {
          await bounded("hook", v.config.hookTimeout, null, () => fn(context));
        } catch (e) {
          errors.push(e);
        }
    return { errors, skip };
  }

  function retriesOf(options) {
    const r = options.retry ?? v.config.retry ?? 0;
    return typeof r === "number"
      ? { count: r, delay: 0 }
      : { count: r.count ?? 0, delay: r.delay ?? 0, condition: r.condition };
  }

  async function runTest(test) {
    if (test.mode !== "run") {
      test.state = test.mode === "todo" ? "todo" : "skip";
      report("test", { id: test.id, state: test.state });
      return;
    }
    report("start", { id: test.id });
    const began = host.now();
    const retries = retriesOf(test.options),
      repeats = test.options.repeats ?? 0;
    let errors = [],
      last = [],
      failedBefore = [],
      skip = null,
      tries = 0,
      repeated = 0;
    test.task = {
      type: "test",
      name: test.name,
      id: test.id,
      meta: test.meta,
      file: { filepath: test.file.filepath, name: test.file.name },
      suite: test.parent === test.file ? undefined : { name: test.parent.name, type: "suite" },
      mode: test.mode,
      get result() {
        return { state: test.state, errors: test.errors };
      },
    };
    for (let repeat = 0; repeat <= repeats; repeat++) {
      repeated = repeat;
      for (let n = 0; n <= retries.count; n++) {
        tries = n;
        runningTest = test;
        host.current(test.id);
        if (n > 0 || repeat > 0) v.restartTry(test);
        let failed;
        ({ errors: failed, skip } = await tryOnce(test));
        last = failed;
        errors.push(...failed);
        runningTest = null;
        host.current("");
        if (skip || last.length === 0) break;
        if (n < retries.count && retries.condition && !matches(retries.condition, last)) break;
        if (n < retries.count && retries.delay > 0) await v.sleep(retries.delay);
      }
      if (skip) break;
      if (last.length > 0) failedBefore = last;
    }
    if (!skip && last.length === 0) last = failedBefore; // of one of the repeats
    let list = failures(errors, test);
    let state = last.length > 0 ? "fail" : "pass";
    if (skip) state = "skip";
    else if (test.options.fails) {
      state = last.length > 0 ? "pass" : "fail";
      list = last.length > 0 ? [] : [failure(new Error("Expect test to fail"), test)];
    }
    test.state = state;
    test.errors = list;
    if (state === "fail") v.failures++;
    report("test", {
      id: test.id,
      state,
      note: skip?.note,
      duration: host.now() - began,
      retries: tries,
      allowed: retries.count,
      repeats: repeated,
      errors: list,
      expectedFail: !!test.options.fails && state === "pass",
      annotations: test.annotations,
      meta: test.meta,
    });
  }

  function matches(condition, errors) {
    return errors.some((e) => (condition instanceof RegExp ? condition.test(String(e?.message ?? e)) : condition(e)));
  }

  // runs tells whether a suite does anything: one without tests fails, if it is not skipped.
  const runs = (suite) =>
    suite.mode === "run" &&
    (suite.tasks.length === 0 || suite.tasks.some((t) => (t.type === "test" ? t.mode === "run" : runs(t))));
  const hasTests = (suite) => suite.tasks.some((t) => t.type === "test" || hasTests(t));

  function skipAll(suite, state) {
    for (const t of suite.tasks) {
      if (t.type === "suite") skipAll(t, state);
      else report("test", { id: t.id, state: t.mode === "todo" ? "todo" : state });
    }
  }

  async function runSuite(suite) {
    if (suite.failure !== undefined) {
      report("suite", { id: suite.id, state: "fail", errors: [failure(suite.failure)] });
      v.failures++;
      skipAll(suite, "skip");
      return;
    }
    if (!runs(suite)) {
      skipAll(suite, "skip");
      return;
    }
    const began = host.now();
    const errors = [];
    let cleanups = [];
    const inside = async () => {
      try {
        const out = await runHooks(suite, "beforeAll", () => [suite]);
        cleanups = out.filter((f) => typeof f === "function");
        await runTasks(suite);
      } catch (e) {
        errors.push(e);
        skipAll(suite, "skip");
      }
      try {
        await runHooks(suite, "afterAll", () => [suite]);
      } catch (e) {
        errors.push(e);
      }
      for (const fn of cleanups.reverse())
        try {
          await bounded("hook", v.config.hookTimeout, null, fn);
        } catch (e) {
          errors.push(e);
        }
    };
    let wrapped = inside;
    if (v.config.isolateTests) await host.keep();
    for (const h of [...suite.hooks.aroundAll].reverse()) {
      const inner = wrapped;
      wrapped = () => h.fn(inner, suite);
    }
    try {
      await wrapped();
    } catch (e) {
      errors.push(e);
    }
    if (v.config.isolateTests) await host.back();
    if (suite === suite.file && suite.sharedTeardown)
      for (const fn of suite.sharedTeardown.reverse())
        try {
          await bounded("hook", v.config.hookTimeout, null, fn);
        } catch (e) {
          errors.push(e);
        }
    if (errors.length === 0 && !hasTests(suite) && !v.config.passWithNoTests)
      errors.push(new Error(`No test found in suite ${suite.name}`));
    if (errors.length > 0) v.failures++;
    report("suite", {
      id: suite.id,
      state: errors.length > 0 ? "fail" : "pass",
      duration: host.now() - began,
      errors: failures(errors),
    });
  }

  function shuffled(list) {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i--) {
      const j = Math.floor(host.random() * (i + 1));
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  }

  // leave is for tests that --bail keeps from running: they get no state, apart from those that would not have run.
  function leave(tasks) {
    for (const t of tasks)
      if (t.type === "suite") leave(t.tasks);
      else if (t.mode !== "run") report("test", { id: t.id, state: t.mode === "todo" ? "todo" : "skip" });
  }

  async function runTasks(suite) {
    const tasks = suite.options.shuffle || v.config.shuffle ? shuffled(suite.tasks) : suite.tasks;
    for (let i = 0; i < tasks.length; i++) {
      if (v.config.bail > 0 && v.failures + host.failures() >= v.config.bail) {
        leave(tasks.slice(i));
        return;
      }
      if (!tasks[i].options.concurrent || tasks[i].options.sequential) {
        await runTask(tasks[i]);
        continue;
      }
      const group = [];
      while (i < tasks.length && tasks[i].options.concurrent && !tasks[i].options.sequential) group.push(tasks[i++]);
      i--;
      const queue = [...group];
      const width = Math.min(v.config.maxConcurrency || 5, queue.length);
      // Tests that run side by side share what is stored, and leave nothing of it (TEST-73).
      if (v.config.isolateTests) await host.keep();
      await Promise.all(
        Array.from({ length: width }, async () => {
          while (queue.length > 0) await runTask(queue.shift());
        }),
      );
      if (v.config.isolateTests) await host.back();
    }
  }

  const runTask = (task) => (task.type === "suite" ? runSuite(task) : runTest(task));

  function tree(suite) {
    return suite.tasks.map((t) =>
      t.type === "suite"
        ? { type: "suite", id: t.id, name: t.name, mode: t.mode, tasks: tree(t), place: t.place }
        : { type: "test", id: t.id, name: t.name, mode: t.mode, place: t.place, row: !!t.row },
    );
  }

  v.begin = (o, over, failed) => void v.runFile(o).then(over, failed);

  // runFile imports a test file and runs what it declares.
  v.runFile = async function (o) {
    const file = v.newFile(o.path);
    file.id = o.id;
    file.name = o.name;
    v.file = file;
    v.failures = 0;
    if (globalThis.process?.env) Object.assign(globalThis.process.env, v.config.env);
    const began = host.now();
    try {
      for (const setup of o.setup) {
        host.modules().forget(setup); // another file of the isolate may have run it
        await load(file, () => host.load(setup));
      }
      const setUp = host.now();
      report("setup", { duration: setUp - began });
      await load(file, () => host.load(o.module));
      await importing(() => v.collectSuites(file));
      // What the Worker's entry declares (it may import a test file) is no part of this one.
      await load(v.newFile(o.path), () => host.loadEntry());
      report("imported", { duration: host.now() - setUp });
    } catch (e) {
      report("collected", { tasks: [] });
      report("file", { state: "fail", errors: failures([e]) });
      return;
    }
    v.finishFile(file, o.filter ?? {});
    if (file.tasks.length === 0 && file.failure === undefined && !o.passWithNoTests)
      file.failure = new Error(`No test suite found in file ${o.path}`);
    report("collected", { tasks: tree(file) });
    if (v.config.collectOnly) {
      report("file", { state: "pass", duration: 0, errors: [] });
      return;
    }
    const started = host.now();
    const failed = v.failures;
    await runSuite(file);
    await v.endFile(file);
    report("file", { state: v.failures > failed ? "fail" : "pass", duration: host.now() - started, errors: [] });
  };
});
