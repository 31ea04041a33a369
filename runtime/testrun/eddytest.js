// The module eddy:test: what only eddy has for tests.
(function (host) {
  "use strict";

  function milliseconds(given) {
    const ms = Number(given);
    if (!(ms >= 0)) throw new TypeError(`clock.advance(${String(given)}): expected milliseconds, 0 or more`);
    return ms;
  }

  const clock = Object.freeze({
    now: () => host.now(),
    advance: async (ms) => host.advance(milliseconds(ms)),
    advanceToNext: async () => host.advanceToNext(),
    runUntilIdle: async () => host.runUntilIdle(),
    pause: () => host.pause(),
  });

  function queue(name) {
    if (typeof name !== "string") throw new TypeError("queue(name): expected the name of a queue");
    return Object.freeze({
      name,
      messages: async () => host.messages(name, false),
      deadLetters: async () => host.messages(name, true),
      deliveries: () => host.deliveries(name),
      drain: async () => host.drain(name),
      failNext(count = 1, text = "failNext of eddy:test") {
        if (!Number.isInteger(count) || count < 0)
          throw new TypeError("failNext(count): expected a whole number, 0 or more");
        host.failNext(name, count, String(text));
      },
      pause: async () => host.pauseQueue(name, true),
      resume: async () => host.pauseQueue(name, false),
    });
  }

  function object(stub) {
    return Object.freeze({
      storage: async () => host.objects.run(stub, (_, ctx) => ctx.storage.list()),
      sql: async (query, ...values) =>
        host.objects.run(stub, (_, ctx) => ctx.storage.sql.exec(query, ...values).toArray()),
      alarm: async () => host.objects.run(stub, (_, ctx) => ctx.storage.getAlarm()),
      runAlarm: async () => host.objects.alarm(stub),
      evict: async () => host.objects.evict(stub, "hibernate"),
    });
  }

  return {
    clock,
    queue,
    object,
    drainAll: async () => host.drain(),
    alarms: Object.freeze({ runAll: async () => host.runAlarms() }),
    crash: async () => host.crash(),
    async evict(stub) {
      return stub === undefined ? host.objects.evictAll("hibernate") : host.objects.evict(stub, "hibernate");
    },
    get seed() {
      return host.seed;
    },
  };
});
