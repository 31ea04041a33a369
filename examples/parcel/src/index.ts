import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

type Parcel = { parcel: number };

/** An order: it is charged, sent, and closed when the customer has answered. What has been done is undone if it is called off. */
export class Order extends WorkflowEntrypoint<Env, Parcel> {
  async run(event: Readonly<WorkflowEvent<Parcel>>, step: WorkflowStep) {
    const charge = await step.do(
      "charge",
      { retries: { limit: 3, delay: "10 seconds" } },
      async () => ({ parcel: event.payload.parcel, cents: 1200 }),
      { rollback: async ({ output }) => console.log(`refunded ${output?.cents} cents`) },
    );
    await step.sleep("wait for the parcel", "3 days");
    const answer = await step.waitForEvent<string>("was it good?", { type: "answer", timeout: "1 week" });
    return step.do("close", async () => ({ ...charge, answer: answer.payload }));
  }
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (request.method === "POST") {
      const instance = await env.ORDERS.create({ params: await request.json<Parcel>() });
      return Response.json({ id: instance.id }, { status: 202 });
    }
    const instance = await env.ORDERS.get(pathname.slice(1));
    const { status, output, error } = await instance.status();
    return Response.json({ status, output, error });
  },
} satisfies ExportedHandler<Env>;

interface Env {
  ORDERS: Workflow<Parcel>;
}
