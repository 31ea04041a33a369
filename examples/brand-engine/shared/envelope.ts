/** The body of every message. It carries ids only, never the content itself. */
export interface Envelope<T = Record<string, unknown>> {
  event_id: string;
  type: string;
  source: string;
  timestamp: string;
  correlation_id?: string;
  payload: T;
}

/**
 * What an event causes has an id that follows from it: a second delivery of the event sends nothing new. part tells apart
 * events of one type with the same cause.
 */
export async function envelope<T>(source: string, type: string, payload: T, cause?: Envelope, part = ""): Promise<Envelope<T>> {
  return {
    event_id: cause ? await idOf(`${cause.event_id}/${type}/${part}`) : crypto.randomUUID(),
    type,
    source,
    timestamp: new Date().toISOString(), // eddy-chaos-ignore queues.*.timestamp
    correlation_id: cause?.correlation_id ?? cause?.event_id,
    payload,
  };
}

/** The same text has the same id, which looks like any other. */
async function idOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).slice(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** 30, 60, 120, 240, 480, 600 seconds. */
export const backoff = (attempts: number): number => Math.min(30 * 2 ** (attempts - 1), 600);

/** An error that a retry would not change. */
export class PermanentError extends Error {}

/** The service that was asked is overloaded. The rest of the batch is retried later without asking it. */
export class BusyError extends Error {}

type Handler = (e: Envelope<any>, message: Message<Envelope>) => Promise<void>;

/**
 * Handles messages one by one, by their type. Ack comes last; an unknown type or a permanent error is acked and never
 * retried; anything else is tried again with back-off, and after a BusyError the whole rest after 5 seconds.
 */
export async function consume(batch: MessageBatch<Envelope>, handlers: Record<string, Handler>): Promise<void> {
  for (const [i, message] of batch.messages.entries()) {
    const e = message.body;
    const handler = handlers[e?.type];
    if (!handler) {
      console.warn(`${batch.queue}: unknown type ${e?.type}`);
      message.ack();
      continue;
    }
    let action = "processed";
    try {
      await handler(e, message);
      message.ack();
    } catch (error) {
      const { message: text } = error as Error;
      if (error instanceof BusyError) {
        for (const rest of batch.messages.slice(i)) rest.retry({ delaySeconds: 5 });
        console.warn(`${batch.queue}: ${text}, ${batch.messages.length - i} messages wait`);
        return;
      }
      if (error instanceof PermanentError) {
        console.warn(`${batch.queue}: ${e.type}: ${text}`);
        action = "discarded";
        message.ack();
      } else {
        action = "retried";
        message.retry({ delaySeconds: backoff(message.attempts) });
      }
    }
    console.log(JSON.stringify({
      action, event_id: e.event_id, type: e.type, source: e.source, correlation_id: e.correlation_id, attempt: message.attempts,
      queue_timestamp: message.timestamp.toISOString(), processing_delay_ms: Date.now() - message.timestamp.getTime(),
    }));
  }
}
