import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";

/**
 * What was written and not sent when the terminal was lost, until the next chat takes it up. It
 * is written in one go: whoever loses a terminal may be ended a moment later.
 */
export class DraftFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  keep(text: string): void {
    if (text.trim() === "") return;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(this.#path, text.slice(0, LIMITS.messageCharsMax), { mode: 0o600 });
    } catch (cause) {
      // There is nobody left to tell.
      if (!(cause instanceof Error && "code" in cause)) throw cause;
    }
  }

  /** Once: what is taken is in the box from then on. */
  take(): string {
    try {
      const text = readFileSync(this.#path, "utf8");
      rmSync(this.#path);
      return text.slice(0, LIMITS.messageCharsMax);
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause)) throw cause;
      return "";
    }
  }
}
