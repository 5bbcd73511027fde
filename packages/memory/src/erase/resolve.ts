import { fail } from "@elwood/core/base/failure";
import { textTerms, wordTerms } from "@elwood/core/erase/search-terms";
import type { EraseTarget } from "@elwood/core/erase/scope";
import { blobsIn, callsIn, isForgotten, wordsIn } from "@elwood/core/erase/tombstone";
import { LIMITS } from "@elwood/core/base/limits";
import { noteLines } from "@elwood/core/memory/note-line";
import type { TranscriptLine } from "@elwood/core/message/message";
import type { RunStore, SessionStore, TranscriptStore } from "@elwood/runtime/ports/ports";
import { sessionOf, transcriptSource } from "../index/list-sources.ts";
import type { Notes } from "../notes/notes.ts";

/** What somebody wants forgotten. */
export type EraseRequest =
  | { readonly kind: "note"; readonly key: string }
  /** One line of a note, as it reads now. */
  | { readonly kind: "line"; readonly key: string; readonly line: number; readonly text: string }
  /** One message, or with `run` everything of one run: what was asked, done and answered. */
  | { readonly kind: "turn"; readonly session: string; readonly message?: string; readonly run?: string }
  /** A line of a file of memory, as a search names it. */
  | { readonly kind: "place"; readonly source: string; readonly line: number }
  | { readonly kind: "session"; readonly session: string }
  | { readonly kind: "word"; readonly word: string };

export interface ResolveDeps {
  readonly notes: Notes;
  readonly sessions: Pick<SessionStore, "get">;
  readonly transcripts: Pick<TranscriptStore, "load">;
  readonly runs: Pick<RunStore, "get">;
}

/** Works out what exactly is meant, before anything is removed. */
export async function resolveTarget(
  deps: ResolveDeps,
  tenant: string,
  what: EraseRequest,
  backups: boolean,
): Promise<EraseTarget> {
  const nothing: Omit<EraseTarget, "kind" | "needles"> = {
    messages: [],
    calls: [],
    runs: [],
    sessions: [],
    notes: [],
    places: [],
    said: [],
    summaries: [],
    blobs: [],
    wordBlobs: [],
    backups,
  };
  switch (what.kind) {
    case "word":
      return { ...nothing, kind: "word", needles: wordTerms(checkedWord(what.word)) };
    case "note":
    case "line":
      return { ...nothing, ...(await noteTarget(deps, tenant, what)) };
    case "place": {
      const session = sessionOf(what.source);
      if (session !== undefined)
        return resolveTarget(deps, tenant, await turnAt(deps, tenant, session, what.line), backups);
      const key = /^memory\/[^/]+\/([^/]+)\.md$/.exec(what.source)?.[1];
      const text = key === undefined ? undefined : (await deps.notes.get(tenant, key))?.text;
      const line = text?.split("\n")[what.line - 1];
      if (key === undefined || line === undefined || line.trim() === "")
        return fail("NOT_FOUND", `${what.source} has no line ${what.line}. Nothing was forgotten.`);
      return resolveTarget(deps, tenant, { kind: "line", key, line: what.line, text: line }, backups);
    }
    case "turn":
      return { ...nothing, ...(await turnTarget(deps, tenant, what)) };
    case "session":
      return { ...nothing, ...(await sessionTarget(deps, tenant, what.session)) };
    default: {
      const never: never = what;
      throw new Error(`cannot forget ${JSON.stringify(never)}`);
    }
  }
}

function checkedWord(given: string): string {
  const word = given.trim();
  const { forgetWordCharsMin: min, forgetWordCharsMax: max } = LIMITS;
  if (Array.from(word).length < min && !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(word))
    fail(
      "INVALID_INPUT",
      `A word needs at least ${min} characters; shorter ones stand everywhere. Nothing was forgotten.`,
    );
  if (word.length > max)
    fail("INVALID_INPUT", `A word or phrase may have at most ${max} characters. Nothing was forgotten.`);
  return word;
}

type Partly = Pick<EraseTarget, "kind" | "needles"> & Partial<EraseTarget>;

async function noteTarget(
  { notes }: ResolveDeps,
  tenant: string,
  what: Extract<EraseRequest, { kind: "note" | "line" }>,
): Promise<Partly> {
  const note = await notes.get(tenant, what.key);
  if (!note) return fail("NOT_FOUND", `There is no note ${what.key}. Nothing was forgotten.`);
  const { source } = note;
  if (what.kind === "note")
    return {
      kind: "note",
      needles: textTerms(noteLines(note.text)),
      notes: [{ source }],
      places: [source],
    };
  const line = note.text.split("\n")[what.line - 1];
  if (line === undefined || line.trim() === "" || line.trim() !== what.text.trim())
    return fail(
      "NOT_FOUND",
      `Line ${what.line} of the note ${what.key} does not say that (any more). Nothing was forgotten; look at the note again.`,
    );
  const needles = textTerms(noteLines(line));
  return { kind: "line", needles, notes: [{ source, lines: [line] }], places: [`${source}#${what.line}`] };
}

async function linesOf({ sessions, transcripts }: ResolveDeps, tenant: string, session: string) {
  const { lines } = await transcripts.load(tenant, session);
  if (lines.length === 0 && !(await sessions.get(tenant, session)))
    return fail("NOT_FOUND", `There is no session ${session}. Nothing was forgotten.`);
  return lines;
}

async function turnAt(
  deps: ResolveDeps,
  tenant: string,
  session: string,
  line: number,
): Promise<EraseRequest> {
  const { lines, damage } = await deps.transcripts.load(tenant, session);
  // Lines that cannot be read are not among those that were, but count.
  const broken = damage.filter((each) => each.line < line).length;
  const found = lines[line - 1 - broken];
  if (!found) return fail("NOT_FOUND", `The session ${session} has no line ${line}. Nothing was forgotten.`);
  return { kind: "turn", session, message: found.id };
}

async function turnTarget(
  deps: ResolveDeps,
  tenant: string,
  { session, message, run }: Extract<EraseRequest, { kind: "turn" }>,
): Promise<Partly> {
  const lines = await linesOf(deps, tenant, session);
  const chosen = lines.filter((line) => (message === undefined ? line.run === run : line.id === message));
  if (chosen.length === 0)
    return fail("NOT_FOUND", "There is no such message in this session. Nothing was forgotten.");
  if (chosen.every(isForgotten))
    return fail("NOT_FOUND", "That was forgotten before. Nothing is left to forget.");
  return {
    kind: "turn",
    ...contentOf(chosen),
    runs: message === undefined && run !== undefined ? [run] : [],
  };
}

async function sessionTarget(deps: ResolveDeps, tenant: string, session: string): Promise<Partly> {
  const lines = await linesOf(deps, tenant, session);
  // What was copied into it belongs to another session, and stays there.
  const own = new Set<string>();
  for (const run of new Set(lines.map((line) => line.run)))
    if ((await deps.runs.get(tenant, run))?.sessionId === session) own.add(run);
  const ownLines = lines.filter((line) => own.has(line.run));
  return {
    kind: "session",
    ...contentOf(ownLines),
    runs: [...own],
    sessions: [session],
    places: [transcriptSource(tenant, session)],
  };
}

/** Looked for is what people said, where they did: a model says many things alike. */
function contentOf(lines: readonly TranscriptLine[]) {
  const spoken = lines.filter(({ origin, role }) => origin !== "recalled" && role === "user");
  return {
    messages: lines.map(({ id }) => id),
    calls: [...new Set(lines.flatMap(callsIn))],
    blobs: [...new Set(lines.flatMap(blobsIn))],
    needles: textTerms((spoken.length > 0 ? spoken : lines).flatMap(wordsIn)),
  };
}
