import { LIMITS } from "@elwood/core/base/limits";
import { type Redactor, makeRedactor } from "@elwood/core/base/redact";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { LogRing, type LogTail, type SafeLine } from "./log-tail.ts";
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
}

const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

export function makeLog(options: LogOptions): LogSink {
  const { stream, clock } = options;
  const pretty = options.format === "pretty" || (options.format === "auto" && stream.isTTY === true);
  const given = options.redact ?? ((text: string) => text);
  const known = new Set<string>();
  let learned = makeRedactor(known);
  const redact: Redactor = (text, replace) => learned(given(text), replace);
  let level = options.level;
  let dropped = 0;

  const tail = new LogRing(redact);

  const safely = (message: string, fields: Record<string, unknown>): SafeLine => {
    const context = { redact, stack: level === "debug" };
    const safe = safeValue(fields, context);
    return {
      at: clock.now(),
      msg: String(safeValue(message, context)),
      fields: typeof safe === "object" && safe !== null ? safe : {},
    };
  };

  const line = (level: LogLevel, { at, msg, fields }: SafeLine): string => {
    const ts = new Date(at).toISOString();
    if (pretty) return prettyLine({ ts, level, msg, fields, color: options.color ?? false });
    return visible(JSON.stringify({ ts, level: level.toUpperCase(), msg, ...renamed(fields) }));
  };

  const write = (at: LogLevel, message: string, fields: Record<string, unknown> = {}): void => {
    // Who looks at the last lines wants to see what happened, also where the terminal is to stay quiet.
    if (RANK[at] > Math.max(RANK[level], RANK.info)) return;
    try {
      const safe = safely(message, dropped === 0 ? fields : { ...fields, linesDropped: dropped });
      tail.add(at, safe);
      if (RANK[at] > RANK[level]) return;
      const whole = redact(line(at, safe));
      const short =
        whole.length <= LIMITS.logLineCharsMax
          ? whole
          : redact(line(at, safely(message, { shortened: whole.length })));
      stream.write(`${short}\n`);
      dropped = 0;
    } catch {
      // A stream that is gone, or a value made to fail: nothing here may reach the caller (L3).
      dropped += 1;
    }
  };

  return {
    tail,
    log: {
      error: (message, fields) => write("error", message, fields),
      warn: (message, fields) => write("warn", message, fields),
      info: (message, fields) => write("info", message, fields),
      debug: (message, fields) => write("debug", message, fields),
    },
    learnSecrets(secrets) {
      for (const secret of secrets) known.add(secret);
      learned = makeRedactor(known);
      return redact;
    },
    setLevel(next) {
      level = next;
    },
  };
}

/** A field may not pass itself off as the line's own time, level or message. */
function renamed(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [/^(ts|level|msg)$/.test(key) ? `_${key}` : key, value]),
  );
}

interface PrettyLine {
  readonly ts: string;
  readonly level: keyof Log;
  readonly msg: string;
  readonly fields: object;
  readonly color: boolean;
}

const COLORS: Readonly<Record<keyof Log, number>> = { error: 31, warn: 33, info: 36, debug: 90 };

/** `09:00:00.000 WARN  message  key=value …` for a person at a terminal. */
function prettyLine(line: PrettyLine): string {
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
