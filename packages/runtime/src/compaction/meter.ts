import type { CompactionLine } from "@elwood/core/compaction/lines";
import { Stretches } from "@elwood/core/base/stretches";
import { coveredText } from "@elwood/core/compaction/lines";
import { changesView } from "@elwood/core/compaction/shown";
import type { Message } from "@elwood/core/message/message";
import type { ToolSpec } from "@elwood/core/model/model";
import { tokensOfMessage, tokensOfText, tokensOfTool } from "@elwood/core/model/tokens";

/** The messages of a run that goes on are others once it has ended; so many of the newest are looked at one by one. */
const NEWEST_MESSAGES = 8;

/**
 * Sizes of messages, each counted once: a conversation grows at its end, and its messages
 * are the same objects from turn to turn, so that a turn costs what is new in it.
 */
export class ContextMeter {
  readonly #hash: (text: string) => string;
  readonly #tokens = new WeakMap<Message, number>();
  readonly #totals = new Stretches<Message, number>({ join: (first, second) => first + second });
  readonly #changed = new Stretches<Message, boolean>({ join: (first, second) => first || second });
  readonly #intact = new WeakMap<object, boolean>();
  #base:
    | { readonly system: string; readonly tools: readonly ToolSpec[]; readonly tokens: number }
    | undefined;

  constructor(hash: (text: string) => string) {
    this.#hash = hash;
  }

  readonly tokens = (message: Message): number => {
    const known = this.#tokens.get(message);
    if (known !== undefined) return known;
    const counted = tokensOfMessage(message);
    this.#tokens.set(message, counted);
    return counted;
  };

  total(messages: readonly Message[]): number {
    const { values, end } = this.#totals.of(
      messages,
      (at) => ({ end: at + 1, value: this.tokens(messages[at]!) }),
      messages.length - NEWEST_MESSAGES,
    );
    let total = 0;
    for (const value of values) total += value;
    for (let at = end; at < messages.length; at += 1) total += this.tokens(messages[at]!);
    return total;
  }

  /** Whether the conversation is shown as it is. */
  isShownWhole(messages: readonly Message[]): boolean {
    const { values, end } = this.#changed.of(
      messages,
      (at) => ({ end: at + 1, value: changesView(messages[at]!) }),
      messages.length - NEWEST_MESSAGES,
    );
    return !values.includes(true) && !messages.slice(end).some(changesView);
  }

  /** The same from turn to turn, but for another agent. */
  base(system: string, tools: readonly ToolSpec[]): number {
    const known = this.#base;
    if (known?.tools === tools && known.system === system) return known.tokens;
    const tokens = tools.reduce((sum, tool) => sum + tokensOfTool(tool), tokensOfText(system));
    this.#base = { system, tools, tokens };
    return tokens;
  }

  /** A line that was read anew is checked anew: whoever changed the file is believed. Older lines carry no hash. */
  readonly intact = ({ block }: CompactionLine, covered: readonly Message[]): boolean => {
    if (block.sha256 === undefined) return true;
    const known = this.#intact.get(block);
    if (known !== undefined) return known;
    const same = this.hashOf(covered) === block.sha256;
    this.#intact.set(block, same);
    return same;
  };

  hashOf(covered: readonly Message[]): string {
    return this.#hash(coveredText(covered));
  }
}
