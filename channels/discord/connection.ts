import { createHash } from "node:crypto";
import type {
  ChannelAccount,
  ChannelChat,
  ChannelConnection,
  ChannelContent,
  ChannelContext,
  ChannelFile,
  ChannelMessage,
  ChannelPress,
  EditRequest,
  FetchedFile,
  RenderedMessage,
  SendOutcome,
  SendRequest,
} from "@elwood/sdk/channel/channel";
import { z } from "zod";
import { fetchAttachment } from "./attachments.ts";
import { Gateway, type GatewayAddress, type GatewayEvent, type GatewayState } from "./gateway.ts";
import {
  canHaveThreads,
  channelSchema,
  commandIn,
  INTERACTION,
  interactionSchema,
  isAddressed,
  isFromPerson,
  isOwnMessage,
  isThread,
  messageSchema,
  modalText,
  pressedLabel,
  readMessage,
  senderOf,
  type InboundChannel,
  type InboundInteraction,
  type InboundMessage,
} from "./inbound.ts";
import { Position } from "./position.ts";
import { formOf, NOTE_PREFIX, renderContent, uploadsOf } from "./render.ts";
import {
  DiscordRest,
  failureWords,
  TOKEN_REFUSED,
  type RestFailure,
  type RestRequest,
  type RestResult,
} from "./rest.ts";
import { intentsFor, inviteLink, refusalWords, TOKEN, type DiscordSettings } from "./settings.ts";

const EVENTS_WAITING_MAX = 2_000;
const CHANNELS_KEPT_MAX = 500;
const ANSWERS_KEPT_MAX = 200;
const NONCES_KEPT_MAX = 1_000;
const TRIES_KEPT_MAX = 1_000;
const CATCH_UP_PAGES_MAX = 3;
const PAGE_MESSAGES = 100;
const RECEIVE_RETRY_MS = { first: 1_000, most: 60_000 };
/** An interaction can be answered for fifteen minutes; the last of them is left alone. */
const ANSWER_MS_MAX = 14 * 60_000;
/** A command that nobody answered by then gets an end, so that it does not seem to go on. */
const COMMAND_SILENT_MS = 20_000;
/** Discord remembers a nonce for a few minutes. */
const NONCE_MS = 2 * 60_000;
const NONCE_CHARS = 25;
const THREAD_NAME_CHARS_MAX = 60;
const THREAD_ARCHIVE_MINUTES = 1_440;
const NOTE_CHARS_MAX = 1_000;
const MODAL_TITLE_CHARS_MAX = 45;
const COMMAND_DESCRIPTION_CHARS_MAX = 100;
const SAVE_MS = 1_000;
const TOKEN_RETRY_MS = 10 * 60_000;
const OLD_EDIT_RETRY_MS = 60_000;

const FLAGS = { suppressEmbeds: 1 << 2, ephemeral: 1 << 6, silent: 1 << 12 };
const ANSWER_TYPE = { deferMessage: 5, deferUpdate: 6, modal: 9 };
const NO_MENTIONS = { parse: [] };
const CODE = {
  unknownChannel: 10_003,
  unknownMessage: 10_008,
  missingAccess: 50_001,
  cannotMessageUser: 50_007,
  missingPermissions: 50_013,
  threadLocked: 50_083,
  tooManyOldEdits: 30_046,
  threadExists: 160_004,
};
/** Of an answer to an interaction; everything else is the id of a message. */
const ANSWER_ID = /^answer:(\d+):(\d+)$/;

const shownSchema = z.object({ content: z.string() });
const ANOTHER_PROGRAM =
  "Another program writes with this bot's token, so people may be answered twice. Stop it, or make a bot of its own for Elwood.";

const createdSchema = z.object({ id: z.string() });
const readySchema = z.object({
  user: z.object({ id: z.string(), username: z.string() }),
  application: createdSchema,
});
const gatewaySchema = z.object({
  url: z.string(),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }),
});
const accountSchema = z.object({ id: z.string(), name: z.string(), application: z.string() });

/** A slash command that Discord waits to have answered. */
interface OpenAnswer {
  readonly id: string;
  readonly token: string;
  readonly at: number;
  readonly ephemeral: boolean;
  /** The first message takes the place of "is thinking…"; others follow it. */
  used: boolean;
  /** What answers it. */
  item?: string;
}

interface Waiting {
  readonly event?: GatewayEvent;
  readonly work: () => Promise<boolean>;
}

/**
 * Discord as a channel.
 *
 * N1 Events are dealt with one after another, and an event that could not be stored is tried again.
 *    Only then is it settled; a session goes on from there, also after a restart.
 * N2 An interaction is acknowledged when it arrives, whatever waits, since Discord allows three seconds.
 * N3 Everything that a button needs is in the button: it works after a restart.
 * N4 Nothing that is sent rings anybody or unfolds a link.
 */
export class DiscordConnection implements ChannelConnection {
  readonly #context: ChannelContext<DiscordSettings>;
  readonly #rest: DiscordRest;
  readonly #position: Position;
  readonly #closing = new AbortController();
  readonly #waiting: Waiting[] = [];
  readonly #channels = new Map<string, InboundChannel>();
  readonly #answers = new Map<string, OpenAnswer>();
  /** When the first try of a message was made. */
  readonly #tries = new Map<string, number>();
  /** Of messages that this process sent. */
  readonly #nonces = new Map<string, true>();
  /** What comes now is happening now, and is no repetition of what happened before this connection. */
  #live = false;
  /** Channels in which no thread can be begun. */
  readonly #threadless = new Map<string, true>();
  #account: (ChannelAccount & { readonly application: string }) | undefined;
  #working: Promise<void> | undefined;
  #saving: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The newest event of a session that came in. */
  #newest: { readonly session: string; readonly seq: number } = { session: "", seq: 0 };
  #overflowed = false;
  #gateway: Gateway | undefined;

  private constructor(context: ChannelContext<DiscordSettings>, rest: DiscordRest, position: Position) {
    this.#context = context;
    this.#rest = rest;
    this.#position = position;
  }

  static async open(context: ChannelContext<DiscordSettings>): Promise<DiscordConnection> {
    const { settings, secrets, state, signal } = context;
    const rest = await DiscordRest.open({ token: secrets[TOKEN] ?? "", apiRoot: settings.apiRoot });
    const connection = new DiscordConnection(context, rest, await Position.load(state, intentsFor(settings)));
    await connection.#recallAccount();
    signal.addEventListener("abort", () => connection.#closing.abort(), { once: true });
    connection.#start();
    return connection;
  }

  get account(): ChannelAccount {
    if (!this.#account) return { id: "", name: "" };
    const { id, name, link } = this.#account;
    return { id, name, ...(link === undefined ? {} : { link }) };
  }

  render(content: ChannelContent): readonly RenderedMessage[] {
    return renderContent(content);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await this.#working;
    await this.#saving;
    await this.#position.save();
  }

  // ── out ────────────────────────────────────────────────────────────────────────────

  async send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const answer = this.#openAnswer(request);
    if (answer) {
      const outcome = await this.#sendAnswer(answer, request, signal);
      if (outcome) return outcome;
    }
    const begun = await this.#beginThread(request.chat, signal);
    if (begun) return begun;
    const now = this.#context.clock.now();
    const first = this.#tries.get(request.key);
    remember(this.#tries, request.key, first ?? now, TRIES_KEPT_MAX);
    // A nonce rules a repeat out while Discord remembers it, and no longer.
    const unsure = request.repeat && (first === undefined || now - first > NONCE_MS);
    const { content, components } = formOf(request.message);
    const files = uploadsOf(request.message, request.fileBytes);
    const sent = unsure ? withRepeatMark(content) : content;
    const nonce = nonceOf(request.key);
    remember(this.#nonces, nonce, true, NONCES_KEPT_MAX);
    const reference = this.#reference(request);
    const result = await this.#rest.post(`/channels/${request.chat}/messages`, {
      body: {
        content: sent,
        ...(components ? { components } : {}),
        ...(reference ? { message_reference: reference } : {}),
        flags: FLAGS.suppressEmbeds | (request.silent ? FLAGS.silent : 0),
        allowed_mentions: NO_MENTIONS,
        nonce,
        enforce_nonce: true,
      },
      files,
      signal,
    });
    const outcome = this.#outcome(result, "send");
    if (outcome.kind !== "sent") return outcome;
    this.#tries.delete(request.key);
    const shown = shownSchema.safeParse(result.ok ? result.body : undefined).data?.content;
    if (!request.repeat || shown === sent) return outcome;
    // Discord had it already, and shows what the first try said.
    const { messageId } = outcome;
    const edited = await this.edit({ chat: request.chat, messageId, message: request.message }, signal);
    return edited.kind === "sent"
      ? outcome
      : { kind: "unknown", why: "why" in edited ? edited.why : edited.kind };
  }

  async edit(request: EditRequest, signal: AbortSignal): Promise<SendOutcome> {
    // A file never changes.
    if (request.message.file) return { kind: "sent", messageId: request.messageId };
    const { content, components } = formOf(request.message);
    const body = { content, components: components ?? [], allowed_mentions: NO_MENTIONS };
    const [, answerId, messageId] = ANSWER_ID.exec(request.messageId) ?? [];
    if (answerId !== undefined && messageId !== undefined) {
      const answer = this.#answers.get(answerId);
      if (!answer || !this.#isOpen(answer))
        return { kind: "missing", why: "The answer can no longer be changed." };
      const outcome = this.#outcome(
        await this.#webhook(answer, "patch", `/messages/${messageId}`, { body, signal }),
        "edit",
      );
      return outcome.kind === "sent" ? { kind: "sent", messageId: request.messageId } : outcome;
    }
    const path = `/channels/${request.chat}/messages/${request.messageId}`;
    const files = uploadsOf(request.message);
    return this.#outcome(await this.#rest.patch(path, { body, signal, files }), "edit");
  }

  async typing(chat: string, signal: AbortSignal): Promise<void> {
    const place = this.#position.planned(chat)?.channel ?? chat;
    const result = await this.#rest.post(`/channels/${place}/typing`, { signal });
    if (!result.ok) this.#context.log.debug("typing was not shown", { why: failureWords(result.failure) });
  }

  async answerPress(press: ChannelPress, words: string, signal: AbortSignal): Promise<void> {
    if (press.reply === undefined || !this.#account) return;
    const result = await this.#rest.post(`/webhooks/${this.#account.application}/${press.reply}`, {
      body: { content: words, flags: FLAGS.ephemeral, allowed_mentions: NO_MENTIONS },
      anonymous: true,
      signal,
    });
    if (!result.ok)
      this.#context.log.debug("a press was not answered", { why: failureWords(result.failure) });
  }

  fetchFile(file: ChannelFile, signal: AbortSignal): Promise<FetchedFile> {
    return fetchAttachment(file, { rest: this.#rest, apiRoot: this.#context.settings.apiRoot, signal });
  }

  /** In a private chat everybody sees what is answered, and the message that a thread began with is not in it. */
  #reference({ chat, replyTo }: SendRequest): object | undefined {
    const known = this.#channels.get(chat);
    if (replyTo === undefined || replyTo === chat || !/^\d+$/.test(replyTo)) return undefined;
    if (!known || known.guild_id === undefined) return undefined;
    return { message_id: replyTo, fail_if_not_exists: false };
  }

  /** A chat that is a thread to be begun gets it with its first message. Undefined where the chat is there. */
  async #beginThread(chat: string, signal: AbortSignal): Promise<SendOutcome | undefined> {
    const planned = this.#position.planned(chat);
    if (!planned) return undefined;
    const result = await this.#rest.post(`/channels/${planned.channel}/messages/${planned.id}/threads`, {
      body: { name: planned.name, auto_archive_duration: THREAD_ARCHIVE_MINUTES },
      signal,
    });
    if (!result.ok && !(result.failure.kind === "refused" && result.failure.code === CODE.threadExists)) {
      // To begin one is harmless to repeat.
      if (result.failure.kind !== "refused") return this.#outcome(result, "edit");
      this.#context.log.info("no thread could be begun; the reply goes to the channel", {
        why: failureWords(result.failure),
      });
      remember(this.#threadless, planned.channel, true, CHANNELS_KEPT_MAX);
      this.#position.begun(chat);
      await this.#position.save();
      return { kind: "moved", to: planned.channel };
    }
    this.#position.begun(chat);
    await this.#position.save();
    return undefined;
  }

  /** All parts of an answer go where its first one went; only that one says what it replies to. */
  #openAnswer({ replyTo, key }: SendRequest): OpenAnswer | undefined {
    const item = key.slice(0, key.lastIndexOf("."));
    const answer =
      replyTo === undefined
        ? [...this.#answers.values()].find((each) => each.item === item)
        : this.#answers.get(replyTo);
    if (!answer || !this.#isOpen(answer)) return undefined;
    answer.item ??= item;
    return answer.item === item ? answer : undefined;
  }

  #isOpen({ at }: OpenAnswer): boolean {
    return this.#context.clock.now() - at < ANSWER_MS_MAX;
  }

  /** Undefined where Discord no longer takes an answer: then it is a message like any other. */
  async #sendAnswer(
    answer: OpenAnswer,
    { message, fileBytes }: SendRequest,
    signal: AbortSignal,
  ): Promise<SendOutcome | undefined> {
    const { content, components } = formOf(message);
    const body = {
      content,
      ...(components ? { components } : {}),
      flags: FLAGS.suppressEmbeds | (answer.ephemeral ? FLAGS.ephemeral : 0),
      allowed_mentions: NO_MENTIONS,
    };
    const request: RestRequest = { body, signal, files: uploadsOf(message, fileBytes) };
    const result = answer.used
      ? await this.#webhook(answer, "post", "", request)
      : await this.#webhook(answer, "patch", "/messages/@original", request);
    if (!result.ok && result.failure.kind === "refused") {
      this.#answers.delete(answer.id);
      return undefined;
    }
    const outcome = this.#outcome(result, answer.used ? "send" : "edit");
    if (outcome.kind !== "sent") return outcome;
    answer.used = true;
    return { kind: "sent", messageId: `answer:${answer.id}:${outcome.messageId}` };
  }

  #webhook(
    { token }: OpenAnswer,
    method: "post" | "patch",
    path: string,
    request: RestRequest,
  ): Promise<RestResult> {
    const application = this.#account?.application ?? "";
    return this.#rest[method](`/webhooks/${application}/${token}${path}`, { ...request, anonymous: true });
  }

  #outcome(result: RestResult, what: "send" | "edit"): SendOutcome {
    if (result.ok) {
      const created = createdSchema.safeParse(result.body);
      if (created.success) return { kind: "sent", messageId: created.data.id };
      return { kind: what === "send" ? "unknown" : "retry", why: "Discord's answer could not be read." };
    }
    const { failure } = result;
    const why = failureWords(failure);
    switch (failure.kind) {
      case "limited":
        return { kind: "retry", why, afterMs: failure.afterMs };
      case "offline":
        return { kind: "retry", why, offline: true };
      case "lost":
        return what === "send" ? { kind: "unknown", why } : { kind: "retry", why };
      case "refused":
        return this.#refusal(failure, why, what);
      default:
        return failure satisfies never;
    }
  }

  #refusal(
    failure: Extract<RestFailure, { kind: "refused" }>,
    why: string,
    what: "send" | "edit",
  ): SendOutcome {
    switch (failure.code) {
      case CODE.unknownChannel:
      case CODE.missingAccess:
      case CODE.cannotMessageUser:
      case CODE.missingPermissions:
      case CODE.threadLocked:
        return { kind: "gone", why };
      case CODE.unknownMessage:
        return what === "edit" ? { kind: "missing", why } : { kind: "refused", why };
      case CODE.tooManyOldEdits:
        return { kind: "retry", why, afterMs: OLD_EDIT_RETRY_MS };
      default:
    }
    if (failure.status !== 401) return { kind: "refused", why };
    this.#context.report({ state: "failed", problem: TOKEN_REFUSED });
    return { kind: "retry", why, afterMs: TOKEN_RETRY_MS };
  }

  // ── in ─────────────────────────────────────────────────────────────────────────────

  #start(): void {
    const { clock, log, settings, secrets } = this.#context;
    this.#context.report({ state: "connecting" });
    this.#gateway = new Gateway({
      token: secrets[TOKEN] ?? "",
      intents: intentsFor(settings),
      clock,
      log,
      signal: this.#closing.signal,
      address: () => this.#address(),
      session: () => this.#session(),
      begin: (session) => this.#position.begin(session),
      onEvent: (event) => this.#arrived(event),
      onState: (state) => this.#reportState(state),
    });
    this.#running = this.#gateway.run().catch((error: unknown) => {
      log.error("the connection to Discord ended by a fault", { error });
      this.#context.report({
        state: "failed",
        problem:
          "The connection to Discord ended by a fault in Elwood; its log says more. Start Elwood again.",
      });
    });
  }

  #session() {
    const session = this.#position.session;
    const { gatewayUrl } = this.#context.settings;
    return session && gatewayUrl !== undefined ? { ...session, url: gatewayUrl } : session;
  }

  async #address(): Promise<GatewayAddress> {
    const result = await this.#rest.get("/gateway/bot", { signal: this.#closing.signal });
    if (!result.ok) {
      const { failure } = result;
      const refused = failure.kind === "refused" && failure.status === 401;
      return { ok: false, why: failureWords(failure), ...(refused ? { code: 4004 } : {}) };
    }
    const read = gatewaySchema.safeParse(result.body);
    if (!read.success) return { ok: false, why: "Discord did not say where its gateway is." };
    const { url, session_start_limit: limit } = read.data;
    return {
      ok: true,
      url: this.#context.settings.gatewayUrl ?? url,
      loginsLeft: limit.remaining,
      resetMs: limit.reset_after,
    };
  }

  #reportState(state: GatewayState): void {
    const { settings } = this.#context;
    switch (state.kind) {
      case "connected":
        this.#live = true;
        if (!state.resumed) this.#queue({ work: () => this.#catchUp() });
        return this.#context.report({ state: "connected" });
      case "waiting":
        this.#live = false;
        return this.#context.report({
          state: "waiting",
          problem: `${state.why} Elwood connects again by itself.`,
        });
      case "refused": {
        const problem = state.code === 4004 ? TOKEN_REFUSED : refusalWords(state.code, settings);
        return this.#context.report({ state: "failed", problem });
      }
      default:
        state satisfies never;
    }
  }

  #arrived(event: GatewayEvent): void {
    const { session, seq, type } = event;
    // A session that goes on repeats what is not stored yet, some of which may still wait here.
    if (session === this.#newest.session && seq <= this.#newest.seq) return;
    if (this.#overflowed || this.#waiting.length >= EVENTS_WAITING_MAX) return this.#overflow();
    this.#newest = { session, seq };
    if (type === "READY") this.#ready(event.data);
    if (type === "INTERACTION_CREATE") return this.#interaction(event);
    if (type === "MESSAGE_CREATE" && this.#live) this.#noticeOthers(event.data);
    this.#queue({ event, work: () => this.#dealWith(event) });
  }

  /** Discord lets any number of programs use one bot, and gives each of them everything. */
  #noticeOthers(data: unknown): void {
    const message = messageSchema.safeParse(data).data;
    if (!message || !isOwnMessage(message, this.#account?.id ?? "")) return;
    if (this.#nonces.has(String(message.nonce ?? ""))) return;
    this.#context.log.warn("another program writes with this Discord bot's token", {
      channel: message.channel_id,
    });
    this.#context.report({ state: "connected", problem: ANOTHER_PROGRAM });
  }

  /** More events wait than are kept: the rest comes again once there is room. */
  #overflow(): void {
    if (this.#overflowed) return;
    this.#overflowed = true;
    this.#context.log.warn(
      "messages from Discord come faster than they are stored; the rest is fetched again",
    );
  }

  #queue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** N1 */
  async #work(): Promise<void> {
    const { clock, log } = this.#context;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted;) {
      const [next] = this.#waiting;
      if (!next) break;
      try {
        const mattered = await next.work();
        this.#waiting.shift();
        failures = 0;
        if (next.event) this.#position.settle(next.event.session, next.event.seq);
        if (mattered) this.#saveSoon();
      } catch (error) {
        log.warn("an event of Discord's could not be stored; it is tried again", { error });
        await clock.sleep(
          Math.min(RECEIVE_RETRY_MS.most, RECEIVE_RETRY_MS.first * 2 ** Math.min(failures, 16)),
          signal,
        );
        failures += 1;
      }
    }
    if (!this.#overflowed || signal.aborted) return;
    this.#overflowed = false;
    this.#gateway?.reconnect();
  }

  /** A position that is a moment old only makes Discord repeat what is stored; it costs no reply the time of a write. */
  #saveSoon(): void {
    this.#saving ??= this.#context.clock
      .sleep(SAVE_MS, this.#closing.signal)
      .then(() => {
        this.#saving = undefined;
        return this.#position.save();
      })
      .catch((error: unknown) =>
        this.#context.log.warn("the position in Discord could not be stored", { error }),
      );
  }

  #ready(data: unknown): void {
    const ready = readySchema.safeParse(data);
    if (!ready.success) return;
    const { user, application } = ready.data;
    this.#account = {
      id: user.id,
      name: user.username,
      application: application.id,
      link: inviteLink(application.id),
    };
    const { id, name } = this.#account;
    this.#inBackground("the account could not be noted", async () => {
      // A session that is known can be continued from its first event on.
      await this.#position.save();
      await this.#context.state.write("account", JSON.stringify({ id, name, application: application.id }));
      await this.#registerCommands(application.id);
    });
  }

  async #recallAccount(): Promise<void> {
    const stored = accountSchema.safeParse(parseJson(await this.#context.state.read("account")));
    if (stored.success) this.#account = { ...stored.data, link: inviteLink(stored.data.application) };
  }

  /** Once, until they change: Discord keeps them. */
  async #registerCommands(application: string): Promise<void> {
    const { commands, state, log } = this.#context;
    const body = commands.map(({ name, description, argument }) => ({
      type: 1,
      name,
      description: description.slice(0, COMMAND_DESCRIPTION_CHARS_MAX),
      ...(argument === undefined
        ? {}
        : {
            options: [
              {
                type: 3,
                name: "text",
                description: argument.slice(0, COMMAND_DESCRIPTION_CHARS_MAX),
                required: false,
              },
            ],
          }),
      contexts: [0, 1],
      integration_types: [0],
    }));
    const digest = createHash("sha256")
      .update(JSON.stringify([application, body]))
      .digest("hex");
    if ((await state.read("commands")) === digest) return;
    const result = await this.#rest.put(`/applications/${application}/commands`, {
      body,
      signal: this.#closing.signal,
    });
    if (result.ok) await state.write("commands", digest);
    else
      log.warn(
        "the commands could not be registered with Discord; it is tried again at the next connection",
        { why: failureWords(result.failure) },
      );
  }

  /** True where it led to something that is stored. */
  async #dealWith({ type, data }: GatewayEvent): Promise<boolean> {
    switch (type) {
      case "MESSAGE_CREATE":
      case "MESSAGE_UPDATE": {
        const message = messageSchema.safeParse(data);
        // Discord updates messages for reasons of its own too, such as a link that it unfolds.
        const changed = type === "MESSAGE_CREATE" || typeof message.data?.edited_timestamp === "string";
        return message.success && changed ? this.#message(message.data) : false;
      }
      case "CHANNEL_UPDATE":
      case "THREAD_UPDATE": {
        const channel = channelSchema.safeParse(data);
        if (channel.success) this.#channels.delete(channel.data.id);
        return false;
      }
      case "CHANNEL_DELETE":
      case "THREAD_DELETE": {
        const channel = createdSchema.safeParse(data);
        return channel.success ? this.#gone(channel.data.id) : false;
      }
      default:
        return false;
    }
  }

  async #gone(id: string): Promise<boolean> {
    await this.#context.receive({ kind: "gone", id: `gone:${id}`, chat: id, why: "It was deleted." });
    this.#channels.delete(id);
    this.#position.leave(id);
    return true;
  }

  async #message(message: InboundMessage): Promise<boolean> {
    const botId = this.#account?.id ?? "";
    if (!isFromPerson(message)) return false;
    const silent = message.content === "" && message.attachments.length === 0;
    if (silent && !isAddressed(message, botId, undefined)) return false;
    const channel = message.guild_id === undefined ? undefined : await this.#channel(message.channel_id);
    if (!isAddressed(message, botId, channel)) return false;
    const chat = await this.#chatOf(message, channel);
    await this.#context.receive(readMessage(message, { botId, chat, commands: this.#context.commands }));
    this.#position.read(message.channel_id, message.id);
    return true;
  }

  /** A message in a channel begins a task, which gets a thread; in a thread it belongs to that one. */
  async #chatOf(message: InboundMessage, channel: InboundChannel | undefined): Promise<ChannelChat> {
    if (message.guild_id === undefined) return { id: message.channel_id, kind: "private" };
    const title = channel?.name ?? undefined;
    const named = title === undefined ? {} : { title };
    if (channel && canHaveThreads(channel) && !this.#threadless.has(channel.id)) {
      this.#position.plan({ id: message.id, channel: channel.id, name: threadName(message) });
      // Before anything is sent there.
      await this.#position.save();
      return { id: message.id, kind: "group", groupId: channel.id, ...named };
    }
    return { id: message.channel_id, kind: "group", groupId: groupOf(channel, message.channel_id), ...named };
  }

  /** Undefined where the bot may not look at it. */
  async #channel(id: string): Promise<InboundChannel | undefined> {
    const known = this.#channels.get(id);
    if (known) return known;
    const result = await this.#rest.get(`/channels/${id}`, { signal: this.#closing.signal });
    if (!result.ok && result.failure.kind === "refused") return undefined;
    if (!result.ok) throw new Error(failureWords(result.failure));
    const channel = channelSchema.safeParse(result.body);
    if (!channel.success) return undefined;
    remember(this.#channels, id, channel.data, CHANNELS_KEPT_MAX);
    return channel.data;
  }

  /** A new session knows nothing of what was written since the last one: it is read where people have written before. */
  async #catchUp(): Promise<boolean> {
    for (const [place, last] of this.#position.places) {
      let after = last;
      for (let page = 0; page < CATCH_UP_PAGES_MAX; page += 1) {
        const messages = await this.#messagesAfter(place, after);
        for (const message of messages) {
          await this.#message(message);
          after = message.id;
        }
        if (messages.length < PAGE_MESSAGES) break;
      }
    }
    return true;
  }

  /** Oldest first. */
  async #messagesAfter(place: string, after: string): Promise<readonly InboundMessage[]> {
    const query = { after, limit: String(PAGE_MESSAGES) };
    const result = await this.#rest.get(`/channels/${place}/messages`, {
      query,
      signal: this.#closing.signal,
    });
    if (!result.ok && result.failure.kind === "refused") {
      this.#position.leave(place);
      return [];
    }
    if (!result.ok) throw new Error(failureWords(result.failure));
    const guild = (await this.#channel(place))?.guild_id;
    return z
      .array(z.unknown())
      .catch([])
      .parse(result.body)
      .flatMap((each) => messageSchema.safeParse(each).data ?? [])
      .map((message) => (guild === undefined ? message : { ...message, guild_id: guild }))
      .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  }

  /** N2 */
  #interaction(event: GatewayEvent): void {
    const parsed = interactionSchema.safeParse(event.data);
    const interaction = parsed.data;
    const by = interaction?.member?.user ?? interaction?.user;
    if (!interaction || !by) return this.#queue({ event, work: async () => false });
    const { custom_id: custom = "" } = interaction.data;
    if (interaction.type === INTERACTION.button && custom.startsWith(NOTE_PREFIX)) {
      void this.#acknowledge(interaction, { type: ANSWER_TYPE.modal, data: noteModal(interaction) });
      return this.#queue({ event, work: async () => false });
    }
    const from = senderOf(by);
    if (interaction.type === INTERACTION.command) {
      const ephemeral = interaction.guild_id !== undefined;
      const data = ephemeral ? { flags: FLAGS.ephemeral } : {};
      const acknowledged = this.#acknowledge(interaction, { type: ANSWER_TYPE.deferMessage, data });
      return this.#queue({ event, work: () => this.#command(interaction, from, acknowledged, ephemeral) });
    }
    if (interaction.type === INTERACTION.button || interaction.type === INTERACTION.modal) {
      void this.#acknowledge(interaction, { type: ANSWER_TYPE.deferUpdate });
      return this.#queue({ event, work: () => this.#press(interaction, from) });
    }
    return this.#queue({ event, work: async () => false });
  }

  async #acknowledge({ id, token }: InboundInteraction, body: object): Promise<boolean> {
    const result = await this.#rest.post(`/interactions/${id}/${token}/callback`, {
      body,
      anonymous: true,
      signal: this.#closing.signal,
    });
    if (!result.ok)
      this.#context.log.info("an interaction could not be acknowledged", {
        why: failureWords(result.failure),
      });
    return result.ok;
  }

  async #command(
    interaction: InboundInteraction,
    from: ChannelMessage["from"],
    acknowledged: Promise<boolean>,
    ephemeral: boolean,
  ): Promise<boolean> {
    const { clock, commands } = this.#context;
    const { id, token, data } = interaction;
    const argument = String(data.options?.[0]?.value ?? "").trim();
    const text = `/${data.name ?? ""} ${argument}`.trim();
    const command = commandIn(text, commands);
    if (!this.#answers.has(id) && (await acknowledged))
      remember(this.#answers, id, { id, token, at: clock.now(), ephemeral, used: false }, ANSWERS_KEPT_MAX);
    await this.#context.receive({
      kind: "message",
      id: `interaction:${id}`,
      messageId: id,
      chat: await this.#chatOfInteraction(interaction),
      from,
      sentAt: clock.now(),
      text,
      addressed: true,
      ...(command ? { command } : {}),
    });
    this.#inBackground("a command without an answer could not be ended", () => this.#endSilence(id));
    return true;
  }

  /** Whoever may not use a command hears nothing of Elwood's; Discord would show that it goes on thinking. */
  async #endSilence(id: string): Promise<void> {
    await this.#context.clock.sleep(COMMAND_SILENT_MS, this.#closing.signal);
    const answer = this.#answers.get(id);
    if (!answer || answer.used || !this.#isOpen(answer)) return;
    answer.used = true;
    const body = { content: "There is no answer to this here.", allowed_mentions: NO_MENTIONS };
    await this.#webhook(answer, "patch", "/messages/@original", { body, signal: this.#closing.signal });
  }

  async #press(interaction: InboundInteraction, from: ChannelMessage["from"]): Promise<boolean> {
    const { id, token, message, data, type } = interaction;
    if (!message) return false;
    const custom = data.custom_id ?? "";
    const note = type === INTERACTION.modal ? modalText(interaction).trim() : "";
    await this.#context.receive({
      kind: "press",
      id: `interaction:${id}`,
      chat: await this.#chatOfInteraction(interaction),
      from,
      data: custom.startsWith(NOTE_PREFIX) ? custom.slice(NOTE_PREFIX.length) : custom,
      messageId: message.id,
      reply: token,
      ...(note === "" ? {} : { note }),
    });
    return true;
  }

  async #chatOfInteraction(interaction: InboundInteraction): Promise<ChannelChat> {
    const { channel_id: id, guild_id: guild } = interaction;
    if (guild === undefined) return { id, kind: "private" };
    const channel = await this.#channel(id);
    const title = channel?.name ?? undefined;
    return { id, kind: "group", groupId: groupOf(channel, id), ...(title === undefined ? {} : { title }) };
  }

  #inBackground(problem: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => this.#context.log.warn(problem, { error }));
  }
}

function groupOf(channel: InboundChannel | undefined, id: string): string {
  return channel && isThread(channel) ? (channel.parent_id ?? id) : id;
}

function nonceOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, NONCE_CHARS);
}

const REPEAT_MARK = "-# This may be a repeat.\n";

function withRepeatMark(content: string): string {
  return content.length + REPEAT_MARK.length <= 2_000 ? REPEAT_MARK + content : content;
}

function threadName({ content }: InboundMessage): string {
  const words = content
    .replaceAll(/<[^>\s]{1,40}>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const cut =
    words.length > THREAD_NAME_CHARS_MAX ? `${words.slice(0, THREAD_NAME_CHARS_MAX).trimEnd()}…` : words;
  return cut === "" ? "Task" : cut;
}

/** Asks for the words that go with a button. */
function noteModal(interaction: InboundInteraction): object {
  return {
    custom_id: interaction.data.custom_id,
    title: pressedLabel(interaction)?.slice(0, MODAL_TITLE_CHARS_MAX) ?? "Elwood",
    components: [
      {
        type: 1,
        components: [
          {
            type: 4,
            custom_id: "note",
            style: 2,
            label: "A note for Elwood, if you like",
            required: false,
            max_length: NOTE_CHARS_MAX,
          },
        ],
      },
    ],
  };
}

function remember<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}
