import type { LapUsage } from "@elwood/core/model/price";
import { compactionLines, hasEffect } from "@elwood/core/compaction/lines";
import { type OmittedOutput, planCut, planCuts, planOutputs } from "@elwood/core/compaction/plan";
import { isResultOf, RESULT_TOOL } from "@elwood/core/compaction/output-text";
import { activeSummary, omittedOutputs, withoutOutputs } from "@elwood/core/compaction/shown";
import type { ContextSizes } from "@elwood/core/compaction/sizes";
import { failure, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { CompactionBlock, Message } from "@elwood/core/message/message";
import type { Result } from "@elwood/core/base/result";
import type { Clock, Ids } from "../ports/ports.ts";
import type { RunContext } from "./context.ts";
import { summarise } from "./summarise.ts";
import type { LocalTime } from "@elwood/core/base/local-time";

interface CompactWhy {
  /** `large`: by its size; `refused`: the provider said so; `asked`: the owner did. */
  readonly why: "large" | "refused" | "asked";
  /** What goes along with the request and is not kept. */
  readonly more: readonly Message[];
}

export interface Summarised {
  readonly block: CompactionBlock;
  readonly lap?: LapUsage;
}

/**
 * Makes room: first by leaving out old output that can be had again, then by a summary, and
 * where that fails by leaving out all old output, and by showing less of the newest. A summary
 * that could not make enough room by itself comes last: it costs, and the output has to go anyway.
 *
 * K1 The owner's last message, what followed it, and about the newest `keep` tokens stay; of
 *    results that the model has not seen yet a part stays, however little room there is.
 * K2 A summary is tried once a run, and after one that failed or was taken back not before the
 *    conversation has grown or time has passed, unless it does not fit otherwise.
 * K3 A summary that fails costs nothing of the history: what is written down is that it failed.
 */
export async function compact(context: RunContext, { why, more }: CompactWhy): Promise<Failure | undefined> {
  const { input } = context;
  const sizes = sizesFor(context, why, more);
  const before = context.size(context.shown(), more);
  const fitsInto = (tokens: number) => context.size(context.shown(), more) <= tokens;

  const [outputs, lean] = oldOutputs(context, sizes, more);
  const leaving = { ...range(context, outputs), outputs, tokensBefore: before, tokensAfter: lean };
  // Where it is the newest results that are large, nothing else has to make room for them.
  const done = lean <= sizes.lean || (lean <= sizes.room && lean - unseen(context) <= sizes.goal);
  // They go first once the model has seen them; until then all of it fits.
  if (outputs.length === 0 && done && why === "large") return undefined;
  if (outputs.length > 0 && done && why !== "asked") {
    if (why === "large" && before <= sizes.near) return undefined;
    await write(context, why, { summary: "", ...leaving });
    return undefined;
  }
  const cut = summaryCut(context, sizes, outputs);
  const wouldFit = cut !== undefined && lean - cut.tokens + sizes.summaryMax <= sizes.room;
  if (why !== "asked" && before > sizes.room && !wouldFit) {
    const last = lastOutputs(context, sizes, more);
    const tokensAfter = context.size(withLeft(context, last), more);
    if (last.length > 0 && tokensAfter <= sizes.room) {
      const left = { ...range(context, last), outputs: [...last], tokensBefore: before, tokensAfter };
      await write(context, why, { summary: "", ...left });
      return undefined;
    }
  }
  const due = why !== "large" || before > sizes.room || mayTryAgain(context, sizes);
  if (cut && due && !context.failed) {
    const made = await summarise(context, sizes, cut);
    if (input.signal.aborted) return undefined;
    context.failed = !made.ok;
    // What has to go in place of a summary is told with it: nothing is sent as before then.
    const fits = made.ok || why === "asked" || lean <= sizes.room;
    const left = fits ? outputs : lastOutputs(context, sizes, more);
    await writeSummary(context, { why, more }, made, left, before);
  } else if (outputs.length > 0) {
    await write(context, why, { summary: "", ...leaving });
  }
  if (fitsInto(sizes.room) || why === "asked") return undefined;
  const last = lastOutputs(context, sizes, more);
  if (last.length > 0) {
    const block = { type: "compaction" as const, summary: "", ...range(context, last), outputs: [...last] };
    const tokensAfter = sizeWith(context, block, more);
    await write(context, why, { ...block, tokensBefore: before, tokensAfter });
  }
  if (fitsInto(sizes.room)) return undefined;
  // A window that nobody told us is a guess: then the provider decides.
  return input.model.contextTokens === undefined || why === "refused" ? undefined : tooLarge(context);
}

/** What has to go where nothing else helps: old output, however new, the oldest first; then a part of the newest. */
function lastOutputs(
  context: RunContext,
  sizes: ContextSizes,
  more: readonly Message[],
): readonly OmittedOutput[] {
  const sizeWithout = (left: readonly OmittedOutput[]) => context.size(withLeft(context, left), more);
  const rest = enough(outputsToLeave(context, { keep: 0 }, true), sizeWithout, sizes.lean);
  const cuts = planCuts({
    messages: context.shown(),
    tokens: context.deps.meter.tokens,
    excess: context.estimated(sizeWithout(rest) - sizes.room),
    reads: readTools(context),
  });
  return [...rest, ...cuts];
}

/** What can be read again, or made again; where that does not do, and all can be read again, all. With the size that is left. */
function oldOutputs(
  context: RunContext,
  sizes: ContextSizes,
  more: readonly Message[],
): readonly [OmittedOutput[], number] {
  const sizeWithout = (left: readonly OmittedOutput[]) => context.size(withLeft(context, left), more);
  const reads = enough(outputsToLeave(context, sizes, false), sizeWithout, sizes.lean);
  const leaner = sizeWithout(reads);
  if (leaner <= sizes.lean || context.readTool === undefined) return [reads, leaner];
  const all = enough(outputsToLeave(context, sizes, true), sizeWithout, sizes.lean);
  return [all, sizeWithout(all)];
}

/** K3: the summary, or that there is none, with the output that is left out beside it. */
async function writeSummary(
  context: RunContext,
  { why, more }: CompactWhy,
  made: Result<Summarised, { why: string; lap?: LapUsage }>,
  outputs: readonly OmittedOutput[],
  before: number,
): Promise<void> {
  const kept = context.kept();
  if (!made.ok) {
    const left = outputs.length > 0 ? { outputs: [...outputs] } : {};
    const failed = { summary: "", ...range(context, outputs), ...left, failed: made.error.why };
    await write(context, why, failed, made.error.lap);
    return;
  }
  const { block, lap } = made.value;
  const covered = new Set(
    kept
      .slice(0, kept.findIndex(({ id }) => id === block.to) + 1)
      .flatMap(({ blocks }) => blocks.flatMap((each) => (each.type === "tool_result" ? [each.callId] : []))),
  );
  const left = outputs.filter(({ callId }) => !covered.has(callId));
  const line = { ...block, ...(left.length > 0 ? { outputs: left } : {}) };
  const tokensAfter = sizeWith(context, line, more);
  await write(context, why, { ...line, tokensBefore: before, tokensAfter }, lap);
}

async function write(
  context: RunContext,
  why: CompactWhy["why"],
  block: Omit<CompactionBlock, "type">,
  lap?: LapUsage,
): Promise<void> {
  const { addStep, notify } = context.input;
  const asked = why === "asked" ? { asked: true } : {};
  const message = compactionMessage({ type: "compaction", ...block, ...asked }, stampsOf(context));
  await addStep(message, lap);
  const text = message.blocks.flatMap((each) => (each.type === "text" ? [each.text] : [])).join(" ");
  notify({
    code: block.failed === undefined ? "COMPACTED" : "COMPACTION_FAILED",
    message: text,
  });
}

/** The size of the request once this line is written. */
function sizeWith(context: RunContext, block: CompactionBlock, more: readonly Message[]): number {
  const draft = compactionMessage(block, stampsOf(context));
  return context.size(context.shownOf([...context.kept(), draft]), more);
}

function stampsOf(context: RunContext): LineStamps {
  const { ids, clock, localTime } = context.deps;
  return { ids, clock, localTime, sessionId: context.input.sessionId, kept: context.kept() };
}

function range(context: RunContext, left: readonly OmittedOutput[]): { from: string; to: string } {
  const ids = new Set(left.map(({ callId }) => callId));
  const has = ({ blocks }: Message) =>
    blocks.some((block) => block.type === "tool_result" && ids.has(block.callId));
  const kept = context.kept();
  return { from: kept.find(has)?.id ?? "", to: kept.findLast(has)?.id ?? "" };
}

/** As few of them as do, the oldest first; all where none do. */
function enough(
  outputs: readonly OmittedOutput[],
  sizeWithout: (left: readonly OmittedOutput[]) => number,
  goal: number,
): OmittedOutput[] {
  let [low, high] = [0, outputs.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (sizeWithout(outputs.slice(0, middle)) <= goal) high = middle;
    else low = middle + 1;
  }
  return outputs.slice(0, low);
}

/** What the provider refused was too much, whatever we thought of its window; what the owner wants smaller is made so. */
function sizesFor(context: RunContext, why: CompactWhy["why"], more: readonly Message[]): ContextSizes {
  const sizes = context.sizes();
  if (why === "large") return sizes;
  const size = context.size(context.shown(), more);
  const base = Math.min(context.base(), size);
  // Results that came just now are most of it: they can be read on from, so that more of them may go.
  const share =
    why === "refused" && unseen(context) > (size - base) / 2 ? REFUSED_RESULTS_SHARE : REFUSED_SHARE;
  const smaller = context.sizes(Math.min(context.contextTokens, base + (size - base) * share), 1);
  // A short conversation may still be summed up by a summary of some length.
  return { ...smaller, summaryMax: Math.max(smaller.summaryMax, Math.min(sizes.summaryMax, SUMMARY_MIN)) };
}

const REFUSED_SHARE = 0.7;
const REFUSED_RESULTS_SHARE = 0.4;
const SUMMARY_MIN = 300;

function outputsToLeave(
  context: RunContext,
  { keep }: Pick<ContextSizes, "keep">,
  all: boolean,
): OmittedOutput[] {
  const kept = context.kept();
  const { start, left } = standing(context, kept);
  const gone = [...left.values()].flatMap(({ callId, chars }) => (chars === undefined ? [callId] : []));
  return planOutputs({
    messages: withoutOutputs(kept.slice(start), left, context),
    tokens: context.deps.meter.tokens,
    keepTokens: keep,
    reads: readTools(context),
    all,
    tokensMin: LIMITS.compactionOutputTokensMin,
    already: new Set(gone),
    // Where nothing else helps (`keep` is 0), this has to give way too.
    inUse: keep === 0 ? new Set() : readOnFrom(kept),
  });
}

/** The calls whose output the last answer asked to read on in. */
function readOnFrom(kept: readonly Message[]): Set<string> {
  const last = kept.findLast(({ blocks }) => blocks.some(({ type }) => type === "tool_use"));
  const calls = (last?.blocks ?? []).flatMap((block) => {
    if (block.type !== "tool_use" || block.toolId !== RESULT_TOOL) return [];
    const { call } = block.input as { readonly call?: unknown };
    return typeof call === "string" ? [call] : [];
  });
  const results = kept.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.type === "tool_result" && calls.some((call) => isResultOf(call, block)) ? [block.callId] : [],
    ),
  );
  return new Set(results);
}

function readTools(context: RunContext): Set<string> {
  return new Set(context.input.specs().flatMap(({ toolId, reads }) => (reads ? [toolId] : [])));
}

/** Results that the model has not been shown yet. */
function unseen(context: RunContext): number {
  const shown = context.shown();
  const asked = shown.findLastIndex(({ blocks }) => blocks.some(({ type }) => type === "tool_use"));
  const results = asked < 0 ? [] : shown.slice(asked + 1).filter(({ role }) => role === "tool");
  return context.deps.meter.total(results);
}

/** The view with these left out as well. */
function withLeft(context: RunContext, outputs: readonly OmittedOutput[]): readonly Message[] {
  return withoutOutputs(context.shown(), toMap(outputs), context);
}

export interface SummaryCut {
  /** Messages from the first one on that the summary is to cover, and how many of them an earlier one covers. */
  readonly end: number;
  readonly start: number;
  /** What they take as they are. */
  readonly tokens: number;
  readonly earlier?: CompactionBlock;
}

function summaryCut(
  context: RunContext,
  sizes: ContextSizes,
  outputs: readonly OmittedOutput[],
): SummaryCut | undefined {
  const kept = context.kept();
  const { start, left, earlier } = standing(context, kept);
  const messages = withoutOutputs(kept.slice(start), new Map([...left, ...toMap(outputs)]), context);
  const { tokens } = context.deps.meter;
  const lastWord = kept.findLastIndex(({ role, origin }) => role === "user" && origin !== "recalled");
  const before = Math.max(0, lastWord - start);
  const cut = planCut({ messages, tokens, keepTokens: sizes.keep, before });
  const covered = context.deps.meter.total(messages.slice(0, cut));
  if (cut < 2 || covered < Math.max(LIMITS.compactionTokensMin, sizes.summaryMax)) return undefined;
  return { start, end: start + cut, tokens: covered, ...(earlier ? { earlier } : {}) };
}

function standing(context: RunContext, kept: readonly Message[]) {
  const lines = compactionLines(kept);
  const active = activeSummary(kept, lines, context.deps.meter);
  const counting = lines.filter((line) => !line.undone && hasEffect(line));
  const left = omittedOutputs(counting);
  return { start: active?.end ?? 0, left, ...(active ? { earlier: active.line.block } : {}) };
}

/** K2 */
function mayTryAgain(context: RunContext, sizes: ContextSizes): boolean {
  const kept = context.kept();
  const stop = kept.findLastIndex(
    ({ role, origin, blocks }) =>
      role === "assistant" &&
      origin === "gateway" &&
      blocks.some((b) => b.type === "compaction" && (b.failed !== undefined || b.undoes !== undefined)),
  );
  if (stop < 0) return true;
  const grown = context.deps.meter.total(kept.slice(stop + 1)) >= sizes.room * LIMITS.compactionGrowthShare;
  const undone = kept[stop]!.blocks.some((b) => b.type === "compaction" && b.undoes !== undefined);
  const waited = context.deps.clock.now() - kept[stop]!.ts >= LIMITS.compactionAgainMs;
  return grown || (waited && !undone);
}

function toMap(outputs: readonly OmittedOutput[]): Map<string, OmittedOutput> {
  return new Map(outputs.map((output) => [output.callId, output]));
}

/** Names what takes the most room: a short message is never what is in the way. */
function tooLarge(context: RunContext): Failure {
  const { input, deps, contextTokens } = context;
  const said = input.steps.find(({ role }) => role === "user");
  const shares = {
    message: said ? deps.meter.tokens(said) : 0,
    tools: context.base(),
    earlier: deps.meter.total(context.shown()) - (said ? deps.meter.tokens(said) : 0),
  };
  const { model } = input.model.ref;
  const window = `the ${contextTokens} tokens that ${model} takes at once`;
  const end = "Nothing was sent, and nothing is lost.";
  const larger =
    "use a model with a larger context, give this one more where it runs, or correct contextWindows in the configuration if it takes more.";
  if (shares.message >= Math.max(shares.tools, shares.earlier))
    return failure(
      "CONTEXT_FULL",
      `Your message is about ${shares.message} tokens long, its files included, and does not fit into ${window}. ${end} Send less at once, ${larger}`,
    );
  if (shares.tools >= shares.earlier)
    return failure(
      "CONTEXT_FULL",
      `The agent's instructions and tools take about ${shares.tools} of ${window}, which leaves too little for a conversation. ${end} Give the agent fewer tools, ${larger}`,
    );
  return failure(
    "CONTEXT_FULL",
    `The conversation so far takes about ${shares.earlier} of ${window}, and it could not be made shorter. ${end} Start a new session, ${larger}`,
  );
}

interface LineStamps {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly localTime: LocalTime;
  readonly sessionId: string;
  readonly kept: readonly Message[];
}

/** The line that says what is shown to the model from now on, with a sentence for the owner. */
function compactionMessage(block: CompactionBlock, stamps: LineStamps): Message {
  return {
    id: stamps.ids.next("message"),
    ts: stamps.clock.now(),
    role: "assistant",
    origin: "gateway",
    blocks: [block, { type: "text", text: sentence(block, stamps), origin: "gateway" }],
  };
}

function sentence(block: CompactionBlock, { localTime, kept, sessionId }: LineStamps): string {
  const outputs = block.outputs?.length ?? 0;
  const left = outputs === 0 ? "" : `the output of ${outputs} earlier ${outputs === 1 ? "call" : "calls"}`;
  const cut = (block.outputs ?? []).some(({ chars }) => chars !== undefined);
  if (block.failed !== undefined) {
    const instead =
      left === ""
        ? "Nothing was deleted; the messages themselves are sent."
        : `Instead ${left} ${cut ? "is left out, or shown in part only" : "is left out"}. Nothing was deleted.`;
    return `Earlier messages could not be summed up for the model: ${firstSentence(block.failed)} ${instead}`;
  }
  if (block.summary === "") {
    const how = cut ? "is no longer shown to the model, or in part only" : "is no longer shown to the model";
    return `To save room, ${left} ${how}. Nothing was deleted.`;
  }
  const last = kept.find(({ id }) => id === block.to);
  const until = last ? ` up to ${localTime.format(last.ts)}` : "";
  return `Earlier messages (${block.messages ?? 0}${until}) were summarised for the model; nothing was deleted. Undo: elwood sessions uncompact ${sessionId.slice(-8)}`;
}

/** What happened; the advice behind it is for another occasion. */
function firstSentence(text: string): string {
  const end = /[.!?](?=\s|$)/.exec(text);
  return end ? text.slice(0, end.index + 1) : `${text}.`;
}
