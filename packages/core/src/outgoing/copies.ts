import { privateCodes, repeatable } from "./codes.ts";
import { lettersAndDigits, readableText } from "./readable-text.ts";
import { withoutPlaces, type OwnText } from "./strangers.ts";

/** Letters and digits in a row that are a copy; blanks, marks and capitals between them do not matter. */
const COPY_CHARS_MIN = 32;
/** Shorter passages that add up are one too: a copy with words put in between. */
const PIECE_CHARS_MIN = 20;
const PIECES_CHARS_MIN = 80;
/** Windows of a private text by which passages are found; half a piece, so that one of them lies whole in each. */
const WINDOW_CHARS = 10;
const PRIVATE_CHARS_MAX = 2_000_000;

/** What only the owner should see, ready for texts to be compared with it. */
export class PrivateText {
  readonly #letters: string;
  readonly #windows = new Map<string, number[]>();
  readonly #codes: ReadonlySet<string>;

  constructor(strings: readonly string[]) {
    const whole = strings.join("\n").slice(0, PRIVATE_CHARS_MAX);
    const read = readableText(whole);
    this.#letters = lettersAndDigits(read);
    this.#codes = privateCodes(withoutPlaces(read));
    for (let at = 0; at + WINDOW_CHARS <= this.#letters.length; at += WINDOW_CHARS) {
      const window = this.#letters.slice(at, at + WINDOW_CHARS);
      const known = this.#windows.get(window);
      if (known === undefined) this.#windows.set(window, [at]);
      else if (known.length < REPEATS_MAX) known.push(at);
    }
  }

  /** Whether a readable text repeats it: a passage, many shorter ones, or a code. What the owner typed is no copy. */
  isIn(text: string, own: OwnText): boolean {
    for (const code of repeatable(withoutPlaces(text)))
      if (this.#codes.has(code) && !own.has({ what: "a number or code", value: code })) return true;
    return this.#passagesIn(lettersAndDigits(text), lettersAndDigits(own.text()));
  }

  #passagesIn(text: string, own: string): boolean {
    let total = 0;
    for (let at = 0; at + WINDOW_CHARS <= text.length; at++) {
      const found = this.#windows.get(text.slice(at, at + WINDOW_CHARS));
      if (found === undefined) continue;
      const [from, to] = this.#longest(text, at, found);
      const passage = text.slice(from, to);
      if (passage.length < PIECE_CHARS_MIN || own.includes(passage)) continue;
      if (passage.length >= COPY_CHARS_MIN) return true;
      total += passage.length;
      if (total >= PIECES_CHARS_MIN) return true;
      at = to - 1;
    }
    return false;
  }

  /** The longest common passage around a window. */
  #longest(text: string, at: number, found: readonly number[]): readonly [from: number, to: number] {
    let best: readonly [number, number] = [at, at + WINDOW_CHARS];
    for (const start of found) {
      let [before, after] = [0, WINDOW_CHARS];
      while (
        before < COPY_CHARS_MIN &&
        before < at &&
        before < start &&
        text[at - before - 1] === this.#letters[start - before - 1]
      )
        before += 1;
      while (
        after < COPY_CHARS_MIN &&
        at + after < text.length &&
        text[at + after] === this.#letters[start + after]
      )
        after += 1;
      if (before + after > best[1] - best[0]) best = [at - before, at + after];
    }
    return best;
  }
}

/** A line that stands in a text very often tells no more by its hundredth place. */
const REPEATS_MAX = 8;
