import type { GatewayClient } from "@elwood/sdk/client";
import { agoText, gatewayNow } from "../parts/format.ts";

const EVERY_MS = 30_000;

/**
 * What is drawn once may be looked at for days: "now" must not stay. The letters are changed
 * where they stand; nothing is drawn anew for it.
 */
export function refreshTimes(link: Pick<GatewayClient, "hello" | "now">, signal: AbortSignal): void {
  link.hello.subscribe(() => {
    document.documentElement.dataset["ahead"] = String(link.now() - Date.now());
    tell();
  });
  const timer = window.setInterval(() => {
    if (!document.hidden) tell();
  }, EVERY_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  document.addEventListener("visibilitychange", () => document.hidden || tell(), { signal });
}

function tell(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-ago]")) {
    const words = agoText(Date.parse(time.dateTime), gatewayNow());
    const shown = [...time.childNodes].find((node) => node instanceof Text && node.data.trim() !== "");
    if (shown instanceof Text && shown.data !== words) shown.data = words;
  }
}
