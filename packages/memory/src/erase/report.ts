import type { EraseTarget } from "@elwood/core/erase/scope";
import type { WireForgetReport } from "@elwood/core/protocol/memory-shapes";
import { LIMITS } from "@elwood/core/base/limits";
import { foldCase } from "@elwood/core/message/session-text";
import type { Found } from "@elwood/store-sqlite/find-rows-to-erase";
import type { BytesSearched } from "./bytes.ts";
import type { ErasedLines } from "./conversations.ts";
import type { ErasedNoteLine } from "./note-files.ts";

/** Everything that goes, or went. */
export interface ErasedCounts {
  readonly target: EraseTarget;
  readonly notes: readonly ErasedNoteLine[];
  readonly conversations: ErasedLines;
  readonly found: Found;
  /** Copies that the file tools keep for undoing, by their paths. */
  readonly copies: readonly string[];
  readonly backups: readonly string[];
  readonly blobs: readonly string[];
}

export const OUT_OF_REACH: readonly string[] = [
  "copies and backups that were made of the state directory, also by a file system that keeps old versions",
  "what was sent to a model's provider, or anywhere else, before",
  "what the log wrote to a terminal or to the system's journal",
];

type Counts = WireForgetReport["removed"];
type Place = WireForgetReport["places"][number];

export function countsOf({
  target,
  notes,
  conversations,
  found,
  copies,
  backups,
  blobs,
}: ErasedCounts): Counts {
  const kinds = Map.groupBy(conversations.lines, ({ what }) => what);
  const count = (what: string) => [...kinds].find(([kind]) => kind === what)?.[1].length ?? 0;
  return {
    notes: new Set(notes.map(({ source }) => source)).size,
    noteLines: notes.length,
    sessions: target.sessions.length,
    messages: count("message") + count("damaged") + (target.kind === "session" ? target.messages.length : 0),
    recalls: count("recalled"),
    summaries: count("summary"),
    calls: found.calls.length,
    approvals: found.approvals.length,
    bodies: found.bodies.length,
    grants: found.grants.length,
    titles: found.titles.length + found.previews.length,
    files: blobs.length,
    copies: copies.length + found.copies.length,
    backups: backups.length,
    ...(found.jobs.length === 0 ? {} : { jobs: found.jobs.length }),
  };
}

/** How many things a person would count: what a word's confirmation names. */
export function totalOf({
  noteLines,
  messages,
  recalls,
  summaries,
  calls,
  grants,
  titles,
  files,
  sessions,
  jobs = 0,
}: Counts) {
  return noteLines + messages + recalls + summaries + calls + grants + titles + files + sessions + jobs;
}

export function placesOf({ notes, conversations }: ErasedCounts, tenant: string): Place[] {
  const inNotes = notes.map(({ source, line, text }): Place => ({
    kind: "note",
    source,
    line,
    text: shown(text),
  }));
  const said = conversations.lines.map(({ session, line, what, text, ts }): Place => ({
    kind: what === "damaged" ? "message" : what,
    source: `sessions/${tenant}/${session}.jsonl`,
    line,
    text: shown(text),
    sessionKey: session,
    ts,
  }));
  return [...inNotes, ...said].slice(0, LIMITS.forgetPlacesMax);
}

const TEXT_CHARS_MAX = 200;

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= TEXT_CHARS_MAX ? line : `${line.slice(0, TEXT_CHARS_MAX - 1).toWellFormed()}…`;
}

const FORMS_MAX = 20;

/** The words that hold the word: what else would go because it is a part of it. */
export function formsIn({ notes, conversations }: ErasedCounts, word: string): string[] {
  const wanted = foldCase(word);
  const forms = new Set<string>();
  for (const { text } of [...notes, ...conversations.lines]) {
    for (const [found] of text.matchAll(/[\p{L}\p{N}\p{M}'’_-]+/gu))
      if (foldCase(found).includes(wanted)) forms.add(found.toLowerCase());
    if (forms.size >= FORMS_MAX) break;
  }
  return [...forms].slice(0, FORMS_MAX);
}

/** Those of the signed log. */
const LOG_TABLES: ReadonlySet<string> = new Set(["receipts_by_number", "receipts_by_tenant", "checkpoints"]);

/** What was found in the bytes afterwards, in words. */
export function remainsOf(
  searched: BytesSearched,
  tables: readonly { readonly table: string; readonly rows: number }[],
): WireForgetReport["still"] {
  const isLog = ({ table }: { readonly table: string }) => LOG_TABLES.has(table);
  const inReceipts = tables.filter(isLog);
  const others = tables.filter((each) => !isLog(each));
  return searched.found.map(({ path, times }) => {
    const database = path.startsWith("elwood.db");
    const rows = [...others, ...inReceipts].map(({ table, rows: n }) => `${table} (${n})`);
    const why = database
      ? inReceipts.length > 0 && others.length === 0
        ? "in receipts, which can neither be changed nor removed"
        : rows.length > 0
          ? `in rows that were not to go: ${rows.join(", ")}`
          : "in bytes that belong to no row"
      : whyIn(path);
    return { path, times, why };
  });
}

function whyIn(path: string): string {
  if (path.startsWith("backups/"))
    return "a copy of the database from before an update; delete it once you do not need it";
  if (path.startsWith("replaced-")) return "put aside by a restore; delete it once you do not need it";
  if (path.startsWith("workspace/") || path.startsWith("files/") || path === "config.yaml")
    return "a file of yours, which is not touched";
  if (path.startsWith("sessions/")) return "the same words stand in other messages";
  if (path.startsWith("memory/")) return "the same words stand in a note";
  if (path.startsWith("memory.db")) return "the index of what stands elsewhere";
  return "not expected here";
}
