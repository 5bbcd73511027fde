import { html, nothing, type PropertyDeclarations, render } from "lit";
import { AppElement } from "../app/app-element.ts";
import { RequestError } from "@elwood/sdk/client";
import { spokenText } from "./markdown/spoken-text.ts";
import { icon } from "./icon.ts";
import { previewKind, type PreviewKind } from "./preview/kind.ts";
import { say } from "../words/en/parts.ts";
import { failureText } from "../words/gateway.ts";

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** A stored picture or file: pictures are shown, everything else is a download. The address is good for a short while only. */
export class BlobView extends AppElement {
  static override properties: PropertyDeclarations = {
    blobId: { attribute: false },
    mime: { attribute: false },
    name: { attribute: false },
    url: { state: true },
    problem: { state: true },
  };
  declare blobId: string;
  declare mime: string;
  declare name: string;
  declare url: string | undefined;
  declare problem: string | undefined;
  #asked: string | undefined;
  /** Its address did not do once already. */
  #failed = false;

  constructor() {
    super();
    this.name = "";
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#show())];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.#asked !== undefined && this.#asked !== this.blobId) void this.#show();
  }

  protected override render(): unknown {
    const name = this.name === "" ? say.picture : spokenText(this.name);
    if (this.problem !== undefined) return html`<p class="hint">${name}: ${this.problem}</p>`;
    if (!IMAGES.has(this.mime)) {
      const kind = previewKind(this.name, this.mime);
      return html`<button
        type="button"
        class="blob-file"
        aria-haspopup=${kind ? "dialog" : nothing}
        @click=${() => void (kind ? this.#preview(kind, name) : this.#download())}
      >
        ${icon("file", 18)}<span>${this.name === "" ? say.file : name}</span>
        <span class="hint">${this.mime}</span>${icon(kind ? "eye" : "download", 16)}
      </button>`;
    }
    if (this.url === undefined) return nothing;
    return html`<button
      type="button"
      class="blob-image"
      title=${say.showItLarge}
      aria-haspopup="dialog"
      @click=${() => void this.#large(name)}
    >
      <img src=${this.url} alt=${name} loading="lazy" @error=${() => void this.#again()} />
    </button>`;
  }

  /** The address in the conversation may have run out meanwhile. */
  async #large(name: string): Promise<void> {
    const url = await this.#ticket();
    if (url === undefined) return;
    // Something else may have taken the focus meanwhile.
    const closed = () => this.querySelector("button")?.focus();
    showLarge(url, name, () => void this.#download(), closed);
  }

  async #preview(kind: PreviewKind, name: string): Promise<void> {
    const address = await this.#ticket();
    if (address === undefined) return;
    const { showPreview } = await import("./preview/preview.ts");
    await showPreview({ name, kind, address, download: () => void this.#download() });
  }

  async #show(): Promise<void> {
    this.#asked = this.blobId;
    this.#failed = false;
    if (IMAGES.has(this.mime)) this.url = (await this.#ticket()) ?? this.url;
  }

  /** A picture further up is fetched when it is scrolled to; by then its address may have run out. */
  async #again(): Promise<void> {
    if (this.#failed) return;
    this.#failed = true;
    this.url = (await this.#ticket()) ?? this.url;
  }

  async #download(): Promise<void> {
    const url = await this.#ticket();
    if (url === undefined) return;
    const link = document.createElement("a");
    link.href = url;
    link.download = this.name;
    link.click();
  }

  async #ticket(): Promise<string | undefined> {
    try {
      const { url } = await this.app.link.call("blobs.ticket", { blobId: this.blobId });
      this.problem = undefined;
      return url;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (!error.lost) this.problem = failureText(error.failure);
      return undefined;
    }
  }
}

/** A picture as large as the window allows, with its name. Escape, the button or a press beside it closes it; the focus returns. */
function showLarge(url: string, name: string, download: () => void, closed: () => void): void {
  if (document.querySelector("dialog.large")) return;
  const dialog = document.createElement("dialog");
  dialog.className = "large";
  dialog.setAttribute("aria-label", name);
  render(
    html`<img src=${url} alt=${name} />
      <div class="large-bar">
        <span>${name}</span>
        <button type="button" @click=${download}>${icon("download", 16)}${say.download}</button>
        <button type="button" autofocus @click=${() => dialog.close()}>
          ${icon("close", 16)}${say.close}
        </button>
      </div>`,
    dialog,
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    closed();
  });
  dialog.addEventListener("click", (event) => {
    // The second press of the two that opened it is none beside it.
    if (event.target === dialog && event.detail < 2) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}

customElements.define("elwood-blob-view", BlobView);
