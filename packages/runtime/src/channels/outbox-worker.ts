import type { ChannelConnection, RenderedMessage, SendOutcome } from "@elwood/core/channel/channel";
import { FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { ReceiptPayloads } from "@elwood/core/receipts/receipt";
import { withDeadline } from "../async/deadline.ts";
import { keyedMutex } from "../async/serial-queue.ts";
import { mustWrite } from "../gate/must-write.ts";
import type { Outbox, OutboxItem, OutboxMessage, UndeliverableReason } from "../ports/channel-ports.ts";
import type { Ledger } from "../ports/gate-ports.ts";
import type { BlobStore, Clock, Ids, Log } from "../ports/ports.ts";

export interface OutboxWorkerDeps {
  readonly tenant: string;
  readonly outbox: Outbox;
  readonly blobs: Pick<BlobStore, "read">;
  readonly ledger: Pick<Ledger, "write" | "receipts">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** The open connection of a channel; undefined while it has none. */
  readonly connection: (channel: string) => ChannelConnection | undefined;
  /** A chat has another id from now on. */
  readonly moved: (channel: string, from: string, to: string) => Promise<void>;
  /** An item is settled, one way or the other. */
  readonly settled?: (item: OutboxItem) => void;
  /** A message of the item turned up while it was being sent again: the chat shows both. */
  readonly doubled?: (item: OutboxItem) => void;
  /** The link to a page of Elwood's, for what cannot be shown in a chat. */
  readonly pageLink: (path: string) => string;
}

/**
 * Delivers what the outbox holds: never silently lost, never more than one repeat.
 *
 * W1 One item at a time per chat, in the order in which they became ready. Waiting for one chat
 *    holds up no other.
 * W2 A message is marked `sending` on disk before its request goes out. Whoever finds it so, or
 *    finds it `unknown`, sends it once more, marked as a possible repeat; then never again.
 * W3 An edit may be repeated freely, since it changes nothing the second time.
 * W4 The platform's own waits are kept, and nothing is sent to a chat before they are over.
 * W5 A reply that is settled, delivered or not, has a receipt.
 */
export class OutboxWorker {
  readonly #deps: OutboxWorkerDeps;
  readonly #sending = keyedMutex();
  /** By item: a start and a delivery may see to the same receipt. */
  readonly #receipts = keyedMutex();
  readonly #chats = new Map<string, ChatWork>();
  /** Nothing new is begun. */
  #stopped = false;
  /** What is under way is given up. */
  readonly #abort = new AbortController();
  /** Until when nothing is sent to a chat that the platform has asked to leave alone (W4). */
  readonly #quiet = new Map<string, number>();

  constructor(deps: OutboxWorkerDeps) {
    this.#deps = deps;
  }

  /** After a start, or once a channel is open again: goes on with whatever is owed. */
  async recover(channel?: string): Promise<void> {
    const { tenant, outbox } = this.#deps;
    for (const item of await outbox.unclosed(tenant, LIMITS.pageSizeMax)) await this.#receipt(item);
    for (const item of await outbox.unsettled(tenant, LIMITS.outboxUnsettledMax))
      if (item.state === "ready" && (channel === undefined || item.channel === channel))
        this.wake(item.channel, item.chat);
  }

  /** Something is ready for this chat, or may be tried again. */
  wake(channel: string, chat: string): void {
    if (this.#stopped || !this.#deps.connection(channel)) return;
    const key = keyOf(channel, chat);
    const known = this.#chats.get(key);
    if (known) {
      known.again = true;
      known.wake.abort();
      return;
    }
    const work: ChatWork = { again: false, wake: new AbortController() };
    this.#chats.set(key, work);
    void this.#work(channel, chat, work).finally(() => {
      this.#chats.delete(key);
      if (work.again) this.wake(channel, chat);
    });
  }

  /** Resolves once nothing is being sent. Whatever is not settled is there at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { wake } of this.#chats.values()) wake.abort();
    const settled = this.#sending.settled();
    await withDeadline(this.#deps.clock, LIMITS.outboxStopMs, settled, () => undefined);
    this.#abort.abort();
    await settled;
  }

  /**
   * Shows how far an answer is, in the item's first message. False where it was not shown: the chat
   * is to be left alone, or the platform did not take it.
   */
  async preview(item: OutboxItem, message: RenderedMessage): Promise<boolean> {
    const { tenant, outbox, clock } = this.#deps;
    const { channel, chat, id } = item;
    const connection = this.#deps.connection(channel);
    if (!connection || this.#stopped) return false;
    if (clock.now() < (this.#quiet.get(keyOf(channel, chat)) ?? 0)) return false;
    return this.#sending.run(keyOf(channel, chat), async () => {
      const now = await outbox.get(tenant, id);
      if (now?.state !== "writing") return false;
      const [first] = now.messages;
      if (first?.messageId !== undefined) {
        const { messageId } = first;
        const outcome = await connection.edit({ chat, messageId, message }, this.#abort.signal);
        this.#noteWait(channel, chat, outcome);
        return outcome.kind === "sent";
      }
      // One whose fate is open is not sent again for a preview.
      if (first !== undefined && first.state !== "waiting") return false;
      await outbox.revise(tenant, id, { messages: [message], at: clock.now(), writing: true });
      const outcome = await this.#send(now, 0, message, connection, false);
      return outcome.kind === "sent";
    });
  }

  /** It will not be delivered: settles it, with its receipt. */
  abandon(item: OutboxItem, reason: UndeliverableReason, problem: string): Promise<void> {
    return this.#giveUp(item, reason, problem);
  }

  async #work(channel: string, chat: string, work: ChatWork): Promise<void> {
    const { tenant, outbox, clock, log } = this.#deps;
    for (;;) {
      if (this.#stopped) return;
      work.wake = new AbortController();
      work.again = false;
      try {
        const item = await outbox.next(tenant, channel, chat);
        const connection = this.#deps.connection(channel);
        if (!item || !connection) return;
        const waitMs = this.#waitFor(item);
        if (waitMs > 0) {
          await clock.sleep(waitMs, work.wake.signal);
          continue;
        }
        await this.#sending.run(keyOf(channel, chat), () => this.#deliver(item.id, connection));
      } catch (error) {
        log.error("something owed to a chat could not be delivered; it is tried again", { channel, error });
        await clock.sleep(LIMITS.outboxRetryBaseMs, work.wake.signal);
      }
    }
  }

  /** A clock that was set back must not turn a wait of a minute into one of a day. */
  #waitFor({ channel, chat, notBefore }: OutboxItem): number {
    const until = Math.max(notBefore ?? 0, this.#quiet.get(keyOf(channel, chat)) ?? 0);
    const waitMs = until - this.#deps.clock.now();
    return waitMs > LIMITS.outboxWaitMaxMs ? 0 : waitMs;
  }

  async #deliver(id: string, connection: ChannelConnection): Promise<void> {
    const { tenant, outbox, clock } = this.#deps;
    const item = await outbox.get(tenant, id);
    if (item?.state !== "ready") return;
    if (clock.now() - (item.readyAt ?? item.createdAt) > LIMITS.outboxAgeMaxMs) {
      const hours = Math.round(LIMITS.outboxAgeMaxMs / 3_600_000);
      const problem = `It could not be sent for ${hours} hours. ${item.problem ?? ""}`.trim();
      return this.#giveUp(item, "too-late", problem);
    }
    for (const [index, message] of item.messages.entries()) {
      if (message.content === undefined || message.state === "shown") continue;
      const done = await this.#show(item, index, { ...message, content: message.content }, connection);
      if (!done) return;
    }
    const settled = await outbox.settle(tenant, id, { state: "delivered", at: clock.now() });
    // What was revised meanwhile is next.
    if (settled?.state === "delivered") await this.#over(settled);
  }

  /** False where the rest of the item has to wait, or is given up. */
  async #show(
    item: OutboxItem,
    index: number,
    message: OutboxMessage & { readonly content: RenderedMessage },
    connection: ChannelConnection,
  ): Promise<boolean> {
    const { tenant, outbox } = this.#deps;
    if (message.messageId !== undefined) {
      const { chat } = item;
      const { messageId, content } = message;
      const outcome = await connection.edit({ chat, messageId, message: content }, this.#abort.signal);
      if (outcome.kind === "sent") {
        await outbox.mark(tenant, item.id, index, { state: "shown", content });
        return true;
      }
      if (outcome.kind === "missing") {
        // A card that somebody deleted needs no new one to say how it ended.
        const done = item.kind === "card";
        await outbox.mark(tenant, item.id, index, { state: done ? "shown" : "waiting", messageId: null });
        return done;
      }
      return this.#postponed(item, outcome);
    }
    const open = message.state === "sending" || message.state === "unknown";
    if (open && message.repeated) {
      await this.#giveUp(item, "unconfirmed", "It was sent twice, and no answer came. It may have arrived.");
      return false;
    }
    const { file } = message.content;
    const fileBytes = file && (await this.#bytesOf(file.blobId));
    if (file && !fileBytes) {
      await this.#giveUp(item, "erased", `The file ${file.name} was gone before it was sent.`);
      return false;
    }
    const outcome = await this.#send(item, index, message.content, connection, open, fileBytes);
    return outcome.kind === "sent" || this.#postponed(item, outcome);
  }

  /** Undefined where it was forgotten, or its bytes are not what was stored. */
  async #bytesOf(blobId: string): Promise<Uint8Array | undefined> {
    const { tenant, blobs, log } = this.#deps;
    try {
      return await blobs.read(tenant, blobId);
    } catch (error) {
      if (!(error instanceof FailureError) || error.failure.retryable) throw error;
      log.warn("a file that is owed to a chat cannot be read", { blobId, error });
      return undefined;
    }
  }

  /** W2 */
  async #send(
    item: OutboxItem,
    index: number,
    content: RenderedMessage,
    connection: ChannelConnection,
    repeat: boolean,
    fileBytes?: Uint8Array,
  ): Promise<SendOutcome> {
    const { tenant, outbox } = this.#deps;
    const { id, channel, chat, replyTo } = item;
    await outbox.mark(tenant, id, index, { state: "sending", ...(repeat ? { repeated: true } : {}) });
    const outcome = await connection.send(
      {
        chat,
        message: content,
        ...(fileBytes ? { fileBytes } : {}),
        key: `${id}.${index}`,
        repeat,
        ...(replyTo !== undefined && index === 0 ? { replyTo } : {}),
      },
      this.#abort.signal,
    );
    if (outcome.kind === "sent") {
      const { messageId } = outcome;
      const now = await outbox.mark(tenant, id, index, { state: "shown", messageId, content });
      if (now && now.messages.length > item.messages.length) this.#deps.doubled?.(now);
    } else if (outcome.kind === "unknown") await outbox.mark(tenant, id, index, { state: "unknown" });
    // This one did not arrive; an earlier try may have.
    else
      await outbox.mark(
        tenant,
        id,
        index,
        repeat ? { state: "unknown", repeated: false } : { state: "waiting" },
      );
    this.#noteWait(channel, chat, outcome);
    return outcome;
  }

  /** Always false: the item is not settled by this, or is settled as undeliverable. */
  async #postponed(item: OutboxItem, outcome: SendOutcome): Promise<false> {
    const { tenant, outbox, clock, log } = this.#deps;
    const { id, channel, chat } = item;
    switch (outcome.kind) {
      case "gone":
        await this.#giveUp(item, "gone", outcome.why);
        return false;
      case "refused":
      case "missing":
        await this.#refused(item, outcome.why);
        return false;
      case "moved":
        await outbox.moveChat(tenant, channel, chat, outcome.to);
        await this.#deps.moved(channel, chat, outcome.to);
        this.wake(channel, outcome.to);
        return false;
      case "retry":
      case "unknown": {
        const afterMs = (outcome.kind === "retry" ? outcome.afterMs : undefined) ?? retryMs(item.failures);
        const notBefore = clock.now() + Math.min(afterMs, LIMITS.outboxWaitMaxMs);
        await outbox.postpone(tenant, id, { notBefore, problem: outcome.why });
        log.info("a message to a chat waits", { channel, item: id, why: outcome.why, ms: afterMs });
        return false;
      }
      case "sent":
        return false;
      default:
        return outcome satisfies never;
    }
  }

  /** The platform will not show it; the chat hears at least where it can be read. */
  async #refused(item: OutboxItem, why: string): Promise<void> {
    const { tenant, outbox, clock, ids } = this.#deps;
    await this.#giveUp(item, "refused", why);
    if (item.kind === "notice") return;
    const path = item.runId === undefined ? "/" : `/runs/${item.runId}`;
    const text = `A message could not be shown here, because it was refused: ${why} You can read it at ${this.#deps.pageLink(path)}`;
    await outbox.open(tenant, {
      id: ids.next("outbox"),
      channel: item.channel,
      chat: item.chat,
      kind: "notice",
      subject: `refused:${item.id}`,
      messages: [{ text }],
      at: clock.now(),
    });
  }

  async #giveUp(item: OutboxItem, reason: UndeliverableReason, problem: string): Promise<void> {
    const { tenant, outbox, clock, log } = this.#deps;
    const at = clock.now();
    const settled = await outbox.settle(tenant, item.id, { state: "undeliverable", reason, problem, at });
    log.warn("a message could not be delivered", { channel: item.channel, item: item.id, reason, problem });
    if (settled) await this.#over(settled);
  }

  async #over(item: OutboxItem): Promise<void> {
    await this.#receipt(item);
    this.#deps.settled?.(item);
  }

  /** W5 */
  async #receipt(item: OutboxItem): Promise<void> {
    const { runId } = item;
    if (item.kind !== "reply" || runId === undefined) return;
    await this.#receipts.run(item.id, () => this.#writeReceipt(item, runId));
  }

  async #writeReceipt(item: OutboxItem, runId: string): Promise<void> {
    const { tenant, outbox, ledger } = this.#deps;
    const { channel: surface, id: itemId } = item;
    const type = item.state === "delivered" ? "reply.delivered" : "reply.undeliverable";
    const known = await ledger.receipts(tenant, { runId, types: [type], limit: LIMITS.pageSizeDefault });
    if (!known.some(({ payload }) => "itemId" in payload && payload.itemId === itemId)) {
      const about = { runId, actor: "gateway", surface };
      await mustWrite(ledger, tenant, itemId, {
        receipts: [
          item.state === "delivered"
            ? { ...about, type: "reply.delivered", payload: delivered(item) }
            : {
                ...about,
                type: "reply.undeliverable",
                payload: { itemId, why: item.reason ?? "too-late" },
              },
        ],
        changes: [],
      });
    }
    await outbox.close(tenant, itemId);
  }

  /** W4 */
  #noteWait(channel: string, chat: string, outcome: SendOutcome): void {
    const key = keyOf(channel, chat);
    if (outcome.kind === "retry" && outcome.afterMs !== undefined)
      this.#quiet.set(key, this.#deps.clock.now() + Math.min(outcome.afterMs, LIMITS.outboxWaitMaxMs));
    else if (outcome.kind === "sent") this.#quiet.delete(key);
  }
}

interface ChatWork {
  /** It was woken since it last looked. */
  again: boolean;
  wake: AbortController;
}

function delivered(item: OutboxItem): ReceiptPayloads["reply.delivered"] {
  const repeated = item.messages.some((message) => message.repeated);
  return {
    itemId: item.id,
    messages: item.messages.filter(({ messageId }) => messageId !== undefined).length,
    ...(repeated ? { repeated: true } : {}),
  };
}

function retryMs(failures: number): number {
  return Math.min(LIMITS.outboxRetryMaxMs, LIMITS.outboxRetryBaseMs * 2 ** Math.min(failures, 16));
}

function keyOf(channel: string, chat: string): string {
  return `${channel} ${chat}`;
}
