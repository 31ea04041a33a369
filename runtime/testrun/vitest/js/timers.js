// Fake timers (TEST-106, TEST-107): time that only moves when a test says so.
(function (v, host) {
  "use strict";

  const names = [
    "setTimeout",
    "clearTimeout",
    "setInterval",
    "clearInterval",
    "setImmediate",
    "clearImmediate",
    "Date",
    "performance",
    "queueMicrotask",
    "nextTick",
    "requestAnimationFrame",
    "cancelAnimationFrame",
    "requestIdleCallback",
    "cancelIdleCallback",
  ];
  const real = {};
  for (const n of names) real[n] = globalThis[n];
  let fake = null; // the fake clock, if timers are faked
  let dated = null; // the time of setSystemTime without fake timers: {base, offset}

  const toMillis = (t) =>
    t === undefined
      ? undefined
      : t instanceof real.Date
        ? t.getTime()
        : typeof t === "string"
          ? new real.Date(t).getTime()
          : Number(t);

  function fakeDate(now) {
    const RealDate = real.Date;
    class MockDate extends RealDate {
      constructor(...args) {
        if (args.length === 0) super(now());
        else super(...args);
      }
      static now() {
        return now();
      }
    }
    Object.defineProperty(MockDate, "name", { value: "Date" });
    const callable = new Proxy(MockDate, { apply: () => new RealDate(now()).toString() });
    MockDate.prototype.constructor = callable;
    Object.defineProperty(MockDate, Symbol.hasInstance, { value: (x) => x instanceof RealDate });
    return callable;
  }

  class Clock {
    constructor(start, limit) {
      this.now = start;
      this.start = start;
      this.limit = limit;
      this.timers = new Map();
      this.next = 1;
      this.micro = [];
    }
    add(fn, delay, args, interval, kind) {
      if (typeof fn !== "function")
        throw new TypeError(
          `[ERR_INVALID_CALLBACK]: Callback must be a function. Received ${fn} of type ${typeof fn}`,
        );
      let ms = Number(delay);
      if (!(ms >= 0)) ms = 0;
      if (ms > 2147483647) ms = 1;
      const id = this.next++;
      const timer = {
        id,
        fn,
        args,
        at: this.now + Math.trunc(ms),
        order: id,
        interval: interval ? Math.max(Math.trunc(ms), 1) : undefined,
        kind,
      };
      this.timers.set(id, timer);
      this.wake?.resolve();
      return handle(this, timer);
    }
    clear(h) {
      this.timers.delete(typeof h === "object" && h !== null ? (h.id ?? Number(h)) : Number(h));
    }
    first(until = Infinity) {
      let best = null;
      for (const t of this.timers.values())
        if (t.at <= until && (!best || t.at < best.at || (t.at === best.at && rank(t) < rank(best)))) best = t;
      return best;
    }
    fire(t) {
      this.now = Math.max(this.now, t.at);
      if (t.interval === undefined) this.timers.delete(t.id);
      else t.at += t.interval;
      t.fn(...t.args);
    }
    advance(ms) {
      const target = this.now + ms;
      for (let t; (t = this.first(target));) this.fire(t);
      this.now = target;
    }
    async advanceAsync(ms) {
      const target = this.now + ms;
      await settle();
      for (let t; (t = this.first(target));) {
        this.fire(t);
        await settle();
      }
      this.now = target;
    }
    tooMany() {
      return new Error(`Aborting after running ${this.limit} timers, assuming an infinite loop!`);
    }
    runAll() {
      for (let i = 0; i < this.limit; i++) {
        const t = this.first();
        if (!t) return;
        this.fire(t);
      }
      throw this.tooMany();
    }
    async runAllAsync() {
      await settle();
      for (let i = 0; i < this.limit; i++) {
        const t = this.first();
        if (!t) return;
        this.fire(t);
        await settle();
      }
      throw this.tooMany();
    }
    last() {
      let at = -Infinity;
      for (const t of this.timers.values()) at = Math.max(at, t.at);
      return at;
    }
  }
  const rank = (t) => (t.kind === "immediate" ? t.order - 1e9 : t.order);
  // What promises of the fired timer cause runs before the next one: a real turn of the loop.
  const settle = () => new Promise((resolve) => host.soon(resolve));

  function handle(clock, timer) {
    if (timer.kind === "frame") return timer.id;
    const h = {
      id: timer.id,
      ref() {
        return h;
      },
      unref() {
        return h;
      },
      hasRef: () => true,
      refresh() {
        timer.at = clock.now + (timer.interval ?? 0);
        clock.timers.set(timer.id, timer);
        return h;
      },
      [Symbol.toPrimitive]: () => timer.id,
      [Symbol.dispose ?? Symbol("dispose")]: () => clock.clear(timer.id),
    };
    return h;
  }

  function install(options) {
    const o = { ...(v.config.fakeTimers ?? {}), ...options };
    const start = toMillis(o.now) ?? (dated ? dated() : real.Date.now());
    const clock = new Clock(start, o.loopLimit ?? 10000);
    let list = o.toFake ?? names.filter((n) => n !== "nextTick" && n !== "queueMicrotask");
    if (o.toNotFake) list = list.filter((n) => !o.toNotFake.includes(n));
    const make = {
      setTimeout:
        () =>
        (fn, ms, ...args) =>
          clock.add(fn, ms, args),
      setInterval:
        () =>
        (fn, ms, ...args) =>
          clock.add(fn, ms, args, true),
      setImmediate:
        () =>
        (fn, ...args) =>
          clock.add(fn, 0, args, false, "immediate"),
      clearTimeout: () => (h) => clock.clear(h),
      clearInterval: () => (h) => clock.clear(h),
      clearImmediate: () => (h) => clock.clear(h),
      requestAnimationFrame: () => (fn) =>
        clock.add(() => fn(clock.now - clock.start), 16 - ((clock.now - clock.start) % 16), [], false, "frame"),
      cancelAnimationFrame: () => (h) => clock.clear(h),
      requestIdleCallback: () => (fn) => clock.add(fn, 0, [], false, "frame"),
      cancelIdleCallback: () => (h) => clock.clear(h),
      Date: () => fakeDate(() => clock.now),
      performance: () =>
        new Proxy(real.performance, {
          get: (target, key) =>
            key === "now"
              ? () => clock.now - clock.start
              : key === "timeOrigin"
                ? clock.start
                : typeof target[key] === "function"
                  ? target[key].bind(target)
                  : target[key],
        }),
      queueMicrotask: () => (fn) => real.queueMicrotask(fn),
    };
    clock.replaced = [];
    for (const n of list) {
      if (!make[n] || real[n] === undefined) continue;
      clock.replaced.push([n, Object.getOwnPropertyDescriptor(globalThis, n)]);
      Object.defineProperty(globalThis, n, {
        value: make[n](),
        writable: true,
        configurable: true,
        enumerable: true,
      });
    }
    return clock;
  }

  function need() {
    if (!fake)
      throw new Error(
        "A function to advance timers was called but the timers APIs are not mocked. Call `vi.useFakeTimers()` in " +
            "the test file first.",
      );
    return fake;
  }

  function uninstall() {
    if (!fake) return;
    for (const [n, d] of fake.replaced)
      if (d) Object.defineProperty(globalThis, n, d);
      else delete globalThis[n];
    fake = null;
  }

  v.timers = {
    useFakeTimers(options = {}) {
      if (options.toFake?.includes("nextTick"))
        throw new Error('vi.useFakeTimers({ toFake: ["nextTick"] }) is not supported');
      uninstall();
      fake = install(options);
    },
    useRealTimers() {
      uninstall();
      undate();
    },
    isFakeTimers: () => fake !== null,
    setSystemTime(time) {
      const ms = toMillis(time) ?? real.Date.now();
      if (fake) {
        fake.now = ms;
        fake.start += 0;
        shift(ms);
        return;
      }
      dated = () => ms;
      Object.defineProperty(globalThis, "Date", {
        value: fakeDate(() => ms),
        writable: true,
        configurable: true,
        enumerable: false,
      });
    },
    getMockedSystemTime: () => (fake ? new real.Date(fake.now) : dated ? new real.Date(dated()) : null),
    getRealSystemTime: () => real.Date.now(),
    advanceTimersByTime(ms) {
      need().advance(ms);
    },
    async advanceTimersByTimeAsync(ms) {
      await need().advanceAsync(ms);
    },
    advanceTimersToNextTimer(steps = 1) {
      for (let i = 0; i < steps; i++) {
        const t = need().first();
        if (t) fake.fire(t);
      }
    },
    async advanceTimersToNextTimerAsync(steps = 1) {
      for (let i = 0; i < steps; i++) {
        await settle();
        const t = need().first();
        if (t) fake.fire(t);
        await settle();
      }
    },
    advanceTimersToNextFrame() {
      const c = need();
      c.advance(16 - ((c.now - c.start) % 16));
    },
    runAllTimers() {
      need().runAll();
    },
    async runAllTimersAsync() {
      await need().runAllAsync();
    },
    runOnlyPendingTimers() {
      const c = need();
      const at = c.last();
      if (at > -Infinity) c.advance(at - c.now);
    },
    async runOnlyPendingTimersAsync() {
      const c = need();
      const at = c.last();
      if (at > -Infinity) await c.advanceAsync(at - c.now);
    },
    runAllTicks() {
      need();
    },
    clearAllTimers() {
      need().timers.clear();
    },
    getTimerCount: () => need().timers.size,
    // In the mode nextTimerAsync the next timer fires after each turn of the loop, in interval time moves by itself.
    setTimerTickMode(mode, interval) {
      const clock = need();
      if (mode !== "manual" && mode !== "nextTimerAsync" && mode !== "interval")
        throw new Error(`Invalid tick mode: ${mode}`);
      const delta = interval || 20;
      if (clock.mode?.name === mode && clock.mode.delta === delta) return;
      const now = (clock.mode = { name: mode, delta });
      const goesOn = () => fake === clock && clock.mode === now;
      if (mode === "interval") {
        const tick = () => {
          if (!goesOn()) return;
          clock.advance(delta);
          real.setTimeout(tick, delta);
        };
        real.setTimeout(tick, delta);
      } else if (mode === "nextTimerAsync")
        (async () => {
          for (;;) {
            await new Promise((resolve) => real.setTimeout(resolve, 0));
            if (!goesOn()) return;
            const t = clock.first();
            if (t) clock.fire(t);
            else await (clock.wake = Promise.withResolvers()).promise;
          }
        })();
    },
  };

  // shift keeps what is left to each timer when the date is set.
  let before = 0;
  function shift(ms) {
    const d = ms - before;
    if (before !== 0) for (const t of fake.timers.values()) t.at += d;
  }
  const set = v.timers.setSystemTime;
  v.timers.setSystemTime = (time) => {
    before = fake ? fake.now : 0;
    set(time);
    before = 0;
  };

  function undate() {
    if (!dated) return;
    dated = null;
    Object.defineProperty(globalThis, "Date", {
      value: real.Date,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  }
  v.realTimers = real;
});
