import { FORGOTTEN_TEXT, isForgotten } from "@elwood/core/erase/tombstone";
import type { LocalTime } from "@elwood/core/base/local-time";
import { showLine } from "@elwood/core/base/show";
import { Stretches } from "@elwood/core/base/stretches";
import { resultForModel } from "@elwood/core/message/result-for-model";
import {
  isSenderOrigin,
  isUndoNote,
  replySegments,
  textOf,
  type Block,
  type Message,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@elwood/core/message/message";

/**
 * The conversation as the model is shown it, from the messages as they are kept.
 *
 * H1 The same kept messages always give the same bytes: the provider's cache depends on it.
 * H2 Every tool_use is followed by its tool_result before anything else is said.
 * H3 Words that are not the owner's are fenced as data, and cannot close the fence themselves.
 * H4 What the gateway said (failures, notes, its sentences in a reply) is not shown as if the model had said it.
 * H5 Where something was forgotten, the model is told so: a gap that it cannot see would be filled in.
 * H6 An answer that the model was asked to go on from stands once: in the reply that holds it whole, where there is one.
 * H7 Results stay as they were. What the owner undid since is told beside the message they sent next.
 * H8 Each result says first which call it belongs to.
 */
export function toModelMessages(kept: readonly Message[], time: LocalTime): Message[] {
  return new ModelHistory(time).messages(kept);
}

/**
 * The same for conversations that go on: an exchange that others follow is worked out once, and is made of the same
 * objects in every later request for as long as its messages are kept. So a turn costs what is new in it.
 */
export class ModelHistory {
  readonly #time: LocalTime;
  readonly #exchanges = new Stretches<Message, readonly Message[]>({
    join: (first, second) => [...first, ...second],
    mayEnd: (kept, at) => at < kept.length && opensExchange(kept[at]!),
  });

  constructor(time: LocalTime) {
    this.#time = time;
  }

  messages(kept: readonly Message[]): Message[] {
    const { values } = this.#exchanges.of(kept, (at) => {
      const { end, isWhole } = exchangeFrom(kept, at);
      return { end, value: exchangeMessages(kept.slice(at, end), this.#time), isLasting: isWhole };
    });
    return values.flat();
  }
}

/** What somebody sends; a note of the gateway's is a part of what it is about. */
function opensExchange({ role, origin }: Message): boolean {
  return role === "user" && origin !== "gateway";
}

/** Where the next one begins, and whether nothing more can come to this one. */
function exchangeFrom(
  kept: readonly Message[],
  from: number,
): { readonly end: number; readonly isWhole: boolean } {
  const open = new Set<string>();
  let next = kept.length;
  for (let at = from; at < kept.length; at += 1) {
    const message = kept[at]!;
    if (at > from && opensExchange(message)) {
      if (open.size === 0) return { end: at, isWhole: true };
      next = Math.min(next, at);
    }
    for (const block of message.blocks) {
      if (block.type === "tool_use") open.add(block.callId);
      else if (block.type === "tool_result") open.delete(block.callId);
    }
  }
  // Results may come behind the next message. A call that never had one keeps nothing open.
  return { end: open.size === 0 ? kept.length : next, isWhole: false };
}

function exchangeMessages(kept: readonly Message[], time: LocalTime): Message[] {
  const out: Message[] = [];
  for (const message of withoutContinued(kept)) {
    if (message.origin === "recalled") addToAsked(out, message, fence);
    else if (isUndoNote(message)) addToAsked(out, message, ({ text }) => text);
    else if (message.role === "user") out.push(userMessage(message, time));
    else if (message.role === "tool") out.push(isForgotten(message) ? forgottenResults(message) : message);
    else if (message.origin !== "gateway") {
      const shown = assistantMessage(withCitations(message));
      if (shown.blocks.length > 0) out.push(shown);
    }
  }
  return pairCalls(out);
}

function userMessage(message: Message, time: LocalTime): Message {
  if (isForgotten(message)) {
    const text = `[${time.format(message.ts)}] ${FORGOTTEN_TEXT}`;
    return { ...message, blocks: [{ type: "text", text }] };
  }
  const blocks: Block[] = [];
  let stamped = false;
  const stamp = `[${time.format(message.ts)}${senderWords(message)}]`;
  for (const block of message.blocks) {
    if (block.type !== "text") {
      blocks.push(block);
      continue;
    }
    const own = isSenderOrigin(block.origin ?? message.origin) || message.origin === "gateway";
    const text = own ? block.text : fence(block);
    blocks.push({ type: "text", text: stamped ? text : `${stamp} ${text}` });
    stamped = true;
  }
  if (!stamped) blocks.unshift({ type: "text", text: stamp });
  return { ...message, blocks };
}

/** The model knows whom it answers: what a program, a job, a webhook or somebody else asks for was not typed by the owner. */
function senderWords({ origin, meta }: Message): string {
  if (origin === "owner") return "";
  const name = JSON.stringify(showLine(meta?.sender?.name ?? "unnamed"));
  if (origin === "program") return `, sent by the program ${name}, not by the owner`;
  if (origin === "webhook") return `, set off by the webhook ${name}, not typed by the owner`;
  if (origin === "member") return `, written by ${name}, not by the owner`;
  if (origin !== "schedule") return "";
  return meta?.reminder
    ? ", a reminder that Elwood delivered to the owner, not a message of theirs"
    : `, the scheduled job ${name}, not typed by the owner just now`;
}

/** H5 */
function forgottenResults(message: Message): Message {
  const blocks = message.blocks.map((block) =>
    block.type === "tool_result" ? { ...block, text: FORGOTTEN_TEXT } : block,
  );
  return { ...message, blocks };
}

/** What memory had to say, and what was undone, goes along with the message it was looked up for, behind it: what came before stays as it was. */
function addToAsked(out: Message[], { blocks }: Message, shown: (block: TextBlock) => string): void {
  const asked = out.at(-1);
  if (asked?.role !== "user") return;
  const found = blocks.filter((b): b is TextBlock => b.type === "text");
  const more = found.map((block): Block => ({ type: "text", text: shown(block) }));
  out[out.length - 1] = { ...asked, blocks: [...asked.blocks, ...more] };
}

function fence(block: TextBlock): string {
  const inside = block.text.replace(/<(\/?)data/gi, "<$1 data");
  return `<data origin="${block.origin ?? "unknown"}">\n${inside}\n</data>`;
}

function assistantMessage(message: Message): Message {
  const blocks = message.blocks.flatMap(ownBlock);
  const replaced = message.blocks.filter((b) => b.type === "text" && b.origin === "gateway");
  if (blocks.every((b) => b.type === "thinking") && replaced.length > 0) {
    const text = `[Elwood sent the owner its own words in place of this answer: ${textOf({ blocks: replaced })}]`;
    return { ...message, blocks: [{ type: "text", text }] };
  }
  if (!message.meta?.aborted && !message.meta?.error) return { ...message, blocks };
  // A broken-off answer has no complete thinking to replay, and must not look finished.
  const spoken = blocks.filter((b) => b.type === "text");
  if (spoken.length === 0) return { ...message, blocks: [] };
  const why = message.meta.aborted
    ? "The owner stopped this answer here."
    : "This answer was cut off here by a fault.";
  return { ...message, blocks: [...spoken, { type: "text", text: `[${why}]` }] };
}

/** H6 */
function withoutContinued(kept: readonly Message[]): readonly Message[] {
  if (!kept.some(({ meta }) => meta?.continued)) return kept;
  const left = new Set<Message>();
  for (const [at, message] of kept.entries()) {
    if (!message.meta?.continued) continue;
    const rest = kept.slice(at + 1);
    const end = rest.findIndex(({ role, origin }) => role === "user" && origin !== "gateway");
    const run = end < 0 ? rest : rest.slice(0, end);
    if (!run.some(isReply)) continue;
    left.add(message);
    const note = run.find(({ role, origin }) => role === "user" && origin === "gateway");
    if (note) left.add(note);
  }
  return kept.filter((message) => !left.has(message));
}

function isReply({ role, origin, blocks, meta }: Message): boolean {
  return (
    role === "assistant" &&
    origin === "model" &&
    !meta?.continued &&
    !blocks.some((b) => b.type === "tool_use")
  );
}

/** A reply as the model wrote it, citations included. */
function withCitations(message: Message): Message {
  const segments = replySegments(message);
  if (!segments?.some(({ cites }) => cites)) return message;
  const text = segments
    .filter(({ by }) => by === "model")
    .map(({ text: said, cites }) => {
      if (!cites) return said;
      const trailing = /\s*$/u.exec(said)?.[0] ?? "";
      return `${said.slice(0, said.length - trailing.length)} [${cites.join(", ")}]${trailing}`;
    })
    .join("")
    .trim();
  let put = false;
  const blocks = message.blocks.flatMap((block): Block[] => {
    if (block.type !== "text") return [block];
    if (put) return [];
    put = true;
    return [{ ...block, text }];
  });
  return { ...message, blocks };
}

/** H4; in older replies marks are part of the text, and are shown as the citations they were made of. */
function ownBlock(block: Block): Block[] {
  if (block.type !== "text") return [block];
  if (block.origin === "gateway" || block.text.trim() === "") return [];
  return [
    { ...block, text: block.text.replace(MARK, (_, cites: string) => `[${cites.replaceAll(" ", ", ")}]`) },
  ];
}

const MARK = /\[(?:✓ )?(c\d{1,6}(?: c\d{1,6})*)\]/g;

/** H2: a call whose result is missing gets one that says so; results without a call are dropped. */
function pairCalls(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  const results = new Map<string, ToolResultBlock>();
  for (const message of messages) {
    for (const block of message.blocks) if (block.type === "tool_result") results.set(block.callId, block);
  }
  for (const message of messages) {
    if (message.role === "tool") continue;
    out.push(message);
    if (!message.blocks.some(isCall)) continue;
    const calls = message.blocks.filter(isCall);
    out.push({
      id: `${message.id}-results`,
      ts: message.ts,
      role: "tool",
      origin: "tool",
      blocks: calls.map((call) => {
        const result = results.get(call.callId);
        return result ? resultForModel(result, call, calls) : unanswered(call.callId);
      }),
    });
  }
  return out;
}

function isCall(block: Block): block is ToolUseBlock {
  return block.type === "tool_use";
}

function unanswered(callId: string): ToolResultBlock {
  return {
    type: "tool_result",
    callId,
    status: "error",
    text: "No result was recorded for this call. It is unknown whether it took effect.",
  };
}
