import {
  Editor,
  isKeyRelease,
  KeybindingsManager,
  matchesKey,
  setKeybindings,
  TUI_KEYBINDINGS,
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
import { asciiText } from "./ascii-text.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";
import { KEY_ACTIONS, USUAL_KEYS, type ActionName, type KeyTable } from "./keys.ts";
import { withPanes, type Panes } from "./panes.ts";

export type { AutocompleteProvider } from "@earendil-works/pi-tui";

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
  key(does: (action: ActionName) => boolean, empty: boolean): boolean;
  /** Something was pasted; the text that goes into the box for it, or undefined for itself. */
  paste?(text: string): string | undefined;
  /** What stands beside the conversation in panes mode. */
  panes?(): Panes;
  /** A line of the left pane was chosen. */
  pickPane?(index: number): void;
  /** Lines between the transcript and the box. */
  live(): readonly string[];
  /** The line below the box. */
  footer(width: number): string;
}

export interface ScreenOptions {
  readonly keys?: KeyTable;
  /** The terminal shows no letters but those of ASCII. */
  readonly ascii?: boolean;
  /** Asks the system for the size of the window, so that nothing is drawn for the size before; says it where it is another. */
  readonly refreshSize?: () => void;
}

/** In panes mode, and to come back from it, so many of the last lines are kept. */
const LINES_KEPT_MAX = 10_000;
/** What comes later holds up what is printed after it for so long at most. */
const LATER_MS_MAX = 5_000;
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
  /** For what is printed, as it is. */
  readonly #out: Terminal;
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
  readonly #keys: KeyTable;
  /** What was printed, line by line; the oldest go. */
  #lines: string[] = [];
  /** While what comes later has not come, everything after it waits. */
  #waiting: Piece[] = [];
  /** Set in panes mode. */
  #paned: PanesState | undefined;
  #started = false;
  wrap = true;

  constructor(terminal: Terminal, events: ScreenEvents, paint: Paint, options: ScreenOptions = {}) {
    this.#keys = options.keys ?? USUAL_KEYS;
    setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, editorKeys(this.#keys)));
    const shown = options.ascii === true ? asciiOnly(terminal) : terminal;
    this.#out = shown;
    this.#terminal = keepingScrollback(shown, () => this.#resized(), options.refreshSize);
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

  /** The message that is being written, also while something else is asked for. */
  get message(): string {
    return this.#request ? this.#draft : this.text;
  }

  get isShown(): boolean {
    return this.#started;
  }

  /** Once is enough. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#tui.start();
  }

  /** Leaves the terminal as it was found, below everything that was printed. */
  async stop(): Promise<void> {
    if (!this.#started) return;
    this.#started = false;
    this.#waiting = [];
    this.leavePanes();
    this.#eraseLive();
    this.#tui.clear();
    await this.#terminal.drainInput();
    this.#tui.stop();
  }

  /** While another program has the terminal. */
  async suspended<T>(work: () => Promise<T>): Promise<T> {
    this.leavePanes();
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

  insert(text: string): void {
    this.#editor.insertTextAtCursor(text);
    this.refresh();
  }

  /** What the terminal does beside showing something: a bell, its clipboard. Never text of others. */
  signal(sequence: string): void {
    this.#out.write(sequence);
  }

  /** An empty screen; what stood there goes up into the scrollback. */
  clear(): void {
    if (this.#paned) {
      this.#lines = [];
      this.refresh();
      return;
    }
    this.endLine();
    const rows = this.#terminal.rows;
    this.#out.write(`${SYNC_ON}${this.#toTop()}${"\r\n".repeat(rows)}\u001b[H`);
    this.#fresh();
    this.#tui.renderNow();
    this.#out.write(SYNC_OFF);
  }

  // ── panes ──────────────────────────────────────────────────────────────────────────

  get paned(): boolean {
    return this.#paned !== undefined;
  }

  /** The other screen of the terminal, with panes beside the conversation. */
  enterPanes(): void {
    if (this.#paned) return;
    this.#eraseLive();
    this.#paned = { focus: "box", selected: 0, scrolled: 0, unseen: 0 };
    this.#out.write(ALT_SCREEN_ON);
    this.#fresh();
    this.refresh();
  }

  /** Back to the main screen; what was printed meanwhile is printed there too (S1). */
  leavePanes(): void {
    const paned = this.#paned;
    if (!paned) return;
    this.#paned = undefined;
    this.#out.write(ALT_SCREEN_OFF);
    this.#fresh();
    const missed = this.#lines.slice(this.#lines.length - Math.min(paned.unseen, this.#lines.length));
    if (missed.length > 0) this.#write(missed);
    this.refresh();
  }

  /** Prints below everything that was printed; a line that is not over goes on with the next piece. */
  print(text: string): void {
    if (text === "") return;
    if (this.#waiting.length > 0) this.#waiting.push({ text });
    else this.#printNow(text);
  }

  /** What comes next begins on a line of its own. */
  endLine(): void {
    if (this.#waiting.length > 0) this.#waiting.push({ text: "", endsLine: true });
    else if (this.#partial !== "") this.#printNow("\n");
  }

  /** Prints what comes, in its place: what is printed meanwhile waits for it, but not for long. */
  printLater(text: Promise<string>, otherwise: string): void {
    const piece: Piece = { text: undefined };
    this.#waiting.push(piece);
    const filled = (words: string) => {
      clearTimeout(timer);
      piece.text ??= words;
      this.#catchUp();
    };
    const timer = setTimeout(() => filled(otherwise), LATER_MS_MAX);
    text.then(filled, () => filled(otherwise));
  }

  #catchUp(): void {
    while (this.#waiting[0]?.text !== undefined) {
      const { text, endsLine = false } = this.#waiting.shift()!;
      if (endsLine && this.#partial !== "") this.#printNow("\n");
      if (text !== undefined && text !== "") this.#printNow(text);
    }
  }

  #printNow(text: string): void {
    const all = this.#partial + text;
    const end = all.lastIndexOf("\n");
    this.#partial = all.slice(end + 1);
    if (end < 0) {
      this.refresh();
      return;
    }
    this.#printLines(all.slice(0, end).split("\n"));
  }

  /** Prints whole lines now; a line that is not over goes on below them. */
  printAbove(lines: readonly string[]): void {
    if (lines.length > 0) this.#printLines(lines);
  }

  #printLines(lines: readonly string[]): void {
    this.#lines.push(...lines);
    if (this.#lines.length > LINES_KEPT_MAX) this.#lines = this.#lines.slice(-LINES_KEPT_MAX / 2);
    if (this.#paned) {
      this.#paned.unseen += lines.length;
      this.refresh();
      return;
    }
    this.#write(lines);
  }

  #write(lines: readonly string[]): void {
    const fitted = lines.flatMap((line) => this.#fitted(line, this.columns));
    this.#out.write(`${SYNC_ON}${this.#toTop()}${fitted.join("\r\n")}\r\n`);
    this.#fresh();
    this.#tui.renderNow();
    this.#out.write(SYNC_OFF);
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
    if (this.#paned && this.#typedInPanes(this.#paned, is)) return true;
    if (data.startsWith(PASTE_BEGINS) && this.#pasted(data)) return true;
    if (request) return is("ctrl+c") ? this.#events.key(this.#does(is), false) : false;
    // What completes a word is chosen by the same keys.
    if (this.#editor.isShowingAutocomplete() && (is("escape") || is("tab") || is("enter"))) return false;
    return this.#events.key(this.#does(is), this.#editor.getText() === "");
  }

  #does(is: (key: KeyId) => boolean): (action: ActionName) => boolean {
    // The file of keys was read with care; the library names them in its type.
    return (action) => this.#keys[action].some((key) => is(key as KeyId));
  }

  #pasted(data: string): boolean {
    const end = data.lastIndexOf(PASTE_ENDS);
    const text = data.slice(PASTE_BEGINS.length, end < 0 ? undefined : end);
    const instead = this.#events.paste?.(text.replaceAll(/\r\n?/g, "\n"));
    if (instead === undefined) return false;
    this.#editor.insertTextAtCursor(instead);
    this.refresh();
    return true;
  }

  #typedInPanes(paned: PanesState, is: (key: KeyId) => boolean): boolean {
    const page = Math.max(1, this.#terminal.rows - 8);
    if (is("pageUp")) paned.scrolled += page;
    else if (is("pageDown")) paned.scrolled = Math.max(0, paned.scrolled - page);
    else if (this.#does(is)("complete") && this.#editor.getText() === "") {
      paned.focus = paned.focus === "box" ? "left" : paned.focus === "left" ? "right" : "box";
    } else if (paned.focus === "box") return false;
    else if (is("escape")) paned.focus = "box";
    else if (paned.focus === "right") return false;
    else if (is("up")) paned.selected = Math.max(0, paned.selected - 1);
    else if (is("down"))
      paned.selected = Math.min((this.#events.panes?.().left.length ?? 1) - 1, paned.selected + 1);
    else if (is("enter")) {
      paned.focus = "box";
      this.#events.pickPane?.(paned.selected);
    } else return false;
    this.refresh();
    return true;
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
    } else if (is("ctrl+c")) return this.#events.key(this.#does(is), true);
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
    const below = [...live, ...(this.#list ? this.#listLines(this.#list, width) : []), ...asked];
    const paned = this.#paned;
    if (!paned) return [...partial, ...below];
    const rows = this.#terminal.rows - this.#editor.render(width).length - 1 - below.length;
    const frame = withPanes(this.#events.panes?.() ?? { left: [], right: [] }, {
      width,
      rows: Math.max(1, rows),
      focus: paned.focus,
      selected: paned.selected,
      scrolled: paned.scrolled,
      paint: this.#paint,
      // Enough of them for what is shown, however long the conversation is.
      talk: (columns) =>
        [
          ...this.#lines.slice(-(rows + paned.scrolled + 1)),
          ...(this.#partial === "" ? [] : [this.#partial]),
        ].flatMap((line) => this.#fitted(line, columns)),
      scrolledTo: (lines) => {
        paned.scrolled = lines;
      },
    });
    return [...frame, ...below];
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
      shown.length > rows.length
        ? [this.#paint("dim", `  ${WORDS.ofAll(list.selected + 1, shown.length)}`)]
        : [];
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
      .map((line) => visibleWidth(line.replace(LINE_RESET, "").trimEnd()))
      .reduce((sum, width) => sum + Math.max(1, Math.ceil(width / this.columns)), 0);
    const top = `\r${rows > 0 ? `\u001b[${rows}A` : ""}`;
    // tmux keeps what is cleared from the very first cell in its history; so the first line goes by itself.
    return previousLines.length > 1 ? `${top}\u001b[2K\u001b[1B\u001b[J\u001b[1A` : `${top}\u001b[J`;
  }

  #resized(): void {
    this.#eraseLive();
  }

  #eraseLive(): void {
    this.#out.write(this.#toTop());
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

interface Piece {
  /** Undefined until it has come. */
  text: string | undefined;
  readonly endsLine?: boolean;
}

interface PanesState {
  focus: "box" | "left" | "right";
  /** Of the left pane. */
  selected: number;
  /** So many lines above the end of the conversation. */
  scrolled: number;
  /** Lines that the main screen does not have yet. */
  unseen: number;
}

/** What the box does itself, by the names of the library. */
function editorKeys(keys: KeyTable): Record<string, KeyId[]> {
  const named = Object.entries(KEY_ACTIONS).flatMap(([action, about]) =>
    "editor" in about ? [[about.editor, [...keys[action as ActionName]] as KeyId[]] as const] : [],
  );
  return Object.fromEntries(named);
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
const LINE_RESET = "\u001b[0m\u001b]8;;\u0007";
// oxlint-disable-next-line no-control-regex
const FILLED = / +(?=\u001b\[0m\u001b\]8;;\u0007)/g;
const ALT_SCREEN_ON = "\u001b[?1049h\u001b[H";
const ALT_SCREEN_OFF = "\u001b[?1049l";
const PASTE_BEGINS = "\u001b[200~";
const PASTE_ENDS = "\u001b[201~";
const CLEAR_SCROLLBACK = "\u001b[3J";
const CLEAR_SCREEN = "\u001b[2J\u001b[H";

/** S1: the same terminal, of which nothing is cleared but what stands below the cursor. */
function keepingScrollback(terminal: Terminal, resized: () => void, refreshSize?: () => void): Terminal {
  let asking = false;
  return new Proxy(terminal, {
    get(target, key) {
      if (key === "write")
        return (data: string) =>
          target.write(
            data
              .replaceAll(CLEAR_SCROLLBACK, "")
              .replaceAll(CLEAR_SCREEN, "\u001b[J")
              // Lines end where their text does: one that is filled up breaks where a terminal finds a letter wider than we do.
              .replaceAll(FILLED, ""),
          );
      if (key === "columns" && refreshSize && !asking) {
        // Whoever draws begins by asking for it.
        asking = true;
        refreshSize();
        asking = false;
      }
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

/** The same terminal, to which nothing but ASCII is written. */
function asciiOnly(terminal: Terminal): Terminal {
  return new Proxy(terminal, {
    get(target, key) {
      if (key === "write") return (data: string) => target.write(asciiText(data));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
