import { readRequest, sentenceGroups, type SentenceInPlace } from "./claim-features.ts";
import { PieceTable, type PackedTable } from "./piece-table.ts";

/** What a sentence may tell of: kinds of action that can be compared with what a tool does. */
export const ACTS = [
  "look",
  "write",
  "delete",
  "move",
  "send",
  "draft",
  "pay",
  "schedule",
  "run",
  "control",
  "approve",
  "done",
] as const;
export type Act = (typeof ACTS)[number];

/** How a sentence reads. Probabilities, each for itself. */
export interface ReadClaim {
  /** It says that the assistant did, tried or looked at something outside the conversation, or will by itself. */
  readonly claims: number;
  /** If so: it says that it did not come about, or not yet. */
  readonly unsuccessful: number;
  /** It says that it will happen, not that it has. */
  readonly later: number;
  /** It says that the owner was asked: declined, has yet to answer, did not answer in time. */
  readonly asked: number;
  readonly acts: Readonly<Record<Act, number>>;
}

/** As training writes them. */
export interface Weights {
  /** One answer: it claims something. */
  readonly claims: PackedTable;
  /** One answer: it says that it did not come about. */
  readonly unsuccessful: PackedTable;
  /** In the order of KINDS. */
  readonly kinds: PackedTable;
}

/** What else a sentence is asked. */
export const KINDS = ["later", "asked", ...ACTS] as const;

/** Below this a sentence claims nothing, and what it would claim need not be asked. */
const CLAIMS_MIN = 0.15;
const NO_CLAIM: ReadClaim = {
  claims: 0,
  unsuccessful: 0,
  later: 0,
  asked: 0,
  acts: Object.fromEntries(ACTS.map((act) => [act, 0])) as Record<Act, number>,
};

/** Reads wording only; whether receipts support what a sentence says is not its business. */
export class ClaimModel {
  readonly #claims: PieceTable;
  readonly #unsuccessful: PieceTable;
  readonly #kinds: PieceTable;

  constructor({ claims, unsuccessful, kinds }: Weights) {
    this.#claims = new PieceTable(claims);
    this.#unsuccessful = new PieceTable(unsuccessful);
    this.#kinds = new PieceTable(kinds);
  }

  /** Each sentence of one reply. */
  read(sentences: readonly SentenceInPlace[], request: string): ReadClaim[] {
    const read = readRequest(request);
    const asked = this.#claims.sum(read.groups);
    return sentences.map((sentence) => {
      const { claim, kind } = sentenceGroups(sentence, read);
      const [claims = 0] = this.#claims.chances(this.#claims.sum(claim, Float32Array.from(asked)));
      if (claims < CLAIMS_MIN) return { ...NO_CLAIM, claims };
      const [unsuccessful = 0] = this.#unsuccessful.chances(this.#unsuccessful.sum(kind));
      const [later = 0, asks = 0, ...acts] = this.#kinds.chances(this.#kinds.sum(kind));
      return {
        claims,
        unsuccessful,
        later,
        asked: asks,
        acts: Object.fromEntries(ACTS.map((act, i) => [act, acts[i] ?? 0])) as Record<Act, number>,
      };
    });
  }
}
