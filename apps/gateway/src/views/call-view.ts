import { activityOf } from "@elwood/core/tool/activity";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { shown, shownPreview, toDecided } from "@elwood/core/protocol/approval-shapes";
import type { WireCall, WireCallItem } from "@elwood/core/protocol/call-shapes";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import { plainGlyphs } from "@elwood/core/base/glyphs";
import { showLine, showText } from "@elwood/core/base/show";
import type { CallStatus } from "@elwood/core/tool/tool";
import { unframed } from "@elwood/core/message/untrusted-frame";
import { readReceipts } from "./read-receipts.ts";
import type {
  CallRow,
  CallState,
  Ledger,
  RegisteredTool,
  ToolSnapshot,
} from "@elwood/runtime/ports/gate-ports";
import type { Approvals } from "@elwood/runtime/gate/approvals";
import { PROGRAM_TOOL } from "@elwood/runtime/gate/program-tools";

export interface CallViewDeps {
  readonly ledger: Pick<Ledger, "call" | "callsOfRun" | "receipts" | "approval">;
  readonly toolSnapshot: () => ToolSnapshot;
  readonly approvals: Pick<Approvals, "told">;
}

/** One call whole, from its row and its receipts; what is long is cut, and said to be. */
export async function callView(
  { ledger, toolSnapshot, approvals }: CallViewDeps,
  tenant: string,
  callId: string,
) {
  // What is decided at this moment is shown once it is on disk.
  await approvals.told((await ledger.call(tenant, callId))?.approvalId);
  const row = await ledger.call(tenant, callId);
  if (!row) return fail("NOT_FOUND", `There is no call ${callId}.`);
  const [receipts, items] = await Promise.all([
    ledger.receipts(tenant, { callId, limit: LIMITS.callReceiptsMax }),
    callItems({ ledger }, tenant, row.runId),
  ]);
  const item = items.find((each) => each.callId === callId) ?? itemOf(row, receipts);
  const approval = row.approvalId === undefined ? undefined : await ledger.approval(tenant, row.approvalId);
  const { preview, kind, summary, rule, reason } = approval?.card ?? {};
  const input = fitting(row.requestedInput, LIMITS.callInputBytesMax);
  const edited = approval?.editedInput !== undefined && approval.callId === callId;
  const call: WireCall = {
    ...item,
    ...(input.value === undefined ? { inputBytes: input.bytes } : { input: shown(input.value) }),
    ...(edited ? { executedInput: shown(row.executedInput) } : {}),
    ...outputOf(row, receipts),
    ...errorOf(row),
    // A call of a plan was allowed with it; what was shown then was the plan.
    ...(preview && approval?.callId === callId ? { preview: shownPreview(preview) } : {}),
    ...(approval && kind !== undefined && summary !== undefined && rule !== undefined && reason !== undefined
      ? {
          approval: {
            approvalId: approval.id,
            kind,
            summary: plainGlyphs(showLine(summary)),
            rule,
            reason: plainGlyphs(showLine(reason)),
            askedAt: approval.createdAt,
            decided: toDecided(approval),
          },
        }
      : {}),
    ...sourceOf(row),
    children: items.flatMap((each) => (each.parent === callId ? [each.callId] : [])),
    canUndo: canUndo(row, items, toolSnapshot()),
    receipts: receipts.toReversed().map(({ id, seq, type, ts }) => ({ receiptId: id, seq, type, ts })),
  };
  return call;
}

/** The calls of a run in the order in which they were asked for. */
export async function callItems(
  {
    ledger,
    toolSnapshot,
  }: { readonly ledger: Pick<Ledger, "callsOfRun" | "receipts">; readonly toolSnapshot?: () => ToolSnapshot },
  tenant: string,
  runId: string,
): Promise<WireCallItem[]> {
  const rows = await ledger.callsOfRun(tenant, runId);
  if (rows.length === 0) return [];
  const receipts = await readReceipts(ledger, tenant, { runId });
  const byCall = Map.groupBy(receipts, ({ callId }) => callId ?? "");
  const items = rows.map((row) => itemOf(row, byCall.get(row.callId) ?? []));
  const tools = toolSnapshot?.();
  if (!tools) return items;
  return items.map((item, i) => (canUndo(rows[i]!, items, tools) ? { ...item, canUndo: true } : item));
}

function itemOf(row: CallRow, receipts: readonly StoredReceipt[]): WireCallItem {
  const [told] = activityOf(receipts);
  const parent = receipts.find((each) => isReceipt(each, "tool.call.requested"))?.payload.parent;
  const { callId, runId, sessionId, toolId, state, risk, target, count, approvalId, undoes } = row;
  return {
    callId,
    runId,
    sessionKey: sessionId,
    toolId: showLine(toolId),
    status: told?.status ?? STATUS_OF[state],
    state,
    risk,
    ...(target === undefined ? {} : { target: plainGlyphs(showLine(target)) }),
    ...(count === undefined ? {} : { count }),
    ...(told?.exitCode === undefined ? {} : { exitCode: told.exitCode }),
    requestedAt: row.createdAt,
    ...(row.startedAt === undefined ? {} : { startedAt: row.startedAt }),
    ...(row.endedAt === undefined ? {} : { endedAt: row.endedAt }),
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(parent === undefined ? {} : { parent }),
    ...(undoes === undefined ? {} : { undoes }),
    undone: receipts.some(({ type }) => type === "tool.call.undone"),
  };
}

/** How a call stands by its row; by the owner's word where its end had to be settled. */
export function callStatusOf(
  { state }: Pick<CallRow, "state">,
  receipts: readonly StoredReceipt[],
): CallStatus {
  const settled = receipts.find((each) => isReceipt(each, "tool.call.settled"))?.payload.outcome;
  if (settled === "happened") return "succeeded";
  return settled === "did-not-happen" ? "failed" : STATUS_OF[state];
}

const STATUS_OF: Readonly<Record<CallState, CallStatus>> = {
  requested: "pending",
  asked: "pending",
  approved: "pending",
  started: "pending",
  succeeded: "succeeded",
  failed: "failed",
  refused: "failed",
  denied: "denied",
  expired: "expired",
  unknown: "unknown",
};

/** Tools whose first line, and lines in brackets, are words of their own, and no content of files. */
const SAYS_PATHS = /^files\.file\.(?:write|edit|move|delete|list|attach)$/;

/**
 * Paths in a sentence as they were written in the call: whoever wrote “notes/a.txt” need not read where on this machine
 * that is. The folder that everything begins in is told by its name.
 */
function asWritten(text: string, { executedInput, requestedInput }: CallRow): string {
  const input = executedInput ?? requestedInput;
  if (typeof input !== "object" || input === null) return text;
  return Object.entries(input)
    .flatMap(([name, value]) => (PATHS.has(name) ? [value as unknown] : []))
    .filter(
      (value) =>
        typeof value === "string" && /^(?:\.$|[^/~\s])/u.test(value) && value.length <= PATH_CHARS_MAX,
    )
    .map((value) =>
      String(value)
        .replace(/^(?:\.\/)+/, "")
        .replace(/\/$/, ""),
    )
    .reduce(
      (all, path) =>
        path === "." || path === ""
          ? all.replace(/^(\[)?\/(?:[^\s/:]+\/)*([^\s/:]+)(?=: )/gm, "$1$2")
          : all.replace(
              new RegExp(
                String.raw`(?<=^|[\s"'(\[])\/(?:[^\s/]+\/)+?${literally(path)}(?=$|[\s"'):,.\]])`,
                "gmu",
              ),
              () => path,
            ),
      text,
    );
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Arguments of those tools that name a file or a folder. */
const PATHS: ReadonlySet<string> = new Set(["path", "from", "to"]);
const PATH_CHARS_MAX = 1_000;

function outputOf(row: CallRow, receipts: readonly StoredReceipt[]): Pick<WireCall, "output"> {
  const { outcome, toolId } = row;
  if (outcome?.status !== "ok") return {};
  const said = unframed(outcome.text);
  const text = showText(
    SAYS_PATHS.test(toolId) ? said.replace(/^\[.*\]$|(?<![^])^.*/gm, (line) => asWritten(line, row)) : said,
  );
  const kept = text.slice(0, LIMITS.callOutputCharsMax).toWellFormed();
  const value = outcome.value === undefined ? undefined : fitting(outcome.value, LIMITS.callValueBytesMax);
  const facts = receipts.find((each) => isReceipt(each, "tool.call.succeeded"))?.payload;
  const { exitCode, truncated } = facts ?? {};
  return {
    output: {
      status: outcome.status,
      text: kept,
      ...(text.length > kept.length ? { leftOut: text.length - kept.length } : {}),
      ...(value === undefined
        ? {}
        : value.value === undefined
          ? { valueBytes: value.bytes }
          : { value: shown(value.value) }),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(truncated ? { truncated } : {}),
      attachments: [...(outcome.images ?? []), ...(outcome.files ?? [])].map((each) => ({ ...each })),
    },
  };
}

function errorOf(row: CallRow): Pick<WireCall, "error"> {
  const { state, outcome, toolId } = row;
  if (outcome?.status !== "error" || state === "started") return {};
  const said = toolId.startsWith("files.") ? asWritten(outcome.text, row) : outcome.text;
  const text = showText(said).slice(0, LIMITS.callOutputCharsMax).toWellFormed();
  return { error: { ...(outcome.code === undefined ? {} : { code: outcome.code }), text } };
}

function sourceOf({ toolId, requestedInput }: CallRow): Pick<WireCall, "source"> {
  if (toolId !== PROGRAM_TOOL || typeof requestedInput !== "object" || requestedInput === null) return {};
  const source = "source" in requestedInput ? requestedInput.source : undefined;
  return typeof source === "string" ? { source: showText(source) } : {};
}

/** Only the tool that made a call, unchanged, can undo it. */
export function isUndoableBy(tool: RegisteredTool | undefined, { contractHash }: CallRow): boolean {
  return tool?.undo !== undefined && tool.contractHash === contractHash;
}

/** The same conditions under which the gate begins an undo; it looks again itself. */
export function canUndo(
  row: CallRow,
  items: readonly { readonly undoes?: string | undefined; readonly status: CallStatus }[],
  toolSnapshot: ToolSnapshot,
): boolean {
  if (row.state !== "succeeded" || row.undoes !== undefined || row.outcome?.value === undefined) return false;
  if (!isUndoableBy(toolSnapshot.get(row.toolId), row)) return false;
  return items.every(({ undoes, status }) => undoes !== row.callId || status === "failed");
}

function fitting(value: unknown, bytesMax: number): { readonly bytes: number; readonly value?: unknown } {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? "");
  return bytes <= bytesMax ? { bytes, value } : { bytes };
}
