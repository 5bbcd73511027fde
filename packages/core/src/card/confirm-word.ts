import type { Card } from "./card.ts";

/**
 * What must be typed to allow a destructive call, where the gateway asks for no word of its own: the
 * verb that the card begins with, the same on every surface. A sentence that another tool wrote may
 * begin with anything, so a verb that is not known is "allow".
 */
export function confirmWord({ destructive, title }: Pick<Card, "destructive" | "title">): string | undefined {
  if (!destructive) return undefined;
  const verb = /^[A-Za-z]+/.exec(title)?.[0].toLowerCase() ?? "";
  return VERBS.has(verb) ? verb : "allow";
}

const VERBS: ReadonlySet<string> = new Set([
  "change",
  "create",
  "delete",
  "fetch",
  "forget",
  "move",
  "remove",
  "replace",
  "run",
  "send",
]);
