import type { MethodName } from "@elwood/core/protocol/methods";
import { ConnectError, Connection, GatewayClient, growingWaits } from "@elwood/sdk/client";

const FIRST_WAIT_MS = 500;
/** Whoever looks at the page sees a gateway that is back at once; a try costs no more than a refused connection. */
const SEEN_WAIT_MS_MAX = 2_000;
const HIDDEN_WAIT_MS_MAX = 15_000;
const ANSWER_MS_MAX = 20_000;
const SLOW_ANSWER_MS_MAX = 120_000;
/** These wait for a model, or for a tool, before they answer. */
const SLOW: ReadonlySet<MethodName> = new Set([
  "auth.set",
  "auth.test",
  "calls.undo",
  "gateway.doctor",
  "memory.forget",
  "memory.rebuild",
  "models.use",
]);

/**
 * A client of the gateway that served this page. It reconnects for as long as the page is open; where
 * its token is refused, `renew` may have another.
 */
export function pageClient(token: string, renew: () => Promise<string | undefined>): GatewayClient {
  const open = (signal: AbortSignal, now: string) =>
    Connection.open({
      url: location.href,
      token: now,
      client: { name: "web", drafts: true },
      answerMsMax: (method) => (SLOW.has(method) ? SLOW_ANSWER_MS_MAX : ANSWER_MS_MAX),
      signal,
    });
  let current = token;
  return new GatewayClient({
    open: async (signal) => {
      try {
        return await open(signal, current);
      } catch (error) {
        const isRefused = error instanceof ConnectError && error.refusal?.reason === "UNAUTHENTICATED";
        const fresh = isRefused ? await renew() : undefined;
        if (fresh === undefined) throw error;
        current = fresh;
        return open(signal, current);
      }
    },
    waitMs: (tries) => pageWaitMs(tries, document.hidden),
  });
}

/** How long a page waits before try number `tries`. One that is looked at again tries at once. */
export function pageWaitMs(tries: number, hidden: boolean): number {
  return growingWaits(FIRST_WAIT_MS, hidden ? HIDDEN_WAIT_MS_MAX : SEEN_WAIT_MS_MAX)(tries);
}
