import { stripVTControlCharacters } from "node:util";
import { recalledForPeople, resultForPeople } from "@elwood/core/message/for-people";
import { formatLocal } from "@elwood/core/base/local-time";
import { isBetweenLaps, type Block, type ToolResultBlock } from "@elwood/core/message/message";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { blocksAsText } from "@elwood/core/markdown/reply-blocks";
import { cutLine, plainLine } from "@elwood/core/message/session-text";
import { CALL_STATE_WORDS } from "@elwood/core/base/state-words";
import { deedOf } from "@elwood/core/tool/tool-words";
import { findSession } from "./find-session.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { paintFor, type Paint } from "./paint.ts";
import { counted } from "@elwood/core/base/relative-time";
import type { SessionsDeps } from "./sessions-command.ts";
import { visibleText } from "./terminal-text.ts";

const CALL_CHARS_MAX = 100;
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
    counted(session.messageCount, "message"),
    ...(session.pinned ? ["pinned"] : []),
  ];
  io.stdout.write(`${paint("bold", plainLine(session.title))}\n${paint("dim", facts.join(" · "))}\n`);
  if (messages.length === 0) {
    const begin = `${ownName(io.env)} -s ${sessionKey} "hello"`;
    io.stdout.write(`\nNothing was said yet. Begin with: ${begin}\n`);
  }
  for (const { first, lines } of entriesOf(messages, paint)) {
    const head = `${speaker(first)} ${paint("dim", `· ${formatLocal(first.ts, deps.timeZone)}`)}`;
    io.stdout.write(`\n${paint("bold", head)}\n${folded(lines).map(indented).join("\n")}\n`);
  }
  for (const run of shown.runs) io.stdout.write(`\n${paint("yellow", unfinished(run.status))}\n`);
  for (const line of damageLines(shown, ownName(io.env))) io.stderr.write(`${line}\n`);
  return EXIT.ok;
}

interface Entry {
  readonly first: WireMessage;
  readonly lines: string[];
}

/** What stands under one head: calls that follow each other in one run are told together. */
function entriesOf(messages: readonly WireMessage[], paint: Paint): Entry[] {
  const results = resultsOf(messages);
  const entries: Entry[] = [];
  for (const message of messages) {
    const lines = messageLines(message, results, paint);
    if (lines.length === 0) continue;
    const before = entries.at(-1);
    const goesOn =
      before && before.first.runId === message.runId && speaker(before.first) === speaker(message);
    if (goesOn && message.blocks.every(({ type }) => type === "tool_use" || type === "thinking"))
      before.lines.push(...lines);
    else entries.push({ first: message, lines });
  }
  return entries;
}

/** The same call several times in a row is one line that counts them. */
function folded(lines: readonly string[]): string[] {
  const out: { line: string; times: number }[] = [];
  for (const line of lines) {
    const last = out.at(-1);
    if (last && isCall(line) && sameCall(last.line) === sameCall(line))
      out[out.length - 1] = { line, times: last.times + 1 };
    else out.push({ line, times: 1 });
  }
  return out.map(({ line, times }) => (times === 1 ? line : line.replace(" → ", ` ×${times} → `)));
}

function isCall(line: string): boolean {
  const shown = stripVTControlCharacters(line);
  return Object.values(CALL_STATE_WORDS).some(({ glyph }) => shown.startsWith(`${glyph} `));
}

/** How long each answer was makes no difference. */
function sameCall(line: string): string {
  return line.replace(/, \d+ characters?(?=\P{L}*$)/u, "");
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

function messageLines(
  message: WireMessage,
  results: ReadonlyMap<string, ToolResultBlock>,
  paint: Paint,
): string[] {
  if (isBetweenLaps(message)) return [];
  const lines = blocksAsText(message).flatMap((block) => blockLines(block, results, paint));
  const { meta } = message;
  if (meta?.aborted) lines.push(paint("yellow", "(You stopped the answer here.)"));
  if (meta?.evidence) lines.push(paint("dim", visibleText(meta.evidence)));
  if (meta?.error) lines.push(paint("red", visibleText(`(Ended early: ${meta.error.message})`)));
  return lines;
}

function blockLines(block: Block, results: ReadonlyMap<string, ToolResultBlock>, paint: Paint): string[] {
  switch (block.type) {
    case "text": {
      if (block.origin === "recalled") return [paint("dim", visibleText(recalledForPeople(block.text)))];
      const text = visibleText(block.text).trim();
      const foreign = block.origin !== undefined && !["owner", "model", "gateway"].includes(block.origin);
      return foreign ? [paint("dim", `(${block.origin})`), text] : text === "" ? [] : [text];
    }
    case "tool_use": {
      const input = block.malformed ?? inputInWords(block.input);
      const call = cutLine(plainLine(`${deedOf(block.toolId).todo} ${input}`.trim()), CALL_CHARS_MAX);
      const result = results.get(block.callId);
      const { glyph } = CALL_STATE_WORDS[result?.ended ?? "started"];
      return [paint("dim", `${glyph} ${call} → ${outcome(result)}`)];
    }
    case "image":
      return [paint("dim", plainLine(`[picture ${block.name ?? block.blobId}, ${block.mime}]`))];
    case "file":
      return [
        paint("dim", plainLine(`[file ${block.name}, ${block.mime}, ${counted(block.bytes, "byte")}]`)),
      ];
    case "compaction":
      if (block.summary === "") return [];
      return [paint("dim", `(Summary of what came before: ${visibleText(block.summary).trim()})`)];
    case "thinking":
    case "tool_result":
      return [];
    default: {
      const never: never = block;
      throw new Error(`unknown block ${JSON.stringify(never)}`);
    }
  }
}

/** What a call was about: the values that say it, by name where several do. All of it is in the JSON. */
function inputInWords(input: unknown): string {
  if (typeof input !== "object" || input === null) return input === undefined ? "" : valueInWords(input);
  const { from, to } = input as { readonly from?: unknown; readonly to?: unknown };
  if (typeof from === "string" && typeof to === "string") return `${from} to ${to}`;
  const entries = Object.entries(input);
  const told = entries.find(([name, value]) => ABOUT.has(name) && isPlain(value)) ?? entries[0];
  if (told && (ABOUT.has(told[0]) || entries.length === 1)) return valueInWords(told[1]);
  return entries.map(([name, value]) => `${name}: ${valueInWords(value)}`).join(", ");
}

/** Arguments by which people know a call. */
const ABOUT: ReadonlySet<string> = new Set("path url query key word command argv question call".split(" "));
const VALUE_CHARS_MAX = 60;

function isPlain(value: unknown): boolean {
  return (
    typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string"))
  );
}

function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return cutLine(value.map(valueInWords).join(" "), CALL_CHARS_MAX);
  if (typeof value === "string") return cutLine(plainLine(value), CALL_CHARS_MAX);
  return cutLine(plainLine(JSON.stringify(value) ?? ""), VALUE_CHARS_MAX);
}

function outcome(result: ToolResultBlock | undefined): string {
  if (!result) return "no result yet";
  const text = resultForPeople(result.text);
  const first = cutLine(plainLine(text.slice(0, CALL_CHARS_MAX * 4)), CALL_CHARS_MAX);
  if (result.ended === "undone") return "undone since";
  if (result.ended === "denied")
    return `${/^blocked/i.test(text) ? "blocked by a rule" : "denied"}, nothing was done`;
  if (result.ended === "expired") return "nobody answered in time, nothing was done";
  if (result.status === "error") return `error: ${first}`;
  return `ok, ${counted(text.length, "character")}`;
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

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
}
