import { sortedActivity, type ActivityItem } from "@elwood/core/activity";
import type { Failure } from "@elwood/core/failure";
import type { Grounded } from "@elwood/core/grounding/ground";
import { textOf, type Block, type Message, type MessageMeta, type ReplySegment } from "@elwood/core/message";
import type { CheckedReply } from "./check-reply.ts";
import { loadEvidence, loadReserved } from "./grounding.ts";
import type { RunOutcome } from "./outcome.ts";
import type { Clock, Ids, ReplyFact } from "./ports.ts";

/** What a run says in the end, and the messages that end it. */
export interface Reply {
  readonly text: string;
  readonly segments: readonly ReplySegment[];
  readonly activity: readonly ActivityItem[];
  readonly evidence: string;
  readonly last: readonly Message[];
}

interface Stamps {
  readonly ids: Ids;
  readonly clock: Clock;
}

/** All of a reply but the evidence under it, which says where the log stands once the reply is on record. */
export type ReplyWords = Omit<Reply, "evidence" | "activity"> & { readonly locale: Grounded["locale"] };

/** The words of a reply, from a draft that was held against the receipts. */
export function replyWords(
  outcome: RunOutcome,
  { grounded, message }: CheckedReply,
  stamps: Stamps,
): ReplyWords {
  const { draft } = outcome;
  const text = grounded.text.trim();
  const segments = grounded.segments.map((segment) => ({ ...segment, cites: [...segment.cites] }));
  const base = message ?? draft;
  const blocks = [
    ...(message?.blocks.filter((block) => block.type === "thinking") ?? []),
    ...textBlocks(grounded, text),
    ...(base?.blocks.filter((block) => block.type === "image") ?? []),
  ];
  const cited = segments.some(({ cites }) => cites.length > 0);
  const meta = cited ? { segments } : {};
  return {
    text,
    segments: text === "" ? [] : segments,
    last: messagesOf(outcome, base, blocks, stamps, meta),
    locale: grounded.locale,
  };
}

/** The model's last message, and the gateway's word about a run that broke off. */
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
    meta: asked ? { ...end, asked } : end,
  };
  return blocks.length > 0 ? [spoken, words] : [words];
}

/**
 * What is to stand on record about a reply. A run that made no call, and whose reply goes
 * out as the model wrote it, did nothing that needs proof: undefined.
 */
export function replyFact(checked: CheckedReply): Pick<ReplyFact, "payload" | "drafts"> | undefined {
  const { grounded, drafts, verdict, problems, activity } = checked;
  const draft = drafts.at(-1) ?? "";
  if (activity.length === 0 && grounded.text.trim() === draft) return undefined;
  const cited = grounded.segments.filter(({ cites }) => cites.length > 0);
  const bare = grounded.segments
    .filter(({ by }) => by === "model")
    .map(({ text }) => text)
    .join("");
  const changed = [
    ...(verdict === "grounded" ? [] : [verdict]),
    ...(grounded.prefix.length > 0 ? ["sentences"] : []),
    ...(cited.length > 0 ? ["marks"] : []),
    ...(verdict !== "withheld" && cited.length === 0 && bare.trim() !== draft ? ["escaped"] : []),
  ];
  return {
    drafts,
    payload: {
      verdict,
      state: grounded.state,
      problems: [...problems],
      changed,
      cited: cited.length,
      verified: cited.filter(({ verified }) => verified).length,
      ...(grounded.partly ? { partly: true } : {}),
    },
  };
}

/** Puts the evidence under the words. `head` is where the log stands with the reply on it. */
export async function withEvidence(
  { locale, ...words }: ReplyWords,
  activity: readonly ActivityItem[],
  head: { readonly size: number; readonly root: string } | undefined,
): Promise<Reply> {
  const { evidenceLine } = await loadEvidence();
  return sealed(words, activity, evidenceLine(activity, head, locale));
}

/** The reply of a run whose receipts cannot be read or written: nothing is said about what it did. */
export async function unprovenReply(outcome: RunOutcome, stamps: Stamps): Promise<Reply> {
  const { escapeReserved } = await loadReserved();
  const text = outcome.draft ? escapeReserved(textOf(outcome.draft)) : "";
  const segments = text === "" ? [] : [{ text, by: "model" as const, cites: [], verified: false }];
  const blocks: Block[] = text === "" ? [] : [{ type: "text", text }];
  const words = { text, segments, last: messagesOf(outcome, outcome.draft, blocks, stamps) };
  return sealed(words, [], NOT_RECORDED);
}

export const NOT_RECORDED = "What this run did could not be recorded in full.";

function sealed(
  words: Omit<ReplyWords, "locale">,
  activity: readonly ActivityItem[],
  evidence: string,
): Reply {
  const last = words.last.map((message, index) =>
    index === words.last.length - 1 ? { ...message, meta: { ...message.meta, evidence } } : message,
  );
  return { ...words, last, activity: sortedActivity(activity), evidence };
}

/** Elwood's sentences and the model's words stay apart: the model is never shown the former as its own. */
function textBlocks(grounded: Grounded, text: string): Block[] {
  if (text === "") return [];
  const own = grounded.segments.filter(({ by }) => by === "elwood").map((segment) => segment.text);
  if (own.length === grounded.segments.length) return [{ type: "text", text, origin: "gateway" }];
  const model = text.slice(own.join("").length).trim();
  return [
    ...(own.length > 0
      ? [{ type: "text" as const, text: own.join("").trim(), origin: "gateway" as const }]
      : []),
    ...(model === "" ? [] : [{ type: "text" as const, text: model }]),
  ];
}

function endMeta(reason: Failure): MessageMeta {
  return reason.reason === "ABORTED"
    ? { aborted: true }
    : { error: { reason: reason.reason, message: reason.message } };
}
