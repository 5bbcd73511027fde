import type { Message } from "@elwood/core/message/message";

/** Of all journals together. Beyond it they are read from the database. */
const CHARS_MAX = 4 * 1024 * 1024;

/**
 * Journals of runs that this process accepted and has not committed yet: each is read several times within a few
 * milliseconds of being written. They are kept as the text that was stored, so that nobody can change them. While a
 * step is being stored nothing is kept here, so that the database alone says whether it was; whoever changes what is
 * stored has it read from there again.
 */
export class RecentJournals {
  readonly #kept = new Map<string, readonly string[]>();
  /** Runs of which a part of an answer is stored beside their steps. */
  readonly #partial = new Set<string>();
  #chars = 0;

  /** These are all steps of the run, each as it was stored. */
  keep(tenant: string, runId: string, steps: readonly string[]): void {
    this.take(tenant, runId);
    const chars = charsOf(steps);
    if (this.#chars + chars > CHARS_MAX) return;
    this.#kept.set(keyOf(tenant, runId), steps);
    this.#chars += chars;
  }

  of(tenant: string, runId: string): Message[] | undefined {
    // Made of messages by `JSON.stringify`, in this process.
    return this.#kept.get(keyOf(tenant, runId))?.map((step) => JSON.parse(step) as Message);
  }

  /** A part of an answer was stored: from now on it has to be read. */
  notePartial(tenant: string, runId: string): void {
    const key = keyOf(tenant, runId);
    if (this.#kept.has(key)) this.#partial.add(key);
  }

  hasPartial(tenant: string, runId: string): boolean {
    return this.#partial.has(keyOf(tenant, runId));
  }

  /** What was kept, which no longer is. */
  take(tenant: string, runId: string): readonly string[] | undefined {
    const key = keyOf(tenant, runId);
    const steps = this.#kept.get(key);
    if (!steps) return undefined;
    this.#kept.delete(key);
    this.#partial.delete(key);
    this.#chars -= charsOf(steps);
    return steps;
  }

  clear(): void {
    this.#kept.clear();
    this.#partial.clear();
    this.#chars = 0;
  }
}

function keyOf(tenant: string, runId: string): string {
  return `${tenant}/${runId}`;
}

function charsOf(steps: readonly string[]): number {
  return steps.reduce((sum, { length }) => sum + length, 0);
}
