import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { NewReceipt } from "@elwood/core/receipts/receipt";
import type { Recalled, RecallFact, ReplyFact, RunFact } from "../ports/ports.ts";
import type { ReceiptFactory } from "./receipt-factory.ts";
import { mustWrite } from "./must-write.ts";
import type { Ledger } from "../ports/gate-ports.ts";
import { LIMITS } from "@elwood/core/base/limits";

export function runReceipt(fact: RunFact): NewReceipt {
  const { runId, surface, sessionId } = fact;
  const base = { runId, actor: "gateway", surface };
  if (fact.what === "finished")
    return { ...base, type: "run.finished", payload: { sessionId, ...fact.detail } };
  const payload = { sessionId, ...fact.detail };
  return fact.what === "started"
    ? { ...base, type: "run.started", payload }
    : { ...base, type: "run.resumed", payload };
}

/**
 * Runs that have begun on record and have not ended there. Only so many run at once, so that
 * those a dead process left are among the newest; older ones are not looked for.
 */
export async function openRuns(ledger: Ledger, tenant: string): Promise<readonly string[]> {
  const facts = await ledger.receipts(tenant, {
    types: ["run.started", "run.resumed", "run.finished"],
    limit: LIMITS.pageSizeMax,
  });
  const ended = new Set(facts.filter(({ type }) => type === "run.finished").map(({ runId }) => runId));
  return [...new Set(facts.map(({ runId }) => runId))].filter((runId) => !ended.has(runId));
}

/** Whether a receipt says that the run began. */
export async function isBegun(
  ledger: Pick<Ledger, "receipts">,
  tenant: string,
  runId: string,
): Promise<boolean> {
  const types = ["run.started", "run.resumed"] as const;
  return (await ledger.receipts(tenant, { runId, types, limit: 1 })).length > 0;
}

/**
 * The receipt of a reply. Drafts and reply lie in bodies, so that forgetting a conversation
 * forgets them too. `first` is the run's own first receipt, where it has none yet.
 */
export async function recordReply(
  { ledger }: { readonly ledger: Ledger },
  receiptFactory: ReceiptFactory,
  tenant: string,
  { runId, surface, payload, drafts, ending }: ReplyFact,
  first: NewReceipt | undefined,
): Promise<void> {
  if (await replyReceipt(ledger, tenant, runId)) return;
  const draft = receiptFactory.body(drafts);
  const reply = receiptFactory.body(ending);
  await mustWrite(ledger, tenant, `run ${runId}`, {
    receipts: [
      ...(first ? [first] : []),
      {
        type: "reply.grounded",
        runId,
        actor: "gateway",
        surface,
        payload: { ...payload, draftCommit: draft.commit, replyCommit: reply.commit },
      },
    ],
    changes: [
      { kind: "body.put", body: draft },
      { kind: "body.put", body: reply },
    ],
  });
}

/** undefined where no reply is on record, or where what it said was erased. */
export async function recordedEnding(
  ledger: Pick<Ledger, "receipts" | "body">,
  tenant: string,
  runId: string,
): Promise<unknown> {
  const receipt = await replyReceipt(ledger, tenant, runId);
  if (!receipt || !isReceipt(receipt, "reply.grounded")) return undefined;
  return (await ledger.body(tenant, receipt.payload.replyCommit))?.value;
}

async function replyReceipt(ledger: Pick<Ledger, "receipts">, tenant: string, runId: string) {
  const [receipt] = await ledger.receipts(tenant, { runId, types: ["reply.grounded"], limit: 1 });
  return receipt;
}

/**
 * The receipt of what was recalled. In the open it says how much, and of each thing only a
 * commitment, its kind and its line: names of notes are the owner's words too, and must be
 * forgettable. All else lies in the body. It changes nothing, so it needs no receipt of the run's
 * beginning and end around it: those come with the run's first call.
 */
export async function recordRecall(
  { ledger }: { readonly ledger: Ledger },
  receiptFactory: ReceiptFactory,
  tenant: string,
  { runId, surface, text, items }: RecallFact,
): Promise<void> {
  const recalled: Recalled = { text, items };
  const body = receiptFactory.body(recalled);
  const receipt: NewReceipt = {
    type: "memory.recalled",
    runId,
    actor: "gateway",
    surface,
    payload: {
      count: items.length,
      chars: text.length,
      items: items.map(({ source, line, origin }) => ({ kind: kindOf(source), line, origin })),
      recallCommit: body.commit,
    },
  };
  await mustWrite(ledger, tenant, `run ${runId}`, {
    receipts: [receipt],
    changes: [{ kind: "body.put", body }],
    // After a power cut the run begins anew, and so does its recall; a call or a reply before that takes this along.
    mayWaitForDisk: true,
  });
}

/** undefined where nothing is on record for the run, or where it was erased. */
export async function recordedRecall(
  ledger: Pick<Ledger, "receipts" | "body">,
  tenant: string,
  runId: string,
): Promise<Recalled | undefined> {
  const [receipt] = await ledger.receipts(tenant, { runId, types: ["memory.recalled"], limit: 1 });
  if (!receipt || !isReceipt(receipt, "memory.recalled")) return undefined;
  const body = await ledger.body(tenant, receipt.payload.recallCommit);
  // Nothing but recordRecall puts a body behind that commitment.
  return body?.value as Recalled | undefined;
}

function kindOf(source: string): "note" | "conversation" {
  return source.startsWith("memory/") ? "note" : "conversation";
}
