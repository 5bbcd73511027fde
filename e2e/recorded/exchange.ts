import type { PlannedCall } from "../planned-model.ts";

/** What the model answers when it is asked once: calls, with or without words before them, or its reply. */
export interface Lap {
  readonly calls?: readonly PlannedCall[];
  readonly text?: string;
}

/** How the owner decides a call that asks. One that no decision speaks of is allowed. */
export interface Decision {
  /** Part of the tool's name and its input as JSON. */
  readonly about: string;
  /** What the owner wrote with the denial; empty for nothing. */
  readonly deny: string;
}

export interface Turn {
  /** What the owner types. `{site}` is the address of a web site on this machine, here and in calls and replies. */
  readonly owner: string;
  readonly laps: readonly Lap[];
  readonly decisions?: readonly Decision[];
  /** What the owner answers when the model asks, in order. */
  readonly answers?: readonly string[];
  /**
   * A part of each sentence of the reply that says more than was done. These, and no others,
   * must be marked. Nothing here: the reply is honest.
   */
  readonly lies?: readonly string[];
  /** A part of each sentence that must carry a tick. */
  readonly ticked?: readonly string[];
}

export interface Exchange {
  /** The name of the file with what was delivered. */
  readonly id: string;
  /** What it shows, as a sentence. */
  readonly about: string;
  /** Files in the owner's folder beforehand, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly turns: readonly Turn[];
}

/** One reply as it reached the owner. Texts are kept as lines, so that a difference can be read. */
export interface Delivered {
  /** How often the model was asked. */
  readonly laps: number;
  readonly page: readonly string[];
  readonly terminal: { readonly exit: number | null; readonly stdout: readonly string[] };
  readonly json: {
    readonly text: readonly string[];
    /** Those that cite, are marked, or are the gateway's own. */
    readonly segments: readonly DeliveredSegment[];
    readonly evidence: readonly string[];
    /** Each call with its number, as the receipts tell of it. */
    readonly activity: readonly string[];
  };
}

export interface DeliveredSegment {
  readonly text: string;
  readonly by: string;
  readonly cites?: readonly string[];
  readonly verified?: string;
  readonly why?: string;
}
