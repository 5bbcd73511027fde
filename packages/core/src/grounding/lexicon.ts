import type { Family } from "./tool-fit.ts";

/** A deed that a clause tells of as done. `first`: the assistant says it of itself; `stated`: somebody or something is told to be in that state. */
export interface Told {
  readonly families: readonly Family[];
  readonly voice: "first" | "stated";
}

/**
 * What one language's replies look like, by form more than by sentence. Every pattern runs
 * over one clause of bounded length and has no nested repetition.
 */
export interface Lexicon {
  /** Deeds told as done. */
  told(clause: string): readonly Told[];
  /** Every deed that a clause names, in whatever form; for clauses that deny. */
  deeds(clause: string): readonly Family[];
  /** Deeds announced for later, in the assistant's own voice. */
  announced(clause: string): readonly Family[];
  /** Deeds that the owner's words ask for; undefined where they ask for none. */
  asked(ownerWords: string): readonly Family[] | undefined;
  /** Blanket completion: "all set". */
  readonly done: RegExp;
  /** Something is with, or on its way to, somebody. */
  readonly underway: RegExp;
  readonly question: RegExp;
  /** Offers, conditions, abilities, needs, advice, content handed over. */
  readonly safe: RegExp;
  /** Only this makes an announcement depend on the owner. */
  readonly condition: RegExp;
  readonly negative: RegExp;
  /** Nothing at all was done. */
  readonly nothing: RegExp;
  readonly failed: RegExp;
  readonly tried: RegExp;
  readonly pending: RegExp;
  readonly declined: RegExp;
  readonly expired: RegExp;
  readonly unsure: RegExp;
  readonly retract: RegExp;
  readonly ack: RegExp;
  /** The assistant says that it looked. */
  readonly looked: RegExp;
  readonly verified: RegExp;
  /** The effect was seen at the other end. */
  readonly arrived: RegExp;
  readonly approved: RegExp;
  readonly watch: RegExp;
  readonly elsewhere: RegExp;
  readonly all: RegExp;
  readonly most: RegExp;
  readonly numbers: Readonly<Record<string, number>>;
  /** Owner asks for words, not deeds. */
  readonly content: RegExp;
  readonly fiction: RegExp;
  /** Owner asks whether something was done. */
  readonly status: RegExp;
  /** Owner agrees. */
  readonly consent: RegExp;
  /** Where a new clause begins inside a sentence. */
  readonly clause: RegExp;
  /** A helper, job or other agent told to have worked. */
  readonly delegate: RegExp;
  /** Somebody else's deed. */
  readonly others: RegExp;
}

/** Whole words, any case. */
export function words(...alternatives: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join("|")})(?![\\p{L}\\p{N}])`, "iu");
}

export function anyOf(...alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join("|"), "iu");
}

export type Verbs = ReadonlyMap<string, readonly Family[]>;

/** `{ "send update": "sent moved" }` turned round: each word with its families. */
export function verbs(table: Readonly<Record<string, string>>): Map<string, readonly Family[]> {
  const out = new Map<string, readonly Family[]>();
  for (const [families, list] of Object.entries(table))
    for (const word of list.split(/\s+/)) {
      const known = out.get(word) ?? [];
      out.set(word, [...new Set([...known, ...(families.split(" ") as Family[])])]);
    }
  return out;
}

export function wordsOf(clause: string): string[] {
  return clause.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? [];
}

export interface Near {
  /** Ends right before the words to look at. */
  readonly after: RegExp;
  readonly gapMax: number;
  /** Words that may stand between; undefined: any. */
  readonly gap?: ReadonlySet<string>;
  readonly known: Verbs;
  /** Forms that tell a deed even if the verb is not known. */
  readonly form?: RegExp;
  readonly notDeeds?: ReadonlySet<string>;
}

/** The verb that follows, if a deed. */
export function verbAfter(clause: string, near: Near): readonly Family[] | undefined {
  const match = near.after.exec(clause);
  if (!match) return undefined;
  const rest = wordsOf(clause.slice(match.index + match[0].length)).slice(0, near.gapMax + 1);
  for (const word of rest) {
    const lower = word.toLowerCase();
    const families = near.known.get(lower);
    if (families) return families;
    if (near.notDeeds?.has(lower)) return undefined;
    if (near.form?.test(lower)) return ["any"];
    if (near.gap && !near.gap.has(lower)) return undefined;
  }
  return undefined;
}

export function list(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ""));
}
