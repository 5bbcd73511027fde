import type {
  ChannelEvent,
  ChannelFile,
  ChannelMessage,
  ChannelPress,
  ChannelQuote,
} from "@elwood/core/channel/channel";
import { FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { showLine } from "@elwood/core/base/show";
import type { Origin } from "@elwood/core/message/message";
import type { Part, Run, Session } from "@elwood/core/message/session";
import { keyedMutex } from "../async/serial-queue.ts";
import type { Inbox, Outbox } from "../ports/channel-ports.ts";
import type { Ledger } from "../ports/gate-ports.ts";
import {
  OWNER_TOKEN_ID,
  type BlobStore,
  type Clock,
  type Ids,
  type Log,
  type Principal,
  type SessionStore,
} from "../ports/ports.ts";
import type { Engine } from "../run/engine.ts";
import type { Cards } from "./cards.ts";
import { runCommand } from "./commands.ts";
import type { ChannelMethods, OpenChannel } from "./open-channel.ts";
import type { OutboxWorker } from "./outbox-worker.ts";
import type { PairingService } from "./pairing.ts";
import type { Replies } from "./replies.ts";

export interface InboundDeps {
  readonly tenant: string;
  readonly engine: Pick<Engine, "submit" | "start">;
  readonly sessions: SessionStore;
  readonly blobs: BlobStore;
  readonly ledger: Pick<Ledger, "approvals">;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly worker: OutboxWorker;
  readonly replies: Replies;
  readonly cards: Cards;
  readonly pairing: PairingService;
  readonly methods: ChannelMethods;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly defaultAgentId: string;
  readonly pageLink: (path: string) => string;
}

type Speaker =
  /** An id among the approvers. */
  | { readonly as: "owner"; readonly principal: Principal }
  /** Somebody whom the owner let in. */
  | { readonly as: "member"; readonly principal: Principal }
  | { readonly as: "stranger" };

const WAITING_SHOWN_MAX = 5;

/**
 * What comes in from channels.
 *
 * N1 An event is dealt with once: everything it leads to is stored before it is noted, and whatever
 *    comes again leads to the same rows.
 * N2 Who speaks is decided by the platform's id alone, for every event anew: only ids among the
 *    approvers speak as the owner.
 * N3 Of somebody who is not known nothing is looked at; in a private chat they get a code.
 * N4 Events of a chat are dealt with in their order; chats do not wait for each other, and none waits
 *    for a run or an approval.
 */
export class Inbound {
  readonly #deps: InboundDeps;
  readonly #chats = keyedMutex();
  /** Accepted, and not started: what follows failed, and is tried again with the same event. */
  readonly #unstarted = new Set<string>();

  constructor(deps: InboundDeps) {
    this.#deps = deps;
  }

  /** Resolves once the event is dealt with (N1); rejects where it could not be stored, and should come again. */
  async receive(channel: OpenChannel, event: ChannelEvent): Promise<void> {
    const { tenant, inbox, clock, log } = this.#deps;
    const { name } = channel.definition;
    const chat = typeof event.chat === "string" ? event.chat : event.chat.id;
    await this.#chats.run(`${name} ${chat}`, async () => {
      if (await inbox.seen(tenant, name, event.id)) {
        log.debug("an event of a channel came again", { channel: name, event: event.id });
        return;
      }
      await this.#handle(channel, event);
      await inbox.note(tenant, name, event.id, clock.now());
    });
  }

  async #handle(channel: OpenChannel, event: ChannelEvent): Promise<void> {
    const { tenant, outbox, log } = this.#deps;
    const { name } = channel.definition;
    switch (event.kind) {
      case "message":
        return this.#message(channel, event);
      case "press":
        return this.#press(channel, event);
      case "moved":
        await outbox.moveChat(tenant, name, event.chat, event.to);
        return this.moveSession(name, event.chat, event.to);
      case "gone":
        log.info("a chat takes nothing from Elwood any more", { channel: name, why: event.why });
        return;
      default:
        return event satisfies never;
    }
  }

  /** The conversation goes on under the chat's other id. */
  async moveSession(channel: string, from: string, to: string): Promise<void> {
    const { tenant, sessions } = this.#deps;
    const session = await sessions.findByKey(tenant, { channel, chat: from });
    if (session) await sessions.bind(tenant, session.id, { channel, chat: to });
  }

  /** N2 */
  async #speaker(channel: OpenChannel, { chat, from }: ChannelMessage | ChannelPress): Promise<Speaker> {
    const { tenant, pairing } = this.#deps;
    const { name } = channel.definition;
    const { approverIds, allowedChatIds } = channel.access();
    if (from.bot) return { as: "stranger" };
    if (approverIds.includes(from.id)) {
      const scopes = new Set(["chat", "approve"] as const);
      return { as: "owner", principal: { tenant, tokenId: OWNER_TOKEN_ID, name: "owner", scopes } };
    }
    const known = allowedChatIds.includes(from.id) || (await pairing.isPaired(name, from.id));
    // Being let in is about private chats; a group has to be let in itself.
    const here = chat.kind === "private" || allowedChatIds.includes(chat.groupId ?? chat.id);
    if (!known || !here) return { as: "stranger" };
    const shown = showLine(from.name).slice(0, LIMITS.titleCharsMax);
    const principal: Principal = {
      tenant,
      tokenId: `${name}:${from.id}`,
      name: shown,
      scopes: new Set(["chat"]),
    };
    return { as: "member", principal };
  }

  async #press(channel: OpenChannel, press: ChannelPress): Promise<void> {
    const { cards, log } = this.#deps;
    const speaker = await this.#speaker(channel, press);
    const words = await cards.press(channel, press, speaker.as === "owner" ? speaker.principal : undefined);
    log.info("a button was pressed in a channel", {
      channel: channel.definition.name,
      by: speaker.as,
      words,
    });
    await channel.connection.answerPress(press, words, new AbortController().signal);
  }

  async #message(channel: OpenChannel, message: ChannelMessage): Promise<void> {
    const { cards, log } = this.#deps;
    const { name } = channel.definition;
    const { chat, from } = message;
    const speaker = await this.#speaker(channel, message);
    if (speaker.as === "stranger") {
      log.debug("somebody wrote whom nobody let in", { channel: name, kind: chat.kind });
      if (chat.kind === "private" && !from.bot) await this.#offerPairing(channel, message);
      return;
    }
    if (!message.addressed && !message.command) return;
    if (message.edited) {
      // Only what Elwood would have answered is worth a word.
      await this.#say(channel, message, `edited:${message.id}`, EDITED);
      return;
    }
    if (speaker.as === "owner") {
      if (chat.kind === "private") await cards.noteDirectChat(name, from.id, chat.id);
      const answered = await cards.reply(channel, message, speaker.principal);
      if (answered !== undefined) {
        await this.#say(channel, message, `answer:${message.id}`, answered);
        return;
      }
    }
    if (message.command && (await this.#command(channel, message, speaker))) return;
    await this.#submit(channel, message, speaker);
  }

  /** N3 */
  async #offerPairing(channel: OpenChannel, message: ChannelMessage): Promise<void> {
    const { tenant, pairing, inbox, clock } = this.#deps;
    const { name, title } = channel.definition;
    // The same code when the event comes again, before anything of it is stored elsewhere.
    if (!(await pairing.mayAsk(name, message.from.id))) return;
    const code = await inbox.plan(tenant, name, message.id, pairing.makeCode(), clock.now());
    const minutes = LIMITS.pairingCodeMs / 60_000;
    await this.#say(
      channel,
      message,
      `pairing:${message.id}`,
      `This is somebody's personal assistant, and it does not know you. To be let in, give its owner this code: ${code}\nThe owner types on the machine that runs Elwood: elwood pair approve ${code}\nThe code counts for ${minutes} minutes. Nothing that you wrote was read. (${title} id ${message.from.id})`,
    );
    await pairing.ask(name, message.from, code);
  }

  /** False where it is no command of ours, but words that begin with a slash. */
  async #command(
    channel: OpenChannel,
    message: ChannelMessage,
    speaker: Exclude<Speaker, { as: "stranger" }>,
  ): Promise<boolean> {
    const { tenant, methods, inbox, clock, ids, pageLink } = this.#deps;
    const { name, title } = channel.definition;
    const who = { principal: speaker.principal, surface: name };
    const plan = (what: string) => inbox.plan(tenant, name, message.id, what, clock.now());
    const words = await runCommand(message.command?.name ?? "", speaker.as === "owner", {
      argument: message.command?.argument.trim() ?? "",
      channelTitle: title,
      session: () => this.#sessionOf(name, message.chat.id),
      newSession: async () => this.#createSession(name, message.chat.id, await plan(ids.next("session"))),
      plan,
      showWaiting: () => this.#showWaiting(channel, message),
      call: (method, params) => methods.call(who, method, params),
      pageLink,
    });
    if (words === undefined) return false;
    await this.#say(channel, message, `command:${message.id}`, words);
    return true;
  }

  async #showWaiting(channel: OpenChannel, { chat }: ChannelMessage): Promise<number> {
    const { tenant, ledger, cards } = this.#deps;
    const waiting = await ledger.approvals(tenant, { status: "pending", limit: LIMITS.pageSizeMax });
    // In a group the others would read along.
    if (chat.kind === "private")
      for (const approval of waiting.slice(0, WAITING_SHOWN_MAX))
        await cards.show(approval, channel.definition.name, chat.id);
    return waiting.length;
  }

  async #submit(
    channel: OpenChannel,
    message: ChannelMessage,
    speaker: Exclude<Speaker, { as: "stranger" }>,
  ): Promise<void> {
    const { tenant, engine, outbox, replies, ids, clock } = this.#deps;
    const { name } = channel.definition;
    const { parts, problems } = await this.#parts(channel, message, speaker.as);
    if (problems.length > 0) await this.#say(channel, message, `problem:${message.id}`, problems.join("\n"));
    if (parts.length === 0) return;
    const session =
      (await this.#sessionOf(name, message.chat.id)) ??
      (await this.#createSession(name, message.chat.id, ids.next("session")));
    let run: Run;
    try {
      const submitted = await engine.submit({
        principal: speaker.principal,
        origin: speaker.as,
        sessionId: session.id,
        parts,
        surface: name,
        idempotencyKey: `${name}:${message.id}`.slice(0, LIMITS.idempotencyKeyCharsMax),
      });
      run = submitted.run;
      if (!submitted.repeated) this.#unstarted.add(run.id);
    } catch (error) {
      // A full queue is told at once; a full disk, or a stop, lets the message come again.
      if (!(error instanceof FailureError) || error.failure.reason !== "QUEUE_FULL") throw error;
      await this.#say(channel, message, `refused:${message.id}`, error.failure.message);
      return;
    }
    const item = await outbox.open(tenant, {
      id: ids.next("outbox"),
      channel: name,
      chat: message.chat.id,
      kind: "reply",
      subject: run.id,
      runId: run.id,
      replyTo: message.messageId,
      at: clock.now(),
    });
    replies.follow(item, message.chat.kind);
    if (this.#unstarted.delete(run.id)) engine.start(tenant, run);
  }

  async #parts(
    channel: OpenChannel,
    message: ChannelMessage,
    origin: "owner" | "member",
  ): Promise<{ readonly parts: readonly Part[]; readonly problems: readonly string[] }> {
    const parts: Part[] = [];
    const problems: string[] = [];
    const text = message.text.trim();
    if (text.length > LIMITS.messageCharsMax)
      return { parts, problems: ["This message is too long. It was not read."] };
    if (text !== "") parts.push({ kind: "text", text, origin });
    for (const quote of (message.quotes ?? []).slice(0, LIMITS.partsPerMessageMax))
      if (quote.text.trim() !== "") parts.push(await this.#quotePart(channel, quote));
    for (const file of (message.files ?? []).slice(0, LIMITS.partsPerMessageMax)) {
      const read = await this.#filePart(channel, file);
      if (typeof read === "string") problems.push(read);
      else parts.push(read);
      if (file.voice && typeof read !== "string")
        problems.push(
          "Your voice message is kept as a file. It was not transcribed: Elwood cannot listen yet.",
        );
    }
    if (message.unsupported !== undefined)
      problems.push(
        `Elwood cannot read ${message.unsupported}. ${parts.length > 0 ? "The rest was read." : "Write it in words."}`,
      );
    if (parts.length > 0 || problems.length > 0) return { parts, problems };
    return { parts, problems: ["There is nothing in this message that Elwood can read. Write it in words."] };
  }

  /** Whoever sends it, a quotation is somebody's words and never a request. */
  async #quotePart(channel: OpenChannel, { how, text, by, own }: ChannelQuote): Promise<Part> {
    const { approverIds } = channel.access();
    const known =
      own ||
      by === undefined ||
      approverIds.includes(by.id) ||
      (await this.#deps.pairing.isPaired(channel.definition.name, by.id));
    const origin: Origin = how === "forwarded" ? "forwarded" : known ? "quoted" : "stranger";
    return { kind: "text", text: text.slice(0, LIMITS.messageCharsMax), origin };
  }

  /** The file as a part, or why it is none. */
  async #filePart(channel: OpenChannel, file: ChannelFile): Promise<Part | string> {
    const { tenant, blobs, clock } = this.#deps;
    const name = showLine(file.name).slice(0, LIMITS.titleCharsMax);
    const max = Math.min(channel.definition.fileBytesMax.in, LIMITS.blobBytesMax);
    const tooLarge = `The file ${name} is too large: at most ${Math.floor(max / 1024 / 1024)} MB can be read. It was not read.`;
    if ((file.bytes ?? 0) > max) return tooLarge;
    const read = await channel.connection.fetchFile(file, new AbortController().signal);
    if (!read.ok) return `The file ${name} ${read.problem} It was not read.`;
    if (read.bytes.length > max) return tooLarge;
    const { blobId, mime, bytes } = await blobs.put(tenant, read.bytes, file.mime, clock.now());
    return { kind: "blob", blobId, mime, bytes, name, origin: "attached" };
  }

  #sessionOf(channel: string, chat: string): Promise<Session | undefined> {
    return this.#deps.sessions.findByKey(this.#deps.tenant, { channel, chat });
  }

  async #createSession(channel: string, chat: string, id: string): Promise<Session> {
    const { tenant, sessions, clock, defaultAgentId } = this.#deps;
    const known = await sessions.get(tenant, id);
    const title = "New session";
    const session =
      known ?? (await sessions.create(tenant, { id, agentId: defaultAgentId, title, at: clock.now() }));
    return (await sessions.bind(tenant, session.id, { channel, chat })) ?? session;
  }

  /** Something that Elwood itself says, once for each subject. */
  async #say(channel: OpenChannel, message: ChannelMessage, subject: string, text: string): Promise<void> {
    const { tenant, outbox, worker, ids, clock } = this.#deps;
    const { name } = channel.definition;
    await outbox.open(tenant, {
      id: ids.next("outbox"),
      channel: name,
      chat: message.chat.id,
      kind: "notice",
      subject,
      messages: channel.connection.render({ markdown: text, plain: true }),
      replyTo: message.messageId,
      at: clock.now(),
    });
    worker.wake(name, message.chat.id);
  }
}

const EDITED =
  "Elwood reads a message when it arrives. Your change of it was not read; send it as a new message.";
