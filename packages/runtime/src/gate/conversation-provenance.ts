import { FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { textOf, type Message } from "@elwood/core/message/message";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { StartedCall, RuleOfTwo } from "@elwood/core/policy/rule-of-two";
import type { Conversation } from "@elwood/core/authority/authority";
import type { SeenResult } from "@elwood/core/authority/records";
import type { TrustLabels } from "@elwood/core/tool/tool";
import { PROGRAM_TOOL } from "./program-tools.ts";
import type { CallRow, Ledger, ToolSnapshot } from "../ports/gate-ports.ts";
import type { RunStore } from "../ports/ports.ts";
import { labelsOfMemoryRead } from "@elwood/core/memory/read-labels";
import { ruleOfTwo } from "@elwood/core/policy/rule-of-two";

/** How many messages back the owner's text counts. */
const MESSAGES_MAX = 50;
/** How many messages back results count as the source of a value. */
const RESULT_RUNS_MAX = 10;
const RESULTS_MAX = 200;
const REMEMBERED_MAX = 2_000;
/** So many denials of a run are looked at. */
const NOTES_MAX = 20;
/** How many messages back untrusted input is looked for; anything older is assumed to contain some. */
const UNTRUSTED_RUNS_MAX = 500;

/** The message that began a run: what the owner typed, and whether it contains untrusted input. */
interface FirstMessage {
  readonly typed: readonly string[];
  readonly untrusted: boolean;
  /** The text recalled from memory for it. */
  readonly recalled: readonly string[];
  /** Earlier versions of it with the same words. */
  readonly again: readonly string[];
}

/** What the owner typed for a run and denied in it, and what its conversation has read. */
export interface RunConversation extends Conversation {
  /** The run that it is about; none where the session has none yet. */
  readonly runId?: string;
  /** Versions of the run that began with the same words: what they did is used up, and what was denied there is denied. */
  readonly again?: readonly string[];
  /** Calls of the run that the owner denied, oldest first; those of these versions are among them. */
  readonly denials: readonly { readonly toolId: string; readonly input: unknown }[];
  /** What the owner wrote beside their last denial. */
  readonly afterDenial: readonly string[];
  /** All that they typed in the conversation. */
  readonly wholeText: readonly string[];
}

/** Where the text in a conversation came from. The policy uses it to decide whether the owner asked for what a call does. */
export class ConversationProvenance {
  readonly #runs: Pick<RunStore, "idsOfSession" | "journal">;
  readonly #ledger: Pick<Ledger, "callsOfRun" | "receipts" | "body">;
  readonly #toolSnapshot: () => ToolSnapshot;
  /** By run id; the first message of a run never changes. */
  readonly #firstMessages = new FirstMessages();
  /** Of each conversation the last finished run up to which there is no untrusted input, and the first run with it. */
  readonly #cleanUpTo = new Map<string, string>();
  readonly #firstUntrustedRun = new Map<string, string>();

  constructor(
    runs: Pick<RunStore, "idsOfSession" | "journal">,
    ledger: Pick<Ledger, "callsOfRun" | "receipts" | "body">,
    toolSnapshot: () => ToolSnapshot,
  ) {
    this.#runs = runs;
    this.#ledger = ledger;
    this.#toolSnapshot = toolSnapshot;
  }

  /** Called after an erasure: cached text is read again. */
  clearCache(): void {
    this.#firstMessages.clear();
    this.#cleanUpTo.clear();
    this.#firstUntrustedRun.clear();
  }

  /**
   * What the owner typed for a run, and what its conversation has read. Without a run the newest
   * one counts. A message speaks for its own run alone.
   */
  async of(tenant: string, sessionId: string, runId?: string): Promise<RunConversation> {
    const newestFirst = await this.#runs.idsOfSession(tenant, sessionId, MESSAGES_MAX);
    const hasOlder = newestFirst.length >= MESSAGES_MAX;
    const known =
      runId === undefined ||
      newestFirst.includes(runId) ||
      (hasOlder && (await this.#stepsOf(tenant, runId)).length > 0);
    const upToRun = runId === undefined ? newestFirst : upTo(newestFirst, runId);
    // A run that is not of the conversation, or not stored, has no words and no results.
    const runs = known ? upToRun : [];
    const oldestFirst = runs.toReversed();
    const said: string[] = [];
    const earlier: string[] = [];
    const seen: SeenResult[] = [];
    for (const id of oldestFirst) {
      const { typed, recalled } = await this.#firstMessage(tenant, id);
      said.push(...typed);
      if (id !== runs[0]) earlier.push(...typed);
      seen.push(...recalled.map((text) => recalledAs(id, text)));
    }
    const calls: CallRow[] = [];
    for (const id of oldestFirst.slice(-RESULT_RUNS_MAX))
      calls.push(...(await this.#ledger.callsOfRun(tenant, id)));
    const [current, previous] = runs;
    const own = calls.filter((call) => call.runId === current);
    const { typed, again } =
      current === undefined ? { typed: [], again: [] } : await this.#firstMessage(tenant, current);
    const before: CallRow[] = [];
    for (const id of again) before.push(...(await this.#ledger.callsOfRun(tenant, id)));
    const offer =
      previous !== undefined && (await hasConsent(typed))
        ? await this.#lastReply(tenant, previous)
        : undefined;
    const denials = await this.#denials(tenant, own);
    const last = denials.at(-1)?.note;
    return {
      again,
      typed: [...typed, ...notesIn(denials)],
      denials: [...(await this.#denials(tenant, before)), ...denials].flatMap(({ callId }) =>
        [...before, ...own].flatMap((call) =>
          call.callId === callId ? [{ toolId: call.toolId, input: call.executedInput }] : [],
        ),
      ),
      afterDenial: last === undefined ? [] : [last],
      answers: own.flatMap((call) =>
        answersIn([call]).typed.map((answer) => ({ question: questionIn(call.requestedInput), answer })),
      ),
      ...(offer === undefined ? {} : { offer }),
      earlier,
      picked: answersIn(own).picked,
      ...(current === undefined ? {} : { runId: current }),
      wholeText: [...said, ...answersIn(calls).typed, ...notesIn(await this.#denials(tenant, calls))],
      seen: [...seen, ...calls.flatMap((call) => this.#seen(call))].slice(-RESULTS_MAX),
    };
  }

  /** What the assistant wrote at the end of a run. */
  async #lastReply(tenant: string, runId: string): Promise<string | undefined> {
    const { steps } = await this.#runs.journal(tenant, runId);
    const last = steps.findLast(
      ({ role, blocks }) => role === "assistant" && blocks.some(({ type }) => type === "text"),
    );
    return last && textOf(last);
  }

  /** What the owner denied, with the note beside it: what to do instead is their own word. */
  async #denials(tenant: string, calls: readonly CallRow[]): Promise<Denial[]> {
    const runs = new Set(calls.filter(({ state }) => state === "denied").map(({ runId }) => runId));
    const denials: Denial[] = [];
    for (const runId of runs) {
      const types = ["tool.call.denied" as const];
      const denied = await this.#ledger.receipts(tenant, { runId, types, limit: NOTES_MAX });
      for (const receipt of denied.toReversed()) {
        if (!isReceipt(receipt, "tool.call.denied")) continue;
        const { note: open, noteCommit, decidedBy, stopped } = receipt.payload;
        // Where the run was stopped, nobody decided, and the note is Elwood's.
        if (decidedBy.kind !== "owner" || stopped === true) continue;
        const note = noteCommit === undefined ? open : (await this.#ledger.body(tenant, noteCommit))?.value;
        denials.push({
          callId: receipt.callId ?? "",
          ...(typeof note === "string" ? { note } : {}),
        });
      }
    }
    return denials;
  }

  /** Whether a run, or an earlier one of its conversation, contains text that others may have written. */
  async hasUntrustedInput(tenant: string, run: { id: string; sessionId: string }): Promise<boolean> {
    const newestFirst = await this.#runs.idsOfSession(tenant, run.sessionId, UNTRUSTED_RUNS_MAX);
    const ids = newestFirst.toReversed();
    const at = ids.indexOf(run.id);
    if (at < 0) return true;
    const key = `${tenant}/${run.sessionId}`;
    const first = this.#firstUntrustedRun.get(key);
    // Where it is in a version that is not shown, nothing of it is in this conversation.
    if (first !== undefined && ids.includes(first)) return ids.indexOf(first) <= at;
    const clean = this.#cleanUpTo.get(key);
    for (let index = clean === undefined ? 0 : ids.indexOf(clean) + 1; index <= at; index += 1) {
      const id = ids[index]!;
      if (await this.#runHasUntrustedInput(tenant, id)) {
        remember(this.#firstUntrustedRun, key, id);
        return true;
      }
      // Runs of a conversation are sequential; only the last may still read something.
      if (index < at) remember(this.#cleanUpTo, key, id);
    }
    return false;
  }

  async #runHasUntrustedInput(tenant: string, runId: string): Promise<boolean> {
    if ((await this.#firstMessage(tenant, runId)).untrusted) return true;
    const calls = await this.#ledger.callsOfRun(tenant, runId);
    return calls.some((call) => BEGUN.has(call.state) && this.#labels(call)?.output !== "trusted");
  }

  /** Whether a conversation holds anything beside the owner's typed words and what anybody could read. */
  async hasPrivateInput(tenant: string, sessionId: string): Promise<boolean> {
    const runs = await this.#runs.idsOfSession(tenant, sessionId, MESSAGES_MAX);
    // Older messages are not looked at, so they may.
    if (runs.length >= MESSAGES_MAX) return true;
    for (const id of runs) {
      const { untrusted, recalled } = await this.#firstMessage(tenant, id);
      if (untrusted || recalled.length > 0) return true;
      const calls = await this.#ledger.callsOfRun(tenant, id);
      if (calls.some((call) => BEGUN.has(call.state) && (this.#labels(call)?.sensitive ?? true))) return true;
    }
    return false;
  }

  /** Which risky capabilities a run combined, including what its context still contains of earlier runs. */
  async ruleOfTwo(tenant: string, run: { id: string; sessionId: string }): Promise<RuleOfTwo | undefined> {
    const ids = await this.#runs.idsOfSession(tenant, run.sessionId, MESSAGES_MAX);
    const begun: StartedCall[] = [];
    const readOnly = await this.#readOnlyCalls(tenant, run.id);
    let untrusted = false;
    let recalled = false;
    for (const id of upTo(ids, run.id).slice(0, RESULT_RUNS_MAX)) {
      const firstMessage = await this.#firstMessage(tenant, id);
      untrusted ||= firstMessage.untrusted;
      recalled ||= firstMessage.recalled.length > 0;
      for (const call of await this.#ledger.callsOfRun(tenant, id)) {
        const { state, approvalId } = call;
        if (!BEGUN.has(state)) continue;
        // An undo is the owner's own; a program acts and learns through its calls alone, which are rows too.
        if (call.undoes !== undefined || call.toolId === PROGRAM_TOOL) continue;
        const known = this.#labels(call);
        // Files in the owner's folders are theirs or were approved; notes may contain text of others.
        const labels = known && isOwnersText(call.toolId) ? { ...known, output: "trusted" as const } : known;
        const previewed = readOnly.has(call.callId);
        const risk = previewed ? "read" : call.risk;
        const shown = previewed && labels ? { ...labels, egress: "none" as const } : labels;
        begun.push({ labels: shown, risk, ofRun: id === run.id, asked: approvalId !== undefined });
      }
    }
    // Older messages are still in the context, verbatim or summarised.
    if (upTo(ids, run.id).length > RESULT_RUNS_MAX) untrusted ||= await this.hasUntrustedInput(tenant, run);
    const together = ruleOfTwo(begun, untrusted);
    return recalled ? { ...together, privateData: true } : together;
  }

  /** Calls of a run that only read, by their receipts, although their tools can do more. */
  async #readOnlyCalls(tenant: string, runId: string): Promise<ReadonlySet<string>> {
    const types = ["tool.call.started" as const];
    const started = await this.#ledger.receipts(tenant, { runId, types, limit: RESULTS_MAX });
    return new Set(
      started.flatMap((one) =>
        one.callId && isReceipt(one, "tool.call.started") && one.payload.harmless ? [one.callId] : [],
      ),
    );
  }

  async #firstMessage(tenant: string, runId: string): Promise<FirstMessage> {
    const known = this.#firstMessages.get(runId);
    if (known) return known;
    const steps = await this.#stepsOf(tenant, runId);
    const first = steps.slice(0, 1);
    const firstMessage = {
      typed: first.flatMap(ownerTextIn),
      untrusted: first.some(hasUntrustedBlocks),
      recalled: steps.filter(({ origin }) => origin === "recalled").map(textOf),
      again: first.flatMap(({ meta }) => meta?.again ?? []),
    };
    // A run that has not begun may still change.
    if (steps.length > 1) this.#firstMessages.set(runId, firstMessage);
    return firstMessage;
  }

  /** Nothing was typed for a run that is not stored, or no longer. */
  async #stepsOf(tenant: string, runId: string): Promise<readonly Message[]> {
    try {
      return (await this.#runs.journal(tenant, runId)).steps;
    } catch (error) {
      if (error instanceof FailureError && error.failure.reason === "NOT_FOUND") return [];
      throw error;
    }
  }

  /** Undefined for a tool that no longer exists, which is not trusted. */
  #labels({ toolId, outcome }: CallRow): TrustLabels | undefined {
    const labels = this.#toolSnapshot().get(toolId)?.contract.labels;
    return labels && labelsOfMemoryRead(toolId, labels, outcome?.value);
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

/** Kept as long as they fit; the oldest go. */
class FirstMessages {
  readonly #kept = new Map<string, FirstMessage>();
  #chars = 0;

  get(runId: string): FirstMessage | undefined {
    return this.#kept.get(runId);
  }

  set(runId: string, message: FirstMessage): void {
    this.#drop(runId);
    if (charsOf(message) > LIMITS.firstMessagesCharsMax) return;
    this.#kept.set(runId, message);
    this.#chars += charsOf(message);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= LIMITS.firstMessagesMax && this.#chars <= LIMITS.firstMessagesCharsMax) return;
      this.#drop(oldest);
    }
  }

  clear(): void {
    this.#kept.clear();
    this.#chars = 0;
  }

  #drop(runId: string): void {
    const known = this.#kept.get(runId);
    if (!known) return;
    this.#kept.delete(runId);
    this.#chars -= charsOf(known);
  }
}

function charsOf({ typed, recalled }: FirstMessage): number {
  return [...typed, ...recalled].reduce((sum, text) => sum + text.length, 0);
}

interface Denial {
  readonly callId: string;
  readonly note?: string;
}

function notesIn(denials: readonly Denial[]): string[] {
  return denials.flatMap(({ note }) => (note === undefined ? [] : [note]));
}

/** The oldest goes: a gateway that has seen many conversations still has the newest ones to ask about. */
function remember<T>(kept: Map<string, T>, key: string, value: T): void {
  kept.delete(key);
  const [oldest] = kept.keys();
  if (kept.size >= REMEMBERED_MAX && oldest !== undefined) kept.delete(oldest);
  kept.set(key, value);
}

/** Recalled text is private and not a request: it must not be copied into messages to others unasked. */
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

function hasUntrustedBlocks({ role, origin, blocks }: Message): boolean {
  return (
    role === "user" && blocks.some((block) => block.type !== "text" || (block.origin ?? origin) !== "owner")
  );
}

/** Only what the owner typed; attachments are data. */
function ownerTextIn({ role, origin, blocks }: Message): string[] {
  if (role !== "user" || origin !== "owner") return [];
  return blocks.flatMap((block) =>
    block.type === "text" && (block.origin ?? origin) === "owner" ? [block.text] : [],
  );
}

/** Answers to questions: what the owner typed is their text; an option that they picked is the model's. */
/** Whether the owner says yes to something. Reading sentences is loaded with the first one: a start does not need it. */
async function hasConsent(typed: readonly string[]): Promise<boolean> {
  if (typed.length === 0) return false;
  const { saysYes } = await import("@elwood/core/request/read-request");
  return typed.some(saysYes);
}

function answersIn(calls: readonly CallRow[]): { readonly typed: string[]; readonly picked: string[] } {
  const typed: string[] = [];
  const picked: string[] = [];
  for (const { toolId, state, outcome, executedInput } of calls) {
    if (state !== "succeeded") continue;
    if (toolId === "owner.question.ask") typed.push(...answerIn(outcome?.value));
    if (toolId !== "owner.question.choose") continue;
    const options = optionsIn(executedInput);
    for (const answer of answerIn(outcome?.value)) (options.includes(answer) ? picked : typed).push(answer);
  }
  return { typed, picked };
}

/** Where they cannot be read any more, every answer may be one of them. */
function optionsIn(input: unknown): { includes(answer: string): boolean } {
  const options =
    typeof input === "object" && input !== null && "options" in input ? input.options : undefined;
  return Array.isArray(options)
    ? { includes: (answer) => options.includes(answer) }
    : { includes: () => true };
}

function questionIn(input: unknown): string {
  return typeof input === "object" && input !== null && "question" in input ? String(input.question) : "";
}

function answerIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null || !("answer" in value)) return [];
  return typeof value.answer === "string" ? [value.answer] : [];
}

function isOwnersText(toolId: string): boolean {
  return toolId.startsWith("files.");
}
