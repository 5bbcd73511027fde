import { Api, GrammyError, InputFile } from "grammy";
import type {
  ChannelAccount,
  ChannelCheck,
  ChannelCheckContext,
  ChannelConnection,
  ChannelContext,
  ChannelFile,
  ChannelPress,
  EditRequest,
  FetchedFile,
  OutgoingFile,
  RenderedMessage,
  SendOutcome,
  SendRequest,
} from "@elwood/sdk/channel/channel";
import type { TelegramSettings } from "./index.ts";
import {
  isBadFormatting,
  isBadPhoto,
  isNeverSent,
  isNotModified,
  outcomeOf,
  TOKEN_REFUSED,
  UNREACHABLE,
} from "./outcome.ts";
import { accountOf, apiOf, asSignal, WEBHOOK_SET } from "./bot-api.ts";
import { Poller } from "./poller.ts";
import { formOf, markedAsRepeat, REPEAT, renderMessage } from "./render.ts";

const ANSWER_CHARS_MAX = 190;
const NO_PREVIEW = { is_disabled: true } as const;
/** A file of the largest size over a slow line. */
const UPLOAD_SECONDS = 300;
/** What Telegram shows as a picture; anything else is a document. */
const PHOTOS = new Set(["image/jpeg", "image/png", "image/webp"]);
const PHOTO_BYTES_MAX = 10 * 1024 * 1024;

export async function openTelegram(context: ChannelContext<TelegramSettings>): Promise<ChannelConnection> {
  const connection = new TelegramConnection(context);
  connection.start();
  return connection;
}

/** Asks Telegram whose token it is. */
export async function checkTelegram({
  settings,
  secrets,
  signal,
}: ChannelCheckContext & { readonly settings: TelegramSettings }): Promise<ChannelCheck> {
  const token = secrets["TELEGRAM_BOT_TOKEN"];
  if (token === undefined)
    return { ok: false, problem: "There is no token. Get one from @BotFather in Telegram (/newbot)." };
  try {
    const api = apiOf(token, settings);
    const me = await api.getMe(asSignal(signal));
    const { url } = await api.getWebhookInfo(asSignal(signal));
    const notes = [
      ...(me.can_read_all_group_messages
        ? []
        : ["In groups it sees only commands, mentions and answers to its messages (privacy mode)."]),
      ...(url ? [WEBHOOK_SET] : []),
    ];
    return { ok: true, account: accountOf(me), notes };
  } catch (error) {
    if (error instanceof GrammyError && (error.error_code === 401 || error.error_code === 404))
      return { ok: false, problem: TOKEN_REFUSED };
    if (error instanceof GrammyError) return { ok: false, problem: `Telegram says: ${error.description}.` };
    return {
      ok: false,
      problem: `${UNREACHABLE} Look at the network of this machine${settings.apiRoot === "https://api.telegram.org" ? "" : ` and at telegram.apiRoot (${settings.apiRoot})`}.`,
    };
  }
}

class TelegramConnection implements ChannelConnection {
  readonly #context: ChannelContext<TelegramSettings>;
  readonly #api: Api;
  readonly #uploads: Api;
  readonly #token: string;
  readonly #closing = new AbortController();
  readonly #poller: Poller;
  /** The last request had an answer: what is sent next will most likely have one too. */
  #reachable = true;

  constructor(context: ChannelContext<TelegramSettings>) {
    this.#context = context;
    this.#token = context.secrets["TELEGRAM_BOT_TOKEN"] ?? "";
    this.#api = apiOf(this.#token, context.settings);
    this.#uploads = apiOf(this.#token, context.settings, UPLOAD_SECONDS);
    this.#poller = new Poller(apiOf(this.#token, context.settings, Poller.requestSeconds), context);
  }

  get account(): ChannelAccount {
    return this.#poller.account;
  }

  start(): void {
    this.#poller.start(AbortSignal.any([this.#closing.signal, this.#context.signal]));
  }

  render = renderMessage;

  async send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    // A network that swallows requests would use up the one repeat: it has to answer something harmless first.
    if ((request.repeat || !this.#reachable) && !(await this.#answers(signal)))
      return { kind: "retry", why: UNREACHABLE, offline: true };
    if (request.message.file) return this.#sendFile(request, request.message.file, signal);
    const message = request.repeat ? markedAsRepeat(request.message) : request.message;
    return this.#try("send", async (plain) => {
      const { chatId, more } = addressOf(request);
      const options = { ...formatted(message, plain), ...more, link_preview_options: NO_PREVIEW };
      const sent = await this.#api.sendMessage(chatId, message.text, options, asSignal(signal));
      return String(sent.message_id);
    });
  }

  /** A picture that Telegram cannot show as one is sent as a document. */
  async #sendFile(
    request: SendRequest,
    { name, mime, bytes }: OutgoingFile,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { chatId, more } = addressOf(request);
    const options = { ...more, ...(request.repeat ? { caption: REPEAT.trim() } : {}) };
    const file = (): InputFile => new InputFile(request.fileBytes ?? new Uint8Array(), name);
    const asDocument = async (): Promise<string> => {
      const sent = await this.#uploads.sendDocument(chatId, file(), options, asSignal(signal));
      return String(sent.message_id);
    };
    if (!PHOTOS.has(mime) || bytes > PHOTO_BYTES_MAX) return this.#try("send", asDocument);
    return this.#try("send", async () => {
      try {
        const sent = await this.#uploads.sendPhoto(chatId, file(), options, asSignal(signal));
        return String(sent.message_id);
      } catch (error) {
        if (!isBadPhoto(error)) throw error;
        return asDocument();
      }
    });
  }

  async edit({ chat, messageId, message }: EditRequest, signal: AbortSignal): Promise<SendOutcome> {
    // A file never changes.
    if (message.file) return { kind: "sent", messageId };
    return this.#try("edit", async (plain) => {
      const { reply_markup, ...rest } = formatted(message, plain);
      try {
        await this.#api.editMessageText(
          placeOf(chat).chatId,
          Number(messageId),
          message.text,
          {
            ...rest,
            ...(reply_markup && "inline_keyboard" in reply_markup ? { reply_markup } : {}),
            link_preview_options: NO_PREVIEW,
          },
          asSignal(signal),
        );
      } catch (error) {
        if (!isNotModified(error)) throw error;
      }
      return messageId;
    });
  }

  /** Text that Telegram cannot format is shown plain: better so than not at all. */
  async #try(what: "send" | "edit", request: (plain: boolean) => Promise<string>): Promise<SendOutcome> {
    const attempt = async (plain: boolean): Promise<SendOutcome> => {
      try {
        const messageId = await request(plain);
        this.#reachable = true;
        return { kind: "sent", messageId };
      } catch (error) {
        if (!plain && isBadFormatting(error)) return attempt(true);
        this.#reachable = error instanceof GrammyError;
        return outcomeOf(error, what);
      }
    };
    return attempt(false);
  }

  async #answers(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#api.getMe(asSignal(signal));
      this.#reachable = true;
    } catch (error) {
      this.#reachable = error instanceof GrammyError;
    }
    return this.#reachable;
  }

  async typing(chat: string, signal: AbortSignal): Promise<void> {
    const { chatId, thread } = placeOf(chat);
    const more = thread === undefined ? {} : { message_thread_id: thread };
    await this.#quietly(() => this.#api.sendChatAction(chatId, "typing", more, asSignal(signal)));
  }

  async answerPress({ reply = "" }: ChannelPress, words: string, signal: AbortSignal): Promise<void> {
    const text = words.slice(0, ANSWER_CHARS_MAX);
    await this.#quietly(() => this.#api.answerCallbackQuery(reply, { text }, asSignal(signal)));
  }

  /** What may fail without a word. */
  async #quietly(request: () => Promise<unknown>): Promise<void> {
    try {
      await request();
    } catch (error) {
      this.#context.log.debug("Telegram did not take a hint", { error: String(error) });
    }
  }

  async fetchFile({ ref }: ChannelFile, signal: AbortSignal): Promise<FetchedFile> {
    try {
      const { file_path: path } = await this.#api.getFile(ref, asSignal(signal));
      if (path === undefined) return { ok: false, problem: "is no longer on Telegram's server." };
      const address = `${this.#context.settings.apiRoot}/file/bot${this.#token}/${path}`;
      const answer = await fetch(address, { signal, redirect: "error" });
      if (!answer.ok) return { ok: false, problem: `could not be fetched from Telegram (${answer.status}).` };
      return { ok: true, bytes: new Uint8Array(await answer.arrayBuffer()) };
    } catch (error) {
      if (error instanceof GrammyError && /too big/i.test(error.description))
        return { ok: false, problem: "is larger than the 20 MB that Telegram hands to bots." };
      const why = isNeverSent(error) ? UNREACHABLE : "Telegram did not hand it over.";
      return { ok: false, problem: `could not be fetched. ${why} Send it again.` };
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#poller.stopped;
  }
}

function formatted(message: RenderedMessage, plain: boolean) {
  const { entities, ...rest } = formOf(message);
  return plain || !entities ? rest : { ...rest, entities };
}

/** Where a message goes, and how. */
function addressOf(request: SendRequest) {
  const { chatId, thread } = placeOf(request.chat);
  const more = {
    ...(thread === undefined ? {} : { message_thread_id: thread }),
    ...replyIn(request),
    ...(request.silent ? { disable_notification: true } : {}),
  };
  return { chatId, more };
}

/** In a private chat it is plain what an answer is to. */
function replyIn({ chat, replyTo }: SendRequest) {
  if (replyTo === undefined || !chat.startsWith("-")) return {};
  return { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } };
}

/** `-100123:7` is topic 7 of a group. */
function placeOf(chat: string): { readonly chatId: number; readonly thread?: number } {
  const [chatId = "", thread] = chat.split(":");
  return { chatId: Number(chatId), ...(thread === undefined ? {} : { thread: Number(thread) }) };
}
