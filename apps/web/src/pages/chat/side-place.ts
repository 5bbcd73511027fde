import { html, nothing, type LitElement, type TemplateResult } from "lit";
import { read, write } from "../../gateway/tab-storage.ts";
import type { ChatState } from "./chat-state.ts";
import type { MessageItem } from "./message-item.ts";
import { say } from "../../words/en/chat.ts";

export const SIDE_TABS = {
  get evidence() {
    return say.evidence;
  },
  get run() {
    return say.run;
  },
  get files() {
    return say.files;
  },
} as const;
export type SideTab = keyof typeof SIDE_TABS;

const KEPT = "side";
const CHOSEN = "side-tab";

/**
 * The right side of the chat. Where there is room it is a column, and stays as the reader
 * left it; elsewhere it is a drawer over the conversation, which is open only until it was
 * used. What stands in it is loaded when it is first opened.
 */
export class SidePlace {
  readonly #host: LitElement;
  readonly #narrow = matchMedia("(max-width: 1199px)");
  #tab: SideTab;
  #column: boolean;
  #drawer = false;
  /** The run of the turn that was clicked; left out, the one that goes or was last. */
  #run: string | undefined;

  constructor(host: LitElement) {
    this.#host = host;
    this.#column = read(KEPT) !== undefined;
    const chosen = read(CHOSEN);
    this.#tab = chosen === "run" || chosen === "files" ? chosen : "evidence";
  }

  /** Hears of the room there is, until what is returned is called. */
  watch(): () => void {
    const changed = () => {
      this.#drawer = false;
      this.#host.requestUpdate();
    };
    this.#narrow.addEventListener("change", changed);
    return () => this.#narrow.removeEventListener("change", changed);
  }

  get open(): boolean {
    return this.#narrow.matches ? this.#drawer : this.#column;
  }

  /** It lies over everything else, which is out of reach meanwhile. */
  get covers(): boolean {
    return this.#narrow.matches && this.#drawer;
  }

  toggle(): void {
    this.#set(!this.open);
  }

  show(tab: SideTab): void {
    this.#tab = tab;
    write(CHOSEN, tab);
    this.#set(true);
  }

  follow(run: string | undefined): void {
    this.#run = run;
    this.#host.requestUpdate();
  }

  /** The reader turned to a turn: its run is the one to tell of. */
  readonly clicked = ({ target }: Event): void => {
    const item = target instanceof Element ? target.closest<MessageItem>("elwood-message-item") : null;
    if (this.open && item?.turn.runId !== undefined) this.follow(item.turn.runId);
  };

  view(chat: ChatState): TemplateResult {
    const { open } = this;
    if (open) void import("./side/side-panel.ts");
    const { sessionKey } = chat.open.value;
    return html`<div class="side-shade" ?hidden=${!open} @click=${() => this.#set(false)}></div>
      <div id="chat-side" class="side" ?hidden=${!open} @keydown=${this.#pressed} @click=${this.#left}>
        ${
          open
            ? html`<elwood-side-panel
                .app=${chat.app}
                .chat=${chat}
                .sessionKey=${sessionKey}
                .tab=${this.#tab}
                .run=${this.#run}
                .place=${this}
              ></elwood-side-panel>`
            : nothing
        }
      </div>`;
  }

  close(): void {
    this.#set(false);
  }

  #set(open: boolean, back = true): void {
    const within = this.covers || this.#host.querySelector("#chat-side")?.contains(document.activeElement);
    if (this.#narrow.matches) this.#drawer = open;
    else {
      this.#column = open;
      write(KEPT, open ? "open" : undefined);
    }
    this.#host.requestUpdate();
    if (open || !within || !back) return;
    void this.#host.updateComplete.then(() => this.#host.querySelector<HTMLElement>(".side-button")?.focus());
  }

  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !this.covers) return;
    // Elsewhere the key stops the answer.
    event.preventDefault();
    this.close();
  };

  /** Whoever follows a link wants to see where it leads. */
  readonly #left = ({ target }: Event): void => {
    if (this.covers && target instanceof Element && target.closest("a[href]")) this.#set(false, false);
  };
}
