import { z } from "zod";

/** What the owner looks at to see how Elwood stands: money, health, settings, and what wants them. */

const spent = {
  costUsd: z.number(),
  /** Read, written and cached together. */
  tokens: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  cacheReadTokens: z.number().int(),
  cacheWriteTokens: z.number().int(),
  /** Questions to a model. */
  laps: z.number().int(),
  /** Of these, those whose price is not known; they are in no cost. */
  unpriced: z.number().int(),
};

export const usageSummarySchema = z.object({
  /** From the beginning of the first day, in the owner's time zone. */
  since: z.number(),
  timeZone: z.string(),
  /** Oldest first; a day on which nothing was asked is there too, with no models. */
  days: z.array(
    z.object({
      /** YYYY-MM-DD */
      day: z.string(),
      start: z.number(),
      models: z.array(z.object({ model: z.string(), ...spent })),
    }),
  ),
  /** The same by model over all days, the dearest first. */
  models: z.array(z.object({ model: z.string(), ...spent })),
  /** The dearest first; without key and title: sessions that are gone. */
  sessions: z.array(
    z.object({
      sessionKey: z.string().optional(),
      title: z.string().optional(),
      runs: z.number().int(),
      ...spent,
    }),
  ),
  /** Of executions, by the action with its version, the dearest first. */
  actions: z.array(z.object({ action: z.string(), ...spent })),
  /** By the account that paid; one entry without a profile is of keys that are no profiles. */
  profiles: z.array(z.object({ profile: z.string().optional(), ...spent })),
  /** Of every tenant; only for whoever administers the installation. */
  tenants: z.array(z.object({ tenant: z.string(), ...spent })).optional(),
  total: z.object(spent),
  caps: z.object({
    /** Spent since midnight, and what may be spent until the next. */
    todayUsd: z.number(),
    dayCostUsd: z.number(),
    runCostUsd: z.number(),
    runTokens: z.number(),
    /** What the tenant may spend by its own caps, where it has any; what it has spent of a month is estimated. */
    tenant: z
      .object({
        name: z.string(),
        run: z.number().optional(),
        day: z.number().optional(),
        month: z.number().optional(),
      })
      .optional(),
  }),
});
export type UsageSummary = z.infer<typeof usageSummarySchema>;

export const doctorSchema = z.object({
  version: z.string(),
  home: z.string(),
  at: z.number(),
  counts: z.object({
    ok: z.number().int(),
    info: z.number().int(),
    warning: z.number().int(),
    error: z.number().int(),
  }),
  findings: z.array(
    z.object({
      id: z.string(),
      severity: z.enum(["ok", "info", "warning", "error"]),
      what: z.string(),
      evidence: z.string(),
      fix: z.string(),
      /** `elwood doctor --fix` would mend it. */
      repairable: z.boolean(),
    }),
  ),
});

export const logLinesSchema = z.object({
  /** Oldest first. */
  lines: z.array(
    z.object({
      /** Rises by one with each line since the gateway started. */
      n: z.number().int(),
      ts: z.number(),
      level: z.enum(["error", "warn", "info", "debug"]),
      message: z.string(),
      fields: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  /** Hand it back as `after` for what comes next. */
  last: z.number().int(),
  /** So many lines after `after` are no longer kept. */
  missed: z.number().int(),
});

export const configShownSchema = z.object({
  home: z.string(),
  homeOrigin: z.string(),
  /** The file that was read at the start; null where there was none. */
  file: z.string().nullable(),
  settings: z.array(
    z.object({
      key: z.string(),
      /** Null for what may hold a secret; `secret` says so. */
      value: z.unknown(),
      origin: z.string(),
      secret: z.boolean().optional(),
    }),
  ),
  /** By name and where they came from, never more. */
  secrets: z.array(z.object({ name: z.string(), source: z.string() })),
  notices: z.array(z.string()),
});

export const detectedSchema = z.object({
  /** Servers on this machine that answered; nothing was loaded, and nobody else was asked. */
  local: z.array(
    z.object({
      provider: z.string(),
      name: z.string(),
      url: z.string(),
      models: z.array(z.string()),
      /** So many more models there are. */
      leftOut: z.number().int().optional(),
    }),
  ),
  /** Keys that Elwood looks for, by the name of their variable. */
  keys: z.array(
    z.object({
      name: z.string(),
      provider: z.string(),
      found: z.boolean(),
      source: z.string().optional(),
    }),
  ),
  /** What answers now. */
  model: z.string(),
  demo: z.boolean(),
});

export const ATTENTION_KINDS = [
  "approval",
  "question",
  "run_failed",
  "job",
  "reply",
  "auth",
  "budget",
  "model",
  "receipts",
  "storage",
  "tool",
  "notice",
] as const;

export const attentionItemSchema = z.object({
  /** The same thing has the same id as long as it stands. */
  id: z.string(),
  kind: z.enum(ATTENTION_KINDS),
  severity: z.enum(["error", "warning", "info"]),
  text: z.string(),
  at: z.number().optional(),
  /** `route` is an address of the page, such as /approvals/apr_…. */
  action: z.object({ label: z.string(), route: z.string() }).optional(),
});
export type AttentionItem = z.infer<typeof attentionItemSchema>;

export const attentionSchema = z.object({
  /** The most urgent first. */
  items: z.array(attentionItemSchema),
  leftOut: z.number().int().optional(),
});

export const checkpointsSchema = z.object({
  /** Smallest first. `note` is the signed note over the first `size` receipts. */
  checkpoints: z.array(
    z.object({ size: z.number().int(), note: z.string(), at: z.number(), reason: z.string() }),
  ),
  /** Hand it back as `after`; absent at the end. */
  next: z.number().int().optional(),
  /** The key that signs now, as PEM; earlier ones are handed over in receipts. */
  publicKey: z.string(),
  /** The name of the log by that key. */
  origin: z.string(),
});

export const ticketSchema = z.object({ url: z.string(), expiresAt: z.number(), filename: z.string() });
