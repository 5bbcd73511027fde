import type { Message, MessageEntity, MessageOrigin, Update, User } from "grammy/types";
import type {
  ChannelAccount,
  ChannelChat,
  ChannelEvent,
  ChannelFile,
  ChannelMessage,
  ChannelQuote,
  ChannelSender,
} from "@elwood/sdk/channel/channel";

/** What has to be asked for: without a list Telegram leaves some of these out. */
export const ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"] as const;

/** An update as an event; undefined where it is about nothing that Elwood takes part in. */
export function readUpdate(update: Update, account: ChannelAccount): ChannelEvent | undefined {
  if (update.message) return readMessage(update.message, account, false);
  if (update.edited_message) return readMessage(update.edited_message, account, true);
  const { callback_query: press, my_chat_member: member } = update;
  if (press?.message && press.data !== undefined) {
    const { message, data } = press;
    return {
      kind: "press",
      id: `press:${press.id}`,
      chat: chatOf(message),
      from: senderOf(press.from),
      data,
      messageId: String(message.message_id),
      reply: press.id,
    };
  }
  const status = member?.new_chat_member.status;
  if (member && (status === "kicked" || status === "left")) {
    const why = status === "kicked" ? "The bot was blocked or removed." : "The bot left.";
    return { kind: "gone", id: `member:${update.update_id}`, chat: String(member.chat.id), why };
  }
  return undefined;
}

/** Pictures that were sent together come as messages of their own; they are one. */
export function joinAlbum(messages: readonly ChannelMessage[]): ChannelMessage | undefined {
  const [first, ...rest] = messages;
  if (!first || rest.length === 0) return first;
  const texts = messages.map(({ text }) => text).filter((text) => text !== "");
  const addressed = messages.some((each) => each.addressed);
  return {
    ...first,
    addressed,
    text: texts.join("\n\n"),
    files: messages.flatMap(({ files = [] }) => files),
  };
}

function readMessage(message: Message, account: ChannelAccount, edited: boolean): ChannelEvent | undefined {
  const { chat, message_id: messageId, from } = message;
  if (message.migrate_to_chat_id !== undefined)
    return {
      kind: "moved",
      id: `moved:${chat.id}`,
      chat: String(chat.id),
      to: String(message.migrate_to_chat_id),
    };
  if (!from || chat.type === "channel") return undefined;
  const written = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  const files = filesOf(message);
  const unsupported = unsupportedIn(message);
  // Somebody joined, a title changed, and the like.
  if (written === "" && files.length === 0 && unsupported === undefined) return undefined;
  const command = commandIn(written, entities, account);
  const isPrivate = chat.type === "private";
  const { forward_origin: origin } = message;
  const quotes = [
    ...(origin && written !== "" ? [forwarded(origin, written)] : []),
    ...quoted(message, account),
  ];
  const addressed = isPrivate || command !== undefined || isMeant(message, written, entities, account);
  return {
    kind: "message",
    id: `${chat.id}:${messageId}${edited ? `:${message.edit_date ?? 0}` : ""}`,
    messageId: String(messageId),
    chat: chatOf(message),
    from: senderOf(from),
    sentAt: message.date * 1_000,
    text: origin ? "" : withoutMention(written, entities, account),
    addressed,
    ...(command && !origin ? { command } : {}),
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(message.reply_to_message ? { replyTo: String(message.reply_to_message.message_id) } : {}),
    ...(unsupported === undefined ? {} : { unsupported }),
    ...(edited ? { edited } : {}),
  };
}

function chatOf({ chat, message_thread_id: thread, is_topic_message: inTopic }: Message): ChannelChat {
  const isPrivate = chat.type === "private";
  return {
    id: inTopic && thread !== undefined ? `${chat.id}:${thread}` : String(chat.id),
    kind: isPrivate ? "private" : "group",
    groupId: String(chat.id),
    ...("title" in chat && chat.title !== undefined ? { title: chat.title } : {}),
  };
}

function senderOf({ id, first_name, last_name, is_bot }: User): ChannelSender {
  const name = [first_name, last_name ?? ""].join(" ").trim();
  return { id: String(id), name, ...(is_bot ? { bot: true } : {}) };
}

/** `/status@elwood_bot now`; undefined for a command to another bot. */
function commandIn(
  text: string,
  entities: readonly MessageEntity[],
  account: ChannelAccount,
): ChannelMessage["command"] | undefined {
  const entity = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  if (!entity) return undefined;
  const [name = "", bot] = text.slice(1, entity.length).split("@");
  if (bot !== undefined && bot.toLowerCase() !== account.name.toLowerCase()) return undefined;
  return { name: name.toLowerCase(), argument: text.slice(entity.length).trim() };
}

/** In a group: by its name, or as an answer to one of its messages. */
function isMeant(
  message: Message,
  text: string,
  entities: readonly MessageEntity[],
  account: ChannelAccount,
): boolean {
  return (
    String(message.reply_to_message?.from?.id) === account.id || mentions(text, entities, account).length > 0
  );
}

function mentions(
  text: string,
  entities: readonly MessageEntity[],
  account: ChannelAccount,
): MessageEntity[] {
  return entities.filter(
    (entity) =>
      (entity.type === "mention" &&
        text.slice(entity.offset, entity.offset + entity.length).toLowerCase() ===
          `@${account.name.toLowerCase()}`) ||
      (entity.type === "text_mention" && String(entity.user.id) === account.id),
  );
}

function withoutMention(text: string, entities: readonly MessageEntity[], account: ChannelAccount): string {
  let rest = text;
  for (const { offset, length } of mentions(text, entities, account).toReversed())
    rest = `${rest.slice(0, offset)}${rest.slice(offset + length)}`;
  return rest.trim();
}

function forwarded(origin: MessageOrigin, text: string): ChannelQuote {
  return { how: "forwarded", text, ...(origin.type === "user" ? { by: senderOf(origin.sender_user) } : {}) };
}

/** What it answers, unless that is a whole message of Elwood's own, which the conversation has already. */
function quoted(
  { reply_to_message: answered, quote, external_reply }: Message,
  account: ChannelAccount,
): ChannelQuote[] {
  const text = quote?.text ?? answered?.text ?? answered?.caption ?? "";
  if (text === "" || (!answered && !external_reply)) return [];
  const own = String(answered?.from?.id) === account.id;
  if (own && quote?.is_manual !== true) return [];
  return [
    {
      how: "quoted",
      text,
      ...(answered?.from ? { by: senderOf(answered.from) } : {}),
      ...(own ? { own } : {}),
    },
  ];
}

function filesOf(message: Message): ChannelFile[] {
  const { photo, document, audio, voice, video, animation, video_note: note } = message;
  const at = message.message_id;
  const largest = photo?.at(-1);
  const files: (ChannelFile | undefined)[] = [
    largest && file(largest, `photo-${at}.jpg`, "image/jpeg"),
    // Telegram repeats an animation as a document.
    document && !animation
      ? file(document, document.file_name ?? `document-${at}`, document.mime_type)
      : undefined,
    audio && file(audio, audio.file_name ?? `audio-${at}.mp3`, audio.mime_type ?? "audio/mpeg"),
    voice && { ...file(voice, `voice-${at}.ogg`, voice.mime_type ?? "audio/ogg"), voice: true },
    video && file(video, video.file_name ?? `video-${at}.mp4`, video.mime_type ?? "video/mp4"),
    animation && file(animation, animation.file_name ?? `animation-${at}.mp4`, animation.mime_type),
    note && file(note, `video-${at}.mp4`, "video/mp4"),
  ];
  return files.filter((each) => each !== undefined);
}

function file(
  { file_id, file_size }: { readonly file_id: string; readonly file_size?: number },
  name: string,
  mime = "application/octet-stream",
): ChannelFile {
  return { ref: file_id, name, mime, ...(file_size === undefined ? {} : { bytes: file_size }) };
}

const UNSUPPORTED: readonly (readonly [keyof Message, string])[] = [
  ["sticker", "a sticker"],
  ["poll", "a poll"],
  ["location", "a location"],
  ["venue", "a place"],
  ["contact", "a contact"],
  ["dice", "a dice"],
  ["game", "a game"],
  ["story", "a story"],
  ["paid_media", "paid media"],
  ["checklist", "a checklist"],
];

function unsupportedIn(message: Message): string | undefined {
  return UNSUPPORTED.find(([key]) => message[key] !== undefined)?.[1];
}
