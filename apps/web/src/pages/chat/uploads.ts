import { storeBlob } from "../../gateway/store-blob.ts";
import { bytesText } from "../../parts/format.ts";
import { Store } from "../../state/store.ts";
import { randomName } from "./own-name.ts";

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

/** Files that are being attached to a message: stored by the gateway before the message is sent. */
export class Uploads {
  readonly all = new Store<readonly Upload[]>([]);
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  get busy(): boolean {
    return this.all.value.some(({ state }) => state === "uploading");
  }

  get ready(): readonly { name: string; mime: string; blobId: string }[] {
    return this.all.value.flatMap(({ state, name, mime, blobId }) =>
      state === "ready" && blobId !== undefined ? [{ name, mime, blobId }] : [],
    );
  }

  /** Those that were attached before the page was loaded anew. */
  restore(files: readonly { readonly name: string; readonly mime: string; readonly blobId: string }[]): void {
    this.clear();
    this.all.set(files.map((file) => ({ ...file, id: randomName(""), bytes: 0, state: "ready" })));
  }

  clear(): void {
    for (const { preview } of this.all.value) if (preview !== undefined) URL.revokeObjectURL(preview);
    this.all.set([]);
  }

  remove(id: string): void {
    const gone = this.all.value.find((each) => each.id === id);
    if (gone?.preview !== undefined) URL.revokeObjectURL(gone.preview);
    this.all.update((all) => all.filter((each) => each.id !== id));
  }

  async add(file: File, bytesMax: number): Promise<void> {
    if (this.all.value.length >= UPLOADS_MAX) return;
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
    this.all.update((all) => [...all, upload]);
    if (file.size > bytesMax) {
      this.#change(id, { state: "failed", problem: `larger than ${bytesText(bytesMax)}; not attached` });
      return;
    }
    const stored = await storeBlob(this.#token, file, mime);
    this.#change(id, "blobId" in stored ? { state: "ready", ...stored } : { state: "failed", ...stored });
  }

  #change(id: string, change: Partial<Upload>): void {
    this.all.update((all) => all.map((each) => (each.id === id ? { ...each, ...change } : each)));
  }
}
