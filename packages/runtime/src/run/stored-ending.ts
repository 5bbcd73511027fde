import { sortedActivity, type ActivityItem } from "@elwood/core/tool/activity";
import { replySegments, textOf, type Message, type ReplySegment } from "@elwood/core/message/message";
import type { EventData } from "@elwood/core/protocol/events";
import type { Run } from "@elwood/core/message/session";
import { usedIn } from "./recall.ts";

export type StoredEnding =
  | { readonly final: EventData<"chat.final">; readonly error?: undefined }
  | { readonly error: EventData<"chat.error">; readonly final?: undefined };

/**
 * What `chat.final` or `chat.error` said of a run whose feed is no longer in memory, told
 * again from the store: a client that was away when its run ended, and comes back to
 * another gateway process, must not wait for a push that was sent long ago.
 */
export async function storedEnding(
  run: Run,
  steps: readonly Message[],
  activity: readonly ActivityItem[],
  seq: number,
): Promise<StoredEnding> {
  const reply = steps.findLast(isReply);
  const text = reply ? textOf(reply) : "";
  const evidence = steps.findLast(({ meta }) => meta?.evidence !== undefined)?.meta;
  const recalled = usedIn(steps, text);
  const common = {
    runId: run.id,
    seq,
    sessionKey: run.sessionId,
    text,
    activity: sortedActivity(activity),
    segments: segmentsOf(reply, steps),
    evidence: evidence?.evidence ?? "",
    ...(evidence?.log ? { log: evidence.log } : {}),
    ...(recalled ? { recalled: [...recalled] } : {}),
  };
  if (run.status === "failed" && run.failure) {
    const { reason, message, retryable, retryAfterMs, said } = run.failure;
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    const quoted = said === undefined ? {} : { said };
    return { error: { ...common, message, code: reason, retryable, ...wait, ...quoted } };
  }
  const model = run.model ?? "";
  return {
    final: {
      ...common,
      usage: run.usage,
      ...(run.costUsd === undefined ? {} : { costUsd: run.costUsd }),
      stopReason: run.status === "aborted" ? "aborted" : (run.stopReason ?? "end_turn"),
      model,
      demo: model.startsWith("demo/"),
      ...(run.status === "aborted" ? { aborted: true } : {}),
    },
  };
}

/** What the model said on the way to its calls, in its order. It was not compared with receipts. */
export function saidOnTheWay(steps: readonly Message[]): string {
  return steps
    .filter(
      ({ role, origin, blocks }) =>
        role === "assistant" && origin === "model" && blocks.some(({ type }) => type === "tool_use"),
    )
    .map((message) => textOf(message).trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

/** What the model said on the way to its calls is no reply, nor is a part that another message holds whole. */
function isReply({ role, origin, blocks, meta }: Message): boolean {
  return (
    role === "assistant" &&
    origin === "model" &&
    meta?.continued !== true &&
    !blocks.some(({ type }) => type === "tool_use")
  );
}

function segmentsOf(reply: Message | undefined, steps: readonly Message[]): ReplySegment[] {
  const kept = reply ? replySegments(reply) : steps.map(replySegments).findLast((found) => found);
  if (kept) return [...kept];
  return (reply?.blocks ?? []).flatMap((block): ReplySegment[] =>
    block.type === "text" && block.text !== ""
      ? [{ text: block.text, by: block.origin === "gateway" ? "gateway" : "model" }]
      : [],
  );
}
