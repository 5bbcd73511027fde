import { isRecord } from "@elwood/core/base/is-record";
import { FailureError, type FailureReason } from "@elwood/core/base/failure";
import { describeFault, type Fault, type ProviderFailure } from "./failure-words.ts";
import { ReplyTooLarge, WebPage } from "./guarded-fetch.ts";
import type { ProviderIdentity } from "./identity.ts";
import type { Expired } from "./stream-guard.ts";

/** The stream ended before the answer did. */
export class CutShort extends Error {
  constructor() {
    super("the stream ended before the answer was complete");
    this.name = "CutShort";
  }
}

/** What arrived is not what the protocol says. */
export class BadReply extends Error {
  constructor(what: string) {
    super(what);
    this.name = "BadReply";
  }
}

/** An error that the provider reported inside a stream that had begun with 200. */
export class StreamedError extends Error {
  readonly error: unknown;
  readonly headers: Headers | undefined;
  constructor(error: unknown, headers?: Headers) {
    super("the provider reported an error inside its answer");
    this.name = "StreamedError";
    this.error = error;
    this.headers = headers;
  }
}

export interface FailureContext {
  readonly who: ProviderIdentity;
  readonly model: string;
  readonly now: number;
  readonly expired?: Expired;
}

/**
 * Turns whatever an SDK, fetch or our own reading threw into a Failure.
 *
 * Decided by status, by the provider's machine words, and by its prose only where nothing
 * else tells two cases apart. Nothing of the prose is in the message; one cleaned line of it goes
 * beside it (`said`), where our own sentence says little.
 */
export function readFailure(error: unknown, context: FailureContext): ProviderFailure {
  if (error instanceof FailureError) return { failure: error.failure, brief: error.failure.message };
  return describeFault(findFault(error, context), context.who, context.model);
}

function findFault(error: unknown, context: FailureContext): Fault {
  if (context.expired === "first-event" || context.expired === "idle" || context.expired === "total") {
    // Another try may find a provider that answers; one that fell silent half-way has already cost its time.
    return context.expired === "first-event"
      ? { reason: "TIMEOUT" }
      : { reason: "TIMEOUT", kind: context.expired, retryable: false };
  }
  if (error instanceof CutShort) return { reason: "NETWORK", kind: "broken-off" };
  const badReplies = [BadReply, ReplyTooLarge, WebPage, SyntaxError];
  if (badReplies.some((kind) => error instanceof kind)) return { reason: "BAD_REPLY" };
  const told = readError(error);
  if (told) return withRetryHints(classify(told), told.headers, context.now);
  return networkFault(error);
}

/** What the provider told about the failure, in one shape for all of them. */
interface Told {
  readonly status?: number;
  readonly headers?: Headers;
  readonly type: string;
  readonly code: string;
  /** What it said to people, for our rules in small letters. */
  readonly said: string;
  readonly text: string;
  /** False for a page of HTML or nothing at all: then it was hardly the API that answered. */
  readonly structured: boolean;
}

function readError(error: unknown): Told | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { status, headers, error: body } = error as { status?: unknown; headers?: unknown; error?: unknown };
  const inStream = error instanceof StreamedError || body !== undefined;
  if (typeof status !== "number" && !inStream) return undefined;
  // Anthropic's SDK keeps the envelope, OpenAI's takes it off.
  const inner = fieldsOf(fieldsOf(body)?.["error"]) ?? fieldsOf(body) ?? {};
  const code = wordOf(inner["code"]) || wordOf(fieldsOf(inner["details"])?.["error_code"]);
  const codeAsStatus = /^[45]\d\d$/.test(code) ? Number(code) : undefined;
  const known = typeof status === "number" ? status : codeAsStatus;
  const said = wordOf(inner["message"]) || wordOf(fieldsOf(body)?.["error"]) || wordOf(body);
  return {
    ...(known === undefined ? {} : { status: known }),
    ...(headers instanceof Headers ? { headers } : {}),
    type: wordOf(inner["type"]),
    code,
    said,
    text: said.toLowerCase(),
    structured: body !== undefined,
  };
}

const NO_CREDIT = [
  "billing_error",
  "insufficient_quota",
  "billing_hard_limit_reached",
  "enforced_spend_limit_reached",
];
const AGAINST_RULES = [
  "content_filter",
  "content_policy_violation",
  "invalid_prompt",
  "bio_policy",
  "misalignment_policy_violation",
  "image_content_policy_violation",
];
const FULL = ["context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded"];
/** A context that is full, in the words of those who have no code for it. */
const NO_ROOM = [
  /(prompt|input) (is )?too long/,
  /maximum (context|prompt|model) length/,
  /exceeds? the (available )?context|context (length|size|window) (exceeded|exceeds|limit)/,
  /exceed.{0,20}context (length|size|window|limit)/,
  /(longer|greater) than (the|this) (model's )?(maximum |max )?(context|model) length|context length of only/,
  /token count.{0,40} exceeds? the (limit|maximum)|exceed(s|ed)? (the )?(model|maximum) token limit/,
  /too many tokens: total number of tokens|must have less than \d+ tokens|`max_new_tokens` must be/,
  /prompt exceeds max length|range of input length should be/,
];
const LOADING = /loading (the )?model|model is (still )?loading/;

/** First rule that speaks wins; the finer ones stand first. */
const RULES: readonly (readonly [(told: Told) => boolean, FailureReason, Fault["kind"]?])[] = [
  [(t) => t.status === 402 || says(t, NO_CREDIT), "BILLING"],
  [(t) => /credit balance is too low|insufficient credits/.test(t.text), "BILLING"],
  [(t) => t.text.includes("no models loaded"), "NO_MODEL"],
  [(t) => t.status === 503 && LOADING.test(t.text), "OVERLOADED", "loading"],
  [(t) => t.status === 413 || says(t, ["request_too_large"]), "CONTEXT_FULL", "too-large"],
  [(t) => says(t, FULL), "CONTEXT_FULL"],
  // So many tokens a minute are another matter.
  [(t) => t.status !== 429 && NO_ROOM.some((words) => words.test(t.text)), "CONTEXT_FULL"],
  [(t) => says(t, AGAINST_RULES), "REFUSED"],
  [(t) => t.text.includes("does not support tools"), "BAD_REQUEST", "no-tools"],
  [(t) => t.status === 404 && t.text.includes("pulling it first"), "MODEL_UNKNOWN", "not-pulled"],
  [(t) => says(t, ["model_not_found", "not_found_error"]), "MODEL_UNKNOWN"],
  [(t) => t.status === 404 && t.structured && t.text.includes("model"), "MODEL_UNKNOWN"],
  [(t) => t.status === 404 && !t.structured, "BAD_REQUEST", "wrong-address"],
  [(t) => t.status === 401 || says(t, ["authentication_error", "invalid_api_key"]), "AUTH"],
  [(t) => t.status === 403 || says(t, ["permission_error"]), "AUTH", "forbidden"],
  [(t) => t.status === 429 || says(t, ["rate_limit_error", "rate_limit_exceeded"]), "RATE_LIMITED"],
  [(t) => t.status === 529 || t.status === 503, "OVERLOADED"],
  [(t) => says(t, ["overloaded_error", "server_is_overloaded", "slow_down"]), "OVERLOADED"],
  [(t) => t.status === 408 || says(t, ["timeout_error"]), "TIMEOUT"],
  [(t) => t.status === 409, "UPSTREAM_ERROR"],
  [(t) => within(t.status, 300, 399), "BAD_REQUEST", "redirected"],
  [(t) => within(t.status, 400, 499) || says(t, ["invalid_request_error"]), "BAD_REQUEST"],
];

function classify(told: Told): Fault {
  const [, reason, kind] = RULES.find(([speaks]) => speaks(told)) ?? [undefined, "UPSTREAM_ERROR" as const];
  const word = [told.code, told.type].find((w) => /^[a-z][a-z0-9_.-]{2,48}$/.test(w));
  return {
    reason,
    ...(kind === undefined ? {} : { kind }),
    ...(told.status === undefined ? {} : { status: told.status }),
    ...(word === undefined ? {} : { word }),
    ...(told.said === "" ? {} : { said: told.said }),
  };
}

/** Asked again unchanged, these can only fail again, whatever a header says. */
const NEVER_AGAIN: readonly FailureReason[] = [
  "AUTH",
  "BILLING",
  "CONTEXT_FULL",
  "REFUSED",
  "MODEL_UNKNOWN",
  "NO_MODEL",
];

function withRetryHints(fault: Fault, headers: Headers | undefined, now: number): Fault {
  if (!headers || NEVER_AGAIN.includes(fault.reason)) return fault;
  const should = headers.get("x-should-retry");
  const retryAfterMs = readRetryAfter(headers, now);
  return {
    ...fault,
    ...(should === "true" || should === "false" ? { retryable: should === "true" } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. Nonsense counts as absent. */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (Number.isFinite(ms)) return Math.max(0, Math.round(ms));
  const text = headers.get("retry-after") ?? "";
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Math.round(Number.parseFloat(text) * 1000);
  // Date.parse finds a date in nearly anything; an HTTP date begins with the name of a day.
  const date = /^\s*[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(date) ? Math.max(0, date - now) : undefined;
}

function networkFault(error: unknown): Fault {
  const links = causesOf(error);
  const codes = links.map((link) => wordOf(link["code"])).filter((code) => code !== "");
  const names = links.map((link) => wordOf(link["name"]) + wordOf(link["message"]));
  if (codes.includes("ETIMEDOUT")) return { reason: "TIMEOUT" };
  if (names.some((n) => n.startsWith("BrokenOff") || n.startsWith("AbortError")))
    return { reason: "NETWORK", kind: "broken-off" };
  const network = codes.length > 0 || names.some((n) => n.includes("Connection error"));
  return { reason: network ? "NETWORK" : "INTERNAL" };
}

/** The error, its causes, and theirs; a few links are plenty. */
function causesOf(error: unknown): Record<string, unknown>[] {
  const links: Record<string, unknown>[] = [];
  let link = fieldsOf(error);
  for (let depth = 0; link && depth < 6; depth++) {
    links.push(link);
    const many = Array.isArray(link["errors"]) ? (link["errors"] as unknown[]) : [];
    for (const one of many) links.push(fieldsOf(one) ?? {});
    link = fieldsOf(link["cause"]);
  }
  return links;
}

function says(told: Told, words: readonly string[]): boolean {
  return words.includes(told.type) || words.includes(told.code);
}

function within(status: number | undefined, from: number, to: number): boolean {
  return status !== undefined && status >= from && status <= to;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined;
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}
