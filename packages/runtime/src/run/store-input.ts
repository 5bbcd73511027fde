import { fail } from "@elwood/core/base/failure";
import { isId, NAME_PATTERN } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import { foldCase, plainLine } from "@elwood/core/message/session-text";

/** What every store checks of what it is handed, in the same words. */

/** A tenant becomes part of keys and a folder's name. */
export function checkTenant(tenant: string): void {
  if (!NAME_PATTERN.test(tenant)) {
    fail(
      "INVALID_INPUT",
      "A tenant is named by lower-case letters, digits, - and _. Nothing was read or stored.",
    );
  }
}

/** A session's id becomes a file's name. */
export function checkSessionId(sessionId: string): void {
  if (!isId("session", sessionId)) {
    fail("INVALID_INPUT", "That is not the id of a session. Nothing was read or stored.");
  }
}

export function pageLimit(asked: number): number {
  return Math.max(1, Math.min(Math.floor(asked), LIMITS.pageSizeMax));
}

/** What is searched for, in the form in which texts are compared; empty where nothing was asked. */
export function searchWords(query: string): string {
  if (query.length > LIMITS.searchQueryCharsMax) {
    fail("INVALID_INPUT", `A search is at most ${LIMITS.searchQueryCharsMax} characters long.`);
  }
  return foldCase(plainLine(query));
}
