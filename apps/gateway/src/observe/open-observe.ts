import type { Redactor } from "@elwood/core/base/redact";
import { sha256 } from "@elwood/platform/system";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type { CallFact, Observe } from "@elwood/runtime/ports/observe";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { SqliteLedger } from "@elwood/store-sqlite/sqlite-ledger";
import type { LoadedConfig } from "../config/load.ts";
import type { RequestIds } from "../log/request-ids.ts";
import type { WebAccess } from "../web/web-access.ts";
import { logFacts } from "./log-facts.ts";
import type { Metrics } from "./metrics.ts";
import { ReceiptFacts } from "./receipt-facts.ts";
import type { Traces } from "./traces.ts";

export interface ObserveDeps {
  readonly loaded: LoadedConfig;
  readonly version: string;
  readonly ledger: Pick<SqliteLedger, "watch"> & Pick<Ledger, "call">;
  readonly web: () => WebAccess;
  readonly requests?: RequestIds | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
}

/** Who watches the gateway: the log, and what the settings open. */
export interface Observation {
  readonly observe: Observe;
  /** Undefined where `/metrics` is closed. */
  readonly metrics: Metrics | undefined;
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** Metrics and traces are loaded only where the settings want them. */
export async function openObserve(deps: ObserveDeps): Promise<Observation> {
  const { loaded, log, requests, ledger } = deps;
  const { api, traces: wanted } = loaded.config;
  const metrics = api.metrics ? new (await import("./metrics.ts")).Metrics() : undefined;
  const traces = wanted.endpoint === undefined ? undefined : await openTraces(deps, wanted.endpoint);
  const watchers: Observe[] = [
    logFacts(log, (runId) => requests?.ofRun(runId)),
    ...(metrics ? [metrics.observe] : []),
    ...(traces ? [traces.observe] : []),
    ...(loaded.config.log.level === "debug" ? [callPayloads(deps)] : []),
  ];
  const observe: Observe = (fact) => {
    try {
      for (const watcher of watchers) watcher(fact);
    } catch (error) {
      log.error("what happened could not be told", { event: "observe.failed", error });
    }
  };
  const facts = new ReceiptFacts(observe);
  ledger.watch((tenant, receipts) => facts.noted(tenant, receipts));
  return { observe, metrics, stop: async () => traces?.stop() };
}

async function openTraces(deps: ObserveDeps, endpoint: string): Promise<Traces> {
  const { loaded, version, web, clock, log, redact } = deps;
  const { headers = {}, content } = loaded.config.traces;
  const { Traces: Exporter } = await import("./traces.ts");
  let fetch: typeof globalThis.fetch | undefined;
  return new Exporter({
    endpoint,
    headers,
    content,
    fetch: (input, init) => (fetch ??= web().fetchFrom(new URL(endpoint).origin, {}))(input, init),
    sha256,
    redact,
    version,
    clock,
    log,
  });
}

/** At level DEBUG, what calls were made with and what came of them; without secrets, as every line. */
function callPayloads({ ledger, log }: ObserveDeps): Observe {
  const told = async ({ tenant, runId, callId, toolId }: CallFact) => {
    const row = await ledger.call(tenant, callId);
    if (!row) return;
    const { executedInput: input, outcome } = row;
    log.debug("what a call was made with", {
      event: "tool.call.payload",
      runId,
      callId,
      tool: toolId,
      input,
      outcome,
    });
  };
  return (fact) => {
    if (fact.kind !== "call") return;
    told(fact).catch((error: unknown) => log.debug("a call could not be read", { error }));
  };
}
