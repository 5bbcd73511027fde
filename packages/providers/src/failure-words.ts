import { plainGlyphs } from "@elwood/core/base/glyphs";
import { makeRedactor } from "@elwood/core/base/redact";
import { cutLine, plainLine } from "@elwood/core/message/session-text";
import { failure, type Failure, type FailureReason } from "@elwood/core/base/failure";
import { nameKey, placeOf, type ProviderIdentity } from "./identity.ts";

/**
 * A failure of a provider in words for people. `brief` says only what happened: it is
 * what a person reads while another try is under way, when advice would be premature.
 */
export interface ProviderFailure {
  readonly failure: Failure;
  readonly brief: string;
  /** The server is busy loading the model: ask again patiently, this is not an error. */
  readonly loading?: boolean;
}

/** What was found out about a failure, before it is put into words. */
export interface Fault {
  readonly reason: FailureReason;
  /** Finer than the reason, where the sentence depends on it. */
  readonly kind?: FaultKind;
  readonly status?: number;
  /** The provider's own machine word (`invalid_request_error`), already checked to be one. */
  readonly word?: string;
  /** What the provider said of it, as it said it. */
  readonly said?: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

export type FaultKind =
  | "forbidden"
  | "loading"
  | "too-large"
  | "not-pulled"
  | "idle"
  | "total"
  | "broken-off"
  | "no-tools"
  | "redirected"
  | "wrong-address";

export function describeFault(fault: Fault, who: ProviderIdentity, model: string): ProviderFailure {
  const say = (fault.kind && BY_KIND[fault.kind]) ?? BY_REASON[fault.reason] ?? ofItsOwn;
  const code = [fault.status, fault.word].filter((part) => part !== undefined).join(", ");
  const [brief, advice] = say({
    label: who.label,
    place: placeOf(who.baseUrl),
    local: who.local,
    auth: `elwood auth ${who.id}`,
    key: who.credential ? nameKey(who.credential) : undefined,
    model,
    coded: code === "" ? "" : ` (${code})`,
    retryAfterMs: fault.retryAfterMs,
  });
  const said = TELLING.has(fault.reason) && fault.kind === undefined ? quoted(fault.said ?? "", who) : "";
  return {
    failure: failure(fault.reason, `${brief} ${advice}`, {
      said,
      ...(fault.retryable === undefined ? {} : { retryable: fault.retryable }),
      ...(fault.retryAfterMs === undefined ? {} : { retryAfterMs: fault.retryAfterMs }),
    }),
    brief,
    ...(fault.kind === "loading" ? { loading: true } : {}),
  };
}

/**
 * Where a provider explains to its caller what to change. What it says of its own breakdown (5xx) is
 * about its insides, and what it says of keys is nobody's business.
 */
const TELLING: ReadonlySet<FailureReason> = new Set(["RATE_LIMITED", "BILLING", "BAD_REQUEST"]);
const SAID_CHARS_MAX = 160;

/** The provider's own words in one short line: without keys, Elwood's glyphs and what a terminal would act on. */
function quoted(said: string, { credential, baseUrl }: ProviderIdentity): string {
  const { username = "", password = "" } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
  const redact = makeRedactor([credential?.secret ?? "", username, password, decoded(password)]);
  const line = plainGlyphs(plainLine(redact(said.slice(0, SAID_CHARS_MAX * 8))))
    .replaceAll(/[“”]/g, '"')
    .replace(/\.+$/, "");
  return cutLine(line, SAID_CHARS_MAX);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

interface Scene {
  readonly label: string;
  readonly place: string;
  readonly local: boolean;
  readonly auth: string;
  readonly key: string | undefined;
  readonly model: string;
  readonly coded: string;
  readonly retryAfterMs: number | undefined;
}

/** What happened; then what became of the message and what to do. */
type Say = (scene: Scene) => readonly [what: string, next: string];

export const KEPT = "Your message is kept.";
export const SO_FAR = "What had come by then is kept.";

/** The words of a failure for where nobody sent a message. */
export function withoutMessage(said: Failure): Failure {
  return { ...said, message: said.message.replace(`${KEPT} `, "").replace(`${SO_FAR} `, "") };
}

const LATER = "Try again in a minute, or use another model.";

const ofItsOwn: Say = ({ label, coded }) => [`${label} failed on its side${coded}.`, `${KEPT} ${LATER}`];

const BY_REASON: Partial<Record<FailureReason, Say>> = {
  AUTH: ({ label, key, coded, auth }) =>
    key === undefined
      ? [`${label} wants a key${coded} and none is set.`, `Nothing was answered. Set one: ${auth}`]
      : [
          `${label} refused ${key}${coded}.`,
          `It may be revoked or mistyped. Nothing was sent twice. Replace it: ${auth}`,
        ],
  BILLING: ({ label, key, coded, auth }) => [
    `${label} says that the account behind ${key ?? "this connection"} has no credit left${coded}.`,
    `Nothing was answered. Add credit there, use another model, or use another key: ${auth}`,
  ],
  RATE_LIMITED: ({ label, key, retryAfterMs }) => [
    `${label} has reached the rate limit of ${key ?? "this connection"}${retryAfterMs === undefined ? "" : `; it takes requests again in ${duration(retryAfterMs)}`}.`,
    `${KEPT} Try again ${retryAfterMs === undefined ? "in a minute" : "then"}, or use another model.`,
  ],
  OVERLOADED: ({ label, coded }) => [`${label} is overloaded${coded}.`, `${KEPT} ${LATER}`],
  CONTEXT_FULL: ({ model }) => [
    `This conversation no longer fits into the context of ${model}.`,
    `${KEPT} Start a new session, or use a model with a larger context.`,
  ],
  MODEL_UNKNOWN: ({ label, model, coded, key }) => [
    `${label} does not know the model ${model}${coded}, or ${key ?? "this connection"} may not use it.`,
    "Nothing was answered. Check the name, or choose another model.",
  ],
  NO_MODEL: ({ label, model }) => [
    `${label} is running, but no model is loaded in it.`,
    `Nothing was answered. Load ${model} there, then ask again.`,
  ],
  REFUSED: ({ label, coded }) => [
    `${label} refused this request as against its rules${coded}.`,
    "Nothing was done. Rephrase it, or use another model.",
  ],
  TIMEOUT: ({ label }) => [`${label} did not begin to answer in time.`, `${KEPT} ${LATER}`],
  NETWORK: ({ label, place, local }) => [
    `${label} cannot be reached at ${place}.`,
    `${KEPT} ${local ? "Check that it is running and that its address is right." : "Check the network connection, then try again."}`,
  ],
  BAD_REPLY: ({ label }) => [`${label} sent something that is not a valid answer.`, `${SO_FAR} ${LATER}`],
  BAD_REQUEST: ({ label, coded }) => [
    `${label} did not accept the request${coded}.`,
    `${KEPT} Nothing was answered. Try another model, or start a new session.`,
  ],
  INTERNAL: ({ label }) => [
    `Elwood itself failed while talking to ${label}.`,
    `${KEPT} Please report it; the log says more.`,
  ],
};

const BY_KIND: Record<FaultKind, Say> = {
  forbidden: ({ label, key, coded, auth }) => [
    `${label} does not let ${key ?? "a caller without a key"} do this${coded}.`,
    `Nothing was answered. Use another model, or another key: ${auth}`,
  ],
  loading: ({ label, model }) => [`${label} is loading ${model}.`, `${KEPT} Ask again when it is ready.`],
  "too-large": ({ label, coded }) => [
    `This conversation, its pictures and files included, is larger than ${label} takes in one request${coded}.`,
    `${KEPT} Start a new session.`,
  ],
  "not-pulled": ({ label, model }) => [
    `${label} does not have the model ${model}.`,
    `Nothing was answered. Fetch it with: ollama pull ${model}`,
  ],
  idle: ({ label }) => [`${label} fell silent in the middle of its answer.`, `${SO_FAR} ${LATER}`],
  total: ({ label }) => [
    `The answer of ${label} took too long and was stopped.`,
    `${SO_FAR} Ask for less at once, or use another model.`,
  ],
  "broken-off": ({ label }) => [
    `The connection to ${label} broke before the answer was complete.`,
    `${SO_FAR} ${LATER}`,
  ],
  "no-tools": ({ label, model }) => [
    `${model} on ${label} cannot use tools.`,
    "Nothing was answered. Choose a model that can.",
  ],
  redirected: ({ label, place, coded }) => [
    `${label} at ${place} points to another address${coded}.`,
    "It was not followed, because the key would have gone along. Set the base URL to the final address.",
  ],
  "wrong-address": ({ label, place, coded }) => [
    `There is no such service at ${place}${coded}.`,
    `Nothing was answered. Check the base URL of ${label}; it usually ends in /v1.`,
  ],
};

function duration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
