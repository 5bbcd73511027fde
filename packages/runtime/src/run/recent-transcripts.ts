import { LIMITS } from "@elwood/core/base/limits";
import type { Message, TranscriptLine } from "@elwood/core/message/message";
import type { TranscriptStore } from "../ports/ports.ts";

interface Entry {
  readonly size: number;
  readonly messages: readonly Message[];
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

  async messages(tenant: string, sessionId: string): Promise<readonly Message[]> {
    const key = `${tenant}/${sessionId}`;
    const size = await this.#transcripts.size(tenant, sessionId);
    const known = this.#entries.get(key);
    if (known?.size === size) {
      this.#keep(key, known);
      return known.messages;
    }
    const { lines } = await this.#transcripts.load(tenant, sessionId);
    const messages = lines.map(toMessage);
    this.#keep(key, { size, messages });
    return messages;
  }

  /** The file grew from `before` to `after` bytes by these messages. */
  appended(
    tenant: string,
    sessionId: string,
    before: number,
    messages: readonly Message[],
    after: number,
  ): void {
    const key = `${tenant}/${sessionId}`;
    const known = this.#entries.get(key);
    if (!known) return;
    if (known.size !== before) this.#drop(key);
    else this.#keep(key, { size: after, messages: [...known.messages, ...messages] });
  }

  /** The file was changed without becoming longer or shorter. */
  forget(tenant: string, sessionId: string): void {
    this.#drop(`${tenant}/${sessionId}`);
  }

  #keep(key: string, entry: Entry): void {
    this.#drop(key);
    if (entry.size > LIMITS.recentTranscriptsBytesMax) return;
    this.#entries.set(key, entry);
    this.#bytes += entry.size;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= LIMITS.recentTranscriptsBytesMax) return;
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
