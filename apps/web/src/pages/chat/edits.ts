import { read, write } from "../../gateway/tab-storage.ts";

/**
 * Messages while they are changed to be asked again, by their runs. Kept over reloads and visits
 * to other sessions, for this tab alone: until they are sent, given up, or forgotten.
 */
export class Edits {
  /** What this tab was told is the last word, be there room to keep it or not. */
  readonly #told = new Map<string | undefined, string | undefined>();

  of(runId: string | undefined): string | undefined {
    return this.#told.has(runId) ? this.#told.get(runId) : read(`edit.${runId}`);
  }

  set(runId: string | undefined, words: string | undefined): void {
    this.#told.set(runId, words);
    write(`edit.${runId}`, words);
  }
}
