import { RELATED_LINES } from "@elwood/core/memory/related-lists";
import { STOP_WORDS } from "@elwood/core/memory/word-lists";

/** Made-up turns whose words are as unevenly frequent as those of a language, the same on every machine. */
export class MadeUpTurns {
  readonly #random: () => number;
  readonly #words = vocabulary();

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  turn(): string {
    return this.sentence(8 + Math.floor(this.#random() * 34));
  }

  sentence(length: number): string {
    const word = () => this.#words[Math.floor(VOCABULARY ** this.#random()) - 1]!;
    return `${Array.from({ length }, word).join(" ")}.`;
  }

  /** A question that the turn is an answer to. */
  questionAbout(text: string): string {
    const said = text.slice(0, -1).split(" ");
    const asked = Array.from(
      { length: 5 + Math.floor(this.#random() * 5) },
      () => said[Math.floor(this.#random() * said.length)],
    );
    return `When did I say that ${asked.join(" ")}?`;
  }
}

const VOCABULARY = 60_000;

/**
 * The most frequent words are those that a language has for that; among the next every third is an everyday word that
 * others may stand in the place of; the rest are made of syllables.
 */
function vocabulary(): string[] {
  const syllables = [
    "ba",
    "ke",
    "li",
    "mo",
    "nu",
    "ra",
    "se",
    "ti",
    "vo",
    "da",
    "fe",
    "gi",
    "ho",
    "ju",
    "pa",
    "zo",
  ];
  const common = [...STOP_WORDS].slice(0, 120);
  const everyday = [...new Set(RELATED_LINES.split(/[^\p{L}]+/u))];
  return Array.from({ length: VOCABULARY }, (_, rank) => {
    if (rank < common.length) return common[rank]!;
    const known = rank % 3 === 0 ? everyday[(rank - common.length) / 3] : undefined;
    if (known !== undefined) return known;
    let word = "";
    for (let rest = rank; word.length < 4 || rest > 0; rest = Math.floor(rest / 16))
      word += syllables[rest % 16]!;
    return word;
  });
}

/** The same numbers on every machine. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
