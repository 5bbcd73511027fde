import type { ChatDesk } from "./chat-desk.ts";
import type { TurnActions } from "./message-item.ts";
import type { Turn } from "./turn.ts";

/**
 * What a reader may do with a turn. What was said stays: another question, or another
 * answer, goes into a branch that begins before the turn.
 */
export function turnActions(desk: ChatDesk): TurnActions {
  return {
    resend: async (turn, text) => {
      const sessionKey = await branch(desk, turn, false);
      if (sessionKey === undefined) return;
      open(desk, sessionKey);
      const refusal = desk.send({ text, files: filesOf(turn) });
      if (refusal !== undefined) desk.problem.set(refusal);
    },
    fork: async (turn) => {
      const sessionKey = await branch(desk, turn, true);
      if (sessionKey !== undefined) open(desk, sessionKey);
    },
  };
}

async function branch(
  { app, models, open: { value } }: ChatDesk,
  { runId }: Turn,
  include: boolean,
): Promise<string | undefined> {
  if (runId === undefined) return undefined;
  const { sessionKey } = value;
  const made = await app.attempt(() => app.link.request("sessions.fork", { sessionKey, runId, include }));
  if (made) models.hand(sessionKey, made.session.sessionKey);
  return made?.session.sessionKey;
}

function open(desk: ChatDesk, sessionKey: string): void {
  desk.show(sessionKey);
  desk.app.router.go(`/c/${encodeURIComponent(sessionKey)}`);
  desk.app.announce("A branch of the session is open.");
}

function filesOf({ asked }: Turn): { name: string; mime: string; blobId: string }[] {
  return asked.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.type === "image" || block.type === "file"
        ? [{ name: block.name ?? "picture", mime: block.mime, blobId: block.blobId }]
        : [],
    ),
  );
}
