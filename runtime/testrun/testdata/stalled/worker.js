export default {
  async queue(batch) {
    await new Promise(() => {});
  },
  async work(gate) {
    await gate;
  },
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/never") await new Promise(() => {});
    if (pathname === "/late") await new Promise((done) => setTimeout(done, 3600_000));
    return new Response(pathname === "/body" ? new ReadableStream({ pull: () => new Promise(() => {}) }) : "late");
  },
};

import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";

export class Methods extends WorkerEntrypoint {
  async never() {
    await new Promise(() => {});
  }
}

export class Node extends DurableObject {
  async never() {
    await new Promise(() => {});
  }
}
