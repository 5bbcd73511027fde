import { html, nothing, type PropertyDeclarations } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { icon } from "../../parts/icon.ts";
import type { Conversation } from "./conversation.ts";
import { titleOfOpen } from "./session-title.ts";

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
    this.#stop = this.conversation.session.subscribe(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  rename(): void {
    if (!this.conversation.session.value) return;
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
        aria-label="Sessions"
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
                aria-label="Title of the session"
                maxlength="120"
                .value=${session.title}
                @keydown=${this.#pressed}
                @blur=${() => (this.renaming = false)}
              />`
            : html`<h1 id="chat-title" title=${session?.title ?? nothing} @dblclick=${() => this.rename()}>
                ${titleOfOpen(this.conversation)}
              </h1>`
        }
        ${
          from === undefined
            ? nothing
            : html`<a class="branch-of" href="/c/${encodeURIComponent(from.sessionKey)}"
                >${icon("branch", 14)}Branch of ${this.branchOf}</a
              >`
        }
      </div>
      <button
        type="button"
        class="icon-button side-button"
        aria-label="Evidence, run and files"
        title="Evidence, run and files"
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
              aria-label="More about this session"
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

  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.key === "Escape") this.renaming = false;
    if (event.key !== "Enter" || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
    const title = event.target.value.trim();
    const { sessionKey } = this.conversation;
    this.renaming = false;
    if (title === "" || title === this.conversation.session.value?.title) return;
    void this.app.attempt(() => this.app.link.request("sessions.rename", { sessionKey, title }));
  };
}

customElements.define("elwood-chat-head", ChatHead);
