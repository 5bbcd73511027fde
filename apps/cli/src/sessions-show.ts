import { meantCall } from "@elwood/core/tool/catalog";
import { wrapWords } from "@elwood/core/base/wrap-words";
import { callForPeople, type CallForPeople } from "@elwood/core/markdown/call-for-people";
import { recalledForPeople } from "@elwood/core/message/for-people";
import { formatLocal } from "@elwood/core/base/local-time";
import { isBetweenLaps, type Block, type ToolResultBlock } from "@elwood/core/message/message";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { blocksAsText } from "@elwood/core/markdown/reply-blocks";
import { plainLine } from "@elwood/core/message/session-text";
import { findSession } from "./find-session.ts";
import { EXIT, ownName, useColor, type Io } from "./io.ts";
import { paintFor, type Style } from "./paint.ts";
import { counted } from "@elwood/core/base/relative-time";
import type { SessionsDeps } from "./sessions-command.ts";
import { TerminalMarkdown } from "./terminal-markdown.ts";
import { visibleText } from "./terminal-text.ts";

const DAMAGE_SHOWN_MAX = 10;

/** `elwood sessions show <session>`: the conversation on stdout; what is wrong with its file on stderr. */
export async function showSession(
  io: Io,
  deps: SessionsDeps,
  options: { readonly session: string; readonly json: boolean },
): Promise<number> {
  const { sessionKey } = await findSession(deps.client, options.session);
  const shown = await deps.client.call("sessions.get", { sessionKey });
  if (options.json) {
    io.stdout.write(`${JSON.stringify(shown)}\n`);
    return EXIT.ok;
  }
  const paint = paintFor(io);
  const { session, messages } = shown;
  const facts = [
    sessionKey,
    `agent ${session.agentId}`,
    `begun ${formatLocal(session.createdAt, deps.timeZone)}`,
    counted(writtenCount(messages), "message"),
    ...(session.pinned ? ["pinned"] : []),
  ];
  io.stdout.write(`${paint("bold", plainLine(session.title))}\n${paint("dim", facts.join(" · "))}\n`);
  if (messages.length === 0) {
    const begin = `${ownName(io.env)} -s ${sessionKey} "hello"`;
    io.stdout.write(`\nNothing was said yet. Begin with: ${begin}\n`);
  }
  for (const { first, parts } of entriesOf(messages)) {
    const head = `${speaker(first)} ${paint("dim", `· ${formatLocal(first.ts, deps.timeZone)}`)}`;
    io.stdout.write(`\n${paint("bold", head)}\n${entryText(parts, io)}\n`);
  }
  for (const run of shown.runs) io.stdout.write(`\n${paint("yellow", unfinished(run.status))}\n`);
  for (const line of damageLines(shown, ownName(io.env))) io.stderr.write(`${line}\n`);
  return EXIT.ok;
}

/** What owner and assistant wrote; what the model and its tools told each other is not counted. */
function writtenCount(messages: readonly WireMessage[]): number {
  const answers = new Set<string>();
  let asked = 0;
  for (const message of messages) {
    if (isBetweenLaps(message)) continue;
    if (message.role === "user") asked += 1;
    else if (message.role === "assistant" && message.origin === "model" && hasText(message))
      answers.add(message.runId);
  }
  return asked + answers.size;
}

function hasText({ blocks, meta }: WireMessage): boolean {
  return (
    meta?.forgotten === true || blocks.some((block) => block.type === "text" && block.text.trim() !== "")
  );
}

/** One thing that stands under a head. */
type Part =
  | { readonly kind: "call"; readonly call: CallForPeople }
  /** Markdown, which a terminal draws. */
  | { readonly kind: "prose"; readonly text: string }
  | { readonly kind: "plain"; readonly text: string; readonly style?: Style };

interface Entry {
  readonly first: WireMessage;
  readonly parts: Part[];
}

/** What stands under one head: all that one run wrote and did. */
function entriesOf(messages: readonly WireMessage[]): Entry[] {
  const results = resultsOf(messages);
  const entries: Entry[] = [];
  for (const message of messages) {
    const parts = partsOf(message, results);
    if (parts.length === 0) continue;
    const before = entries.at(-1);
    if (before && before.first.runId === message.runId && speaker(before.first) === speaker(message))
      before.parts.push(...parts);
    else entries.push({ first: message, parts });
  }
  return entries;
}

function entryText(parts: readonly Part[], io: Io): string {
  const paint = paintFor(io);
  const columns =
    io.stdout.isTTY === true ? (io.stdout.columns ?? COLUMNS_UNLESS_TOLD) - INDENT.length : undefined;
  const wrapped = (text: string, hang = "") =>
    columns === undefined
      ? text.split("\n")
      : text.split("\n").flatMap((line) => {
          const [first = "", ...rest] = wrapWords(line, columns - hang.length);
          return [first, ...rest.map((each) => `${hang}${each}`)];
        });
  const out: string[] = [];
  let before: Part["kind"] | undefined;
  for (const { part, times } of folded(parts)) {
    // What is written after calls is a paragraph of its own.
    if (part.kind === "prose" && before === "call") out.push("");
    before = part.kind;
    if (part.kind === "prose") {
      out.push(...(columns === undefined ? part.text : drawn(part.text, columns, io)).split("\n"));
    } else if (part.kind === "call") {
      const { state, words, ending } = part.call;
      const line = `${state.glyph} ${words}${times === 1 ? "" : ` ×${times}`} → ${ending}`;
      out.push(...wrapped(line, INDENT).map((each) => paint("dim", each)));
    } else {
      const { style } = part;
      out.push(...wrapped(part.text).map((each) => (style === undefined ? each : paint(style, each))));
    }
  }
  return out.map((line) => (line === "" ? "" : `${INDENT}${line}`)).join("\n");
}

const INDENT = "  ";
const COLUMNS_UNLESS_TOLD = 80;

/** As an answer is drawn while it is written. */
function drawn(text: string, columns: number, io: Io): string {
  let out = "";
  const paint = useColor(io) ? paintFor(io) : undefined;
  const terminal = new TerminalMarkdown((piece) => (out += piece), { columns, paint });
  terminal.write(text);
  terminal.end();
  return out;
}

/** The same call several times in a row is one line that counts them. */
function folded(parts: readonly Part[]): { readonly part: Part; readonly times: number }[] {
  const out: { part: Part; times: number }[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    // A turn that was forgotten says so once.
    if (last?.part.kind === "plain" && part.kind === "plain" && last.part.text === part.text) continue;
    if (last?.part.kind === "call" && part.kind === "call" && isSame(last.part.call, part.call))
      out[out.length - 1] = { part, times: last.times + 1 };
    else out.push({ part, times: 1 });
  }
  return out;
}

function isSame(a: CallForPeople, b: CallForPeople): boolean {
  return a.words === b.words && a.ending === b.ending;
}

function speaker(message: WireMessage): string {
  if (message.role === "user") return "You";
  if (message.origin === "recalled") return "Memory";
  return message.origin === "gateway" ? "Elwood" : "Assistant";
}

/** Results stand in messages of their own; each is shown with the call it answers. */
function resultsOf(messages: readonly WireMessage[]): ReadonlyMap<string, ToolResultBlock> {
  const blocks = messages.flatMap((message) => message.blocks);
  return new Map(blocks.flatMap((block) => (block.type === "tool_result" ? [[block.callId, block]] : [])));
}

function partsOf(message: WireMessage, results: ReadonlyMap<string, ToolResultBlock>): Part[] {
  if (isBetweenLaps(message)) return [];
  const parts = blocksAsText(message).flatMap((block) => blockParts(block, message, results));
  const { meta } = message;
  if (meta?.forgotten && message.role !== "tool" && message.origin !== "recalled") {
    const isAnswer = message.role === "assistant" && meta.forgot !== undefined;
    const text = isAnswer
      ? `(Forgotten, as you asked: ${meta.forgot}.)`
      : "(What was said here was forgotten.)";
    parts.push({ kind: "plain", text: visibleText(text), style: "dim" });
  }
  if (meta?.aborted) parts.push({ kind: "plain", text: "(You stopped the answer here.)", style: "yellow" });
  if (meta?.evidence) parts.push({ kind: "plain", text: visibleText(meta.evidence), style: "dim" });
  if (meta?.error)
    parts.push({ kind: "plain", text: visibleText(`(Ended early: ${meta.error.message})`), style: "red" });
  return parts;
}

function blockParts(
  block: Block,
  { role, meta }: WireMessage,
  results: ReadonlyMap<string, ToolResultBlock>,
): Part[] {
  switch (block.type) {
    case "text": {
      if (block.origin === "recalled")
        return [{ kind: "plain", text: visibleText(recalledForPeople(block.text)), style: "dim" }];
      const text = visibleText(block.text).trim();
      if (text === "") return [];
      const foreign = block.origin !== undefined && !["owner", "model", "gateway"].includes(block.origin);
      if (foreign)
        return [
          { kind: "plain", text: `(${block.origin})`, style: "dim" },
          { kind: "plain", text },
        ];
      return [role === "assistant" ? { kind: "prose", text } : { kind: "plain", text }];
    }
    case "tool_use":
      // Of a call whose words were forgotten only the one line is left that says so.
      if (meta?.forgotten) return [];
      return [{ kind: "call", call: callForPeople(meantCall(block), results.get(block.callId)) }];
    case "image":
      return [
        {
          kind: "plain",
          text: plainLine(`[picture ${block.name ?? block.blobId}, ${block.mime}]`),
          style: "dim",
        },
      ];
    case "file": {
      const text = plainLine(`[file ${block.name}, ${block.mime}, ${counted(block.bytes, "byte")}]`);
      return [{ kind: "plain", text, style: "dim" }];
    }
    // What a summary says is for the model; the sentence beside it says that there is one.
    case "compaction":
    case "thinking":
    case "tool_result":
      return [];
    default: {
      const never: never = block;
      throw new Error(`unknown block ${JSON.stringify(never)}`);
    }
  }
}

function unfinished(status: string): string {
  const doing =
    status === "queued" ? "waits for its turn" : status === "waiting" ? "waits for you" : "is being written";
  return `An answer ${doing}.`;
}

function damageLines({ session, damage }: MethodResult<"sessions.get">, self: string): string[] {
  if (damage.length === 0) return [];
  const shown = damage
    .slice(0, DAMAGE_SHOWN_MAX)
    .map(({ line, what }) => `line ${line} (${DAMAGE_WORDS[what] ?? what})`);
  const rest = damage.length > shown.length ? ` and ${damage.length - shown.length} more` : "";
  return [
    "",
    `! ${counted(damage.length, "line")} of this conversation's file could not be read and ${damage.length === 1 ? "is" : "are"} missing above: ${shown.join(", ")}${rest}.`,
    `  The file is sessions/default/${session.sessionKey}.jsonl in the state directory; nothing was removed from it. ${self} doctor tells more.`,
  ];
}

const DAMAGE_WORDS: Readonly<Record<string, string>> = {
  torn: "cut off",
  "not-json": "not JSON",
  "not-a-message": "not a message",
};
