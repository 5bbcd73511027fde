import { RISKS, type Risk } from "../base/risk.ts";
import type { VerbClass } from "../request/verb-class.ts";
import { isToolId } from "../model/model.ts";
import { CALL_WORDS } from "../base/state-words.ts";

export { RISKS, type Risk };

/** What a call can do to the world. Only Elwood's own contract says so; nothing a caller or a server claims lowers it. */

/** Whether a call carries data out of this machine, and to whom. */
export const EGRESS = ["none", "owner", "third_party"] as const;
export type Egress = (typeof EGRESS)[number];

/** Whose words a tool's output holds. */
export const OUTPUT_TRUST = ["trusted", "third_party", "untrusted"] as const;
export type OutputTrust = (typeof OUTPUT_TRUST)[number];

/**
 * What Elwood must know of a tool to decide about it, beside what it does. Argument names
 * are top-level keys of the input. A tool without labels counts as the worst: destructive,
 * outbound, untrusted, every argument critical.
 */
export interface TrustLabels {
  readonly egress: Egress;
  readonly output: OutputTrust;
  /** Who, what, how much: the arguments that decide what the call is about. */
  readonly critical: readonly string[];
  /** Arguments that are ids, and of which kind of thing. */
  readonly ids: Readonly<Record<string, string>>;
  /** Arguments that are text for others to read. */
  readonly content: readonly string[];
  /** Arguments that are times. */
  readonly time: readonly string[];
  /** The output may hold private things. */
  readonly sensitive: boolean;
  /** The verbs with which an owner asks for what it does; by its id and risk where it does not say. */
  readonly verbs?: readonly VerbClass[];
  /** Arguments that only shape the answer, such as how much of it is shown, and are never sent anywhere. */
  readonly local?: readonly string[];
  /** A call changes a part of what it names, so that a list of parts asks for as many calls. */
  readonly parts?: boolean;
  /** What kind of things the output lists, such as `event`: by the name of one of them the owner can mean its id. */
  readonly lists?: string;
}

export const WORST_LABELS: TrustLabels = {
  egress: "third_party",
  output: "untrusted",
  critical: ["*"],
  ids: {},
  content: [],
  time: [],
  sensitive: true,
};

export type Decision = "allow" | "ask" | "deny";

/** A tool's own wish. It may raise a decision, never lower it. */
export interface ToolPolicy {
  readonly default: Decision;
}

/** Who carries a call out: the tool's own handler, the owner by an answer, or the gate by the calls of a program. */
export type ToolKind = "handler" | "question" | "program";

/**
 * Integrations whose names only Elwood's own tools may have, wherever others come from, and who carries
 * their calls out: what a question was answered with counts as the owner's word.
 */
const RESERVED_INTEGRATIONS: ReadonlyMap<string, ToolKind> = new Map([
  ["owner", "question"],
  ["program", "program"],
  // A call through the catalog counts as one of another tool.
  ["catalog", "handler"],
]);

/** The kind that a tool of Elwood's own has by its name. */
export function ownToolKind(toolId: string): ToolKind {
  return RESERVED_INTEGRATIONS.get(integrationOf(toolId)) ?? "handler";
}

/** The part of a tool's name that only Elwood's own tools may have; undefined where anybody may have it. */
export function reservedName(toolId: string): string | undefined {
  const integration = integrationOf(toolId);
  return RESERVED_INTEGRATIONS.has(integration) ? integration : undefined;
}

function integrationOf(toolId: string): string {
  return toolId.split(".", 1)[0]!.toLowerCase();
}

/** What is known of a tool without running it; plain data, hashed as the contract. */
export interface ToolContract {
  /** `integration.resource.action` */
  readonly id: string;
  readonly description: string;
  readonly risk: Risk;
  readonly labels: TrustLabels;
  readonly policy?: ToolPolicy;
  readonly requiresApproval: boolean;
  /** Making the same call again with the same key has no further effect. */
  readonly idempotent: boolean;
  readonly canPreview: boolean;
  readonly canUndo: boolean;
  readonly canReconcile: boolean;
  readonly timeoutMs: number;
  /** Names of the secrets that the handler is given. */
  readonly secrets?: readonly string[];
  /** The only places it may reach, where it is limited to some: host names and exact origins. */
  readonly hosts?: readonly string[];
  /** Hash over its sources, where these are not Elwood's own: a tool whose code changed is another tool. */
  readonly code?: string;
  /** JSON Schemas. */
  readonly input: Record<string, unknown>;
  readonly output: Record<string, unknown>;
}

/** What a handler gives back. `text` is for the model; `value` is the typed output. */
export interface ToolResult {
  readonly value: unknown;
  readonly text?: string;
  readonly attachments?: readonly ToolAttachment[];
  readonly exitCode?: number;
  readonly truncated?: boolean;
}

export interface ToolAttachment {
  readonly type: "image" | "file";
  readonly mimeType: string;
  /** base64 */
  readonly data: string;
  readonly name?: string;
}

/** What the owner is shown before a call: a sentence, and what would change. */
export interface Preview {
  readonly sentence: string;
  readonly before?: string;
  readonly after?: string;
  /** Where `before` came from, such as a path. */
  readonly subject?: string;
  /** The folder that `subject` lies in, which people need not read each time. */
  readonly base?: string;
  /** There was nothing before. A move says it only where `after` is the content that it brings. */
  readonly creates?: boolean;
  /** How many bytes there are, where `before` shows only how they begin. */
  readonly beforeBytes?: number;
  /** Whether its effect can be taken back afterwards; absent where the tool does not say. */
  readonly undoable?: boolean;
  /** For programs: what they can change and reach, whatever they try. */
  readonly reach?: Reach;
}

export interface Reach {
  readonly changes: "nothing" | "folder" | "everything";
  readonly network: boolean;
  /** It is ended after so long. */
  readonly seconds: number;
}

/** How a call ended, or stands. */
export const CALL_STATUSES = ["succeeded", "failed", "denied", "expired", "pending", "unknown"] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/** How a call is told to have ended. One that was refused never happened, and so receipts count it nowhere. */
export type CallEnd = CallStatus | "refused";

/** One word for each status, on every surface. */
export const STATUS_WORDS: Readonly<Record<CallStatus, string>> = {
  succeeded: CALL_WORDS.succeeded.word,
  failed: CALL_WORDS.failed.word,
  denied: CALL_WORDS.denied.word,
  expired: CALL_WORDS.expired.word,
  pending: CALL_WORDS.pending.word,
  unknown: CALL_WORDS.unknown.word,
};

/** Short names that are accepted in configuration and prompts, too. */
export const TOOL_ALIASES: Readonly<Record<string, string>> = {
  run_command: "shell.command.run",
  bash: "shell.command.run",
  read_file: "files.file.read",
  write_file: "files.file.write",
  web_fetch: "web.page.fetch",
  web_search: "web.search.query",
  save_memory: "memory.note.save",
  search_memory: "memory.note.search",
};

/** The tool id that a name means: an id itself, or one of the aliases. */
export function resolveToolName(name: string): string | undefined {
  if (Object.hasOwn(TOOL_ALIASES, name)) return TOOL_ALIASES[name];
  return isToolId(name) ? name : undefined;
}

/** `files.*`, `files.file.*`, `*` or an exact id. */
export function matchesTool(pattern: string, toolId: string): boolean {
  if (pattern === "*" || pattern === toolId) return true;
  return pattern.endsWith(".*") && toolId.startsWith(pattern.slice(0, -1));
}
