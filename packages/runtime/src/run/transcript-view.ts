import type { Message, TranscriptLine } from "@elwood/core/message/message";
import { lineThrough } from "@elwood/core/message/run-tree";
import type { Damage, Stores } from "../ports/ports.ts";
import { toMessage, type RecentTranscripts } from "./recent-transcripts.ts";

export interface SessionMessage {
  readonly runId: string;
  readonly message: Message;
}

/**
 * A session's messages in order: those in the transcript file, then those of runs that
 * ended but could not be written yet, then those of unfinished runs, with the answer
 * being written as far as it is on disk. Of versions it has those that are shown, or with
 * `through` those that lead to this run, and what continued it last.
 */
export async function sessionMessages(
  stores: Stores,
  tenant: string,
  sessionId: string,
  through?: string,
): Promise<{ messages: SessionMessage[]; damage: readonly Damage[] }> {
  // Asked before the file is read: a run that is committed in between is then in both, never in neither.
  const uncommitted = await stores.runs.uncommitted(tenant, sessionId);
  const unfinished = await stores.runs.unfinished(tenant, sessionId);
  const pendingIds = [...uncommitted.map(({ run }) => run.id), ...unfinished.map((run) => run.id)];
  const pending = await Promise.all(
    pendingIds.map(async (runId) => ({ runId, journal: await stores.runs.journal(tenant, runId) })),
  );
  const { lines, damage } = await stores.transcripts.load(tenant, sessionId);
  // A run that is still to be written may stand in the file in part; the journal has it whole.
  const written = wholeRuns(lines);
  const shown = lines.filter((line) => written.has(line.run) || !pendingIds.includes(line.run));
  const messages = shown.map((line) => ({ runId: line.run, message: toMessage(line) }));
  for (const { runId, journal } of pending) {
    if (written.has(runId)) continue;
    for (const message of journal.steps) messages.push({ runId, message });
  }
  return { messages: await onOneLine(stores, tenant, sessionId, messages, through), damage };
}

/** A run that is accepted later may stand in the file earlier: with versions, they come as they continue each other. */
async function onOneLine(
  { runs }: Stores,
  tenant: string,
  sessionId: string,
  messages: SessionMessage[],
  through: string | undefined,
): Promise<SessionMessage[]> {
  const tree = await runs.tree(tenant, sessionId);
  if (tree.length === 0) return messages;
  const line = through === undefined ? undefined : lineThrough(tree, through);
  const byRun = Map.groupBy(messages, ({ runId }) => runId);
  const known = tree.filter(({ runId, shown }) => line?.has(runId) ?? shown);
  const inTree = new Set(tree.map(({ runId }) => runId));
  const later = [...byRun.keys()].filter((runId) => !inTree.has(runId));
  return [...known.map(({ runId }) => runId), ...later].flatMap((runId) => byRun.get(runId) ?? []);
}

/** The messages before a given run, as the model should know them. */
export async function keptMessages(
  stores: Stores,
  recent: RecentTranscripts,
  tenant: string,
  sessionId: string,
  beforeRunId: string,
): Promise<Message[]> {
  const uncommitted = (await stores.runs.uncommitted(tenant, sessionId)).filter(
    ({ run }) => run.id !== beforeRunId,
  );
  const hidden = await stores.runs.hidden(tenant, sessionId);
  const { messages, runs } = await recent.messages(tenant, sessionId);
  const inFile = hidden.size === 0 ? messages : messages.filter((_, i) => !hidden.has(runs[i]!));
  if (uncommitted.length === 0) return [...inFile];
  // What of them may stand in the file already is in the journal too, whole.
  const shown = uncommitted.filter(({ run }) => !hidden.has(run.id));
  const journals = await Promise.all(shown.map(({ run }) => stores.runs.journal(tenant, run.id)));
  const pending = journals.flatMap((journal) => journal.steps);
  const known = new Set(pending.map((message) => message.id));
  return [...inFile.filter((message) => !known.has(message.id)), ...pending];
}

/** Runs of which every line is there. */
function wholeRuns(lines: readonly TranscriptLine[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const whole = new Set<string>();
  for (const { run, n } of lines) {
    const count = (counts.get(run) ?? 0) + 1;
    counts.set(run, count);
    if (count >= n) whole.add(run);
  }
  return whole;
}
