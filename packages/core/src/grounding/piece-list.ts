const PIECES_MIN = 1_024;
const PLACES_MIN = 1_024;

/**
 * Pieces by their hashes, in groups that count each piece once. One list is filled again and
 * again: reading a sentence allocates nothing for a piece.
 */
export class PieceList {
  pieces = new Uint32Array(PIECES_MIN);
  /** Where each group begins and ends in `pieces`, and how much each of its pieces counts. */
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly weight: number[] = [];
  groups = 0;
  #size = 0;
  #start = 0;
  /** The pieces of the open group by their hashes. Open addressing, at most half full; a place counts only where it was taken for this group. */
  #places = new Uint32Array(PLACES_MIN);
  #takenFor = new Uint32Array(PLACES_MIN);
  #group = 1;
  /** Here there is no more room, for this group or for all of them. */
  #end = PLACES_MIN / 2;

  clear(): void {
    this.groups = 0;
    this.#size = 0;
    this.#open();
  }

  add(piece: number): void {
    if (this.#size === this.#end) this.#grow();
    const places = this.#places;
    const takenFor = this.#takenFor;
    const group = this.#group;
    const mask = places.length - 1;
    let at = piece & mask;
    while (takenFor[at] === group) {
      if (places[at] === piece) return;
      at = (at + 1) & mask;
    }
    takenFor[at] = group;
    places[at] = piece;
    this.pieces[this.#size] = piece;
    this.#size += 1;
  }

  /** What was added since the last close is a group, whose pieces count this much each. */
  close(weight: number): void {
    this.#note(weight);
    this.#open();
  }

  /** As `close`, but the more pieces, the less each counts. */
  closeShared(weight: number): void {
    this.markShared(weight);
    this.#open();
  }

  /** As `closeShared`, but what was added until now belongs to the next group too. */
  markShared(weight: number): void {
    this.#note(weight / Math.sqrt(Math.max(1, this.#size - this.#start)));
  }

  #note(weight: number): void {
    this.from[this.groups] = this.#start;
    this.to[this.groups] = this.#size;
    this.weight[this.groups] = weight;
    this.groups += 1;
  }

  #open(): void {
    this.#start = this.#size;
    this.#setEnd();
    this.#group = (this.#group + 1) >>> 0;
    if (this.#group === 0) {
      this.#takenFor.fill(0);
      this.#group = 1;
    }
  }

  #setEnd(): void {
    this.#end = Math.min(this.pieces.length, this.#start + this.#places.length / 2);
  }

  #grow(): void {
    if (this.#size === this.pieces.length) this.pieces = enlarged(this.pieces);
    if ((this.#size - this.#start) * 2 === this.#places.length) this.#enlargePlaces();
    this.#setEnd();
  }

  #enlargePlaces(): void {
    const length = this.#places.length * 2;
    this.#places = new Uint32Array(length);
    this.#takenFor = new Uint32Array(length);
    for (let index = this.#start; index < this.#size; index += 1) {
      const piece = this.pieces[index]!;
      let at = piece & (length - 1);
      while (this.#takenFor[at] === this.#group) at = (at + 1) & (length - 1);
      this.#takenFor[at] = this.#group;
      this.#places[at] = piece;
    }
  }
}

function enlarged(pieces: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(pieces.length * 2);
  larger.set(pieces);
  return larger;
}
