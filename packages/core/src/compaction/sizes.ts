/** How much of a model's window goes to what. All in tokens. */
export interface ContextSizes {
  /** What a request may be, its answer not counted. */
  readonly room: number;
  /** Above this something is done about it. */
  readonly trigger: number;
  /** Above this, and not before, old output is left out where that alone does: the model may have to read it again. */
  readonly near: number;
  /** What is aimed at then by a summary. */
  readonly goal: number;
  /** What is aimed at by leaving out old output. */
  readonly lean: number;
  /** The newest messages, up to so much, stay as they are. */
  readonly keep: number;
  readonly summaryMax: number;
  readonly quotesMax: number;
}

export interface WindowFacts {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** System prompt and tools: they are in each request and cannot be made smaller. */
  readonly base: number;
  /** Where the owner wants something to be done about it earlier. */
  readonly threshold?: number | undefined;
}

const TRIGGER_SHARE = 0.8;
const NEAR_SHARE = 0.9;
const GOAL_SHARE = 0.5;
const LEAN_SHARE = 0.7;
const KEEP_SHARE = 0.3;
const KEEP_MAX = 20_000;
const SUMMARY_SHARE = 0.15;
const SUMMARY_MAX = 3_000;
const QUOTES_SHARE = 0.15;
const QUOTES_MAX = 3_000;

/** What stays for the conversation however low the owner's threshold is: below it each turn would be summed up. */
const THRESHOLD_SPACE_MIN = 4_000;

export function contextSizes({ contextTokens, maxOutputTokens, base, threshold }: WindowFacts): ContextSizes {
  const room = Math.floor(contextTokens - Math.min(maxOutputTokens, contextTokens / 4));
  const wanted =
    threshold === undefined
      ? Number.MAX_SAFE_INTEGER
      : Math.max(THRESHOLD_SPACE_MIN, (threshold - base) / TRIGGER_SHARE);
  const space = Math.max(0, Math.min(room - base, wanted));
  const share = (of: number, max = Number.MAX_SAFE_INTEGER) => Math.min(max, Math.floor(space * of));
  return {
    room,
    trigger: base + share(TRIGGER_SHARE),
    near: base + share(NEAR_SHARE),
    goal: base + share(GOAL_SHARE),
    lean: base + share(LEAN_SHARE),
    keep: share(KEEP_SHARE, KEEP_MAX),
    summaryMax: share(SUMMARY_SHARE, SUMMARY_MAX),
    quotesMax: share(QUOTES_SHARE, QUOTES_MAX),
  };
}
