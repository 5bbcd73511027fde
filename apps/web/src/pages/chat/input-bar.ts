import { html, nothing, type PropertyDeclarations } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { isComposing } from "../../app/commands.ts";
import { countText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import type { Watched } from "../../state/store.ts";
import type { ChatDesk } from "./chat-desk.ts";
import { askedText } from "./asked-text.ts";
import { modelButton, policyLink, uploadRows } from "./composer-rows.ts";
import { takeDrops } from "./file-drops.ts";
import { UPLOADS_MAX } from "./uploads.ts";

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
  #sessionKey = "";
  #text = "";

  protected override watches(): readonly Watched[] {
    const { open, changed, problem, drafts, models, uploads } = this.desk;
    return [
      open,
      changed,
      problem,
      models.changed,
      drafts.changed,
      uploads.changed,
      this.app.link.hello,
      this.app.status,
    ];
  }

  protected override entered(): readonly (() => void)[] {
    const { desk } = this;
    return [
      this.app.link.onReady(() => this.#lookAtChoice()),
      desk.drafts.changed.subscribe(() => this.#restore()),
      desk.open.subscribe(() => this.#restore()),
      takeDrops(this.closest<HTMLElement>(".chat") ?? this, {
        over: (isOver) => (this.dragging = isOver),
        dropped: (files) => this.#attach(files),
      }),
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
    const { sessionKey } = this.desk.open.value;
    const { uploads } = this.desk;
    const hasSome = this.#text.trim() !== "" || uploads.ready(sessionKey).length > 0;
    const canSend = hasSome && !uploads.isBusy(sessionKey);
    return html`<form class="composer" @submit=${this.#submit}>
      ${problem === undefined ? nothing : html`<p class="line bad" role="alert">${problem}</p>`}
      ${this.#queued()}
      <div class="composer-box" ?data-dragging=${this.dragging}>
        ${uploadRows(uploads.of(sessionKey), (id) => this.#detach(id))}
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
          <span class="composer-facts">${this.#facts()}</span>
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

  #queued(): unknown {
    if (this.desk.open.value.queued.value.length === 0) return nothing;
    void import("./queued-list.ts");
    return html`<elwood-queued-list
      .app=${this.app}
      .desk=${this.desk}
      .onDone=${() => this.focus()}
    ></elwood-queued-list>`;
  }

  #facts(): unknown {
    const { models, open } = this.desk;
    const { sessionKey } = open.value;
    const chosen = models.of(sessionKey);
    const model = chosen ?? models.usual(open.value);
    const mode = this.app.status.value?.policyMode;
    const refused = models.refusal(sessionKey) !== undefined;
    return html`${model === undefined ? nothing : modelButton(model, { chosen: chosen !== undefined, refused }, this.#choose)}
    ${mode === undefined ? nothing : policyLink(mode)}`;
  }

  /** What was chosen may not be connected any more. */
  #lookAtChoice(): void {
    const { models, open } = this.desk;
    if (models.of(open.value.sessionKey) !== undefined) void models.look();
  }

  readonly #choose = (button: HTMLElement): void => {
    void import("./model-menu.ts").then(({ openModelMenu }) => openModelMenu(this.desk, button));
  };

  /** Shows the draft of the open session. */
  #restore(): void {
    const { sessionKey } = this.desk.open.value;
    const draft = this.desk.drafts.of(sessionKey);
    this.#sessionKey = sessionKey;
    this.#text = draft.text;
    this.#lookAtChoice();
    this.desk.uploads.restore(sessionKey);
    this.requestUpdate();
  }

  #keep(): void {
    const { drafts, uploads, open } = this.desk;
    const { sessionKey } = open.value;
    drafts.set(sessionKey, { text: this.#text, files: uploads.ready(sessionKey) });
  }

  readonly #typed = (event: Event): void => {
    if (event.target instanceof HTMLTextAreaElement) this.#text = event.target.value;
    this.#keep();
    this.requestUpdate();
  };

  readonly #pressed = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.querySelector("form")?.requestSubmit();
    } else if (event.key === "ArrowUp" && !event.altKey && this.#text === "") this.#recall(event);
    else if (event.key === "Escape" && this.desk.open.value.unfinished) this.#stop();
    else if (event.key === "Escape") this.#leave();
  };

  /** Keys mean commands again. */
  #leave(): void {
    this.closest(".chat")?.querySelector<HTMLElement>(".log")?.focus({ preventScroll: true });
  }

  /** The last message of the owner's comes back into the empty box; one that still waits is taken out of the row. */
  #recall(event: Event): void {
    const { queued, turns, sessionKey } = this.desk.open.value;
    const waits = queued.value.at(-1);
    if (waits && this.desk.outbox.takeBack(waits)) {
      event.preventDefault();
      this.desk.drafts.giveBack(sessionKey, waits);
      this.app.announce("The last message that waits is back in the box.");
      return;
    }
    const said = turns.value.map((turn) => turn.draft?.text ?? askedText(turn));
    const last = said.findLast((text) => text !== "");
    if (last === undefined) return;
    event.preventDefault();
    this.#text = last;
    this.#keep();
    this.requestUpdate();
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault();
    const text = this.#text;
    const { uploads, open } = this.desk;
    const { sessionKey } = open.value;
    const files = uploads.ready(sessionKey);
    if (uploads.isBusy(sessionKey) || (text.trim() === "" && files.length === 0)) return;
    const charsMax = this.app.link.hello.value?.limits["messageCharsMax"] ?? Infinity;
    const refusal =
      text.length > charsMax ? tooLong(text.length - charsMax) : this.desk.send({ text, files });
    this.desk.problem.set(refusal);
    if (refusal === undefined) {
      this.#text = "";
      uploads.clear(open.value.sessionKey);
      this.#keep();
      const { length } = open.value.queued.value;
      if (length > 0) this.app.announce(`Queued: ${countText(length, "message waits", "messages wait")}.`);
      this.dispatchEvent(new CustomEvent("sent", { bubbles: true }));
    }
    this.requestUpdate();
    this.focus();
  };

  readonly #stop = (): void => {
    this.desk.stop();
    this.focus();
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
    const { uploads, open, problem } = this.desk;
    const { sessionKey } = open.value;
    const all = [...files];
    const taken = all.slice(0, Math.max(0, UPLOADS_MAX - uploads.of(sessionKey).length));
    const bytesMax = this.app.link.hello.value?.limits["blobBytesMax"] ?? Infinity;
    for (const file of taken) void uploads.add(sessionKey, file, bytesMax);
    const left = all.length - taken.length;
    problem.set(left === 0 ? undefined : tooMany(left));
  }

  #detach(id: string): void {
    this.desk.uploads.remove(this.desk.open.value.sessionKey, id);
    this.focus();
  }
}

function tooMany(left: number): string {
  return `${UPLOADS_MAX} files go with a message at most: ${countText(left, "file was", "files were")} not attached. Send the rest with the next message.`;
}

function tooLong(over: number): string {
  return `The message is ${over.toLocaleString()} characters too long. Nothing was sent; shorten it or send it in parts.`;
}

customElements.define("elwood-input-bar", InputBar);
