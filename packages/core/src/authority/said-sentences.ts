import { folded, saysOf } from "./note-subject.ts";
import { hasSameMeanings, isInOwnWords, isSmallWord, plainWords, SPACELESS } from "./own-words.ts";

/** Sentences that are looked at for one line, and those before each that may name whom it is about. */
const COMPARED_MAX = 50;
const BEFORE_MAX = 20;
const TAIL_CHARS = 4;

/**
 * The sentences that an owner typed. A message of two megabytes has tens of thousands of them, so that only those are
 * compared with a line that hold its last word, as far as a glance tells. What is beyond counts as not said.
 */
export class SaidSentences {
  readonly #messages: readonly (readonly Sentence[])[];

  /** Message by message, the sentences of each in their order. */
  constructor(messages: readonly (readonly string[])[]) {
    this.#messages = messages.map((sentences) => sentences.map((text) => new Sentence(text)));
  }

  /** Whether one of them says the line, of what `title` names where there is one. */
  says(line: string, title: string | undefined): boolean {
    let left = COMPARED_MAX;
    const mayHold = wordsSought(line);
    for (const sentences of this.#messages)
      for (const [at, sentence] of sentences.entries()) {
        if (!mayHold(sentence)) continue;
        if (left === 0) return false;
        left -= 1;
        if (
          title === undefined ? isInOwnWords(line, sentence.text) : this.#saysOf(title, line, sentences, at)
        )
          return true;
      }
    return false;
  }

  #saysOf(title: string, line: string, sentences: readonly Sentence[], at: number): boolean {
    const upToHere = sentences.slice(Math.max(0, at - BEFORE_MAX), at + 1).map(({ text }) => text);
    return saysOf(title, line, { sentences: upToHere, isNamed: (name) => this.#isNamed(name) });
  }

  #isNamed(name: string): boolean {
    const mayHold = holding(folded(name));
    return this.#messages.some((sentences) =>
      sentences.some((sentence) => mayHold(sentence) && sentence.names(name)),
    );
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
