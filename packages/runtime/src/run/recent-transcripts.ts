import { LIMITS } from "@elwood/core/base/limits";
import type { Message, TranscriptLine } from "@elwood/core/message/message";
import type { TranscriptStore } from "../ports/ports.ts";

/** What was said, and in which run: the two lists are as long as each other. */
export interface RecentMessages {
  readonly messages: readonly Message[];
  readonly runs: readonly string[];
}

interface Entry extends RecentMessages {
  readonly size: number;
}

/** Sessions whose last use is remembered, also of those that are not kept. */
const SESSIONS_NOTED_MAX = 1_000;
/** One that is kept goes for another only where it was not used for so many times as long. */
const IDLE_TIMES = 2;

/**
 * The messages of sessions in use, kept so that a long conversation is not read and parsed
 * anew for every message; those not used for longest go first, unless the one that comes was itself not used for about
 * as long: of more sessions than there is room for that are used by turns, some stay, instead of each making way for
 * the next. An entry counts only while the file is as long as it was when
 * the entry was made; whoever changes a file otherwise is believed.
 */
export class RecentTranscripts {
  readonly #transcripts: TranscriptStore;
  readonly #entries = new Map<string, Entry>();
  /** Of all files that are kept. */
  #bytes = 0;
  /** When each session was used last, in uses of any. */
  readonly #used = new Map<string, number>();
  #uses = 0;

  constructor(transcripts: TranscriptStore) {
    this.#transcripts = transcripts;
  }

  async messages(tenant: string, sessionId: string): Promise<RecentMessages> {
    const key = `${tenant}/${sessionId}`;
    const size = await this.#transcripts.size(tenant, sessionId);
    const idle = this.#use(key);
    const known = this.#entries.get(key);
    if (known?.size === size) {
      this.#keep(key, known);
      return known;
    }
    this.#drop(key);
    const { lines } = await this.#transcripts.load(tenant, sessionId);
    const entry = { size, messages: lines.map(forLater), runs: runsOf(lines) };
    if (this.#makesRoom(size, idle)) this.#keep(key, entry);
    return entry;
  }

  /** The file grew from `before` to `after` bytes by these messages of a run. */
  appended(
    tenant: string,
    sessionId: string,
    before: number,
    { runId, messages }: { readonly runId: string; readonly messages: readonly Message[] },
    after: number,
  ): void {
    const key = `${tenant}/${sessionId}`;
    const known = this.#entries.get(key);
    if (!known) return;
    if (known.size !== before) this.#drop(key);
    else
      this.#keep(key, {
        size: after,
        messages: [...known.messages, ...messages.map(forLater)],
        runs: [...known.runs, ...messages.map(() => runId)],
      });
  }

  /** The file was changed without becoming longer or shorter. */
  forget(tenant: string, sessionId: string): void {
    this.#drop(`${tenant}/${sessionId}`);
  }

  /** Nobody is talking: only what was used last stays, for whoever goes on where they were. */
  rest(): void {
    this.#shrink(LIMITS.restingTranscriptsBytesMax);
  }

  /** Answers for how many uses of any session this one was not used; 0 where that is not known. */
  #use(key: string): number {
    this.#uses += 1;
    const idle = this.#uses - (this.#used.get(key) ?? this.#uses);
    this.#used.delete(key);
    this.#used.set(key, this.#uses);
    const [longestAgo] = this.#used.keys();
    if (this.#used.size > SESSIONS_NOTED_MAX && longestAgo !== undefined) this.#used.delete(longestAgo);
    return idle;
  }

  /** Whether so much fits once those are gone that were not used for much longer than it. */
  #makesRoom(bytes: number, idle: number): boolean {
    if (bytes > LIMITS.recentTranscriptsBytesMax) return false;
    let left = this.#bytes;
    const going: string[] = [];
    for (const [key, { size }] of this.#entries) {
      if (left + bytes <= LIMITS.recentTranscriptsBytesMax) break;
      if (this.#uses - (this.#used.get(key) ?? 0) < idle * IDLE_TIMES) return false;
      left -= size;
      going.push(key);
    }
    for (const key of going) this.#drop(key);
    return true;
  }

  #keep(key: string, entry: Entry): void {
    this.#drop(key);
    if (entry.size > LIMITS.recentTranscriptsBytesMax) return;
    this.#entries.set(key, entry);
    this.#bytes += entry.size;
    this.#shrink(LIMITS.recentTranscriptsBytesMax);
  }

  #shrink(bytesMax: number): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= bytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

/** Without what only people look at, who are shown the file: a third of what a conversation takes in memory. */
function forLater({ id, ts, role, origin, blocks, meta }: Message): Message {
  if (!meta) return { id, ts, role, origin, blocks };
  const { surface: _s, stopReason: _r, asked: _a, evidence: _e, log: _l, ...later } = meta;
  const message = { id, ts, role, origin, blocks };
  return Object.keys(later).length > 0 ? { ...message, meta: later } : message;
}

/** Each run's id once, however many lines it stands in. */
function runsOf(lines: readonly TranscriptLine[]): string[] {
  let last = "";
  return lines.map(({ run }) => (last = run === last ? last : run));
}

export function toMessage(line: TranscriptLine): Message {
  const { id, ts, role, origin, blocks, meta } = line;
  return { id, ts, role, origin, blocks, ...(meta ? { meta } : {}) };
}
