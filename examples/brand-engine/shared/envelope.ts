/** What travels on every queue: ids only, never the content itself. */
export interface Envelope<T = Record<string, unknown>> {
  event_id: string;
  type: string;
  source: string;
  timestamp: string;
  correlation_id?: string;
  payload: T;
}

export function envelope<T>(source: string, type: string, payload: T, cause?: Envelope): Envelope<T> {
  return {
    event_id: crypto.randomUUID(),
    type,
    source,
    timestamp: new Date().toISOString(),
    correlation_id: cause?.correlation_id ?? cause?.event_id,
    payload,
  };
}

/** 30, 60, 120, 240, 480, 600 seconds. */
export const backoff = (attempts: number): number => Math.min(30 * 2 ** (attempts - 1), 600);

export class PermanentError extends Error {}

/**
 * Handles messages one by one. Ack comes last; an unknown type or a permanent error is acked and never retried; anything
 * else is tried again with back-off.
 */
export async function consume(batch: MessageBatch<Envelope>, handlers: Record<string, (e: Envelope<any>) => Promise<void>>): Promise<void> {
  for (const message of batch.messages) {
    const handler = handlers[message.body?.type];
    if (!handler) {
      console.warn(`${batch.queue}: unknown type ${message.body?.type}`);
      message.ack();
      continue;
    }
    try {
      await handler(message.body);
      message.ack();
    } catch (e) {
      if (e instanceof PermanentError) {
        console.warn(`${batch.queue}: ${message.body.type}: ${e.message}`);
        message.ack();
      } else {
        message.retry({ delaySeconds: backoff(message.attempts) });
      }
    }
  }
}
