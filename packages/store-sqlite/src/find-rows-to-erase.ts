import { readStored } from "./stored-json.ts";
import type { ApprovalCard } from "@elwood/core/policy/approval";
import { remainderOf, type EraseScope, type EraseTarget } from "@elwood/core/erase/scope";
import { withoutSummaries } from "@elwood/core/erase/tombstone";
import { noteKey } from "@elwood/core/memory/note-key";
import type { Message } from "@elwood/core/message/message";
import { previewFrom, titleFrom } from "@elwood/core/message/session-text";
import { withoutContent } from "@elwood/runtime/channels/outbox-messages";
import type { Database } from "./database.ts";
import { ERASE_SQL } from "./erase-sql.ts";

export interface FindOptions {
  readonly target: EraseTarget;
  readonly scope: EraseScope;
  /** The forgotten messages as they were, for knowing again what was made of them. */
  readonly messages: readonly Message[];
}

/** What of the database is to be removed or emptied, by its keys. */
export interface Found {
  readonly steps: { readonly rowid: number; readonly message: string }[];
  readonly said: number[];
  readonly openings: { readonly rowid: number; readonly opening: string }[];
  readonly calls: string[];
  /** With what is left of their cards. */
  readonly approvals: { readonly id: string; readonly card: string }[];
  readonly bodies: string[];
  readonly grants: string[];
  readonly titles: string[];
  readonly previews: string[];
  readonly failures: string[];
  readonly requests: string[];
  readonly partials: string[];
  readonly copies: string[];
  readonly jobs: string[];
  /** Due times of jobs that say why something failed. */
  readonly occurrences: string[];
  readonly programs: string[];
  /** What is owed to chats, with what is left of its messages. */
  readonly owed: { readonly id: string; readonly messages: string }[];
  readonly pairings: { readonly channel: string; readonly senderId: string }[];
  /** Sessions that lose something. */
  readonly sessions: Set<string>;
  /** Calls that are emptied only because they hold it; conversations are to empty them too. */
  readonly moreCalls: string[];
}

/** Tools that hand out what lies in memory: what they said of it is a copy. */
const MEMORY_TOOLS = "memory.note.";

/** Goes through the database page by page, and lets others work in between. */
export async function findRowsToErase(db: Database, tenant: string, options: FindOptions): Promise<Found> {
  const { target, scope } = options;
  const { matches, everything } = scope;
  const gone = new Set(target.sessions);
  const said = new Set(target.said);
  const summaries = new Set(target.summaries);
  const found: Found = {
    steps: [],
    said: [],
    openings: [],
    calls: [],
    approvals: [],
    bodies: [],
    grants: [],
    titles: [],
    previews: [],
    failures: [],
    requests: [],
    partials: [],
    copies: [],
    jobs: [],
    occurrences: [],
    programs: [],
    owed: [],
    pairings: [],
    sessions: new Set(),
    moreCalls: [],
  };
  const keys = new Set(target.notes.filter(({ lines }) => !lines).map(({ source }) => keyOf(source)));
  const copied = (text: string | null) => text !== null && matches(text);

  for await (const row of paged((after) => db.all(ERASE_SQL.calls, tenant, after))) {
    if (gone.has(row.session_id)) continue;
    const named = scope.calls.has(row.id);
    const ofMemory = row.tool_id.startsWith(MEMORY_TOOLS);
    const { requested_input, executed_input, outcome } = row;
    const words = [requested_input, executed_input, outcome, row.target];
    const holdsIt = (everything || ofMemory) && words.some(copied);
    if (!named && !holdsIt && !(ofMemory && keys.has(keyAsked(requested_input)))) continue;
    if (isEmpty(row)) continue;
    found.calls.push(row.id);
    found.sessions.add(row.session_id);
    if (!named) found.moreCalls.push(row.id);
  }
  const wider: EraseScope = { ...scope, calls: new Set([...scope.calls, ...found.moreCalls]) };

  for await (const row of paged((after) => db.all(ERASE_SQL.steps, tenant, after))) {
    if (row.session_id !== null && gone.has(row.session_id)) continue;
    const message = left(row.message, wider, summaries);
    if (message === undefined) continue;
    found.steps.push({ rowid: row.rowid, message });
    if (row.session_id !== null) found.sessions.add(row.session_id);
    if (row.n === 0) found.requests.push(row.run_id);
  }
  for await (const row of paged((after) => db.all(ERASE_SQL.said, tenant, after))) {
    if (gone.has(row.session_id)) continue;
    if (!said.has(`${row.run_id}/${row.i}`) && !(everything && matches(row.text))) continue;
    found.said.push(row.rowid);
    found.sessions.add(row.session_id);
  }
  for await (const row of paged((after) => db.all(ERASE_SQL.openings, tenant, after))) {
    if (gone.has(row.session_id)) continue;
    const messages = readStored("messages", row.opening, "The beginning of a fork");
    const rest = messages.map((message) => remainderOf(message, JSON.stringify(message), wider));
    if (rest.every((message, i) => message === messages[i])) continue;
    found.openings.push({ rowid: row.rowid, opening: JSON.stringify(rest) });
    found.sessions.add(row.session_id);
  }
  const emptied = new Set([...scope.calls, ...found.calls]);
  for await (const row of paged((after) => db.all(ERASE_SQL.approvals, tenant, after))) {
    if (gone.has(row.session_id)) continue;
    if (!emptied.has(row.call_id) && ![row.card, row.note, row.edited_input].some(copied)) continue;
    const card = emptyCard(row.card);
    if (card === row.card && row.note === null && row.edited_input === null) continue;
    found.approvals.push({ id: row.id, card });
    found.sessions.add(row.session_id);
  }
  await findBodies(db, tenant, options, emptied, found);

  for (const { run_id, text } of db.all(ERASE_SQL.partials, tenant))
    if (matches(text)) found.partials.push(run_id);
  for (const { call_key, key, before } of db.all(ERASE_SQL.copies, tenant))
    if (keys.has(key) || copied(before) || (everything && matches(key))) found.copies.push(call_key);
  for (const { call_id, words } of db.all(ERASE_SQL.programs, tenant))
    if (emptied.has(call_id) || matches(words)) found.programs.push(call_id);
  for (const { id, session_id, failure, idempotency_key } of db.all(ERASE_SQL.runs, tenant)) {
    if (gone.has(session_id)) continue;
    if (copied(failure)) found.failures.push(id);
    if (everything && copied(idempotency_key)) found.requests.push(id);
  }
  if (everything)
    for (const { id, match, words } of db.all(ERASE_SQL.grants, tenant))
      if (copied(match) || matches(words)) found.grants.push(id);
  if (everything)
    for (const { id, name, message } of db.all(ERASE_SQL.scheduled, tenant))
      if (matches(name) || matches(message)) found.jobs.push(id);
  for (const { id, reason, delivery_problem } of db.all(ERASE_SQL.occurrences, tenant))
    if (copied(reason) || copied(delivery_problem)) found.occurrences.push(id);
  findOwed(db, tenant, options, found);
  findTitles(db, tenant, options, found);
  return found;
}

async function findBodies(
  db: Database,
  tenant: string,
  { target, scope }: FindOptions,
  calls: ReadonlySet<string>,
  found: Found,
): Promise<void> {
  const commits = new Set(
    db
      .all(ERASE_SQL.commitments, tenant, JSON.stringify([...calls]), JSON.stringify(target.runs))
      .map(({ commitment }) => commitment),
  );
  for (let after = ""; ;) {
    const page = db.all(ERASE_SQL.bodies, tenant, after);
    for (const { commitment, value } of page) if (scope.matches(value)) commits.add(commitment);
    const last = page.at(-1);
    if (!last) break;
    after = last.commitment;
    await aMoment();
  }
  found.bodies.push(...commits);
}

/** What was not sent yet is not sent; of what was, only the text goes that waits for being shown. */
function findOwed(db: Database, tenant: string, { scope, target }: FindOptions, found: Found): void {
  const runs = new Set(target.runs);
  for (const { id, run_id, messages, problem } of db.all(ERASE_SQL.owed, tenant)) {
    const stored = readStored("outboxMessages", messages, `What is owed to a chat (${id})`);
    const waits = stored.some(({ content }) => content !== undefined);
    const named = waits && run_id !== null && runs.has(run_id);
    if (!named && !scope.matches(messages) && !(problem !== null && scope.matches(problem))) continue;
    found.owed.push({ id, messages: JSON.stringify(stored.map(withoutContent)) });
  }
  if (!scope.everything) return;
  for (const { channel, sender_id: senderId, name } of db.all(ERASE_SQL.pairings, tenant))
    if (scope.matches(name)) found.pairings.push({ channel, senderId });
}

/** Titles and previews are made of first and last words. */
function findTitles(db: Database, tenant: string, options: FindOptions, found: Found): void {
  const { scope, messages, target } = options;
  // After a crash the messages are gone, but not what is looked for.
  const known = scope.everything ? [] : target.needles.texts.map(beginning);
  const titles = [...known, ...messages.flatMap((message) => titleFrom([message]) ?? []).map(beginning)];
  const previews = [...known, ...messages.flatMap((message) => previewFrom([message]) ?? []).map(beginning)];
  for (const { id, title, titled_by, preview } of db.all(ERASE_SQL.sessions, tenant)) {
    if (target.sessions.includes(id)) continue;
    const made = titled_by !== "default" && titles.some((words) => title.includes(words));
    if (made || (scope.everything && scope.matches(title))) found.titles.push(id);
    const shown = preview !== "" && previews.some((words) => preview.includes(words));
    if (shown || (scope.everything && scope.matches(preview))) found.previews.push(id);
  }
  for (const id of [...found.titles, ...found.previews]) found.sessions.add(id);
}

const BEGINNING_CHARS = 30;

function beginning(words: string): string {
  return words.replace(/…$/u, "").slice(0, BEGINNING_CHARS);
}

/** What is left of a message in the journal; undefined where nothing changes. */
function left(raw: string, scope: EraseScope, summaries: ReadonlySet<string>): string | undefined {
  const message = readStored("message", raw, "A step of a run");
  const rest = remainderOf(message, raw, scope);
  const covers = summaries.has(message.id) && rest.blocks.some(isSummary);
  const whole = covers ? withoutSummaries(rest) : rest;
  return whole === message ? undefined : JSON.stringify(whole);
}

function isSummary(block: Message["blocks"][number]): boolean {
  return block.type === "compaction" && block.summary !== "";
}

function isEmpty(row: {
  readonly requested_input: string;
  readonly executed_input: string | null;
  readonly target: string | null;
  readonly outcome: string | null;
}): boolean {
  const { requested_input, executed_input, target, outcome } = row;
  const nothing = outcome === null || /^\{"status":"(?:ok|error)","text":""\}$/.test(outcome);
  return requested_input === "{}" && executed_input === null && target === null && nothing;
}

/** That something was asked, by which rule, stays; what was asked does not. */
function emptyCard(text: string): string {
  const stored = readStored("card", text, "The card of an approval");
  const { kind, toolId, risk, rule, decisions, showable } = stored;
  const card: ApprovalCard = {
    kind,
    toolId,
    summary: toolId,
    input: {},
    risk,
    rule,
    reason: "",
    sources: [],
    decisions,
    showable,
  };
  return JSON.stringify(card);
}

/** The note that a call of memory names; what it held before is not what it holds now. */
function keyAsked(input: string): string {
  const value = readStored("anything", input, "The input of a call");
  const key = typeof value === "object" && value !== null && "key" in value ? value.key : undefined;
  const plain = typeof key === "string" ? noteKey(key) : undefined;
  return plain?.ok ? plain.value : "";
}

function keyOf(source: string): string {
  const key = noteKey(/([^/]+)\.md$/.exec(source)?.[1] ?? source);
  return key.ok ? key.value : source;
}

async function* paged<Row extends { readonly rowid: number }>(
  page: (after: number) => Row[],
): AsyncGenerator<Row> {
  for (let after = -1; ;) {
    const rows = page(after);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.rowid;
    await aMoment();
  }
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
