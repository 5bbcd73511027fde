import type { Terminal } from "@earendil-works/pi-tui";
import { Terminal as Emulator } from "@xterm/headless";

/** A terminal for tests: an emulator that keeps what it is sent as a person would see it. */
export class TestTerminal implements Terminal {
  readonly kittyProtocolActive = false;
  readonly #emulator: Emulator;
  /** Everything that was written, with its control sequences. */
  raw = "";
  #input: (data: string) => void = () => undefined;
  #resize: () => void = () => undefined;

  constructor(columns = 80, rows = 24) {
    this.#emulator = new Emulator({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true });
  }

  get columns(): number {
    return this.#emulator.cols;
  }

  get rows(): number {
    return this.#emulator.rows;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#input = onInput;
    this.#resize = onResize;
  }

  stop(): void {}

  async drainInput(): Promise<void> {}

  write(data: string): void {
    this.raw += data;
    this.#emulator.write(data);
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(`\u001b[${Math.abs(lines)}${lines > 0 ? "B" : "A"}`);
  }

  hideCursor(): void {}
  showCursor(): void {}
  clearLine(): void {
    this.write("\u001b[K");
  }
  clearFromCursor(): void {
    this.write("\u001b[J");
  }
  clearScreen(): void {
    this.write("\u001b[2J\u001b[H");
  }
  setTitle(): void {}
  setProgress(): void {}

  /** Keys, as a terminal sends them. */
  type(keys: string): void {
    this.#input(keys);
  }

  /** A line and Enter. */
  enter(line: string): void {
    for (const character of line) this.#input(character);
    this.#input("\r");
  }

  /** As a terminal sends what is pasted. */
  paste(text: string): void {
    this.#input(`\u001b[200~${text}\u001b[201~`);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#resize();
  }

  /** All lines, those that scrolled out included, without the empty ones at the end. */
  async lines(): Promise<string[]> {
    await new Promise<void>((done) => this.#emulator.write("", done));
    const { active } = this.#emulator.buffer;
    const lines = Array.from(
      { length: active.length },
      (_, i) => active.getLine(i)?.translateToString(true) ?? "",
    );
    return lines.join("\n").trimEnd().split("\n");
  }

  /** What stands on the screen now. */
  async screen(): Promise<string> {
    await new Promise<void>((done) => this.#emulator.write("", done));
    const { active } = this.#emulator.buffer;
    const rows = Array.from(
      { length: this.rows },
      (_, i) => active.getLine(active.baseY + i)?.translateToString(true) ?? "",
    );
    return rows.join("\n").trimEnd();
  }

  async text(): Promise<string> {
    return (await this.lines()).join("\n");
  }
}

export const KEYS = {
  up: "\u001b[A",
  down: "\u001b[B",
  escape: "\u001b",
  enter: "\r",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlO: "\u000f",
  ctrlK: "\u000b",
  ctrlR: "\u0012",
  ctrlS: "\u0013",
  ctrlT: "\u0014",
  ctrlV: "\u0016",
  altO: "\u001bo",
  backspace: "\u007f",
  tab: "\t",
  shiftTab: "\u001b[Z",
  f2: "\u001bOQ",
  f6: "\u001b[17~",
  f9: "\u001b[20~",
} as const;
