import { askedText } from "./asked-text.ts";
import type { ChatState } from "./chat-state.ts";
import type { TurnActions } from "./message-item.ts";
import type { Turn } from "@elwood/sdk/view-state/turn";

/**
 * What a reader may do with a turn. What was said stays: another question, or another
 * answer, goes into a branch that begins before the turn.
 */
export function turnActions(chat: ChatState): TurnActions {
  let busy = false;
  /** Whoever presses twice wants one branch, and one answer to pay for. */
  const branchOnce = async (turn: Turn, include: boolean) => {
    if (busy) return undefined;
    busy = true;
    try {
      const sessionKey = await branch(chat, turn, include);
      if (sessionKey !== undefined) open(chat, sessionKey);
      return sessionKey;
    } finally {
      busy = false;
    }
  };
  return {
    edits: chat.edits,
    resend: async (turn, text) => {
      if ((await branchOnce(turn, false)) === undefined) return false;
      const refusal = chat.send({ text, files: filesOf(turn) });
      if (refusal !== undefined) chat.problem.set(refusal);
      return true;
    },
    again: (turn) => sendAgain(chat, turn),
    otherModel: async (turn, button) => {
      const { openModelMenu } = await import("./model-menu.ts");
      openModelMenu(chat, button, () => sendAgain(chat, turn));
    },
    fork: async (turn) => {
      await branchOnce(turn, true);
    },
    forget:
      chat.app.link.has("memory.forget") && chat.app.link.may("approve")
        ? (turn, messageId) => forget(chat, turn, messageId)
        : undefined,
  };
}

/** The same message once more, in the same session: nothing came of the first. */
function sendAgain(chat: ChatState, turn: Turn): void {
  const refusal = chat.send({ text: askedText(turn), files: filesOf(turn) });
  if (refusal !== undefined) chat.problem.set(refusal);
}

/** What is forgotten tells the page by itself. */
async function forget({ app, open }: ChatState, { runId }: Turn, messageId?: string): Promise<void> {
  const { sessionKey } = open.value;
  const { forgetDialog } = await import("../../parts/forget/forget-dialog.ts");
  if (messageId !== undefined)
    await forgetDialog(app, "Delete this message for good?", { turn: { sessionKey, messageId } });
  else if (runId !== undefined)
    await forgetDialog(app, "Delete this exchange for good?", { turn: { sessionKey, runId } });
}

async function branch(
  { app, models, open: { value } }: ChatState,
  { runId }: Turn,
  include: boolean,
): Promise<string | undefined> {
  if (runId === undefined) return undefined;
  const { sessionKey } = value;
  const made = await app.attempt(() => app.link.call("sessions.fork", { sessionKey, runId, include }));
  if (made) models.hand(sessionKey, made.session.sessionKey);
  return made?.session.sessionKey;
}

function open(chat: ChatState, sessionKey: string): void {
  chat.show(sessionKey);
  chat.app.router.go(`/c/${encodeURIComponent(sessionKey)}`);
  chat.app.announce("A branch of the session is open.");
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
