export class M extends DurableObject {
  one() {
    const [client, server] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(server);
    return server;
  }
  async fill() {
    for (let i = 0; i < 32768; i++) this.one();
    return [this.ctx.getWebSockets().length, await caught(() => this.one())].join();
  }
}
const tests = { fill: (env) => env.M.getByName("m").fill() };
