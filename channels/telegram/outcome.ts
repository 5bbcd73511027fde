import { GrammyError, HttpError } from "grammy";
import type { SendOutcome } from "@elwood/sdk/channel/channel";

/** Failures after which the request certainly did not arrive. */
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
]);
const TOKEN_WAIT_MS = 60_000;

export const UNREACHABLE = "Telegram cannot be reached.";
export const TOKEN_REFUSED =
  "Telegram refuses the bot's token (401). Get a new one from @BotFather (/token), then connect again: elwood channels connect telegram";

/** What became of a request that failed. `what` says what was tried. */
export function outcomeOf(error: unknown, what: "send" | "edit"): SendOutcome {
  if (error instanceof GrammyError) return answered(error, what);
  return isNeverSent(error)
    ? { kind: "retry", why: UNREACHABLE, offline: true }
    : { kind: "unknown", why: "Telegram did not answer." };
}

export function isNeverSent(error: unknown): boolean {
  const cause = error instanceof HttpError ? error.error : error;
  const { code, erroredSysCall } = (cause ?? {}) as {
    readonly code?: unknown;
    readonly erroredSysCall?: unknown;
  };
  return (
    typeof code === "string" &&
    (NEVER_SENT.has(code) || (code === "ETIMEDOUT" && erroredSysCall === "connect"))
  );
}

/** Telegram's own word that it was not done. */
function answered({ error_code, description, parameters }: GrammyError, what: "send" | "edit"): SendOutcome {
  const said = description.replace(/^(?:Bad Request|Forbidden|Too Many Requests): ?/, "");
  if (parameters.migrate_to_chat_id !== undefined)
    return { kind: "moved", to: String(parameters.migrate_to_chat_id) };
  switch (error_code) {
    case 401:
    case 404:
      return { kind: "retry", why: TOKEN_REFUSED, afterMs: TOKEN_WAIT_MS };
    case 403:
      return { kind: "gone", why: `Telegram does not let Elwood write there: ${said}.` };
    case 413:
      return { kind: "refused", why: "Telegram says that the file is too large." };
    case 429: {
      const seconds = parameters.retry_after ?? 1;
      return { kind: "retry", why: `Telegram asks to wait ${seconds} seconds.`, afterMs: seconds * 1_000 };
    }
    case 400:
      if (
        /chat not found|peer_id_invalid|user is deactivated|group chat was deactivated|not enough rights|thread not found|topic_(?:closed|deleted)/i.test(
          said,
        )
      )
        return { kind: "gone", why: `Telegram does not let Elwood write there: ${said}.` };
      if (
        what === "edit" &&
        /message to edit not found|message can't be edited|message_id_invalid/i.test(said)
      )
        return { kind: "missing", why: said };
      return { kind: "refused", why: `Telegram says: ${said}.` };
    default:
      return { kind: "retry", why: `Telegram has a problem of its own (${error_code}).` };
  }
}

export function isNotModified(error: unknown): boolean {
  return error instanceof GrammyError && /message is not modified/i.test(error.description);
}

export function isBadFormatting(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 400 && /entit/i.test(error.description);
}

/** It has no size that Telegram shows, or is no picture after all. */
export function isBadPhoto(error: unknown): boolean {
  return (
    error instanceof GrammyError && error.error_code === 400 && /photo|image_process/i.test(error.description)
  );
}
