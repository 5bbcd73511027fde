import { folded, saysOf } from "./note-subject.ts";
import { hasSameMeanings, isInOwnWords, isSmallWord, plainWords, SPACELESS } from "./own-words.ts";

/** Characters that are compared with all lines together, and sentences before each that may name whom it is about. */
const COMPARED_CHARS_MAX = 1_000_000;
const BEFORE_MAX = 20;
const TAIL_CHARS = 4;

/**
 * The sentences that an owner typed. A message of two megabytes has tens of thousands of them, so that only those are
 * compared with a line that hold its last word, as far as a glance tells. Where that is still too much, a line counts as
 * not said.
 */
export class SaidSentences {
  #messages: readonly (readonly Sentence[])[];
  readonly #typed: readonly (readonly Sentence[])[];
  readonly #named = new Map<string, boolean>();
  #charsLeft = COMPARED_CHARS_MAX;

  /** Message by message, the sentences of each in their order. */
  constructor(messages: readonly (readonly string[])[]) {
    this.#typed = messages.map((sentences) => sentences.map((text) => new Sentence(text)));
    this.#messages = this.#typed;
  }

  /** With this sentence before all others, in place of an earlier one. */
  withFirst(sentence: string): this {
    this.#messages = [[new Sentence(sentence)], ...this.#typed];
    return this;
  }

  /** Some line may have been said where nobody has looked. */
  get isTooMuch(): boolean {
    return this.#charsLeft < 0;
  }

  /** Whether one of them says the line, of what `title` names where there is one. */
  says(line: string, title: string | undefined): boolean {
    const mayHold = wordsSought(line);
    return this.#messages.some((sentences) =>
      sentences.some((sentence, at) => mayHold(sentence) && this.#says(line, title, sentences, at)),
    );
  }

  #says(line: string, title: string | undefined, sentences: readonly Sentence[], at: number): boolean {
    const before = title === undefined ? 0 : BEFORE_MAX;
    const upToHere = sentences.slice(Math.max(0, at - before), at + 1).map(({ text }) => text);
    this.#charsLeft -= upToHere.reduce((sum, { length }) => sum + length, 0);
    if (this.isTooMuch) return false;
    if (title === undefined) return isInOwnWords(line, upToHere[0]!);
    return saysOf(title, line, { sentences: upToHere, isNamed: (name) => this.#isNamed(name) });
  }

  /** What nobody has looked through may name it: then a line counts only where it is said of it. */
  #isNamed(name: string): boolean {
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    const mayHold = holding(folded(name));
    const isNamed = this.#messages.some((sentences) =>
      sentences.some((sentence) => {
        if (!mayHold(sentence)) return false;
        this.#charsLeft -= sentence.text.length;
        return this.isTooMuch || sentence.names(name);
      }),
    );
    this.#named.set(name, isNamed);
    return isNamed;
  }
}

class Sentence {
  readonly text: string;
  #glance: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** In small letters and without marks, to be searched for a part of a word. */
  get glance(): string {
    return (this.#glance ??= folded(this.text.normalize("NFKC").toLowerCase()));
  }

  names(name: string): boolean {
    if (SPACELESS.test(name)) return this.text.includes(name);
    return plainWords(this.text).some((word) => folded(word) === folded(name));
  }
}

/** Tells at a glance which sentences may say a line: they hold the last of its words for which no other stands. */
function wordsSought(line: string): (sentence: Sentence) => boolean {
  if (SPACELESS.test(line)) {
    const [letters = ""] = line.normalize("NFKC").match(/[\p{L}\p{N}]+(?=[^\p{L}\p{N}]*$)/u) ?? [];
    return ({ glance }) => glance.includes(folded(letters.toLowerCase().slice(-1)));
  }
  const words = plainWords(line).filter((word) => !isSmallWord(word));
  const sought = words.slice(1).findLast((word) => !hasSameMeanings(word));
  if (sought !== undefined) return holding(folded(sought));
  // "Martin and Peter sing" says of each that he “sings”.
  const [only = ""] = words;
  const beginning =
    hasSameMeanings(only) || words.length > 1 ? "" : folded(only).slice(0, -VERB_ENDING_CHARS);
  return ({ glance }) => glance.includes(beginning);
}

const VERB_ENDING_CHARS = 2;

/** By how the word ends: what is elided before it, or put into it, is not looked at. */
function holding(word: string): (sentence: Sentence) => boolean {
  const tail = word.slice(-TAIL_CHARS);
  return ({ glance }) => glance.includes(tail);
}
