import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { isComposing } from "../../app/commands.ts";
import { countText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import type { Watched } from "@elwood/sdk/store";
import type { ChatState } from "./chat-state.ts";
import { askedText } from "./asked-text.ts";
import { takeDrops } from "./file-drops.ts";
import { modelButton, policyLink, uploadRows } from "./composer-rows.ts";
import type { CardChoice } from "./respond.ts";
import { UPLOADS_MAX } from "./uploads.ts";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";

/** Enter that was meant for a message does not answer a question that came while it was written. */
const MISFIRE_MS = 600;

/**
 * The message box. What is typed is never lost: it is kept per session, and leaves only when
 * the outbox has it. While something waits for the owner, the button beside it says what
 * Enter does: a question is answered, and a card is left alone or denied.
 */
export class InputBar extends AppElement {
  static override properties: PropertyDeclarations = {
    chat: { attribute: false },
    dragging: { state: true },
    choice: { state: true },
    note: { state: true },
  };
  declare chat: ChatState;
  declare dragging: boolean;
  /** What Enter does while a card waits. */
  declare choice: CardChoice;
  /** What Elwood says about the last Enter. */
  declare note: string;
  #sessionKey = "";
  #text = "";
  #waitsFor: string | undefined;
  #armedAt = 0;
  #busy = false;

  constructor() {
    super();
    this.choice = "after";
    this.note = "";
  }

  protected override watches(): readonly Watched[] {
    const { open, changed, problem, drafts, models, uploads } = this.chat;
    return [
      open,
      changed,
      problem,
      models.changed,
      drafts.changed,
      uploads.changed,
      this.app.link.hello,
      this.app.status,
      this.app.waiting.all,
    ];
  }

  protected override entered(): readonly (() => void)[] {
    const { chat } = this;
    return [
      this.app.link.onReady(() => this.#lookAtChoice()),
      chat.drafts.changed.subscribe(() => this.#restore()),
      chat.open.subscribe(() => this.#restore()),
      takeDrops(this.closest<HTMLElement>(".chat") ?? this, {
        over: (isOver) => (this.dragging = isOver),
        dropped: (files) => this.#attach(files),
      }),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    const { sessionKey } = this.chat.open.value;
    if (this.#sessionKey === "") this.#restore();
    // The session got its real name: the draft followed it.
    this.#sessionKey = sessionKey;
    this.#lookAtWaiting();
  }

  override focus(): void {
    this.#box?.focus({ preventScroll: true });
  }

  /** What a message would answer: a question of this session before a card, the oldest first. With files it is a message in any case. */
  get #waits(): WireApproval | undefined {
    const { sessionKey } = this.chat.open.value;
    if (!this.app.link.may("approve") || this.chat.uploads.of(sessionKey).length > 0) return undefined;
    const here = this.app.waiting.holding.filter((each) => each.sessionKey === sessionKey);
    return here.find(({ kind }) => kind === "question") ?? here[0];
  }

  #lookAtWaiting(): void {
    const id = this.#waits?.approvalId;
    if (id === this.#waitsFor) return;
    if (id !== undefined) void import("./respond.ts");
    if (id !== undefined && this.#text !== "") this.#armedAt = performance.now() + MISFIRE_MS;
    this.#waitsFor = id;
    this.choice = "after";
    this.note = "";
  }

  protected override render(): unknown {
    const turn = this.chat.open.value.unfinished;
    const problem = this.chat.problem.value;
    const { sessionKey } = this.chat.open.value;
    const { uploads } = this.chat;
    const hasSome = this.#text.trim() !== "" || uploads.ready(sessionKey).length > 0;
    const canSend = hasSome && !uploads.isBusy(sessionKey);
    const waits = this.#waits;
    return html`<form class="composer" @submit=${this.#submit}>
      ${problem === undefined ? nothing : html`<p class="line bad" role="alert">${problem}</p>`}
      ${this.note === "" ? nothing : html`<p class="line warn" role="alert">${this.note}</p>`}
      ${this.#queued()}
      <div class="composer-box" ?data-dragging=${this.dragging}>
        ${uploadRows(uploads.of(sessionKey), (id) => this.#detach(id))}
        <label class="unseen" for="message">${say.message}</label>
        <textarea
          id="message"
          rows="1"
          placeholder=${placeholderFor(waits)}
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
            aria-label=${say.attachFiles}
            title=${say.attachFiles}
            @click=${() => this.querySelector<HTMLInputElement>("#attach")?.click()}
          >
            ${icon("attach")}
          </button>
          <span class="composer-facts">${this.#facts()}</span>
          ${
            turn
              ? html`<button id="stop" type="button" ?disabled=${turn.stopAsked} @click=${this.#stop}>
                  ${icon("stop", 16)}${turn.stopAsked ? say.stopping : say.stop}
                </button>`
              : nothing
          }
          ${this.#send(canSend, waits)}
        </div>
      </div>
      <p id="composer-hint" class="hint composer-hint">${hintFor(waits, this.choice)}</p>
    </form>`;
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector("textarea");
  }

  /** The button says what Enter does. */
  #send(canSend: boolean, waits: WireApproval | undefined): TemplateResult {
    const usual = this.chat.open.value.unfinished ? say.queue : say.send;
    const words = waits ? (waits.kind === "question" ? say.answer : CARD_WORDS[this.choice]) : usual;
    return html`<span class="send-buttons">
      <button id="send" class=${waits ? nothing : "primary"} type="submit" ?disabled=${!canSend}>
        ${words}
      </button>
      ${
        waits?.kind === "approval"
          ? html`<button
              type="button"
              class="send-how"
              aria-label=${say.chooseWhatEnterDoes}
              title=${say.chooseWhatEnterDoes}
              aria-haspopup="menu"
              @click=${this.#chooseForCard}
            >
              ${icon("down", 14)}
            </button>`
          : nothing
      }
    </span>`;
  }

  readonly #chooseForCard = (event: Event): void => {
    const button = event.currentTarget;
    if (!(button instanceof HTMLElement)) return;
    void import("./respond.ts").then(({ openCardChoice }) =>
      openCardChoice(button, this.choice, (choice) => {
        this.choice = choice;
        this.focus();
      }),
    );
  };

  /** Hands the words to what waits, unless they turn out to be a message like any other. */
  async #respond(waits: WireApproval, text: string): Promise<void> {
    if (this.#busy) return;
    if (performance.now() < this.#armedAt) {
      this.note = say.somethingCameUpForYouWhile;
      return;
    }
    this.#busy = true;
    const { respond, focusCard } = await import("./respond.ts");
    try {
      const { sessionKey } = this.chat.open.value;
      const response = await respond(this.app, waits, text.trim(), this.choice);
      if (this.chat.open.value.sessionKey !== sessionKey) return;
      if (response.kind === "message") this.#sendMessage(text);
      else if (response.kind === "kept") this.note = response.why;
      else {
        if (this.#text === text) this.#clear();
        this.note = response.kind === "refused" ? response.why : "";
        if (response.kind === "refused") focusCard(this.app, waits, this.closest(".chat") ?? document);
        else this.app.announce(response.words);
      }
    } finally {
      this.#busy = false;
    }
  }

  #clear(): void {
    this.#text = "";
    this.#keep();
    this.requestUpdate();
  }

  #queued(): unknown {
    if (this.chat.open.value.queued.value.length === 0) return nothing;
    return html`<elwood-queued-list
      .app=${this.app}
      .chat=${this.chat}
      .onDone=${() => this.focus()}
    ></elwood-queued-list>`;
  }

  #facts(): unknown {
    const { models, open } = this.chat;
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
    const { models, open } = this.chat;
    if (models.of(open.value.sessionKey) !== undefined) void models.look();
  }

  readonly #choose = (button: HTMLElement): void => {
    void import("./model-menu.ts").then(({ openModelMenu }) => openModelMenu(this.chat, button));
  };

  /** Shows the draft of the open session. */
  #restore(): void {
    const { sessionKey } = this.chat.open.value;
    const draft = this.chat.drafts.of(sessionKey);
    this.#sessionKey = sessionKey;
    this.#text = draft.text;
    this.#lookAtChoice();
    this.chat.uploads.restore(sessionKey);
    this.requestUpdate();
  }

  #keep(): void {
    const { drafts, uploads, open } = this.chat;
    const { sessionKey } = open.value;
    drafts.set(sessionKey, { text: this.#text, files: uploads.ready(sessionKey) });
  }

  readonly #typed = (event: Event): void => {
    if (event.target instanceof HTMLTextAreaElement) this.#text = event.target.value;
    this.note = "";
    this.#keep();
    this.requestUpdate();
  };

  readonly #pressed = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.querySelector("form")?.requestSubmit();
    } else if (event.key === "ArrowUp" && !event.altKey && this.#text === "") this.#recall(event);
    else if (event.key === "Escape" && this.chat.open.value.unfinished) this.#stop();
    else if (event.key === "Escape") this.#leave();
  };

  /** Keys mean commands again. */
  #leave(): void {
    this.closest(".chat")?.querySelector<HTMLElement>(".log")?.focus({ preventScroll: true });
  }

  /** The last message of the owner's comes back into the empty box; one that still waits is taken out of the row. */
  #recall(event: Event): void {
    const { queued, turns, sessionKey } = this.chat.open.value;
    const waits = queued.value.at(-1);
    if (waits && this.chat.outbox.takeBack(waits)) {
      event.preventDefault();
      this.chat.drafts.giveBack(sessionKey, waits);
      this.app.announce(say.theLastMessageThatWaitsIs);
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
    const waits = this.#waits;
    if (waits && text.trim() !== "") void this.#respond(waits, text);
    else this.#sendMessage(text);
  };

  #sendMessage(text: string): void {
    const { uploads, open } = this.chat;
    const { sessionKey } = open.value;
    const files = uploads.ready(sessionKey);
    if (uploads.isBusy(sessionKey) || (text.trim() === "" && files.length === 0)) return;
    const charsMax = this.app.link.hello.value?.limits["messageCharsMax"] ?? Infinity;
    const refusal =
      text.length > charsMax ? tooLong(text.length - charsMax) : this.chat.send({ text, files });
    this.chat.problem.set(refusal);
    if (refusal === undefined) {
      this.#text = "";
      this.note = "";
      uploads.clear(open.value.sessionKey);
      this.#keep();
      const { length } = open.value.queued.value;
      if (length > 0)
        this.app.announce(fill(say.queued, countText(length, say.messageWaits, say.messagesWait)));
      this.dispatchEvent(new CustomEvent("sent", { bubbles: true }));
    }
    this.requestUpdate();
    this.focus();
  }

  readonly #stop = (): void => {
    this.chat.stop();
    this.focus();
  };

  /** Lines from elsewhere are quoted: what they ask for is not what the owner typed. */
  readonly #pasted = (event: ClipboardEvent): void => {
    const { clipboardData: data, target: box } = event;
    if (!data) return;
    const text = data.getData("text/plain").trimEnd();
    const charsMax = this.app.link.hello.value?.limits["messageCharsMax"] ?? Infinity;
    if (data.files.length > 0) this.#attach(data.files);
    else if (text.length + this.#text.length > charsMax) {
      this.#attach([new File([text], say.pastedFile, { type: "text/plain" })]);
      this.note = say.thatIsTooLongForAMessage;
    } else if (text.includes("\n") && box instanceof HTMLTextAreaElement)
      void import("./paste-quoted.ts").then(({ pasteQuoted }) => (this.note = pasteQuoted(box, text)));
    else return;
    event.preventDefault();
  };

  readonly #chosen = (event: Event): void => {
    if (!(event.target instanceof HTMLInputElement)) return;
    this.#attach(event.target.files ?? []);
    event.target.value = "";
    this.focus();
  };

  #attach(files: Iterable<File>): void {
    const { uploads, open, problem } = this.chat;
    const { sessionKey } = open.value;
    const all = [...files];
    const taken = all.slice(0, Math.max(0, UPLOADS_MAX - uploads.of(sessionKey).length));
    const bytesMax = this.app.link.hello.value?.limits["blobBytesMax"] ?? Infinity;
    for (const file of taken) void uploads.add(sessionKey, file, bytesMax);
    const left = all.length - taken.length;
    problem.set(left === 0 ? undefined : tooMany(left));
  }

  #detach(id: string): void {
    this.chat.uploads.remove(this.chat.open.value.sessionKey, id);
    this.focus();
  }
}

const CARD_WORDS: Readonly<Record<CardChoice, string>> = {
  get after() {
    return say.sendAfterThis;
  },
  get deny() {
    return say.denyAndTell;
  },
};

function placeholderFor(waits: WireApproval | undefined): string {
  if (waits?.kind !== "question") return say.messageElwood;
  return waits.options ? say.chooseAboveOrTypeSomethingElse : say.typeYourAnswer;
}

function hintFor(waits: WireApproval | undefined, choice: CardChoice): string {
  if (!waits) return say.enterSendsShiftEnterStartsA;
  if (waits.kind === "question") return say.enterAnswersTheQuestionAbove;
  const what = choice === "deny" ? say.deniesTheCardAboveAndTells : say.sendsThisAfterTheCardAbove;
  return fill(say.enterTypingCannotApprove, what);
}

function tooMany(left: number): string {
  return fill(say.filesGoWithAMessageAt, UPLOADS_MAX, countText(left, say.fileWas, say.filesWere));
}

function tooLong(over: number): string {
  return fill(say.theMessageIsCharactersTooLong, over.toLocaleString());
}

customElements.define("elwood-input-bar", InputBar);
