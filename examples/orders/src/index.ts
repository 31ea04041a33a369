import { DurableObject } from "cloudflare:workers";

interface Env {
  ORDER: DurableObjectNamespace<Order>;
  PAYMENTS: Queue<Payment>;
  SHIPPING: Queue<Shipment>;
}

interface Item {
  sku: string;
  quantity: number;
}
interface Payment {
  order: string;
  card: string;
}
interface Shipment {
  order: string;
  items: Item[];
}

type Status = "new" | "placed" | "paid" | "shipped" | "failed";

/** One order. place() validates it, stores it, and only then enqueues it; a second place() changes nothing. */
export class Order extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS history (at INTEGER, status TEXT)");
  }

  status(): Status {
    const last = [...this.ctx.storage.sql.exec<{ status: Status }>("SELECT status FROM history ORDER BY rowid DESC LIMIT 1")];
    return last[0]?.status ?? "new";
  }

  history() {
    return this.ctx.storage.sql.exec("SELECT status FROM history ORDER BY rowid").toArray().map((r) => r.status);
  }

  async place(order: string, items: Item[], card: string): Promise<Status> {
    if (!Array.isArray(items) || items.length === 0) throw new TypeError("an order needs at least one item");
    for (const item of items) {
      if (!(item.quantity > 0)) throw new RangeError(`quantity of ${item.sku} must be positive`);
    }
    if (this.status() !== "new") return this.status();
    await this.ctx.storage.put("items", items);
    this.become("placed");
    // The output gate holds the message back until what was written above is on disk.
    await this.leave("placed", () => this.env.PAYMENTS.send({ order, card }));
    return "placed";
  }

  async paid(order: string) {
    if (this.status() !== "placed") return;
    this.become("paid");
    const items = (await this.ctx.storage.get<Item[]>("items"))!;
    await this.leave("paid", () => this.env.SHIPPING.send({ order, items }));
  }

  // If a message cannot leave, the status is as it was, so that whoever tries again sends it.
  async leave(status: Status, send: () => Promise<unknown>) {
    try {
      await send();
    } catch (e) {
      this.ctx.storage.sql.exec("DELETE FROM history WHERE status = ?", status);
      throw e;
    }
  }

  become(status: Status) {
    if (this.status() !== status) this.ctx.storage.sql.exec("INSERT INTO history VALUES (?, ?)", Date.now(), status);
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const [, resource, id] = url.pathname.split("/");
    if (resource !== "orders" || !id) {
      return new Response("POST /orders/<id> with {items:[{sku,quantity}],card}\nGET  /orders/<id>\n", { status: url.pathname === "/" ? 200 : 404 });
    }
    const order = env.ORDER.getByName(id);
    if (request.method === "GET") return Response.json({ status: await order.status(), history: await order.history() });
    if (request.method !== "POST") return new Response("method not allowed", { status: 405 });
    try {
      const { items, card } = await request.json<{ items: Item[]; card: string }>();
      return Response.json({ status: await order.place(id, items, card) }, { status: 202 });
    } catch (e) {
      return Response.json({ error: (e as Error).message }, { status: 400 });
    }
  },

  // When a status was reached may differ: eddy replay --chaos does not compare it.
  // eddy-chaos-ignore objects.Order.*.at
  async queue(batch: MessageBatch<any>, env: Env): Promise<void> {
    for (const message of batch.messages) {
      const order = env.ORDER.getByName(message.body.order);
      switch (batch.queue) {
        case "payments":
          if (message.body.card === "declined" || (message.body.card === "flaky" && message.attempts === 1)) {
            message.retry({ delaySeconds: 5 * 2 ** (message.attempts - 1) });
            break;
          }
          await order.paid(message.body.order);
          message.ack();
          break;
        case "shipping":
          await order.become("shipped");
          message.ack();
          break;
        case "payments-dlq":
          await order.become("failed");
          message.ack();
          break;
      }
    }
  },
};
