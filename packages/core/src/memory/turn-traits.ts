import {
  hasNumber,
  hasPlace,
  hasTimeWords,
  isAboutListener,
  isQuestion,
  isReaction,
  namesMentioned,
} from "./answer-shape.ts";

/**
 * What a turn's text shows by itself, whatever is asked. Each is looked for when it is first wanted and kept:
 * a turn that is kept from search to search is read once.
 */
export class TurnTraits {
  readonly #text: string;
  #length: number | undefined;
  #question: boolean | undefined;
  #reaction: boolean | undefined;
  #aboutListener: boolean | undefined;
  #names: number | undefined;
  #timeWords: boolean | undefined;
  #number: boolean | undefined;
  #place: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The logarithm of how many words it has. */
  get length(): number {
    return (this.#length ??= Math.log(1 + wordCount(this.#text)));
  }

  get question(): boolean {
    return (this.#question ??= isQuestion(this.#text));
  }

  get reaction(): boolean {
    return (this.#reaction ??= isReaction(this.#text));
  }

  get aboutListener(): boolean {
    return (this.#aboutListener ??= isAboutListener(this.#text));
  }

  get names(): number {
    return (this.#names ??= namesMentioned(this.#text));
  }

  get timeWords(): boolean {
    return (this.#timeWords ??= hasTimeWords(this.#text));
  }

  get number(): boolean {
    return (this.#number ??= hasNumber(this.#text));
  }

  get place(): boolean {
    return (this.#place ??= hasPlace(this.#text));
  }
}

/** By spaces alone, as it is done for every candidate; scripts without them count as one word for two characters. */
function wordCount(text: string): number {
  let spaces = 0;
  let wide = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 10) spaces += 1;
    else if (code >= 0x0e00) wide += 1;
  }
  return spaces + 1 + wide / 2;
}
