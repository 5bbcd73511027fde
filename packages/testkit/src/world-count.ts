import { createHash } from "node:crypto";
import type { Approval } from "@elwood/core/policy/approval";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { LIMITS } from "@elwood/core/base/limits";
import {
  FIRST_PREV_HASH,
  receiptHash,
  type StoredReceipt,
  type ReceiptType,
} from "@elwood/core/receipts/receipt";
import { isEnded, type Run } from "@elwood/core/message/session";
import type { CallRow, Ledger } from "@elwood/runtime/ports/gate-ports";
import type { Stores } from "@elwood/runtime/ports/ports";

/** Something a tool did to the world outside. */
export interface Effect {
  readonly callId: string;
  readonly toolId: string;
  readonly key: string;
  readonly input: unknown;
}

export interface CountedWorld {
  readonly tenant: string;
  readonly stores: Pick<Stores, "sessions" | "runs" | "transcripts">;
  readonly ledger: Ledger;
  readonly effects: readonly Effect[];
  /** Tools that may be run again with the same key: what they do twice counts once. */
  readonly idempotent: ReadonlySet<string>;
  /** A process has started since whatever went wrong, so that every run on record has its end there. */
  readonly recovered?: boolean;
  /** Runs may still wait for a person. */
  readonly mayWait?: boolean;
}

/**
 * Counts the world after whatever happened, and answers everything that is wrong with it:
 *
 *  W1 no effect twice, and none without `started` before it;
 *  W2 no `started` without exactly one end, no call left in the middle;
 *  W3 what is told is what happened: no effect of what was refused, denied, expired or
 *     failed, and one of what succeeded;
 *  W4 what was asked ran only as it was approved, and no approval is left over or used twice;
 *  W5 no id twice; the chain of receipts holds;
 *  W6 every run ended and stands in its transcript whole and once; every tool_use has its
 *     one tool_result, which tells the same as the ledger;
 *  W7 no run ends twice on record, and once a new process has started none begins there without ending.
 *  W8 the reply of a run that made calls is on record, once, and every run ends in its
 *     transcript with the evidence under it.
 */
export async function worldProblems(world: CountedWorld): Promise<string[]> {
  const { tenant, stores } = world;
  const runs = await allRuns(world);
  const open = new Set(world.mayWait ? runs.filter((run) => !isEnded(run.status)).map((run) => run.id) : []);
  const { problems, receipts, calls } = await ledgerProblems(
    world,
    runs.map((run) => run.id),
    open,
  );
  return [
    ...problems,
    ...runs.filter((run) => !open.has(run.id)).flatMap((run) => runFactProblems(world, run, receipts)),
    ...runs
      .filter((run) => !open.has(run.id) && !(isEnded(run.status) && run.committed))
      .map((run) => `W6 run ${run.id} is ${run.status}, committed: ${run.committed}`),
    ...(await transcriptProblems(
      stores,
      tenant,
      runs.filter((run) => run.committed),
      calls,
    )),
  ];
}

/** W1 to W5: what the ledger itself has to say of these runs, of which `open` may still wait. */
export async function ledgerProblems(
  world: Omit<CountedWorld, "stores">,
  runIds: readonly string[],
  open: ReadonlySet<string> = new Set(),
): Promise<{ problems: string[]; receipts: StoredReceipt[]; calls: CallRow[] }> {
  const { tenant, ledger } = world;
  const receipts = await allReceipts(world);
  const calls = (await Promise.all(runIds.map((id) => ledger.callsOfRun(tenant, id)))).flat();
  const approvals = await ledger.approvals(tenant, { limit: LIMITS.pageSizeMax });
  const problems = [
    ...chainProblems(receipts, tenant),
    ...repeated(
      "receipt",
      receipts.map((receipt) => receipt.id),
    ),
    ...repeated(
      "call",
      calls.map((call) => call.callId),
    ),
    ...repeated(
      "approval",
      approvals.map((approval) => approval.id),
    ),
    ...calls
      .filter((call) => !open.has(call.runId))
      .flatMap((call) => callProblems(world, call, receipts, approvals)),
    ...strayEffects(world, calls),
    ...approvals.flatMap((approval) => deciderProblems(approval, receipts)),
    ...approvals
      .filter(
        (approval) =>
          approval.status === "pending" && approval.card.kind !== "settle" && !open.has(approval.runId),
      )
      .map(
        (approval) =>
          `W4 ${approval.card.kind} ${approval.id} of ${approval.callId} still waits although its run ended`,
      ),
  ];
  return { problems, receipts, calls };
}

const ENDS: readonly ReceiptType[] = ["tool.call.succeeded", "tool.call.failed", "tool.call.unknown"];
const ENDED_UNMADE = ["refused", "denied", "expired"];

function callProblems(
  world: Omit<CountedWorld, "stores">,
  call: CallRow,
  receipts: readonly StoredReceipt[],
  approvals: readonly Approval[],
): string[] {
  const problems: string[] = [];
  const say = (what: string) => problems.push(`${what} (${call.callId} ${call.toolId}, ${call.state})`);
  const own = receipts.filter((receipt) => receipt.callId === call.callId);
  const types = own.map((receipt) => receipt.type);
  const effects = world.effects.filter((effect) => effect.callId === call.callId);
  const once = !world.idempotent.has(call.toolId);
  const happened = new Set(effects.map((effect) => effect.key)).size;
  if (once && effects.length > 1) say(`W1 ${effects.length} effects`);
  const starts = types.filter((type) => type === "tool.call.started").length;
  if (effects.length > 0 && starts === 0) say("W1 an effect without `started`");
  if (starts > 1) say(`W2 ${starts} times started`);
  const ends = ENDS.map((type) => types.filter((each) => each === type).length);
  const settled = types.includes("tool.call.settled") && types.includes("tool.call.unknown");
  const total = ends.reduce((sum, count) => sum + count, 0);
  if (starts === 1 && total !== 1 && !(settled && total === 2)) say(`W2 ${total} ends: ${types.join(" ")}`);
  if (starts === 0 && total > 0) say("W2 an end without `started`");
  if (["requested", "asked", "approved", "started"].includes(call.state)) say("W2 left in the middle");
  if (ENDED_UNMADE.includes(call.state) && happened > 0) say("W3 an effect of what was not made");
  if (call.state === "failed" && once && happened > 0) say("W3 an effect of what failed");
  if (call.state === "succeeded" && acts(call) && happened !== 1) say(`W3 done, but ${happened} effects`);
  if (types.filter((type) => type === "tool.call.requested").length !== 1) say("W2 not requested once");
  if (types.includes("tool.call.asked") && starts > 0 && call.undoes === undefined) {
    const approval = approvals.find((each) => each.id === call.approvalId);
    const allowed = approval?.editedInput ?? approval?.card.input;
    if (approval?.status !== "approved") say(`W4 started, but its approval is ${approval?.status}`);
    if (types.indexOf("tool.call.approved") > types.indexOf("tool.call.started"))
      say("W4 started before it was approved");
    if (canonicalJson(allowed) !== canonicalJson(call.executedInput))
      say("W4 it ran otherwise than approved");
  }
  return problems;
}

function runFactProblems(
  { recovered }: CountedWorld,
  { id }: Run,
  receipts: readonly StoredReceipt[],
): string[] {
  const own = receipts.filter((receipt) => receipt.runId === id);
  const count = (...types: ReceiptType[]) =>
    own.filter((receipt) => types.some((type) => type === receipt.type)).length;
  const ended = count("run.finished");
  const replies = count("reply.grounded");
  if (replies > 1) return [`W8 run ${id} has ${replies} replies on record`];
  if (replies === 0 && own.some(({ type }) => isCallMade(type)))
    return [`W8 run ${id} has no reply on record`];
  if (ended > 1) return [`W7 run ${id} is finished ${ended} times`];
  const begun = count("run.started", "run.resumed") > 0;
  return recovered && begun && ended === 0 ? [`W7 run ${id} is not finished on record`] : [];
}

/** A call that was refused never happened. */
function isCallMade(type: string): boolean {
  return type === "tool.call.started" || type === "tool.call.asked";
}

/** Five deciders, each told as what it was; expired is not denied. */
function deciderProblems(
  { id, status, decidedBy, card }: Approval,
  receipts: readonly StoredReceipt[],
): string[] {
  if (status === "pending") return [];
  const told = receipts
    .filter((receipt) => receipt.payload["approvalId"] === id)
    .map((receipt) => receipt.type);
  const problems: string[] = [];
  if ((status === "expired") !== (decidedBy?.kind === "expiry"))
    problems.push(`W4 ${id} is ${status}, decided by ${decidedBy?.kind}`);
  if (status === "approved" && decidedBy?.kind !== "owner")
    problems.push(`W4 ${id} was approved by ${decidedBy?.kind}`);
  if (card.kind === "approval" && !told.includes(`tool.call.${status}`))
    problems.push(`W4 no receipt says that ${id} is ${status}`);
  return problems;
}

/** Questions to the owner and reads change nothing. */
function acts(call: CallRow): boolean {
  return call.risk !== "read";
}

function strayEffects(world: Omit<CountedWorld, "stores">, calls: readonly CallRow[]): string[] {
  const known = new Set(calls.map((call) => call.callId));
  const byKey = world.effects
    .filter((effect) => !world.idempotent.has(effect.toolId))
    .map((effect) => effect.key);
  return [
    ...world.effects
      .filter((effect) => !known.has(effect.callId))
      .map((effect) => `W1 an effect of ${effect.callId}, which no call row knows`),
    ...repeated("W1 effect", byKey),
  ];
}

function chainProblems(receipts: readonly StoredReceipt[], tenant: string): string[] {
  let prevHash = FIRST_PREV_HASH;
  for (const [index, receipt] of receipts.entries()) {
    const { hash, ...body } = receipt;
    if (receipt.seq !== index + 1) return [`W5 receipt ${receipt.seq} stands at ${index + 1}`];
    if (receipt.tenant !== tenant || receipt.prevHash !== prevHash)
      return [`W5 the chain breaks at ${receipt.seq}`];
    if (receiptHash(body, sha256) !== hash) return [`W5 receipt ${receipt.seq} has another hash`];
    prevHash = hash;
  }
  return [];
}

async function transcriptProblems(
  stores: CountedWorld["stores"],
  tenant: string,
  runs: readonly Run[],
  calls: readonly CallRow[],
): Promise<string[]> {
  const problems: string[] = [];
  const states = new Map(calls.map((call) => [call.callId, call.state]));
  const used: string[] = [];
  for (const sessionId of new Set(runs.map((run) => run.sessionId))) {
    const { lines, damage } = await stores.transcripts.load(tenant, sessionId);
    if (damage.length > 0) problems.push(`W6 the transcript of ${sessionId} is damaged`);
    for (const run of runs.filter((each) => each.sessionId === sessionId)) {
      const own = lines.filter((line) => line.run === run.id);
      const whole = own.length > 0 && own.every((line, i) => line.i === i && line.n === own.length);
      if (!whole)
        problems.push(
          `W6 run ${run.id} is not whole in its transcript: ${own.map((line) => `${line.i}/${line.n}`).join(" ")}`,
        );
      if (own.at(-1)?.meta?.evidence === undefined) problems.push(`W8 run ${run.id} ends without evidence`);
      const blocks = own.flatMap((line) => line.blocks);
      const results = blocks.filter((block) => block.type === "tool_result");
      const uses = blocks.filter((block) => block.type === "tool_use");
      used.push(...uses.map((use) => use.callId));
      for (const { callId } of uses) {
        const [result, second] = results.filter((each) => each.callId === callId);
        const state = states.get(callId);
        if (!result || second) problems.push(`W6 ${callId} has ${second ? "two results" : "no result"}`);
        else if (state && (result.status === "ok") !== (state === "succeeded"))
          problems.push(`W6 the model was told ${result.status} of ${callId}, which is ${state}`);
      }
      const known = new Set(uses.map((use) => use.callId));
      for (const result of results)
        if (!known.has(result.callId)) problems.push(`W6 a result of ${result.callId} without a call`);
    }
  }
  return [...problems, ...repeated("tool_use", used)];
}

async function allRuns({ stores, tenant }: CountedWorld): Promise<Run[]> {
  const runs: Run[] = [];
  for (let before: string | undefined; ;) {
    const page = await stores.runs.list(tenant, { limit: LIMITS.pageSizeMax, ...(before ? { before } : {}) });
    runs.push(...page.runs);
    if (page.next === undefined) return runs.reverse();
    before = page.next;
  }
}

/** Oldest first. */
async function allReceipts({
  ledger,
  tenant,
}: Pick<CountedWorld, "ledger" | "tenant">): Promise<StoredReceipt[]> {
  const receipts: StoredReceipt[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = await ledger.receipts(tenant, { limit: LIMITS.pageSizeMax, before });
    receipts.push(...page);
    const last = page.at(-1);
    if (!last || last.seq <= 1) return receipts.reverse();
    before = last.seq;
  }
}

function repeated(what: string, ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.has(id) || !seen.add(id)).map((id) => `W5 the ${what} ${id} is there twice`);
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
