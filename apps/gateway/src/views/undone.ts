import type { ActivityItem } from "@elwood/core/tool/activity";
import { callTarget, effectVerb } from "@elwood/core/grounding/call-words";
import { evidenceText } from "@elwood/core/grounding/evidence";
import { WORDING } from "@elwood/core/grounding/wording";
import { forgottenWords } from "@elwood/core/erase/forgotten-words";
import { isForgotten } from "@elwood/core/erase/tombstone";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import {
  replySegments,
  textOf,
  type Block,
  type Message,
  type ReplySegment,
} from "@elwood/core/message/message";
import { replyLocale, type Locale } from "@elwood/core/request/language";
import { CALL_STATE_WORDS } from "@elwood/core/base/state-words";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";

/** So many of the newest undos are known to a conversation; older calls can no longer be undone. */
const UNDOS_MAX = 1_000;

export interface UndoneDeps {
  readonly ledger: Pick<Ledger, "receipts" | "call">;
  readonly tools: { activity(tenant: string, runId: string): Promise<readonly ActivityItem[]> };
}

interface OfRun {
  readonly runId: string;
  readonly message: Message;
}

/**
 * A conversation as it stands: a call whose effect was taken back since is told as undone, in its
 * result and in the evidence under its reply, and where something was forgotten on request, how
 * much that was. What is stored stays what was written then.
 */
export async function asItStands<M extends OfRun>(
  { ledger, tools }: UndoneDeps,
  tenant: string,
  sessionId: string,
  given: readonly M[],
): Promise<readonly M[]> {
  const told = await withForgotten(ledger, tenant, given);
  return withUndone({ ledger, tools }, tenant, sessionId, told);
}

async function withForgotten<M extends OfRun>(
  ledger: UndoneDeps["ledger"],
  tenant: string,
  messages: readonly M[],
): Promise<readonly M[]> {
  if (!messages.some(({ message }) => isForgotten(message))) return messages;
  const receipts = await ledger.receipts(tenant, { types: ["memory.forgotten"], limit: UNDOS_MAX });
  const removed = Map.groupBy(
    receipts.flatMap((one) =>
      isReceipt(one, "memory.forgotten") && one.runId !== "" ? [{ run: one.runId, ...one.payload }] : [],
    ),
    ({ run }) => run,
  );
  return messages.map((each) => {
    const { meta } = each.message;
    const forgot = forgottenWords((removed.get(each.runId) ?? []).map((one) => one.removed));
    if (!isForgotten(each.message) || forgot === "") return each;
    return { ...each, message: { ...each.message, meta: { ...meta, forgot } } };
  });
}

async function withUndone<M extends OfRun>(
  { ledger, tools }: UndoneDeps,
  tenant: string,
  sessionId: string,
  messages: readonly M[],
): Promise<readonly M[]> {
  const receipts = await ledger.receipts(tenant, { types: ["tool.call.undone"], limit: UNDOS_MAX });
  const undone = new Set(receipts.flatMap(({ callId }) => callId ?? []));
  const isUndone = (block: Block) => block.type === "tool_result" && undone.has(block.callId);
  // Calls of a program have no result of their own in the conversation; their receipts name the run.
  const ofRuns = new Set(receipts.map(({ runId }) => runId));
  const runs = new Set(messages.flatMap(({ runId }) => (ofRuns.has(runId) ? [runId] : [])));
  if (runs.size === 0) return messages;
  const activity = new Map<string, readonly ActivityItem[]>();
  const cites = new Set<string>();
  for (const runId of runs) {
    const items = await tools.activity(tenant, runId);
    activity.set(runId, items);
    const gone = items.filter((item) => item.undone);
    // A run that was copied from another session has numbers that mean other calls here.
    const row = gone[0] && (await ledger.call(tenant, gone[0].callId));
    if (row?.sessionId === sessionId) for (const { cite } of gone) cites.add(cite);
  }
  return messages.map((stored) => {
    const each = withoutTicks(stored, cites);
    const items = activity.get(each.runId) ?? [];
    if (!runs.has(each.runId)) return each;
    const { blocks, meta } = each.message;
    const marked = (meta?.segments ?? []).filter(({ verified }) => verified === "unsupported").length;
    // A copy of a turn has no calls of its own: what was written under it stays.
    const fresh =
      meta?.evidence !== undefined && items.length > 0
        ? { meta: { ...meta, evidence: evidenceNow(items, marked, replyLocale(textOf(each.message))) } }
        : {};
    const told = blocks.map((block) => (isUndone(block) ? { ...block, ended: "undone" as const } : block));
    return { ...each, message: { ...each.message, ...fresh, blocks: told } };
  });
}

/** A sentence whose call was undone since has no tick any more: what it says was so then. */
function withoutTicks<M extends OfRun>(each: M, undone: ReadonlySet<string>): M {
  const { message } = each;
  const segments = replySegments(message);
  const rests = ({ verified, cites = [] }: ReplySegment) =>
    verified === "supported" && cites.some((cite) => undone.has(cite));
  if (!segments?.some(rests)) return each;
  const words = WORDING[replyLocale(textOf(message))].undone;
  const fresh = segments.map((segment) =>
    rests(segment)
      ? { ...segment, undone: true as const, words: `${segment.cites?.join(" ")}: ${words}` }
      : segment,
  );
  return { ...each, message: { ...message, meta: { ...message.meta, segments: fresh } } };
}

/** The evidence of a run, with what was undone since on a line of its own instead of among what is done. */
export function evidenceNow(
  activity: readonly ActivityItem[],
  marked: number,
  locale: Locale = "en",
): string {
  const own = activity.filter(({ undoes }) => undoes === undefined);
  const undone = own.filter((item) => item.undone === true);
  const lines = undone.map((item) => `${effectVerb(item, locale)} ${callTarget(item, locale)}`);
  const { glyph } = CALL_STATE_WORDS.undone;
  const rest = evidenceText(
    own.filter((item) => !undone.includes(item)),
    marked,
    locale,
  );
  return [
    ...(lines.length === 0 ? [] : [`${glyph} ${lines.join(", ")} (${WORDING[locale].undone})`]),
    ...(rest === "" ? [] : [rest]),
  ].join("\n");
}
