import type { Message, TranscriptLine } from "@elwood/core/message";
import type { Damage, Stores } from "./ports.ts";

export interface SessionMessage {
  readonly runId: string;
  readonly message: Message;
}

/**
 * A session's messages in order: those in the transcript file, then those of runs that
 * ended but could not be written yet, then those of unfinished runs, with the answer
 * being written as far as it is on disk.
 */
export async function sessionMessages(
  stores: Stores,
  tenant: string,
  sessionId: string,
): Promise<{ messages: SessionMessage[]; damage: readonly Damage[] }> {
  // Asked before the file is read: a run that is committed in between is then in both, never in neither.
  const uncommitted = await stores.runs.uncommitted(tenant, sessionId);
  const unfinished = await stores.runs.unfinished(tenant, sessionId);
  const pendingIds = [...uncommitted.map(({ run }) => run.id), ...unfinished.map((run) => run.id)];
  const pending = await Promise.all(
    pendingIds.map(async (runId) => ({ runId, journal: await stores.runs.journal(tenant, runId) })),
  );
  const { lines, damage } = await stores.transcripts.load(tenant, sessionId);
  const inFile = new Set(lines.map((line) => line.run));
  const messages = lines.map((line) => ({ runId: line.run, message: toMessage(line) }));
  for (const { runId, journal } of pending) {
    if (inFile.has(runId)) continue;
    for (const message of journal.steps) messages.push({ runId, message });
  }
  return { messages, damage };
}

/** The messages before a given run, as the model should know them. */
export async function keptMessages(
  stores: Stores,
  tenant: string,
  sessionId: string,
  beforeRunId: string,
): Promise<Message[]> {
  const uncommitted = (await stores.runs.uncommitted(tenant, sessionId)).filter(
    ({ run }) => run.id !== beforeRunId,
  );
  const { lines } = await stores.transcripts.load(tenant, sessionId);
  const messages = lines.map(toMessage);
  const inFile = new Set(lines.map((line) => line.run));
  for (const { run } of uncommitted) {
    if (inFile.has(run.id)) continue;
    messages.push(...(await stores.runs.journal(tenant, run.id)).steps);
  }
  return messages;
}

function toMessage(line: TranscriptLine): Message {
  const { id, ts, role, origin, blocks, meta } = line;
  return { id, ts, role, origin, blocks, ...(meta ? { meta } : {}) };
}
