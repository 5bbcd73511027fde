import type { Message } from "@elwood/core/message";
import type { BegunCall, RuleOfTwo } from "@elwood/core/rule-of-two";
import type { SeenResult } from "@elwood/core/said/records";
import type { Spoken } from "@elwood/core/said/who-said";
import type { CallRow, Ledger, ToolTable } from "@elwood/runtime/gate/ports";
import type { RunStore } from "@elwood/runtime/ports";

/** So many messages back the owner's word counts. */
const MESSAGES_MAX = 50;
/** So many messages back results can say where a value came from, and what a name means. */
const RESULT_RUNS_MAX = 10;
const RESULTS_MAX = 200;
const REMEMBERED_MAX = 2_000;

/** Of the message that began a run: what the owner typed, and whether it brought words of others along. */
interface Opening {
  readonly typed: readonly string[];
  readonly strangers: boolean;
}

/** What was said and seen in a conversation, for deciding whether the owner said what a call is about. */
export class Conversations {
  readonly #runs: Pick<RunStore, "idsOfSession" | "journal">;
  readonly #ledger: Pick<Ledger, "callsOfRun" | "receipts">;
  readonly #table: () => ToolTable;
  /** Of runs, by their id: the message that began one never changes afterwards. */
  readonly #openings = new Map<string, Opening>();

  constructor(
    runs: Pick<RunStore, "idsOfSession" | "journal">,
    ledger: Pick<Ledger, "callsOfRun" | "receipts">,
    table: () => ToolTable,
  ) {
    this.#runs = runs;
    this.#ledger = ledger;
    this.#table = table;
  }

  /** Messages that wait behind the one that is being answered count too: they were typed by the same hand. */
  async of(tenant: string, sessionId: string): Promise<Spoken> {
    const runs = await this.#runs.idsOfSession(tenant, sessionId, MESSAGES_MAX);
    const oldestFirst = runs.toReversed();
    const said: string[] = [];
    for (const id of oldestFirst) said.push(...(await this.#opening(tenant, id)).typed);
    const calls: CallRow[] = [];
    for (const id of oldestFirst.slice(-RESULT_RUNS_MAX))
      calls.push(...(await this.#ledger.callsOfRun(tenant, id)));
    const answers = calls.filter(isOwnersAnswer).flatMap(({ outcome }) => answerIn(outcome?.value));
    return {
      said: [...said, ...answers],
      seen: calls.flatMap((call) => this.#seen(call)).slice(-RESULTS_MAX),
    };
  }

  /** What came together in a run, with what the model still has before it of earlier ones. */
  async ruleOfTwo(tenant: string, run: { id: string; sessionId: string }): Promise<RuleOfTwo | undefined> {
    const ids = await this.#runs.idsOfSession(tenant, run.sessionId, MESSAGES_MAX);
    const begun: BegunCall[] = [];
    const looks = await this.#looks(tenant, run.id);
    let strangers = false;
    for (const id of upTo(ids, run.id).slice(0, RESULT_RUNS_MAX)) {
      strangers ||= (await this.#opening(tenant, id)).strangers;
      for (const call of await this.#ledger.callsOfRun(tenant, id)) {
        const { toolId, state, approvalId } = call;
        if (!BEGUN.has(state)) continue;
        const labels = this.#table().get(toolId)?.contract.labels;
        const looked = looks.has(call.callId);
        const risk = looked ? "read" : call.risk;
        const shown = looked && labels ? { ...labels, egress: "none" as const } : labels;
        begun.push({ labels: shown, risk, ofRun: id === run.id, asked: approvalId !== undefined });
      }
    }
    const { ruleOfTwo } = await import("@elwood/core/rule-of-two");
    return ruleOfTwo(begun, strangers);
  }

  /** Calls of a run that only looked, by their receipts, though their tools can do more. */
  async #looks(tenant: string, runId: string): Promise<ReadonlySet<string>> {
    const types = ["tool.call.started" as const];
    const started = await this.#ledger.receipts(tenant, { runId, types, limit: RESULTS_MAX });
    return new Set(
      started.flatMap(({ callId, payload }) => (callId && payload["harmless"] === true ? [callId] : [])),
    );
  }

  async #opening(tenant: string, runId: string): Promise<Opening> {
    const known = this.#openings.get(runId);
    if (known) return known;
    const { steps } = await this.#runs.journal(tenant, runId);
    const first = steps.slice(0, 1);
    const opening = { typed: first.flatMap(typedBy), strangers: first.some(bringsOthersWords) };
    const [oldest] = this.#openings.keys();
    if (this.#openings.size >= REMEMBERED_MAX && oldest !== undefined) this.#openings.delete(oldest);
    this.#openings.set(runId, opening);
    return opening;
  }

  #seen({ callId, toolId, target, state, outcome }: CallRow): SeenResult[] {
    if (outcome?.value === undefined || state !== "succeeded") return [];
    // A tool that is gone by now is believed nothing.
    const labels = this.#table().get(toolId)?.contract.labels;
    return [
      {
        callId,
        toolId,
        ...(target === undefined ? {} : { target }),
        trust: labels?.output ?? "untrusted",
        sensitive: labels?.sensitive ?? true,
        ...(labels?.lists === undefined ? {} : { lists: labels.lists }),
        value: outcome.value,
      },
    ];
  }
}

/** Of runs, newest first, this one and those before it. */
function upTo(ids: readonly string[], runId: string): readonly string[] {
  const at = ids.indexOf(runId);
  return at < 0 ? [runId] : ids.slice(at);
}

/** Calls in these states have been started; the others never touched anything. */
const BEGUN: ReadonlySet<CallRow["state"]> = new Set(["started", "succeeded", "failed", "unknown"]);

function bringsOthersWords({ role, origin, blocks }: Message): boolean {
  return (
    role === "user" && blocks.some((block) => block.type !== "text" || (block.origin ?? origin) !== "owner")
  );
}

/** Only what the owner typed themselves; what came along with it is data. */
function typedBy({ role, origin, blocks }: Message): string[] {
  if (role !== "user" || origin !== "owner") return [];
  return blocks.flatMap((block) =>
    block.type === "text" && (block.origin ?? origin) === "owner" ? [block.text] : [],
  );
}

/** What the owner answered to a question is their own word too. */
function isOwnersAnswer({ toolId, state }: CallRow): boolean {
  return toolId === "owner.question.ask" && state === "succeeded";
}

function answerIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null || !("answer" in value)) return [];
  return typeof value.answer === "string" ? [value.answer] : [];
}
