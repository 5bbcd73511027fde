import { activityLine, sortedActivity, type ActivityItem } from "@elwood/core/activity";
import { textOf, type Message } from "@elwood/core/message";
import type { EventData } from "@elwood/core/protocol/events";
import type { Run } from "@elwood/core/session";

export type StoredEnding =
  | { readonly final: EventData<"chat.final">; readonly error?: undefined }
  | { readonly error: EventData<"chat.error">; readonly final?: undefined };

/**
 * What `chat.final` or `chat.error` said of a run whose feed is no longer in memory, told
 * again from the store: a client that was away when its run ended, and comes back to
 * another gateway process, must not wait for a push that was sent long ago.
 */
export function storedEnding(
  run: Run,
  steps: readonly Message[],
  activity: readonly ActivityItem[],
  seq: number,
): StoredEnding {
  const spoken = steps.filter((m) => m.role === "assistant" && m.origin === "model").map(textOf);
  const common = {
    runId: run.id,
    seq,
    sessionKey: run.sessionId,
    text: spoken.at(-1) ?? "",
    activity: sortedActivity(activity),
    evidence: activityLine(activity),
  };
  if (run.status === "failed" && run.failure) {
    const { reason, message, retryable, retryAfterMs } = run.failure;
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    return { error: { ...common, message, code: reason, retryable, ...wait } };
  }
  const model = run.model ?? "";
  return {
    final: {
      ...common,
      usage: run.usage,
      ...(run.costUsd === undefined ? {} : { costUsd: run.costUsd }),
      segments: common.text === "" ? [] : [{ text: common.text, verified: false, cites: [] }],
      stopReason: run.status === "aborted" ? "aborted" : (run.stopReason ?? "end_turn"),
      model,
      demo: model.startsWith("demo/"),
      ...(run.status === "aborted" ? { aborted: true } : {}),
    },
  };
}
