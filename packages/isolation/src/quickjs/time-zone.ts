/** Zones change their clocks at quarters of an hour. */
const STEP_SECONDS = 900;
const KEPT_MAX = 2_000;
const DATE_SECONDS_MAX = 8_640_000_000_000;

/**
 * How far a zone's wall clock is behind UTC at a moment, in minutes, as `Date.getTimezoneOffset` tells it: summer
 * time included. A program asks for every part of every date, so what was found is kept, up to a limit.
 */
export function zoneOffset(timeZone: string): (seconds: number) => number {
  if (timeZone === "UTC") return () => 0;
  const kept = new Map<number, number>();
  let format: Intl.DateTimeFormat | undefined;
  return (seconds) => {
    if (!(Math.abs(seconds) <= DATE_SECONDS_MAX)) return 0;
    const step = Math.floor(seconds / STEP_SECONDS);
    const known = kept.get(step);
    if (known !== undefined) return known;
    format ??= new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    const name = format.formatToParts(seconds * 1_000).find(({ type }) => type === "timeZoneName")?.value;
    // "GMT+05:30", before there were zones also "GMT-04:56:02"; "GMT" where there is no difference.
    const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(name ?? "") ?? [];
    const ahead = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
    const behind = sign === "-" ? ahead : -ahead;
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(step, behind);
    return behind;
  };
}
