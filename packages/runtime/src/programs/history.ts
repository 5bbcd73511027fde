import { canonicalJson } from "@elwood/core/base/canonical-json";
import type { CallResult } from "@elwood/core/tool/program";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import type { ProgramStep } from "./journal.ts";
import type { ProgramRequest } from "./ports.ts";

/** The program asked for something else than it did before. */
export class Diverged extends Error {
  constructor(what: string) {
    super(
      `The program did not take the same way again: ${what} It was stopped; nothing further of it was done.`,
    );
    this.name = "Diverged";
  }
}

/**
 * What is known of a program's earlier execution, and how far the present one has come in
 * it. Answers are given again in the order in which they were given then; nothing new is
 * begun before all of them are.
 */
export class History {
  readonly #known: ReadonlyMap<number, ProgramStep>;
  readonly #answers: ProgramStep[];
  readonly #asked = new Set<number>();
  #given = 0;

  constructor(steps: readonly ProgramStep[]) {
    this.#known = new Map(steps.map((step) => [step.index, step]));
    this.#answers = steps
      .filter((step) => step.settled !== undefined)
      .sort((a, b) => a.settled!.order - b.settled!.order);
  }

  /** All answers of the earlier execution have been given again. */
  get over(): boolean {
    return this.#given === this.#answers.length;
  }

  /** How many answers there have been, so that the next one gets its number. */
  get answers(): number {
    return this.#answers.length;
  }

  /** Compares a request with what was asked for then; undefined where this one is new. */
  meet(index: number, kind: ProgramStep["kind"], requestHash: string): ProgramStep | undefined {
    this.#asked.add(index);
    const known = this.#known.get(index);
    if (known === undefined) return undefined;
    if (known.kind !== kind || known.requestHash !== requestHash)
      throw new Diverged(`its request ${index + 1} is not the one that was recorded.`);
    return known;
  }

  /** The next answer to give again, if the program has asked for it by now. */
  next(): { readonly index: number; readonly result: CallResult; readonly at: number } | undefined {
    const step = this.#answers[this.#given];
    if (step?.settled === undefined || !this.#asked.has(step.index)) return undefined;
    this.#given += 1;
    return { index: step.index, result: step.settled.result, at: step.settled.at };
  }

  /** After the end: whatever was recorded must have come again. */
  problem(): string | undefined {
    const missing = [...this.#known.keys()].find((index) => !this.#asked.has(index));
    return missing === undefined
      ? undefined
      : `it ended without its request ${missing + 1}, which was recorded.`;
  }
}

/** The seed keeps small inputs from being guessed by their hash. */
export function requestHash(sha256: Sha256, seed: string, what: ProgramRequest): string {
  return sha256(`elwood.program.request.v1\n${seed}\n${canonicalJson(what)}`);
}
