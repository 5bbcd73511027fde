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

/**
 * The messages of sessions in use, kept so that a long conversation is not read and parsed
 * anew for every message; those not used for longest go first. An entry counts only while the file is as long as it was when
 * the entry was made; whoever changes a file otherwise is believed.
 */
export class RecentTranscripts {
  readonly #transcripts: TranscriptStore;
  readonly #entries = new Map<string, Entry>();
  /** Of all files that are kept. */
  #bytes = 0;

  constructor(transcripts: TranscriptStore) {
    this.#transcripts = transcripts;
  }

  async messages(tenant: string, sessionId: string): Promise<RecentMessages> {
    const key = `${tenant}/${sessionId}`;
    const size = await this.#transcripts.size(tenant, sessionId);
    const known = this.#entries.get(key);
    if (known?.size === size) {
      this.#keep(key, known);
      return known;
    }
    const { lines } = await this.#transcripts.load(tenant, sessionId);
    const messages = lines.map(toMessage);
    const entry = { size, messages, runs: lines.map(({ run }) => run) };
    this.#keep(key, entry);
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
        messages: [...known.messages, ...messages],
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

export function toMessage(line: TranscriptLine): Message {
  const { id, ts, role, origin, blocks, meta } = line;
  return { id, ts, role, origin, blocks, ...(meta ? { meta } : {}) };
}
