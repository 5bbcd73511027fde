/**
 * What memory is made of. A turn is one indexed thing: a message of a conversation, or a
 * bullet or paragraph of a note. Its text is what may be shown: secrets were taken out
 * before it was indexed.
 */

/** Whose words a turn holds. Only `owner` and `agent` turns are ever recalled unasked. */
export const MEMORY_ORIGINS = ["owner", "agent", "untrusted", "system"] as const;
export type MemoryOrigin = (typeof MEMORY_ORIGINS)[number];

export const TURN_ROLES = ["user", "assistant", "note"] as const;
export type TurnRole = (typeof TURN_ROLES)[number];

export interface MemoryTurn {
  /** Path below the state directory, such as `sessions/default/ses_….jsonl` or `memory/default/home.md`. */
  readonly source: string;
  /** Line in that file, from 1. */
  readonly line: number;
  /** The conversation, where it was one. */
  readonly session?: string;
  readonly run?: string;
  /** Milliseconds since 1970. */
  readonly ts: number;
  readonly role: TurnRole;
  /** A person's name, `you` or `Elwood`; serves the speaker prior. */
  readonly speaker: string;
  readonly origin: MemoryOrigin;
  readonly text: string;
}

export interface MemoryQuery {
  readonly text: string;
  readonly limit: number;
  /** Characters / 4 of all that is handed out, neighbours included. */
  readonly tokensMax?: number;
  readonly since?: number;
  readonly until?: number;
  readonly session?: string;
  /** Left out: the conversation that asks, whose words the model has anyway. */
  readonly exceptSession?: string;
  readonly origins?: readonly MemoryOrigin[];
  /** Only what is worth telling unasked (see recall-gate.ts). Such a search looks at fewer turns, and at none where it can tell. */
  readonly forRecall?: boolean;
  /** With `forRecall`: return only what will be told, so that the search thread need not send the rest. */
  readonly onlyTold?: boolean;
  /** The present moment, for words such as "last week". */
  readonly now: number;
  /** Time zone of the owner, IANA. */
  readonly timeZone?: string;
}

export interface MemoryHit {
  readonly turn: MemoryTurn & { readonly id: number };
  readonly score: number;
  /** What the score is made of, by name. */
  readonly parts: Readonly<Record<string, number>>;
  /** Closeness in meaning, 0 to 1, where that is a part of the score. */
  readonly near?: number;
  /** Neighbours in the same source, in order, as far as the budget allowed. */
  readonly before: readonly MemoryTurn[];
  readonly after: readonly MemoryTurn[];
  /** Whether the turn itself will be told. If set, `before` and `after` hold only turns that will be. */
  readonly isTold?: boolean;
}
