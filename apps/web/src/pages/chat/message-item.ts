import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { AppElement } from "../../app/app-element.ts";
import { countText, moneyText } from "../../parts/format.ts";
import { icon, type IconName } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { copyButton, timeAgo } from "../../parts/small.ts";
import type { Watched } from "@elwood/sdk/store";
import {
  ORIGIN_LABELS,
  withCards,
  withoutCalls,
  withThinking,
  type ReplyPart,
  type ShownCall,
} from "@elwood/sdk/view-state/reply-parts";
import { askedText, forgotten } from "./asked-text.ts";
import type { Edits } from "./edits.ts";
import { answerOf, type RunFacts, type Turn } from "@elwood/sdk/view-state/turn";
import "../../parts/markdown/markdown-renderer.ts";
import { isComposing } from "../../app/commands.ts";
import type { AppContext } from "../../app/context.ts";
import { alikeOf } from "../../parts/approval/alike.ts";
import { gatewayText } from "../../words/gateway.ts";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";
import "../../parts/evidence/evidence.ts";

/** Above this length the growing text is drawn at most ten times a second. */
const LONG_CHARS = 8_000;
const LONG_PAUSE_MS = 100;
/** So long the focus waits for the version that it goes to. */
const FRAMES_WAITED_MAX = 300;

/** What the reader may ask of a turn. */
export interface TurnActions {
  readonly edits: Edits;
  /** Asks again with these words, as another version; false where that could not be done. */
  readonly resend: (turn: Turn, text: string) => Promise<boolean>;
  /** Asks for another answer, as another version. */
  readonly retry: (turn: Turn) => Promise<unknown>;
  /** Shows the version of this run. */
  readonly version: (runId: string) => Promise<unknown>;
  /** Sends the message again, to the same model. */
  readonly again: (turn: Turn) => void;
  /** Sends it again to another model, which is chosen beside the button. */
  readonly otherModel: (turn: Turn, button: HTMLElement) => Promise<void>;
  /** Begins a branch after the turn. */
  readonly fork: (turn: Turn) => Promise<void>;
  /** Asks whether to forget one message, or all of the turn; undefined where that is not allowed. */
  readonly forget: ((turn: Turn, messageId?: string) => Promise<void>) | undefined;
}

/**
 * One message of the owner's and the answer to it. It draws itself anew when its turn
 * changes, at most once a frame, and nothing else on the page is touched.
 */
export class MessageItem extends AppElement {
  static override properties: PropertyDeclarations = {
    turn: { attribute: false },
    position: { type: Number },
    actions: { attribute: false },
  };
  declare turn: Turn;
  /** How many messages stand before it. */
  declare position: number;
  declare actions: TurnActions | undefined;
  #scheduled = false;
  #drawnAt = 0;

  constructor() {
    super();
    this.position = 0;
  }

  protected override watches(): readonly Watched[] {
    return [this.app.waiting.all];
  }

  protected override entered(): readonly (() => void)[] {
    return [this.turn.changed.subscribe(() => this.#schedule())];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    const { runId } = this.turn;
    if (runId !== undefined)
      this.turn.seeApprovals(this.app.waiting.ofRun(runId).map(({ approvalId }) => approvalId));
  }

  protected override updated(): void {
    this.#drawnAt = performance.now();
  }

  protected override render(): unknown {
    const { turn } = this;
    const asked = turn.draft ? [this.#draft()] : turn.asked.map((message, i) => this.#asked(message, i));
    return html`${asked}${turn.hasReply ? this.#reply(asked.length) : this.#lines()}`;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const draw = () => {
      this.#scheduled = false;
      this.requestUpdate();
    };
    const pause = this.turn.text.length > LONG_CHARS ? this.#drawnAt + LONG_PAUSE_MS - performance.now() : 0;
    // Nothing is painted in a tab that nobody sees; it still keeps up.
    if (pause > 16 || document.hidden) setTimeout(draw, Math.max(pause, 0));
    else requestAnimationFrame(draw);
  }

  #article(
    author: "you" | "elwood",
    index: number,
    at: number | undefined,
    inside: unknown,
    more = "",
  ): TemplateResult {
    const name = author === "you" ? say.you : "Elwood";
    return html`<article
      class="message ${author}${more}"
      aria-label=${fill(say.message3, name, this.position + index + 1)}
    >
      <p class="message-head">
        <span class="author">${name}</span>${at === undefined ? nothing : timeAgo(at)}
      </p>
      ${inside}
    </article>`;
  }

  #draft(): TemplateResult {
    const { draft, status, state } = this.turn;
    const files = draft?.files ?? [];
    return html`${this.#article(
      "you",
      0,
      undefined,
      html`${draft?.text ? html`<div class="text">${spokenText(draft.text)}</div>` : nothing}
      ${files.map((file) => this.#blob(file))}`,
    )}
    ${state === "waiting" ? html`<p class="reply-status hint">${status}</p>` : nothing}`;
  }

  #asked(message: WireMessage, index: number): TemplateResult {
    const { runId } = this.turn;
    const edits = this.actions?.edits;
    if (message.meta?.forgotten) {
      edits?.set(runId, undefined);
      return this.#article("you", index, message.ts, forgotten());
    }
    const inside = message.blocks.map((block) => {
      if (block.type === "image" || block.type === "file") return this.#blob(block);
      if (block.type !== "text" || block.text.trim() === "") return nothing;
      const label = ORIGIN_LABELS[block.origin ?? message.origin];
      if (label === undefined) return html`<div class="text">${spokenText(block.text)}</div>`;
      return html`<div class="quoted">
        <p class="hint">${gatewayText(label)}</p>
        <div class="text">${spokenText(block.text)}</div>
      </div>`;
    });
    const isEdited = edits?.of(runId) !== undefined && index === 0;
    const shown = isEdited
      ? messageEditor({
          words: () => edits.of(runId) ?? "",
          typed: (words) => edits.set(runId, words),
          cancel: () => this.#edit(undefined),
          send: (words) => void this.#resend(words),
        })
      : html`${inside}${this.#askedActions(message)}`;
    return this.#article("you", index, message.ts, shown);
  }

  #reply(index: number): TemplateResult {
    const { turn } = this;
    const live = turn.state === "live";
    // What is being thought stands where it will stand, so that who reads it can read on.
    const waits = new Set(this.app.waiting.holding.map(({ callId }) => callId));
    const shown = withoutCalls(withThinking(turn.parts, turn.thinking), waits);
    const cards = this.#cards();
    // What was decided says what became of its call, and opens it: a row would say the same twice.
    const told = new Set(cards.flatMap(({ kind, callId }) => (kind === "settle" ? [] : [callId])));
    const parts = withoutCalls(withCards(shown, cards), told);
    const inside = html`${repeat(parts, keyOf, (part) => this.#part(part))}
      ${
        turn.text === ""
          ? nothing
          : html`<elwood-markdown
              class="text"
              .source=${{ text: turn.text, streaming: live }}
            ></elwood-markdown>`
      }
      ${turn.ending.map((part) => this.#part(part))}
      ${turn.trying === "" ? nothing : html`<p class="line warn" data-from="gateway" role="status">${turn.trying}</p>`}
      ${live ? html`<p class="reply-status hint"><span class="pulse"></span>${this.#status()}</p>` : nothing}
      ${live ? nothing : evidenceSlot(this.app, turn.runId, turn.evidence, factWords(turn.facts))}
      ${live ? nothing : undoSlot(this.app, turn.runId, turn.evidence)}
      <div class="reply-foot">${this.#versions()}${live ? nothing : this.#replyActions()}</div>
      ${this.#effects()}`;
    const more = `${live ? " writing" : ""}${turn.cutShort ? " cut-short" : ""}`;
    return this.#article("elwood", index, turn.endedAt, inside, more);
  }

  /** What waits for the owner in this run, or waited, in the order in which it was asked. */
  #cards(): readonly WireApproval[] {
    const { runId } = this.turn;
    if (runId === undefined) return [];
    return this.app.waiting.ofRun(runId);
  }

  /** Whoever is waited for: the owner, as long as something of this run asks them. */
  #status(): string {
    const { runId, status } = this.turn;
    const asks = this.app.waiting.holding.some((each) => each.runId === runId);
    return asks && this.app.link.ready ? say.waitingForYou2 : status;
  }

  /** The model said nothing: what stands here is the gateway's alone. */
  #lines(): TemplateResult {
    const { turn } = this;
    const parts = [...turn.parts, ...turn.ending];
    const evidence =
      turn.state === "settled"
        ? evidenceSlot(this.app, turn.runId, turn.evidence, factWords(turn.facts))
        : nothing;
    const failed = parts.some((part) => part.kind === "line" && part.tone === "bad");
    const undo = turn.state === "settled" ? undoSlot(this.app, turn.runId, turn.evidence) : nothing;
    return html`${repeat(parts, keyOf, (part) => this.#part(part))}${evidence}${undo}
      <div class="reply-foot">${this.#versions()}${failed ? this.#replyActions() : nothing}</div>
      ${this.#effects()}`;
  }

  #part(part: ReplyPart): unknown {
    switch (part.kind) {
      case "text":
        return html`<elwood-markdown
          class=${part.isPreamble ? "on-the-way" : "text"}
          .source=${{ text: part.text, streaming: false }}
        ></elwood-markdown>`;
      case "thinking":
        return foldView(part.text, say.thinking, "thinking");
      case "own":
        return html`<p class="own-words" data-from="gateway">${part.text}</p>`;
      case "calls":
        return callsSlot(this.app, this.turn.runId, part.calls);
      case "approval":
        return approvalSlot(
          this.app,
          this.app.waiting.all.value.find(({ approvalId }) => approvalId === part.approvalId),
        );
      case "line":
        return html`<p class="line ${part.tone}" data-from="gateway">
          <span class="line-from">${say.gateway}</span
          >${gatewayText(part.text)}${part.tone === "bad" ? this.#afterFailure() : nothing}
        </p>`;
      case "media":
        return this.#blob(part.block);
      case "fold":
        return foldView(part.text, part.title);
      default: {
        const never: never = part;
        return never;
      }
    }
  }

  #afterFailure(): unknown {
    const { actions, turn } = this;
    if (!actions || turn.state !== "settled") return nothing;
    return html`<span class="line-actions"
      ><button type="button" @click=${() => actions.again(turn)}>${icon("refresh", 16)}${say.tryAgain}</button
      ><button
        type="button"
        aria-haspopup="dialog"
        @click=${({ currentTarget }: Event) =>
          currentTarget instanceof HTMLElement && void actions.otherModel(turn, currentTarget)}
      >
        ${say.useAnotherModel}
      </button></span
    >`;
  }

  #blob({ blobId, mime, name }: { blobId: string; mime: string; name?: string | undefined }): TemplateResult {
    void import("../../parts/blob-view.ts");
    return html`<elwood-blob-view
      .app=${this.app}
      .blobId=${blobId}
      .mime=${mime}
      .name=${name ?? ""}
    ></elwood-blob-view>`;
  }

  #askedActions({ id, content }: WireMessage): unknown {
    return html`<div class="message-actions">
      ${copyButton(content, say.copyMessage)}
      ${
        this.actions && this.turn.state === "settled"
          ? html`${actionButton("pencil", say.editAndSendAgain, () => this.#edit(askedText(this.turn)))}${this.#forget(say.deleteThisMessage, id)}`
          : nothing
      }
    </div>`;
  }

  /** Begins with these words, or ends; the focus goes to what is there then. */
  #edit(words: string | undefined): void {
    this.actions?.edits.set(this.turn.runId, words);
    this.requestUpdate();
    const wanted = words === undefined ? `[aria-label="${say.editAndSendAgain}"]` : ".edit-message textarea";
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(wanted)?.focus());
  }

  /** What could not be sent stays, to be sent again. */
  async #resend(text: string): Promise<void> {
    if (await this.actions?.resend(this.turn, text)) this.#edit(undefined);
  }

  #replyActions(): unknown {
    const answer = answerOf(this.turn);
    return html`<div class="message-actions">
      ${answer === "" ? nothing : copyButton(answer, say.copyReply)}
      ${
        this.actions
          ? html`${actionButton("refresh", say.anotherAnswer, () => void this.actions?.retry(this.turn))}
            ${actionButton("branch", say.branchFromHere, () => void this.actions?.fork(this.turn))}
            ${this.#forget(say.deleteThisExchange)}`
          : nothing
      }
    </div>`;
  }

  #effects(): unknown {
    return this.actions ? effectsSlot(this.app, this.turn.versions?.effects ?? []) : nothing;
  }

  /** Which of several versions this is, and the way to the others. */
  #versions(): unknown {
    const { versions, runId, state } = this.turn;
    const { actions } = this;
    if (!versions || !actions || runId === undefined) return nothing;
    const at = versions.of.indexOf(runId);
    const step = (by: number, name: IconName, label: string) => {
      const to = versions.of[at + by];
      return html`<button
        type="button"
        class="icon-button"
        aria-label=${label}
        title=${label}
        ?disabled=${to === undefined || state === "live"}
        @click=${() => to !== undefined && void this.#showVersion(to, label)}
      >
        ${icon(name, 16)}
      </button>`;
    };
    return html`<div class="versions" role="group" aria-label=${say.versionsOfThisAnswer}>
      ${step(-1, "left", say.earlierVersion)}<span aria-live="polite"
        ><span class="unseen">${say.version} </span>${at + 1}<span aria-hidden="true">/</span
        ><span class="unseen"> ${say.of2} </span>${versions.of.length}</span
      >${step(1, "right", say.laterVersion)}
    </div>`;
  }

  /** The focus goes to the same button of the version that comes, or to the other one at an end. */
  async #showVersion(runId: string, label: string): Promise<void> {
    const list = this.closest("elwood-message-list");
    await this.actions?.version(runId);
    for (let frame = 0; frame < FRAMES_WAITED_MAX; frame++) {
      await new Promise(requestAnimationFrame);
      const items = [...(list?.querySelectorAll<MessageItem>("elwood-message-item") ?? [])];
      const shown = items.find(({ turn }) => turn.runId === runId);
      const buttons = [...(shown?.querySelectorAll<HTMLButtonElement>(".versions button:enabled") ?? [])];
      const wanted = buttons.find((button) => button.ariaLabel === label) ?? buttons[0];
      if (!wanted) continue;
      wanted.focus();
      return;
    }
  }

  #forget(label: string, messageId?: string): unknown {
    const { forget } = this.actions ?? {};
    return forget ? actionButton("denied", label, () => void forget(this.turn, messageId)) : nothing;
  }
}

function actionButton(name: IconName, label: string, act: () => void): TemplateResult {
  return html`<button type="button" class="icon-button" aria-label=${label} title=${label} @click=${act}>
    ${icon(name, 16)}
  </button>`;
}

/** Cards keep their element wherever in the turn they come to stand. */
function keyOf(part: ReplyPart, index: number): string {
  return part.kind === "approval" ? part.approvalId : `${part.kind} ${index}`;
}

/** What answered, and what it took: small words below a reply. */
function factWords({ model, tokens, costUsd }: RunFacts): string[] {
  const isDemo = model?.startsWith("demo/") === true;
  return [
    ...(model === undefined || model === "" ? [] : [isDemo ? say.demoModel : model]),
    ...(tokens > 0 ? [countText(tokens, say.token, say.tokens)] : []),
    ...(costUsd === undefined || model === undefined || isDemo
      ? []
      : [fill(say.estimated, moneyText(costUsd))]),
  ];
}

/** Words that are there for whoever wants them. */
function foldView(text: string, title: string, more = ""): TemplateResult {
  return html`<details class="fold ${more}">
    <summary class="hint">${gatewayText(title)}</summary>
    <div class="quoted-text">${spokenText(text)}</div>
  </details>`;
}

interface Editing {
  readonly words: () => string;
  readonly typed: (words: string) => void;
  readonly cancel: () => void;
  readonly send: (words: string) => void;
}

/** The owner's words of a turn, to be changed. What is typed is kept elsewhere: what draws it may go and come. */
function messageEditor({ words, typed, cancel, send }: Editing): TemplateResult {
  const changed = ({ target }: Event) => {
    if (target instanceof HTMLTextAreaElement) typed(target.value);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (words().trim()) send(words());
  };
  const pressed = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") cancel();
    if (event.key === "Enter" && !event.shiftKey) submit(event);
  };
  return html`<form class="edit-message" @submit=${submit}>
    <textarea
      aria-label=${say.yourMessage}
      rows="3"
      .value=${words()}
      @input=${changed}
      @keydown=${pressed}
    ></textarea>
    <p class="hint">${say.theAnswerBecomesAnotherVersionThis}</p>
    <div class="edit-buttons">
      <button type="button" @click=${cancel}>${say.cancel}</button>
      <button type="submit" class="primary">${say.send}</button>
    </div>
  </form>`;
}

/** Cards that other parts of the page draw, at their place in a turn. Each is loaded with the first that needs it. */

/** Something that waits for the owner, or waited. Several of a kind stand together, where the first of them does. */
function approvalSlot(app: AppContext, approval: WireApproval | undefined): unknown {
  if (!approval) return nothing;
  need(import("../../parts/approval/approval-dialog.ts"));
  const alike = alikeOf(approval, app.waiting.pending);
  if (alike.length > 1) {
    if (alike[0] !== approval) return nothing;
    need(import("../../parts/approval/approval-group.ts"));
    return html`<elwood-approval-group .app=${app} .approvals=${alike}></elwood-approval-group>`;
  }
  return html`<elwood-approval-dialog .app=${app} .approval=${approval}></elwood-approval-dialog>`;
}

/** The calls of a run, folded. */
function callsSlot(app: AppContext, runId: string | undefined, calls: readonly ShownCall[]): TemplateResult {
  need(import("../../parts/calls/call-group.ts"));
  return html`<elwood-call-group .app=${app} .runId=${runId} .calls=${calls}></elwood-call-group>`;
}

/** What was done for a reply, from the gateway's record; never the model's words. */
function evidenceSlot(
  app: AppContext,
  runId: string | undefined,
  evidence: string | undefined,
  facts: readonly string[],
): unknown {
  if (runId === undefined || evidence === undefined) return nothing;
  if (evidence === "")
    return facts.length === 0 ? nothing : html`<p class="reply-facts hint">${facts.join(" · ")}</p>`;
  return html`<elwood-evidence
    .app=${app}
    .runId=${runId}
    .line=${evidence}
    .facts=${facts}
  ></elwood-evidence>`;
}

/** The way back from what its calls did, where some of it was done. */
function undoSlot(app: AppContext, runId: string | undefined, evidence = ""): unknown {
  if (!evidence.includes("✓") || !app.link.may("approve")) return nothing;
  need(import("../../parts/calls/undo-run.ts"));
  return html`<elwood-undo-run .app=${app} .runId=${runId} .evidence=${evidence}></elwood-undo-run>`;
}

/** What was done by versions that are not shown, with the way back. */
function effectsSlot(app: AppContext, runs: readonly string[]): unknown {
  if (runs.length === 0) return nothing;
  need(import("./version-effects.ts"));
  return html`<elwood-version-effects .app=${app} .runs=${runs}></elwood-version-effects>`;
}

/** What cannot be fetched while the gateway is away is asked for again when the turn is drawn next. */
function need(part: Promise<unknown>): void {
  part.catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
  });
}

customElements.define("elwood-message-item", MessageItem);
