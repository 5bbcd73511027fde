import { LIMITS } from "@elwood/core/base/limits";
import { counted } from "@elwood/core/base/relative-time";
import { totalTokens, type CompactionBlock, type Message } from "@elwood/core/message/message";
import type { Span, Timeline, WireCallItem } from "@elwood/core/protocol/call-shapes";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import { isEnded, type Run } from "@elwood/core/message/session";
import { callWord } from "@elwood/core/base/state-words";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type { RunStore } from "@elwood/runtime/ports/ports";
import { readReceipts } from "./read-receipts.ts";
import { callItems } from "./call-view.ts";

export interface TimelineDeps {
  readonly runs: Pick<RunStore, "journal">;
  readonly ledger: Pick<Ledger, "callsOfRun" | "receipts" | "body">;
  readonly now: number;
}

/**
 * Where a run's time went, from what is on record: its row, the journal of its messages and
 * its receipts. What is still going on has no end. Messages of before the moment of asking
 * was kept begin where the thing before them ended, and say so (`derived`).
 */
export async function timelineOf(
  { runs, ledger, now }: TimelineDeps,
  tenant: string,
  run: Run,
): Promise<Timeline> {
  const [{ steps }, items, receipts] = await Promise.all([
    runs.journal(tenant, run.id),
    callItems({ ledger }, tenant, run.id),
    readReceipts(ledger, tenant, { runId: run.id, types: TOLD }),
  ]);
  const oldestFirst = receipts.toReversed();
  const approvals = await approvalSpans({ ledger, tenant }, oldestFirst, items);
  const told = [...modelSpans(run, steps), ...items.map(callSpan), ...approvals];
  const spans = [queueSpan(run), ...told, ...restarts(oldestFirst), ...beingWritten(run, steps, told)];
  spans.sort((a, b) => a.start - b.start);
  const leftOut = Math.max(0, spans.length - LIMITS.timelineSpansMax);
  return {
    runId: run.id,
    status: run.status,
    start: run.queuedAt,
    ...(run.endedAt === undefined ? {} : { end: run.endedAt }),
    now,
    spans: spans.slice(leftOut),
    ...(leftOut > 0 ? { leftOut } : {}),
  };
}

const TOLD = [
  "run.resumed",
  "tool.call.asked",
  "tool.call.approved",
  "tool.call.denied",
  "tool.call.expired",
] as const;

function queueSpan({ queuedAt, startedAt, endedAt }: Run): Span {
  const end = startedAt ?? endedAt;
  return { kind: "queue", start: queuedAt, ...(end === undefined ? {} : { end }), label: "waiting its turn" };
}

function modelSpans(run: Run, steps: readonly Message[]): Span[] {
  const spans: Span[] = [];
  let before = run.startedAt ?? run.queuedAt;
  let lap = 0;
  for (const message of steps) {
    const { role, origin, meta, ts, blocks } = message;
    const asked = meta?.asked;
    const summary = blocks.find((block) => block.type === "compaction");
    if (summary) spans.push(...compactionSpan(summary, asked?.at, before, ts));
    else if (role === "assistant" && (origin === "model" || asked)) {
      lap += 1;
      const { model = run.model, usage, stopReason, error, aborted } = meta ?? {};
      const status = error ? "failed" : aborted ? "aborted" : "done";
      const detail = error?.message ?? stopReason;
      spans.push({
        kind: "model",
        start: asked?.at ?? before,
        end: ts,
        label: model ?? "model",
        lap,
        status,
        ...(model === undefined ? {} : { model }),
        ...(usage ? { tokens: totalTokens(usage) } : {}),
        ...(detail === undefined ? {} : { detail }),
        ...(asked ? {} : { derived: true }),
      });
      for (const { at, reason, delayMs } of asked?.retries ?? [])
        spans.push({
          kind: "retry",
          start: at,
          end: Math.min(at + delayMs, ts),
          label: "trying again",
          detail: reason,
          lap,
        });
      if (asked?.again !== undefined)
        spans.push({
          kind: "retry",
          start: asked.again,
          end: ts,
          label: "written again",
          detail: "the first draft did not fit the receipts",
          lap,
        });
    }
    before = ts;
  }
  return spans;
}

/** Lines that only leave output out, or take a summary back, took no time worth telling. */
function compactionSpan(
  block: CompactionBlock,
  asked: number | undefined,
  before: number,
  end: number,
): Span[] {
  const { summary, failed, model, messages } = block;
  if (summary === "" && failed === undefined) return [];
  return [
    {
      kind: "compaction",
      start: asked ?? before,
      end,
      label: messages === undefined ? "summing up" : `summing up ${counted(messages, "message")}`,
      status: failed === undefined ? "done" : "failed",
      ...(model === undefined ? {} : { model }),
      ...(failed === undefined ? {} : { detail: failed }),
      ...(asked === undefined ? { derived: true } : {}),
    },
  ];
}

function callSpan(item: WireCallItem): Span {
  const { callId, toolId, target, parent, status, state, requestedAt, startedAt, endedAt, exitCode } = item;
  const { undoes, undone } = item;
  const about = target === undefined ? toolId : `${toolId} → ${target}`;
  // What has no end yet is told by how far it came: one that runs waits for nobody.
  const { word } = callWord(status === "pending" || state === "refused" ? state : status);
  return {
    kind: undoes === undefined ? "tool" : "undo",
    start: startedAt ?? requestedAt,
    ...(endedAt === undefined ? {} : { end: endedAt }),
    label: undoes === undefined ? about : `undo of ${about}`,
    callId,
    ...(parent === undefined ? {} : { parent }),
    ...(undoes === undefined ? {} : { undoes }),
    status: undone ? `${word}, undone` : word,
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

/** One for each time somebody was asked about a call; the calls of a plan were asked about with their program. */
async function approvalSpans(
  { ledger, tenant }: { readonly ledger: Pick<Ledger, "body">; readonly tenant: string },
  receipts: readonly StoredReceipt[],
  items: readonly WireCallItem[],
): Promise<Span[]> {
  const known = new Map(items.map((item) => [item.callId, item]));
  const spans: Span[] = [];
  for (const [at, asked] of receipts.entries()) {
    const { callId, ts } = asked;
    if (asked.type !== "tool.call.asked" || callId === undefined) continue;
    const decided = receipts.slice(at + 1).find((each) => each.callId === callId);
    const answered = decided && decided.type !== "tool.call.asked" ? decided : undefined;
    const end = answered?.ts ?? decided?.ts ?? known.get(callId)?.endedAt;
    const { approvalId, reason, reasonCommit } = isReceipt(asked, "tool.call.asked") ? asked.payload : {};
    const kept = reasonCommit === undefined ? reason : (await ledger.body(tenant, reasonCommit))?.value;
    const word = answered?.type.slice("tool.call.".length);
    spans.push({
      kind: "approval" as const,
      start: ts,
      ...(end === undefined ? {} : { end }),
      label: "waiting for you",
      callId,
      ...(approvalId === undefined ? {} : { approvalId }),
      ...(word === undefined ? {} : { status: word }),
      ...(typeof kept === "string" ? { detail: kept } : {}),
    });
  }
  return spans;
}

function restarts(receipts: readonly StoredReceipt[]): Span[] {
  return receipts.flatMap(({ type, ts }) =>
    type === "run.resumed"
      ? [{ kind: "retry" as const, start: ts, end: ts, label: "taken up again after a restart" }]
      : [],
  );
}

/** A run that works and has nothing else open is being answered right now. */
function beingWritten(run: Run, steps: readonly Message[], told: readonly Span[]): Span[] {
  if (isEnded(run.status) || run.startedAt === undefined) return [];
  if (told.some(({ end }) => end === undefined)) return [];
  const laps = told.filter(({ kind }) => kind === "model").length;
  const start = Math.max(run.startedAt, steps.length > 1 ? (steps.at(-1)?.ts ?? 0) : 0);
  return [
    { kind: "model", start, label: run.model ?? "model", lap: laps + 1, status: "running", derived: true },
  ];
}
