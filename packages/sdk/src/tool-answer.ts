import type { ToolAttachment, ToolResult } from "@elwood/core/tool/tool";
import type { Result } from "@elwood/core/base/result";

/** Anything a handler may return, or promise: a plain value, a value with more beside it, or a Result. */
export type HandlerAnswer = unknown;

export interface HandlerError {
  /** A word for programs, such as `not_found`. */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** Words of somebody else, for the model to read as such. */
  readonly quoted?: string;
}

const ANSWER = Symbol.for("elwood.tool.answer");

/** A ToolResult that was made as one, and not a value that happens to look like it. */
export type ToolAnswer = ToolResult & { readonly [ANSWER]: true };

/** A value with what belongs beside it: text for the model instead of JSON, pictures and files, an exit code. */
export function result(
  value: unknown,
  more: {
    readonly text?: string;
    readonly attachments?: readonly ToolAttachment[];
    readonly exitCode?: number;
    readonly truncated?: boolean;
  } = {},
): ToolAnswer {
  return { value, ...more, [ANSWER]: true };
}

/** Thrown by a handler that knows that the call did not take effect. */
export class ToolError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  /** Words of somebody else that belong to it, such as where a page redirects to: the model gets them framed. */
  readonly quoted?: string;
  constructor(
    code: string,
    message: string,
    more: { readonly retryable?: boolean; readonly quoted?: string } = {},
  ) {
    super(message);
    this.name = "ToolError";
    this.code = code;
    this.retryable = more.retryable ?? false;
    if (more.quoted !== undefined) this.quoted = more.quoted;
  }
}

/**
 * What a handler returned, in one shape. A value is taken for a Result only if it holds
 * exactly `ok` and `value`, or `ok: false` and an `error`: many services answer with an
 * `ok` of their own among other things, and that is a plain value.
 */
export function readAnswer(returned: HandlerAnswer): Result<ToolResult, HandlerError> {
  if (isAnswer(returned)) return { ok: true, value: unmarked(returned) };
  if (!isObject(returned) || typeof returned["ok"] !== "boolean" || Object.keys(returned).length !== 2) {
    return { ok: true, value: { value: returned } };
  }
  if (returned["ok"] && "value" in returned) {
    const { value } = returned;
    return { ok: true, value: isAnswer(value) ? unmarked(value) : { value } };
  }
  const error = !returned["ok"] && "error" in returned ? readError(returned["error"]) : undefined;
  return error === undefined ? { ok: true, value: { value: returned } } : { ok: false, error };
}

function readError(error: unknown): HandlerError | undefined {
  if (typeof error === "string") return { code: "failed", message: error, retryable: false };
  if (error instanceof ToolError) {
    return { code: error.code, message: error.message, retryable: error.retryable };
  }
  if (!isObject(error) || typeof error["message"] !== "string") return undefined;
  return {
    code: typeof error["code"] === "string" ? error["code"] : "failed",
    message: error["message"],
    retryable: error["retryable"] === true,
  };
}

function unmarked({ [ANSWER]: _mark, ...plain }: ToolAnswer): ToolResult {
  return plain;
}

function isAnswer(value: unknown): value is ToolAnswer {
  return isObject(value) && value[ANSWER] === true;
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}
