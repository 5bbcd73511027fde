import type { IncomingMessage, ServerResponse } from "node:http";
import { fail } from "@elwood/core/base/failure";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import type { Services } from "../methods/services.ts";
import { SECURITY_HEADERS } from "./http.ts";
import { requirePrincipal, type AccessDeps } from "./principal.ts";

/** `GET /metrics`: for any token of the owner's, since the numbers are of the whole installation. */
export async function answerMetrics(
  request: IncomingMessage,
  response: ServerResponse,
  deps: AccessDeps & {
    readonly services: Pick<
      Services,
      "system" | "access" | "installation" | "storage" | "observation" | "runs" | "clients"
    >;
  },
): Promise<void> {
  const { services } = deps;
  const { metrics } = services.observation;
  if (!metrics)
    return fail("NOT_FOUND", "There are no metrics here until `api.metrics: true` stands in the settings.");
  const { tenant } = await requirePrincipal(request, deps, { door: "api" });
  if (tenant !== DEFAULT_TENANT)
    return fail(
      "SCOPE_MISSING",
      "Metrics are of the whole installation, which is its owner's. Nothing was done.",
    );
  const { engine } = services.runs;
  const seconds = (services.system.clock.now() - services.installation.startedAt) / 1_000;
  const text = metrics.text({
    elwood_up_seconds: { help: "How long the gateway has run.", value: seconds },
    elwood_runs_active: { help: "Runs at work.", value: engine.runsActive },
    elwood_runs_queued: { help: "Runs that wait for their turn.", value: engine.runsQueued },
    elwood_clients: { help: "Clients that are connected.", value: services.clients.count() },
    elwood_storage_writable: {
      help: "1 where the data folder can be written, 0 on a full or read-only disk.",
      value: services.storage.trouble ? 0 : 1,
    },
    elwood_resident_bytes: { help: "Memory of the process.", value: process.memoryUsage.rss() },
  });
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    "content-type": "text/plain; version=0.0.4; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : text);
}
