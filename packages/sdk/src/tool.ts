import { LIMITS } from "@elwood/core/base/limits";
import { isToolId } from "@elwood/core/model/model";
import { VERB_CLASSES } from "@elwood/core/request/verb-class";
import type { CallEffect, CallNames, TextChange } from "@elwood/core/authority/authority";
import type { Foreseen, TextsLeft } from "@elwood/core/tool/plan";
import type { GrantKey } from "@elwood/core/policy/grant";
import type { CallFact } from "@elwood/core/policy/policy";
import {
  EGRESS,
  OUTPUT_TRUST,
  RISKS,
  WORST_LABELS,
  type Preview,
  type Risk,
  type ToolPolicy,
  type TrustLabels,
} from "@elwood/core/tool/tool";
import type { ToolClaims } from "@elwood/core/tool/tool-label";
import type { HandlerAnswer } from "./tool-answer.ts";
import type { Checked, ToolSchema } from "./tool-schema.ts";

export { err, ok, type Result } from "@elwood/core/base/result";
export type { CallEffect, CallNames, TextChange } from "@elwood/core/authority/authority";
export type { Foreseen, TextsLeft } from "@elwood/core/tool/plan";
export type { GrantKey } from "@elwood/core/policy/grant";
export type { CallFact } from "@elwood/core/policy/policy";
export type { Preview, Risk, ToolPolicy, TrustLabels } from "@elwood/core/tool/tool";
export { result, ToolError, type HandlerAnswer, type HandlerError, type ToolAnswer } from "./tool-answer.ts";
export type { Checked, JsonSchema, StandardToolSchema, ToolSchema } from "./tool-schema.ts";
export { testContext } from "./test-context.ts";

/** All that a handler can reach through Elwood, and nothing else. */
export interface ToolContext<Secret extends string = string> {
  /** Whose call it is; only for Elwood's own tools, which read what it stores. */
  readonly tenant?: string;
  readonly callId: string;
  /** The conversation it belongs to; for tools that keep something open from one call to the next. */
  readonly session: string;
  /** The run it belongs to: one message, and all that is done for it. */
  readonly run?: string;
  /** The same for every try of one call: hand it to services that know such keys. */
  readonly idempotencyKey: string;
  /** Fires when the call's time is over or the owner stops it. */
  readonly signal: AbortSignal;
  /** Nobody was asked because the call can be undone: what that needs is kept for all of its time, or the call changes nothing. */
  readonly undoPromised?: boolean;
  /** How many characters of a text the model can be shown as the result; undefined for all of it. Absent where no model reads it. */
  readonly shownChars?: (text: string) => number | undefined;
  /** Asks the owner in the middle of the call, which waits for the answer; only for tools of MCP servers. */
  readonly ask?: (question: string, options: readonly string[]) => Promise<string | undefined>;
  /** The owner is asked something that the call waits for: its time stands still until then; only for tools that live in a client. */
  readonly pausing?: (answer: Promise<unknown>) => Promise<unknown>;
  /** One line for whoever watches. */
  progress(message: string): void;
  /**
   * The way to the web, and the only one: no private address, no credential for another
   * origin, bounded in size and time. Throws a ToolError where nothing was sent; anything else
   * that it throws leaves open whether the other side acted.
   */
  readonly fetch: typeof globalThis.fetch;
  /** The secrets that the tool declared, by name. */
  readonly secrets: Readonly<Record<Secret, string>>;
}

/** Whose call is being looked at. Without a session, somebody only asks what would happen. */
export interface CallAbout {
  readonly session?: string;
  /** The owner has allowed the call: only then may it be looked at outside of this machine. */
  readonly approved?: boolean;
}

/** Whether a call that broke off took effect. */
export type Settled = "happened" | "did-not-happen" | "unknown";

/** What the author of a tool writes. */
export interface ToolOptions<In extends ToolSchema, Out extends ToolSchema, Secret extends string = never> {
  /** `integration.resource.action` */
  readonly id: string;
  /** For the model: what it does, and when to use it. */
  readonly description?: string;
  /** `read` changes nothing; `write` can be taken back or repaired; `destructive` cannot. */
  readonly risk: Risk;
  /** Checks the input and fills in defaults. It must not turn values into others: what the owner approved is what runs. */
  readonly input: In;
  readonly output?: Out;
  /** What is left out counts as the worst: sent to others, untrusted output, every argument critical. */
  readonly labels?: Partial<TrustLabels>;
  /** A wish; it may make Elwood stricter, never laxer. */
  readonly policy?: ToolPolicy;
  /** Asks for every call. `false` is the same as nothing. */
  readonly requiresApproval?: boolean;
  /** Making the same call again with the same key has no further effect. */
  readonly idempotent?: boolean;
  readonly timeoutMs?: number;
  /** Names of secrets that the handler needs. */
  readonly secrets?: readonly Secret[];
  /**
   * Where `ctx.fetch` may go: host names such as "api.example.com", or exact origins such as
   * "http://192.168.1.20:8123". A tool of a workspace reaches these and no others.
   */
  readonly hosts?: readonly string[];
  /**
   * Does it. What it returns is the output; `result()` adds text or attachments for the
   * model, `err()` or a thrown ToolError says that it did not happen. Anything else that is
   * thrown leaves open whether it happened, and the owner is told so.
   */
  handler(input: Checked<In>, ctx: ToolContext<Secret>): HandlerAnswer;
  /** What would happen, for the owner to see before it does. Reads only. */
  preview?(input: Checked<In>, signal: AbortSignal, about: CallAbout): Promise<Preview> | Preview;
  /** Takes the effect of a call back. */
  undo?(input: Checked<In>, output: Checked<Out>, ctx: ToolContext<Secret>): HandlerAnswer;
  /** After a crash: did the call with this key take effect? */
  reconcile?(input: Checked<In>, idempotencyKey: string): Promise<Settled> | Settled;
  /** What about this very call must be denied or asked. Reads only; it can add strictness, never take it away. */
  facts?(input: Checked<In>, about: CallAbout): Promise<readonly CallFact[]> | readonly CallFact[];
  /**
   * What a standing permission over this call would be bound to, narrowest first; none
   * where it can only ever be allowed once. Without this, it is bound to the critical
   * arguments, or to the whole tool.
   */
  grantKeys?(input: Checked<In>): Promise<readonly GrantKey[]> | readonly GrantKey[];
  /** By what other names the owner may mean the values of this call, each of which means nothing else. Reads only; heard from Elwood's own tools. */
  names?(input: Checked<In>): Promise<CallNames> | CallNames;
  /** The one spelling of the values of this call, by which two calls are about the same. Reads only; heard from Elwood's own tools. */
  spelling?(input: Checked<In>): Promise<CallEffect["spelling"]> | CallEffect["spelling"];
  /** The text that this call puts another in place of, if it does. Reads only; heard from Elwood's own tools. */
  replaces?(input: Checked<In>): Promise<TextChange | undefined> | TextChange | undefined;
  /** What it would answer and leave behind, for a program that is looked at before it runs. Reads only; heard from Elwood's own tools. */
  foresees?(input: Checked<In>, left: TextsLeft): Promise<Foreseen | undefined>;
  /** Who or what the call is about, in a few words. */
  target?(input: Checked<In>): string | undefined | Promise<string | undefined>;
}

/** A tool as the gateway takes it in: options filled in, types erased. */
export interface ToolDefinition {
  readonly kind: "elwood.tool";
  readonly id: string;
  readonly description: string;
  readonly risk: Risk;
  readonly input: ToolSchema;
  readonly output?: ToolSchema;
  readonly labels: TrustLabels;
  readonly policy?: ToolPolicy;
  readonly requiresApproval: boolean;
  readonly idempotent: boolean;
  readonly timeoutMs: number;
  readonly secrets: readonly string[];
  /** Absent: not limited to any. Only Elwood's own tools may leave it out and still use the web. */
  readonly hosts?: readonly string[];
  /** Hash over the sources that it is made of, where they may change; the gateway sets it. */
  readonly code?: string;
  /** What somebody else says of the tool, for one that is not labelled yet: it can make a label of the owner's stricter. The gateway sets it. */
  readonly claims?: ToolClaims;
  readonly handler: (input: unknown, ctx: ToolContext) => HandlerAnswer;
  readonly preview?: (input: unknown, signal: AbortSignal, about: CallAbout) => Promise<Preview> | Preview;
  readonly undo?: (input: unknown, output: unknown, ctx: ToolContext) => HandlerAnswer;
  readonly reconcile?: (input: unknown, idempotencyKey: string) => Promise<Settled> | Settled;
  readonly facts?: (input: unknown, about: CallAbout) => Promise<readonly CallFact[]> | readonly CallFact[];
  readonly grantKeys?: (input: unknown) => Promise<readonly GrantKey[]> | readonly GrantKey[];
  readonly names?: (input: unknown) => Promise<CallNames> | CallNames;
  readonly spelling?: (input: unknown) => Promise<CallEffect["spelling"]> | CallEffect["spelling"];
  readonly replaces?: (input: unknown) => Promise<TextChange | undefined> | TextChange | undefined;
  readonly foresees?: (input: unknown, left: TextsLeft) => Promise<Foreseen | undefined>;
  readonly target?: (input: unknown) => string | undefined | Promise<string | undefined>;
}

/**
 * Makes a tool. Nothing is registered by it: the module exports the tool, and whoever
 * loads the module registers it. What cannot be right is refused here, in words.
 */
export function defineTool<
  const In extends ToolSchema,
  const Out extends ToolSchema = ToolSchema,
  const Secret extends string = never,
>(options: ToolOptions<In, Out, Secret>): ToolDefinition {
  const problems = problemsWith(options);
  if (problems.length > 0) throw new TypeError(`defineTool: ${problems.join("\n")}`);
  const defined = {
    ...options,
    kind: "elwood.tool" as const,
    description: options.description ?? wordsOf(options.id),
    labels: { ...WORST_LABELS, ...options.labels },
    requiresApproval: options.requiresApproval ?? false,
    idempotent: options.idempotent ?? false,
    timeoutMs: options.timeoutMs ?? LIMITS.toolTimeoutMs,
    secrets: options.secrets ?? [],
  };
  // The gateway hands the functions only what `input` and `output` have checked, which is what they are typed for.
  return defined as unknown as ToolDefinition;
}

/**
 * Tools are often written in plain JavaScript or by a model, so the types alone are no check. All that is
 * wrong is told at once: whoever mends one mistake a time needs as many tries.
 */
function problemsWith(options: ToolOptions<ToolSchema, ToolSchema, string>): string[] {
  const { id, risk, policy, timeoutMs, labels = {} } = options;
  const shown = JSON.stringify(id);
  const place = hostsProblem(options.hosts);
  const found = [
    (typeof id !== "string" || !isToolId(id)) &&
      `${shown} is not a tool's id. Write integration.resource.action, such as "calendar.event.create", of letters and digits, 62 characters at most.`,
    !RISKS.includes(risk) && `${id} needs a risk: ${RISKS.join(", ")}; found ${JSON.stringify(risk)}.`,
    (typeof options.input !== "object" || options.input === null) &&
      `${id} needs a schema for its input: Zod, any Standard Schema, or a JSON Schema.`,
    typeof options.handler !== "function" && `${id} needs a handler.`,
    policy !== undefined &&
      !["allow", "ask", "deny"].includes(policy.default) &&
      `the policy of ${id} must be {default: "allow"}, "ask" or "deny"; found ${JSON.stringify(policy)}.`,
    timeoutMs !== undefined &&
      !(timeoutMs > 0 && timeoutMs <= LIMITS.toolTimeoutMaxMs) &&
      `timeoutMs of ${id} must be between 1 and ${LIMITS.toolTimeoutMaxMs}; found ${timeoutMs}.`,
    place !== undefined && `the hosts of ${id} ${place}`,
    ...Object.entries(labels).map(
      ([name, value]) =>
        !isLabel(name, value) &&
        `the label ${name} of ${id} cannot be ${JSON.stringify(value)}. ${labelWords(name)}`,
    ),
  ];
  return found.filter((problem) => problem !== false);
}

const HOSTS_MAX = 32;

/** A host that is written in another way would be compared with nothing, and refused when it matters. */
function hostsProblem(hosts: unknown): string | undefined {
  if (hosts === undefined) return undefined;
  if (!Array.isArray(hosts) || hosts.length > HOSTS_MAX) return `must be a list of ${HOSTS_MAX} at most.`;
  const wrong = hosts.find((host) => typeof host !== "string" || !isHost(host));
  if (wrong === undefined) return undefined;
  return `cannot hold ${JSON.stringify(wrong)}. Write a name such as "api.example.com", or an exact origin such as "http://192.168.1.20:8123"; no path, no wildcard.`;
}

function isHost(text: string): boolean {
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (url === null || text.includes("*")) return false;
  return text.includes("://")
    ? /^https?:$/.test(url.protocol) && url.origin === text
    : url.hostname === text && url.port === "";
}

/** A label that is misspelt or of the wrong kind would count as nothing said, or worse, as something milder. */
function isLabel(name: string, value: unknown): boolean {
  if (name === "egress") return EGRESS.some((known) => known === value);
  if (name === "output") return OUTPUT_TRUST.some((known) => known === value);
  if (name === "sensitive" || name === "parts") return typeof value === "boolean";
  if (name === "lists") return typeof value === "string" && value !== "";
  if (name === "verbs")
    return Array.isArray(value) && value.every((verb) => VERB_CLASSES.some((known) => known === verb));
  if (name === "ids") {
    return (
      typeof value === "object" &&
      value !== null &&
      Object.values(value).every((kind) => typeof kind === "string")
    );
  }
  return (
    LIST_LABELS.includes(name) && Array.isArray(value) && value.every((item) => typeof item === "string")
  );
}

/** What a label may be. */
function labelWords(name: string): string {
  const known: Readonly<Record<string, string>> = {
    egress: `It is ${orList(EGRESS)}.`,
    output: `It is ${orList(OUTPUT_TRUST)}.`,
    sensitive: "It is true or false.",
    parts: "It is true or false.",
    lists: "It is the name of what its output lists.",
    verbs: `It is a list of ${orList(VERB_CLASSES)}.`,
    ids: "It is an object: the name of an input, and the kind of thing that it names.",
  };
  const lists = LIST_LABELS.includes(name) ? "It is a list of names of inputs." : undefined;
  return known[name] ?? lists ?? `Labels are ${[...Object.keys(known), ...LIST_LABELS].join(", ")}.`;
}

function orList(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

const LIST_LABELS: readonly string[] = ["critical", "content", "time", "local"];

/** `posthog.analytics.getVisitors` → "posthog analytics: get visitors" */
function wordsOf(id: string): string {
  const parts = id.split(".").map((part) =>
    part
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
      .replaceAll(/[_-]/g, " ")
      .toLowerCase(),
  );
  return `${parts.slice(0, -1).join(" ")}: ${parts.at(-1)}`;
}
