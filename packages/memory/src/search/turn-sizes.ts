/** Of how many words each of these turns is; those that are not there are left out. */
export type ReadSizes = (ids: readonly number[]) => readonly (readonly [id: number, words: number])[];

/** Turns whose ids lie so close together are kept in one piece, and so many pieces of a kilobyte. */
const PIECE = 512;
const PIECES_MAX = 2_048;
/** A longer turn is not kept. */
const WORDS_MAX = 2 ** 16 - 1;

/**
 * Of how many words turns are, by which BM25 weighs what stands in them. Read of those alone that are scored, which are
 * few of the thousands that hold a word, and kept.
 */
export class TurnSizes {
  readonly #read: ReadSizes;
  /** By id divided by `PIECE`; 0 where it is not known. */
  readonly #pieces = new Map<number, Uint16Array>();
  #last: { readonly at: number; readonly piece: Uint16Array } | undefined;

  constructor(read: ReadSizes) {
    this.#read = read;
  }

  /** `of` knows all of these afterwards; false where one of them is not there, or too long. */
  take(ids: Iterable<number>): boolean {
    if (this.#pieces.size > PIECES_MAX) this.clear();
    const missing: number[] = [];
    for (const id of ids) if (this.of(id) === 0) missing.push(id);
    if (missing.length === 0) return true;
    for (const [id, words] of this.#read(missing)) this.add(id, words);
    return missing.every((id) => this.of(id) > 0);
  }

  /** 0 where it is not known. */
  of(id: number): number {
    return this.#pieceOf(id)?.[id % PIECE] ?? 0;
  }

  add(id: number, words: number): void {
    if (words > WORDS_MAX) return;
    const at = Math.floor(id / PIECE);
    let piece = this.#pieces.get(at);
    if (!piece) {
      piece = new Uint16Array(PIECE);
      this.#pieces.set(at, piece);
    }
    piece[id % PIECE] = words;
  }

  clear(): void {
    this.#pieces.clear();
    this.#last = undefined;
  }

  /** Those who ask go through them in their order. */
  #pieceOf(id: number): Uint16Array | undefined {
    const at = Math.floor(id / PIECE);
    if (this.#last?.at === at) return this.#last.piece;
    const piece = this.#pieces.get(at);
    if (piece) this.#last = { at, piece };
    return piece;
  }
}
