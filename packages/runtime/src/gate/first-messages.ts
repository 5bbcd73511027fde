import { LIMITS } from "@elwood/core/base/limits";
import { textOf, type Message } from "@elwood/core/message/message";
import type { Opening } from "../ports/ports.ts";

/** The message that began a run: what the owner typed, and whether it contains untrusted input. */
export interface FirstMessage {
  readonly typed: readonly string[];
  readonly untrusted: boolean;
  /** The text recalled from memory for it. */
  readonly recalled: readonly string[];
  /** Earlier versions of it with the same words. */
  readonly again: readonly string[];
}

const NONE: readonly string[] = [];
/** Nothing was typed for a run that is not stored, or no longer. */
export const NOTHING_TYPED: FirstMessage = { typed: NONE, untrusted: false, recalled: NONE, again: NONE };

/** What an entry takes, and each of its texts, beside the characters. */
const ENTRY_BYTES = 200;
const TEXT_BYTES = 72;

/**
 * First messages of runs by tenant and run, kept as long as they fit; of more, those that were asked for longest ago go. A run's
 * never changes once nothing can be recalled for it any more.
 */
export class FirstMessages {
  readonly #kept = new Map<string, FirstMessage>();
  #bytes = 0;

  get(runId: string): FirstMessage | undefined {
    const known = this.#kept.get(runId);
    if (!known) return undefined;
    this.#kept.delete(runId);
    this.#kept.set(runId, known);
    return known;
  }

  set(runId: string, message: FirstMessage): void {
    this.#drop(runId);
    const bytes = bytesOf(message);
    // One that is very long would drive out hundreds that are not.
    if (bytes > LIMITS.firstMessageBytesMax) return;
    this.#kept.set(runId, message);
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= LIMITS.firstMessagesBytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(runId: string): void {
    const known = this.#kept.get(runId);
    if (!known) return;
    this.#kept.delete(runId);
    this.#bytes -= bytesOf(known);
  }
}

export function firstMessageOf({ message, recalled }: Opening): FirstMessage {
  const typed = ownerTextIn(message);
  return {
    // A list that was added to has room for more, which would stay with thousands of them.
    typed: typed.length === 0 ? NONE : [...typed],
    untrusted: hasUntrustedBlocks(message),
    recalled: recalled ? [textOf(recalled)] : NONE,
    again: message.meta?.again ?? NONE,
  };
}

export function hasUntrustedBlocks({ role, origin, blocks }: Message): boolean {
  return (
    role === "user" && blocks.some((block) => block.type !== "text" || (block.origin ?? origin) !== "owner")
  );
}

/** Only what the owner typed; attachments are data. */
function ownerTextIn({ role, origin, blocks }: Message): string[] {
  if (role !== "user" || origin !== "owner") return [];
  return blocks.flatMap((block) =>
    block.type === "text" && (block.origin ?? origin) === "owner" ? [block.text] : [],
  );
}

function bytesOf({ typed, recalled, again }: FirstMessage): number {
  let bytes = ENTRY_BYTES;
  for (const texts of [typed, recalled, again])
    for (const text of texts) bytes += TEXT_BYTES + text.length * (BEYOND_LATIN_1.test(text) ? 2 : 1);
  return bytes;
}

const BEYOND_LATIN_1 = /[^\u0000-\u00ff]/;
