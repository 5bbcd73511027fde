import { say } from "../words/en/app.ts";
import { fill } from "../words/fill.ts";
/** The ticket of a login link, taken out of the address bar at once: it must not stay in the history, in a bookmark or on a shared screen. */
export function takeTicket(): string | undefined {
  const ticket = ticketIn(location.hash);
  if (ticket !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return ticket;
}

export function ticketIn(text: string): string | undefined {
  return /#t=([\w-]+)/.exec(text)?.[1];
}

/** Exchanges a one-time ticket for a token of this browser. */
export async function exchange(ticket: string): Promise<{ token: string } | { problem: string }> {
  try {
    const response = await fetch("/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ticket }),
    });
    const body = (await response.json()) as { token?: string; error?: { message?: string } };
    if (response.ok && body.token !== undefined) return { token: body.token };
    return { problem: body.error?.message ?? fill(say.theGatewayRefusedTheLogin, response.status) };
  } catch {
    // No answer, or not one of ours: the ticket may be unused.
    return {
      problem: say.elwoodDoesNotAnswerIsIt,
    };
  }
}
