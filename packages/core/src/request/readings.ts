import { readClauses, type ReadMessage } from "./clauses.ts";

/** So many messages are kept as they were read: those of the runs that are under way. */
export const READINGS_MAX = 64;

/** Messages as they were read, each once: what was typed for a run is asked about with every call of it. */
export class Readings {
  readonly #read = new Map<string, ReadMessage>();

  of(message: string): ReadMessage {
    const known = this.#read.get(message);
    if (known) return known;
    const read = readClauses(message);
    const [oldest] = this.#read.keys();
    if (this.#read.size >= READINGS_MAX && oldest !== undefined) this.#read.delete(oldest);
    this.#read.set(message, read);
    return read;
  }

  get size(): number {
    return this.#read.size;
  }

  /** Called after an erasure. */
  clear(): void {
    this.#read.clear();
  }
}
