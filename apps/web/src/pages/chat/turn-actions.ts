import { askedText } from "./asked-text.ts";
import type { ChatState } from "./chat-state.ts";
import type { TurnActions } from "./message-item.ts";
import { splitQuoted } from "@elwood/sdk/view-state/quoted-lines";
import type { Turn } from "@elwood/sdk/view-state/turn";
import { say } from "../../words/en/chat.ts";

/**
 * What a reader may do with a turn. What was said stays: another answer, and other words, become
 * another version in its place, and a branch is a session of its own.
 */
export function turnActions(chat: ChatState): TurnActions {
  let busy = false;
  /** Whoever presses twice wants one answer, and pays for one. */
  const once = async <T>(act: () => Promise<T | undefined>): Promise<T | undefined> => {
    if (busy) return undefined;
    busy = true;
    try {
      return await act();
    } finally {
      busy = false;
    }
  };
  const retry = (turn: Turn) => once(() => answerAgain(chat, turn));
  return {
    edits: chat.edits,
    resend: async (turn, text) => (await once(() => sendOtherWords(chat, turn, text))) ?? false,
    retry,
    version: (runId) => once(() => showVersion(chat, runId)),
    // Nothing came of it: where other messages followed, they stay, and it is sent once more.
    again: (turn) => {
      if (isLast(chat, turn)) void retry(turn);
      else sendAgain(chat, turn);
    },
    otherModel: async (turn, button) => {
      const { openModelMenu } = await import("./model-menu.ts");
      openModelMenu(chat, button, () => {
        if (isLast(chat, turn)) void retry(turn);
        else sendAgain(chat, turn);
      });
    },
    fork: async (turn) => {
      const sessionKey = await once(() => branch(chat, turn));
      if (sessionKey !== undefined) open(chat, sessionKey);
    },
    forget:
      chat.app.link.has("memory.forget") && chat.app.link.may("approve")
        ? (turn, messageId) => forget(chat, turn, messageId)
        : undefined,
  };
}

function isLast({ open: { value } }: ChatState, turn: Turn): boolean {
  return value.turns.value.at(-1) === turn;
}

async function answerAgain(chat: ChatState, turn: Turn): Promise<void> {
  const asked = versionOf(chat, turn);
  if (!asked) return;
  const made = await chat.app.attempt(() => chat.app.link.call("chat.retry", asked));
  if (made) replaced(chat, turn);
}

/** False where that could not be done. */
async function sendOtherWords(chat: ChatState, turn: Turn, text: string): Promise<boolean> {
  const asked = versionOf(chat, turn);
  if (!asked) return false;
  const { typed: message, quoted } = splitQuoted(text);
  const parts = [
    ...(quoted.trim() === "" ? [] : [{ kind: "text" as const, text: quoted, origin: "quoted" as const }]),
    ...filesOf(turn).map(({ blobId, name }) => ({
      kind: "blob" as const,
      blobId,
      name,
      origin: "attached" as const,
    })),
  ];
  const made = await chat.app.attempt(() => chat.app.link.call("chat.edit", { ...asked, message, parts }));
  if (made) replaced(chat, turn);
  return made !== undefined;
}

/** The model that is chosen for the session answers, as it would answer the next message. */
function versionOf({ open: { value }, models }: ChatState, { runId }: Turn) {
  if (runId === undefined) return undefined;
  const model = models.of(value.sessionKey);
  return { runId, sessionKey: value.sessionKey, ...(model === undefined ? {} : { model }) };
}

function replaced(chat: ChatState, turn: Turn): void {
  if (!isLast(chat, turn)) chat.app.toasts.show(say.whatFollowedBelongsToTheVersion);
  void chat.refresh();
  chat.app.announce(say.anotherVersionIsBeingWritten);
}

async function showVersion(chat: ChatState, runId: string): Promise<void> {
  const { sessionKey } = chat.open.value;
  const shown = await chat.app.attempt(() => chat.app.link.call("sessions.version", { runId, sessionKey }));
  if (shown) void chat.refresh();
}

/** The same message once more, at the end of the session: nothing came of the first. */
function sendAgain(chat: ChatState, turn: Turn): void {
  const refusal = chat.send({ text: askedText(turn), files: filesOf(turn) });
  if (refusal !== undefined) chat.problem.set(refusal);
}

/** What is forgotten tells the page by itself. */
async function forget({ app, open }: ChatState, { runId }: Turn, messageId?: string): Promise<void> {
  const { sessionKey } = open.value;
  const { forgetDialog } = await import("../../parts/forget/forget-dialog.ts");
  if (messageId !== undefined)
    await forgetDialog(app, say.deleteThisMessageForGood, { turn: { sessionKey, messageId } });
  else if (runId !== undefined)
    await forgetDialog(app, say.deleteThisExchangeForGood, { turn: { sessionKey, runId } });
}

async function branch(
  { app, models, open: { value } }: ChatState,
  { runId }: Turn,
): Promise<string | undefined> {
  if (runId === undefined) return undefined;
  const { sessionKey } = value;
  const made = await app.attempt(() => app.link.call("sessions.fork", { sessionKey, runId, include: true }));
  if (made) models.hand(sessionKey, made.session.sessionKey);
  return made?.session.sessionKey;
}

function open(chat: ChatState, sessionKey: string): void {
  chat.show(sessionKey);
  chat.app.router.go(`/c/${encodeURIComponent(sessionKey)}`);
  chat.app.announce(say.aBranchOfTheSessionIs);
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
