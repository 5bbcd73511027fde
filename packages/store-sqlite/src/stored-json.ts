import { fail, type Failure } from "@elwood/core/base/failure";
import type { ActionSpec, ConnectionSpec } from "@elwood/core/action/action-spec";
import { messageSchema, usageSchema, type Message, type Usage } from "@elwood/core/message/message";
import { RESOURCE_KINDS } from "@elwood/core/action/trn";
import { safelyParse } from "@elwood/core/base/safe-parse";
import { RISKS } from "@elwood/core/tool/tool";
import { SCOPES, type Scope } from "@elwood/runtime/ports/ports";
import type { EraseTarget } from "@elwood/core/erase/scope";
import type { ApprovalCard } from "@elwood/core/policy/approval";
import type { SessionSettings } from "@elwood/core/message/session";
import type { Decider } from "@elwood/core/receipts/receipt";
import type { CallResult } from "@elwood/core/tool/program";
import type { OutboxMessage } from "@elwood/runtime/ports/channel-ports";
import type { JobSchedule } from "@elwood/core/schedule/job";
import { jobBindingSchema, type JobBinding } from "@elwood/core/schedule/job-binding";
import type { CallOutcome } from "@elwood/runtime/ports/gate-ports";
import { z } from "zod";

/** What each form is read as. */
interface Stored {
  readonly message: Message;
  readonly messages: Message[];
  readonly failure: Failure;
  readonly scopes: Scope[];
  readonly decider: Decider;
  readonly match: Readonly<Record<string, unknown>>;
  readonly outcome: CallOutcome;
  readonly card: ApprovalCard;
  readonly toolIds: string[];
  readonly callResult: CallResult;
  readonly eraseTarget: EraseTarget;
  readonly outboxMessages: OutboxMessage[];
  readonly jobSchedule: JobSchedule;
  readonly sessionSettings: Omit<SessionSettings, "model">;
  readonly jobBinding: JobBinding;
  readonly resourceSpec: ActionSpec | ConnectionSpec;
  readonly usage: Usage;
  readonly anything: unknown;
}

/**
 * The forms of what the database keeps as JSON. Their version is that of the database, which
 * `migrations.ts` brings up to date before anything is read. A form names what code relies on;
 * a field that it does not name is kept as it stands.
 */
const FORMS: { readonly [F in keyof Stored]: z.ZodType } = {
  message: messageSchema,
  messages: z.array(messageSchema),
  failure: z.looseObject({ reason: z.string(), message: z.string(), retryable: z.boolean() }),
  scopes: z.array(z.enum(SCOPES)),
  decider: z.discriminatedUnion("kind", [
    z.looseObject({ kind: z.literal("owner"), id: z.string(), surface: z.string() }),
    z.looseObject({ kind: z.literal("grant"), grantId: z.string() }),
    z.looseObject({ kind: z.literal("policy"), rule: z.string() }),
    z.looseObject({ kind: z.enum(["expiry", "none"]) }),
  ]),
  match: z.record(z.string(), z.unknown()),
  outcome: z.looseObject({ status: z.enum(["ok", "error"]), text: z.string() }),
  card: z.looseObject({
    kind: z.enum(["approval", "question", "settle"]),
    toolId: z.string(),
    summary: z.string(),
    risk: z.enum(RISKS),
    rule: z.string(),
    reason: z.string(),
    sources: z.array(z.string()),
    decisions: z.array(z.string()),
    showable: z.boolean(),
  }),
  toolIds: z.array(z.string()),
  callResult: z.discriminatedUnion("ok", [
    z.looseObject({ ok: z.literal(true) }),
    z.looseObject({
      ok: z.literal(false),
      error: z.looseObject({ code: z.string(), message: z.string(), status: z.string() }),
    }),
  ]),
  eraseTarget: z.looseObject({
    kind: z.enum(["note", "line", "turn", "session", "word"]),
    messages: z.array(z.string()),
    calls: z.array(z.string()),
    runs: z.array(z.string()),
    sessions: z.array(z.string()),
    places: z.array(z.string()),
  }),
  outboxMessages: z.array(
    z.looseObject({
      content: z.looseObject({ text: z.string() }).optional(),
      messageId: z.string().optional(),
      state: z.enum(["waiting", "sending", "unknown", "shown"]),
    }),
  ),
  jobSchedule: z.discriminatedUnion("kind", [
    z.looseObject({ kind: z.literal("at"), at: z.number() }),
    z.looseObject({ kind: z.literal("every"), everyMs: z.number().positive(), from: z.number() }),
    z.looseObject({ kind: z.literal("cron"), expression: z.string(), timeZone: z.string().optional() }),
  ]),
  sessionSettings: z.looseObject({
    system: z.string().optional(),
    profile: z.string().optional(),
    temperature: z.number().optional(),
    topP: z.number().optional(),
    tools: z.boolean().optional(),
    pins: z.array(z.string()).optional(),
  }),
  jobBinding: jobBindingSchema,
  resourceSpec: z.looseObject({ kind: z.enum(RESOURCE_KINDS) }),
  usage: usageSchema,
  anything: z.unknown(),
};

/**
 * Reads back a value that one of the stores wrote with JSON.stringify. `what` begins the
 * sentence should it not be one, such as `Run run_1`.
 */
export function readStored<F extends keyof Stored>(form: F, text: string, what: string): Stored[F] {
  const parsed = parsedJson(text);
  if (!parsed) return damaged(what, "it is not valid JSON");
  const checked = safelyParse(FORMS[form], parsed.value);
  if (!checked.success) {
    const where = checked.error.issues[0]?.path.map(String).join(".") || "its top";
    return damaged(what, `it does not have the expected form (at ${where})`);
  }
  // What code relies on was checked; the rest is what the store wrote.
  return parsed.value as Stored[F];
}

/** undefined where it is no JSON. */
export function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function damaged(what: string, why: string): never {
  return fail(
    "STORAGE",
    `${what} cannot be read from the database (elwood.db): ${why}. Nothing was changed. Look at it with "elwood doctor", or put a backup of elwood.db back.`,
    { retryable: false },
  );
}
