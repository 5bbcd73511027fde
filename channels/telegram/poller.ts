import { GrammyError, type Api } from "grammy";
import type { Message, Update } from "grammy/types";
import type {
  ChannelAccount,
  ChannelContext,
  ChannelEvent,
  ChannelMessage,
} from "@elwood/sdk/channel/channel";
import { accountOf, asSignal, WEBHOOK_SET } from "./bot-api.ts";
import type { TelegramSettings } from "./index.ts";
import { isNeverSent, TOKEN_REFUSED, UNREACHABLE } from "./outcome.ts";
import { ALLOWED_UPDATES, joinAlbum, readUpdate } from "./read-update.ts";

const POLL_SECONDS = 50;
/** A poll that is silent for longer than it was asked to be hangs: it is begun again. */
const WATCHDOG_MS = 90_000;
const BATCH_MAX = 100;
const ALBUM_MAX = 10;
/** How long the rest of an album is waited for. */
const ALBUM_SECONDS = 1;
const RETRY_MS = { first: 1_000, max: 30_000 } as const;
const REFUSED_MS = 60_000;
const OFFSET = "offset";
const COMMANDS = "commands";

const TWO_POLLERS =
  "Another program asks for this bot's messages too (409), so some never reach Elwood. Stop that program, or make a bot of its own for Elwood with @BotFather.";

/**
 * Asks Telegram for updates, for as long as the channel is open.
 *
 * U1 An update is confirmed to Telegram only after it was dealt with: the offset moves after dispatch,
 *    and is stored then. Whatever a crash leaves unconfirmed comes again.
 * U2 Updates of a chat are dealt with in order; chats do not wait for each other.
 * U3 An update that cannot be stored is offered again, with growing pauses; nothing is skipped.
 */
export class Poller {
  static readonly requestSeconds = WATCHDOG_MS / 1_000 + POLL_SECONDS;
  readonly #api: Api;
  readonly #context: ChannelContext<TelegramSettings>;
  account: ChannelAccount = { id: "", name: "" };
  stopped: Promise<void> = Promise.resolve();
  #failures = 0;

  constructor(api: Api, context: ChannelContext<TelegramSettings>) {
    this.#api = api;
    this.#context = context;
  }

  start(closed: AbortSignal): void {
    this.stopped = this.#run(closed);
  }

  async #run(closed: AbortSignal): Promise<void> {
    const { clock, log, report } = this.#context;
    report({ state: "connecting" });
    let offset: number | undefined;
    while (!closed.aborted) {
      try {
        if (this.account.id === "") await this.#introduce(closed);
        offset ??= Number((await this.#context.state.read(OFFSET)) ?? "0");
        offset = await this.#poll(offset, closed);
        if (this.#failures > 0) log.info("Telegram answers again");
        this.#failures = 0;
        report({ state: "connected" });
      } catch (error) {
        if (closed.aborted) return;
        await clock.sleep(this.#explain(error), closed);
      }
    }
  }

  /** Who the bot is, and what its menu lists. */
  async #introduce(closed: AbortSignal): Promise<void> {
    const { state, commands } = this.#context;
    const account = accountOf(await this.#api.getMe(asSignal(closed)));
    const menu = JSON.stringify(commands);
    if ((await state.read(COMMANDS)) !== menu) {
      const listed = commands.map(({ name: command, description }) => ({ command, description }));
      await this.#api.setMyCommands(listed, {}, asSignal(closed));
      await state.write(COMMANDS, menu);
    }
    this.account = account;
    this.#context.report({ state: "connected" });
  }

  /** The next offset. */
  async #poll(offset: number, closed: AbortSignal): Promise<number> {
    // After a failure, an answer that comes at once tells that all is well again.
    const updates = await this.#updates(offset, this.#failures > 0 ? 0 : POLL_SECONDS, closed);
    if (updates.length === 0) return offset;
    await this.#completeAlbum(updates, closed);
    await this.#dispatch(updates, closed);
    if (closed.aborted) return offset;
    const next = Math.max(...updates.map(({ update_id }) => update_id)) + 1;
    await this.#context.state.write(OFFSET, String(next));
    return next;
  }

  async #updates(offset: number, timeout: number, closed: AbortSignal): Promise<Update[]> {
    const watchdog = new AbortController();
    const done = new AbortController();
    const watch = async () => {
      await this.#context.clock.sleep(WATCHDOG_MS, AbortSignal.any([done.signal, closed]));
      if (!done.signal.aborted && !closed.aborted) watchdog.abort();
    };
    void watch();
    try {
      return await this.#api.getUpdates(
        { offset, timeout, limit: BATCH_MAX, allowed_updates: ALLOWED_UPDATES },
        asSignal(AbortSignal.any([watchdog.signal, closed])),
      );
    } finally {
      done.abort();
    }
  }

  /** The rest of an album may come a moment later. */
  async #completeAlbum(updates: Update[], closed: AbortSignal): Promise<void> {
    const last = updates.at(-1);
    const album = last?.message?.media_group_id;
    if (last === undefined || album === undefined) return;
    if (updates.filter(({ message }) => message?.media_group_id === album).length >= ALBUM_MAX) return;
    // Asking from further on would confirm what was not dealt with yet (U1), so all of it comes again.
    const first = updates[0]?.update_id ?? 0;
    await this.#context.clock.sleep(ALBUM_SECONDS * 1_000, closed);
    const again = await this.#updates(first, 0, closed);
    for (const update of again) if (update.update_id > last.update_id) updates.push(update);
  }

  /** U2 */
  async #dispatch(updates: readonly Update[], closed: AbortSignal): Promise<void> {
    const albums = new Map<string, ChannelMessage[]>();
    const chats = new Map<string, (() => ChannelEvent | undefined)[]>();
    for (const update of updates) {
      const event = readUpdate(update, this.account);
      if (!event) continue;
      const chat = typeof event.chat === "string" ? event.chat : event.chat.id;
      const events = chats.get(chat) ?? [];
      chats.set(chat, events);
      const group = albumOf(update.message);
      if (event.kind !== "message" || group === undefined) {
        events.push(() => event);
        continue;
      }
      const known = albums.get(group);
      if (known) known.push(event);
      else {
        const album = [event];
        albums.set(group, album);
        events.push(() => joinAlbum(album));
      }
    }
    await Promise.all([...chats.values()].map((events) => this.#inOrder(events, closed)));
  }

  async #inOrder(events: readonly (() => ChannelEvent | undefined)[], closed: AbortSignal): Promise<void> {
    for (const make of events) {
      const event = make();
      if (event) await this.#offer(event, closed);
    }
  }

  /** U3 */
  async #offer(event: ChannelEvent, closed: AbortSignal): Promise<void> {
    const { clock, log, receive } = this.#context;
    for (let waitMs: number = RETRY_MS.first; !closed.aborted; waitMs = Math.min(waitMs * 2, RETRY_MS.max)) {
      try {
        await receive(event);
        return;
      } catch (error) {
        log.error("an update from Telegram could not be stored; it is tried again", { error });
        await clock.sleep(waitMs, closed);
      }
    }
  }

  /** How long to wait before the next try. */
  #explain(error: unknown): number {
    const { log, report } = this.#context;
    this.#failures += 1;
    if (error instanceof GrammyError) {
      const { error_code: code, description, parameters } = error;
      if (code === 429) return (parameters.retry_after ?? 1) * 1_000;
      const problem =
        code === 401 || code === 404
          ? TOKEN_REFUSED
          : code === 409
            ? /webhook/i.test(description)
              ? WEBHOOK_SET
              : TWO_POLLERS
            : `Telegram has a problem of its own (${code}); Elwood tries again.`;
      report({ state: code === 401 || code === 404 || code === 409 ? "failed" : "waiting", problem });
      if (this.#failures === 1) log.warn("Telegram does not hand over messages", { code, description });
      return code === 401 || code === 404 ? REFUSED_MS : this.#waitMs();
    }
    report({ state: "waiting", problem: `${UNREACHABLE} Elwood tries again by itself.` });
    if (this.#failures === 1)
      log.warn("Telegram cannot be reached; it is tried again", { sent: !isNeverSent(error) });
    return this.#waitMs();
  }

  #waitMs(): number {
    return Math.min(RETRY_MS.max, RETRY_MS.first * 2 ** Math.min(this.#failures - 1, 10));
  }
}

function albumOf(message: Message | undefined): string | undefined {
  return message?.media_group_id === undefined ? undefined : `${message.chat.id} ${message.media_group_id}`;
}
