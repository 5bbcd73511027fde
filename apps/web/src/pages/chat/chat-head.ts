import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { isComposing } from "../../app/commands.ts";
import { icon } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import type { Watched } from "@elwood/sdk/store";
import { ChatState } from "./chat-state.ts";
import { isNearlyFull, partOf, shareOf, type ContextFill } from "./context-fill.ts";
import type { Conversation } from "@elwood/sdk/view-state/conversation";
import { titleOfOpen } from "./session-title.ts";
import { say } from "../../words/en/chat.ts";
import { fill, fillIn } from "../../words/fill.ts";

/** The head of a conversation: its title, what it is a branch of, and what can be done with it. */
export class ChatHead extends AppElement {
  static override properties: PropertyDeclarations = {
    conversation: { attribute: false },
    drawer: { type: Boolean },
    onDrawer: { attribute: false },
    side: { type: Boolean },
    onSide: { attribute: false },
    onMenu: { attribute: false },
    branchOf: { type: String },
    renaming: { state: true },
  };
  declare conversation: Conversation;
  declare drawer: boolean;
  declare onDrawer: () => void;
  declare side: boolean;
  declare onSide: () => void;
  declare onMenu: (button: HTMLElement) => void;
  /** The title of the session that this one is a branch of. */
  declare branchOf: string;
  declare renaming: boolean;
  #stop: (() => void) | undefined;
  /** What had the focus before the title was changed. */
  #before: Element | null = null;

  constructor() {
    super();
    this.renaming = false;
    this.branchOf = "";
    this.drawer = false;
    this.onDrawer = () => {};
    this.side = false;
    this.onSide = () => {};
    this.onMenu = () => {};
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (!changed.has("conversation")) return;
    this.renaming = false;
    this.#stop?.();
    const { session, context } = this.conversation;
    const stops = [session, context].map((each) => each.subscribe(() => this.requestUpdate()));
    this.#stop = () => {
      for (const stop of stops) stop();
    };
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  protected override watches(): readonly Watched[] {
    return [this.app.keep(ChatState).models.changed];
  }

  rename(): void {
    if (!this.conversation.session.value) return;
    this.#before = document.activeElement;
    this.renaming = true;
    void this.updateComplete.then(() => this.querySelector<HTMLInputElement>(".title-input")?.select());
  }

  protected override render(): unknown {
    const session = this.conversation.session.value;
    const from = session?.forkedFrom;
    return html`<header class="chat-head">
      <button
        type="button"
        class="icon-button drawer-button"
        aria-label=${say.sessions}
        aria-expanded=${this.drawer}
        @click=${() => this.onDrawer()}
      >
        ${icon("menu")}
      </button>
      <div class="chat-title-box">
        ${
          this.renaming && session
            ? html`<input
                class="title-input"
                aria-label=${say.titleOfTheSession}
                maxlength="120"
                .value=${session.title}
                @keydown=${this.#pressed}
                @blur=${() => (this.renaming = false)}
              />`
            : html`<h1
                id="chat-title"
                title=${session ? spokenText(session.title) : nothing}
                @dblclick=${() => this.rename()}
              >
                ${titleOfOpen(this.conversation)}
              </h1>`
        }
        ${
          from === undefined
            ? nothing
            : html`<a class="branch-of" href="/c/${encodeURIComponent(from.sessionKey)}"
                >${icon("branch", 14)}${fillIn(say.branchOf, this.branchOf)}</a
              >`
        }
      </div>
      ${this.#ring()}
      <button
        type="button"
        class="icon-button side-button"
        aria-label=${say.evidenceRunAndFiles}
        title=${say.evidenceRunAndFiles}
        aria-expanded=${this.side}
        aria-controls="chat-side"
        @click=${() => this.onSide()}
      >
        ${icon("panel")}
      </button>
      ${
        session
          ? html`<button
              type="button"
              class="icon-button"
              aria-label=${say.moreAboutThisSession}
              aria-haspopup="menu"
              @click=${(event: Event) =>
                event.currentTarget instanceof HTMLElement && this.onMenu(event.currentTarget)}
            >
              ${icon("more")}
            </button>`
          : nothing
      }
    </header>`;
  }

  /** How full the context is, for the model that answers next. */
  #ring(): unknown {
    const { context, sessionKey } = this.conversation;
    if (!context.value) return nothing;
    const { models } = this.app.keep(ChatState);
    const window = models.windowOf(models.of(sessionKey));
    const taken = window === undefined ? context.value : { tokens: context.value.tokens, window };
    const full = isNearlyFull(taken);
    const label = fill(say.contextFull, shareOf(taken));
    return html`<button
      type="button"
      class="quiet context-ring"
      data-tone=${full ? "warn" : nothing}
      aria-haspopup="dialog"
      aria-label=${label}
      title="${label}${full ? say.olderMessagesAreSummarisedSoon : ""}"
      @click=${(event: Event) => this.#openContext(event, taken)}
    >
      ${ring(partOf(taken))}${full ? html`<span>${shareOf(taken)}</span>` : nothing}
    </button>`;
  }

  #openContext({ currentTarget }: Event, fill: ContextFill): void {
    if (!(currentTarget instanceof HTMLElement)) return;
    void import("./context-card.ts").then(({ openContextCard }) =>
      openContextCard(this.app, this.conversation, fill, currentTarget),
    );
  }

  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.key === "Escape") this.#renamed();
    if (event.key !== "Enter" || isComposing(event) || !(event.target instanceof HTMLInputElement)) return;
    const title = event.target.value.trim();
    const { sessionKey } = this.conversation;
    this.#renamed();
    if (title === "" || title === this.conversation.session.value?.title) return;
    void this.app.attempt(() => this.app.link.call("sessions.rename", { sessionKey, title }));
  };

  /** By a key: the focus goes back, or else to what else can be done with the session. */
  #renamed(): void {
    this.renaming = false;
    const before =
      this.#before instanceof HTMLElement && this.#before !== document.body ? this.#before : null;
    void this.updateComplete.then(() =>
      (before ?? this.querySelector<HTMLElement>('[aria-haspopup="menu"]'))?.focus(),
    );
  }
}

/** Always a little of it is drawn, so that it reads as a ring that fills. */
function ring(part: number): TemplateResult {
  const filled = Math.max(2, part * 100);
  return html`<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <circle class="ring-whole" cx="10" cy="10" r="7" />
    <circle class="ring-part" cx="10" cy="10" r="7" pathLength="100" stroke-dasharray="${filled} 100" />
  </svg>`;
}

customElements.define("elwood-chat-head", ChatHead);
