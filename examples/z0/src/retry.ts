import type { Purpose } from "./schemas";

/** How often work is retried, and after how many seconds. `max` is max_retries of wrangler.toml. */
export const retries: Record<Purpose, { max: number; initial: number; cap: number }> = {
  webhooks: { max: 5, initial: 10, cap: 300 },
  projections: { max: 10, initial: 1, cap: 60 },
  "fact-processing": { max: 5, initial: 5, cap: 120 },
  batch: { max: 3, initial: 30, cap: 300 },
};

/** attempts is message.attempts: 1 in the first delivery, so that the first retry waits for the initial delay. */
export function backoff(purpose: Purpose, attempts: number): number {
  const { initial, cap } = retries[purpose];
  return Math.min(initial * 2 ** (attempts - 1), cap);
}

/** z0-{purpose} or, for a tenant's own, z0-tenant-{tenant}-{purpose}. */
export function purposeOf(queue: string): Purpose {
  return queue.replace(/^z0-(tenant-[^-]+-)?/, "") as Purpose;
}
