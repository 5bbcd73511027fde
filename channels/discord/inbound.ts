import type {
  ChannelChat,
  ChannelCommand,
  ChannelFile,
  ChannelMessage,
  ChannelQuote,
  ChannelSender,
} from "@elwood/sdk/channel/channel";
import { z } from "zod";

/** What Discord sends, as far as it is read. Whatever else it says is left out. */

const user = z.object({
  id: z.string(),
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});

const attachment = z.object({
  id: z.string(),
  filename: z.string(),
  size: z.number(),
  url: z.string(),
  content_type: z.string().nullish(),
});

const referenced = z.object({
  id: z.string(),
  content: z.string().default(""),
  author: user,
});

export const messageSchema = z.object({
  id: z.string(),
  channel_id: z.string(),
  guild_id: z.string().optional(),
  author: user,
  webhook_id: z.string().optional(),
  type: z.number(),
  content: z.string().default(""),
  timestamp: z.string(),
  edited_timestamp: z.string().nullish(),
  mentions: z.array(user).default([]),
  attachments: z.array(attachment).default([]),
  flags: z.number().default(0),
  message_reference: z.object({ type: z.number().optional(), message_id: z.string().optional() }).optional(),
  referenced_message: referenced.nullish(),
  message_snapshots: z
    .array(
      z.object({
        message: z.object({ content: z.string().default(""), attachments: z.array(attachment).default([]) }),
      }),
    )
    .optional(),
  sticker_items: z.array(z.unknown()).optional(),
  poll: z.unknown().optional(),
  nonce: z.union([z.string(), z.number()]).optional(),
});
export type InboundMessage = z.infer<typeof messageSchema>;

export const channelSchema = z.object({
  id: z.string(),
  type: z.number(),
  guild_id: z.string().optional(),
  parent_id: z.string().nullish(),
  name: z.string().nullish(),
  owner_id: z.string().nullish(),
});
export type InboundChannel = z.infer<typeof channelSchema>;

export const interactionSchema = z.object({
  id: z.string(),
  application_id: z.string(),
  type: z.number(),
  token: z.string(),
  channel_id: z.string(),
  channel: channelSchema.partial({ type: true }).optional(),
  guild_id: z.string().optional(),
  member: z.object({ user }).optional(),
  user: user.optional(),
  message: z.object({ id: z.string(), components: z.array(z.unknown()).default([]) }).optional(),
  data: z
    .object({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z
        .array(z.object({ value: z.union([z.string(), z.number(), z.boolean()]).optional() }))
        .optional(),
      components: z.array(z.unknown()).optional(),
    })
    .default({}),
});
export type InboundInteraction = z.infer<typeof interactionSchema>;

export const INTERACTION = { command: 2, button: 3, modal: 5 } as const;
const MESSAGE_TYPES = new Set([0, 19]);
const THREAD_TYPES = new Set([10, 11, 12]);
/** Text and announcement channels, in which a thread can be begun. */
const THREADED_TYPES = new Set([0, 5]);
const FLAG_VOICE = 1 << 13;
const FORWARD = 1;

export function isThread(channel: InboundChannel): boolean {
  return THREAD_TYPES.has(channel.type);
}

export function canHaveThreads(channel: InboundChannel): boolean {
  return THREADED_TYPES.has(channel.type);
}

/** Whether a person wrote it: not the account itself, another program, or Discord. */
export function isFromPerson(message: InboundMessage): boolean {
  return !message.author.bot && message.webhook_id === undefined && MESSAGE_TYPES.has(message.type);
}

/** The account wrote it by itself, and not as an answer to an interaction. */
export function isOwnMessage(message: InboundMessage, botId: string): boolean {
  return message.author.id === botId && message.webhook_id === undefined && MESSAGE_TYPES.has(message.type);
}

/** Written to the account: in private, with a mention, as an answer to it, or in a thread of its own. */
export function isAddressed(
  message: InboundMessage,
  botId: string,
  channel: InboundChannel | undefined,
): boolean {
  if (message.guild_id === undefined) return true;
  if (message.mentions.some(({ id }) => id === botId)) return true;
  if (message.referenced_message?.author.id === botId) return true;
  // Without the intent for message content there are no words to answer.
  return (
    channel?.owner_id === botId &&
    isThread(channel) &&
    (message.content !== "" || message.attachments.length > 0)
  );
}

export function senderOf({ id, username, global_name, bot }: z.infer<typeof user>): ChannelSender {
  return { id, name: global_name ?? username, ...(bot ? { bot } : {}) };
}

export interface ReadContext {
  readonly botId: string;
  readonly chat: ChannelChat;
  readonly commands: readonly ChannelCommand[];
}

export function readMessage(message: InboundMessage, { botId, chat, commands }: ReadContext): ChannelMessage {
  const text = readableText(message, botId);
  const command = commandIn(text, commands);
  const quotes = quotesOf(message, botId);
  const files = [...message.attachments, ...snapshotFiles(message)].map((each) => fileOf(each, message));
  const unsupported = unsupportedIn(message);
  const edited = message.edited_timestamp;
  return {
    kind: "message",
    id: typeof edited === "string" ? `${message.id}@${edited}` : message.id,
    messageId: message.id,
    chat,
    from: senderOf(message.author),
    sentAt: Date.parse(message.timestamp),
    text,
    addressed: true,
    ...(command ? { command } : {}),
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(message.referenced_message ? { replyTo: message.referenced_message.id } : {}),
    ...(unsupported === undefined ? {} : { unsupported }),
    ...(typeof edited === "string" ? { edited: true } : {}),
  };
}

/** `/status now` in plain text is the command too, for people who type it. */
export function commandIn(
  text: string,
  commands: readonly ChannelCommand[],
): { readonly name: string; readonly argument: string } | undefined {
  const [, name = "", argument = ""] = /^\/([a-z]{1,32})(?:\s+([^]*))?$/.exec(text) ?? [];
  return commands.some((each) => each.name === name) ? { name, argument: argument.trim() } : undefined;
}

/** Without the mention of the account, and with names for ids: `<@123>` as `@Ada`. */
function readableText({ content, mentions }: InboundMessage, botId: string): string {
  const names = new Map(mentions.map((each) => [each.id, each.global_name ?? each.username]));
  return content
    .replaceAll(/<@!?(\d{1,20})>/g, (tag, id: string) => {
      if (id === botId) return "";
      const name = names.get(id);
      return name === undefined ? tag : `@${name}`;
    })
    .replaceAll(/[ \t]{2,}/g, " ")
    .trim();
}

function quotesOf(message: InboundMessage, botId: string): ChannelQuote[] {
  const {
    referenced_message: answered,
    message_reference: reference,
    message_snapshots: snapshots = [],
  } = message;
  if (reference?.type === FORWARD)
    return snapshots
      .filter((each) => each.message.content !== "")
      .map((each) => ({ how: "forwarded", text: each.message.content }));
  if (!answered || answered.content === "") return [];
  const own = answered.author.id === botId;
  return [{ how: "quoted", text: answered.content, by: senderOf(answered.author), ...(own ? { own } : {}) }];
}

function snapshotFiles(message: InboundMessage): readonly z.infer<typeof attachment>[] {
  return message.message_snapshots?.flatMap((each) => each.message.attachments) ?? [];
}

function fileOf(file: z.infer<typeof attachment>, message: InboundMessage): ChannelFile {
  return {
    ref: JSON.stringify({
      channel: message.channel_id,
      message: message.id,
      attachment: file.id,
      url: file.url,
    }),
    name: file.filename,
    mime: file.content_type?.split(";")[0]?.trim() ?? "application/octet-stream",
    bytes: file.size,
    ...(message.flags & FLAG_VOICE ? { voice: true } : {}),
  };
}

export const fileRefSchema = z.object({
  channel: z.string(),
  message: z.string(),
  attachment: z.string(),
  url: z.string(),
});

function unsupportedIn(message: InboundMessage): string | undefined {
  if (message.poll !== undefined) return "a poll";
  return (message.sticker_items?.length ?? 0) > 0 ? "a sticker" : undefined;
}

/** What the pressed button says. */
export function pressedLabel({ message, data }: InboundInteraction): string | undefined {
  const buttons = (message?.components ?? []).flatMap(
    (row) => buttonRow.safeParse(row).data?.components ?? [],
  );
  return buttons.find(({ custom_id }) => custom_id === data.custom_id)?.label;
}

const buttonRow = z.object({
  components: z.array(z.object({ custom_id: z.string().optional(), label: z.string().optional() })),
});

/** The words that were written into a modal. */
export function modalText(interaction: InboundInteraction): string {
  const inputs = (interaction.data.components ?? []).flatMap(
    (row) => modalRow.safeParse(row).data?.components ?? [],
  );
  return inputs.map(({ value }) => value).join("\n");
}

const modalRow = z.object({ components: z.array(z.object({ value: z.string().default("") })) });
