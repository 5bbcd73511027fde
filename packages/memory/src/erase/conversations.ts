import { SummaryWatch, remainderOf, type EraseScope } from "@elwood/core/erase/scope";
import { blobsIn, callsIn, isForgotten, wordsIn } from "@elwood/core/erase/tombstone";
import { textOf, type Message, type TranscriptLine } from "@elwood/core/message/message";
import { recalledForPeople, resultForPeople } from "@elwood/core/message/for-people";
import type { FileTranscripts } from "@elwood/store-sqlite/file-transcripts";
import { parseLine } from "../index/transcript-turns.ts";

/** A line of a conversation that loses something. */
export interface ErasedLine {
  readonly session: string;
  readonly line: number;
  /** `call`: what a call was given or gave back, and what the model was told beside it. */
  readonly what: "message" | "recalled" | "summary" | "call" | "damaged";
  /** What it said, for those who decide on it; never kept. */
  readonly text: string;
  readonly ts: number;
}

export interface ErasedLines {
  readonly lines: ErasedLine[];
  /** Messages that lose their words, as they were. */
  readonly messages: Message[];
  /** Where those stand, as `run/i`. */
  readonly places: Set<string>;
  /** Messages whose summary goes. */
  readonly summaries: Set<string>;
  /** Calls that stood in messages that go. */
  readonly calls: Set<string>;
  readonly blobs: Set<string>;
  readonly sessions: Set<string>;
}

/**
 * Goes through the files of all conversations, the trash included. Changes nothing unless
 * `apply` is set; then a line that goes is written over where it stands, with what is left of
 * it and blanks.
 */
export async function eraseLines(
  transcripts: FileTranscripts,
  tenant: string,
  scope: EraseScope,
  { apply, except }: { readonly apply: boolean; readonly except: ReadonlySet<string> },
): Promise<ErasedLines> {
  const lost: ErasedLines = {
    lines: [],
    messages: [],
    places: new Set(),
    summaries: new Set(),
    calls: new Set(),
    blobs: new Set(),
    sessions: new Set(),
  };
  for (const session of await transcripts.list(tenant)) {
    if (except.has(session)) continue;
    const watch = new SummaryWatch();
    await transcripts.rewrite(tenant, session, (bytes, line) => {
      const left = remainder(bytes, scope, watch);
      if (left === undefined) return undefined;
      note(lost, session, line, left);
      return apply ? left.text : undefined;
    });
  }
  return lost;
}

interface Remainder {
  readonly before?: TranscriptLine;
  readonly after?: TranscriptLine;
  readonly raw: string;
  readonly text: string;
}

function remainder(bytes: Buffer, scope: EraseScope, watch: SummaryWatch): Remainder | undefined {
  const raw = bytes.toString("utf8");
  const line = parseLine(bytes);
  if (line === "blank") return undefined;
  if (line === undefined) {
    // A line that a crash tore, also one in the middle of being forgotten.
    const id = /"id":"([^"]{1,64})"/.exec(raw.slice(0, 300))?.[1];
    const named = id !== undefined && scope.messages.has(id);
    return named || scope.matches(raw) ? { raw, text: "" } : undefined;
  }
  const after = watch.pass(remainderOf(line, raw, scope));
  if (after === line) return undefined;
  return { before: line, after, raw, text: fitting(after, bytes.length) };
}

/** A very short line may have no room for the mark that it was forgotten; it is empty all the same. */
function fitting(line: TranscriptLine, length: number): string {
  const text = JSON.stringify(line);
  if (Buffer.byteLength(text) <= length) return text;
  const { meta: _, ...bare } = line;
  return JSON.stringify(bare);
}

function note(lost: ErasedLines, session: string, line: number, { before, after, raw }: Remainder): void {
  lost.sessions.add(session);
  if (!before || !after) {
    lost.lines.push({ session, line, what: "damaged", text: raw, ts: 0 });
    return;
  }
  const { ts, id, run, i } = before;
  const gone = isForgotten(after);
  const what = !gone ? whatLost(before) : before.origin === "recalled" ? "recalled" : whatWent(before);
  lost.lines.push({ session, line, what, text: shownText(before, after, what), ts });
  if (what === "summary") lost.summaries.add(id);
  if (!gone) {
    for (const [at, block] of before.blocks.entries()) {
      if (!("callId" in block) || JSON.stringify(block) === JSON.stringify(after.blocks[at])) continue;
      lost.calls.add(block.callId);
      for (const blobId of blobsIn({ blocks: [block] })) lost.blobs.add(blobId);
    }
    return;
  }
  lost.messages.push(before);
  lost.places.add(`${run}/${i}`);
  for (const callId of callsIn(before)) lost.calls.add(callId);
  for (const block of before.blocks) if (block.type === "tool_result") lost.calls.add(block.callId);
  for (const blobId of blobsIn(before)) lost.blobs.add(blobId);
  if (before.blocks.some((block) => block.type === "compaction")) lost.summaries.add(id);
}

/** What a person wrote or was told is a message; the rest of a conversation is between Elwood and the model. */
function whatWent(before: TranscriptLine): "message" | "summary" | "call" {
  const { role, origin, blocks } = before;
  const shown = role === "assistant" || (origin !== "tool" && origin !== "gateway");
  const says = blocks.some(({ type }) => type === "image" || type === "file") || textOf(before) !== "";
  return shown && says ? "message" : whatLost(before);
}

/** How it reads to a person. */
function shownText(before: TranscriptLine, after: TranscriptLine, what: ErasedLine["what"]): string {
  const text = textOf(before);
  if (what === "recalled") return recalledForPeople(text);
  if (what !== "call") return text === "" ? wordsIn(before).join(" ") : text;
  const gone = before.blocks.filter((block, at) => block !== after.blocks[at] && "callId" in block);
  return wordsIn({ blocks: gone }).map(resultForPeople).join(" ");
}

function whatLost(before: TranscriptLine): "summary" | "call" {
  return before.blocks.some((block) => block.type === "compaction") ? "summary" : "call";
}
