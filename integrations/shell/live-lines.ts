import { SHELL_LIMITS } from "./limits.ts";

/**
 * Tells whoever watches the latest line that a command wrote, not more often than people can read. A command that
 * ends at once says nothing on its way, and none says its last line again: the output has it.
 */
export class LiveLines {
  readonly #say: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";
  #waiting: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #said = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  add(data: Buffer): void {
    const lines = `${this.#rest}${this.#decoder.decode(data, { stream: true })}`.split(/[\r\n]+/);
    this.#rest = (lines.pop() ?? "").slice(-SHELL_LIMITS.progressCharsMax);
    const line = lines.findLast((each) => each.trim() !== "");
    if (line === undefined) return;
    this.#waiting = line;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, SHELL_LIMITS.progressEveryMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    const line = this.#waiting;
    this.#waiting = undefined;
    if (line === undefined || this.#said >= SHELL_LIMITS.progressLinesMax) return;
    this.#said += 1;
    this.#say(plain(line).slice(0, SHELL_LIMITS.progressCharsMax));
  }
}

/** Without colours and other instructions to a terminal. */
function plain(line: string): string {
  // eslint-disable-next-line no-control-regex
  return line
    .replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
    .trimEnd();
}
