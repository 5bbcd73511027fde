import { storeBlob } from "../../gateway/store-blob.ts";
import { bytesText } from "../../parts/format.ts";
import { Store } from "@elwood/sdk/store";
import type { Drafts } from "./drafts.ts";
import type { Draft } from "@elwood/sdk/view-state/outbox";
import { randomName } from "@elwood/sdk/view-state/own-name";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";

export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  readonly state: "uploading" | "ready" | "failed";
  /** Known once it is stored. */
  readonly blobId?: string;
  readonly problem?: string;
  /** For a picture: an address that only this page can use. */
  readonly preview?: string;
}

export const UPLOADS_MAX = 16;

/**
 * Files that are being attached to a message: stored by the gateway before the message is
 * sent. They belong to a session, and come to its draft wherever the owner is by then.
 */
export class Uploads {
  /** Rises with every change. */
  readonly changed = new Store(0);
  readonly #token: string;
  readonly #drafts: Pick<Drafts, "of" | "set">;
  readonly #bySession = new Map<string, readonly Upload[]>();

  constructor(token: string, drafts: Pick<Drafts, "of" | "set">) {
    this.#token = token;
    this.#drafts = drafts;
  }

  of(sessionKey: string): readonly Upload[] {
    return this.#bySession.get(sessionKey) ?? [];
  }

  isBusy(sessionKey: string): boolean {
    return this.of(sessionKey).some(({ state }) => state === "uploading");
  }

  ready(sessionKey: string): Draft["files"] {
    return this.of(sessionKey).flatMap(({ state, name, mime, blobId }) =>
      state === "ready" && blobId !== undefined ? [{ name, mime, blobId }] : [],
    );
  }

  /** Those of the session's draft; what is still on its way to it stays. */
  restore(sessionKey: string): void {
    const [stored, rest] = [[] as Upload[], [] as Upload[]];
    for (const each of this.of(sessionKey)) (each.state === "ready" ? stored : rest).push(each);
    const restored = this.#drafts.of(sessionKey).files.map((file): Upload => {
      const at = stored.findIndex(({ blobId, name }) => blobId === file.blobId && name === file.name);
      const known = at < 0 ? undefined : stored.splice(at, 1)[0];
      return known ?? { ...file, id: randomName(""), bytes: 0, state: "ready" };
    });
    forget(stored);
    this.#set(sessionKey, [...restored, ...rest]);
  }

  /** The session got its real name. */
  rename(own: string, sessionKey: string): void {
    const moved = this.of(own);
    this.#bySession.delete(own);
    this.#set(sessionKey, moved);
  }

  /** They went with a message. */
  clear(sessionKey: string): void {
    forget(this.of(sessionKey));
    this.#set(sessionKey, []);
  }

  remove(sessionKey: string, id: string): void {
    const all = this.of(sessionKey);
    forget(all.filter((each) => each.id === id));
    this.#set(
      sessionKey,
      all.filter((each) => each.id !== id),
    );
    this.#keep(sessionKey);
  }

  async add(sessionKey: string, file: File, bytesMax: number): Promise<void> {
    const id = randomName("");
    const mime = file.type === "" ? "application/octet-stream" : file.type;
    const isPicture = /^image\/(png|jpeg|gif|webp)$/.test(mime);
    const upload: Upload = {
      id,
      mime,
      name: file.name === "" ? "pasted" : file.name,
      bytes: file.size,
      state: "uploading",
      ...(isPicture ? { preview: URL.createObjectURL(file) } : {}),
    };
    this.#set(sessionKey, [...this.of(sessionKey), upload]);
    if (file.size > bytesMax) {
      this.#change(id, { state: "failed", problem: fill(say.largerThanNotAttached, bytesText(bytesMax)) });
      return;
    }
    const stored = await storeBlob(this.#token, file, mime);
    this.#change(id, "blobId" in stored ? { state: "ready", ...stored } : { state: "failed", ...stored });
  }

  #change(id: string, change: Partial<Upload>): void {
    for (const [sessionKey, all] of this.#bySession) {
      if (!all.some((each) => each.id === id)) continue;
      this.#set(
        sessionKey,
        all.map((each) => (each.id === id ? { ...each, ...change } : each)),
      );
      this.#keep(sessionKey);
    }
  }

  #keep(sessionKey: string): void {
    const { text } = this.#drafts.of(sessionKey);
    this.#drafts.set(sessionKey, { text, files: this.ready(sessionKey) });
  }

  #set(sessionKey: string, all: readonly Upload[]): void {
    this.#bySession.set(sessionKey, all);
    this.changed.update((n) => n + 1);
  }
}

function forget(uploads: readonly Upload[]): void {
  for (const { preview } of uploads) if (preview !== undefined) URL.revokeObjectURL(preview);
}
