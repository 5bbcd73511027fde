import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "@elwood/runtime/ports/ports";
import { WebSocketServer, type WebSocket } from "ws";
import {
  CHANNEL_TYPES,
  DiscordWorld,
  type DiscordAttachment,
  type DiscordChannel,
  type DiscordMessage,
  type DiscordUser,
  type Json,
  type StoredFile,
} from "./discord-world.ts";

/** A request as it arrived, and how it was answered. */
export interface DiscordRequest {
  /** Counts requests in the order of arrival, from 1. */
  readonly at: number;
  readonly method: string;
  /** Below `/api/v10`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly files: readonly StoredFile[];
  /** Absent while it is open, and where the connection was cut. */
  status?: number;
}

/** A frame that came in on the gateway's socket. */
export interface GatewayFrame {
  readonly op: number;
  readonly d: unknown;
}

/** How the next request that fits goes wrong. */
export type DiscordFault =
  /** An answer instead of the work. */
  | { readonly kind: "answer"; readonly status: number; readonly body?: Json }
  | { readonly kind: "limited"; readonly retryAfterSeconds: number; readonly global?: boolean }
  /** The connection breaks before, or after, the work is done. */
  | { readonly kind: "lost"; readonly when: "before" | "after" }
  /** The work is done and no answer comes until the client gives up. */
  | { readonly kind: "silent" };

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: number;
  readonly by: DiscordUser;
  readonly channelId: string;
  readonly at: number;
  readonly custom?: string;
  /** The message whose button was pressed. */
  readonly message?: DiscordMessage;
  /** The first answer: its type, and what it said. */
  answer?: { readonly type: number; readonly data: Json };
  /** The message that shows the answer. */
  original?: DiscordMessage;
}

export interface DiscordServerOptions {
  readonly clock: Pick<Clock, "now">;
  readonly token?: string;
  /** Whether "Message Content Intent" is switched on in the portal. */
  readonly messageContent?: boolean;
  readonly heartbeatMs?: number;
  /** Identifies left today. */
  readonly sessionsLeft?: number;
}

export const INTENTS = { guilds: 1, guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 };
export const EPHEMERAL = 64;

const API = "/api/v10";
const CONTENT_CHARS_MAX = 2_000;
const FILES_MAX = 10;
const FILE_BYTES_MAX = 10 * 1024 * 1024;
const NONCE_CHARS_MAX = 25;
const INTERACTION_ANSWER_MS = 3_000;
const INTERACTION_TOKEN_MS = 15 * 60_000;
/** How long Discord remembers a nonce. */
const NONCE_MS = 5 * 60_000;
const EVENTS_KEPT_MAX = 1_000;
const LEDGER_MAX = 20_000;
const BODY_BYTES_MAX = 64 * 1024 * 1024;

interface Session {
  readonly id: string;
  readonly intents: number;
  seq: number;
  events: { readonly op: 0; readonly s: number; readonly t: string; readonly d: unknown }[];
  socket?: WebSocket;
}

/** Starts Discord on 127.0.0.1: its REST API, its gateway, and the place where its files are. */
export async function startDiscord(options: DiscordServerOptions): Promise<DiscordServer> {
  const server = new DiscordServer(options);
  await server.start();
  return server;
}

/**
 * Discord, as a bot meets it: REST version 10 and the gateway protocol on one port, with a
 * ledger of everything that came in. Tests act as people (`say`, `press`, `command`), look at
 * what people see (`messages`, `seenBy`), and break things (`fault`, `drop`, `goOffline`).
 *
 * D1 It refuses what Discord refuses, with Discord's codes.
 * D2 A message that was created with `enforce_nonce` is not created twice within minutes.
 * D3 A session can be resumed from any event that it still has; every later event comes again.
 * D4 Without the intent for message content, a bot gets the words of private messages, of those that
 *    mention it, and of its own; other messages come without them.
 */
export class DiscordServer {
  readonly world: DiscordWorld;
  readonly bot: DiscordUser;
  readonly applicationId: string;
  readonly token: string;
  readonly requests: DiscordRequest[] = [];
  readonly frames: GatewayFrame[] = [];
  readonly interactions = new Map<string, Interaction>();
  /** Slash commands, as they are registered. */
  commands: readonly Json[] = [];
  messageContent: boolean;
  sessionsLeft: number;
  /** Whether heartbeats are answered. */
  answersHeartbeats = true;
  readonly #options: DiscordServerOptions;
  readonly #http = createServer((req, res) => void this.#serve(req, res));
  readonly #gateway = new WebSocketServer({ noServer: true });
  readonly #connections = new Set<Socket>();
  readonly #sessions = new Map<string, Session>();
  readonly #faults: { readonly fits: (request: DiscordRequest) => boolean; readonly fault: DiscordFault }[] =
    [];
  readonly #nonces = new Map<string, { readonly message: DiscordMessage; readonly at: number }>();
  readonly #watchers = new Set<() => void>();
  readonly #blockedBy = new Set<string>();
  #offline = false;
  #port = 0;
  #count = 0;

  constructor(options: DiscordServerOptions) {
    this.#options = options;
    this.world = new DiscordWorld(options.clock);
    this.token = options.token ?? "loopback-discord-token";
    this.messageContent = options.messageContent ?? false;
    this.sessionsLeft = options.sessionsLeft ?? 1_000;
    this.bot = { id: this.world.nextId(), username: "elwood", bot: true };
    this.applicationId = this.bot.id;
    this.#http.on("connection", (socket) => {
      if (this.#offline) socket.destroy();
      this.#connections.add(socket);
      socket.on("close", () => this.#connections.delete(socket));
    });
    this.#http.on("upgrade", (req, socket, head) => {
      this.#gateway.handleUpgrade(req, socket, head, (ws) => this.#welcome(ws));
    });
  }

  async start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#http.once("error", reject);
    this.#http.listen(this.#port, "127.0.0.1", resolve);
    await promise;
    this.#port = (this.#http.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#http.close(() => resolve());
    for (const socket of this.#connections) socket.destroy();
    await promise;
  }

  /** What `discord.apiRoot` is to be. */
  get apiRoot(): string {
    return `http://127.0.0.1:${this.#port}/api`;
  }

  /** Where its files are. */
  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get gatewayUrl(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  // ── people and places ──────────────────────────────────────────────────────────────

  person(name: string): DiscordUser {
    return { id: this.world.nextId(), username: name.toLowerCase(), global_name: name };
  }

  /** A server with one text channel. */
  guild(name: string): { readonly id: string; readonly channel: DiscordChannel } {
    const id = this.world.nextId();
    const channel = this.world.addChannel({ type: CHANNEL_TYPES.text, guild_id: id, name: "general" });
    this.world.guilds.set(id, { id, name, channels: [channel.id] });
    this.#dispatch("GUILD_CREATE", this.#guildEvent(id), () => true);
    return { id, channel };
  }

  privateChat(user: DiscordUser): DiscordChannel {
    return this.world.privateChannel(user);
  }

  mention(): string {
    return `<@${this.bot.id}>`;
  }

  /** From now on this person takes no messages from the bot. */
  block(user: DiscordUser): void {
    this.#blockedBy.add(user.id);
  }

  /** Somebody writes a message. */
  say(
    by: DiscordUser,
    channelId: string,
    content: string,
    more: Partial<DiscordMessage> & { readonly replyTo?: string } = {},
  ): DiscordMessage {
    const { replyTo, ...rest } = more;
    const answered = replyTo === undefined ? undefined : this.world.messages.get(replyTo);
    const rung = content.includes(this.mention()) || answered?.author.id === this.bot.id;
    const message = this.world.addMessage({
      channel_id: channelId,
      author: by,
      content,
      mentions: rung ? [this.bot] : [],
      ...(answered
        ? {
            message_reference: { type: 0, message_id: answered.id, channel_id: channelId },
            referenced_message: answered,
          }
        : {}),
      ...rest,
    });
    this.#announce("MESSAGE_CREATE", message);
    return message;
  }

  /** Somebody changes what they wrote. */
  change(messageId: string, content: string): void {
    const message = this.#message(messageId);
    message.content = content;
    message.edited_timestamp = this.world.timestamp();
    this.#announce("MESSAGE_UPDATE", message);
  }

  attachment(file: {
    readonly name: string;
    readonly type: string;
    readonly text: string;
  }): DiscordAttachment {
    return this.world.addFile({ ...file, bytes: Buffer.from(file.text) }, `http://127.0.0.1:${this.#port}`);
  }

  /** Somebody presses the button with this custom id. */
  press(by: DiscordUser, messageId: string, custom: string): Interaction {
    const message = this.#message(messageId);
    return this.#interact(
      by,
      message.channel_id,
      { type: 3, custom, message },
      { component_type: 2, custom_id: custom },
    );
  }

  /** Somebody uses a slash command. */
  command(by: DiscordUser, channelId: string, name: string, argument?: string): Interaction {
    const known = this.commands.find((each) => each["name"] === name);
    const option = (known?.["options"] as readonly Json[] | undefined)?.[0];
    return this.#interact(
      by,
      channelId,
      { type: 2 },
      {
        id: this.world.nextId(),
        name,
        type: 1,
        ...(argument === undefined
          ? {}
          : { options: [{ name: option?.["name"] ?? "text", type: 3, value: argument }] }),
      },
    );
  }

  /** Somebody fills in the modal that answered their press. */
  submit(opened: Interaction, text: string): Interaction {
    const modal = opened.answer?.type === 9 ? opened.answer.data : undefined;
    if (!modal) throw new Error("no modal was opened");
    const input = inputsOf(modal)[0];
    return this.#interact(
      opened.by,
      opened.channelId,
      { type: 5, custom: textOf(modal["custom_id"]), ...(opened.message ? { message: opened.message } : {}) },
      {
        custom_id: modal["custom_id"],
        components: [{ type: 1, components: [{ type: 4, custom_id: input?.["custom_id"], value: text }] }],
      },
    );
  }

  deleteChannel(channelId: string): void {
    const channel = this.world.channels.get(channelId);
    if (!channel) throw new Error(`no channel ${channelId}`);
    this.world.channels.delete(channelId);
    const isThread = channel.type === CHANNEL_TYPES.thread;
    this.#dispatch(isThread ? "THREAD_DELETE" : "CHANNEL_DELETE", channel, () => true);
  }

  // ── what is there to see ───────────────────────────────────────────────────────────

  /** The messages of a channel that everybody in it sees. */
  messages(channelId: string): readonly DiscordMessage[] {
    return this.world.messagesIn(channelId).filter(({ ephemeralFor }) => ephemeralFor === undefined);
  }

  /** What the bot wrote there. */
  written(channelId: string): readonly DiscordMessage[] {
    return this.messages(channelId).filter(({ author }) => author.id === this.bot.id);
  }

  /** What the bot showed to this person alone. */
  whispers(user: DiscordUser): readonly DiscordMessage[] {
    return [...this.world.messages.values()].filter(({ ephemeralFor }) => ephemeralFor === user.id);
  }

  requestsOf(method: string, path: RegExp): readonly DiscordRequest[] {
    return this.requests.filter((each) => each.method === method && path.test(each.path));
  }

  framesOf(op: number): readonly GatewayFrame[] {
    return this.frames.filter((frame) => frame.op === op);
  }

  get connected(): boolean {
    return [...this.#sessions.values()].some(({ socket }) => socket !== undefined);
  }

  /** Resolves once it is so. Looks again whenever something happened here. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.add(resolve);
      await promise;
    }
  }

  // ── what goes wrong ────────────────────────────────────────────────────────────────

  /** The next request that fits goes wrong; several wait for their turn. */
  fault(method: string, path: RegExp, fault: DiscordFault): void {
    this.#faults.push({ fits: (request) => request.method === method && path.test(request.path), fault });
  }

  /** Closes the gateway's sockets with this code, or cuts them. Sessions stay. */
  drop(code?: number): void {
    for (const session of this.#sessions.values()) {
      if (code === undefined) session.socket?.terminate();
      else session.socket?.close(code);
      delete session.socket;
    }
  }

  /** Asks every client to connect again (opcode 7). */
  askReconnect(): void {
    for (const { socket } of this.#sessions.values()) socket?.send(JSON.stringify({ op: 7, d: null }));
  }

  /** No session can be resumed any more. */
  forgetSessions(): void {
    this.drop();
    this.#sessions.clear();
  }

  /** Nobody reaches it until `goOnline`. */
  async goOffline(): Promise<void> {
    this.#offline = true;
    this.drop();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#http.close(() => resolve());
    for (const socket of this.#connections) socket.destroy();
    await promise;
  }

  async goOnline(): Promise<void> {
    this.#offline = false;
    await this.start();
  }

  // ── gateway ────────────────────────────────────────────────────────────────────────

  #welcome(socket: WebSocket): void {
    send(socket, { op: 10, d: { heartbeat_interval: this.#options.heartbeatMs ?? 41_250 } });
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as GatewayFrame;
      this.frames.push(frame);
      if (this.frames.length > LEDGER_MAX) this.frames.shift();
      if (frame.op === 1 && this.answersHeartbeats) send(socket, { op: 11 });
      else if (frame.op === 2) this.#identify(socket, frame.d as Json);
      else if (frame.op === 6) this.#resume(socket, frame.d as Json);
      this.#changed();
    });
    socket.on("close", () => {
      for (const session of this.#sessions.values()) if (session.socket === socket) delete session.socket;
      this.#changed();
    });
  }

  #identify(socket: WebSocket, d: Json): void {
    const intents = Number(d["intents"]);
    if (d["token"] !== this.token) return socket.close(4004, "Authentication failed.");
    if (intents & INTENTS.messageContent && !this.messageContent)
      return socket.close(4014, "Disallowed intent(s).");
    this.sessionsLeft -= 1;
    const session: Session = { id: `session-${this.world.nextId()}`, intents, seq: 0, events: [], socket };
    this.#sessions.set(session.id, session);
    this.#give(session, "READY", {
      v: 10,
      user: this.bot,
      guilds: [...this.world.guilds.keys()].map((id) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.gatewayUrl,
      application: { id: this.applicationId, flags: this.#applicationFlags() },
    });
    for (const id of this.world.guilds.keys()) this.#give(session, "GUILD_CREATE", this.#guildEvent(id));
  }

  #resume(socket: WebSocket, d: Json): void {
    const session = this.#sessions.get(textOf(d["session_id"]));
    const seq = Number(d["seq"]);
    if (d["token"] !== this.token) return socket.close(4004, "Authentication failed.");
    if (!session) return send(socket, { op: 9, d: false });
    if (seq > session.seq) return socket.close(4007, "Invalid seq.");
    session.socket = socket;
    for (const event of session.events.filter(({ s }) => s > seq)) send(socket, event);
    this.#give(session, "RESUMED", {});
  }

  #announce(type: string, message: DiscordMessage): void {
    this.#dispatch(type, message, (session) => {
      const wanted = message.guild_id === undefined ? INTENTS.directMessages : INTENTS.guildMessages;
      if (!(session.intents & wanted)) return false;
      return this.#withContent(message, session.intents & INTENTS.messageContent);
    });
  }

  /** D4 */
  #withContent(message: DiscordMessage, allowed: number): Json {
    const wire = wireOf(message);
    const own = message.author.id === this.bot.id || message.mentions.some(({ id }) => id === this.bot.id);
    if (allowed || own || message.guild_id === undefined) return wire;
    return { ...wire, content: "", attachments: [], components: [], embeds: [] };
  }

  #dispatch(type: string, data: unknown, forSession: (session: Session) => boolean | Json): void {
    for (const session of this.#sessions.values()) {
      const given = forSession(session);
      if (given !== false) this.#give(session, type, given === true ? data : given);
    }
    this.#changed();
  }

  #give(session: Session, type: string, data: unknown): void {
    session.seq += 1;
    const event = { op: 0 as const, s: session.seq, t: type, d: data };
    session.events.push(event);
    if (session.events.length > EVENTS_KEPT_MAX) session.events.shift();
    if (session.socket) send(session.socket, event);
  }

  #guildEvent(id: string): Json {
    const all = [...this.world.channels.values()].filter(({ guild_id }) => guild_id === id);
    return {
      id,
      name: this.world.guilds.get(id)?.name,
      channels: all.filter(({ type }) => type !== CHANNEL_TYPES.thread),
      threads: all.filter(({ type }) => type === CHANNEL_TYPES.thread),
    };
  }

  #applicationFlags(): number {
    return this.messageContent ? 1 << 19 : 0;
  }

  #interact(
    by: DiscordUser,
    channelId: string,
    what: Pick<Interaction, "type" | "custom" | "message">,
    data: Json,
  ): Interaction {
    const channel = this.world.channels.get(channelId);
    if (!channel) throw new Error(`no channel ${channelId}`);
    const id = this.world.nextId();
    const interaction: Interaction = {
      id,
      token: `token-${id}`,
      by,
      channelId,
      at: this.#options.clock.now(),
      ...what,
    };
    this.interactions.set(id, interaction);
    const inGuild = channel.guild_id !== undefined;
    const event = {
      id,
      application_id: this.applicationId,
      type: what.type,
      token: interaction.token,
      version: 1,
      channel_id: channelId,
      channel,
      data,
      ...(inGuild ? { guild_id: channel.guild_id, member: { user: by } } : { user: by }),
      ...(what.message ? { message: what.message } : {}),
      context: inGuild ? 0 : 1,
      attachment_size_limit: 10 * 1024 * 1024,
    };
    this.#dispatch("INTERACTION_CREATE", event, () => true);
    return interaction;
  }

  // ── REST ───────────────────────────────────────────────────────────────────────────

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? "/", "http://discord");
    const file = /^\/attachments\/(\d+)\//.exec(url.pathname)?.[1];
    if (file !== undefined) return this.#serveFile(file, res);
    const request = await this.#record(req, url);
    if (!request) return;
    const fault = this.#takeFault(request);
    if (fault?.kind === "lost" && fault.when === "before") return void req.socket.destroy();
    const answer =
      fault?.kind === "answer" || fault?.kind === "limited" ? faultAnswer(fault) : this.#answer(request, url);
    if (fault?.kind === "lost") req.socket.destroy();
    else if (fault?.kind !== "silent") {
      request.status = answer.status;
      res.writeHead(answer.status, {
        ...(answer.status === 204 ? {} : { "content-type": "application/json" }),
        ...limitHeaders(request),
        ...answer.headers,
      });
      res.end(answer.status === 204 ? undefined : JSON.stringify(answer.body));
    }
    this.#changed();
  }

  async #record(req: IncomingMessage, url: URL): Promise<DiscordRequest | undefined> {
    const bytes = await readBytes(req);
    if (!bytes) return undefined;
    const headers = Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    );
    const { body, files } = await readForm(bytes, headers["content-type"] ?? "");
    this.#count += 1;
    const path = url.pathname.startsWith(API) ? url.pathname.slice(API.length) : url.pathname;
    const request: DiscordRequest = {
      at: this.#count,
      method: req.method ?? "GET",
      path,
      headers,
      body,
      files,
    };
    this.requests.push(request);
    if (this.requests.length > LEDGER_MAX) this.requests.shift();
    return request;
  }

  #takeFault(request: DiscordRequest): DiscordFault | undefined {
    const at = this.#faults.findIndex(({ fits }) => fits(request));
    return at < 0 ? undefined : this.#faults.splice(at, 1)[0]?.fault;
  }

  #serveFile(id: string, res: ServerResponse): void {
    const file = this.world.files.get(id);
    res.writeHead(file ? 200 : 404, { "content-type": file?.type ?? "text/plain" });
    res.end(file?.bytes ?? "");
  }

  #answer(request: DiscordRequest, url: URL): RestAnswer {
    const { method, path } = request;
    // A webhook's token is all that it needs.
    const open = /^\/(?:interactions|webhooks)\//.test(path);
    if (!open && request.headers["authorization"] !== `Bot ${this.token}`)
      return refusal(401, 0, "401: Unauthorized");
    for (const [verb, pattern, handle] of this.#routes) {
      const found = method === verb ? pattern.exec(path) : null;
      if (found) return handle(found.slice(1), request, url);
    }
    return refusal(404, 0, "404: Not Found");
  }

  readonly #routes: readonly [string, RegExp, RestHandler][] = [
    ["GET", /^\/users\/@me$/, () => ok(this.bot)],
    [
      "GET",
      /^\/applications\/@me$/,
      () => ok({ id: this.applicationId, name: "Elwood", flags: this.#applicationFlags() }),
    ],
    ["GET", /^\/gateway\/bot$/, () => ok(this.#gatewayInformation())],
    ["POST", /^\/users\/@me\/channels$/, (_, { body }) => this.#openPrivate(body)],
    ["GET", /^\/channels\/(\d+)$/, ([id]) => this.#channelOr(id, (channel) => ok(channel))],
    ["GET", /^\/channels\/(\d+)\/messages$/, ([id], _, url) => this.#history(id, url)],
    [
      "GET",
      /^\/channels\/(\d+)\/messages\/(\d+)$/,
      ([, id]) => this.#messageOr(id, (message) => ok(wireOf(message))),
    ],
    ["POST", /^\/channels\/(\d+)\/messages$/, ([id], request) => this.#create(id, request)],
    ["PATCH", /^\/channels\/(\d+)\/messages\/(\d+)$/, ([, id], request) => this.#edit(id, request)],
    [
      "POST",
      /^\/channels\/(\d+)\/messages\/(\d+)\/threads$/,
      ([channel, id], { body }) => this.#thread(channel, id, body),
    ],
    ["POST", /^\/channels\/(\d+)\/typing$/, ([id]) => this.#channelOr(id, () => ({ status: 204 }))],
    ["GET", /^\/applications\/(\d+)\/commands$/, () => ok(this.commands)],
    ["PUT", /^\/applications\/(\d+)\/commands$/, (_, { body }) => this.#register(body)],
    [
      "POST",
      /^\/interactions\/(\d+)\/([^/]+)\/callback$/,
      ([id, token], { body }) => this.#callback(id, token, body),
    ],
    ["POST", /^\/webhooks\/\d+\/([^/]+)$/, ([token], request) => this.#followUp(token, request)],
    [
      "PATCH",
      /^\/webhooks\/\d+\/([^/]+)\/messages\/([^/]+)$/,
      ([token, id], request) => this.#editAnswer(token, id, request),
    ],
  ];

  #gatewayInformation(): Json {
    return {
      url: this.gatewayUrl,
      shards: 1,
      session_start_limit: {
        total: 1_000,
        remaining: this.sessionsLeft,
        reset_after: 3_600_000,
        max_concurrency: 1,
      },
    };
  }

  #openPrivate(body: Json): RestAnswer {
    const user = [...this.world.channels.values()]
      .flatMap(({ recipients }) => recipients ?? [])
      .find(({ id }) => id === body["recipient_id"]);
    return user
      ? ok(this.world.privateChannel(user))
      : refusal(400, 50_007, "Cannot send messages to this user");
  }

  #history(channelId: string | undefined, url: URL): RestAnswer {
    return this.#channelOr(channelId, ({ id }) => {
      const after = BigInt(url.searchParams.get("after") ?? "0");
      const limit = Number(url.searchParams.get("limit") ?? "50");
      if (limit < 1 || limit > 100) return refusal(400, 50_035, "Invalid Form Body");
      const later = this.messages(id).filter((message) => BigInt(message.id) > after);
      // With `after`, Discord answers those that follow it directly, the newest first.
      return ok(
        later
          .slice(0, limit)
          .toReversed()
          .map((message) => this.#withContent(message, Number(this.messageContent))),
      );
    });
  }

  #create(channelId: string | undefined, request: DiscordRequest): RestAnswer {
    return this.#channelOr(channelId, (channel) => {
      const { body, files } = request;
      if (channel.recipients?.some(({ id }) => this.#blockedBy.has(id)))
        return refusal(403, 50_007, "Cannot send messages to this user");
      const wrong = wrongMessage(body, files);
      if (wrong) return wrong;
      const nonce = body["nonce"] as string | undefined;
      const known = nonce === undefined ? undefined : this.#nonces.get(`${channel.id}/${nonce}`);
      const fresh = known && this.#options.clock.now() - known.at < NONCE_MS;
      if (fresh && body["enforce_nonce"] === true) return ok(wireOf(known.message));
      const answered = this.#answered(body);
      if (answered === "missing")
        return refusal(400, 50_035, "Invalid Form Body", {
          message_reference: { _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE" }] },
        });
      const message = this.world.addMessage({
        channel_id: channel.id,
        author: this.bot,
        content: textOf(body["content"]),
        ...this.#rung(body, channel),
        components: (body["components"] as readonly Json[] | undefined) ?? [],
        attachments: files.map((file) => this.world.addFile(file, `http://127.0.0.1:${this.#port}`)),
        flags: Number(body["flags"] ?? 0),
        ...(nonce === undefined ? {} : { nonce }),
        ...(answered
          ? { message_reference: body["message_reference"] as Json, referenced_message: answered }
          : {}),
      });
      if (nonce !== undefined)
        this.#nonces.set(`${channel.id}/${nonce}`, { message, at: this.#options.clock.now() });
      this.#announce("MESSAGE_CREATE", message);
      return ok(wireOf(message));
    });
  }

  #answered(body: Json): DiscordMessage | "missing" | undefined {
    const reference = body["message_reference"] as Json | undefined;
    if (!reference) return undefined;
    const found = this.world.messages.get(textOf(reference["message_id"]));
    return found ?? (reference["fail_if_not_exists"] === false ? undefined : "missing");
  }

  /** Who a message rings. Without `allowed_mentions`, everybody whom it names. */
  #rung(body: Json, channel: DiscordChannel): Pick<DiscordMessage, "mentions" | "mention_everyone"> {
    const allowed = body["allowed_mentions"] as Json | undefined;
    const parse =
      (allowed?.["parse"] as readonly string[] | undefined) ?? (allowed ? [] : ["everyone", "users"]);
    const content = textOf(body["content"]);
    const named = [...content.matchAll(/<@!?(\d+)>/g)].map((found) => found[1] ?? "");
    return {
      mention_everyone:
        parse.includes("everyone") && channel.guild_id !== undefined && /@(?:everyone|here)/.test(content),
      mentions: parse.includes("users") ? named.map((id) => ({ id, username: id })) : [],
    };
  }

  #edit(id: string | undefined, { body, files }: DiscordRequest): RestAnswer {
    return this.#messageOr(id, (message) => {
      if (message.author.id !== this.bot.id)
        return refusal(403, 50_005, "Cannot edit a message authored by another user");
      const wrong = wrongMessage(
        { content: message.content, ...body },
        files.length > 0 ? files : message.attachments,
      );
      if (wrong) return wrong;
      this.#change(message, body);
      this.#announce("MESSAGE_UPDATE", message);
      return ok(wireOf(message));
    });
  }

  #change(message: DiscordMessage, body: Json): void {
    if (body["content"] !== undefined) message.content = textOf(body["content"]);
    if (body["components"] !== undefined) message.components = body["components"] as readonly Json[];
    if (body["flags"] !== undefined) message.flags = Number(body["flags"]) | (message.flags & EPHEMERAL);
    message.edited_timestamp = this.world.timestamp();
  }

  #thread(channelId: string | undefined, messageId: string | undefined, body: Json): RestAnswer {
    return this.#channelOr(channelId, (parent) =>
      this.#messageOr(messageId, (message) => {
        const name = textOf(body["name"]);
        if (name === "" || Array.from(name).length > 100) return refusal(400, 50_035, "Invalid Form Body");
        if (parent.type !== CHANNEL_TYPES.text)
          return refusal(400, 50_024, "Cannot execute action on this channel type");
        if (this.world.channels.has(message.id))
          return refusal(400, 160_004, "A thread has already been created for this message");
        const thread = this.world.addChannel({
          id: message.id,
          type: CHANNEL_TYPES.thread,
          name,
          parent_id: parent.id,
          owner_id: this.bot.id,
          ...(parent.guild_id === undefined ? {} : { guild_id: parent.guild_id }),
        });
        this.#dispatch("THREAD_CREATE", { ...thread, newly_created: true }, () => true);
        return { status: 201, body: thread };
      }),
    );
  }

  #register(body: Json): RestAnswer {
    const given = body["list"] as readonly Json[] | undefined;
    const wrong = given?.find(
      (each) =>
        !/^[-_\p{L}\p{N}]{1,32}$/u.test(textOf(each["name"])) ||
        textOf(each["description"]).length < 1 ||
        textOf(each["description"]).length > 100,
    );
    if (!given || given.length > 100 || wrong) return refusal(400, 50_035, "Invalid Form Body");
    this.commands = given.map((each) => ({
      id: this.world.nextId(),
      application_id: this.applicationId,
      ...each,
    }));
    return ok(this.commands);
  }

  #callback(id: string | undefined, token: string | undefined, body: Json): RestAnswer {
    const interaction = this.interactions.get(id ?? "");
    const late = interaction && this.#options.clock.now() - interaction.at > INTERACTION_ANSWER_MS;
    if (!interaction || interaction.token !== token || late)
      return refusal(404, 10_062, "Unknown interaction");
    if (interaction.answer) return refusal(400, 40_060, "Interaction has already been acknowledged.");
    const type = Number(body["type"]);
    const data = (body["data"] as Json | undefined) ?? {};
    const wrong =
      type === 4 ? wrongMessage(data, []) : type === 9 ? wrongModal(interaction, data) : undefined;
    if (wrong) return wrong;
    if (![4, 5, 6, 9].includes(type)) return refusal(400, 50_035, "Invalid Form Body");
    interaction.answer = { type, data };
    if (type === 4 || type === 5) interaction.original = this.#show(interaction, data);
    if (type === 6 && interaction.message) interaction.original = interaction.message;
    return { status: 204 };
  }

  #show(interaction: Interaction, data: Json, files: readonly StoredFile[] = []): DiscordMessage {
    const flags = Number(data["flags"] ?? 0);
    return this.world.addMessage({
      channel_id: interaction.channelId,
      author: this.bot,
      content: textOf(data["content"]),
      components: (data["components"] as readonly Json[] | undefined) ?? [],
      attachments: files.map((file) => this.world.addFile(file, `http://127.0.0.1:${this.#port}`)),
      flags,
      ...(flags & EPHEMERAL ? { ephemeralFor: interaction.by.id } : {}),
    });
  }

  #interactionOf(token: string | undefined): Interaction | RestAnswer {
    const found = [...this.interactions.values()].find((each) => each.token === token);
    const expired = found && this.#options.clock.now() - found.at > INTERACTION_TOKEN_MS;
    if (!found || expired) return refusal(401, 50_027, "Invalid Webhook Token");
    return found.answer ? found : refusal(404, 10_015, "Unknown Webhook");
  }

  #followUp(token: string | undefined, { body, files }: DiscordRequest): RestAnswer {
    const interaction = this.#interactionOf(token);
    if ("status" in interaction) return interaction;
    return wrongMessage(body, files) ?? ok(wireOf(this.#show(interaction, body, files)));
  }

  #editAnswer(
    token: string | undefined,
    id: string | undefined,
    { body, files }: DiscordRequest,
  ): RestAnswer {
    const interaction = this.#interactionOf(token);
    if ("status" in interaction) return interaction;
    const message = id === "@original" ? interaction.original : this.world.messages.get(id ?? "");
    if (!message) return refusal(404, 10_008, "Unknown Message");
    const wrong = wrongMessage({ content: message.content, ...body }, files);
    if (wrong) return wrong;
    this.#change(message, body);
    if (files.length > 0)
      message.attachments = files.map((file) => this.world.addFile(file, `http://127.0.0.1:${this.#port}`));
    return ok(wireOf(message));
  }

  #channelOr(id: string | undefined, then: (channel: DiscordChannel) => RestAnswer): RestAnswer {
    const channel = this.world.channels.get(id ?? "");
    return channel ? then(channel) : refusal(404, 10_003, "Unknown Channel");
  }

  #messageOr(id: string | undefined, then: (message: DiscordMessage) => RestAnswer): RestAnswer {
    const message = this.world.messages.get(id ?? "");
    return message ? then(message) : refusal(404, 10_008, "Unknown Message");
  }

  #message(id: string): DiscordMessage {
    const message = this.world.messages.get(id);
    if (!message) throw new Error(`no message ${id}`);
    return message;
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}

interface RestAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type RestHandler = (found: readonly string[], request: DiscordRequest, url: URL) => RestAnswer;

function send(socket: WebSocket, frame: unknown): void {
  socket.send(JSON.stringify(frame));
}

function ok(body: unknown): RestAnswer {
  return { status: 200, body };
}

function refusal(status: number, code: number, message: string, errors?: Json): RestAnswer {
  return { status, body: { code, message, ...(errors ? { errors } : {}) } };
}

function faultAnswer(fault: Extract<DiscordFault, { kind: "answer" | "limited" }>): RestAnswer {
  if (fault.kind === "answer")
    return { status: fault.status, body: fault.body ?? { code: 0, message: String(fault.status) } };
  const { retryAfterSeconds, global = false } = fault;
  return {
    status: 429,
    body: { message: "You are being rate limited.", retry_after: retryAfterSeconds, global },
    headers: {
      "retry-after": String(Math.ceil(retryAfterSeconds)),
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset-after": String(retryAfterSeconds),
      "x-ratelimit-scope": global ? "global" : "user",
      ...(global ? { "x-ratelimit-global": "true" } : {}),
    },
  };
}

/** Each route has a limit of its own. */
function limitHeaders({ method, path }: DiscordRequest): Record<string, string> {
  return {
    "x-ratelimit-limit": "50",
    "x-ratelimit-remaining": "49",
    "x-ratelimit-reset-after": "1.000",
    "x-ratelimit-bucket": `${method} ${path.replaceAll(/\d+/g, "0")}`,
  };
}

/** What Discord would refuse about a message. */
function wrongMessage(
  body: Json,
  files: readonly (StoredFile | DiscordAttachment)[],
): RestAnswer | undefined {
  const content = body["content"] ?? "";
  const invalid = (errors: Json): RestAnswer => refusal(400, 50_035, "Invalid Form Body", errors);
  if (typeof content !== "string")
    return invalid({ content: { _errors: [{ code: "STRING_TYPE_CONVERT" }] } });
  if (Array.from(content).length > CONTENT_CHARS_MAX)
    return invalid({
      content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }] },
    });
  if (files.length > FILES_MAX)
    return invalid({ attachments: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH" }] } });
  if (files.some((file) => ("bytes" in file ? file.bytes.length : file.size) > FILE_BYTES_MAX))
    return refusal(413, 40_005, "Request entity too large");
  const nonce = body["nonce"];
  if (typeof nonce === "string" && nonce.length > NONCE_CHARS_MAX)
    return invalid({ nonce: { _errors: [{ code: "NONCE_TYPE_TOO_LONG" }] } });
  const rows = (body["components"] as readonly Json[] | undefined) ?? [];
  const wrong = wrongButtons(rows);
  if (wrong !== undefined) return invalid({ components: { _errors: [{ code: wrong }] } });
  if (content.trim() === "" && files.length === 0 && rows.length === 0)
    return refusal(400, 50_006, "Cannot send an empty message");
  return undefined;
}

function wrongButtons(rows: readonly Json[]): string | undefined {
  const buttons = rows.flatMap((row) => (row["components"] as readonly Json[] | undefined) ?? []);
  if (rows.length > 5 || rows.some((row) => row["type"] !== 1)) return "BASE_TYPE_BAD_LENGTH";
  if (rows.some((row) => !inRange((row["components"] as readonly Json[] | undefined)?.length ?? 0, 1, 5)))
    return "BASE_TYPE_BAD_LENGTH";
  const customs: string[] = [];
  for (const button of buttons) {
    if (!inRange(textOf(button["label"]).length, 1, 80)) return "BASE_TYPE_BAD_LENGTH";
    if (button["style"] === 5) {
      if (!/^(?:https?|discord):\/\//.test(textOf(button["url"]))) return "URL_TYPE_INVALID_SCHEME";
      continue;
    }
    const custom = textOf(button["custom_id"]);
    if (!inRange(custom.length, 1, 100)) return "BASE_TYPE_BAD_LENGTH";
    customs.push(custom);
  }
  return new Set(customs).size < customs.length ? "COMPONENT_CUSTOM_ID_DUPLICATED" : undefined;
}

function wrongModal(interaction: Interaction, data: Json): RestAnswer | undefined {
  if (interaction.type === 5) return refusal(400, 50_035, "Invalid Form Body");
  const inputs = inputsOf(data);
  const right =
    inRange(textOf(data["custom_id"]).length, 1, 100) &&
    inRange(textOf(data["title"]).length, 1, 45) &&
    inRange(inputs.length, 1, 5) &&
    inputs.every((input) => input["type"] === 4 && inRange(textOf(input["label"]).length, 1, 45));
  return right ? undefined : refusal(400, 50_035, "Invalid Form Body");
}

function inputsOf(modal: Json): readonly Json[] {
  const rows = (modal["components"] as readonly Json[] | undefined) ?? [];
  return rows.flatMap((row) => (row["components"] as readonly Json[] | undefined) ?? []);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function wireOf(message: DiscordMessage): Json {
  const { ephemeralFor: _, ...wire } = message;
  return wire;
}

function inRange(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

async function readBytes(req: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_BYTES_MAX) throw new Error("request body too large for a test server");
      chunks.push(chunk);
    }
  } catch {
    // The client went away: there is nobody to answer.
    req.destroy();
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** A JSON list is put under `list`; of a form, `payload_json` is the body. */
async function readForm(
  bytes: Buffer<ArrayBuffer>,
  type: string,
): Promise<{ readonly body: Json; readonly files: readonly StoredFile[] }> {
  if (!type.startsWith("multipart/form-data"))
    return { body: asObject(parseJson(bytes.toString())), files: [] };
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const files: StoredFile[] = [];
  for (const value of form.values())
    if (value instanceof File)
      files.push({ name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) });
  const payload = form.get("payload_json");
  return { body: asObject(parseJson(typeof payload === "string" ? payload : "{}")), files };
}

function asObject(value: unknown): Json {
  if (Array.isArray(value)) return { list: value };
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
