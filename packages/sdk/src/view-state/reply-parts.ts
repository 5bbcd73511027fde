import { meantCall } from "@elwood/core/tool/catalog";
import type { ActivityItem } from "@elwood/core/tool/activity";
import { endingNote } from "@elwood/core/message/ending-note";
import type { Block, FileBlock, ImageBlock, ReplySegment } from "@elwood/core/message/message";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { isBetweenLaps, replySegments } from "@elwood/core/message/reply-segments";
import { markedReply, withOlderMarks, withoutSigns } from "./mark-sign.ts";

/** A call as far as the conversation tells of it; cards fetch the rest. */
export interface ShownCall {
  readonly callId: string;
  readonly tool: string;
  readonly status: string;
  /** The program that made the call. */
  readonly parent?: string;
  /** The code with which its program ended, where that was not 0. */
  readonly exitCode?: number | undefined;
  /** What it last said of its progress. */
  readonly message?: string;
  /** What it was about, where that is known: pushes do not say it, so that it is told once the run has ended. */
  readonly target?: string | undefined;
}

export type Tone = "info" | "warn" | "bad";

/** What stands in a reply, in the order in which it came. */
export type ReplyPart =
  /** The model's words; those before a call are not the answer yet. */
  | { readonly kind: "text"; readonly text: string; readonly isPreamble: boolean }
  | { readonly kind: "thinking"; readonly text: string }
  /** Sentences that Elwood itself put into the reply. */
  | { readonly kind: "own"; readonly text: string }
  | { readonly kind: "calls"; readonly calls: readonly ShownCall[] }
  | { readonly kind: "approval"; readonly approvalId: string; readonly callId?: string }
  /** The gateway's word about the run. */
  | { readonly kind: "line"; readonly text: string; readonly tone: Tone }
  | { readonly kind: "media"; readonly block: ImageBlock | FileBlock }
  /** Words of others, folded, under what they are. */
  | { readonly kind: "fold"; readonly title: string; readonly text: string };

/** The kinds that the model itself made. */
export const OF_MODEL: ReadonlySet<ReplyPart["kind"]> = new Set([
  "text",
  "thinking",
  "own",
  "calls",
  "media",
]);

export interface KeptReply {
  readonly parts: readonly ReplyPart[];
  readonly at: number | undefined;
  readonly evidence: string | undefined;
  readonly model: string | undefined;
  readonly tokens: number;
  readonly cutShort: boolean;
}

/** A reply as its messages in the transcript tell it. */
export function keptReply(messages: readonly WireMessage[]): KeptReply {
  const said = messages.filter((message) => !isAsked(message));
  const parts: ReplyPart[] = [];
  const lastForgotten = said.findLast(isForgottenAnswer);
  for (const message of said) {
    // Said once, where the last of it stood.
    if (!isForgottenAnswer(message)) parts.push(...partsOf(message));
    else if (message === lastForgotten) parts.push(forgottenLine(said));
  }
  const last = said.at(-1);
  const answer = said.findLast(({ role, origin }) => role === "assistant" && origin === "model");
  const note = answer && answer === last ? noteOf(answer, said) : undefined;
  if (note !== undefined) parts.push({ kind: "line", text: note, tone: "warn" });
  return {
    parts: joinCalls(parts, resultsOf(messages)),
    at: last?.ts,
    evidence: withMemory(
      said.findLast(({ meta }) => meta?.evidence !== undefined)?.meta?.evidence,
      messages.some(({ meta }) => (meta?.recalled?.length ?? 0) > 0),
    ),
    model: answer?.meta?.model,
    tokens: said.reduce((sum, { meta }) => sum + tokensOf(meta?.usage), 0),
    cutShort: answer?.meta?.aborted === true || answer?.meta?.error !== undefined,
  };
}

/** What the gateway said about how the answer ended; it is told from the answer itself. */
function noteOf(answer: WireMessage, said: readonly WireMessage[]): string | undefined {
  const { meta, blocks: all } = answer;
  if (meta?.forgotten || meta?.aborted || meta?.error || meta?.stopReason === undefined) return undefined;
  // It goes on from here.
  if (meta.stopReason === "pause_turn" || all.some(({ type }) => type === "tool_use")) return undefined;
  const spoke = ({ blocks }: WireMessage) =>
    blocks.some((block) => block.type === "image" || (block.type === "text" && block.text.trim() !== ""));
  return endingNote(!spoke(answer) && !said.some((each) => each.meta?.continued), meta.stopReason);
}

/** Where no call ran, what memory brought along is still there to be looked at. */
export function withMemory(evidence: string | undefined, recalled: boolean): string | undefined {
  return evidence === "" && recalled ? "Looked in memory" : evidence;
}

/** What begins a run: the owner's words, or a wake-up. */
export function isAsked({ role, origin }: Pick<WireMessage, "role" | "origin">): boolean {
  return role === "user" && origin !== "recalled" && origin !== "gateway";
}

export function hasCall(parts: readonly ReplyPart[], callId: string): boolean {
  return parts.some((part) => part.kind === "calls" && part.calls.some((call) => call.callId === callId));
}

/** Whether a reader sees the same: the same words, calls and lines in the same order. */
export function readsLike(a: readonly ReplyPart[], b: readonly ReplyPart[]): boolean {
  return JSON.stringify(a.map(asRead)) === JSON.stringify(b.map(asRead));
}

function asRead(part: ReplyPart): unknown {
  if ("text" in part) return { ...part, text: part.text.trim() };
  if (part.kind !== "calls") return part;
  // What a program called lies inside it, and is fetched when it is opened.
  return part.calls.flatMap(({ callId, status, exitCode, parent, target }) =>
    parent ? [] : [callId, status, exitCode, target],
  );
}

/** A word of the gateway's that the transcript does not hold, such as one about a full disk. */
export function isLineNotIn(kept: readonly ReplyPart[], part: ReplyPart): boolean {
  return part.kind === "line" && !kept.some((each) => each.kind === "line" && each.text === part.text);
}

/** The parts with this call as it stands now; a new one joins the calls at the end. */
export function withCall(parts: readonly ReplyPart[], call: ShownCall): readonly ReplyPart[] {
  if (hasCall(parts, call.callId))
    return parts.map((part) => {
      if (part.kind !== "calls") return part;
      const calls = part.calls.map((each) => (each.callId === call.callId ? asItStands(each, call) : each));
      return { kind: "calls", calls };
    });
  const last = parts.at(-1);
  if (last?.kind !== "calls") return [...parts, { kind: "calls", calls: [call] }];
  return [...parts.slice(0, -1), { kind: "calls", calls: [...last.calls, call] }];
}

/**
 * The parts without these calls, and without those that they made, which lie inside them. One that waits for the owner
 * is told by its card: a row for it would say the same twice, and move the card when it comes.
 */
export function withoutCalls(
  parts: readonly ReplyPart[],
  callIds: ReadonlySet<string>,
): readonly ReplyPart[] {
  return parts.flatMap((part): ReplyPart[] => {
    if (part.kind !== "calls") return [part];
    const calls = part.calls.filter(
      ({ callId, parent }) => !callIds.has(callId) && (parent === undefined || !callIds.has(parent)),
    );
    if (calls.length === part.calls.length) return [part];
    return calls.length === 0 ? [] : [{ kind: "calls", calls }];
  });
}

/** The parts as pushes tell them: while a run is followed, they read the same however they came. */
export function withoutTargets(parts: readonly ReplyPart[]): readonly ReplyPart[] {
  return parts.map((part) =>
    part.kind === "calls"
      ? { kind: "calls", calls: part.calls.map((call) => ({ ...call, target: undefined })) }
      : part,
  );
}

/** Cards stand before the calls that they were about; one whose call is not known yet stands last. */
export function withCards(
  parts: readonly ReplyPart[],
  cards: readonly { readonly approvalId: string; readonly callId: string }[],
): readonly ReplyPart[] {
  if (cards.length === 0) return parts;
  const partOfCard = ({ callId }: { callId: string }) =>
    parts.findIndex(
      (part) =>
        part.kind === "calls" &&
        part.calls.some((call) => call.callId === callId || callId.startsWith(`${call.callId}.`)),
    );
  const placed = cards.map((card) => ({ at: partOfCard(card), approvalId: card.approvalId }));
  const at = (index: number) =>
    placed.flatMap((card): ReplyPart[] =>
      card.at === index ? [{ kind: "approval", approvalId: card.approvalId }] : [],
    );
  return [...parts.flatMap((part, index) => [...at(index), part]), ...at(-1)];
}

/** Calls as their receipts say they ended: of what happened while the connection was away nothing was heard. */
export function withActivity(
  parts: readonly ReplyPart[],
  activity: readonly unknown[] = [],
): readonly ReplyPart[] {
  // What the gateway sends under this name.
  return (activity as readonly ActivityItem[])
    .filter(({ undoes }) => undoes === undefined)
    .reduce((all, { callId, toolId, status, exitCode, parent, target }) => {
      return withCall(all, {
        callId,
        tool: toolId,
        status,
        exitCode,
        target,
        ...(parent === undefined ? {} : { parent }),
      });
    }, parts);
}

/** What a call said on its way is of no more use once it has ended. */
function asItStands({ message, ...before }: ShownCall, now: ShownCall): ShownCall {
  const said = now.status === "running" && message !== undefined ? { message } : {};
  return { ...before, ...said, ...now };
}

/** What was thought before the words that follow; a piece of it that came late joins the rest. */
export function withThinking(parts: readonly ReplyPart[], text: string): readonly ReplyPart[] {
  if (text.trim() === "") return parts;
  const last = parts.at(-1);
  if (last?.kind !== "thinking") return [...parts, { kind: "thinking", text }];
  return [...parts.slice(0, -1), { kind: "thinking", text: last.text + text }];
}

export function hasThinking(parts: readonly ReplyPart[], text: string): boolean {
  return parts.some((part) => part.kind === "thinking" && part.text === text);
}

/** The parts without what was heard of a thought before the whole of it was known. */
export function withoutBeginning(parts: readonly ReplyPart[], thought: string): readonly ReplyPart[] {
  return parts.filter((part) => part.kind !== "thinking" || !thought.startsWith(part.text));
}

/** The parts without words that turn out to be the answer's beginning; what was said behind them still leads up to a call. */
export function withoutPreamble(parts: readonly ReplyPart[], answer: string): readonly ReplyPart[] {
  const said = answer.trim();
  return parts.flatMap((part): ReplyPart[] => {
    if (part.kind !== "text" || !part.isPreamble || !part.text.trim().startsWith(said)) return [part];
    const rest = part.text.trim().slice(said.length).trim();
    return rest === "" ? [] : [{ ...part, text: rest }];
  });
}

export function tokensOf(
  usage:
    | {
        readonly inputTokens: number;
        readonly outputTokens: number;
        readonly cacheReadTokens: number;
        readonly cacheWriteTokens: number;
      }
    | undefined,
): number {
  if (!usage) return 0;
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

function partsOf(message: WireMessage): ReplyPart[] {
  // What the gateway asked the model to go on from stands whole in the reply.
  if (isBetweenLaps(message)) return [];
  const segments = replySegments(message) ?? [];
  if (message.origin === "gateway" && message.role === "assistant")
    return [
      ...ownParts(segments),
      { kind: "line", text: message.content, tone: message.meta?.error ? "bad" : "info" },
    ];
  const isPreamble = message.blocks.some(({ type }) => type === "tool_use");
  const marked = segments.some(({ by }) => by === "model") ? markedReply(segments) : undefined;
  const parts = message.blocks.flatMap((block) => partOf(block, message, isPreamble));
  let put = false;
  const shown = parts.flatMap((part): ReplyPart[] => {
    if (part.kind !== "text" || marked === undefined) return [part];
    if (put) return [];
    put = true;
    return [{ ...part, text: marked }];
  });
  return [...shown, ...ownParts(segments)];
}

function isForgottenAnswer({ meta, role }: WireMessage): boolean {
  return meta?.forgotten === true && role === "assistant";
}

/** Where the assistant was told to forget something, its confirmation went with it: that it was done is said here. */
function forgottenLine(said: readonly WireMessage[]): ReplyPart {
  const asked = said.some(({ blocks }) =>
    blocks.some((block) => block.type === "tool_use" && block.toolId === FORGET_TOOL),
  );
  const [forgot] = said.flatMap(({ meta }) => meta?.forgot ?? []);
  const much = forgot === undefined ? ". The receipts say how much." : `: ${forgot}.`;
  return {
    kind: "line",
    text: asked ? `Forgotten, as you asked${much}` : "What was said here was forgotten.",
    tone: "info",
  };
}

const FORGET_TOOL = "memory.note.forget";

/** Sentences that Elwood itself added. */
export function ownParts(segments: readonly ReplySegment[]): ReplyPart[] {
  return segments.flatMap(({ by, text }) =>
    by === "gateway" ? [{ kind: "own" as const, text: text.replace(/^◈ /u, "") }] : [],
  );
}

function partOf(block: Block, message: WireMessage, isPreamble: boolean): ReplyPart[] {
  switch (block.type) {
    case "text": {
      if (block.text.trim() === "") return [];
      if (block.origin === "gateway") return [{ kind: "own", text: block.text }];
      const label = ORIGIN_LABELS[block.origin ?? message.origin];
      if (label !== undefined) return [{ kind: "fold", title: label, text: block.text }];
      const older = message.meta?.segments && !replySegments(message);
      return [{ kind: "text", text: (older ? withOlderMarks : withoutSigns)(block.text), isPreamble }];
    }
    case "thinking":
      return block.text.trim() === "" ? [] : [{ kind: "thinking", text: block.text }];
    case "tool_use":
      return [{ kind: "calls", calls: [keptCall(block)] }];
    case "tool_result":
      return [];
    case "image":
    case "file":
      return [{ kind: "media", block }];
    case "compaction":
      return compactionParts(block);
    default:
      // A newer gateway may know more kinds than this page.
      return [{ kind: "line", text: "Something this page cannot show yet.", tone: "info" }];
  }
}

function keptCall(block: Extract<Block, { type: "tool_use" }>): ShownCall {
  const { callId, toolId, input } = meantCall(block);
  const { purpose, path } = (input ?? {}) as { purpose?: unknown; path?: unknown };
  const target = toolId === "program.code.run" ? purpose : toolId.startsWith("files.") ? path : undefined;
  return { callId, tool: toolId, status: "running", ...(typeof target === "string" ? { target } : {}) };
}

function compactionParts({ summary, messages, failed }: Extract<Block, { type: "compaction" }>): ReplyPart[] {
  if (failed !== undefined)
    return [{ kind: "line", text: `Earlier messages could not be summarised. ${failed}`, tone: "warn" }];
  if (summary === "") return [];
  const title =
    messages === undefined ? "Earlier messages, summarised" : `${messages} earlier messages, summarised`;
  return [{ kind: "fold", title, text: summary }];
}

/** How calls ended, by what was handed back to the model. */
function resultsOf(messages: readonly WireMessage[]): ReadonlyMap<string, Result> {
  const results = new Map<string, Result>();
  for (const { blocks } of messages)
    for (const block of blocks)
      if (block.type === "tool_result")
        results.set(block.callId, {
          status: block.ended ?? (block.status === "ok" ? "succeeded" : "failed"),
          exitCode: block.exitCode,
        });
  return results;
}

type Result = Pick<ShownCall, "status" | "exitCode">;

/** Calls that follow each other stand together, each as it ended. */
function joinCalls(parts: readonly ReplyPart[], results: ReadonlyMap<string, Result>): ReplyPart[] {
  const joined: ReplyPart[] = [];
  for (const part of parts) {
    if (part.kind !== "calls") {
      joined.push(part);
      continue;
    }
    const calls = part.calls.map((call) => ({ ...call, ...results.get(call.callId) }));
    const before = joined.at(-1);
    if (before?.kind === "calls")
      joined[joined.length - 1] = { kind: "calls", calls: [...before.calls, ...calls] };
    else joined.push({ kind: "calls", calls });
  }
  return joined;
}

/** Only the owner's own words and the model's stand bare; whatever else came along says what it is. */
export const ORIGIN_LABELS: Readonly<Partial<Record<string, string>>> = {
  program: "Sent by a program",
  piped: "From standard input",
  attached: "From an attached file",
  quoted: "Quoted",
  forwarded: "Forwarded",
  recalled: "Looked in memory",
  schedule: "Scheduled",
};
