import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { PageElement } from "../../app/app-element.ts";
import { isComposing, isTyping } from "../../app/commands.ts";
import { read, write } from "../../gateway/tab-storage.ts";
import { icon } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { RequestError } from "@elwood/sdk/client";
import type { Watched } from "@elwood/sdk/store";
import { chatCommands } from "./chat-commands.ts";
import { ChatState } from "./chat-state.ts";
import type { FindBar } from "./find-bar.ts";
import type { InputBar } from "./input-bar.ts";
import type { MessageList } from "./message-list.ts";
import { LogScroll } from "./log-scroll.ts";
import { isOwnName } from "@elwood/sdk/view-state/own-name";
import { SidePlace } from "./side-place.ts";
import { say } from "../../words/en/chat.ts";
import { fillIn } from "../../words/fill.ts";
import "./chat-head.ts";
import "./input-bar.ts";
// A message written while the gateway is away must be seen: by then nothing can be fetched.
import "./queued-list.ts";
import "./session-list.ts";
import "./chat.css";

/** What to begin with, by the tool that does it. One that ends in a blank is to be finished. */
const STARTERS: readonly (readonly [tool: string, text: keyof typeof say])[] = [
  ["files.file.list", "whatIsInMyFiles"],
  ["web.page.fetch", "summariseThisPageHttps"],
  ["schedule.job.create", "remindMeTomorrowAt9To"],
  ["memory.note.save", "rememberThat"],
];

const LOAD_MESSAGES_MS = 3_000;

/** The chat: sessions, the conversation that is open, and the box for the next message. */
export class ChatView extends PageElement {
  static override properties: PropertyDeclarations = {
    drawer: { state: true },
    finds: { state: true },
    tools: { state: true },
  };
  declare drawer: boolean;
  /** The bar that finds words is open. */
  declare finds: boolean;
  /** The ids of those there are, once somebody is shown what to begin with. */
  declare tools: ReadonlySet<string> | undefined;
  #chat: ChatState | undefined;
  readonly #scroll = new LogScroll(this);
  readonly side = new SidePlace(this);
  #stopWatching: (() => void) | undefined;
  /** The next session is opened by a key that is to be pressed again: the focus stays. */
  #stepped = false;

  constructor() {
    super();
    this.drawer = false;
    this.finds = false;
  }

  get chat(): ChatState {
    this.#chat ??= this.app.keep(ChatState);
    return this.#chat;
  }

  protected override watches(): readonly Watched[] {
    return [this.chat.open, this.chat.changed, this.chat.sessions.view, this.app.status, this.app.link.hello];
  }

  protected override entered(): readonly (() => void)[] {
    const pressed = (event: KeyboardEvent) => this.#pressed(event);
    document.addEventListener("keydown", pressed);
    void this.#offerBox();
    const soon = window.setTimeout(() => {
      if (this.app.link.ready) void loadMessages();
    }, LOAD_MESSAGES_MS);
    return [
      () => clearTimeout(soon),
      this.app.commands.add(...chatCommands(this)),
      this.chat.open.subscribe(() => {
        this.#opened();
        if (!this.#stepped) void this.#offerBox();
        this.#stepped = false;
      }),
      this.side.watch(),
      () => document.removeEventListener("keydown", pressed),
      () => this.app.attention.runShown.set(undefined),
      () => this.#stopWatching?.(),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (changed.has("params")) {
      this.#follow();
      // A link that leads to where one is already does, too.
      if (document.activeElement instanceof HTMLAnchorElement) void this.#offerBox();
    }
    if (!this.#stopWatching) this.#opened();
    const run = this.query.get("run");
    if (changed.has("query") && run !== null) this.side.follow(run);
  }

  protected override updated(): void {
    this.#scroll.attach(
      this.querySelector<HTMLElement>(".log"),
      this.querySelector<HTMLElement>("elwood-message-list"),
    );
    this.#settleAddress();
    this.app.attention.runShown.set(this.chat.open.value.turns.value.at(-1)?.runId);
    void this.#arrive();
  }

  newSession(): void {
    this.app.router.go("/c/new");
    this.drawer = false;
    this.focusBox();
  }

  focusBox(): void {
    this.#box?.focus();
  }

  /** Opens a session, and leaves the focus where it is. */
  step(sessionKey: string): void {
    this.#stepped = this.chat.open.value.sessionKey !== sessionKey;
    this.app.router.go(`/c/${encodeURIComponent(sessionKey)}`);
  }

  get #box(): InputBar | null {
    return this.querySelector("elwood-input-bar");
  }

  /**
   * Whoever comes to a conversation can write at once: not where a keyboard would slide over
   * the page or the box would take the room to read, and not while something else is written
   * or decided.
   */
  async #offerBox(): Promise<void> {
    if (matchMedia("(pointer: coarse), (max-height: 400px)").matches || this.query.get("run") !== null)
      return;
    await this.updateComplete;
    await this.#box?.updateComplete;
    const { activeElement } = document;
    const isBusy = activeElement?.matches("input, textarea, select") || activeElement?.closest(".approval");
    if (this.isConnected && !isBusy && !isCovered()) this.focusBox();
  }

  /** What is typed anywhere goes into the box, unless letters are shortcuts; a card that has the focus keeps its keys. */
  #pressed(event: KeyboardEvent): void {
    if (
      (event.ctrlKey || event.metaKey) &&
      !event.shiftKey &&
      !event.altKey &&
      event.key === "f" &&
      !isCovered()
    ) {
      if (!event.defaultPrevented && this.find()) event.preventDefault();
      return;
    }
    if (event.defaultPrevented || isComposing(event) || isTyping(event) || this.app.commands.letters) return;
    const { key, target } = event;
    const mod = event.ctrlKey || event.metaKey;
    const writes = event.getModifierState("AltGraph") || (!mod && !event.altKey);
    const isText = writes
      ? (key.length === 1 && key !== " ") || key === "Dead"
      : mod && key.toLowerCase() === "v";
    if (!isText || isCovered() || (target instanceof Element && target.closest(".approval"))) return;
    this.focusBox();
  }

  openDrawer(): void {
    this.drawer = true;
    // A keyboard that slides over the list is not asked for yet.
    const first = matchMedia("(pointer: coarse)").matches ? ".section-head a" : "input";
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(`.sessions ${first}`)?.focus());
  }

  closeDrawer(): void {
    if (!this.drawer) return;
    this.drawer = false;
    this.querySelector<HTMLElement>(".drawer-button")?.focus();
  }

  /** Opens the bar; where it has the focus, the browser's own search is what is meant. */
  find(): boolean {
    const bar = this.querySelector<FindBar>("elwood-find-bar");
    if (bar?.contains(document.activeElement) || this.chat.open.value.isEmpty) return false;
    // Where the reader is stays where they are.
    this.#scroll.leave();
    if (bar) bar.focusInput();
    else void import("./find-bar.ts").then(() => (this.finds = true));
    return true;
  }

  #closeFind(): void {
    this.finds = false;
    this.querySelector<HTMLElement>(".log")?.focus({ preventScroll: true });
  }

  protected override render(): unknown {
    const { chat } = this;
    const conversation = chat.open.value;
    const problem = conversation.problem.value;
    if (!conversation.isEmpty) void loadMessages();
    const { side } = this;
    return html`<div class="chat-page" ?data-drawer=${this.drawer} ?data-side=${side.open}>
      <section
        class="sessions"
        ?inert=${side.covers}
        aria-labelledby="sessions-title"
        @chosen=${() => (this.drawer = false)}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key !== "Escape" || !this.drawer) return;
          // Elsewhere the key stops the answer.
          event.preventDefault();
          this.closeDrawer();
        }}
      >
        <elwood-session-list .app=${this.app} .chat=${chat}></elwood-session-list>
      </section>
      <div class="drawer-shade" @click=${() => this.closeDrawer()}></div>
      <section class="chat" aria-labelledby="chat-title" ?inert=${side.covers}>
        <elwood-chat-head
          .app=${this.app}
          .conversation=${conversation}
          .branchOf=${this.#branchOf()}
          .drawer=${this.drawer}
          .onDrawer=${() => this.openDrawer()}
          .side=${side.open}
          .onSide=${() => side.toggle()}
          .onMenu=${(button: HTMLElement) => this.#menu(button)}
        ></elwood-chat-head>
        ${
          this.finds
            ? html`<elwood-find-bar
                .app=${this.app}
                .chat=${chat}
                .onClose=${() => this.#closeFind()}
              ></elwood-find-bar>`
            : nothing
        }
        <div
          class="log"
          role="log"
          aria-live="off"
          aria-labelledby="chat-title"
          tabindex="0"
          @click=${side.clicked}
        >
          <h2 class="unseen">${say.conversation}</h2>
          ${
            problem === undefined
              ? nothing
              : html`<p class="line bad" role="alert">${problem} <a href="/c/new">${say.newSession}</a></p>`
          }
          ${conversation.isEmpty && conversation.loaded && problem === undefined ? this.#empty() : nothing}
          <elwood-message-list
            .app=${this.app}
            .conversation=${conversation}
            .turns=${conversation.turns.value}
            .damaged=${conversation.damaged}
            .chat=${this.app.link.has("sessions.fork") ? chat : undefined}
          ></elwood-message-list>
        </div>
        ${
          this.#scroll.isBehind
            ? html`<button class="jump" type="button" @click=${this.#jump}>
                ${icon("down", 16)}${say.jumpToNewest}
              </button>`
            : nothing
        }
        <elwood-input-bar
          .app=${this.app}
          .chat=${chat}
          @input=${loadMessages}
          @sent=${() => this.#sent()}
        ></elwood-input-bar>
      </section>
      ${side.view(chat)}
    </div>`;
  }

  #sent(): void {
    this.side.follow(undefined);
    this.#scroll.toNewest();
  }

  #branchOf(): string {
    const from = this.chat.open.value.session.value?.forkedFrom?.sessionKey;
    const known = this.chat.sessions.view.value.sessions.find(({ sessionKey }) => sessionKey === from);
    return known ? `“${spokenText(known.title)}”` : say.anotherSession;
  }

  #empty(): TemplateResult {
    const { demo, model = "none" } = this.app.status.value ?? {};
    return html`<div class="empty-chat">
      <img src="/icon.svg" alt="" width="40" height="40" />
      <p class="empty-title">${fillIn(say.whatCanIDoForYou, greeting(new Date().getHours()))}</p>
      <p class="hint">${say.youCanCloseThisPageIll}</p>
      <div class="suggestions">
        ${(demo ? say.demoStarters.split("|") : this.#starters()).map(
          (text) =>
            html`<button type="button" @click=${() => this.#suggest(text)}>
              ${/[\s/]$/.test(text) ? `${text.trim()}…` : text}
            </button>`,
        )}
      </div>
      ${
        demo || model === "none"
          ? nothing
          : html`<p class="hint">
              ${fillIn(say.using, spokenText(model), html`<a href="/connections">${say.change}</a>`)}
            </p>`
      }
    </div>`;
  }

  /** Of what can be done here; nothing until that is known. */
  #starters(): readonly string[] {
    if (!this.tools) void this.#lookAtTools();
    return STARTERS.filter(([tool]) => this.tools?.has(tool)).map(([, text]) => say[text]);
  }

  async #lookAtTools(): Promise<void> {
    const { link, status } = this.app;
    if (!link.ready || !status.value || status.value.model === "none") return;
    this.tools = new Set();
    try {
      const { tools } = await link.call("tools.list", {});
      this.tools = new Set(tools.filter(({ rule }) => rule?.decision !== "deny").map(({ toolId }) => toolId));
    } catch (error) {
      // They are a help, and no more.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  #suggest(text: string): void {
    this.chat.drafts.put(this.chat.open.value.sessionKey, { text, files: [] });
    this.focusBox();
  }

  readonly #jump = (): void => {
    this.#scroll.toNewest();
    this.querySelector<HTMLElement>(".log")?.focus({ preventScroll: true });
  };

  /** Shows what the address names. */
  #follow(): void {
    const wanted = this.params["session"];
    if (wanted !== undefined && wanted !== "new") void loadMessages();
    const last = read("open");
    if (wanted === "new") this.chat.showNew();
    else if (wanted !== undefined) this.chat.show(wanted);
    else if (last === undefined) this.chat.showNew();
    else this.app.router.go(`/c/${encodeURIComponent(last)}`, { replace: true });
  }

  /** The address may name a run: its turn is put in view, once. */
  async #arrive(): Promise<void> {
    const run = this.query.get("run");
    const conversation = this.chat.open.value;
    if (run === null || !conversation.whole || conversation.sessionKey !== this.params["session"]) return;
    this.app.router.go(location.pathname, { replace: true });
    await loadMessages();
    await this.updateComplete;
    if (conversation.turnOf(run)) this.#scroll.leave();
    const found = await this.querySelector<MessageList>("elwood-message-list")?.reveal(run);
    if (!found) this.app.toasts.show(say.thatRunIsNotInThis);
  }

  /** A session that came to be gets its address; one that is looked at counts as seen. */
  #settleAddress(): void {
    const { sessionKey, session, problem } = this.chat.open.value;
    if (isOwnName(sessionKey)) return;
    write("open", problem.value === undefined ? sessionKey : undefined);
    if (session.value && !document.hidden) this.chat.sessions.seen.see(sessionKey, session.value.updatedAt);
    const wanted = this.params["session"];
    if (wanted === undefined || wanted === "new")
      this.app.router.go(`/c/${encodeURIComponent(sessionKey)}`, { replace: true });
  }

  #opened(): void {
    this.#stopWatching?.();
    this.side.follow(undefined);
    const { session, turns, queued, problem } = this.chat.open.value;
    const stops = [session, turns, queued, problem].map((each) => each.subscribe(() => this.requestUpdate()));
    this.#stopWatching = () => {
      for (const stop of stops) stop();
    };
    this.#scroll.toNewest();
  }

  #menu(button: HTMLElement): void {
    const session = this.chat.open.value.session.value;
    if (!session) return;
    void import("./session-menu.ts").then(({ openSessionMenu }) =>
      openSessionMenu(this.app, session, button, { deleted: () => this.newSession() }),
    );
  }
}

function greeting(hour: number): string {
  if (hour < 5 || hour >= 18) return say.goodEvening;
  return hour < 12 ? say.goodMorning : say.goodAfternoon;
}

/** Something lies over the page, and has the keys. */
function isCovered(): boolean {
  return document.querySelector("dialog[open], :popover-open") !== null;
}

/**
 * What draws messages is not needed before there are any; whoever writes will soon have some. It comes by itself
 * a while after the page is there, so that a message can be seen that is written while the gateway is away.
 */
function loadMessages(): Promise<unknown> {
  return import("./message-list.ts");
}

customElements.define("elwood-chat-view", ChatView);
