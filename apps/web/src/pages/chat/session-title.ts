import { spokenText } from "../../parts/markdown/spoken-text.ts";
import type { WireSession } from "@elwood/core/protocol/shapes";
import { askedText } from "./asked-text.ts";
import type { Conversation } from "@elwood/sdk/view-state/conversation";
import { isOwnName } from "@elwood/sdk/view-state/own-name";
import { say } from "../../words/en/chat.ts";

/** More than fits beside the rest of the head; the message itself may be a book. */
const TITLE_CHARS = 200;

/** What the open session is called. The gateway names it after its first message, which may not have reached it yet. */
export function titleOfOpen({ session, sessionKey, problem, turns, loaded }: Conversation): string {
  const first = turns.value[0];
  if (first && (session.value?.titledBy ?? "default") === "default")
    return spokenText((first.draft?.text ?? askedText(first)).slice(0, TITLE_CHARS));
  if (session.value) return spokenText(session.value.title);
  if (problem.value !== undefined) return say.notThere;
  return isOwnName(sessionKey) || loaded ? say.newSession : say.loading;
}

/** The beginning of its last answer. Where a run has ended and there is none, it failed, or what it said was forgotten. */
export function previewOf({ preview, messageCount }: Pick<WireSession, "preview" | "messageCount">): string {
  if (preview !== "") return spokenText(preview);
  return messageCount > 1 ? say.noAnswerToShow : say.noAnswerYet;
}
