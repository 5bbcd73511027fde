import { LIMITS } from "@elwood/core/base/limits";
import type { Redactor } from "@elwood/core/base/redact";

/** A line that was redacted and bounded, before it is made text. */
export interface SafeLine {
  readonly at: number;
  readonly msg: string;
  readonly fields: object;
}

export interface KeptLine {
  readonly n: number;
  readonly ts: number;
  readonly level: "error" | "warn" | "info" | "debug";
  readonly message: string;
  readonly fields?: Record<string, unknown>;
}

/** The last lines of this process's log, for the owner to look at. */
export interface LogTail {
  /** Lines after number `after`, oldest first; of more than `limit` the newest. */
  read(
    after: number,
    limit: number,
  ): { readonly lines: readonly KeptLine[]; readonly last: number; readonly missed: number };
  /** Lets go of lines that hold something; answers how many. */
  forget(holds: (text: string) => boolean): number;
}

/**
 * Bounded by lines and by characters. What is kept was redacted when it was written, and is
 * redacted again as it is read: a secret that became known in between is left out too.
 */
export class LogRing implements LogTail {
  readonly #redact: Redactor;
  readonly #lines: (SafeLine & Pick<KeptLine, "n" | "level"> & { readonly chars: number })[] = [];
  #chars = 0;
  #last = 0;

  constructor(redact: Redactor) {
    this.#redact = redact;
  }

  add(level: KeptLine["level"], { at, msg, fields }: SafeLine): void {
    const whole = msg.length + JSON.stringify(fields).length;
    const long = whole > LIMITS.logLineCharsMax;
    const chars = long ? msg.length : whole;
    this.#last += 1;
    this.#lines.push({ n: this.#last, level, at, msg, fields: long ? { shortened: whole } : fields, chars });
    this.#chars += chars;
    while (this.#lines.length > LIMITS.logLinesKept || this.#chars > LIMITS.logCharsKept)
      this.#chars -= this.#lines.shift()?.chars ?? 0;
  }

  read(after: number, limit: number): ReturnType<LogTail["read"]> {
    const fresh = this.#lines.filter(({ n }) => n > after).slice(-limit);
    const lines = fresh.map(({ n, at, level, msg, fields }) => ({
      n,
      ts: at,
      level,
      message: this.#redact(msg),
      ...(Object.keys(fields).length > 0 ? { fields: this.#clean(fields) } : {}),
    }));
    const first = lines[0]?.n ?? this.#last + 1;
    return { lines, last: this.#last, missed: Math.max(0, first - 1 - Math.min(after, this.#last)) };
  }

  forget(holds: (text: string) => boolean): number {
    const kept = this.#lines.filter(({ msg, fields }) => !holds(msg) && !holds(JSON.stringify(fields)));
    const gone = this.#lines.length - kept.length;
    if (gone === 0) return 0;
    this.#lines.splice(0, this.#lines.length, ...kept);
    this.#chars = kept.reduce((sum, { chars }) => sum + chars, 0);
    return gone;
  }

  #clean(fields: object): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [this.#redact(key), this.#cleanValue(value)]),
    );
  }

  #cleanValue(value: unknown): unknown {
    if (typeof value === "string") return this.#redact(value);
    if (Array.isArray(value)) return value.map((each) => this.#cleanValue(each));
    return typeof value === "object" && value !== null ? this.#clean(value) : value;
  }
}
