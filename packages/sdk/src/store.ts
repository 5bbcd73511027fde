/** A value that tells whoever looks at it when it changes. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }

  /** The listener hears of changes from now on, until what is returned is called. */
  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** As much of a store as it takes to hear that it changed. */
export interface Watched {
  subscribe(listener: () => void): () => void;
}
