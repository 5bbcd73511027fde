import type { InlineKeyboardMarkup, ForceReply, MessageEntity } from "grammy/types";
import type { ChannelButton, ChannelContent, RenderedMessage } from "@elwood/sdk/channel/channel";
import { formatMarkdown } from "@elwood/sdk/channel/format-markdown";
import { plainText, type FormattedText, type Span } from "@elwood/sdk/channel/formatted-text";
import { splitMessage } from "@elwood/sdk/channel/split-message";

/** What a message is sent with, beside its text; stored in the outbox. */
export interface TelegramForm {
  readonly entities?: MessageEntity[];
  readonly reply_markup?: InlineKeyboardMarkup | ForceReply;
}

export const REPEAT = "(may be a repeat)\n";

/** Telegram takes 4,096 characters, counted without formatting; the mark of a repeat needs some of them. */
const CHARS_MAX = 4_096 - REPEAT.length;
/** More are ignored by Telegram, so the rest is shown plain. */
const ENTITIES_MAX = 100;
const BUTTON_WORDS_MAX = 60;

/** Formatting is sent as entities beside the text: whatever the text says, none of it is read as markup. */
export function renderMessage(content: ChannelContent): readonly RenderedMessage[] {
  return [...renderText(content), ...(content.files ?? []).map((file) => ({ text: file.name, file }))];
}

function renderText(content: ChannelContent): readonly RenderedMessage[] {
  const body = content.plain ? plainText(content.markdown) : formatMarkdown(content.markdown);
  const whole = content.footer === undefined ? body : { ...body, text: `${body.text}\n\n${content.footer}` };
  const parts = splitMessage(whole, { limit: CHARS_MAX });
  return parts.map((part, i) => {
    const entities = entitiesOf(part);
    const markup = i === parts.length - 1 ? markupOf(content) : undefined;
    const form: TelegramForm = {
      ...(entities.length > 0 ? { entities } : {}),
      ...(markup ? { reply_markup: markup } : {}),
    };
    return { text: part.text, ...(Object.keys(form).length > 0 ? { form } : {}) };
  });
}

/** The message once it says that it may be a repeat. */
export function markedAsRepeat(message: RenderedMessage): RenderedMessage {
  const form = formOf(message);
  const entities = form.entities?.map((each) => ({ ...each, offset: each.offset + REPEAT.length }));
  return { text: `${REPEAT}${message.text}`, form: { ...form, ...(entities ? { entities } : {}) } };
}

/** What `renderMessage` made. */
export function formOf({ form }: RenderedMessage): TelegramForm {
  return form ?? {};
}

function entitiesOf({ spans }: FormattedText): MessageEntity[] {
  const code = spans.filter(({ kind }) => kind === "pre" || kind === "code");
  return spans
    .filter((span) => !code.some((each) => each !== span && each.start <= span.start && span.end <= each.end))
    .flatMap(entityOf)
    .slice(0, ENTITIES_MAX);
}

function entityOf(span: Span): MessageEntity[] {
  const at = { offset: span.start, length: span.end - span.start };
  switch (span.kind) {
    case "bold":
    case "heading":
      return [{ type: "bold", ...at }];
    case "italic":
      return [{ type: "italic", ...at }];
    case "strike":
      return [{ type: "strikethrough", ...at }];
    case "code":
      return [{ type: "code", ...at }];
    case "quote":
      return [{ type: "blockquote", ...at }];
    case "pre":
      return [{ type: "pre", ...at, ...(span.language === undefined ? {} : { language: span.language }) }];
    case "link":
      return [{ type: "text_link", ...at, url: span.url }];
    case "bullet":
      return [];
    default:
      return span satisfies never;
  }
}

function markupOf({ buttons = [], wantsReply }: ChannelContent): TelegramForm["reply_markup"] | undefined {
  if (buttons.length > 0) return { inline_keyboard: buttons.map((row) => row.map(buttonOf)) };
  return wantsReply ? { force_reply: true, selective: true } : undefined;
}

function buttonOf(button: ChannelButton): InlineKeyboardMarkup["inline_keyboard"][number][number] {
  const text = button.words.slice(0, BUTTON_WORDS_MAX);
  if ("url" in button) return { text, url: button.url };
  const style = button.tone === "good" ? "success" : button.tone === "bad" ? "danger" : undefined;
  return { text, callback_data: button.data, ...(style === undefined ? {} : { style }) };
}
