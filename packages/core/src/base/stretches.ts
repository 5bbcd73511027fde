/** A few items that follow each other, and what was worked out for them. */
interface Stretch<Item, T> {
  readonly items: readonly Item[];
  readonly value: T;
  /** Of how many pieces it was joined; undefined where nothing is remembered. */
  readonly pieces: number | undefined;
}

/** What is worked out for the items from some place to `end`. */
export interface Piece<T> {
  readonly end: number;
  readonly value: T;
  /** False: it depends on more than its items, and is worked out again each time. */
  readonly isLasting?: boolean;
}

export interface StretchOptions<Item, T> {
  /** The value of two stretches that follow each other. */
  readonly join: (first: T, second: T) => T;
  /** Whether a stretch may end before this place; anywhere unless told. */
  readonly mayEnd?: (items: readonly Item[], at: number) => boolean;
}

/** So many pieces are joined at most: where one of them is another now, no more than these are worked out again. */
const PIECES_MAX = 64;

/**
 * What was worked out for the beginnings of lists that grow at their end and are made of the same objects, such as
 * conversations: it is worked out once, for as long as the objects live. Neighbours are joined two and two, so that a
 * long list is looked up in a few steps that touch few of its objects; touching each of them for every request takes
 * longer than what is done with it.
 */
export class Stretches<Item extends object, T> {
  readonly #options: StretchOptions<Item, T>;
  /** By its first item. */
  readonly #known = new WeakMap<Item, Stretch<Item, T>>();

  constructor(options: StretchOptions<Item, T>) {
    this.#options = options;
  }

  /**
   * The values of these items up to `to`, in order, and where they end: where `piece`, which is asked for what is not
   * known yet, has none.
   */
  of(
    items: readonly Item[],
    piece: (at: number) => Piece<T> | undefined,
    to = items.length,
  ): { readonly values: readonly T[]; readonly end: number } {
    const found: Stretch<Item, T>[] = [];
    let at = 0;
    while (at < to) {
      const known = this.#knownAt(items, at, to);
      if (known) {
        found.push(known);
        at += known.items.length;
        continue;
      }
      const made = piece(at);
      if (made === undefined) break;
      const { end, value, isLasting = true } = made;
      const stretch = { items: items.slice(at, end), value, pieces: isLasting ? 1 : undefined };
      if (isLasting) this.#known.set(stretch.items[0]!, stretch);
      found.push(stretch);
      this.#joinLast(found);
      at = end;
    }
    return { values: found.map(({ value }) => value), end: at };
  }

  /** The items up to `to` of which nothing is known. */
  unknown(items: readonly Item[], to = items.length): readonly Item[] {
    const unknown: Item[] = [];
    for (let at = 0; at < items.length;) {
      const known = this.#knownAt(items, at, to);
      if (!known) unknown.push(items[at]!);
      at += known?.items.length ?? 1;
    }
    return unknown;
  }

  #knownAt(items: readonly Item[], from: number, to: number): Stretch<Item, T> | undefined {
    const known = this.#known.get(items[from]!);
    const end = from + (known?.items.length ?? 0);
    if (!known || end > to || this.#options.mayEnd?.(items, end) === false) return undefined;
    for (let at = from + 1; at < end; at += 1) if (items[at] !== known.items[at - from]) return undefined;
    return known;
  }

  #joinLast(found: Stretch<Item, T>[]): void {
    for (;;) {
      const second = found.at(-1);
      const first = found.at(-2);
      if (first?.pieces === undefined || second?.pieces === undefined) return;
      const pieces = first.pieces + second.pieces;
      if (first.pieces > second.pieces || pieces > PIECES_MAX) return;
      const items = [...first.items, ...second.items];
      const joined = { items, value: this.#options.join(first.value, second.value), pieces };
      this.#known.delete(second.items[0]!);
      this.#known.set(items[0]!, joined);
      found.splice(-2, 2, joined);
    }
  }
}
