import { askedText } from "./asked-text.ts";
import type { ChatDesk } from "./chat-desk.ts";
import type { TurnActions } from "./message-item.ts";
import type { Turn } from "./turn.ts";

/**
 * What a reader may do with a turn. What was said stays: another question, or another
 * answer, goes into a branch that begins before the turn.
 */
export function turnActions(desk: ChatDesk): TurnActions {
  let busy = false;
  /** Whoever presses twice wants one branch, and one answer to pay for. */
  const branchOnce = async (turn: Turn, include: boolean) => {
    if (busy) return undefined;
    busy = true;
    try {
      const sessionKey = await branch(desk, turn, include);
      if (sessionKey !== undefined) open(desk, sessionKey);
      return sessionKey;
    } finally {
      busy = false;
    }
  };
  return {
    edits: desk.edits,
    resend: async (turn, text) => {
      if ((await branchOnce(turn, false)) === undefined) return false;
      const refusal = desk.send({ text, files: filesOf(turn) });
      if (refusal !== undefined) desk.problem.set(refusal);
      return true;
    },
    again: (turn) => sendAgain(desk, turn),
    otherModel: async (turn, button) => {
      const { openModelMenu } = await import("./model-menu.ts");
      openModelMenu(desk, button, () => sendAgain(desk, turn));
    },
    fork: async (turn) => {
      await branchOnce(turn, true);
    },
    forget:
      desk.app.link.has("memory.forget") && desk.app.link.may("approve")
        ? (turn, messageId) => forget(desk, turn, messageId)
        : undefined,
  };
}

/** The same message once more, in the same session: nothing came of the first. */
function sendAgain(desk: ChatDesk, turn: Turn): void {
  const refusal = desk.send({ text: askedText(turn), files: filesOf(turn) });
  if (refusal !== undefined) desk.problem.set(refusal);
}

/** What is forgotten tells the page by itself. */
async function forget({ app, open }: ChatDesk, { runId }: Turn, messageId?: string): Promise<void> {
  const { sessionKey } = open.value;
  const { forgetDialog } = await import("../../parts/forget/forget-dialog.ts");
  if (messageId !== undefined)
    await forgetDialog(app, "Forget this message for good?", { turn: { sessionKey, messageId } });
  else if (runId !== undefined)
    await forgetDialog(app, "Forget question and answer for good?", { turn: { sessionKey, runId } });
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
