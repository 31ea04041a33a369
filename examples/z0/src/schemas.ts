/** The messages of each queue. `payload.fail` says how often the work is to fail, so that retries can be tried out. */
export interface Payload {
  fail?: number;
  [key: string]: unknown;
}

export interface Webhook {
  webhook_config_id: string;
  webhook_config_version: number;
  fact_id: string;
  fact_type: string;
  tenant_id: string;
  payload: Payload;
  attempt: number;
  first_attempted_at: string;
  trace_id?: string;
}

export interface Projection {
  fact_id: string;
  fact_type: string;
  tenant_id: string;
  entity_id: string;
  timestamp: string;
  payload: Payload;
}

export interface FactProcessing {
  fact_id: string;
  fact_type: string;
  subtype: string;
  tenant_id: string;
  processing_type: "qualification" | "budget_update" | "merge_resolution";
  payload: Payload;
}

export interface Batch {
  batch_id: string;
  operation: "import" | "export" | "reconcile";
  tenant_id: string;
  items: unknown[];
  offset: number;
  total: number;
  payload?: Payload;
}

export type Purpose = "webhooks" | "projections" | "fact-processing" | "batch";

type Check = (v: unknown) => boolean;
const text: Check = (v) => typeof v === "string" && v !== "";
const whole: Check = Number.isInteger;
const object: Check = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const oneOf = (...values: string[]): Check => (v) => values.includes(v as string);

const schemas: Record<Purpose, Record<string, Check>> = {
  webhooks: {
    webhook_config_id: text, webhook_config_version: whole, fact_id: text, fact_type: text, tenant_id: text, payload: object,
    attempt: whole, first_attempted_at: text,
  },
  projections: { fact_id: text, fact_type: text, tenant_id: text, entity_id: text, timestamp: text, payload: object },
  "fact-processing": {
    fact_id: text, fact_type: text, subtype: text, tenant_id: text, payload: object,
    processing_type: oneOf("qualification", "budget_update", "merge_resolution"),
  },
  batch: { batch_id: text, tenant_id: text, items: Array.isArray, offset: whole, total: whole, operation: oneOf("import", "export", "reconcile") },
};

/** Returns the fields of a message that are missing or of the wrong type. */
export function mistakes(purpose: Purpose, message: Record<string, unknown>): string[] {
  return Object.entries(schemas[purpose]).filter(([field, ok]) => !ok(message?.[field])).map(([field]) => field);
}

export const isPurpose = (s: string): s is Purpose => s in schemas;
