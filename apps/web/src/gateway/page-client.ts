import type { MethodName } from "@elwood/core/protocol/methods";
import { Connection, GatewayClient, growingWaits } from "@elwood/sdk/client";

const FIRST_WAIT_MS = 800;
const WAIT_MS_MAX = 15_000;
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

/** A client of the gateway that served this page. It reconnects for as long as the page is open. */
export function pageClient(token: string): GatewayClient {
  return new GatewayClient({
    open: (signal) =>
      Connection.open({
        url: location.href,
        token,
        client: { name: "web", drafts: true },
        answerMsMax: (method) => (SLOW.has(method) ? SLOW_ANSWER_MS_MAX : ANSWER_MS_MAX),
        signal,
      }),
    waitMs: growingWaits(FIRST_WAIT_MS, WAIT_MS_MAX),
  });
}
