import { read, write } from "../../gateway/tab-storage.ts";
import type { DraftArchive } from "./draft-archive.ts";
import { isOwnName } from "@elwood/sdk/view-state/own-name";
import { Store } from "@elwood/sdk/store";
import type { Draft } from "@elwood/sdk/view-state/outbox";

const NOTHING: Draft = { text: "", files: [] };

/** What was typed and not sent, by session. Kept across reloads; it leaves only when the outbox has it. */
export class Drafts {
  /** Rises when a draft was changed by anything but typing. */
  readonly changed = new Store(0);
  readonly #archive: Pick<DraftArchive, "all" | "put">;
  /** Drafts of tabs that are closed. */
  #older = new Map<string, Draft>();
  /** Drafts that this tab has changed: what it says of them is the last word, be there room to keep it or not. */
  readonly #touched = new Map<string, Draft>();

  /** Something could not be kept for the first time. */
  readonly #full: () => void;
  #isFull = false;

  constructor(archive: Pick<DraftArchive, "all" | "put">, full: () => void = () => {}) {
    this.#archive = archive;
    this.#full = full;
    void this.#read();
  }

  of(sessionKey: string): Draft {
    const touched = this.#touched.get(sessionKey);
    if (touched) return touched;
    const kept = read(nameOf(sessionKey));
    // Only this class writes there.
    return kept === undefined ? (this.#older.get(sessionKey) ?? NOTHING) : (JSON.parse(kept) as Draft);
  }

  set(sessionKey: string, { text, files }: Draft): void {
    const isEmpty = text === "" && files.length === 0;
    const kept = write(nameOf(sessionKey), isEmpty ? undefined : JSON.stringify({ text, files }));
    if (!kept && !this.#isFull) this.#full();
    this.#isFull ||= !kept;
    this.#older.delete(sessionKey);
    this.#touched.set(sessionKey, { text, files });
    // What has no session yet belongs to this tab alone.
    if (!isOwnName(sessionKey)) void this.#archive.put(sessionKey, isEmpty ? undefined : { text, files });
  }

  async #read(): Promise<void> {
    const kept = await this.#archive.all();
    this.#older = new Map([...kept].filter(([sessionKey]) => !this.#touched.has(sessionKey)));
    if (this.#older.size > 0) this.changed.update((n) => n + 1);
  }

  /** The session got its real name; the draft follows it. */
  rename(own: string, sessionKey: string): void {
    const draft = this.of(own);
    this.set(own, NOTHING);
    this.set(sessionKey, draft);
  }

  /** Puts back what could not be sent, before whatever was typed in that session since. */
  giveBack(sessionKey: string, { text, files }: Draft): void {
    const since = this.of(sessionKey);
    const whole = since.text === "" ? text : `${text}\n\n${since.text}`;
    this.set(sessionKey, { text: whole, files: [...files, ...since.files] });
    this.changed.update((n) => n + 1);
  }

  /** Puts something into the box that was not typed there. */
  put(sessionKey: string, draft: Draft): void {
    this.set(sessionKey, draft);
    this.changed.update((n) => n + 1);
  }
}

function nameOf(sessionKey: string): string {
  return `draft.${sessionKey}`;
}
