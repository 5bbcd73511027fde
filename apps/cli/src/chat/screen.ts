import {
  Editor,
  isKeyRelease,
  matchesKey,
  TuiMainScreen,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
  type AutocompleteProvider,
  type Component,
  type KeyId,
  type Terminal,
} from "@earendil-works/pi-tui";
import type { Paint } from "../paint.ts";

/** One line to choose from. */
export interface Choice {
  readonly label: string;
  readonly note?: string;
  readonly tone?: "good" | "bad";
  pick(): void;
}

export interface ChoiceList {
  readonly title?: string;
  readonly choices: readonly Choice[];
  /** Typing narrows the list. */
  readonly search?: boolean;
  cancel(): void;
}

/** What the owner types instead of a message: a note, a confirming word, an answer. */
export interface TextRequest {
  readonly title: string;
  submit(text: string): void;
  cancel(): void;
}

export interface ScreenEvents {
  submit(text: string): void;
  /** True where the key was used up. `empty`: the box has no text. */
  key(is: (key: KeyId) => boolean, empty: boolean): boolean;
  /** Lines between the transcript and the box. */
  live(): readonly string[];
  /** The line below the box. */
  footer(width: number): string;
}

/** Rows that the list of choices takes at most. */
const CHOICES_SHOWN_MAX = 10;
/** The live part leaves room for the box and what was said last. */
const LIVE_LINES_MAX = 8;

/**
 * The terminal as the chat uses it: what was said is printed once, above, and belongs to the
 * terminal from then on, with its scrollback, its search and its selection; only the last lines
 * are drawn again and again. The library that draws them is known to this file alone.
 *
 * S1 What was printed is never changed or cleared, whatever happens to the window.
 * S2 Every change of the screen is one write, between marks that terminals take for one frame.
 */
export class Screen {
  readonly #terminal: Terminal;
  readonly #tui: TuiMainScreen;
  readonly #editor: Editor;
  readonly #events: ScreenEvents;
  readonly #paint: Paint;
  /** The end of what was printed, as far as its line is not over. */
  #partial = "";
  #list: OpenList | undefined;
  #request: TextRequest | undefined;
  /** What was in the box when something else was asked for. */
  #draft = "";
  wrap = true;

  constructor(terminal: Terminal, events: ScreenEvents, paint: Paint) {
    this.#terminal = keepingScrollback(terminal, () => this.#resized());
    this.#events = events;
    this.#paint = paint;
    this.#tui = new TuiMainScreen(this.#terminal, true);
    const plain = (text: string) => text;
    const dim = (text: string) => paint("dim", text);
    this.#editor = new Editor(this.#tui, {
      borderColor: dim,
      selectList: {
        selectedPrefix: (text) => paint("cyan", text),
        selectedText: (text) => paint("bold", text),
        description: dim,
        scrollInfo: dim,
        noMatch: plain,
      },
    });
    this.#editor.onSubmit = (text) => this.#submitted(text);
    this.#tui.addChild(this.#part((width) => this.#above(width)));
    this.#tui.addChild(this.#editor);
    this.#tui.addChild(this.#part((width) => [this.#events.footer(width)]));
    this.#tui.setFocus(this.#editor);
    this.#tui.addInputListener((data) => (this.#typed(data) ? { consume: true } : undefined));
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  get text(): string {
    return this.#editor.getExpandedText();
  }

  start(): void {
    this.#tui.start();
  }

  /** Leaves the terminal as it was found, below everything that was printed. */
  async stop(): Promise<void> {
    this.#eraseLive();
    this.#tui.clear();
    await this.#terminal.drainInput();
    this.#tui.stop();
  }

  /** While another program has the terminal. */
  async suspended<T>(work: () => Promise<T>): Promise<T> {
    this.#eraseLive();
    this.#tui.stop();
    try {
      return await work();
    } finally {
      this.#tui.start();
      this.#fresh();
    }
  }

  complete(provider: AutocompleteProvider): void {
    this.#editor.setAutocompleteProvider(provider);
  }

  remember(text: string): void {
    this.#editor.addToHistory(text);
  }

  setText(text: string): void {
    this.#editor.setText(text);
    this.refresh();
  }

  /** Prints below everything that was printed; a line that is not over goes on with the next piece. */
  print(text: string): void {
    if (text === "") return;
    const all = this.#partial + text;
    const end = all.lastIndexOf("\n");
    this.#partial = all.slice(end + 1);
    if (end < 0) {
      this.refresh();
      return;
    }
    const lines = all
      .slice(0, end)
      .split("\n")
      .flatMap((line) => this.#fitted(line, this.columns));
    this.#terminal.write(`${SYNC_ON}${this.#toTop()}${lines.join("\r\n")}\r\n`);
    this.#fresh();
    this.#tui.renderNow();
    this.#terminal.write(SYNC_OFF);
  }

  /** What comes next begins on a line of its own. */
  endLine(): void {
    if (this.#partial !== "") this.print("\n");
  }

  choose(list: ChoiceList): void {
    this.#list = { ...list, selected: 0, filter: "" };
    this.refresh();
  }

  /** The list, or what was asked for in its place, is gone. */
  closeChoices(): void {
    this.#list = undefined;
    if (this.#request) this.#endRequest();
    this.refresh();
  }

  get choosing(): boolean {
    return this.#list !== undefined || this.#request !== undefined;
  }

  ask(request: TextRequest): void {
    this.#draft = this.#editor.getText();
    this.#request = request;
    this.#editor.setText("");
    this.refresh();
  }

  refresh(): void {
    this.#tui.requestRender();
  }

  #endRequest(): void {
    this.#request = undefined;
    this.#editor.setText(this.#draft);
    this.#draft = "";
  }

  #submitted(text: string): void {
    const request = this.#request;
    if (!request) {
      this.#events.submit(text);
      return;
    }
    this.#endRequest();
    request.submit(text);
  }

  #typed(data: string): boolean {
    if (isKeyRelease(data)) return true;
    const is = (key: KeyId) => matchesKey(data, key);
    const request = this.#request;
    if (request && is("escape")) {
      this.#endRequest();
      request.cancel();
      return true;
    }
    if (this.#list && !this.#request) return this.#typedInList(this.#list, data, is);
    return this.#events.key(is, this.#editor.getText() === "");
  }

  /** Only arrows, Enter and Escape decide in a list: a letter that was meant for the box decides nothing. */
  #typedInList(list: OpenList, data: string, is: (key: KeyId) => boolean): boolean {
    const shown = matching(list);
    if (is("up")) list.selected = Math.max(0, list.selected - 1);
    else if (is("down") || is("tab")) list.selected = Math.min(shown.length - 1, list.selected + 1);
    else if (is("escape")) {
      this.#list = undefined;
      list.cancel();
    } else if (is("enter")) {
      const chosen = shown[list.selected];
      if (chosen) {
        this.#list = undefined;
        chosen.pick();
      }
    } else if (is("ctrl+c")) return this.#events.key(is, true);
    else if (list.search && is("backspace")) setFilter(list, list.filter.slice(0, -1));
    else if (list.search && /^[^\p{Cc}]+$/u.test(data)) setFilter(list, list.filter + data);
    this.refresh();
    return true;
  }

  #above(width: number): string[] {
    const partial = this.#partial === "" ? [] : this.#fitted(this.#partial, width);
    const live = this.#events
      .live()
      .slice(-LIVE_LINES_MAX)
      .map((line) => truncateToWidth(line, width));
    const asked = this.#request ? wrapTextWithAnsi(this.#paint("bold", this.#request.title), width) : [];
    return [...partial, ...live, ...(this.#list ? this.#listLines(this.#list, width) : []), ...asked];
  }

  #listLines(list: OpenList, width: number): string[] {
    const shown = matching(list);
    list.selected = Math.max(0, Math.min(list.selected, shown.length - 1));
    const from = Math.max(
      0,
      Math.min(list.selected - Math.floor(CHOICES_SHOWN_MAX / 2), shown.length - CHOICES_SHOWN_MAX),
    );
    const rows = shown.slice(from, from + CHOICES_SHOWN_MAX).map((choice, i) => {
      const selected = from + i === list.selected;
      const style = choice.tone === "good" ? "green" : choice.tone === "bad" ? "red" : "bold";
      const label = selected ? this.#paint(style, choice.label) : choice.label;
      const note = choice.note === undefined ? "" : `  ${this.#paint("dim", choice.note)}`;
      return truncateToWidth(`${selected ? this.#paint("cyan", "❯") : " "} ${label}${note}`, width);
    });
    const title = list.title === undefined ? [] : wrapTextWithAnsi(this.#paint("bold", list.title), width);
    const search = list.filter === "" ? [] : [truncateToWidth(`  ${list.filter}`, width)];
    const more =
      shown.length > rows.length ? [this.#paint("dim", `  ${list.selected + 1} of ${shown.length}`)] : [];
    return [...title, ...search, ...rows, ...more];
  }

  #fitted(line: string, width: number): string[] {
    if (visibleWidth(line) <= width) return [line];
    return this.wrap ? wrapTextWithAnsi(line, width) : [truncateToWidth(line, width)];
  }

  #part(render: (width: number) => string[]): Component {
    return { render, invalidate: () => undefined };
  }

  /** Moves to where the live part begins, and clears it. A narrower window has broken its lines by then. */
  #toTop(): string {
    const { hardwareCursorRow, previousLines } = this.#tui.captureRenderState();
    const rows = previousLines
      .slice(0, hardwareCursorRow)
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleWidth(line) / this.columns)), 0);
    return `\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`;
  }

  #resized(): void {
    this.#eraseLive();
  }

  #eraseLive(): void {
    this.#terminal.write(this.#toTop());
    this.#fresh();
  }

  /** The live part is drawn from where the cursor stands, as if for the first time. */
  #fresh(): void {
    this.#tui.restoreRenderState({
      previousLines: [],
      previousWidth: 0,
      previousHeight: 0,
      cursorRow: 0,
      hardwareCursorRow: 0,
      maxLinesRendered: 0,
      previousViewportTop: 0,
    });
  }
}

interface OpenList extends ChoiceList {
  selected: number;
  filter: string;
}

function matching({ choices, filter }: OpenList): readonly Choice[] {
  const words = filter.toLowerCase().split(" ").filter(Boolean);
  return choices.filter(({ label, note = "" }) => {
    const text = `${label} ${note}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function setFilter(list: OpenList, filter: string): void {
  list.filter = filter;
  list.selected = 0;
}

const SYNC_ON = "\u001b[?2026h";
const SYNC_OFF = "\u001b[?2026l";
const CLEAR_SCROLLBACK = "\u001b[3J";
const CLEAR_SCREEN = "\u001b[2J\u001b[H";

/** S1: the same terminal, of which nothing is cleared but what stands below the cursor. */
function keepingScrollback(terminal: Terminal, resized: () => void): Terminal {
  return new Proxy(terminal, {
    get(target, key) {
      if (key === "write")
        return (data: string) =>
          target.write(data.replaceAll(CLEAR_SCROLLBACK, "").replaceAll(CLEAR_SCREEN, "\u001b[J"));
      if (key === "start")
        return (onInput: (data: string) => void, onResize: () => void) =>
          target.start(onInput, () => {
            resized();
            onResize();
          });
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
