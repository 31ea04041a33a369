import { DurableObject, env } from "cloudflare:workers";
import { createRequestHandler } from "react-router";

export class Counter extends DurableObject {
  async add(n) {
    const sum = ((await this.ctx.storage.get("sum")) ?? 0) + n;
    await this.ctx.storage.put("sum", sum);
    return sum;
  }
}

const handler = createRequestHandler(() => import("virtual:react-router/server-build"), import.meta.env.MODE);

export default {
  fetch: (request) => handler(request),
};
