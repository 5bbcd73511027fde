import type { RecalledItem } from "../memory/recalled.ts";
import type { Message } from "../message/message.ts";
import { containsAny, type SearchTerms } from "./search-terms.ts";
import { blobsIn, isForgotten, tombstone, withoutCalls, withoutSummaries } from "./tombstone.ts";

/** What is to be erased, computed before anything is removed, so that erasing can resume after a crash. */
export interface EraseTarget {
  readonly kind: "note" | "line" | "turn" | "session" | "word";
  /** What is looked for: the word itself, or stretches of what was said. */
  readonly needles: SearchTerms;
  /** Messages that lose their words, by their ids. */
  readonly messages: readonly string[];
  /** Calls that lose what they were asked with and what they answered. */
  readonly calls: readonly string[];
  /** Runs of which nothing is left behind receipts. */
  readonly runs: readonly string[];
  /** Sessions that go whole. */
  readonly sessions: readonly string[];
  readonly notes: readonly NoteTarget[];
  /** Where in memory it stood, as `source` or `source#line`: what was recalled from there goes too. */
  readonly places: readonly string[];
  /** Where messages stand that lose their words, as `run/i`: what was made searchable of them goes too. */
  readonly said: readonly string[];
  /** Messages whose summaries go, by their ids. */
  readonly summaries: readonly string[];
  /** Files that may go, should nothing else name them. */
  readonly blobs: readonly string[];
  /** Of these, files that hold the word themselves: every message that names one goes. */
  readonly wordBlobs: readonly string[];
  /** Own backups of the database go where they hold it. */
  readonly backups: boolean;
  /** The run in which the assistant was told to forget it: how much went is told there. */
  readonly askedIn?: string;
}

export interface NoteTarget {
  /** Path below the state directory. */
  readonly source: string;
  /** As they read; absent where the whole note goes. */
  readonly lines?: readonly string[];
}

/** A target in the form used for checks. */
export interface EraseScope {
  /** Everything that holds the word goes, whoever wrote it. */
  readonly everything: boolean;
  /** Of a text or of JSON. */
  readonly matches: (raw: string) => boolean;
  readonly messages: ReadonlySet<string>;
  readonly calls: ReadonlySet<string>;
  readonly wordBlobs: ReadonlySet<string>;
  readonly recalls: (item: RecalledItem) => boolean;
}

export function scopeOf(target: EraseTarget): EraseScope {
  const places = new Set(target.places);
  return {
    everything: target.kind === "word",
    matches: containsAny(target.needles),
    messages: new Set(target.messages),
    calls: new Set(target.calls),
    wordBlobs: new Set(target.wordBlobs),
    recalls: ({ source, line }) => places.has(source) || places.has(`${source}#${line}`),
  };
}

/**
 * What is left of a message. The same object where it is not touched.
 *
 * What others than Elwood wrote goes only where it was named, or holds the word. What Elwood
 * copied from it goes with it: what was recalled, and summaries.
 */
export function remainderOf<M extends Message>(message: M, raw: string, scope: EraseScope): M {
  if (isForgotten(message)) return message;
  if (scope.messages.has(message.id)) return tombstone(message);
  if (scope.everything && scope.matches(raw)) return withoutWord(message, scope);
  if (scope.wordBlobs.size > 0 && blobsIn(message).some((id) => scope.wordBlobs.has(id)))
    return tombstone(message);
  if (message.origin === "recalled" && (message.meta?.recalled?.some(scope.recalls) || scope.matches(raw)))
    return tombstone(message);
  const left = withoutCalls(message, scope.calls);
  const sumsUp = left.blocks.some((block) => block.type === "compaction" && block.summary !== "");
  return sumsUp && scope.matches(raw) ? withoutSummaries(left) : left;
}

/** Of several calls those go that hold the word; where something else of the message holds it, all of it does. */
function withoutWord<M extends Message>(message: M, scope: EraseScope): M {
  const calls = message.blocks.flatMap((block) =>
    "callId" in block && scope.matches(JSON.stringify(block)) ? [block.callId] : [],
  );
  const left = withoutCalls(message, new Set([...scope.calls, ...calls]));
  return scope.matches(JSON.stringify(left)) ? tombstone(message) : left;
}

/** Goes through a conversation in order: a summary that covers a forgotten message goes too. */
export class SummaryWatch {
  readonly #order = new Map<string, number>();
  /** Places of forgotten messages, rising. */
  readonly #forgotten: number[] = [];

  /** Hands in what is left of the next message; answers it without a summary that must go. */
  pass<M extends Message>(message: M): M {
    const at = this.#order.size;
    this.#order.set(message.id, at);
    if (isForgotten(message)) this.#forgotten.push(at);
    const covers = message.blocks.some(
      (block) => block.type === "compaction" && block.summary !== "" && this.#covers(block.from, block.to),
    );
    return covers ? withoutSummaries(message) : message;
  }

  #covers(from: string, to: string): boolean {
    const first = this.#order.get(from) ?? 0;
    const last = this.#order.get(to) ?? Number.MAX_SAFE_INTEGER;
    return this.#forgotten.some((at) => at >= first && at <= last);
  }
}
