import { DurableObject } from "cloudflare:workers";

interface Env {
  MAILS: Queue<Mail>;
  MAILBOX: DurableObjectNamespace<Mailbox>;
}
interface Mail {
  to: string;
  text: string;
}

// Mailbox keeps the mails of one address for a day.
export class Mailbox extends DurableObject<Env> {
  // The id is that of the message: a second delivery of it changes nothing.
  async take(id: string, text: string) {
    await this.ctx.storage.put(`mail ${id}`, text);
    await this.ctx.storage.setAlarm(Date.now() + 24 * 3600 * 1000);
  }
  async count() {
    return (await this.ctx.storage.list({ prefix: "mail " })).size;
  }
  async alarm() {
    await this.ctx.storage.deleteAll();
  }
}

export default {
  async fetch(request: Request, env: Env) {
    const to = new URL(request.url).pathname.slice(1);
    if (request.method === "POST") {
      await env.MAILS.send({ to, text: await request.text() });
      return new Response("queued\n", { status: 202 });
    }
    return new Response(`${await env.MAILBOX.getByName(to).count()} mails\n`);
  },
  async queue(batch: MessageBatch<Mail>, env: Env) {
    for (const { id, body } of batch.messages) {
      if (!body.to.includes("@")) throw new Error(`"${body.to}" is no address`);
      await env.MAILBOX.getByName(body.to).take(id, body.text);
    }
  },
};
