export class S extends DurableObject {
  async run(name) {
    return await cases[name](this.ctx, this, this.ctx.storage);
  }
  alarm(info) {}
}
export class K extends DurableObject {
  async run(name) {
    return await cases[name](this.ctx, this, this.ctx.storage);
  }
}
const entries = (m) => JSON.stringify([...m]);
const runIn = (cls) => new Proxy({}, { get: (_, n) => (env) => env[cls].getByName(n).run(n) });
