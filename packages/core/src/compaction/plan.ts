import type { Message } from "../message/message.ts";

export type TokensOf = (message: Message) => number;

export interface CutInput {
  readonly messages: readonly Message[];
  readonly tokens: TokensOf;
  /** About so much of the newest messages stays as it is. */
  readonly keepTokens: number;
  /** From this message on, nothing is covered: the owner's last word and what followed it. */
  readonly before: number;
}

/**
 * How many of the first messages a summary is to cover.
 *
 * P1 Never more than `before`, and never between a call and its result.
 * P2 What stays of the messages before `before` fits into `keepTokens`, with what follows.
 * P3 Where the start of one of the owner's messages lies in the first half of what would stay, it is cut there.
 */
export function planCut({ messages, tokens, keepTokens, before }: CutInput): number {
  const safe = safeCuts(messages, before);
  const costs = suffixTokens(messages, tokens);
  const fitting = safe.filter((at) => costs[at]! <= keepTokens);
  // The last safe place is `before`, or the nearest one in front of it.
  const first = fitting[0] ?? safe.at(-1) ?? 0;
  const whole = fitting.find((at) => messages[at]?.role === "user" && costs[at]! >= keepTokens / 2);
  return whole ?? first;
}

/** Places where everything that was called before has its result, up to `before`. */
function safeCuts(messages: readonly Message[], before: number): number[] {
  const open = new Set<string>();
  const cuts: number[] = [];
  for (const [at, message] of messages.entries()) {
    if (at > before) break;
    // What memory was asked for a message stays with it.
    if (open.size === 0 && message.role !== "tool" && message.origin !== "recalled") cuts.push(at);
    noteCalls(message, open);
  }
  if (before >= messages.length && open.size === 0) cuts.push(messages.length);
  return cuts;
}

function noteCalls({ role, blocks }: Message, open: Set<string>): void {
  // A call that a run left without a result has none any more once somebody speaks.
  if (role === "user") open.clear();
  for (const block of blocks) {
    if (block.type === "tool_use") open.add(block.callId);
    else if (block.type === "tool_result") open.delete(block.callId);
  }
}

function suffixTokens(messages: readonly Message[], tokens: TokensOf): number[] {
  const costs = Array.from({ length: messages.length + 1 }, () => 0);
  for (let i = messages.length - 1; i >= 0; i--) costs[i] = costs[i + 1]! + tokens(messages[i]!);
  return costs;
}

export interface OutputsInput {
  readonly messages: readonly Message[];
  readonly tokens: TokensOf;
  readonly keepTokens: number;
  /** Tools whose calls only look. */
  readonly reads: ReadonlySet<string>;
  /** Also the output of calls that cannot be made again. */
  readonly all: boolean;
  /** Results smaller than this stay: leaving them out would save nothing. */
  readonly tokensMin: number;
  /** Calls whose output is left out already. */
  readonly already: ReadonlySet<string>;
  /** Calls whose output the model reads on in just now. */
  readonly inUse: ReadonlySet<string>;
}

export interface OmittedOutput {
  readonly callId: string;
  readonly again: boolean;
  /** It is shown up to so much; absent where nothing of it is. */
  readonly chars?: number | undefined;
}

/**
 * Which results may be left out, the oldest first: those outside of the newest `keepTokens`, never
 * one of the last answer's calls, which the model has not seen yet, and none that it reads on in.
 */
export function planOutputs(input: OutputsInput): OmittedOutput[] {
  const { messages, tokens, keepTokens, reads, all, tokensMin, already, inUse } = input;
  const tools = new Map<string, string>();
  for (const { blocks } of messages)
    for (const block of blocks) if (block.type === "tool_use") tools.set(block.callId, block.toolId);
  const lastAnswer = messages.findLastIndex(({ blocks }) => blocks.some(({ type }) => type === "tool_use"));
  const costs = suffixTokens(messages, tokens);
  return messages.slice(0, Math.max(0, lastAnswer)).flatMap((message, at) => {
    if (message.role !== "tool" || costs[at + 1]! < keepTokens) return [];
    return message.blocks.flatMap((block): OmittedOutput[] => {
      if (block.type !== "tool_result" || already.has(block.callId)) return [];
      if (inUse.has(block.callId)) return [];
      const again = block.status === "ok" && reads.has(tools.get(block.callId) ?? "");
      const large = tokens({ ...message, blocks: [block] }) >= tokensMin;
      return large && (again || all) ? [{ callId: block.callId, again }] : [];
    });
  });
}

export interface CutsInput {
  /** As they are shown now. */
  readonly messages: readonly Message[];
  readonly tokens: TokensOf;
  /** How much less the results of the last answer are to be. */
  readonly excess: number;
  readonly reads: ReadonlySet<string>;
}

/** No result is cut below this by `planCuts`. */
const CUT_TOKENS_MIN = 150;
/** What the sentence about a cut costs. */
const CUT_NOTE_TOKENS = 100;

/**
 * How far to cut the results that the model has not seen yet, so that they take `excess` tokens
 * less. The largest give first: all are cut to one level, and what lies below it stays whole.
 */
export function planCuts({ messages, tokens, excess, reads }: CutsInput): OmittedOutput[] {
  const lastAnswer = messages.findLastIndex(({ blocks }) => blocks.some(({ type }) => type === "tool_use"));
  if (lastAnswer < 0 || excess <= 0) return [];
  const tools = new Map<string, string>();
  for (const block of messages[lastAnswer]!.blocks)
    if (block.type === "tool_use") tools.set(block.callId, block.toolId);
  const results = messages.slice(lastAnswer + 1).flatMap((message) =>
    message.role !== "tool"
      ? []
      : message.blocks.flatMap((block) => {
          if (block.type !== "tool_result") return [];
          const cost = tokens({ ...message, blocks: [block] });
          return [{ callId: block.callId, status: block.status, chars: block.text.length, cost }];
        }),
  );
  const level = levelOf(
    results.map(({ cost }) => cost),
    excess,
  );
  return results.flatMap(({ callId, status, chars, cost }): OmittedOutput[] => {
    if (cost <= level + CUT_NOTE_TOKENS) return [];
    const again = status === "ok" && reads.has(tools.get(callId) ?? "");
    return [{ callId, again, chars: Math.floor((chars * level) / cost) }];
  });
}

/** The level to which all larger ones are to be cut, their notes counted. */
function levelOf(costs: readonly number[], excess: number): number {
  const sorted = costs.toSorted((a, b) => b - a);
  let saved = 0;
  for (const [at, cost] of sorted.entries()) {
    const next = sorted[at + 1] ?? 0;
    const more = (cost - next) * (at + 1);
    const wanted = excess + CUT_NOTE_TOKENS * (at + 1);
    if (saved + more >= wanted)
      return Math.max(CUT_TOKENS_MIN, Math.floor(cost - (wanted - saved) / (at + 1)));
    saved += more;
  }
  return CUT_TOKENS_MIN;
}
