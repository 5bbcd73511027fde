import { sortedActivity, type ActivityItem } from "@elwood/core/tool/activity";
import type { Failure } from "@elwood/core/base/failure";
import {
  textOf,
  type Block,
  type Message,
  type MessageMeta,
  type ReplyLog,
  type ReplySegment,
} from "@elwood/core/message/message";
import type { CheckedReply } from "./check-reply.ts";
import type { RunOutcome } from "./outcome.ts";
import type { Clock, Ids, ReplyFact } from "../ports/ports.ts";
import { escapeReserved } from "@elwood/core/grounding/reserved";
import { notVerifiedText, WORDING } from "@elwood/core/grounding/wording";
import type { Locale } from "@elwood/core/request/language";

/** The reply of a run, and the messages that end it. */
export interface Reply {
  /** The model's words, whole. */
  readonly text: string;
  readonly segments: readonly ReplySegment[];
  readonly activity: readonly ActivityItem[];
  readonly evidence: string;
  readonly log?: ReplyLog;
  readonly last: readonly Message[];
}

interface Stamps {
  readonly ids: Ids;
  readonly clock: Clock;
}

/** A reply without the position of the log, which is known once the reply is recorded. */
export type ReplyWords = Omit<Reply, "activity" | "log">;

/** The reply to an answer that was compared with receipts. */
export function replyWords(
  outcome: RunOutcome,
  { grounded, images }: CheckedReply,
  stamps: Stamps,
): ReplyWords {
  const { evidence } = grounded;
  const base = outcome.draft;
  const text = grounded.text.trim();
  const segments = grounded.segments.map(({ cites, ...segment }) => ({
    ...segment,
    ...(cites ? { cites: [...cites] } : {}),
    ...markWords({ ...segment, cites }, grounded.locale),
  }));
  const blocks: Block[] = [
    ...(base?.blocks.filter((block) => block.type === "thinking") ?? []),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...images,
  ];
  const isAdded = segments.some(
    ({ by, cites, verified }) => by === "gateway" || (cites ?? verified) !== undefined,
  );
  const meta = isAdded ? { segments } : {};
  return { text, segments, evidence, last: messagesOf(outcome, base, blocks, stamps, meta) };
}

/** Surfaces that draw marks know their English words; in other languages a mark brings its own along. */
function markWords(
  {
    verified,
    why,
    cites = [],
  }: { readonly cites?: readonly string[] | undefined } & Pick<ReplySegment, "verified" | "why">,
  locale: Locale,
): Pick<ReplySegment, "words"> {
  if (locale === "en" || verified === undefined) return {};
  if (verified === "unsupported") return { words: notVerifiedText(why, locale) };
  const named = cites.join(" ");
  return { words: verified === "supported" ? named : WORDING[locale].citedOnly(named) };
}

/** The model's last message, and the gateway's message about a run that failed. */
function messagesOf(
  { failure, asked }: Pick<RunOutcome, "failure" | "asked">,
  base: Message | undefined,
  blocks: readonly Block[],
  { ids, clock }: Stamps,
  more: MessageMeta = {},
): Message[] {
  const end = failure ? endMeta(failure) : {};
  const spoken: Message = {
    id: base?.id ?? ids.next("message"),
    ts: base?.ts ?? clock.now(),
    role: "assistant",
    origin: "model",
    blocks,
    meta: { ...base?.meta, ...end, ...more },
  };
  if (!failure) return [spoken];
  const words: Message = {
    id: ids.next("message"),
    ts: clock.now(),
    role: "assistant",
    origin: "gateway",
    blocks: [{ type: "text", text: failure.message }],
    // If the model wrote nothing, the gateway's additions go with its own message.
    meta: { ...end, ...(asked ? { asked } : {}), ...(blocks.length > 0 ? {} : more) },
  };
  return blocks.length > 0 ? [spoken, words] : [words];
}

/**
 * What is recorded of a reply. undefined for a run that made no call and whose reply has no mark: it
 * did nothing that needs proof.
 */
export function replyFact(checked: CheckedReply): Pick<ReplyFact, "payload" | "drafts"> | undefined {
  const { grounded, drafts, verdict, activity } = checked;
  if (activity.length === 0 && verdict === "clear") return undefined;
  const count = (verified: ReplySegment["verified"]) =>
    grounded.segments.filter((segment) => segment.verified === verified).length;
  return {
    drafts,
    payload: {
      verdict,
      marks: grounded.marks.map(({ kind, cites }) => ({ kind, cites: [...cites] })),
      cited: grounded.segments.filter(({ cites }) => cites !== undefined).length,
      supported: count("supported"),
      notDone: grounded.notDone.length,
      ...(grounded.partly ? { partly: true } : {}),
    },
  };
}

/** The reply with its activity. `head` answers the position of the log that includes the reply. */
export function finishedReply(
  words: ReplyWords,
  activity: readonly ActivityItem[],
  head?: () => ReplyLog | undefined,
): Reply {
  const { evidence } = words;
  // Looked up where a call was made: most replies stand on none.
  const log = activity.length > 0 ? head?.() : undefined;
  const stands = log ? { log: { size: log.size, root: log.root } } : {};
  const last = words.last.map((message, index) =>
    index === words.last.length - 1
      ? { ...message, meta: { ...message.meta, evidence, ...stands } }
      : message,
  );
  return { ...words, last, activity: sortedActivity(activity), ...stands };
}

/** The reply of a run whose receipts cannot be read or written: it says nothing about what was done. */
export async function unprovenReply(outcome: RunOutcome, stamps: Stamps): Promise<Reply> {
  const text = outcome.draft ? escapeReserved(textOf(outcome.draft)) : "";
  const segments: ReplySegment[] = text === "" ? [] : [{ text, by: "model" }];
  const blocks: Block[] = text === "" ? [] : [{ type: "text", text }];
  const last = messagesOf(outcome, outcome.draft, blocks, stamps);
  return finishedReply({ text, segments, evidence: NOT_RECORDED, last }, []);
}

export const NOT_RECORDED = "What this run did could not be recorded in full.";

function endMeta(reason: Failure): MessageMeta {
  return reason.reason === "ABORTED"
    ? { aborted: true }
    : { error: { reason: reason.reason, message: reason.message } };
}
