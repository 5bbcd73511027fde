import { meantCall } from "@elwood/core/tool/catalog";
import { wrapWords } from "@elwood/core/base/wrap-words";
import { callForPeople, type CallForPeople } from "@elwood/core/markdown/call-for-people";
import { recalledForPeople } from "@elwood/core/message/for-people";
import { isBetweenLaps, type Block, type ToolResultBlock } from "@elwood/core/message/message";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { blocksAsText } from "@elwood/core/markdown/reply-blocks";
import { plainLine } from "@elwood/core/message/session-text";
import { findSession } from "./find-session.ts";
import { EXIT, ownName, useColor, type Io } from "./io.ts";
import { paintFor, type Style } from "./paint.ts";
import type { SessionsDeps } from "./sessions-command.ts";
import { TerminalMarkdown } from "./terminal-markdown.ts";
import { visibleText } from "./terminal-text.ts";
import { failureText, say, sayCount, type Sentence, timeText } from "./words/say.ts";

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
    say(io, "agent {0}", session.agentId),
    say(io, "begun {0}", timeText(io, session.createdAt, deps.timeZone)),
    sayCount(io, writtenCount(messages), "1 message", "{0} messages"),
    ...(session.pinned ? [say(io, "pinned")] : []),
  ];
  io.stdout.write(`${paint("bold", plainLine(session.title))}\n${paint("dim", facts.join(" · "))}\n`);
  if (messages.length === 0) {
    const begin = `${ownName(io.env)} -s ${sessionKey} "hello"`;
    io.stdout.write(`\n${say(io, "Nothing was said yet. Begin with: {0}", begin)}\n`);
  }
  for (const { first, parts } of entriesOf(io, messages)) {
    const head = `${speaker(io, first)} ${paint("dim", `· ${timeText(io, first.ts, deps.timeZone)}`)}`;
    io.stdout.write(`\n${paint("bold", head)}\n${entryText(parts, io)}\n`);
  }
  for (const run of shown.runs) io.stdout.write(`\n${paint("yellow", unfinished(io, run.status))}\n`);
  for (const line of damageLines(io, shown, ownName(io.env))) io.stderr.write(`${line}\n`);
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
function entriesOf(io: Io, messages: readonly WireMessage[]): Entry[] {
  const results = resultsOf(messages);
  const entries: Entry[] = [];
  for (const message of messages) {
    const parts = partsOf(io, message, results);
    if (parts.length === 0) continue;
    const before = entries.at(-1);
    if (before && before.first.runId === message.runId && speaker(io, before.first) === speaker(io, message))
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

function speaker(io: Io, message: WireMessage): string {
  if (message.role === "user") return say(io, "You");
  if (message.origin === "recalled") return say(io, "Memory");
  return message.origin === "gateway" ? "Elwood" : say(io, "Assistant");
}

/** Results stand in messages of their own; each is shown with the call it answers. */
function resultsOf(messages: readonly WireMessage[]): ReadonlyMap<string, ToolResultBlock> {
  const blocks = messages.flatMap((message) => message.blocks);
  return new Map(blocks.flatMap((block) => (block.type === "tool_result" ? [[block.callId, block]] : [])));
}

function partsOf(io: Io, message: WireMessage, results: ReadonlyMap<string, ToolResultBlock>): Part[] {
  if (isBetweenLaps(message)) return [];
  const parts = blocksAsText(message).flatMap((block) => blockParts(io, block, message, results));
  const { meta } = message;
  if (meta?.forgotten && message.role !== "tool" && message.origin !== "recalled") {
    const what = message.role === "assistant" ? meta.forgot : undefined;
    const text =
      what === undefined
        ? say(io, "(What was said here was forgotten.)")
        : say(io, "(Forgotten, as you asked: {0}.)", what);
    parts.push({ kind: "plain", text: visibleText(text), style: "dim" });
  }
  if (meta?.aborted)
    parts.push({ kind: "plain", text: say(io, "(You stopped the answer here.)"), style: "yellow" });
  if (meta?.evidence) parts.push({ kind: "plain", text: visibleText(meta.evidence), style: "dim" });
  if (meta?.error)
    parts.push({
      kind: "plain",
      text: visibleText(say(io, "(Ended early: {0})", failureText(io, meta.error))),
      style: "red",
    });
  return parts;
}

function blockParts(
  io: Io,
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
          text: plainLine(say(io, "[picture {0}, {1}]", block.name ?? block.blobId, block.mime)),
          style: "dim",
        },
      ];
    case "file": {
      const text = plainLine(
        say(
          io,
          "[file {0}, {1}, {2}]",
          block.name,
          block.mime,
          sayCount(io, block.bytes, "1 byte", "{0} bytes"),
        ),
      );
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

function unfinished(io: Io, status: string): string {
  if (status === "queued") return say(io, "An answer waits for its turn.");
  return say(io, status === "waiting" ? "An answer waits for you." : "An answer is being written.");
}

function damageLines(io: Io, { session, damage }: MethodResult<"sessions.get">, self: string): string[] {
  if (damage.length === 0) return [];
  const shown = damage
    .slice(0, DAMAGE_SHOWN_MAX)
    .map(({ line, what }) => say(io, "line {0} ({1})", line, damageWord(io, what)));
  const rest =
    damage.length > shown.length ? ` ${say(io, "and {0} more", damage.length - shown.length)}` : "";
  return [
    "",
    `! ${sayCount(
      io,
      damage.length,
      "1 line of this conversation's file could not be read and is missing above: {1}.",
      "{0} lines of this conversation's file could not be read and are missing above: {1}.",
      `${shown.join(", ")}${rest}`,
    )}`,
    `  ${say(io, "The file is sessions/default/{0}.jsonl in the state directory; nothing was removed from it. {1} doctor tells more.", session.sessionKey, self)}`,
  ];
}

const DAMAGE_WORDS: Readonly<Record<string, Sentence>> = {
  torn: "cut off",
  "not-json": "not JSON",
  "not-a-message": "not a message",
};

function damageWord(io: Io, what: string): string {
  const word = DAMAGE_WORDS[what];
  return word === undefined ? what : say(io, word);
}
