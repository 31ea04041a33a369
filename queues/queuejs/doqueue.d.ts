// Types of @cloudflare-boilerplate/do-queue as eddy serves it, written by `eddy types`. They need no other declarations.
declare module "@cloudflare-boilerplate/do-queue" {
  /**
   * The binding of a class that `createDOQueue` made, for an `Env`. Any Durable Object namespace will do where one is
   * expected, so the `DurableObjectNamespace` of `wrangler types` can stay.
   */
  export interface DOQueueNamespace<T = unknown, Env = unknown> {
    idFromName(name: string): any;
    idFromString(id: string): any;
    newUniqueId(options?: any): any;
    get(id: any, options?: any): any;
    /** What T and Env are known by; no such member exists. */
    readonly "~types"?: { message: T; env: Env };
  }

  /** Sends messages to the lanes of one queue. */
  export class DOQueueProducer<T = unknown> {
    constructor(namespace: DOQueueNamespace<T, any>, queueName: string);
    /**
     * Resolves when the message is stored. Messages of one key are delivered strictly in order; other keys do not wait for
     * them. Without a key all share one lane.
     */
    send(body: T, options?: { key?: string }): Promise<void>;
  }

  /** A message in a lane. The first settlement counts, later ones have no effect. */
  export interface DOQueueMessage<T = unknown> {
    /** A UUID, the same in every delivery. */
    readonly id: string;
    readonly body: T;
    /** 1 in the first delivery. */
    readonly attempts: number;
    /** When it was sent. */
    readonly timestamp: Date;
    ack(): void;
    /** Delivers it again, after the back-off or after `delaySeconds`; what is behind it in its lane waits. */
    retry(options?: { delaySeconds?: number }): void;
  }

  /** The oldest messages of one lane, in order. */
  export interface DOQueueBatch<T = unknown> {
    /** The lane's name: the queue's, or `queue:key`. */
    readonly queue: string;
    readonly messages: readonly DOQueueMessage<T>[];
    /** Acknowledges what is not settled yet. */
    ackAll(): void;
    /** Retries what is not settled yet. */
    retryAll(options?: { delaySeconds?: number }): void;
  }

  export interface DOQueueContext {
    /** The batch ends when the promise has settled; if it rejects, what is not settled is retried. */
    waitUntil(promise: Promise<unknown>): void;
  }

  export interface DOQueueHandlers<T = unknown, Env = unknown> {
    /** What is not settled is acknowledged when this returns, and retried when it throws. */
    queue(batch: DOQueueBatch<T>, env: Env, ctx: DOQueueContext): void | Promise<void>;
    /** Takes a message whose retries are used up. If it throws, it is called again later. Without it such messages are deleted. */
    deadLetter?(message: DOQueueMessage<T>, error: Error, env: Env): void | Promise<void>;
  }

  export interface DOQueueOptions {
    /** Deliveries after the first one. Default 3. */
    maxRetries?: number;
    /** Default 10. */
    maxBatchSize?: number;
    /** The first back-off; each next one is twice as long. Default 1000. */
    retryBaseDelayMs?: number;
    /** The longest back-off. Default 30000. */
    retryMaxDelayMs?: number;
    /** How much a back-off may differ, as a share of it. Default 0.1. */
    retryJitter?: number;
  }

  /** A Durable Object class, to be exported from the Worker and bound in its configuration. */
  export interface DOQueueClass<T = unknown, Env = unknown> {
    new (ctx: any, env: Env): { readonly "~types"?: { message: T; env: Env } };
  }

  export function createDOQueue<T = unknown, Env = unknown>(
    handlers: DOQueueHandlers<T, Env>,
    options?: DOQueueOptions,
  ): DOQueueClass<T, Env>;
}
