// The TypeScript of do-queue's page (DQ-1). It names or infers every type, with the binding's own type and with the type
// that `wrangler types` gives the binding.
import { DOQueueProducer, createDOQueue, type DOQueueNamespace } from "@cloudflare-boilerplate/do-queue";

interface MyMessage {
  foo: string;
}

interface Env {
  MY_QUEUE_DO: DOQueueNamespace<MyMessage, Env>;
}

interface PlainEnv {
  MY_QUEUE_DO: DurableObjectNamespace;
}

export const MyQueueDO = createDOQueue<MyMessage, Env>(
  {
    async queue(batch, env, ctx) {
      ctx.waitUntil(Promise.resolve());
      for (const message of batch.messages) {
        try {
          const seen: [string, number, Date, string] = [message.id, message.attempts, message.timestamp, message.body.foo];
          if (message.body.foo === "bad") throw new Error("bad foo");
          console.log("handled", message.body.foo, seen[1], typeof env.MY_QUEUE_DO.idFromName);
          message.ack();
        } catch {
          message.retry({ delaySeconds: 0 });
        }
      }
      batch.retryAll({ delaySeconds: 1 });
      batch.ackAll();
    },
    async deadLetter(message, error, env) {
      console.log("dead", message.body.foo, message.attempts, error.message, typeof env);
    },
  },
  { maxRetries: 1, maxBatchSize: 10, retryBaseDelayMs: 1000, retryMaxDelayMs: 30000, retryJitter: 0.1 },
);

export default {
  async fetch(_request, env) {
    const producer = new DOQueueProducer<MyMessage>(env.MY_QUEUE_DO, "my-queue");
    await producer.send({ foo: "bar" });
    await producer.send({ foo: "bad" }, { key: "user" });
    await new DOQueueProducer(env.MY_QUEUE_DO, "my-queue").send({ foo: "inferred" });
    return new Response("sent");
  },
} satisfies ExportedHandler<Env>;

export async function mistakes(env: Env, plain: PlainEnv): Promise<void> {
  await new DOQueueProducer<MyMessage>(plain.MY_QUEUE_DO, "my-queue").send({ foo: "bar" });
  // @ts-expect-error: another message
  await new DOQueueProducer<MyMessage>(env.MY_QUEUE_DO, "my-queue").send({ foo: 1 });
  // @ts-expect-error: a queue of other messages
  new DOQueueProducer<{ bar: number }>(env.MY_QUEUE_DO, "my-queue");
  // @ts-expect-error: no such option
  createDOQueue<MyMessage, Env>({ queue() {} }, { maxTries: 3 });
  // @ts-expect-error: queue() is missing
  createDOQueue<MyMessage, Env>({});
}
