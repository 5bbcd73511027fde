import { html, nothing, type PropertyDeclarations } from "lit";
import type { Span } from "@elwood/core/protocol/call-shapes";
import { AppElement } from "../../../app/app-element.ts";
import { conversationPath } from "../../../app/paths.ts";
import type { Push } from "@elwood/sdk/client";
import { onUndone } from "../../../parts/calls/undo-call.ts";
import { icon } from "../../../parts/icon.ts";
import { emptyState, loadedView } from "../../../parts/small.ts";
import { Loader } from "../../../state/loader.ts";
import type { ChatState } from "../chat-state.ts";
import { isOwnName } from "@elwood/sdk/view-state/own-name";
import { SIDE_TABS, type SidePlace, type SideTab } from "../side-place.ts";
import { Evidence } from "./evidence.ts";
import { files, NO_FILES } from "./files.ts";
import { NO_RUN, run } from "./run.ts";
import type { PanelData } from "./panel-data.ts";
import { say } from "../../../words/en/chat.ts";
import "./side.css";

const NAMES = Object.keys(SIDE_TABS) as SideTab[];
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Several things happen at once; they are asked about together. */
const SOON_MS = 200;
const LOOK_EVERY_MS = 1_500;
const PAGE = 10;
/** The most that the gateway tells at once. */
const PAGE_MAX = 200;

/**
 * What stands beside the conversation: its evidence, one run of it, its files. What is shown
 * is asked for anew whenever something happened; it stays meanwhile, and so does the focus.
 */
export class SidePanel extends AppElement {
  static override properties: PropertyDeclarations = {
    chat: { attribute: false },
    sessionKey: { attribute: false },
    tab: { attribute: false },
    run: { attribute: false },
    place: { attribute: false },
    chosen: { state: true },
  };
  declare chat: ChatState;
  declare sessionKey: string;
  declare tab: SideTab;
  /** The run that was asked for; else the one that goes, or was last. */
  declare run: string | undefined;
  declare place: SidePlace;
  /** The piece of the run's timeline that is looked at. */
  declare chosen: Span | undefined;
  /** So many runs, or files, are asked for. */
  limit = PAGE;
  readonly #evidence = new Evidence(this);
  readonly #loader = new Loader<PanelData | undefined>(this, () => this.#ask());
  #timer: number | undefined;

  protected override entered(): readonly (() => void)[] {
    const { link } = this.app;
    const timer = window.setInterval(() => {
      if (this.#loader.value?.goesOn && !document.hidden && link.ready) this.refresh();
    }, LOOK_EVERY_MS);
    return [
      link.onReady(() => {
        this.#evidence.forget();
        this.refresh();
      }),
      link.onPush((push) => this.#concerns(push) && this.#soon()),
      onUndone(this.app, ({ runId }) => this.#evidence.forget(runId)),
      () => clearInterval(timer),
      () => clearTimeout(this.#timer),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (!this.hasUpdated) return;
    const other = changed.has("tab") || changed.has("sessionKey");
    if (other) {
      this.limit = PAGE;
      this.#evidence.forget();
      this.#loader.clear();
    }
    if (other || changed.has("run")) {
      this.chosen = undefined;
      if (this.app.link.ready) this.refresh();
    }
  }

  protected override firstUpdated(): void {
    if (this.place.covers) this.#focusTab();
  }

  refresh(): void {
    if (!isOwnName(this.sessionKey)) void this.#loader.load();
  }

  turnHref(runId: string): string {
    return conversationPath(this.sessionKey, runId);
  }

  /** The way to the rest, as long as there is one. */
  more(next: string | undefined): unknown {
    if (next === undefined) return nothing;
    if (this.limit >= PAGE_MAX) return html`<p class="hint">${say.whatIsOlderIsNotShown}</p>`;
    const show = () => {
      this.limit = Math.min(PAGE_MAX, this.limit * 2);
      this.refresh();
    };
    return html`<button type="button" class="quiet" @click=${show}>${say.showEarlier}</button>`;
  }

  protected override render(): unknown {
    return html`<h2 class="unseen">${say.aboutThisConversation}</h2>
      <div class="side-head">
        <div class="tabs" role="tablist" aria-label=${say.aboutThisConversation} @keydown=${this.#pressed}>
          ${NAMES.map(
            (name) =>
              html`<button
                type="button"
                role="tab"
                id="side-${name}"
                aria-selected=${name === this.tab}
                aria-controls="side-inside"
                tabindex=${name === this.tab ? 0 : -1}
                @click=${() => this.place.show(name)}
              >
                ${SIDE_TABS[name]}
              </button>`,
          )}
        </div>
        <button
          type="button"
          class="icon-button"
          aria-label=${say.hideEvidenceRunAndFiles}
          @click=${() => this.place.close()}
        >
          ${icon("close")}
        </button>
      </div>
      <div
        class="side-inside"
        id="side-inside"
        role="tabpanel"
        aria-labelledby="side-${this.tab}"
        tabindex="0"
      >
        ${this.#inside()}
      </div>`;
  }

  #inside(): unknown {
    const empty = { evidence: Evidence.none, run: NO_RUN, files: NO_FILES }[this.tab];
    // What has no name at the gateway yet has nothing there either.
    if (isOwnName(this.sessionKey)) return emptyState(empty);
    return loadedView(this.#loader.now, {
      isEmpty: (told) => told === undefined,
      empty,
      view: (told) => html`${told?.view()}`,
      retry: () => this.refresh(),
    });
  }

  #ask(): Promise<PanelData | undefined> {
    if (this.tab === "evidence") return this.#evidence.ask();
    return this.tab === "run" ? run(this) : files(this);
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.app.link.ready && this.refresh(), SOON_MS);
  }

  #concerns({ event, data }: Push): boolean {
    if (event === "chat.delta" || event === "chat.thinking" || event === "tool.progress") return false;
    if ("sessionKey" in data) return data.sessionKey === this.sessionKey;
    return "runId" in data && this.chat.open.value.turnOf(data.runId) !== undefined;
  }

  readonly #pressed = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = NAMES.at((NAMES.indexOf(this.tab) + step) % NAMES.length);
    if (next) this.place.show(next);
    requestAnimationFrame(() => this.#focusTab());
  };

  #focusTab(): void {
    this.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }
}

customElements.define("elwood-side-panel", SidePanel);
