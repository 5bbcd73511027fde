import type { Log } from "@elwood/runtime/ports/ports";

export interface LogEntry {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** A log that keeps what it is told, for tests to look at. */
export function memoryLog(): Log & { readonly entries: readonly LogEntry[] } {
  const entries: LogEntry[] = [];
  const at =
    (level: keyof Log): Log[keyof Log] =>
    (message, fields = {}) => {
      entries.push({ level, message, fields });
    };
  return { entries, error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}
