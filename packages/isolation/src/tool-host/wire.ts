import type { Risk, ToolPolicy } from "@elwood/core/tool/tool";

/**
 * The words between the gateway and a process that holds a user's tools. The process is
 * asked with `call` and answers each with one `done`; until then it may report progress and
 * ask for pages by `fetch`, which the gateway answers with `fetched` or `failed`. It answers
 * every `abort` with `aborted` at once: one that does not is hung.
 */
export type ToHost =
  | { readonly t: "call"; readonly n: number; readonly tool: string; readonly fn: HostFunction } // body: CallBody
  | { readonly t: "abort"; readonly n: number }
  | ({ readonly t: "fetched"; readonly f: number } & FetchedHead) // body: base64
  | { readonly t: "failed"; readonly f: number; readonly error: FetchError };

export type FromHost =
  | { readonly t: "ready" } // body: the tools, as ListedTool[]
  /** Its modules could not be loaded. */
  | { readonly t: "broken" } // body: HostFailure
  /** Something was thrown that nobody caught; the process ends. */
  | { readonly t: "crash" } // body: HostFailure
  | { readonly t: "done"; readonly n: number; readonly how: "answer" | "threw" } // body: the answer as JSON, or the words
  | { readonly t: "aborted"; readonly n: number }
  | { readonly t: "progress"; readonly n: number } // body: one line
  | ({ readonly t: "fetch"; readonly n: number; readonly f: number } & FetchHead) // body: base64
  | { readonly t: "drop"; readonly f: number }
  | { readonly t: "line"; readonly level: LineLevel }; // body: what the tool printed

export const HOST_FUNCTIONS = ["handler", "preview", "undo", "reconcile", "facts", "target"] as const;
export type HostFunction = (typeof HOST_FUNCTIONS)[number];

export const LINE_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LineLevel = (typeof LINE_LEVELS)[number];

export interface CallBody {
  readonly input: unknown;
  /** For `undo`. */
  readonly output?: unknown;
  /** For `preview` and `facts`. */
  readonly session?: string;
  /** For `handler`, `undo` and `reconcile`. */
  readonly idempotencyKey?: string;
  readonly callId?: string;
  readonly run?: string;
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface FetchHead {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly redirect: "follow" | "error" | "manual";
}

export interface FetchedHead {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly redirected: boolean;
}

/** `tool`: nothing was sent, as a ToolError says it. */
export interface FetchError {
  readonly kind: "tool" | "other";
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

export interface HostFailure {
  readonly message: string;
  /** With places such as `tool:///visitors.ts:3:7`. */
  readonly stack: string;
  /** The module that was being loaded. */
  readonly file?: string;
}

/** A tool as its process tells of it. */
export interface ListedTool {
  readonly id: string;
  readonly description: string;
  readonly risk: Risk;
  /** As they were written; defineTool() checks them where they are used. */
  readonly labels: Readonly<Record<string, unknown>>;
  readonly policy?: ToolPolicy | undefined;
  readonly requiresApproval: boolean;
  readonly idempotent: boolean;
  readonly timeoutMs: number;
  readonly secrets: readonly string[];
  readonly hosts: readonly string[];
  readonly input: Record<string, unknown>;
  readonly output?: Record<string, unknown> | undefined;
  readonly has: readonly HostFunction[];
}

/** The name of a secret, as that of a variable. */
export const SECRET_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** How a module of an integration is named in its process. */
export const TOOL_SCHEME = "tool:///";
/** The descriptor under which the process finds its socket. */
export const SOCKET_FD = 3;
