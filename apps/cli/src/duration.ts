import { InvalidArgumentError } from "commander";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** An approval expires after a week unless told otherwise; nobody waits longer at a command. */
const DAYS_MAX = 7;

/** `90s`, `10m`, `1h`, `2d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})\s*(s|m|min|h|d)$/i.exec(text.trim()) ?? [];
  if (amount === undefined || unit === undefined)
    throw new InvalidArgumentError("Write a time such as 90s, 10m or 1h.");
  const ms = Number(amount) * UNIT_MS[unit[0]!.toLowerCase()]!;
  if (ms > DAYS_MAX * 86_400_000) throw new InvalidArgumentError(`At most ${DAYS_MAX}d.`);
  return ms;
}

/** `10 min`, `1 h 30 min`: the two largest parts. */
export function durationText(ms: number): string {
  const whole = Math.floor(ms / 1000);
  const parts = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor((whole % 86_400) / 3600), "h"],
    [Math.floor((whole % 3600) / 60), "min"],
    [whole % 60, "s"],
  ] as const;
  const shown = parts.filter(([n]) => n > 0).slice(0, 2);
  return shown.length === 0 ? "0 s" : shown.map(([n, unit]) => `${n} ${unit}`).join(" ");
}
