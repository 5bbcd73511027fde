import { EDITED_INPUT } from "@elwood/core/policy/approval";
import type { ActivityItem } from "@elwood/core/tool/activity";
import type { Grounded } from "@elwood/core/grounding/ground";
import { loadOnce } from "@elwood/core/base/load-once";
import { resultForPeople } from "@elwood/core/message/for-people";
import { isSenderOrigin, type Block, type Message, textOf } from "@elwood/core/message/message";

/** A reply that was compared with the receipts of its session. */
export interface CheckedReply {
  /** `repaired`: the model went on from its draft after it was told what did not fit. */
  readonly verdict: "clear" | "marked" | "repaired";
  readonly grounded: Grounded;
  /** Every part of the answer that the model wrote, the first one first. */
  readonly drafts: readonly string[];
  /** What the model made beside its words. */
  readonly images: readonly Block[];
  /** Calls of this run. */
  readonly activity: readonly ActivityItem[];
}

interface ReplyToCheck {
  /** The parts of the answer; more than one where the model was asked to go on. */
  readonly parts: readonly Message[];
  readonly activity: readonly ActivityItem[];
  /** Calls of earlier runs of the session; asked for only where the run's own do not explain the reply. */
  readonly earlier: () => Promise<readonly ActivityItem[]>;
  /** What a call was given and gave back, as far as the conversation still holds it. */
  readonly callText: (item: ActivityItem) => string;
  readonly ownerWords: string;
  /** Something of memory was put before the model without a call. */
  readonly recalled: boolean;
  /** The owner sent something along with their words. */
  readonly attached: boolean;
}

/** Compares an answer with the receipts. It is delivered whole whatever comes of it. */
export async function checkReply({
  parts,
  activity,
  earlier,
  callText,
  ownerWords,
  recalled,
  attached,
}: ReplyToCheck): Promise<CheckedReply> {
  const { ground } = await loadGrounding();
  const drafts = parts.map(textOf).filter((text) => text !== "");
  const [delivered] = drafts;
  const about = {
    draft: joinDrafts(drafts),
    ...(drafts.length > 1 && delivered !== undefined ? { delivered } : {}),
    activity,
    callText,
    ownerWords,
    recalled,
    attached,
  };
  const alone = ground(about);
  const needsMore = alone.marks.length > 0 || (await mayTellOfEarlier(about.draft));
  const before = needsMore ? await earlier() : [];
  const grounded = before.length > 0 ? ground({ ...about, earlier: before }) : alone;
  return {
    verdict: parts.length > 1 ? "repaired" : grounded.marks.length > 0 ? "marked" : "clear",
    grounded,
    drafts,
    images: parts.flatMap(({ blocks }) => blocks.filter(({ type }) => type === "image")),
    activity,
  };
}

/** It cites calls, or says that something was not done: only earlier calls can show that it was. */
async function mayTellOfEarlier(draft: string): Promise<boolean> {
  const { denies, hasCitation } = await loadGrounding();
  return hasCitation(draft) || denies(draft.slice(0, DENIALS_CHARS_MAX));
}

const DENIALS_CHARS_MAX = 4_000;

/** What a later lap adds stands below what was written before. */
function joinDrafts(drafts: readonly string[]): string {
  return drafts.join("\n\n");
}

/** What calls were given and gave back, from the messages that hold them. */
export function callTexts(messages: readonly Message[]): (item: ActivityItem) => string {
  let byCall: Map<string, string> | undefined;
  return ({ callId }) => {
    byCall ??= textsByCall(messages);
    return byCall.get(callId) ?? "";
  };
}

function textsByCall(messages: readonly Message[]): Map<string, string> {
  const out = new Map<string, string>();
  const edited = new Set(
    messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) =>
        block.type === "tool_result" && block.text.startsWith(EDITED_INPUT) ? [block.callId] : [],
      ),
    ),
  );
  const add = (callId: string, text: string) => out.set(callId, `${out.get(callId) ?? ""}${text}\n`);
  for (const { blocks } of messages)
    for (const block of blocks) {
      // What the model asked for did not run; its result says what did.
      if (block.type === "tool_use" && edited.has(block.callId)) continue;
      if (block.type === "tool_use") add(block.callId, JSON.stringify(block.input ?? null));
      // Without the frame and what is told of other calls: neither is what this call gave.
      else if (block.type === "tool_result") add(block.callId, resultForPeople(block.text));
    }
  return out;
}

/** Something came along with the sender's words: what it shows needs no look outside. */
export function hasAttachment(inbound: Message | undefined): boolean {
  return (inbound?.blocks ?? []).some(
    (block) => block.type !== "text" || !isSenderOrigin(block.origin ?? inbound?.origin),
  );
}

/** What the sender typed, without what they piped, attached, quoted or passed on. */
export function ownerWordsOf(inbound: Message | undefined): string {
  return (inbound?.blocks ?? [])
    .flatMap((block) =>
      block.type === "text" && isSenderOrigin(block.origin ?? inbound?.origin) ? [block.text] : [],
    )
    .join("\n\n");
}

/**
 * What compares replies with receipts, loaded when it is first needed: its weights take
 * longer to load than a gateway may take to start, and a run has time while it waits for
 * the first answer of its model.
 */
export const loadGrounding = loadOnce(() => import("@elwood/core/grounding/ground"));
