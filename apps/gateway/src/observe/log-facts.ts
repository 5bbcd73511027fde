import { totalTokens } from "@elwood/core/message/message";
import { formatModelRef } from "@elwood/core/model/model";
import type { Observe, Observed } from "@elwood/runtime/ports/observe";
import type { Log } from "@elwood/runtime/ports/ports";

/**
 * One line for each run and each call of a tool; what was tried again, denied or handed over is a warning.
 * Each has a stable `event`, and the id of the request that set it off, where there was one.
 */
export function logFacts(log: Log, requestOf: (runId: string) => string | undefined): Observe {
  const about = ({ tenant, runId }: Observed) => {
    const requestId = requestOf(runId);
    return { runId, tenant, ...(requestId === undefined ? {} : { requestId }) };
  };
  return (fact) => {
    switch (fact.kind) {
      case "run":
        log.info("a run ended", {
          event: "run.finished",
          ...about(fact),
          sessionId: fact.sessionId,
          surface: fact.surface,
          status: fact.status,
          ...lasted(fact),
        });
        return;
      case "call": {
        const { callId, toolId, outcome, by } = fact;
        const denied = outcome === "denied" || outcome === "refused" || outcome === "expired";
        log[denied ? "warn" : "info"](denied ? "a call was not made" : "a call ended", {
          event: `tool.call.${outcome}`,
          ...about(fact),
          callId,
          tool: toolId,
          ...(by === undefined ? {} : { by }),
          ...lasted(fact),
        });
        return;
      }
      case "retry": {
        const { model, reason, attempt, delayMs, handover } = fact;
        // Who hands over says so itself, with what it knows of the keys.
        if (handover) return;
        log.warn("a request to a model is sent again", {
          event: "model.retried",
          ...about(fact),
          model: formatModelRef(model),
          reason,
          attempt,
          delayMs,
        });
        return;
      }
      case "model": {
        const { asked, answered, outcome, reason, usage, messages, blocks } = fact;
        if (reason === "LIMIT")
          log.warn("a request to a model was not sent: a limit is reached", {
            event: "limit.reached",
            ...about(fact),
            model: formatModelRef(asked),
          });
        log.debug("a request to a model ended", {
          event: `model.${outcome}`,
          ...about(fact),
          model: formatModelRef(answered),
          ...(formatModelRef(asked) === formatModelRef(answered) ? {} : { asked: formatModelRef(asked) }),
          ...(reason === undefined ? {} : { reason }),
          ...(usage ? { tokens: totalTokens(usage) } : {}),
          ...lasted(fact),
          sent: messages?.slice(-LAST_MESSAGES),
          answer: blocks,
        });
        return;
      }
      default:
        fact satisfies never;
    }
  };
}

const LAST_MESSAGES = 2;

function lasted({ startedAt, endedAt }: { readonly startedAt?: number; readonly endedAt: number }) {
  return startedAt === undefined ? {} : { ms: endedAt - startedAt };
}
