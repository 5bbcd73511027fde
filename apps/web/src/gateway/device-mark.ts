import { say } from "../words/en/app.ts";
/**
 * Whether this browser stays logged in: a mark that can be read at once, so that whoever does not
 * stay loads nothing for it. The key itself is in `device-login.ts`.
 */
const NAME = "elwood.device";

/** Until when, in milliseconds since 1970; undefined where it does not stay. */
export function staysUntil(): number | undefined {
  try {
    const kept = Number(localStorage.getItem(NAME) ?? "");
    return kept > Date.now() ? kept : undefined;
  } catch {
    return undefined; // storage is forbidden here
  }
}

export function markStay(until: number | undefined): void {
  try {
    if (until === undefined) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, String(until));
  } catch {
    return; // forbidden, or full: the next start asks for a link
  }
}

/** Why this browser cannot stay logged in here; undefined where it can. */
export function cannotStay(): string | undefined {
  if (isSecureContext) return undefined;
  return say.thisPageCameUnencryptedFromAnother;
}
