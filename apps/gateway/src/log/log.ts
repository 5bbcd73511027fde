import { LIMITS } from "@elwood/core/base/limits";
import { type Redactor, makeRedactor } from "@elwood/core/base/redact";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { LogRing, type LogTail, type SafeLine } from "./log-tail.ts";
import { RequestIds } from "./request-ids.ts";
import { safeValue } from "./safe-value.ts";

export type LogLevel = keyof Log;
export type LogFormat = "auto" | "json" | "pretty";

/** Where lines go; a terminal says so by `isTTY`. */
export interface LogStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

export interface LogOptions {
  readonly stream: LogStream;
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly clock: Pick<Clock, "now">;
  readonly redact?: Redactor;
  readonly color?: boolean;
}

/**
 * L1 What leaves here was redacted here, key by key before anything is shortened and once
 *    more as a whole line: a secret cut in half would no longer be known.
 * L2 A line is one line, and bounded, whatever is handed in.
 * L3 Logging never throws and never stops the work it tells of; lines that could not be
 *    written are counted, and the next one that can says how many.
 */
export interface LogSink {
  readonly log: Log;
  /**
   * Secrets become known as the gateway starts and keys are added. Adds them to what is
   * left out from now on, and answers a redactor that stays up to date by itself.
   */
  readonly learnSecrets: (secrets: Iterable<string>) => Redactor;
  readonly setLevel: (level: LogLevel) => void;
  /** The last lines that were written. */
  readonly tail: LogTail;
  /** Which requests lines belong to. */
  readonly requests: RequestIds;
}

const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

export function makeLog(options: LogOptions): LogSink {
  return new LogWriter(options);
}

class LogWriter implements LogSink {
  readonly log: Log;
  readonly tail: LogRing;
  readonly requests = new RequestIds();
  readonly #options: LogOptions;
  readonly #isPretty: boolean;
  readonly #secrets = new Set<string>();
  #withoutSecrets = makeRedactor(this.#secrets);
  #level: LogLevel;
  /** Lines that could not be written since the last one that could (L3). */
  #dropped = 0;

  constructor(options: LogOptions) {
    const { stream, format } = options;
    this.#options = options;
    this.#isPretty = format === "pretty" || (format === "auto" && stream.isTTY === true);
    this.#level = options.level;
    this.tail = new LogRing(this.#redact);
    this.log = {
      error: (message, fields) => this.#write("error", message, fields),
      warn: (message, fields) => this.#write("warn", message, fields),
      info: (message, fields) => this.#write("info", message, fields),
      debug: (message, fields) => this.#write("debug", message, fields),
    };
  }

  readonly learnSecrets = (secrets: Iterable<string>): Redactor => {
    for (const secret of secrets) this.#secrets.add(secret);
    this.#withoutSecrets = makeRedactor(this.#secrets);
    return this.#redact;
  };

  readonly setLevel = (level: LogLevel): void => {
    this.#level = level;
  };

  readonly #redact: Redactor = (text, replace) =>
    this.#withoutSecrets(this.#options.redact?.(text) ?? text, replace);

  #write(at: LogLevel, message: string, fields: Record<string, unknown> = {}): void {
    // The tail shows what happened even if the terminal is set to be quiet.
    if (RANK[at] > Math.max(RANK[this.#level], RANK.info)) return;
    const dropped = this.#dropped;
    try {
      const safe = this.#safely(message, this.#whole(at, message, fields, dropped));
      this.tail.add(at, safe);
      if (RANK[at] > RANK[this.#level]) return;
      const whole = this.#redact(this.#line(at, safe));
      const short =
        whole.length <= LIMITS.logLineCharsMax
          ? whole
          : this.#redact(this.#line(at, this.#safely(message, { shortened: whole.length })));
      this.#options.stream.write(`${short}\n`);
      this.#dropped = 0;
    } catch {
      // A stream that is gone, or a value made to fail: nothing here may reach the caller (L3).
      this.#dropped += 1;
    }
  }

  /** Every line says which request it belongs to, and every error has a code that stays. */
  #whole(at: LogLevel, message: string, fields: Record<string, unknown>, dropped: number) {
    const requestId = fields["requestId"] ?? this.requests.of(fields);
    return {
      ...(at === "error" && fields["event"] === undefined ? { event: eventOf(this.#redact(message)) } : {}),
      ...fields,
      ...(requestId === undefined ? {} : { requestId }),
      ...(dropped === 0 ? {} : { linesDropped: dropped }),
    };
  }

  #safely(message: string, fields: Record<string, unknown>): SafeLine {
    const context = { redact: this.#redact, stack: this.#level === "debug" };
    const safe = safeValue(fields, context);
    return {
      at: this.#options.clock.now(),
      msg: String(safeValue(message, context)),
      fields: typeof safe === "object" && safe !== null ? safe : {},
    };
  }

  #line(level: LogLevel, { at, msg, fields }: SafeLine): string {
    const ts = new Date(at).toISOString();
    if (this.#isPretty) return prettyLine({ ts, level, msg, fields, color: this.#options.color ?? false });
    return visible(JSON.stringify({ ts, level: level.toUpperCase(), msg, ...renamed(fields) }));
  }
}

const EVENT_CHARS_MAX = 60;

/** Messages are fixed words: as a code they are the same for as long as the words are. What is secret in them must be gone before. */
function eventOf(message: string): string {
  const words = message
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  return `error.${words.slice(0, EVENT_CHARS_MAX)}`;
}

/** A field may not pass itself off as the line's own time, level or message. */
function renamed(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [/^(ts|level|msg)$/.test(key) ? `_${key}` : key, value]),
  );
}

export interface PrettyLine {
  readonly ts: string;
  readonly level: keyof Log;
  readonly msg: string;
  readonly fields: object;
  readonly color: boolean;
}

const COLORS: Readonly<Record<keyof Log, number>> = { error: 31, warn: 33, info: 36, debug: 90 };

/** `09:00:00.000 WARN  message  key=value …` for a person at a terminal. */
export function prettyLine(line: PrettyLine): string {
  const paint = (code: number, text: string) => (line.color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const fields = Object.entries(line.fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${paint(90, `${visible(key)}=`)}${visible(shown(value))}`);
  const level = paint(COLORS[line.level], line.level.toUpperCase().padEnd(5));
  return [`${paint(90, line.ts.slice(11, 23))} ${level} ${visible(line.msg)}`, ...fields]
    .join("  ")
    .trimEnd();
}

function shown(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

/** Line breaks and terminal controls in a value are shown, never obeyed. What is written is valid inside JSON too. */
function visible(text: string): string {
  return text.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    },
  );
}
