import { auditSummary, checkSummary } from "@elwood/core/compaction/audit";
import type { ContextSizes } from "@elwood/core/compaction/sizes";
import { summaryPieces, summaryQuestion, summarySystem } from "@elwood/core/compaction/summary-prompt";
import { LIMITS } from "@elwood/core/base/limits";
import { textOf, type Message } from "@elwood/core/message/message";
import { formatModelRef, type ModelEvent } from "@elwood/core/model/model";
import { addLaps, type LapUsage, lapUsage } from "@elwood/core/model/price";
import { err, ok, type Result } from "@elwood/core/base/result";
import { tokensOfText } from "@elwood/core/model/tokens";
import type { ResolvedModel } from "../ports/ports.ts";
import type { Summarised, SummaryCut } from "./compact.ts";
import type { RunContext } from "./context.ts";
import { withWindow } from "./with-window.ts";

/** Why there is none, in words for the owner; what it cost is counted all the same. */
export interface NoSummary {
  readonly why: string;
  readonly lap?: LapUsage;
}

/**
 * A summary of the conversation's beginning, by the model that is set for it, else by that of
 * the run. A long part goes to it in pieces, each with the notes on those before. What the
 * owner's own words demand is held against it by code, over the whole part, each time anew.
 */
export async function summarise(
  context: RunContext,
  sizes: ContextSizes,
  cut: SummaryCut,
): Promise<Result<Summarised, NoSummary>> {
  const { input, deps } = context;
  const { meter, localTime } = deps;
  const kept = context.kept();
  const covered = kept.slice(0, cut.end);
  const model = await summaryModel(context);
  if (model.demo) return err({ why: "the demo model cannot sum up" });
  const window = model.contextTokens ?? LIMITS.contextTokensAssumed;
  const pieces = summaryPieces(kept.slice(cut.start, cut.end), localTime, Math.floor(window * PIECE_SHARE));
  if (pieces.length > LIMITS.compactionPassesMax)
    return err({ why: "the conversation is too long to be summed up" });

  const coveredTokens = meter.total(covered);
  const tokensMax = Math.floor(sizes.summaryMax * TOLERANCE);
  const limits = { summaryMax: sizes.summaryMax, window, tokensMax };
  let notes = cut.earlier?.summary;
  let lap: LapUsage | undefined;
  for (const piece of pieces) {
    const over = input.budget.beginLap();
    if (over)
      return err({ why: "a limit on what a run or a day may use is reached", ...(lap ? { lap } : {}) });
    const answer = await ask(context, model, summaryQuestion(piece, notes), limits);
    lap = addLaps(lap, answer && lapOf(context, answer, model));
    const spent = lap ? { lap } : {};
    if (!answer) return err({ why: "the model's answer broke off", ...spent });
    if (answer.type === "failed") return err({ why: answer.failure.message, ...spent });
    const unfit = UNFIT[answer.stopReason];
    if (unfit !== undefined) return err({ why: unfit, ...spent });
    const checked = checkSummary(deps.redact(textOf(answer)), { tokensMax, coveredTokens });
    if (!checked.ok) return err({ why: checked.error, ...spent });
    notes = checked.value;
  }
  if (notes === undefined) return err({ why: "there was nothing to sum up" });
  const { quotes, leftOut } = auditSummary(notes, covered, sizes.quotesMax);
  const others = covered.some(bringsOthers);
  return ok({
    block: {
      type: "compaction",
      summary: notes,
      from: covered[0]!.id,
      to: covered.at(-1)!.id,
      sha256: meter.hashOf(covered),
      messages: covered.filter(({ role, origin }) => role !== "assistant" || origin !== "gateway").length,
      model: formatModelRef(model.ref),
      ...(quotes.length > 0 ? { quotes: [...quotes] } : {}),
      ...(leftOut > 0 ? { quotesLeftOut: leftOut } : {}),
      ...(others ? { others } : {}),
    },
    ...(lap ? { lap } : {}),
  });
}

async function ask(
  context: RunContext,
  { provider, ref, maxOutputTokens }: ResolvedModel,
  question: string,
  { summaryMax, window, tokensMax }: { summaryMax: number; window: number; tokensMax: number },
) {
  const { input, deps } = context;
  const message: Message = {
    id: deps.ids.next("message"),
    ts: deps.clock.now(),
    role: "user",
    origin: "gateway",
    blocks: [{ type: "text", text: question }],
  };
  const system = summarySystem(Math.floor(summaryMax * WORDS_PER_TOKEN));
  const room = window - Math.ceil((tokensOfText(system) + deps.meter.tokens(message)) * ESTIMATE_MARGIN);
  const events = provider.chat({
    model: ref.model,
    system,
    messages: [message],
    tools: [],
    maxOutputTokens: Math.max(
      1,
      Math.min(maxOutputTokens, tokensMax * 2 + THINKING_TOKENS, input.budget.tokensLeft, room),
    ),
    readBlob: async () => undefined,
    writeBlob: async () => "",
    signal: input.signal,
  });
  for await (const event of events) if (event.type === "done" || event.type === "failed") return event;
  return undefined;
}

function lapOf(
  { input, deps }: RunContext,
  answer: Extract<ModelEvent, { type: "done" | "failed" }>,
  { ref }: ResolvedModel,
): LapUsage | undefined {
  if (!answer.usage) return undefined;
  const { ref: by = ref, profile } = answer.answeredBy ?? {};
  const priced = lapUsage(by, answer.usage, deps.prices, deps.clock.now());
  const lap = profile === undefined ? priced : { ...priced, profile };
  input.budget.endLap(lap.usage, lap.costUsd);
  return lap;
}

const PIECE_SHARE = 0.5;
/** The provider may count more than we do. */
const ESTIMATE_MARGIN = 1.1;
const TOLERANCE = 1.6;
const WORDS_PER_TOKEN = 0.6;
/** A model that thinks before it writes needs room for both. */
const THINKING_TOKENS = 2_000;

const UNFIT: Readonly<Record<string, string>> = {
  max_tokens: "the summary was too long",
  refusal: "the model declined to sum up",
  context_full: "what was to be summed up did not fit into the model's context",
  tool_use: "the model wrote no summary",
  pause_turn: "the model wrote no summary",
};

/** A model that was set for it and cannot be used now leaves it to the run's own. */
async function summaryModel({ input, deps }: RunContext): Promise<ResolvedModel> {
  if (deps.compactionModel === undefined) return input.model;
  const found = await deps.models.resolve(deps.compactionModel);
  if (found.ok) return withWindow(found.value);
  deps.log.warn("the model that is set for summaries cannot be used; the run's own writes it", {
    model: deps.compactionModel,
    reason: found.error.reason,
  });
  return input.model;
}

/** Words that the owner did not type: results, files, what was piped, quoted or passed on. */
function bringsOthers({ role, origin, blocks }: Message): boolean {
  if (role === "tool") return true;
  if (role !== "user") return false;
  return blocks.some((block) => block.type !== "text" || (block.origin ?? origin) !== "owner");
}
