import { RESULT_TOOL } from "@elwood/core/compaction/output-text";
import { shownMessages } from "@elwood/core/compaction/shown";
import { SEARCH_TOOL } from "@elwood/core/memory/read-labels";
import { contextSizes, type ContextSizes } from "@elwood/core/compaction/sizes";
import type { Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import type { Redactor } from "@elwood/core/base/redact";
import type { Message, Usage } from "@elwood/core/message/message";
import { formatModelRef, type ToolSpec } from "@elwood/core/model/model";
import type { LapUsage, PriceRow } from "@elwood/core/model/price";
import { tokensOfText } from "@elwood/core/model/tokens";
import type { Clock, Ids, Log, Models, ResolvedModel } from "../ports/ports.ts";
import type { ContextMeter } from "./meter.ts";
import { compact } from "./compact.ts";

export interface ContextDeps {
  readonly models: Models;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly redact: Redactor;
  readonly localTime: LocalTime;
  readonly prices: readonly PriceRow[];
  /** The model that sums up long conversations, as provider/model; that of the run unless set. */
  readonly compactionModel?: string | undefined;
  /** Above how many tokens a conversation is summed up, where that is earlier than its model needs it. */
  readonly compactionThreshold?: number | undefined;
  readonly meter: ContextMeter;
}

/** What a run may still use; a summary is one of its laps. */
interface LapBudget {
  readonly tokensLeft: number;
  beginLap(): Failure | undefined;
  endLap(usage: Usage, costUsd: number | undefined): void;
}

interface ContextInput {
  readonly tenant: string;
  readonly sessionId: string;
  readonly model: ResolvedModel;
  readonly system: string;
  readonly specs: () => readonly ToolSpec[];
  /** Messages of earlier runs, and those of this one as they come. */
  readonly earlier: readonly Message[];
  readonly steps: readonly Message[];
  readonly budget: LapBudget;
  /** Shown to whoever follows the run. */
  readonly notify: (notice: { readonly code: string; readonly message: string }) => void;
  readonly signal: AbortSignal;
  /** Journals a message and adds it to the run. */
  readonly addStep: (message: Message, lap?: LapUsage) => Promise<void>;
}

/** What is shown, and what it was worked out from. */
interface ShownView {
  readonly steps: number;
  readonly searchTool: string | undefined;
  readonly readTool: string | undefined;
  readonly view: readonly Message[];
}

/**
 * What a run's model is shown, and that it fits.
 *
 * X1 The size that counts is that of the request about to be sent: system prompt, tools, the
 *    conversation as it is shown, and what came in just now. Where the provider has counted an
 *    earlier lap, its count stands for that part, and what is new is estimated by the same measure,
 *    but never by a smaller one: a prompt that counts little says nothing of a log read since.
 * X2 Whatever is left out is written down first, as a step of the run, and shown from that line
 *    on: a crash leaves the one view or the other, and the same lines always give the same bytes.
 * X3 Nothing is cut in silence. Where it cannot be made to fit, the run ends and says so.
 * X4 What a request asks for as its answer fits into the window beside it.
 */
export class RunContext {
  readonly #input: ContextInput;
  readonly #deps: ContextDeps;
  #shown: ShownView | undefined;
  /** A summary failed in this run; see compact.ts. */
  failed = false;

  constructor(input: ContextInput, deps: ContextDeps) {
    this.#input = input;
    this.#deps = deps;
  }

  get input(): ContextInput {
    return this.#input;
  }

  get deps(): ContextDeps {
    return this.#deps;
  }

  kept(): readonly Message[] {
    return [...this.#input.earlier, ...this.#input.steps];
  }

  /** Asked several times for each request; messages only come, so that their number says whether it is still so. */
  shown(): readonly Message[] {
    const { searchTool, readTool } = this;
    const known = this.#shown;
    const steps = this.#input.steps.length;
    if (known?.steps === steps && known.searchTool === searchTool && known.readTool === readTool)
      return known.view;
    const view = this.shownOf(this.kept());
    this.#shown = { steps, searchTool, readTool, view };
    return view;
  }

  /** The same of messages that are not all the run's yet. */
  shownOf(kept: readonly Message[]): readonly Message[] {
    const { localTime: time, meter } = this.#deps;
    if (meter.isShownWhole(kept)) return kept;
    const { searchTool, readTool } = this;
    return shownMessages(kept, { time, intact: meter.intact, searchTool, readTool });
  }

  get searchTool(): string | undefined {
    return this.#given(SEARCH_TOOL);
  }

  get readTool(): string | undefined {
    return this.#given(RESULT_TOOL);
  }

  #given(wanted: string): string | undefined {
    return this.#input.specs().some(({ toolId }) => toolId === wanted) ? wanted : undefined;
  }

  /** How much of a result the model is shown, one of so many of an answer; undefined where all of it can be. */
  readonly shownChars = (text: string, siblings: number): number | undefined => {
    // Nearly always: it is small, whatever the window.
    if (text.length <= RESULT_CHARS_ANY) return undefined;
    const { room, near } = this.sizes();
    const space = Math.max(0, this.estimated(room) - this.base());
    const share = Math.min(RESULT_SHARE, RESULTS_SHARE / Math.max(1, siblings));
    // What is still free may be used before anything older has to make room.
    const free = this.estimated(Math.max(0, near - this.size(this.shown())));
    const spare = Math.min(space * RESULT_SHARE_MAX, (free * FREE_SHARE) / Math.max(1, siblings));
    const tokensMax = Math.max(RESULT_TOKENS_MIN, Math.floor(Math.max(space * share, spare)));
    const tokens = tokensOfText(text);
    return tokens <= tokensMax ? undefined : Math.floor((text.length * tokensMax) / tokens);
  };

  /** X4; `messages` as they are sent. */
  outputTokens(messages: readonly Message[]): number {
    const prompt = Math.ceil(this.size(messages) * ESTIMATE_MARGIN);
    const left = Math.max(OUTPUT_TOKENS_MIN, this.contextTokens - prompt);
    return Math.min(this.#input.model.maxOutputTokens, left);
  }

  /** Before each request. A failure where it cannot be made to fit; the messages to show otherwise. */
  async prepare(more: readonly Message[]): Promise<Failure | readonly Message[]> {
    const view = this.shown();
    const { meter } = this.#deps;
    const messages = meter.total(view) + meter.total(more);
    if (this.#surelyFits(view, messages, more)) return [...view, ...more];
    if (this.size(view, more) <= this.sizes().trigger) return [...view, ...more];
    const refused = await compact(this, { why: "large", more });
    return refused ?? [...this.shown(), ...more];
  }

  /** The provider said that it was too much. False where nothing could be done about it. */
  async overflowed(more: readonly Message[]): Promise<boolean> {
    const before = this.size(this.shown(), more);
    await compact(this, { why: "refused", more });
    return this.size(this.shown(), more) < before && !this.#input.signal.aborted;
  }

  get contextTokens(): number {
    return this.#input.model.contextTokens ?? LIMITS.contextTokensAssumed;
  }

  base(): number {
    return this.#deps.meter.base(this.#input.system, this.#input.specs());
  }

  /** What is compared with `size` is as the provider counts; what is compared with single messages, as they are estimated. */
  sizes(
    contextTokens = this.contextTokens,
    maxOutputTokens = this.#input.model.maxOutputTokens,
  ): ContextSizes {
    const scale = this.#scale(this.shown());
    const base = Math.ceil(this.base() * scale);
    const threshold = this.#deps.compactionThreshold;
    const sizes = contextSizes({ contextTokens, maxOutputTokens, base, threshold });
    const estimated = (tokens: number) => Math.floor(tokens / scale);
    return {
      ...sizes,
      keep: estimated(sizes.keep),
      summaryMax: estimated(sizes.summaryMax),
      quotesMax: estimated(sizes.quotesMax),
    };
  }

  /** So many tokens of the provider's, of what it has not counted yet, by our estimate. */
  estimated(tokens: number): number {
    return Math.ceil(tokens / Math.max(1, this.#scale(this.shown())));
  }

  /** X1 */
  size(view: readonly Message[], more: readonly Message[] = []): number {
    const { meter } = this.#deps;
    const shown = this.shown();
    const scale = this.#scale(shown);
    const last = this.#counted(shown);
    const fresh = last && view.length >= shown.length ? meter.total(view.slice(last.at + 1)) : 0;
    const counted = this.base() + meter.total(view) - fresh;
    return Math.ceil(counted * scale + (fresh + meter.total(more)) * Math.max(1, scale));
  }

  /** How many real tokens one of the estimate is worth, by what the provider counted last. */
  #scale(view: readonly Message[]): number {
    const last = this.#counted(view);
    if (!last) return 1;
    const estimate = this.base() + this.#deps.meter.total(view.slice(0, last.at + 1));
    return Math.min(SCALE_MAX, Math.max(SCALE_MIN, last.tokens / Math.max(1, estimate)));
  }

  /** The last lap that the provider counted, of this model and of what is shown now. */
  #counted(view: readonly Message[]): { readonly at: number; readonly tokens: number } | undefined {
    const name = formatModelRef(this.#input.model.ref);
    for (let at = view.length - 1; at >= 0; at--) {
      const { role, origin, meta, blocks } = view[at]!;
      // What was counted before such a line was another view.
      if (origin === "gateway" && blocks.some(({ type }) => type === "compaction")) return undefined;
      if (role !== "assistant" || origin !== "model" || meta?.usage === undefined) continue;
      if (meta.usage.estimated || meta.model !== name) return undefined;
      const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = meta.usage;
      return { at, tokens: inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens };
    }
    return undefined;
  }

  /** Nearly every turn: far from any limit, or so short that there is nothing to leave out. */
  #surelyFits(view: readonly Message[], messages: number, more: readonly Message[]): boolean {
    const window = Math.min(this.contextTokens, this.#deps.compactionThreshold ?? this.contextTokens);
    if (messages <= window * SHORT_SHARE) return true;
    const last = this.#counted(view);
    if (!last) return false;
    const { meter } = this.#deps;
    const since = meter.total(view.slice(last.at + 1)) + meter.total(more);
    return Math.max(last.tokens, messages * SCALE_MIN) + since * SCALE_MAX <= window * FAR_SHARE;
  }
}

/** The most that one result may be of the space beside system prompt and tools, so that two fit at once; and all of one answer. */
const RESULT_SHARE = 0.3;
const RESULTS_SHARE = 0.7;
/** The same where the window is still nearly empty, and how much of what is free one result may take. */
const RESULT_SHARE_MAX = 0.45;
const FREE_SHARE = 0.8;
const RESULT_TOKENS_MIN = 200;
const RESULT_CHARS_ANY = 800;
/** The provider may count more than we do. */
const ESTIMATE_MARGIN = 1.1;
const OUTPUT_TOKENS_MIN = 256;
const SCALE_MIN = 0.75;
const SCALE_MAX = 4;
const SHORT_SHARE = 0.1;
const FAR_SHARE = 0.4;
