import type { ActivityItem } from "@elwood/core/tool/activity";
import { callTarget, effectVerb } from "@elwood/core/grounding/call-words";
import { evidenceText } from "@elwood/core/grounding/evidence";
import { WORDING } from "@elwood/core/grounding/wording";
import { forgottenWords } from "@elwood/core/erase/forgotten-words";
import { isForgotten } from "@elwood/core/erase/tombstone";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import { textOf, type Block, type Message } from "@elwood/core/message/message";
import { replyLocale, type Locale } from "@elwood/core/request/language";
import { CALL_STATE_WORDS } from "@elwood/core/base/state-words";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";

/** So many of the newest undos are known to a conversation; older calls can no longer be undone. */
const UNDOS_MAX = 1_000;

export interface UndoneDeps {
  readonly ledger: Pick<Ledger, "receipts">;
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
  given: readonly M[],
): Promise<readonly M[]> {
  const told = await withForgotten(ledger, tenant, given);
  return withUndone({ ledger, tools }, tenant, told);
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
  messages: readonly M[],
): Promise<readonly M[]> {
  const receipts = await ledger.receipts(tenant, { types: ["tool.call.undone"], limit: UNDOS_MAX });
  const undone = new Set(receipts.flatMap(({ callId }) => callId ?? []));
  const isUndone = (block: Block) => block.type === "tool_result" && undone.has(block.callId);
  const runs = new Set(
    messages.flatMap(({ runId, message }) => (message.blocks.some(isUndone) ? [runId] : [])),
  );
  if (runs.size === 0) return messages;
  const activity = new Map<string, readonly ActivityItem[]>();
  for (const runId of runs) activity.set(runId, await tools.activity(tenant, runId));
  return messages.map((each) => {
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
