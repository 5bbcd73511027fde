import { byId, say } from "./dom.js";

/** A ticket or token as somebody pasted it. @typedef {{ ticket: string } | { token: string }} Secret */

/**
 * The ticket of a login link, taken out of the address bar at once: it must not stay in
 * the history, in a bookmark or on a shared screen.
 *
 * @returns {string | undefined}
 */
export function takeTicket() {
  const ticket = ticketIn(location.hash);
  if (ticket !== undefined) history.replaceState(null, "", location.pathname);
  return ticket;
}

/**
 * Exchanges a one-time ticket for a token of this browser.
 *
 * @param {string} ticket
 * @returns {Promise<{ token: string } | { problem: string }>}
 */
export async function exchange(ticket) {
  try {
    const response = await fetch("/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ticket }),
    });
    /** @type {{ token?: string, error?: { message?: string } }} */
    const body = await response.json();
    if (response.ok && body.token !== undefined) return { token: body.token };
    return { problem: body.error?.message ?? `The gateway refused the login (${response.status}).` };
  } catch {
    // No answer, or not one of ours: the ticket may be unused.
    return {
      problem: "Elwood does not answer. Is it running? Start it with: npm start. The link may still be good.",
    };
  }
}

/** The quiet screen for a tab that is not logged in. */
export class LoginScreen {
  #alert = byId("login-alert", HTMLParagraphElement);
  #secret = byId("login-secret", HTMLInputElement);
  #button = byId("login-send", HTMLButtonElement);

  /** @param {(secret: Secret) => Promise<void>} onSecret */
  constructor(onSecret) {
    byId("login-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit(onSecret);
    });
  }

  /** @param {string | undefined} problem */
  show(problem) {
    say(this.#alert, problem);
    this.#secret.focus();
  }

  /** @param {(secret: Secret) => Promise<void>} onSecret */
  async #submit(onSecret) {
    const pasted = this.#secret.value.trim();
    if (pasted === "") return;
    this.#button.disabled = true;
    say(this.#alert, undefined);
    const ticket = ticketIn(pasted);
    await onSecret(ticket === undefined ? { token: pasted } : { ticket });
    this.#button.disabled = false;
    this.#secret.value = "";
  }
}

/** @param {string} text */
function ticketIn(text) {
  return /#t=([\w-]+)/.exec(text)?.[1];
}
