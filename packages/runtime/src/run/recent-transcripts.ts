import { LIMITS } from "@elwood/core/base/limits";
import type { Message, TranscriptLine } from "@elwood/core/message/message";
import type { TranscriptStore } from "../ports/ports.ts";

interface Entry {
  size: number;
  readonly messages: Message[];
}

/**
 * The messages of sessions in use, kept so that a long conversation is not read and parsed
 * anew for every message. An entry counts only while the file is as long as it was when
 * the entry was made; whoever changes a file otherwise is believed.
 */
export class RecentTranscripts {
  readonly #transcripts: TranscriptStore;
  readonly #entries = new Map<string, Entry>();

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
    if (known.size !== before || after > LIMITS.recentTranscriptBytesMax) {
      this.#entries.delete(key);
      return;
    }
    this.#entries.set(key, { size: after, messages: [...known.messages, ...messages] });
  }

  /** The file was changed without becoming longer or shorter. */
  forget(tenant: string, sessionId: string): void {
    this.#entries.delete(`${tenant}/${sessionId}`);
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    if (entry.size > LIMITS.recentTranscriptBytesMax) return;
    this.#entries.set(key, entry);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > LIMITS.recentTranscriptsMax && !oldest.done) this.#entries.delete(oldest.value);
  }
}

export function toMessage(line: TranscriptLine): Message {
  const { id, ts, role, origin, blocks, meta } = line;
  return { id, ts, role, origin, blocks, ...(meta ? { meta } : {}) };
}
