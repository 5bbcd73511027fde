import { ToolError } from "@elwood/sdk/tool";
import type { BrowserContext, Dialog, Page } from "playwright-core";
import { proxyServer, type Launched } from "./chromium.ts";
import { Downloads } from "./downloads.ts";
import type { BrowserLimits } from "./limits.ts";
import type { Clock, Pass } from "./options.ts";
import { inWords, quoted } from "./words.ts";

export interface Tab {
  readonly id: string;
  readonly page: Page;
}

/** The browser as one conversation sees it: a profile of its own, its pages, and what happened in them. */
export class BrowserSession {
  readonly queue: CallQueue;
  readonly downloads: Downloads;
  readonly pass: Pass;
  readonly #context: BrowserContext;
  readonly #limits: BrowserLimits;
  readonly #clock: Clock;
  readonly #tabs = new Map<string, Tab>();
  readonly #notes: string[] = [];
  readonly #refused: Refused[] = [];
  #pagesMade = 0;
  #current: string | undefined;
  #opening = 0;
  usedAt: number;

  private constructor(
    context: BrowserContext,
    pass: Pass,
    { downloads }: Launched,
    clock: Clock,
    limits: BrowserLimits,
  ) {
    this.#context = context;
    this.#limits = limits;
    this.#clock = clock;
    this.pass = pass;
    this.usedAt = clock.now();
    this.queue = new CallQueue(limits.waitingCallsMax);
    this.downloads = new Downloads(downloads, clock, limits, (words) => this.note(words));
    context.on("page", (page) => {
      if (this.#opening === 0) this.#takePopup(page);
    });
  }

  /** Nothing of it outlives the browser: cookies and storage are kept in memory. */
  static async open(launched: Launched, clock: Clock, limits: BrowserLimits): Promise<BrowserSession> {
    const pass = launched.proxy.pass();
    const { username, password } = pass;
    try {
      const context = await launched.browser.newContext({
        proxy: { ...proxyServer(launched.proxy), username, password },
        acceptDownloads: true,
        serviceWorkers: "block",
        permissions: [],
        viewport: { width: 1280, height: 800 },
      });
      context.setDefaultTimeout(limits.lookMs);
      return new BrowserSession(context, pass, launched, clock, limits);
    } catch (error) {
      pass.revoke();
      throw error;
    }
  }

  get tabs(): readonly Tab[] {
    return [...this.#tabs.values()];
  }

  get current(): string | undefined {
    return this.#current;
  }

  touch(): void {
    this.usedAt = this.#clock.now();
  }

  /** A page by its name, or the one that was used last. */
  tab(id: string | undefined): Tab {
    const tab = this.#tabs.get(id ?? this.#current ?? "");
    if (tab) return tab;
    const open = [...this.#tabs.keys()].join(", ");
    if (open === "") throw new ToolError("no_page", NO_PAGE);
    throw new ToolError("no_page", `There is no page ${id ?? ""} in this conversation; open: ${open}.`);
  }

  /** The same, and from now on it is the one that was used last. */
  use(id: string | undefined): Tab {
    const tab = this.tab(id);
    this.#current = tab.id;
    return tab;
  }

  async newTab(): Promise<Tab> {
    const max = this.#limits.pagesPerSessionMax;
    if (this.#tabs.size >= max) {
      throw new ToolError(
        "too_many_pages",
        `This conversation has ${max} pages open already. Close one with browser.page.close, or name the page to open the address in.`,
      );
    }
    this.#opening += 1;
    try {
      return this.#adopt(await this.#context.newPage());
    } finally {
      this.#opening -= 1;
    }
  }

  async closeTab(id: string): Promise<void> {
    await this.#tabs.get(id)?.page.close();
    this.#forget(id);
  }

  note(words: string): void {
    if (this.#notes.length < this.#limits.notesMax)
      this.#notes.push(inWords(words, this.#limits.noteCharsMax));
  }

  /** What was forbidden to its pages and has not been told yet. */
  refused(): readonly Refused[] {
    const room = Math.max(0, REFUSED_MAX - this.#refused.length);
    this.#refused.push(...this.pass.refused().slice(0, room));
    return this.#refused;
  }

  /** What happened that nobody asked for, since this was last told. */
  takeNotes(): string[] {
    this.refused();
    const refused = this.#refused.splice(0);
    const notes = this.#notes.splice(0);
    if (refused.length === 0) return notes;
    const targets = refused.map(({ target }) => target).slice(0, this.#limits.candidatesMax);
    const more = refused.length > targets.length ? ` and ${refused.length - targets.length} more` : "";
    notes.push(
      `The page tried to reach ${inWords(targets.join(", "), this.#limits.noteCharsMax)}${more}, which Elwood does not connect to. Nothing was sent there.`,
    );
    return notes;
  }

  async close(): Promise<void> {
    this.pass.revoke();
    this.#tabs.clear();
    await this.#context.close().catch(() => undefined); // the browser may be gone already
  }

  #takePopup(page: Page): void {
    const max = this.#limits.pagesPerSessionMax;
    if (this.#tabs.size >= max) {
      void page.close().catch(() => undefined);
      this.note(`The page opened another one. It was closed at once: ${max} are open already.`);
      return;
    }
    const before = this.#current;
    const { id } = this.#adopt(page);
    this.#current = before ?? id;
    this.note(`The page opened another one, ${id}.`);
  }

  #adopt(page: Page): Tab {
    const tab = { id: `p${++this.#pagesMade}`, page };
    this.#tabs.set(tab.id, tab);
    this.#current = tab.id;
    page.on("close", () => this.#forget(tab.id));
    page.on("crash", () => {
      this.note(`The page ${tab.id} crashed and was closed.`);
      void page.close().catch(() => undefined);
      this.#forget(tab.id);
    });
    page.on("dialog", (dialog) => void this.#answer(tab.id, dialog));
    page.on("download", (download) => this.downloads.take(download));
    // Listening keeps the window for choosing files shut.
    page.on("filechooser", () =>
      this.note("The page asked for a file. None was given: Elwood uploads none."),
    );
    return tab;
  }

  async #answer(id: string, dialog: Dialog): Promise<void> {
    const leaving = dialog.type() === "beforeunload";
    const said = quoted(dialog.message(), this.#limits.nameCharsMax);
    // Leaving a page was decided by whoever made the call; all else a dialog asks is not agreed to.
    await (leaving ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
    this.note(
      leaving
        ? `The page ${id} asked whether to leave it, and was left.`
        : `The page ${id} showed a dialog (${dialog.type()}): ${said}. It was closed without agreeing.`,
    );
  }

  #forget(id: string): void {
    this.#tabs.delete(id);
    if (this.#current === id) this.#current = [...this.#tabs.keys()].at(-1);
  }
}

type Refused = ReturnType<Pass["refused"]>[number];
const REFUSED_MAX = 100;

const NO_PAGE = "No page is open in this conversation. Open one with browser.page.open.";

/** A queue for the calls of one session. */
class CallQueue {
  readonly #max: number;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(max: number) {
    this.#max = max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#max) {
      throw new ToolError("busy", "Too many calls wait for this browser already. Nothing was done.", {
        retryable: true,
      });
    }
    this.#waiting += 1;
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      this.#waiting -= 1;
    }
  }
}
