/** What a state is to the reader: good, bad, wants them, goes on, or is of no weight. Surfaces give each one colour. */
export const TONES = ["ok", "bad", "warn", "info", "muted"] as const;
export type Tone = (typeof TONES)[number];

/** How a state is told. The word alone must be enough: glyph, icon and colour only help to find it. */
export interface StateWord {
  readonly word: string;
  readonly tone: Tone;
  /** For plain text and terminals. */
  readonly glyph: string;
  /** The name of a drawing, for surfaces that draw. */
  readonly icon: string;
}

const DONE = { word: "done", tone: "ok", glyph: "✓", icon: "check" } as const;
const FAILED = { word: "failed", tone: "bad", glyph: "✗", icon: "cross" } as const;
const DENIED = { word: "denied", tone: "bad", glyph: "⊘", icon: "denied" } as const;
const BLOCKED = { word: "blocked by a rule", tone: "bad", glyph: "⊘", icon: "denied" } as const;
const EXPIRED = { word: "expired", tone: "warn", glyph: "⌛", icon: "hourglass" } as const;
const WAITING = { word: "waiting for you", tone: "warn", glyph: "⏸", icon: "pause" } as const;
const UNKNOWN = { word: "unknown", tone: "warn", glyph: "⁇", icon: "question" } as const;
const RUNNING = { word: "running", tone: "info", glyph: "▸", icon: "play" } as const;
const QUEUED = { word: "queued", tone: "muted", glyph: "…", icon: "clock" } as const;
const CANCELLED = { word: "cancelled", tone: "muted", glyph: "■", icon: "stop" } as const;
const REFUSED = { word: "refused", tone: "bad", glyph: "⊘", icon: "denied" } as const;
const UNDONE = { word: "undone", tone: "info", glyph: "↩", icon: "undo" } as const;
const APPROVED = { word: "approved", tone: "ok", glyph: "✓", icon: "check" } as const;

/** How a call ended, or stands, as receipts say it. */
export const CALL_WORDS = {
  succeeded: DONE,
  failed: FAILED,
  denied: DENIED,
  expired: EXPIRED,
  pending: WAITING,
  unknown: UNKNOWN,
} as const satisfies Record<string, StateWord>;

/** A denied call that nobody was asked about: a rule refused it. */
export const BLOCKED_WORD = BLOCKED satisfies StateWord;

/** One that was allowed, and was no longer what had been shown when it was to be made. */
export const CHANGED_WORD = {
  word: "changed since it was allowed",
  tone: "warn",
  glyph: "⊘",
  icon: "denied",
} as const satisfies StateWord;

/** The same, and the steps in between, for those who watch a call. */
export const CALL_STATE_WORDS = {
  ...CALL_WORDS,
  requested: QUEUED,
  asked: WAITING,
  approved: APPROVED,
  started: RUNNING,
  refused: REFUSED,
  changed: CHANGED_WORD,
  undone: UNDONE,
} as const satisfies Record<string, StateWord>;
export type ShownCallState = keyof typeof CALL_STATE_WORDS;

/** The mark of a program that ended with another code than 0. */
export const ENDED_GLYPH = "↯";

/**
 * A call whose program ran to its end, with another code than 0. The call was made, so it did not
 * fail; and the code need not mean a failure (a search that finds nothing ends with 1). But the
 * program did not say that all went well, and nobody else may say it for it.
 */
export function callWord(state: string, exitCode = 0): StateWord {
  if (state !== "succeeded" || exitCode === 0) return stateWord(CALL_STATE_WORDS, state);
  return { word: `ended with code ${exitCode}`, tone: "warn", glyph: ENDED_GLYPH, icon: "warning" };
}

export const RUN_WORDS = {
  queued: QUEUED,
  running: RUNNING,
  waiting: WAITING,
  done: DONE,
  failed: FAILED,
  aborted: CANCELLED,
} as const satisfies Record<string, StateWord>;

export const APPROVAL_WORDS = {
  pending: WAITING,
  approved: APPROVED,
  denied: DENIED,
  expired: EXPIRED,
} as const satisfies Record<string, StateWord>;

export const RISK_WORDS = {
  read: { word: "read", tone: "muted", glyph: "○", icon: "eye" },
  write: { word: "write", tone: "info", glyph: "◐", icon: "pencil" },
  destructive: { word: "destructive", tone: "bad", glyph: "●", icon: "warning" },
} as const satisfies Record<string, StateWord>;

/** For a state that came over the wire: one that this table does not know is told as it is. */
export function stateWord(table: Readonly<Record<string, StateWord>>, state: string): StateWord {
  const known = Object.hasOwn(table, state) ? table[state] : undefined;
  return known ?? { word: state, tone: "muted", glyph: "·", icon: "dot" };
}

/** What each mode of the policy asks about, on every surface. */
export const POLICY_WORDS: Readonly<Record<string, string>> = {
  balanced: "Asks unless you told it to",
  strict: "Asks before every change",
  trusting: "Asks about what cannot be undone",
};
