import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** One request of a bot, as it came in. */
export interface TelegramRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A message as a chat shows it. */
export interface TelegramMessage {
  readonly message_id: number;
  readonly chat: number;
  readonly thread?: number;
  text: string;
  entities: readonly TelegramEntity[];
  /** Rows of buttons, as `words: data`. */
  buttons: readonly (readonly { readonly text: string; readonly data: string }[])[];
  readonly forceReply: boolean;
  readonly replyTo?: number;
  /** Of a picture or a document; its caption is `text`. */
  readonly file?: TelegramUpload;
  edits: number;
}

export interface TelegramUpload {
  readonly kind: "photo" | "document";
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface TelegramEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

/** What the server does with the next request of a method instead of serving it. */
export type TelegramFate =
  /** Answers with an error of the Bot API, and does nothing. */
  | { readonly error: number; readonly description: string; readonly parameters?: Record<string, unknown> }
  /** Breaks the connection: before anything is done, or after it was done. */
  | { readonly cut: "before" | "after" }
  /** Does it, and never answers. */
  | { readonly hang: true };

export interface TelegramUser {
  readonly id: number;
  readonly first_name: string;
  readonly last_name?: string;
  readonly is_bot?: boolean;
}

const BOT = { id: 4242, is_bot: true, first_name: "Elwood", username: "elwood_bot" } as const;
const TEXT_CHARS_MAX = 4_096;
const CAPTION_CHARS_MAX = 1_024;
const UPLOAD_BYTES_MAX = { photo: 10 * 1024 * 1024, document: 50 * 1024 * 1024 };
const CALLBACK_BYTES_MAX = 64;
const BODY_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The Bot API on loopback: it speaks Telegram's own protocol, keeps what arrived, and refuses what
 * Telegram refuses.
 *
 * T1 Updates are kept until a poll with a higher offset confirms them; a poll that is not confirmed gets
 *    them again.
 * T2 A second poll at the same time ends the first with 409, as Telegram does.
 * T3 Text is counted after entities; entities outside of the text, empty text, too long text and too
 *    long button data are refused with 400.
 * T4 A picture has to be one, with at most 10 MB; a document may have 50 MB. A caption has 1,024 characters.
 */
export class TelegramServer {
  readonly token: string;
  readonly requests: TelegramRequest[] = [];
  readonly messages: TelegramMessage[] = [];
  readonly pressAnswers: { readonly id: string; readonly text: string }[] = [];
  readonly files = new Map<string, { readonly path: string; readonly bytes: Uint8Array }>();
  commands: unknown;
  /** Chats that refuse the bot, with Telegram's words for it. */
  readonly closedChats = new Map<number, { error: number; description: string }>();
  readonly #fates = new Map<string, TelegramFate[]>();
  readonly #updates: { update_id: number; [key: string]: unknown }[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #poll: { readonly answer: (status: number, body: unknown) => void; readonly offset: number } | undefined;
  #nextUpdate = 1_000;
  #nextMessage = 1;
  #nextPress = 1;

  constructor(token = "123456789:AAloopbackLoopbackLoopbackLoopback00") {
    this.token = token;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  async start(port = 0): Promise<this> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen(port, "127.0.0.1", resolve);
    await promise;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The network is gone: every connection breaks, and none can be made until `start`. */
  async disconnect(): Promise<number> {
    const { port } = this.#server.address() as AddressInfo;
    await this.close();
    return port;
  }

  /** The next requests of a method end so, in this order. */
  fate(method: string, ...fates: TelegramFate[]): void {
    this.#fates.set(method, [...(this.#fates.get(method) ?? []), ...fates]);
  }

  /** What a chat shows, oldest first. */
  texts(chat: number): string[] {
    return this.messages.filter((message) => message.chat === chat).map(({ text }) => text);
  }

  requestsOf(method: string): TelegramRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  // ── what people do ────────────────────────────────────────────────────────────────

  /** Somebody writes. Answers with the id of the message. */
  say(from: TelegramUser, text: string, more: Record<string, unknown> = {}): number {
    const { chat = { id: from.id, type: "private", first_name: from.first_name }, ...rest } = more;
    const message_id = this.#nextMessage++;
    this.update({
      message: {
        message_id,
        date: 1_794_800_000 + message_id,
        chat,
        from: { is_bot: false, ...from },
        ...(text === "" ? {} : { text, entities: entitiesIn(text) }),
        ...rest,
      },
    });
    return message_id;
  }

  /** Somebody presses a button of a message, or claims to. */
  press(from: TelegramUser, message: Pick<TelegramMessage, "message_id" | "chat">, data: string): string {
    const id = String(this.#nextPress++);
    const chat =
      message.chat > 0
        ? { id: message.chat, type: "private" }
        : { id: message.chat, type: "supergroup", title: "Group" };
    this.update({
      callback_query: {
        id,
        from: { is_bot: false, ...from },
        chat_instance: "1",
        message: { message_id: message.message_id, date: 1, chat },
        data,
      },
    });
    return id;
  }

  /** Any update; answers with its number. */
  update(content: Record<string, unknown>): number {
    const update_id = this.#nextUpdate++;
    this.#updates.push({ update_id, ...content });
    this.#answerPoll();
    return update_id;
  }

  /** Updates that nobody has confirmed. */
  get unconfirmed(): number {
    return this.#updates.length;
  }

  // ── the protocol ──────────────────────────────────────────────────────────────────

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { pathname } = new URL(request.url ?? "/", "http://loopback");
    const answer = (status: number, value: unknown) => {
      if (response.writableEnded || response.destroyed) return;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    const file = new RegExp(`^/file/bot${this.token}/(.+)$`).exec(pathname)?.[1];
    if (file !== undefined) {
      const found = [...this.files.values()].find(({ path }) => path === file);
      if (!found) return answer(404, { ok: false });
      response.writeHead(200, { "content-type": "application/octet-stream" });
      response.end(found.bytes);
      return;
    }
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(pathname) ?? [];
    if (token !== this.token) return answer(401, { ok: false, error_code: 401, description: "Unauthorized" });
    const { params, uploads } = await readParams(body, request.headers["content-type"] ?? "");
    this.requests.push({ method, params });
    const fate = this.#fates.get(method)?.shift();
    if (fate && "cut" in fate && fate.cut === "before") return void response.destroy();
    if (fate && "error" in fate)
      return answer(fate.error, {
        ok: false,
        error_code: fate.error,
        description: fate.description,
        ...(fate.parameters ? { parameters: fate.parameters } : {}),
      });
    if (method === "getUpdates") return this.#startPoll(params, answer, response);
    const [status, value] = await this.#call(method, params, uploads);
    if (fate && "cut" in fate) return void response.destroy();
    if (fate) return;
    answer(status, value);
  }

  /** T1, T2 */
  #startPoll(
    params: Record<string, unknown>,
    answer: (status: number, body: unknown) => void,
    response: ServerResponse,
  ): void {
    const offset = Number(params["offset"] ?? 0);
    while (this.#updates[0] && this.#updates[0].update_id < offset) this.#updates.shift();
    this.#poll?.answer(409, {
      ok: false,
      error_code: 409,
      description:
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    const poll = { answer, offset };
    this.#poll = poll;
    response.on("close", () => {
      if (this.#poll === poll) this.#poll = undefined;
    });
    if (this.#updates.length > 0 || Number(params["timeout"] ?? 0) === 0) this.#answerPoll(true);
  }

  #answerPoll(now = false): void {
    const poll = this.#poll;
    const due = this.#updates.filter(({ update_id }) => update_id >= (poll?.offset ?? 0));
    if (!poll || (due.length === 0 && !now)) return;
    this.#poll = undefined;
    poll.answer(200, { ok: true, result: due.slice(0, 100) });
  }

  #call(
    method: string,
    params: Record<string, unknown>,
    uploads: ReadonlyMap<string, File>,
  ): [status: number, body: unknown] | Promise<[status: number, body: unknown]> {
    const done = (result: unknown): [number, unknown] => [200, { ok: true, result }];
    switch (method) {
      case "getMe":
        return done({
          ...BOT,
          can_join_groups: true,
          can_read_all_group_messages: false,
          supports_inline_queries: false,
        });
      case "getWebhookInfo":
        return done({ url: "", has_custom_certificate: false, pending_update_count: 0 });
      case "setMyCommands":
        this.commands = params["commands"];
        return done(true);
      case "sendChatAction":
        return done(true);
      case "answerCallbackQuery":
        this.pressAnswers.push({
          id: String(params["callback_query_id"]),
          text: typeof params["text"] === "string" ? params["text"] : "",
        });
        return done(true);
      case "getFile": {
        const found = this.files.get(String(params["file_id"]));
        if (!found) return refused(400, "Bad Request: invalid file_id");
        return done({ file_id: params["file_id"], file_unique_id: "u", file_path: found.path });
      }
      case "sendMessage":
        return this.#sendMessage(params);
      case "sendPhoto":
        return this.#sendFile("photo", params, uploads);
      case "sendDocument":
        return this.#sendFile("document", params, uploads);
      case "editMessageText":
        return this.#editMessage(params);
      default:
        return refused(404, "Not Found");
    }
  }

  #sendMessage(params: Record<string, unknown>): [number, unknown] {
    const chat = Number(params["chat_id"]);
    const closed = this.closedChats.get(chat);
    if (closed) return refused(closed.error, closed.description);
    const problem = problemWith(params);
    if (problem !== undefined) return refused(400, `Bad Request: ${problem}`);
    return this.#show(chat, params, contentOf(params));
  }

  /** T4 */
  async #sendFile(
    kind: TelegramUpload["kind"],
    params: Record<string, unknown>,
    uploads: ReadonlyMap<string, File>,
  ): Promise<[number, unknown]> {
    const chat = Number(params["chat_id"]);
    const closed = this.closedChats.get(chat);
    if (closed) return refused(closed.error, closed.description);
    const given = uploads.get(String(params[kind]).replace(/^attach:\/\//, ""));
    if (!given) return refused(400, `Bad Request: there is no ${kind} in the request`);
    const bytes = new Uint8Array(await given.arrayBuffer());
    if (bytes.length > UPLOAD_BYTES_MAX.document) return refused(413, "Request Entity Too Large");
    if (kind === "photo" && bytes.length > UPLOAD_BYTES_MAX.photo)
      return refused(400, "Bad Request: file is too big");
    if (kind === "photo" && !isPicture(bytes)) return refused(400, "Bad Request: IMAGE_PROCESS_FAILED");
    const content = contentOf({ ...params, text: params["caption"] ?? "" });
    if (content.text.length > CAPTION_CHARS_MAX)
      return refused(400, "Bad Request: message caption is too long");
    return this.#show(chat, params, { ...content, file: { kind, name: given.name, bytes } });
  }

  #show(
    chat: number,
    params: Record<string, unknown>,
    content: Pick<TelegramMessage, "text" | "entities" | "buttons" | "file">,
  ): [number, unknown] {
    const reply = params["reply_parameters"] as { message_id: number } | undefined;
    const thread = params["message_thread_id"];
    const message: TelegramMessage = {
      message_id: this.#nextMessage++,
      chat,
      ...(thread === undefined ? {} : { thread: Number(thread) }),
      ...content,
      forceReply: (params["reply_markup"] as { force_reply?: boolean } | undefined)?.force_reply === true,
      ...(reply ? { replyTo: reply.message_id } : {}),
      edits: 0,
    };
    this.messages.push(message);
    return [200, { ok: true, result: wireOf(message) }];
  }

  #editMessage(params: Record<string, unknown>): [number, unknown] {
    const chat = Number(params["chat_id"]);
    const closed = this.closedChats.get(chat);
    if (closed) return refused(closed.error, closed.description);
    const problem = problemWith(params);
    if (problem !== undefined) return refused(400, `Bad Request: ${problem}`);
    const id = Number(params["message_id"]);
    const message = this.messages.find((each) => each.chat === chat && each.message_id === id);
    if (!message) return refused(400, "Bad Request: message to edit not found");
    if (message.file) return refused(400, "Bad Request: there is no text in the message to edit");
    const content = contentOf(params);
    const same =
      content.text === message.text &&
      JSON.stringify(content.entities) === JSON.stringify(message.entities) &&
      JSON.stringify(content.buttons) === JSON.stringify(message.buttons);
    if (same)
      return refused(
        400,
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same",
      );
    Object.assign(message, content);
    message.edits += 1;
    return [200, { ok: true, result: wireOf(message) }];
  }
}

function refused(error: number, description: string): [number, unknown] {
  return [error, { ok: false, error_code: error, description }];
}

function contentOf(params: Record<string, unknown>): Pick<TelegramMessage, "text" | "entities" | "buttons"> {
  const markup = params["reply_markup"] as
    | { inline_keyboard?: { text: string; callback_data?: string; url?: string }[][] }
    | undefined;
  return {
    text: String(params["text"]).trim(),
    entities: (params["entities"] ?? []) as TelegramEntity[],
    buttons: (markup?.inline_keyboard ?? []).map((row) =>
      row.map(({ text, callback_data, url }) => ({ text, data: callback_data ?? url ?? "" })),
    ),
  };
}

function wireOf({ message_id, chat, text }: TelegramMessage): unknown {
  return {
    message_id,
    date: 1,
    chat: { id: chat, type: chat > 0 ? "private" : "supergroup" },
    from: BOT,
    text,
  };
}

/** T3 */
function problemWith(params: Record<string, unknown>): string | undefined {
  const { text, entities, buttons } = contentOf(params);
  if (params["parse_mode"] !== undefined) return "can't parse entities: this server reads no markup";
  if (text === "") return "message text is empty";
  if (text.length > TEXT_CHARS_MAX) return "message is too long";
  if (entities.some(({ offset, length }) => offset < 0 || length <= 0 || offset + length > text.length))
    return "can't parse entities: entity is out of the text";
  for (const { data } of buttons.flat())
    if (Buffer.byteLength(data) < 1 || Buffer.byteLength(data) > CALLBACK_BYTES_MAX)
      return "BUTTON_DATA_INVALID";
  return undefined;
}

/** What a Telegram app marks in a text by itself. */
function entitiesIn(text: string): TelegramEntity[] {
  return [...text.matchAll(/(?<!\S)(?:\/[a-z0-9_]+(?:@\w+)?|@\w{4,})/giu)].map((found) => ({
    type: found[0].startsWith("/") ? "bot_command" : "mention",
    offset: found.index,
    length: found[0].length,
  }));
}

function isPicture(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  return start.startsWith("\u0089PNG") || start.startsWith("\u00ff\u00d8\u00ff") || start.endsWith("WEBP");
}

/** A JSON body, or a form in which every value that is no text is JSON, and files stand beside. */
async function readParams(
  body: Buffer<ArrayBuffer>,
  type: string,
): Promise<{ readonly params: Record<string, unknown>; readonly uploads: ReadonlyMap<string, File> }> {
  const uploads = new Map<string, File>();
  if (!type.startsWith("multipart/form-data"))
    return {
      params: body.length === 0 ? {} : (JSON.parse(body.toString()) as Record<string, unknown>),
      uploads,
    };
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const params: Record<string, unknown> = {};
  for (const [name, value] of form)
    if (value instanceof File) uploads.set(name, value);
    else params[name] = /^[[{]/.test(value) ? (JSON.parse(value) as unknown) : value;
  return { params, uploads };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error("the request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
