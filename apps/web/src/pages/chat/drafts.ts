import { read, write } from "../../gateway/tab-storage.ts";
import { Store } from "../../state/store.ts";
import type { Draft } from "./turn.ts";

const NOTHING: Draft = { text: "", files: [] };

/** What was typed and not sent, by session. Kept across reloads; it leaves only when the outbox has it. */
export class Drafts {
  /** Rises when a draft was changed by anything but typing. */
  readonly changed = new Store(0);

  of(sessionKey: string): Draft {
    const kept = read(nameOf(sessionKey));
    // Only this class writes there.
    return kept === undefined ? NOTHING : (JSON.parse(kept) as Draft);
  }

  set(sessionKey: string, draft: Draft): void {
    const isEmpty = draft.text === "" && draft.files.length === 0;
    write(nameOf(sessionKey), isEmpty ? undefined : JSON.stringify({ text: draft.text, files: draft.files }));
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
