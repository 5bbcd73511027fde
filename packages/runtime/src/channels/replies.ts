import type { ChannelContent, RenderedMessage } from "@elwood/core/channel/channel";
import { LIMITS } from "@elwood/core/base/limits";
import { isEnded, type Run } from "@elwood/core/message/session";
import type { Outbox, OutboxItem } from "../ports/channel-ports.ts";
import type { Clock, Log, RunStore, ToolHost } from "../ports/ports.ts";
import type { Feeds, RunFeed } from "../run/feed.ts";
import { saidOnTheWay, storedEnding, type StoredEnding } from "../run/stored-ending.ts";
import type { OpenChannel } from "./open-channel.ts";
import type { OutboxWorker } from "./outbox-worker.ts";
import { replyContent } from "./reply-content.ts";
import { replyFiles, type ReplyFilesDeps } from "./reply-files.ts";

export interface RepliesDeps extends ReplyFilesDeps {
  readonly feeds: Feeds;
  readonly runs: Pick<RunStore, "get" | "journal">;
  readonly activity: ToolHost["activity"];
  readonly outbox: Outbox;
  readonly worker: OutboxWorker;
  readonly clock: Clock;
  readonly log: Log;
  readonly channel: (name: string) => OpenChannel | undefined;
  /** Whether the run waits for a person: then nobody is typing. */
  readonly isWaiting: (runId: string) => boolean;
  readonly pageLink: (path: string) => string;
}

/** A reply that is followed, and what of it the chat shows so far. */
interface Followed {
  readonly item: OutboxItem;
  readonly kind: "private" | "group";
  done: Promise<void>;
  shown: string;
}

/**
 * Follows runs whose replies are owed to chats: shows that somebody is typing, lets the answer grow
 * by edits where the platform wants it so, and hands the whole reply to the outbox.
 *
 * P1 A run is followed from its feed, or from the store once it has ended: whichever way, its reply is
 *    handed over once it is durable there.
 * P2 What grows is a preview. It is never more than one message, is not shown while the text is a
 *    draft that receipts have not confirmed, and may be skipped; the whole reply never is.
 * P3 What is said on the way to a call belongs to the reply. Where the chat saw it before the run
 *    ended, it stays a message of its own and the rest comes below, so that an answer is never
 *    found above the card that it followed.
 */
export class Replies {
  readonly #deps: RepliesDeps;
  readonly #following = new Map<string, Followed>();
  readonly #stopping = new AbortController();

  constructor(deps: RepliesDeps) {
    this.#deps = deps;
  }

  follow(item: OutboxItem, kind: "private" | "group"): void {
    if (this.#following.has(item.id) || this.#stopping.signal.aborted) return;
    const followed: Followed = { item, kind, shown: "", done: Promise.resolve() };
    this.#following.set(item.id, followed);
    followed.done = this.#follow(followed)
      .catch((error: unknown) =>
        this.#deps.log.error("a reply could not be handed to its chat; it is at the next start", {
          item: item.id,
          error,
        }),
      )
      .finally(() => this.#following.delete(item.id));
  }

  /** P3. Before a card of the run is shown: what was said on the way to it. */
  async sayFirst(runId: string): Promise<void> {
    for (const followed of this.#following.values())
      if ((followed.item.runId ?? followed.item.subject) === runId) await this.#showOnTheWay(followed);
  }

  /** After a start, or once a channel is open again: replies that were not whole when it ended. */
  async recover(channel: string): Promise<void> {
    const { tenant, outbox } = this.#deps;
    for (const item of await outbox.unsettled(tenant, LIMITS.outboxUnsettledMax))
      // Which kind of chat it was is not known any more; the slower pace suits both.
      if (item.state === "writing" && item.channel === channel) this.follow(item, "group");
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#following.values()].map(({ done }) => done));
  }

  async #follow(followed: Followed): Promise<void> {
    const { tenant, outbox, worker, clock } = this.#deps;
    const { item } = followed;
    const ended = await this.#ending(followed);
    const channel = this.#deps.channel(item.channel);
    // Rendered when the channel is there again.
    if (!ended || !channel) return;
    const runId = item.runId ?? item.subject;
    const link = this.#deps.pageLink(`/runs/${runId}`);
    const { title, fileBytesMax } = channel.definition;
    const made = await replyFiles(this.#deps, runId, { title, bytesMax: fileBytesMax.out, link });
    const content = replyContent(ended.ending, link, made);
    const now = ended.said === "" ? undefined : await outbox.get(tenant, item.id);
    const messages = messagesOf(channel, content, ended.said, (now?.messages.length ?? 0) > 0);
    await outbox.revise(tenant, item.id, { messages, at: clock.now() });
    worker.wake(item.channel, item.chat);
  }

  /** How the run ended, once it has; undefined where the gateway stops first, or the run is gone. */
  async #ending(followed: Followed): Promise<RunEnd | undefined> {
    const { tenant, runs, feeds, log, clock } = this.#deps;
    const { item } = followed;
    const runId = item.runId ?? item.subject;
    const run = await runs.get(tenant, runId);
    if (!run) {
      log.warn("a run is gone whose reply was owed to a chat", { item: item.id, run: runId });
      const problem = "The conversation was deleted before its reply was sent.";
      await this.#deps.worker.abandon(item, "erased", problem);
      return undefined;
    }
    if (isEnded(run.status)) {
      if (clock.now() - (run.endedAt ?? clock.now()) <= LIMITS.outboxAgeMaxMs) return this.#stored(run);
      const hours = Math.round(LIMITS.outboxAgeMaxMs / 3_600_000);
      const problem = `Its chat service was not connected for more than ${hours} hours.`;
      await this.#deps.worker.abandon(item, "too-late", problem);
      return undefined;
    }
    const feed = feeds.open(runId, run.sessionId);
    const over = new AbortController();
    const live = Promise.withResolvers<StoredEnding>();
    const leave = feed.subscribe(({ event, data }) => {
      if (event === "chat.final") live.resolve({ final: data });
      else if (event === "chat.error") live.resolve({ error: data });
      else return;
      over.abort();
    });
    try {
      // It may have ended before anybody listened.
      const now = await runs.get(tenant, runId);
      if (now && isEnded(now.status)) return await this.#stored(now);
      const stopped = AbortSignal.any([over.signal, this.#stopping.signal]);
      await this.#showProgress(followed, feed, stopped);
      if (!over.signal.aborted) return undefined;
      const ending = await live.promise;
      return { ending, said: feed.wasHeld ? await this.#onTheWay(runId) : "" };
    } finally {
      leave();
    }
  }

  async #stored(run: Run): Promise<RunEnd> {
    const { tenant, runs, activity, clock } = this.#deps;
    const { steps } = await runs.journal(tenant, run.id);
    const ending = await storedEnding(run, steps, await activity(tenant, run.id), clock.now());
    return { ending, said: saidOnTheWay(steps) };
  }

  async #onTheWay(runId: string): Promise<string> {
    const { tenant, runs } = this.#deps;
    return saidOnTheWay((await runs.journal(tenant, runId)).steps);
  }

  /** P2 */
  async #showProgress(followed: Followed, feed: RunFeed, stopped: AbortSignal): Promise<void> {
    const { clock, isWaiting } = this.#deps;
    const { item, kind } = followed;
    let typedAt = -Infinity;
    await clock.sleep(LIMITS.channelTypingAfterMs, stopped);
    while (!stopped.aborted) {
      const channel = this.#deps.channel(item.channel);
      const { pace } = channel?.definition ?? {};
      if (channel && pace && !isWaiting(feed.runId) && clock.now() - typedAt >= pace.typingMs) {
        typedAt = clock.now();
        // Whether it is shown does not matter, and nothing waits for it.
        void channel.connection.typing(item.chat, stopped);
      }
      await clock.sleep(pace?.editMs[kind] ?? LIMITS.channelProgressMs, stopped);
      if (stopped.aborted || !channel || pace?.streaming !== "edit") continue;
      if (feed.held) await this.#showOnTheWay(followed);
      else if (feed.text.length >= LIMITS.channelPreviewCharsMin)
        await this.#preview(followed, channel, `${feed.text} …`);
    }
  }

  /** P3. What is journaled before a call is made no longer changes. */
  async #showOnTheWay(followed: Followed): Promise<void> {
    const { item } = followed;
    const channel = this.#deps.channel(item.channel);
    const said = channel ? await this.#onTheWay(item.runId ?? item.subject) : "";
    if (channel && said !== "") await this.#preview(followed, channel, said);
  }

  async #preview(followed: Followed, channel: OpenChannel, markdown: string): Promise<void> {
    if (markdown === followed.shown) return;
    const [first] = channel.connection.render({ markdown });
    if (first && (await this.#deps.worker.preview(followed.item, first))) followed.shown = markdown;
  }
}

interface RunEnd {
  readonly ending: StoredEnding;
  /** On the way to its calls. */
  readonly said: string;
}

/** P3 */
function messagesOf(
  { connection }: OpenChannel,
  content: ChannelContent,
  said: string,
  isShown: boolean,
): readonly RenderedMessage[] {
  if (said === "") return connection.render(content);
  if (isShown) return [...connection.render({ markdown: said }), ...connection.render(content)];
  // Some models say it again in their answer.
  const isRepeated = content.markdown.startsWith(said);
  return connection.render(isRepeated ? content : { ...content, markdown: `${said}\n\n${content.markdown}` });
}
