import { html, nothing, type PropertyDeclarations } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { icon } from "../../parts/icon.ts";
import type { Watched } from "../../state/store.ts";
import type { ChatDesk } from "./chat-desk.ts";
import type { Entry } from "./outbox.ts";
import { queuedRows, uploadRows } from "./composer-rows.ts";
import { Uploads } from "./uploads.ts";

/**
 * The message box. What is typed is never lost: it is kept per session, and leaves only when
 * the outbox has it.
 */
export class InputBar extends AppElement {
  static override properties: PropertyDeclarations = {
    desk: { attribute: false },
    dragging: { state: true },
  };
  declare desk: ChatDesk;
  declare dragging: boolean;
  #uploads: Uploads | undefined;
  #sessionKey = "";
  #text = "";
  #restoring = false;

  protected override watches(): readonly Watched[] {
    const { open, changed, problem, drafts, policyMode } = this.desk;
    this.#uploads ??= new Uploads(this.app.link.token);
    return [
      open,
      changed,
      problem,
      policyMode,
      drafts.changed,
      this.#uploads.all,
      this.app.link.hello,
      this.app.status,
    ];
  }

  protected override entered(): readonly (() => void)[] {
    const { desk } = this;
    return [
      desk.drafts.changed.subscribe(() => this.#restore()),
      desk.open.subscribe(() => this.#restore()),
      this.#uploads!.all.subscribe(() => this.#keep()),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    const { sessionKey } = this.desk.open.value;
    if (this.#sessionKey === "") this.#restore();
    // The session got its real name: the draft followed it.
    this.#sessionKey = sessionKey;
  }

  override focus(): void {
    this.#box?.focus();
  }

  protected override render(): unknown {
    const turn = this.desk.open.value.unfinished;
    const problem = this.desk.problem.value;
    const canSend = (this.#text.trim() !== "" || this.#uploads!.ready.length > 0) && !this.#uploads!.busy;
    return html`<form
      class="composer"
      @submit=${this.#submit}
      @dragover=${this.#dragOver}
      @dragleave=${() => (this.dragging = false)}
      @drop=${this.#dropped}
    >
      ${problem === undefined ? nothing : html`<p class="line bad" role="alert">${problem}</p>`}
      ${queuedRows(this.desk.open.value.queued.value, (entry, edit) => this.#takeBack(entry, edit))}
      <div class="composer-box" ?data-dragging=${this.dragging}>
        ${uploadRows(this.#uploads!.all.value, (id) => this.#uploads?.remove(id))}
        <label class="unseen" for="message">Message</label>
        <textarea
          id="message"
          rows="1"
          placeholder="Message Elwood"
          aria-describedby="composer-hint"
          enterkeyhint="send"
          data-skip-target
          .value=${this.#text}
          @input=${this.#typed}
          @keydown=${this.#pressed}
          @paste=${this.#pasted}
        ></textarea>
        <div class="composer-row">
          <input
            id="attach"
            class="unseen"
            type="file"
            multiple
            tabindex="-1"
            aria-hidden="true"
            @change=${this.#chosen}
          />
          <button
            type="button"
            class="icon-button"
            aria-label="Attach files"
            title="Attach files"
            @click=${() => this.querySelector<HTMLInputElement>("#attach")?.click()}
          >
            ${icon("attach")}
          </button>
          <span class="composer-facts hint">${this.#facts()}</span>
          ${
            turn
              ? html`<button id="stop" type="button" ?disabled=${turn.stopAsked} @click=${this.#stop}>
                  ${icon("stop", 16)}${turn.stopAsked ? "Stopping…" : "Stop"}
                </button>`
              : nothing
          }
          <button id="send" class="primary" type="submit" ?disabled=${!canSend}>
            ${turn ? "Queue" : "Send"}
          </button>
        </div>
      </div>
      <p id="composer-hint" class="hint composer-hint">
        Enter sends · Shift+Enter starts a new line · drop or paste files to attach them
      </p>
    </form>`;
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector("textarea");
  }

  #facts(): string {
    const status = this.app.status.value;
    const model = status ? [status.demo ? "Demo model" : status.model] : [];
    const mode = this.desk.policyMode.value;
    return [...model, ...(mode === undefined ? [] : [`policy: ${mode}`])].join(" · ");
  }

  /** Shows the draft of the open session. */
  #restore(): void {
    const { sessionKey } = this.desk.open.value;
    const draft = this.desk.drafts.of(sessionKey);
    this.#sessionKey = sessionKey;
    this.#text = draft.text;
    // What is only shown is not written: another tab may know more of it.
    this.#restoring = true;
    this.#uploads?.restore(draft.files);
    this.#restoring = false;
    this.requestUpdate();
  }

  #keep(): void {
    if (this.#sessionKey === "" || this.#restoring) return;
    const files = this.#uploads?.ready ?? [];
    this.desk.drafts.set(this.desk.open.value.sessionKey, { text: this.#text, files });
  }

  readonly #typed = (event: Event): void => {
    if (event.target instanceof HTMLTextAreaElement) this.#text = event.target.value;
    this.#keep();
    this.requestUpdate();
  };

  readonly #pressed = (event: KeyboardEvent): void => {
    // Enter that ends a composed character belongs to the input method.
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.querySelector("form")?.requestSubmit();
    } else if (event.key === "ArrowUp" && this.#text === "") this.#recall(event);
    else if (event.key === "Escape" && this.desk.open.value.unfinished) this.#stop();
  };

  /** The last message of the owner's comes back into the empty box. */
  #recall(event: Event): void {
    const turn = this.desk.open.value.turns.value.at(-1);
    const last = turn?.draft?.text ?? turn?.asked.at(-1)?.content;
    if (last === undefined || last === "") return;
    event.preventDefault();
    this.#text = last;
    this.#keep();
    this.requestUpdate();
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault();
    const text = this.#text;
    const uploads = this.#uploads!;
    if (uploads.busy || (text.trim() === "" && uploads.ready.length === 0)) return;
    const charsMax = this.app.link.hello.value?.limits["messageCharsMax"] ?? Infinity;
    const refusal =
      text.length > charsMax
        ? tooLong(text.length - charsMax)
        : this.desk.send({ text, files: uploads.ready });
    this.desk.problem.set(refusal);
    if (refusal === undefined) {
      this.#text = "";
      uploads.clear();
      this.#keep();
      this.dispatchEvent(new CustomEvent("sent", { bubbles: true }));
    }
    this.requestUpdate();
    this.focus();
  };

  readonly #stop = (): void => {
    this.desk.stop();
    this.focus();
  };

  #takeBack(entry: Entry, edit: boolean): void {
    if (!this.desk.outbox.takeBack(entry)) return;
    if (edit) this.desk.drafts.giveBack(entry.sessionKey, entry);
    this.focus();
  }

  readonly #dragOver = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.dragging = true;
  };

  readonly #dropped = (event: DragEvent): void => {
    this.dragging = false;
    if (!event.dataTransfer || event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    this.#attach(event.dataTransfer.files);
  };

  readonly #pasted = (event: ClipboardEvent): void => {
    if (!event.clipboardData || event.clipboardData.files.length === 0) return;
    event.preventDefault();
    this.#attach(event.clipboardData.files);
  };

  readonly #chosen = (event: Event): void => {
    if (!(event.target instanceof HTMLInputElement)) return;
    this.#attach(event.target.files ?? []);
    event.target.value = "";
    this.focus();
  };

  #attach(files: Iterable<File>): void {
    const bytesMax = this.app.link.hello.value?.limits["blobBytesMax"] ?? Infinity;
    for (const file of files) void this.#uploads?.add(file, bytesMax);
  }
}

function tooLong(over: number): string {
  return `The message is ${over.toLocaleString()} characters too long. Nothing was sent; shorten it or send it in parts.`;
}

customElements.define("elwood-input-bar", InputBar);
