import { html, nothing, type PropertyDeclarations } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { RequestError } from "../../gateway/link.ts";
import { bytesText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";

const INLINE = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export interface ShownBlob {
  readonly blobId: string;
  readonly mime: string;
  readonly name?: string;
  readonly bytes?: number;
}

/**
 * A stored picture, shown, or a stored file to fetch. Its address is a ticket that lasts for
 * minutes: a picture gets one when it is drawn, a file when it is asked for.
 */
export class BlobMedia extends AppElement {
  static override properties: PropertyDeclarations = {
    blob: { attribute: false },
    url: { state: true },
    failed: { state: true },
  };
  declare blob: ShownBlob;
  declare url: string | undefined;
  declare failed: string | undefined;

  protected override entered(): readonly (() => void)[] {
    if (!INLINE.has(this.blob.mime)) return [];
    return [this.app.link.onReady(() => void this.#load())];
  }

  protected override render(): unknown {
    const { name, mime, bytes } = this.blob;
    const title = name ?? (INLINE.has(mime) ? "Picture" : "File");
    if (this.failed !== undefined) return html`<p class="line warn">${title}: ${this.failed}</p>`;
    if (INLINE.has(mime))
      return html`<figure class="picture" aria-busy=${this.url === undefined}>
        ${
          this.url === undefined
            ? nothing
            : html`<img src=${this.url} alt=${title} loading="lazy" @error=${() => void this.#expired()} />`
        }
        <figcaption class="hint">${title}</figcaption>
      </figure>`;
    const size = bytes === undefined ? "" : ` · ${bytesText(bytes)}`;
    return html`<button type="button" class="file-chip" @click=${() => void this.#fetch()}>
      ${icon("file", 16)}<span>${title}</span><span class="hint">${mime}${size}</span>${icon("download", 16)}
    </button>`;
  }

  async #load(): Promise<void> {
    if (this.url !== undefined) return;
    this.url = await this.#ticket();
  }

  async #expired(): Promise<void> {
    this.failed = "could not be shown. It may be damaged, or was deleted.";
  }

  async #fetch(): Promise<void> {
    const url = await this.#ticket();
    if (url === undefined) return;
    const link = document.createElement("a");
    link.href = url;
    link.download = this.blob.name ?? "";
    link.click();
  }

  async #ticket(): Promise<string | undefined> {
    try {
      return (await this.app.link.request("blobs.ticket", { blobId: this.blob.blobId })).url;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.reason !== "LOST") this.failed = error.message;
      return undefined;
    }
  }
}

customElements.define("elwood-blob", BlobMedia);
