import { showLine } from "@elwood/core/base/show";
import { say } from "../words/en/parts.ts";
import { pageLocale } from "../words/language.ts";
import { fill } from "../words/fill.ts";

/** Figures for people. All take plain numbers; times are milliseconds since 1970. */

/**
 * The gateway's current time: its events use its clock, and the browser's may be wrong. The offset is
 * stored on the document at each connection.
 */
export function gatewayNow(): number {
  const { ahead } = "document" in globalThis ? document.documentElement.dataset : {};
  return Date.now() + Number(ahead ?? 0);
}

export function agoText(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return say.now;
  if (minutes < 60) return fill(say.minAgo, minutes);
  if (minutes < 24 * 60) return fill(say.hAgo, Math.floor(minutes / 60));
  const date = new Date(at);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(pageLocale(), {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
  });
}

/** How long until then: `in 6 days`, `in 12 min`. */
export function untilText(at: number, now: number): string {
  const minutes = Math.ceil((at - now) / 60_000);
  if (minutes <= 0) return say.now;
  if (minutes < 60) return fill(say.inMin, minutes);
  if (minutes < 48 * 60) return fill(say.inH, Math.round(minutes / 60));
  return fill(say.inDays, Math.round(minutes / (24 * 60)));
}

export function dateText(at: number): string {
  return MOMENT.format(at);
}

/** Made once: a long list has hundreds of them. */
const MOMENT = new Intl.DateTimeFormat(pageLocale(), { dateStyle: "medium", timeStyle: "medium" });

export function clockText(at: number): string {
  return new Date(at).toLocaleTimeString(pageLocale(), { hour: "2-digit", minute: "2-digit" });
}

/** The time of day for today; how long ago, or the day, for what was before. */
export function logTimeText(at: number, now: number): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  return sameDay ? clockText(at) : agoText(at, now);
}

export function durationText(ms: number): string {
  if (ms < 1_000) return fill(say.ms, Math.max(0, Math.round(ms)));
  if (ms < 60_000) return fill(say.s, (ms / 1_000).toFixed(1));
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return fill(say.minS, minutes, Math.floor((ms % 60_000) / 1_000));
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return fill(say.hMin, hours, minutes % 60);
  return fill(say.days, Math.floor(hours / 24));
}

export function moneyText(usd: number): string {
  return usd > 0 && usd < 0.01 ? say.under001 : `$${usd.toFixed(2)}`;
}

/** What a run cost: a price that nobody knows is not nothing. */
export function runCostText(usd: number | undefined): string {
  return usd === undefined ? say.unknownPrice : moneyText(usd);
}

/** What several questions to models cost, as far as it is known: a price that nobody knows is not nothing. */
export function costText({
  costUsd,
  laps,
  unpriced,
}: {
  readonly costUsd: number;
  readonly laps: number;
  readonly unpriced: number;
}): string {
  if (unpriced === 0) return moneyText(costUsd);
  return unpriced >= laps ? say.unknownPrice : fill(say.unknown, moneyText(costUsd));
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString(pageLocale())} ${count === 1 ? one : many}`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return fill(say.b, bytes);
  if (bytes < 1_000_000) return fill(say.kb, (bytes / 1_000).toFixed(1));
  return fill(say.mb, (bytes / 1_000_000).toFixed(1));
}

/** `rcp_01k9…f3a2`: enough to recognise; the whole is copied. */
export function middleText(id: string, head = 8, tail = 4): string {
  return id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`;
}

/** The owner's own logins have names that mean nothing to the owner; every other token is called what it was named. */
export function deciderName(tokenName: string): string {
  return tokenName === "owner" || tokenName === "browser" ? say.you : showLine(tokenName);
}
