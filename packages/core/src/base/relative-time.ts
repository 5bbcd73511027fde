import { formatLocal } from "./local-time.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, as a person says it; after a week the date. */
export function relativeTime(ts: number, nowMs: number, timeZone: string): string {
  const ago = nowMs - ts;
  // Another machine's clock may be a little ahead.
  if (ago < MINUTE && ago > -MINUTE) return "just now";
  if (ago < 0) return formatLocal(ts, timeZone);
  if (ago < HOUR) return `${Math.floor(ago / MINUTE)} min ago`;
  if (ago < DAY) return `${Math.floor(ago / HOUR)} h ago`;
  if (ago < 2 * DAY) return "1 day ago";
  if (ago < 7 * DAY) return `${Math.floor(ago / DAY)} days ago`;
  return formatLocal(ts, timeZone).slice("Sun ".length, -" 09:12".length);
}

/** `1 message`, `3 messages`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
