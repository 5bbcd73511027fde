const SIZE_MIN = 256;

/** Pieces in the order they came, each once. A Set of numbers this large takes several times as long. */
export class PieceSet {
  #values = new Uint32Array(SIZE_MIN / 2);
  /** Where in `#values` a piece is, plus one; 0 where none is. Open addressing, at most half full. */
  #places = new Uint16Array(SIZE_MIN);
  size = 0;

  add(piece: number): this {
    if (this.size * 2 >= this.#places.length) this.#grow();
    const at = this.#find(piece);
    if (this.#places[at] === 0) {
      this.#values[this.size] = piece;
      this.size += 1;
      this.#places[at] = this.size;
    }
    return this;
  }

  values(): Uint32Array {
    return this.#values.slice(0, this.size);
  }

  #find(piece: number): number {
    const mask = this.#places.length - 1;
    let at = piece & mask;
    while (this.#places[at] !== 0 && this.#values[this.#places[at]! - 1] !== piece) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const values = this.#values;
    this.#values = new Uint32Array(values.length * 2);
    this.#values.set(values);
    this.#places = new Uint16Array(this.#values.length * 2);
    for (let index = 0; index < this.size; index += 1) this.#places[this.#find(values[index]!)] = index + 1;
  }
}
