import type { Failure } from "../base/failure.ts";
import type { Block, Message, Usage } from "../message/message.ts";
import { err, ok, type Result } from "../base/result.ts";

/** A tool as a model sees it. `toolId` is Elwood's id; adapters turn it into a name the provider accepts. */
export interface ToolSpec {
  readonly toolId: string;
  readonly description: string;
  /** JSON Schema of the input, an object schema. */
  readonly inputSchema: Record<string, unknown>;
  /** A call only looks: making it again gets its output again, and changes nothing. */
  readonly reads?: boolean;
}

/** How hard the model should think, where it can. */
export type Effort = "off" | "low" | "medium" | "high";

export interface ModelRequest {
  /** The provider's own model id, without the provider prefix. */
  readonly model: string;
  /** Byte-identical from turn to turn of a session, so that the provider's prompt cache holds. */
  readonly system: string;
  /** Oldest first; every tool_use is followed by a message with its tool_result. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly effort?: Effort;
  /** False: at most one call in an answer is asked for. */
  readonly parallelCalls?: boolean;
  /** The model may write calls as text: they are read all the same. */
  readonly callsInText?: boolean;
  /** It may leave out the last brackets of a call, or make one twice. */
  readonly lenient?: boolean;
  /** Stable per session; providers that route by it hit their cache more often. */
  readonly cacheKey?: string;
  /** Reads a stored picture or file; the only way a provider gets at bytes. */
  readonly readBlob: (blobId: string) => Promise<Uint8Array | undefined>;
  /** The text of a stored document that no model takes as it is; absent: documents are only named. */
  readonly readText?: (blobId: string, name: string) => Promise<string | undefined>;
  /** Stores a picture that the model made; answers its blob id. */
  readonly writeBlob: (bytes: Uint8Array, mime: string) => Promise<string>;
  readonly signal: AbortSignal;
  /**
   * Whoever asks passes text and thinking on as they come: of each, the blocks at the end need to hold no more than
   * its first characters, this many. Absent: all of it.
   */
  readonly textKeptMax?: number;
  /** Another key or model takes over where this key is refused: that is told at once, and not tried again here. */
  readonly handsOver?: boolean;
  /** Which models may answer in place of the one that was asked; absent: any that the owner configured. */
  readonly mayAnswer?: (ref: ModelRef) => boolean;
}

/** One way to a model gave up, and another one takes over. */
export interface Handover {
  /** The profile that gave up, such as `anthropic:work`; absent where no stored or named key was used. */
  readonly from?: string;
  readonly fromModel: string;
  readonly to?: string;
  readonly toModel: string;
  /** The code of the failure. */
  readonly why: string;
  /** Until when the profile that gave up is left alone. */
  readonly restsUntil?: number;
}

/** The model that answered, and the profile that paid. */
export interface AnsweredBy {
  readonly ref: ModelRef;
  readonly profile?: string;
}

/** Why the model stopped, in one vocabulary for all providers. */
export const STOP_REASONS = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "refusal",
  "context_full",
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/**
 * What a provider says while it answers.
 *
 * Exactly one `done` or `failed` comes, and it comes last. Once `chat` was called a
 * provider never throws: every fault, an abort included, is a `failed` event. Deltas are
 * what a person may watch; the blocks of `done` (or of `failed`, as far as it got) are
 * what is kept. A tool_use block appears only there, whole, its arguments parsed.
 */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** Arguments of a call are streaming in; for progress only. */
  | { readonly type: "tool_args"; readonly index: number; readonly toolId: string; readonly json: string }
  /** The attempt failed and another follows; text streamed since the request began is void. */
  | {
      readonly type: "retry";
      readonly failure: Failure;
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly delayMs: number;
      /** The attempt that follows goes another way. */
      readonly handover?: Handover;
    }
  | {
      readonly type: "done";
      readonly stopReason: StopReason;
      readonly blocks: readonly Block[];
      readonly usage: Usage;
      /** The model id that the provider says it used. */
      readonly model: string;
      /** What the provider said beside a refusal, fit to be shown. */
      readonly note?: string;
      /** Where that may be another than was asked. */
      readonly answeredBy?: AnsweredBy;
    }
  | {
      readonly type: "failed";
      readonly failure: Failure;
      readonly blocks: readonly Block[];
      readonly usage?: Usage;
      readonly answeredBy?: AnsweredBy;
    };

export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

const BARE_MODEL_PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, "anthropic"],
  [/^(gpt-|o[1-9](-|$)|chatgpt-)/, "openai"],
  [/^demo$/, "demo"],
];

/**
 * `provider/model`; the model may itself hold slashes (`openrouter/meta/llama`).
 * A bare id is accepted where its maker is plain from the name.
 */
export function parseModelRef(text: string): Result<ModelRef, string> {
  const trimmed = text.trim();
  const slash = trimmed.indexOf("/");
  if (slash < 0) {
    for (const [pattern, provider] of BARE_MODEL_PROVIDERS) {
      if (pattern.test(trimmed)) return ok({ provider, model: provider === "demo" ? "scripted" : trimmed });
    }
    return err(
      `"${trimmed}" does not say which provider it belongs to. Write it as provider/model, for example anthropic/claude-sonnet-5-5.`,
    );
  }
  const provider = trimmed.slice(0, slash);
  const model = trimmed.slice(slash + 1);
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(provider)) {
    return err(`"${provider}" is not a provider's name: lower-case letters, digits, - and _ only.`);
  }
  if (model === "") return err(`"${trimmed}" names no model after the slash.`);
  if (/\s/.test(model)) return err(`"${model}" is not a model's name: it holds a space.`);
  return ok({ provider, model });
}

export function formatModelRef(ref: ModelRef): string {
  return `${ref.provider}/${ref.model}`;
}

/**
 * Tool ids hold dots (`files.file.read`); OpenAI and Anthropic allow letters, digits,
 * `_` and `-`, 64 at most. `a.b.c` ↔ `a__b__c` is reversible because an id part never
 * holds two underscores in a row or one at its ends.
 */
export const TOOL_ID_PATTERN =
  /^[a-z][a-z0-9-]*(_[a-z0-9-]+)*(\.[A-Za-z][A-Za-z0-9-]*(_[A-Za-z0-9-]+)*){1,2}$/;
export const WIRE_NAME_MAX = 64;

/** Whether an id can be a tool's: its parts are well formed and its wire name is not too long. */
export function isToolId(text: string): boolean {
  return TOOL_ID_PATTERN.test(text) && toWireName(text).length <= WIRE_NAME_MAX;
}

export function toWireName(toolId: string): string {
  return toolId.replaceAll(".", "__");
}

export function fromWireName(name: string): string {
  return name.replaceAll("__", ".");
}
