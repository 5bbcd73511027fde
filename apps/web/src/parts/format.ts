import { showLine } from "@elwood/core/base/show";

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
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const date = new Date(at);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(undefined, {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
  });
}

/** How long until then: `in 6 days`, `in 12 min`. */
export function untilText(at: number, now: number): string {
  const minutes = Math.ceil((at - now) / 60_000);
  if (minutes <= 0) return "now";
  if (minutes < 60) return `in ${minutes} min`;
  if (minutes < 48 * 60) return `in ${Math.round(minutes / 60)} h`;
  return `in ${Math.round(minutes / (24 * 60))} days`;
}

export function dateText(at: number): string {
  return MOMENT.format(at);
}

/** Made once: a long list has hundreds of them. */
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function clockText(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

/** The time of day for today; how long ago, or the day, for what was before. */
export function logTimeText(at: number, now: number): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  return sameDay ? clockText(at) : agoText(at, now);
}

export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

export function moneyText(usd: number): string {
  return usd > 0 && usd < 0.01 ? "under $0.01" : `$${usd.toFixed(2)}`;
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
  return unpriced >= laps ? "unknown" : `${moneyText(costUsd)} + unknown`;
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `rcp_01k9…f3a2`: enough to recognise; the whole is copied. */
export function middleText(id: string, head = 8, tail = 4): string {
  return id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`;
}

/** The owner's own logins have names that mean nothing to the owner; every other token is called what it was named. */
export function deciderName(tokenName: string): string {
  return tokenName === "owner" || tokenName === "browser" ? "you" : showLine(tokenName);
}
