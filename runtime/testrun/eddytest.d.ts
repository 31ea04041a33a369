// Written by eddy types --test.

declare module "eddy:test" {
  /** The session's clock. It stands while anything can run, and jumps to what is due next when all is idle. */
  export const clock: {
    /** The time in milliseconds, as Date.now() has it. */
    now(): number;
    /** Moves time by some milliseconds. Resolves, with them, when all that fell due on the way is done. */
    advance(milliseconds: number): Promise<number>;
    /** Moves time to the next event that is due. Resolves with the milliseconds, 0 if nothing is due. */
    advanceToNext(): Promise<number>;
    /** Moves time on until nothing is due within a day. Resolves with the milliseconds. */
    runUntilIdle(): Promise<number>;
    /** Lets time stand, whatever is idle, until the function that it returns is called. The others still move it. */
    pause(): () => void;
  };

  export interface QueuedMessage<Body = unknown> {
    readonly id: string;
    readonly body: Body;
    /** How often it was delivered and failed. */
    readonly attempts: number;
    readonly timestamp: number;
    readonly state: "ready" | "delayed" | "in flight" | "held";
    /** When a delayed message can be delivered. */
    readonly visibleAt?: number;
    readonly deadLetter?: { queue: string; reason: string; error: string; attempts: number };
  }

  export interface Delivery {
    readonly at: number;
    /** The ids of the batch's messages. */
    readonly messages: string[];
    /** The highest attempt among them, 1 for the first. */
    readonly attempts: number;
    /** Whether the delivery is over, and then how many messages were acknowledged and why the others were not. */
    readonly ended: boolean;
    readonly acked: number;
    readonly reason?: string;
    readonly error?: string;
  }

  export interface TestQueue {
    readonly name: string;
    /** The messages that the queue has, in order of arrival. */
    messages<Body = unknown>(): Promise<QueuedMessage<Body>[]>;
    /** The messages in its dead letter queue that came from it. */
    deadLetters<Body = unknown>(): Promise<QueuedMessage<Body>[]>;
    /** The batches that were delivered since the file began. */
    deliveries(): Delivery[];
    /** Moves time on until the queue is empty. */
    drain(): Promise<number>;
    /** Lets the next deliveries fail before the handler is called. */
    failNext(count?: number, error?: string): void;
    /** Stops deliveries until resume. */
    pause(): Promise<void>;
    resume(): Promise<void>;
  }

  export function queue(name: string): TestQueue;

  /** Moves time on until no queue with a consumer has anything left to deliver. */
  export function drainAll(): Promise<number>;

  export const alarms: {
    /** Moves time to the latest of the alarms that are set now, so that each of them fires. */
    runAll(): Promise<number>;
  };

  export interface TestObject {
    /** What is stored under keys. */
    storage(): Promise<Map<string, unknown>>;
    sql<Row = Record<string, unknown>>(query: string, ...values: unknown[]): Promise<Row[]>;
    /** When its alarm is due, null for none. */
    alarm(): Promise<number | null>;
    /** Runs its alarm now; false if none is set. */
    runAlarm(): Promise<boolean>;
    /** Takes it out of memory. */
    evict(): Promise<void>;
  }

  export function object(stub: object): TestObject;

  /** Kills the Worker and starts it again: events in flight and objects in memory are lost, what is stored stays. */
  export function crash(): Promise<void>;

  /** Takes an object, or all that are idle, out of memory. */
  export function evict(stub?: object): Promise<void>;

  /** What decides every order that is free. */
  export const seed: number;
}
