import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { toTranscriptLines, type Message } from "@elwood/core/message/message";
import { uncited } from "@elwood/core/message/reply-segments";
import { isEnded, type Session } from "@elwood/core/message/session";
import { cutLine } from "@elwood/core/message/session-text";
import type { Clock, Ids, Stores } from "@elwood/runtime/ports/ports";
import { sessionMessages } from "@elwood/runtime/run/transcript-view";
import type { CopiedRun, ForkStore } from "@elwood/store-sqlite/fork-store";

export interface ForkDeps {
  readonly stores: Stores;
  readonly forks: ForkStore;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Ids;
}

/**
 * Copies a session up to one of its runs, with it or before it, into a new one. Messages keep
 * the names of the runs they came from, so that their receipts are still found; receipts,
 * approvals and grants are not copied. Calls of the new session are numbered from one, so what
 * a copied reply cites is text there and nothing more.
 */
export async function forkSession(
  { stores, forks, clock, ids }: ForkDeps,
  tenant: string,
  session: Session,
  at: { readonly runId: string; readonly include: boolean },
): Promise<Session> {
  const runs = cutAt(await runsOf(stores, tenant, session.id, at.runId), at);
  await mustHaveEnded(stores, tenant, session.id, runs);
  const id = ids.next("session");
  const now = clock.now();
  await forks.begin(tenant, id, now);
  try {
    await stores.transcripts.save(
      tenant,
      id,
      runs.flatMap(({ runId, messages }) => toTranscriptLines(runId, messages)),
    );
    return await forks.finish(tenant, {
      id,
      from: session,
      atRun: at.runId,
      ...titleOf(session, runs),
      runs,
      at: now,
    });
  } catch (error) {
    await stores.transcripts.remove(tenant, id);
    await forks.forget(tenant, id);
    throw error;
  }
}

/** Removes what a crash left of copies: their files, and the notes about them. */
export async function sweepForks(
  { stores, forks, clock }: Omit<ForkDeps, "ids">,
  tenant: string,
): Promise<number> {
  const left = await forks.abandoned(tenant, clock.now() - LIMITS.forkMs);
  for (const sessionId of left) {
    await stores.transcripts.remove(tenant, sessionId);
    await forks.forget(tenant, sessionId);
  }
  return left.length;
}

/** In the order in which they stand in the conversation; of versions those that lead to the run. */
async function runsOf(
  stores: Stores,
  tenant: string,
  sessionId: string,
  through: string,
): Promise<CopiedRun[]> {
  const { messages } = await sessionMessages(stores, tenant, sessionId, through);
  if (messages.length > LIMITS.forkMessagesMax)
    fail(
      "INVALID_INPUT",
      `This session has more than ${LIMITS.forkMessagesMax} messages and cannot be forked. Nothing was copied.`,
    );
  const byRun = Map.groupBy(messages, ({ runId }) => runId);
  return [...byRun].map(([runId, of]) => ({
    runId,
    messages: of.map(({ message }) => withoutCites(message)),
  }));
}

function withoutCites(message: Message): Message {
  const segments = uncited(message);
  return segments ? { ...message, meta: { ...message.meta, segments: [...segments] } } : message;
}

function cutAt(runs: readonly CopiedRun[], at: { runId: string; include: boolean }): readonly CopiedRun[] {
  const index = runs.findIndex(({ runId }) => runId === at.runId);
  if (index < 0) fail("NOT_FOUND", `There is no run ${at.runId} in this session. Nothing was copied.`);
  return runs.slice(0, at.include ? index + 1 : index);
}

async function mustHaveEnded(
  stores: Stores,
  tenant: string,
  sessionId: string,
  runs: readonly CopiedRun[],
): Promise<void> {
  const open = (await stores.runs.unfinished(tenant, sessionId)).filter(({ status }) => !isEnded(status));
  const copied = new Set(runs.map(({ runId }) => runId));
  if (open.some(({ id }) => copied.has(id)))
    fail(
      "CONFLICT",
      "What is to be copied is still being answered. Nothing was copied; stop it, or wait for its end.",
    );
}

const SUFFIX = " (fork)";

function titleOf({ title, titledBy }: Session, runs: readonly CopiedRun[]) {
  if (runs.length === 0) return { title: "New session", titledBy: "default" as const };
  const bare = title.endsWith(SUFFIX) ? title.slice(0, -SUFFIX.length) : title;
  return { title: `${cutLine(bare, LIMITS.titleCharsMax - SUFFIX.length)}${SUFFIX}`, titledBy };
}
