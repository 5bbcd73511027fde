import { FailureError } from "@elwood/core/base/failure";
import { deedOf } from "@elwood/core/tool/tool-words";
import type { Gate } from "@elwood/runtime/gate/gate";
import type { CallRow, Ledger, NumberedCall } from "@elwood/runtime/ports/gate-ports";
import type { Person } from "@elwood/runtime/ports/ports";
import { defineTool, result, ToolError, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";

export interface UndoToolDeps {
  readonly gate: () => Pick<Gate, "undo" | "mustBeUndoable">;
  readonly ledger: Pick<Ledger, "call" | "callsOfRun" | "callsOfSession" | "approval">;
  readonly tenant: string;
  /** The effect of a call was taken back; whoever looks at its conversation is told. */
  readonly undone?: (tenant: string, call: Pick<CallRow, "callId" | "runId" | "sessionId">) => void;
}

/** How far back a conversation is looked through for a number. */
const CALLS_MAX = 1_000;
const UNDOS_MAX = 50;

/**
 * "Undo that", said to the model. It always asks: what is taken back may be what the owner built
 * on since. Each call is undone as the owner's own button does it, with receipts of its own.
 */
export function undoTool(deps: UndoToolDeps): ToolDefinition {
  const { ledger, gate } = deps;

  /** What was done last is taken back first. */
  async function callsBehind(tenant: string, session: string, cites: readonly string[]): Promise<Cited[]> {
    const numbered = await ledger.callsOfSession(tenant, session, { through: "", limit: CALLS_MAX });
    const numbers = new Map(numbered.map(({ callId, number }) => [callId, number]));
    const found = new Map<string, Cited>();
    for (const cite of cites) {
      const { callId, runId, number } = numberedCall(numbered, cite);
      const ofRun = await ledger.callsOfRun(tenant, runId);
      const made = ofRun.filter((row) => row.callId.startsWith(`${callId}.`) && changed(row));
      // A program has no effect of its own: what it did are its calls.
      for (const row of made.length > 0 ? made : ofRun.filter((each) => each.callId === callId))
        found.set(row.callId, { row, cite: `c${numbers.get(row.callId) ?? number}` });
    }
    return [...found.values()].toSorted((a, b) => numberOf(b.cite) - numberOf(a.cite));
  }

  /** Whether it was undone since; a second try of this very call finds what the first one did. */
  async function undoneSince(tenant: string, { callId, runId }: CallRow, since: number): Promise<boolean> {
    const rows = await ledger.callsOfRun(tenant, runId);
    return rows.some(
      ({ undoes, state, createdAt }) => undoes === callId && state === "succeeded" && createdAt >= since,
    );
  }

  /** Why it was not undone, if it was not. */
  async function undoOne(
    tenant: string,
    row: CallRow,
    { by, cite, since, signal }: { by: Person; cite: string; since: number; signal: AbortSignal },
  ): Promise<string | undefined> {
    if (await undoneSince(tenant, row, since)) return undefined;
    try {
      const { status, text } = await gate().undo(tenant, row.callId, undoContext(tenant, row, signal), by);
      if (status !== "ok") return text;
      deps.undone?.(tenant, row);
      return undefined;
    } catch (cause) {
      return asToolError(cause, cite, row.callId).message;
    }
  }

  return defineTool({
    id: "session.call.undo",
    description:
      "Undoes calls of this conversation, by their numbers (c3); a program's takes back all that it did.",
    risk: "write",
    idempotent: true,
    facts: () => [ALWAYS_ASKS],
    labels: { egress: "none", output: "trusted", critical: ["calls"], sensitive: false },
    input: z.strictObject({ calls: z.array(z.string().max(20)).min(1).max(UNDOS_MAX) }),
    output: z.strictObject({
      undone: z.array(z.string()),
      failed: z.array(z.strictObject({ call: z.string(), why: z.string() })),
    }),
    timeoutMs: 120_000,
    target: ({ calls }) => calls.join(", "),
    async preview({ calls }, _signal, { session }) {
      if (session === undefined) return { sentence: `Undo ${calls.join(", ")}.` };
      const behind = await callsBehind(deps.tenant, session, calls);
      for (const { row, cite } of behind)
        await gate()
          .mustBeUndoable(deps.tenant, row.callId)
          .catch((cause: unknown) => {
            throw asToolError(cause, cite, row.callId);
          });
      const [only, ...more] = behind.map(told);
      return more.length === 0
        ? { sentence: `Undo: ${only}.` }
        : { sentence: `Undo ${behind.length} changes.`, after: behind.map(told).join("\n") };
    },
    async handler({ calls }, ctx) {
      const tenant = ctx.tenant ?? deps.tenant;
      const by = await deciderOf(ledger, tenant, ctx.callId);
      const since = (await ledger.call(tenant, ctx.callId))?.createdAt ?? 0;
      const undone: string[] = [];
      const failed: { call: string; why: string }[] = [];
      for (const { row, cite } of await callsBehind(tenant, ctx.session, calls)) {
        const why = await undoOne(tenant, row, { by, cite, since, signal: ctx.signal });
        if (why === undefined) undone.push(cite);
        else failed.push({ call: cite, why });
      }
      const told = failed.map(({ call, why }) => `${call} was not undone: ${why}`);
      if (undone.length === 0) throw new ToolError("conflict", told.join("\n"));
      return result({ undone, failed }, { text: [`Undone: ${undone.join(", ")}.`, ...told].join("\n") });
    },
  });
}

interface Cited {
  readonly row: CallRow;
  /** "c3" */
  readonly cite: string;
}

function changed({ undoes, risk, state }: CallRow): boolean {
  return undoes === undefined && risk !== "read" && state === "succeeded";
}

function numberOf(cite: string): number {
  return Number(/^\[?c(\d+)\]?$/i.exec(cite.trim())?.[1]);
}

function numberedCall(numbered: readonly NumberedCall[], cite: string): NumberedCall {
  const number = numberOf(cite);
  const found = numbered.find((each) => each.number === number);
  if (found) return found;
  throw new ToolError(
    "not_found",
    `There is no call ${cite} in this conversation. Give the number that its result begins with, such as c3.`,
  );
}

const ALWAYS_ASKS = {
  kind: "ask",
  rule: "ask.undo",
  reason: "What is undone is gone, with all that was built on it, so an undo always asks.",
} as const;

/** "Edited a file, notes/todo.md" */
function told({ row }: Cited): string {
  return `${deedOf(row.toolId).done}${row.target === undefined ? "" : `, ${row.target}`}`;
}

/** Whoever allowed this call, or the program that it is part of: by them it is undone. */
async function deciderOf(ledger: UndoToolDeps["ledger"], tenant: string, callId: string): Promise<Person> {
  for (const id of [callId, callId.split(".")[0] ?? callId]) {
    const approvalId = (await ledger.call(tenant, id))?.approvalId;
    const approval = approvalId === undefined ? undefined : await ledger.approval(tenant, approvalId);
    if (approval?.status === "approved" && approval.decidedBy?.kind === "owner")
      return { id: approval.decidedBy.id, surface: approval.decidedBy.surface };
  }
  throw new ToolError("denied", "Nobody has allowed this. Nothing was undone.");
}

function undoContext(tenant: string, { sessionId, runId }: CallRow, signal: AbortSignal) {
  const nothing = () => undefined;
  return {
    tenant,
    sessionId,
    runId,
    surface: "gateway",
    signal,
    progress: nothing,
    entered: nothing,
    started: nothing,
    waiting: nothing,
  };
}

/** The model knows calls by their numbers. */
function asToolError(cause: unknown, cite: string, callId: string): ToolError {
  if (!(cause instanceof FailureError)) throw cause;
  return new ToolError("conflict", cause.failure.message.replaceAll(callId, cite));
}
