import type { RenderedMessage } from "@elwood/core/channel/channel";
import type { MessageMark, OutboxMessage } from "../ports/channel-ports.ts";

/**
 * The messages of an item once it is to show something else. What the chat shows already is not
 * sent again. One whose fate is open keeps its state: whether it is sent a second time is decided by
 * who delivers. What is no longer needed stays as it is, since it is there.
 */
export function revisedMessages(
  before: readonly OutboxMessage[],
  contents: readonly RenderedMessage[],
): readonly OutboxMessage[] {
  const revised = contents.map((content, i): OutboxMessage => {
    const old = before[i];
    if (!old) return { content, state: "waiting" };
    const open = old.messageId === undefined && (old.state === "sending" || old.state === "unknown");
    return { ...old, content, state: open ? old.state : "waiting" };
  });
  return [...revised, ...before.slice(contents.length).map(withoutContent)];
}

/** A message once something was noted about it. What it says is dropped when the chat shows it. */
export function markedMessage(
  message: OutboxMessage,
  { state, messageId, repeated }: MessageMark,
): OutboxMessage {
  const { content, messageId: known, repeated: before, ...rest } = message;
  const id = messageId === undefined ? known : (messageId ?? undefined);
  return {
    ...rest,
    ...(state === "shown" || content === undefined ? {} : { content }),
    ...(id === undefined ? {} : { messageId: id }),
    state,
    ...((repeated ?? before) ? { repeated: true } : {}),
  };
}

export function withoutContent({ content: _content, ...message }: OutboxMessage): OutboxMessage {
  return message;
}
