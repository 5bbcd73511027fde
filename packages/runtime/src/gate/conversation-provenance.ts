import { textOf, type Message } from "@elwood/core/message/message";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { Decider } from "@elwood/core/receipts/receipt";
import type { BegunCall, RuleOfTwo } from "@elwood/core/policy/rule-of-two";
import type { SeenResult } from "@elwood/core/said/records";
import type { Spoken } from "@elwood/core/said/who-said";
import type { TrustLabels } from "@elwood/core/tool/tool";
import type { CallRow, Ledger, ToolTable } from "./ports.ts";
import type { RunStore } from "../ports/ports.ts";
import { labelsOfRead } from "@elwood/core/memory/own-words";
import { ruleOfTwo } from "@elwood/core/policy/rule-of-two";

/** So many messages back the owner's word counts. */
const MESSAGES_MAX = 50;
/** So many messages back results can say where a value came from, and what a name means. */
const RESULT_RUNS_MAX = 10;
const RESULTS_MAX = 200;
const REMEMBERED_MAX = 2_000;
/** So many denials of a run are looked at. */
const NOTES_MAX = 20;
/** So many messages back is looked for words of others; what is older is believed to have read some. */
const OTHERS_RUNS_MAX = 500;

/** Of the message that began a run: what the owner typed, and whether it brought words of others along. */
interface Opening {
  readonly typed: readonly string[];
  readonly strangers: boolean;
  /** What was recalled from memory for it, as the model was told. */
  readonly recalled: readonly string[];
}

/** What was said and seen in a conversation, for deciding whether the owner said what a call is about. */
export class Conversations {
  readonly #runs: Pick<RunStore, "idsOfSession" | "journal">;
  readonly #ledger: Pick<Ledger, "callsOfRun" | "receipts">;
  readonly #table: () => ToolTable;
  /** Of runs, by their id: the message that began one never changes afterwards. */
  readonly #openings = new Map<string, Opening>();
  /** Ended runs that read nothing of others, and of a conversation the first that did. */
  readonly #clean = new Set<string>();
  readonly #firstWithOthers = new Map<string, string>();

  constructor(
    runs: Pick<RunStore, "idsOfSession" | "journal">,
    ledger: Pick<Ledger, "callsOfRun" | "receipts">,
    table: () => ToolTable,
  ) {
    this.#runs = runs;
    this.#ledger = ledger;
    this.#table = table;
  }

  /** Something was forgotten: what is remembered here is read anew. */
  forgot(): void {
    this.#openings.clear();
    this.#clean.clear();
    this.#firstWithOthers.clear();
  }

  /** Messages that wait behind the one that is being answered count too: they were typed by the same hand. */
  async of(tenant: string, sessionId: string): Promise<Spoken> {
    const runs = await this.#runs.idsOfSession(tenant, sessionId, MESSAGES_MAX);
    const oldestFirst = runs.toReversed();
    const said: string[] = [];
    const seen: SeenResult[] = [];
    for (const id of oldestFirst) {
      const { typed, recalled } = await this.#opening(tenant, id);
      said.push(...typed);
      seen.push(...recalled.map((text) => recalledAs(id, text)));
    }
    const calls: CallRow[] = [];
    for (const id of oldestFirst.slice(-RESULT_RUNS_MAX))
      calls.push(...(await this.#ledger.callsOfRun(tenant, id)));
    const answers = calls.filter(isOwnersAnswer).flatMap(({ outcome }) => answerIn(outcome?.value));
    return {
      said: [...said, ...answers, ...(await this.#notes(tenant, calls))],
      seen: [...seen, ...calls.flatMap((call) => this.#seen(call))].slice(-RESULTS_MAX),
    };
  }

  /** What the owner wrote beside their denials: what to do instead is their own word. */
  async #notes(tenant: string, calls: readonly CallRow[]): Promise<string[]> {
    const runs = new Set(calls.filter(({ state }) => state === "denied").map(({ runId }) => runId));
    const notes: string[] = [];
    for (const runId of runs) {
      const types = ["tool.call.denied" as const];
      const denied = await this.#ledger.receipts(tenant, { runId, types, limit: NOTES_MAX });
      for (const { payload } of denied.toReversed()) {
        const { note, decidedBy, stopped } = payload as {
          readonly note?: unknown;
          readonly decidedBy?: Decider;
          readonly stopped?: unknown;
        };
        // Where the run was stopped, nobody decided, and the note is Elwood's.
        if (decidedBy?.kind === "owner" && stopped !== true && typeof note === "string") notes.push(note);
      }
    }
    return notes;
  }

  /** Whether a run, or one before it in its conversation, had words before it that others may have written. */
  async readOthers(tenant: string, run: { id: string; sessionId: string }): Promise<boolean> {
    const newestFirst = await this.#runs.idsOfSession(tenant, run.sessionId, OTHERS_RUNS_MAX);
    const ids = newestFirst.toReversed();
    const at = ids.indexOf(run.id);
    if (at < 0) return true;
    const key = `${tenant}/${run.sessionId}`;
    const first = this.#firstWithOthers.get(key);
    if (first !== undefined) return ids.indexOf(first) <= at;
    for (const [index, id] of ids.slice(0, at + 1).entries()) {
      if (this.#clean.has(id)) continue;
      if (await this.#hasOthers(tenant, id)) {
        remember(this.#firstWithOthers, key, id);
        return true;
      }
      // Runs of a conversation go one after the other; only the last may still read something.
      if (index < at && this.#clean.size < REMEMBERED_MAX) this.#clean.add(id);
    }
    return false;
  }

  async #hasOthers(tenant: string, runId: string): Promise<boolean> {
    if ((await this.#opening(tenant, runId)).strangers) return true;
    const calls = await this.#ledger.callsOfRun(tenant, runId);
    return calls.some((call) => BEGUN.has(call.state) && this.#labels(call)?.output !== "trusted");
  }

  /** What came together in a run, with what the model still has before it of earlier ones. */
  async ruleOfTwo(tenant: string, run: { id: string; sessionId: string }): Promise<RuleOfTwo | undefined> {
    const ids = await this.#runs.idsOfSession(tenant, run.sessionId, MESSAGES_MAX);
    const begun: BegunCall[] = [];
    const looks = await this.#looks(tenant, run.id);
    let strangers = false;
    let recalled = false;
    for (const id of upTo(ids, run.id).slice(0, RESULT_RUNS_MAX)) {
      const opening = await this.#opening(tenant, id);
      strangers ||= opening.strangers;
      recalled ||= opening.recalled.length > 0;
      for (const call of await this.#ledger.callsOfRun(tenant, id)) {
        const { state, approvalId } = call;
        if (!BEGUN.has(state)) continue;
        const known = this.#labels(call);
        // What lies in the owner's folders is theirs, or was written with their approval; notes may be of others.
        const labels = known && isOwnersText(call.toolId) ? { ...known, output: "trusted" as const } : known;
        const looked = looks.has(call.callId);
        const risk = looked ? "read" : call.risk;
        const shown = looked && labels ? { ...labels, egress: "none" as const } : labels;
        begun.push({ labels: shown, risk, ofRun: id === run.id, asked: approvalId !== undefined });
      }
    }
    // What is older is still before the model, as it was said or in a summary.
    if (upTo(ids, run.id).length > RESULT_RUNS_MAX) strangers ||= await this.readOthers(tenant, run);
    const together = ruleOfTwo(begun, strangers);
    return recalled ? { ...together, privateData: true } : together;
  }

  /** Calls of a run that only looked, by their receipts, though their tools can do more. */
  async #looks(tenant: string, runId: string): Promise<ReadonlySet<string>> {
    const types = ["tool.call.started" as const];
    const started = await this.#ledger.receipts(tenant, { runId, types, limit: RESULTS_MAX });
    return new Set(
      started.flatMap((one) =>
        one.callId && isReceipt(one, "tool.call.started") && one.payload.harmless ? [one.callId] : [],
      ),
    );
  }

  async #opening(tenant: string, runId: string): Promise<Opening> {
    const known = this.#openings.get(runId);
    if (known) return known;
    const { steps } = await this.#runs.journal(tenant, runId);
    const first = steps.slice(0, 1);
    const opening = {
      typed: first.flatMap(typedBy),
      strangers: first.some(bringsOthersWords),
      recalled: steps.filter(({ origin }) => origin === "recalled").map(textOf),
    };
    // A run that has not begun may still be given something.
    if (steps.length > 1) remember(this.#openings, runId, opening);
    return opening;
  }

  /** Undefined for a tool that is gone by now, which is believed nothing. */
  #labels({ toolId, outcome }: CallRow): TrustLabels | undefined {
    const labels = this.#table().get(toolId)?.contract.labels;
    return labels && labelsOfRead(toolId, labels, outcome?.value);
  }

  #seen(call: CallRow): SeenResult[] {
    const { callId, toolId, target, state, outcome } = call;
    if (outcome?.value === undefined || state !== "succeeded") return [];
    const labels = this.#labels(call);
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

function remember<T>(kept: Map<string, T>, key: string, value: T): void {
  const [oldest] = kept.keys();
  if (kept.size >= REMEMBERED_MAX && oldest !== undefined) kept.delete(oldest);
  kept.set(key, value);
}

/** Recalled words are private, and nobody's wish: a text for others must not copy them unasked. */
function recalledAs(runId: string, text: string): SeenResult {
  const from = { callId: runId, toolId: "memory.note.search", target: "memory" };
  return { ...from, trust: "trusted", sensitive: true, value: text };
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

function isOwnersText(toolId: string): boolean {
  return toolId.startsWith("files.");
}
