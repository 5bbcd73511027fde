/** Text that is put together from pieces, up to a length; what comes after it is not kept. */
export class TextLines {
  readonly #charsMax: number;
  readonly #lines: string[] = [];
  #chars = 0;
  #cut = false;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** Once true, going on is of no use. */
  get full(): boolean {
    return this.#cut;
  }

  add(line: string): void {
    if (this.#cut) return;
    const left = this.#charsMax - this.#chars;
    if (line.length > left) this.#cut = true;
    const kept = this.#cut ? line.slice(0, Math.max(0, left)) : line;
    this.#chars += kept.length + 1;
    this.#lines.push(kept);
  }

  /** At most one empty line in a row. */
  text(): string {
    return this.#lines
      .join("\n")
      .replaceAll(/[ \t]+\n/g, "\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim();
  }
}
