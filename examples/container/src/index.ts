import { DurableObject } from "cloudflare:workers";

const port = 8080;
const idle = 60_000;

// A Room has a container of its own. The first request starts it; an alarm ends it when nobody has asked for a minute.
export class Room extends DurableObject<Env> {
  async fetch(request: Request): Promise<Response> {
    const container = this.ctx.container!;
    if (!container.running) {
      container.start({ enableInternet: false, env: { GREETING: `hello from ${this.ctx.id.name}` } });
      this.ctx.waitUntil(container.monitor().catch((e) => console.log(`the container has ended: ${e.message}`)));
    }
    await this.ctx.storage.setAlarm(Date.now() + idle);
    return this.ask(new URL(request.url).pathname);
  }

  // The program needs a moment until it listens.
  private async ask(path: string): Promise<Response> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.ctx.container!.getTcpPort(port).fetch(`http://container${path}`);
      } catch (e) {
        if (tries === 50 || !this.ctx.container!.running) throw e;
        await scheduler.wait(100);
      }
    }
  }

  async alarm(): Promise<void> {
    await this.ctx.container!.destroy();
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, room] = new URL(request.url).pathname.split("/");
    if (!room) return new Response("ask for a room: /kitchen\n", { status: 404 });
    return env.ROOM.getByName(room).fetch(request);
  },
} satisfies ExportedHandler<Env>;

interface Env {
  ROOM: DurableObjectNamespace<Room>;
}
