import {
  addOpening,
  addRequest,
  addSentence,
  addSurroundings,
  cuesIn,
  hasCue,
  KIND_GROUPS,
  OWN_GROUPS,
  type Cues,
  type ReadRequest,
  type SentenceInPlace,
} from "./claim-features.ts";
import { PieceList } from "./piece-list.ts";
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
  /** The same by its own words alone, wherever they stand and whatever was asked. */
  readonly own: number;
  /** If so: it says that it did not come about, or not yet. */
  readonly unsuccessful: number;
  /** It says that it will happen, not that it has. */
  readonly later: number;
  /** It says that the owner was asked: declined, has yet to answer, did not answer in time. */
  readonly asked: number;
  readonly acts: Readonly<Record<Act, number>>;
  /** Of the sentence as it is written. */
  readonly cues: Cues;
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
/** Where calls were made, plain words for a deed are read closely wherever they stand. */
export const OWN_MIN = 0.7;
const NO_CLAIM = {
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
  /** Filled again for each sentence, whoever reads it. */
  readonly #list = new PieceList();

  constructor({ claims, unsuccessful, kinds }: Weights) {
    this.#claims = new PieceTable(claims);
    this.#unsuccessful = new PieceTable(unsuccessful);
    this.#kinds = new PieceTable(kinds);
  }

  /** For the replies to one request. Where calls were made, a denial is read as closely as a claim. */
  reader(request: string, calls = false): ClaimReader {
    return new ClaimReader(this.#claims, this.#unsuccessful, this.#kinds, this.#list, request, calls);
  }
}

/** Reads the sentences of one reply, and keeps what they have in common. */
export class ClaimReader {
  readonly #claims: PieceTable;
  readonly #unsuccessful: PieceTable;
  readonly #kinds: PieceTable;
  readonly #list: PieceList;
  readonly #request: ReadRequest;
  readonly #asked: number;
  readonly #calls: boolean;
  /** What surroundings add up to: clauses share those of their sentence. */
  readonly #around = new Map<SentenceInPlace, number>();
  readonly #openings = new Map<string, number>();
  readonly #many = new Float64Array(KINDS.length);

  constructor(
    claims: PieceTable,
    unsuccessful: PieceTable,
    kinds: PieceTable,
    list: PieceList,
    request: string,
    calls: boolean,
  ) {
    this.#list = list;
    list.clear();
    this.#calls = calls;
    this.#claims = claims;
    this.#unsuccessful = unsuccessful;
    this.#kinds = kinds;
    this.#request = addRequest(this.#list, request);
    this.#asked = this.#summed(claims, 0, this.#list.groups);
  }

  read(sentence: SentenceInPlace): ReadClaim {
    return this.#read(sentence, sentence.sentence, cuesIn(sentence.sentence));
  }

  /** Part of a sentence, in its place; it has no cues that the whole does not have. */
  readClause(sentence: SentenceInPlace, clause: string, cues: Cues): ReadClaim {
    return this.#read(sentence, clause, cuesIn(clause, cues));
  }

  #read(place: SentenceInPlace, sentence: string, cues: Cues): ReadClaim {
    const list = this.#list;
    const around = this.#aroundOf(place);
    list.clear();
    addSentence(list, { sentence, places: place.places }, this.#request, cues);
    const words =
      this.#summed(this.#claims, 0, KIND_GROUPS - 1) + this.#summed(this.#claims, KIND_GROUPS, OWN_GROUPS);
    const claims = this.#claims.chance(
      this.#asked + around + words + this.#summed(this.#claims, OWN_GROUPS, list.groups),
      0,
    );
    const own = this.#claims.chance(words, 0);
    if (claims < CLAIMS_MIN && !(this.#calls && (own >= OWN_MIN || hasCue(cues, "denies"))))
      return { ...NO_CLAIM, claims, own, cues };
    const unsuccessful = this.#unsuccessful.chance(this.#summed(this.#unsuccessful, 0, KIND_GROUPS), 0);
    this.#many.fill(0);
    this.#kinds.sum(list, 0, KIND_GROUPS, this.#many);
    return {
      claims,
      own,
      unsuccessful,
      later: this.#kindAt(0),
      asked: this.#kindAt(1),
      // Written out, so that all of them have one shape.
      acts: {
        look: this.#kindAt(2),
        write: this.#kindAt(3),
        delete: this.#kindAt(4),
        move: this.#kindAt(5),
        send: this.#kindAt(6),
        draft: this.#kindAt(7),
        pay: this.#kindAt(8),
        schedule: this.#kindAt(9),
        run: this.#kindAt(10),
        control: this.#kindAt(11),
        approve: this.#kindAt(12),
        done: this.#kindAt(13),
      },
      cues,
    };
  }

  /** In the order of KINDS. */
  #kindAt(kind: number): number {
    return this.#kinds.chance(this.#many[kind]!, kind);
  }

  #aroundOf(sentence: SentenceInPlace): number {
    let sum = this.#around.get(sentence);
    if (sum === undefined) {
      this.#list.clear();
      addSurroundings(this.#list, sentence, this.#request);
      sum = this.#summed(this.#claims, 0, this.#list.groups) + this.#openingOf(sentence.opening);
      this.#around.set(sentence, sum);
    }
    return sum;
  }

  #openingOf(opening: string): number {
    let sum = this.#openings.get(opening);
    if (sum === undefined) {
      this.#list.clear();
      addOpening(this.#list, opening, this.#request);
      sum = this.#summed(this.#claims, 0, this.#list.groups);
      this.#openings.set(opening, sum);
    }
    return sum;
  }

  #summed(table: PieceTable, from: number, to: number): number {
    return table.sumOfFirst(this.#list, from, to);
  }
}
