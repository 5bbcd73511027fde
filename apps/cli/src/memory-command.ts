import { fail, FailureError } from "@elwood/core/base/failure";
import type {
  WireFact,
  WireMemoryHit,
  WireMemoryStatus,
  WireNote,
} from "@elwood/core/protocol/memory-shapes";
import { plainLine } from "@elwood/core/message/session-text";
import { findSession } from "./find-session.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { paintFor } from "./paint.ts";
import type { SessionsDeps } from "./sessions-command.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { LIMITS } from "@elwood/core/base/limits";
import type { GatewayClient } from "@elwood/sdk/client";
import { editText } from "./editor.ts";
import { agoText, gatewayText, say, sayCount, timeText } from "./words/say.ts";

interface Json {
  readonly json: boolean;
}

const COLUMNS = [
  { title: "NOTE" },
  { title: "BEGINS WITH", flexible: true },
  { title: "CHANGED" },
  { title: "BYTES", align: "right" },
] as const;

/** `elwood memory list` */
export async function listNotes(io: Io, deps: SessionsDeps, { json }: Json): Promise<number> {
  const { notes } = await deps.client.call("memory.list", {});
  if (json) {
    io.stdout.write(`${JSON.stringify({ notes })}\n`);
    return EXIT.ok;
  }
  if (notes.length === 0) {
    io.stdout.write(
      `${say(io, "There are no notes yet. Write one with: {0} memory edit <note>", ownName(io.env))}\n`,
    );
    return EXIT.ok;
  }
  const now = deps.clock.now();
  const rows = notes.map(({ key, preview, modifiedAt, bytes }) => [
    key,
    plainLine(preview),
    agoText(io, modifiedAt, now, deps.timeZone),
    String(bytes),
  ]);
  io.stdout.write(table(io, COLUMNS, rows));
  return EXIT.ok;
}

/** `elwood memory search <words>` */
export async function searchMemory(
  io: Io,
  deps: SessionsDeps,
  options: Json & { readonly words: string; readonly limit?: number; readonly session?: string },
): Promise<number> {
  const query = options.words.trim();
  if (query === "") fail("INVALID_INPUT", "Write what to look for: elwood memory search <words>");
  const session =
    options.session === undefined ? undefined : (await findSession(deps.client, options.session)).sessionKey;
  const { hits, notice } = await deps.client.call("memory.search", {
    query,
    ...(options.limit === undefined ? {} : { limit: options.limit }),
    ...(session === undefined ? {} : { sessionKey: session }),
  });
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ query, hits, ...(notice === undefined ? {} : { notice }) })}\n`);
    return EXIT.ok;
  }
  if (notice !== undefined) io.stderr.write(`${visibleText(notice)}\n`);
  if (hits.length === 0) {
    io.stdout.write(`${say(io, "Nothing in memory fits that. Fewer or other words may find more.")}\n`);
    return EXIT.ok;
  }
  const paint = paintFor(io);
  for (const hit of hits) {
    const when = agoText(io, hit.ts, deps.clock.now(), deps.timeZone);
    const whose = hit.origin === "untrusted" ? say(io, "{0}, from others", hit.speaker) : hit.speaker;
    io.stdout.write(
      `${paint("bold", visibleText(`${hit.source}#${hit.line}`))} ${paint("dim", `· ${whose}, ${when} · ${scoreOf(hit)}`)}\n`,
    );
    for (const line of visibleText(hit.text).split("\n")) io.stdout.write(`    ${line}\n`);
    if (hit.remark !== undefined) io.stdout.write(`    ${paint("dim", visibleText(hit.remark))}\n`);
  }
  return EXIT.ok;
}

/** What counted most, first. */
function scoreOf({ score, parts }: WireMemoryHit): string {
  const most = Object.entries(parts)
    .filter(([, value]) => Math.abs(value) >= 0.05)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, 3)
    .map(([name, value]) => `${name} ${value.toFixed(1)}`);
  return [score.toFixed(1), ...(most.length > 0 ? [`(${most.join(", ")})`] : [])].join(" ");
}

/** `elwood memory show <note>`: a note, or the line that a search named. */
export async function showMemory(
  io: Io,
  deps: SessionsDeps,
  { note: wanted, json }: Json & { readonly note: string },
): Promise<number> {
  const place = placeOf(wanted);
  const found = await deps.client.call(
    "memory.show",
    place
      ? { source: place.source, ...(place.line === undefined ? {} : { from: place.line, to: place.line }) }
      : { key: wanted },
  );
  if (json) {
    io.stdout.write(`${JSON.stringify(found)}\n`);
    return EXIT.ok;
  }
  if (found.note) writeNote(io, deps, found.note);
  for (const turn of found.turns ?? []) {
    const head = `${turn.source}#${turn.line} · ${turn.speaker}, ${timeText(io, turn.ts, deps.timeZone)}`;
    io.stdout.write(`${paintFor(io)("bold", visibleText(head))}\n${visibleText(turn.text)}\n`);
  }
  return EXIT.ok;
}

/** `memory/default/home.md#4`, with its line where it has one. */
export function placeOf(text: string): { readonly source: string; readonly line?: number } | undefined {
  const match = /^((?:memory|sessions)\/[^#]+?)(?:#(\d+))?$/.exec(text);
  if (!match) return undefined;
  return { source: match[1]!, ...(match[2] === undefined ? {} : { line: Number(match[2]) }) };
}

function writeNote(io: Io, deps: SessionsDeps, note: WireNote): void {
  const paint = paintFor(io);
  const facts = new Map(note.facts.map((fact) => [fact.line, fact]));
  io.stderr.write(
    `${say(io, "{0}, changed {1}", note.source, timeText(io, note.modifiedAt, deps.timeZone))}\n`,
  );
  for (const { line, text, origin } of note.lines) {
    const whose =
      origin === "owner"
        ? ""
        : origin === "agent"
          ? `  ${say(io, "(the assistant's words)")}`
          : `  ${say(io, "(may be from others)")}`;
    const fact = facts.get(line);
    const about = fact ? factWords(io, fact, note.source) : "";
    io.stdout.write(`${visibleText(text)}${paint("dim", whose + visibleText(about))}\n`);
  }
}

function factWords(io: Io, { holds, supersededBy, against }: WireFact, source: string): string {
  const ended = holds
    ? ""
    : supersededBy === undefined
      ? `  ${say(io, "(no longer holds)")}`
      : `  ${say(io, "(replaced by line {0})", supersededBy)}`;
  const others = (against ?? []).map((other) =>
    other.source === source
      ? say(io, "line {0} says: {1}", other.line, other.text)
      : say(io, "{0}#{1} says: {2}", other.source, other.line, other.text),
  );
  return `${ended}${others.length === 0 ? "" : `  (${others.join("; ")})`}`;
}

/** `elwood memory status` and `elwood memory rebuild` */
export async function memoryStatus(
  io: Io,
  deps: SessionsDeps,
  { json, rebuild }: Json & { readonly rebuild: boolean },
): Promise<number> {
  const status = await deps.client.call(rebuild ? "memory.rebuild" : "memory.status", {});
  if (json) {
    io.stdout.write(`${JSON.stringify(status)}\n`);
    return status.lastError === undefined ? EXIT.ok : EXIT.failed;
  }
  if (rebuild) io.stdout.write(`${say(io, "The index was rebuilt from the files.")}\n`);
  for (const line of statusLines(io, status, deps)) io.stdout.write(`${visibleText(line)}\n`);
  return status.lastError === undefined ? EXIT.ok : EXIT.failed;
}

function statusLines(io: Io, status: WireMemoryStatus, { clock, timeZone }: SessionsDeps): string[] {
  const { turns, conversations, notes, bytes, behind, rebuilding, lastSyncAt, lastError, skipped } = status;
  const waits =
    status.forgetting === 0
      ? []
      : [
          say(
            io,
            "To be forgotten: {0}, once a run is over",
            sayCount(io, status.forgetting, "1 thing", "{0} things"),
          ),
        ];
  if (!status.enabled)
    return [
      say(io, "Notes:      {0}", notes),
      say(io, "Index:      none; memory is turned off, or cannot be opened"),
      ...waits,
    ];
  const state = rebuilding
    ? say(io, "being rebuilt")
    : behind === 0
      ? say(io, "up to date")
      : say(io, "{0} behind", sayCount(io, behind, "1 file", "{0} files"));
  const since =
    lastSyncAt === undefined ? "" : say(io, ", checked {0}", agoText(io, lastSyncAt, clock.now(), timeZone));
  return [
    say(io, "Notes:      {0}", notes),
    say(io, "Index:      {0}{1}", state, since),
    say(
      io,
      "Holds:      {0} of {1} and the notes, {2} KB",
      sayCount(io, turns, "1 turn", "{0} turns"),
      sayCount(io, conversations, "1 conversation", "{0} conversations"),
      Math.ceil(bytes / 1024),
    ),
    ...(skipped === 0
      ? []
      : [say(io, "Left out:   {0} that hold no message", sayCount(io, skipped, "1 line", "{0} lines"))]),
    say(io, "Last error: {0}", lastError === undefined ? say(io, "none") : gatewayText(io, lastError)),
    ...waits,
    ...vectorLines(io, status.vectors),
  ];
}

function vectorLines(io: Io, vectors: WireMemoryStatus["vectors"]): string[] {
  if (!vectors) return [say(io, "By meaning: off; words only")];
  const { model, state, filled, turns, estimate, spent, capUsd, notice } = vectors;
  const part =
    filled === undefined || turns === undefined
      ? ""
      : say(io, ", {0} of {1}", filled, sayCount(io, turns, "1 turn", "{0} turns"));
  const usd = (amount: number) => `$${amount.toFixed(4)}`;
  return [
    say(io, "By meaning: {0}, {1}{2}", state, model, part),
    ...(estimate
      ? [`  ${say(io, "to send:  about {0} tokens, {1}", estimate.tokens, usd(estimate.usd))}`]
      : []),
    ...(spent
      ? [
          `  ${say(io, "spent:    {0} this month{1}", usd(spent.usd), capUsd === undefined ? "" : ` ${say(io, "of {0}", usd(capUsd))}`)}`,
        ]
      : []),
    ...(notice === undefined ? [] : [`  ${notice}`]),
  ];
}

/** `elwood memory edit <note>`: in the owner's editor, or from standard input. */
export async function editNote(
  io: Io,
  { client }: SessionsDeps,
  { note: key, json }: { readonly note: string; readonly json: boolean },
): Promise<number> {
  const before = await noteNow(client, key);
  const file = {
    name: `${key}.md`,
    text: before?.text ?? "",
    otherwise: say(io, "hand the text over: elwood memory edit <note> < file"),
  };
  const text = io.stdin.isTTY === true ? await editText(io, file) : await piped(io);
  if (text.trimEnd() === (before?.text ?? "").trimEnd()) {
    io.stdout.write(
      json ? `${JSON.stringify({ changed: false })}\n` : `${say(io, "Nothing was changed.")}\n`,
    );
    return EXIT.ok;
  }
  const expected = before?.sha256 ?? null;
  const saved = await client.call("memory.save", { key, content: text, expected });
  if (json) io.stdout.write(`${JSON.stringify(saved)}\n`);
  else {
    const secrets = saved.redacted ? ` ${say(io, "Secrets in it were left out.")}` : "";
    io.stdout.write(
      `${say(io, saved.created ? "Wrote the note {0}." : "Changed the note {0}.", saved.note.key)}${secrets}\n`,
    );
  }
  return EXIT.ok;
}

async function noteNow(client: GatewayClient, key: string) {
  try {
    return (await client.call("memory.show", { key })).note;
  } catch (error) {
    if (error instanceof FailureError && error.failure.reason === "NOT_FOUND") return undefined;
    throw error;
  }
}

async function piped(io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin) {
    const piece = Buffer.from(chunk as Uint8Array | string);
    bytes += piece.length;
    if (bytes > LIMITS.noteBytesMax)
      fail("INVALID_INPUT", `A note holds at most ${LIMITS.noteBytesMax} bytes. Nothing was saved.`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString("utf8");
}
