import { textOf } from "@elwood/core/message/message";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { StartedCall, RuleOfTwo } from "@elwood/core/policy/rule-of-two";
import type { Conversation } from "@elwood/core/authority/authority";
import type { SeenResult } from "@elwood/core/authority/records";
import type { TrustLabels } from "@elwood/core/tool/tool";
import {
  FirstMessages,
  firstMessageOf,
  hasUntrustedBlocks,
  NOTHING_TYPED,
  type FirstMessage,
} from "./first-messages.ts";
import { PROGRAM_TOOL } from "./program-tools.ts";
import type { CallRow, Ledger, ToolSnapshot } from "../ports/gate-ports.ts";
import type { RunPlace, RunStore, ShownState } from "../ports/ports.ts";
import { RecentlyUsed } from "./recently-used.ts";
import { labelsOfMemoryRead } from "@elwood/core/memory/read-labels";
import { ruleOfTwo } from "@elwood/core/policy/rule-of-two";

/** How many messages back the owner's text counts. */
const MESSAGES_MAX = 50;
/** How many messages back results count as the source of a value. */
const RESULT_RUNS_MAX = 10;
const RESULTS_MAX = 200;
/** Of so many conversations it is remembered, until everything rests, where in them untrusted input was looked for. */
const LOOKED_AT_MAX = 5_000;
/** So many denials of a run are looked at. */
const NOTES_MAX = 20;
/** How many messages back untrusted input is looked for; anything older is assumed to contain some. */
const UNTRUSTED_RUNS_MAX = 500;

const RUNS_READ_AT_ONCE = 50;

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
  readonly #runs: Pick<
    RunStore,
    "idsOfSession" | "shownRuns" | "placeOf" | "journal" | "openings" | "inbounds"
  >;
  readonly #ledger: Pick<Ledger, "callsOfRun" | "runsWithCalls" | "receipts" | "body">;
  readonly #toolSnapshot: () => ToolSnapshot;
  /** By tenant and run; the first message of a run never changes. */
  #firstMessages = new FirstMessages();
  /** By tenant and session. */
  #lookedAt = new RecentlyUsed<LookedAt>(LOOKED_AT_MAX);

  constructor(
    runs: Pick<RunStore, "idsOfSession" | "shownRuns" | "placeOf" | "journal" | "openings" | "inbounds">,
    ledger: Pick<Ledger, "callsOfRun" | "runsWithCalls" | "receipts" | "body">,
    toolSnapshot: () => ToolSnapshot,
  ) {
    this.#runs = runs;
    this.#ledger = ledger;
    this.#toolSnapshot = toolSnapshot;
  }

  /** Called after an erasure, and at rest: cached text is read again. */
  clearCache(): void {
    // What is being read just now is still kept with the others, which nobody looks at again.
    this.#firstMessages = new FirstMessages();
    this.#lookedAt = new RecentlyUsed(LOOKED_AT_MAX);
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
      (hasOlder && (await this.#firstMessagesOf(tenant, [runId])).has(runId));
    const upToRun = runId === undefined ? newestFirst : upTo(newestFirst, runId);
    // A run that is not of the conversation, or not stored, has no words and no results.
    const runs = known ? upToRun : [];
    const oldestFirst = runs.toReversed();
    const said: string[] = [];
    const earlier: string[] = [];
    const seen: SeenResult[] = [];
    const firstMessages = await this.#firstMessagesOf(tenant, oldestFirst);
    for (const id of oldestFirst) {
      const { typed, recalled } = firstMessages.get(id) ?? NOTHING_TYPED;
      said.push(...typed);
      if (id !== runs[0]) earlier.push(...typed);
      seen.push(...recalled.map((text) => recalledAs(id, text)));
    }
    const calls: CallRow[] = [];
    for (const id of oldestFirst.slice(-RESULT_RUNS_MAX))
      calls.push(...(await this.#ledger.callsOfRun(tenant, id)));
    const [current, previous] = runs;
    const own = calls.filter((call) => call.runId === current);
    const { typed, again } = firstMessages.get(current ?? "") ?? NOTHING_TYPED;
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

  /**
   * Whether a run, or an earlier one of its conversation, contains text that others may have written. Recall asks
   * about old conversations, many in a turn: one that was looked at costs a look at where the run stands in it.
   */
  async hasUntrustedInput(tenant: string, run: { id: string; sessionId: string }): Promise<boolean> {
    const asked = await this.#runs.placeOf(tenant, run.sessionId, run.id);
    // Where it is in a version that is not shown, nothing of it is in this conversation.
    if (!asked) return true;
    const lookedAt = this.#lookedAt;
    const key = `${tenant}/${run.sessionId}`;
    const known = lookedAt.get(key);
    const answer = known && isOf(known, asked) ? answerFrom(known, asked.place) : undefined;
    if (answer !== undefined) return answer;
    const { runs, ...state } = await this.#runs.shownRuns(tenant, run.sessionId, UNTRUSTED_RUNS_MAX);
    const at = runs.findIndex(({ id }) => id === run.id);
    const [oldest] = runs;
    if (!oldest || at < 0) return true;
    const looked = await this.#lookUpTo(tenant, runs, at, goOn(known, { ...state, oldest: oldest.place }));
    lookedAt.set(key, looked.known);
    return looked.isUntrusted;
  }

  /** Looks into those runs that are not known yet, up to one of them and some beyond it, which are asked about next. */
  async #lookUpTo(
    tenant: string,
    runs: readonly RunPlace[],
    at: number,
    before: LookedAt,
  ): Promise<{ readonly known: LookedAt; readonly isUntrusted: boolean }> {
    const { place } = runs[at]!;
    let known = before;
    const answer = answerFrom(known, place);
    if (answer !== undefined) return { known, isUntrusted: answer };
    // Of those that may still read something, and of all behind them, nothing stays known.
    let haveEnded = true;
    const first = runs.findIndex((run) => run.place > before.cleanUpTo);
    for (let next = first; next <= at; next += RUNS_READ_AT_ONCE) {
      const some = runs.slice(next, next + RUNS_READ_AT_ONCE);
      const { found, open } = await this.#firstWithUntrustedInput(tenant, some);
      const clean = some.slice(0, Math.min(found ?? some.length, open ?? some.length)).at(-1);
      if (haveEnded && clean) known = { ...known, cleanUpTo: clean.place };
      haveEnded &&= open === undefined;
      if (found === undefined) continue;
      known = { ...known, untrusted: some[found]!.place };
      return { known, isUntrusted: next + found <= at };
    }
    return { known, isUntrusted: false };
  }

  /** Which of these runs is the first with untrusted input, and which, up to there, the first that goes on. */
  async #firstWithUntrustedInput(
    tenant: string,
    runs: readonly RunPlace[],
  ): Promise<{ readonly found?: number; readonly open?: number }> {
    const ids = runs.map(({ id }) => id);
    // Whether they have ended first: what a run reads until it ends is seen then.
    const inbounds = await this.#runs.inbounds(tenant, ids);
    const withCalls = await this.#ledger.runsWithCalls(tenant, ids);
    let open: number | undefined;
    for (const [n, id] of ids.entries()) {
      const inbound = inbounds.get(id);
      const untrusted =
        !inbound ||
        hasUntrustedBlocks(inbound.message) ||
        (withCalls.has(id) && (await this.#hasReadUntrusted(tenant, id)));
      if (untrusted) return { found: n, ...(open === undefined ? {} : { open }) };
      if (!inbound.hasEnded) open ??= n;
    }
    return open === undefined ? {} : { open };
  }

  async #hasReadUntrusted(tenant: string, runId: string): Promise<boolean> {
    const calls = await this.#ledger.callsOfRun(tenant, runId);
    return calls.some((call) => BEGUN.has(call.state) && this.#labels(call)?.output !== "trusted");
  }

  /** Whether a conversation holds anything beside the owner's typed words and what anybody could read. */
  async hasPrivateInput(tenant: string, sessionId: string): Promise<boolean> {
    const runs = await this.#runs.idsOfSession(tenant, sessionId, MESSAGES_MAX);
    // Older messages are not looked at, so they may.
    if (runs.length >= MESSAGES_MAX) return true;
    const firstMessages = await this.#firstMessagesOf(tenant, runs);
    for (const id of runs) {
      const { untrusted, recalled } = firstMessages.get(id) ?? NOTHING_TYPED;
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
    const newest = upTo(ids, run.id).slice(0, RESULT_RUNS_MAX);
    const firstMessages = await this.#firstMessagesOf(tenant, newest);
    for (const id of newest) {
      const firstMessage = firstMessages.get(id) ?? NOTHING_TYPED;
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

  /** By run id; those that are not known yet are read together. Of a run that is not stored, or no longer, there is none. */
  async #firstMessagesOf(
    tenant: string,
    runIds: readonly string[],
  ): Promise<ReadonlyMap<string, FirstMessage>> {
    const kept = this.#firstMessages;
    const firstMessages = new Map<string, FirstMessage>();
    const unknown: string[] = [];
    for (const id of runIds) {
      const known = kept.get(`${tenant}/${id}`);
      if (known) firstMessages.set(id, known);
      else unknown.push(id);
    }
    if (unknown.length === 0) return firstMessages;
    for (const [id, opening] of await this.#runs.openings(tenant, unknown)) {
      const firstMessage = firstMessageOf(opening);
      firstMessages.set(id, firstMessage);
      if (opening.state !== "new") kept.set(`${tenant}/${id}`, firstMessage);
    }
    return firstMessages;
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

/**
 * Where in a conversation untrusted input was looked for. What a run that has ended was given and read does not
 * change; which runs the conversation consists of does.
 */
interface LookedAt extends ShownState {
  /** The place of the oldest run that counts; anything before it is assumed to contain some. */
  readonly oldest: number;
  /** Of the runs that count, those up to this place have ended and contain none. */
  readonly cleanUpTo: number;
  /** The place of the first that contains some, if it was found. */
  readonly untrusted?: number;
}

function isOf(known: LookedAt, { last, hidden }: ShownState): boolean {
  return known.last === last && known.hidden === hidden;
}

/** undefined: it has to be looked for. */
function answerFrom({ oldest, cleanUpTo, untrusted }: LookedAt, place: number): boolean | undefined {
  if (place < oldest || (untrusted !== undefined && place >= untrusted)) return true;
  return place <= cleanUpTo ? false : undefined;
}

/** What stays known of a conversation that went on. Where other versions are shown, other runs came before. */
function goOn(known: LookedAt | undefined, now: ShownState & { readonly oldest: number }): LookedAt {
  if (known?.hidden !== now.hidden) return { ...now, cleanUpTo: Number.NEGATIVE_INFINITY };
  const { cleanUpTo, untrusted } = known;
  // It lies too far back to count; what comes behind it was not looked at.
  if (untrusted !== undefined && untrusted < now.oldest) return { ...now, cleanUpTo: untrusted };
  return { ...now, cleanUpTo, ...(untrusted === undefined ? {} : { untrusted }) };
}

interface Denial {
  readonly callId: string;
  readonly note?: string;
}

function notesIn(denials: readonly Denial[]): string[] {
  return denials.flatMap(({ note }) => (note === undefined ? [] : [note]));
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
