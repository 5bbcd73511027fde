/** A vector of length 1, so that a product of two is their cosine. One of zeros stays: it is like nothing. */
export function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return length === 0 ? vector : vector.map((value) => value / length);
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}

export function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** A copy: what SQLite hands out need not lie on a bound of four bytes. */
export function fromBytes(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}

/** The `k` largest, largest first; of equals the lower id goes first. */
export class Best {
  readonly #k: number;
  readonly #items: { id: number; score: number }[] = [];

  constructor(k: number) {
    this.#k = k;
  }

  offer(id: number, score: number): void {
    const items = this.#items;
    if (items.length === this.#k && !ahead({ id, score }, items.at(-1)!)) return;
    let at = items.length;
    while (at > 0 && ahead({ id, score }, items[at - 1]!)) at--;
    items.splice(at, 0, { id, score });
    if (items.length > this.#k) items.pop();
  }

  list(): readonly { readonly id: number; readonly score: number }[] {
    return this.#items;
  }
}

function ahead(a: { id: number; score: number }, b: { id: number; score: number }): boolean {
  return a.score > b.score || (a.score === b.score && a.id < b.id);
}
