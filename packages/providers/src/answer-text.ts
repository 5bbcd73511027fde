import { tokensOfText } from "@elwood/core/model/tokens";

/**
 * Text of an answer as it is put together: all of it, or only its beginning where whoever asked passes it on as it
 * comes. What is left out is still counted, for providers that send no counts.
 */
export class AnswerText {
  readonly #keptMax: number;
  #text = "";
  #leftOut = "";
  #tokensLeftOut = 0;

  constructor(keptMax = Number.POSITIVE_INFINITY) {
    this.#keptMax = keptMax;
  }

  add(piece: string): void {
    const room = this.#keptMax - this.#text.length;
    if (piece.length <= room) {
      this.#text += piece;
      return;
    }
    this.#text += piece.slice(0, room);
    this.#leftOut += piece.slice(room);
    if (this.#leftOut.length >= COUNTED_AT_ONCE) this.#count();
  }

  get text(): string {
    return this.#text;
  }

  get tokensLeftOut(): number {
    this.#count();
    return this.#tokensLeftOut;
  }

  #count(): void {
    this.#tokensLeftOut += tokensOfText(this.#leftOut);
    this.#leftOut = "";
  }
}

/** A piece of a few letters is rounded up to a whole token; many of them together are not. */
const COUNTED_AT_ONCE = 1_000;
