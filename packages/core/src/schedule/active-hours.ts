import type { ZoneClock } from "../base/zone-clock.ts";

/** Whole hours of the owner's day: from the first on, and no longer than up to the second. 22 to 6 goes over midnight. */
export interface ActiveHours {
  readonly start: number;
  readonly end: number;
}

/** By the wall clock of a zone: an hour that the clocks skip is not there, and one that they repeat counts twice. */
export function isActiveAt(at: number, { start, end }: ActiveHours, zone: ZoneClock): boolean {
  const hour = new Date(zone.wallTime(at)).getUTCHours();
  return start <= end ? hour >= start && hour < end : hour >= start || hour < end;
}
