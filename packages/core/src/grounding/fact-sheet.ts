/** Facts by their names, as training reads them. */
export type FactRecord = Readonly<Record<string, number>>;

const ROOM = 256;

/**
 * The facts about a sentence as numbers in a row, filled again for each sentence of a reply: an
 * object with as many properties takes longer to make than most facts take to find. They are put in
 * the same order each time; sheets with the same list of names share it, and the first one fills it.
 */
export class FactSheet {
  readonly values = new Float64Array(ROOM);
  readonly #names: string[];
  #size = 0;

  constructor(names: string[]) {
    this.#names = names;
  }

  /** In the order of `values`. */
  get names(): readonly string[] {
    return this.#names;
  }

  get size(): number {
    return this.#size;
  }

  put(name: string, value: number): void {
    if (this.#size === this.#names.length) this.#names.push(name);
    this.values[this.#size++] = value;
  }

  /** What was put from this place on is put again. */
  backTo(size: number): void {
    this.#size = size;
  }

  /** 0 where there is no such fact. */
  factNamed(name: string): number {
    const at = this.#names.indexOf(name);
    return at < 0 ? 0 : this.values[at]!;
  }

  toRecord(): FactRecord {
    return Object.fromEntries(this.#names.map((name, at) => [name, this.values[at]!]));
  }
}
