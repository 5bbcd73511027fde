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

/**
 * The messages once something was noted about one of them. Where another message turned up in its place
 * while this one was being sent, both are there.
 */
export function markedMessages(
  messages: readonly OutboxMessage[],
  index: number,
  mark: MessageMark,
): readonly OutboxMessage[] {
  const known = messages[index]?.messageId;
  const isSecond =
    mark.state === "shown" &&
    known !== undefined &&
    typeof mark.messageId === "string" &&
    mark.messageId !== known;
  if (isSecond) return [...messages, { state: "shown", messageId: mark.messageId, repeated: true }];
  return messages.map((message, i) => (i === index ? markedMessage(message, mark) : message));
}

/** A message once something was noted about it. What it says is dropped when the chat shows it. */
function markedMessage(message: OutboxMessage, mark: MessageMark): OutboxMessage {
  const { content, messageId: known, repeated: before, ...rest } = message;
  const { messageId, repeated } = mark;
  const id = messageId === undefined ? known : (messageId ?? undefined);
  const outdated = mark.state === "shown" && mark.content !== undefined && !isSame(content, mark.content);
  const state = outdated && content !== undefined ? "waiting" : mark.state;
  return {
    ...rest,
    ...(state === "shown" || content === undefined ? {} : { content }),
    ...(id === undefined ? {} : { messageId: id }),
    state,
    ...((repeated ?? before) ? { repeated: true } : {}),
  };
}

/** Both were stored as JSON. */
function isSame(one: RenderedMessage | undefined, other: RenderedMessage): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether the chat does not show yet what the item says. */
export function hasMoreToShow({ messages }: { readonly messages: readonly OutboxMessage[] }): boolean {
  return messages.some(({ content, state }) => content !== undefined && state !== "shown");
}

/** With one more message that the chat shows. It takes the place of one whose fate was open, where there is one. */
export function adoptedMessages(
  messages: readonly OutboxMessage[],
  messageId: string,
): readonly OutboxMessage[] {
  const found: OutboxMessage = { state: "shown", messageId };
  const open = messages.findIndex(
    (each) => each.messageId === undefined && (each.state === "sending" || each.state === "unknown"),
  );
  return open < 0 ? [...messages, found] : messages.map((each, i) => (i === open ? found : each));
}

export function withoutContent({ content: _content, ...message }: OutboxMessage): OutboxMessage {
  return message;
}
