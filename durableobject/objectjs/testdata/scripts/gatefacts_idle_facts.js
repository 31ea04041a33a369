let born = 0;
export class I extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.n = ++born;
  }
  who() {
    return this.n;
  }
  timer(ms) {
    setTimeout(() => {}, ms);
    return this.n;
  }
  interval() {
    this.t = setInterval(() => {}, 3000);
    return this.n;
  }
  stop() {
    clearInterval(this.t);
    return this.n;
  }
  until(ms) {
    this.ctx.waitUntil(sleep(ms));
    return this.n;
  }
  async work(ms) {
    await sleep(ms);
    return this.n;
  }
  async wake(ms) {
    await this.ctx.storage.setAlarm(Date.now() + ms);
    return this.n;
  }
  alarm() {}
  fetch(request) {
    const [client, server] = Object.values(new WebSocketPair());
    if (request.url.endsWith("plain")) {
      server.accept();
      server.addEventListener("message", () => server.send(String(this.n)));
    } else {
      this.ctx.acceptWebSocket(server);
      this.ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    }
    return new Response(null, { status: 101, webSocket: client });
  }
  webSocketMessage(ws) {
    ws.send(String(this.n));
  }
}
const i = (env, n) => env.I.getByName(n);
const again = async (env, n, first, wait) => {
  const a = await first(i(env, n));
  await sleep(wait);
  return a === (await i(env, n).who()) ? "same" : "new";
};
const tests = new Proxy(
  {
    nine: (env) => again(env, "nine", (s) => s.who(), 9000),
    eleven: (env) => again(env, "eleven", (s) => s.who(), 11000),
    timer: (env) => again(env, "timer", (s) => s.timer(12500), 13000),
    interval: async (env) =>
      [
        await again(env, "interval", (s) => s.interval(), 60000),
        await again(env, "interval", (s) => s.stop(), 11000),
      ].join(),
    until: (env) => again(env, "until", (s) => s.until(12500), 13000),
    work: async (env) => {
      const w = i(env, "work").work(13000);
      await sleep(12000);
      const n = await i(env, "work").who();
      return n === (await w) ? "same" : "new";
    },
    alarm: (env) => again(env, "alarm", (s) => s.wake(8000), 16000),
    reset: async (env) => {
      const n = await i(env, "reset").who();
      const out = [];
      for (let j = 0; j < 3; j++) {
        await sleep(8000);
        out.push(n === (await i(env, "reset").who()));
      }
      return out.join();
    },
  },
  { get: (t, n) => t[n] ?? ((env, ctx, request) => i(env, n).fetch("http://x/" + n, request)) },
);
