import type { ChatDesk } from "./chat-desk.ts";
import type { TurnActions } from "./message-item.ts";

/** Filled in with branches of a session. */
export function turnActions(_desk: ChatDesk): TurnActions | undefined {
  return undefined;
}
