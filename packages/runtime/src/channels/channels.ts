import type { ChannelConnection, ChannelContent, ChannelEvent } from "@elwood/core/channel/channel";
import { LIMITS } from "@elwood/core/base/limits";
import { failure, type Failure } from "@elwood/core/base/failure";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { LocalTime } from "@elwood/core/base/local-time";
import type { Redactor } from "@elwood/core/base/redact";
import type { Approvals } from "../gate/approvals.ts";
import type { ChannelStores, OutboxItem } from "../ports/channel-ports.ts";
import type { Ledger } from "../ports/gate-ports.ts";
import type { Clock, Ids, Log, Stores, ToolHost } from "../ports/ports.ts";
import type { Engine } from "../run/engine.ts";
import { Cards } from "./cards.ts";
import { Inbound } from "./inbound.ts";
import type { ChannelMethods, OpenChannel } from "./open-channel.ts";
import { OutboxWorker } from "./outbox-worker.ts";
import { PairingService } from "./pairing.ts";
import { Replies } from "./replies.ts";
import { replyFiles } from "./reply-files.ts";

export interface ChannelsDeps {
  readonly tenant: string;
  readonly stores: Stores & ChannelStores;
  readonly ledger: Ledger;
  readonly engine: Engine;
  readonly activity: ToolHost["activity"];
  readonly approvals: Pick<Approvals, "onEvent" | "find">;
  readonly methods: ChannelMethods;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly localTime: LocalTime;
  /** SHA-256, as hex. */
  readonly hash: (text: string) => string;
  readonly random: (bytes: number) => Uint8Array;
  readonly redact: Redactor;
  readonly defaultAgentId: string;
  /** Which replies could not be delivered may have changed. */
  readonly settled?: () => void;
  /** A page of Elwood's, as the owner reaches it. */
  readonly pageLink: (path: string) => string;
}

/** Something to be said in a chat by Elwood itself: a reminder, a notification, the reply of a job. */
export interface Announcement {
  readonly channel: string;
  readonly chat: string;
  /** Whatever is said under the same subject is said once. */
  readonly subject: string;
  readonly markdown: string;
  readonly plain?: boolean;
  readonly footer?: string;
}

/** A text of the gateway's own for a chat, with a key under which it is accepted once. */
export interface ChannelDelivery {
  readonly key: string;
  /** A chat of a channel, as `telegram:12345`. */
  readonly target: string;
  readonly text: string;
  /** What the calls of the run did: it stands under the text, with a link to the run. */
  readonly evidence?: string;
  /** The run whose reply it is: its delivery leaves a receipt, and its files go along. */
  readonly runId?: string;
}

type Settled = (tenant: string, key: string, outcome: Result<"delivered", Failure>) => void;

const DELIVERY = "delivery:";

/**
 * All channels that are open, and what they share. A channel is attached when it connects and
 * detached when it closes; what is owed to its chats meanwhile stays in the outbox.
 */
export class Channels {
  readonly pairing: PairingService;
  readonly cards: Cards;
  readonly #deps: ChannelsDeps;
  readonly #open = new Map<string, OpenChannel>();
  readonly #worker: OutboxWorker;
  readonly #replies: Replies;
  readonly #inbound: Inbound;
  readonly #unhear: () => void;
  readonly #settledListeners = new Set<Settled>();

  constructor(deps: ChannelsDeps) {
    this.#deps = deps;
    const { tenant, stores, ledger, engine, methods, clock, ids, log, localTime, pageLink } = deps;
    const { outbox, inbox, channelStates, pairings, sessions, blobs, runs } = stores;
    const channel = (name: string) => this.#open.get(name);
    const common = { tenant, outbox, clock, ids, log, pageLink };
    this.pairing = new PairingService({
      tenant,
      pairings,
      channelStates,
      clock,
      hash: deps.hash,
      random: deps.random,
    });
    this.#worker = new OutboxWorker({
      ...common,
      blobs,
      ledger,
      connection: (name) => channel(name)?.connection,
      moved: (name, from, to) => this.#inbound.moveSession(name, from, to),
      settled: (item) => this.#settled(item),
      doubled: (item) => this.cards.doubled(item),
    });
    this.cards = new Cards({
      ...common,
      ledger,
      approvals: deps.approvals,
      channelStates,
      runs,
      worker: this.#worker,
      methods,
      localTime,
      channel,
      channels: () => [...this.#open.values()],
      sayFirst: (runId) => this.#replies.sayFirst(runId),
    });
    this.#replies = new Replies({
      ...common,
      feeds: engine.feeds,
      runs,
      ledger,
      blobs,
      redact: deps.redact,
      activity: deps.activity,
      worker: this.#worker,
      channel,
      isWaiting: (runId) => this.cards.isWaiting(runId),
    });
    this.#inbound = new Inbound({
      ...common,
      engine,
      sessions,
      blobs,
      ledger,
      inbox,
      worker: this.#worker,
      replies: this.#replies,
      cards: this.cards,
      pairing: this.pairing,
      methods,
      defaultAgentId: deps.defaultAgentId,
    });
    this.#unhear = deps.approvals.onEvent((event) => {
      if (event.tenant === tenant) this.cards.heard(event);
    });
  }

  /** The channel is connected: whatever is owed to its chats is taken up. */
  async attach(channel: OpenChannel): Promise<void> {
    const { name } = channel.definition;
    this.#open.set(name, channel);
    await this.cards.recover();
    await this.#replies.recover(name);
    await this.#worker.recover(name);
  }

  detach(name: string, connection: ChannelConnection): void {
    if (this.#open.get(name)?.connection === connection) this.#open.delete(name);
  }

  /** What a channel's `receive` calls. */
  receive(channel: OpenChannel, event: ChannelEvent): Promise<void> {
    return this.#inbound.receive(channel, event);
  }

  /** Puts something into the outbox; false where the channel is not open, and nothing was stored. */
  async announce({ channel: name, chat, subject, ...content }: Announcement): Promise<boolean> {
    const { tenant, stores, ids, clock } = this.#deps;
    const channel = this.#open.get(name);
    if (!channel) return false;
    await stores.outbox.open(tenant, {
      id: ids.next("outbox"),
      channel: name,
      chat,
      kind: "notice",
      subject,
      messages: channel.connection.render(content),
      at: clock.now(),
    });
    this.#worker.wake(name, chat);
    return true;
  }

  /**
   * Brings a text to a chat that somebody writes in whom the owner let in, and to no other: an id
   * that nobody knows could be anybody's. Accepted once per key, however often it is handed over.
   */
  async deliver(
    tenant: string,
    { key, target, text, evidence, runId }: ChannelDelivery,
  ): Promise<Result<"delivered" | "accepted", Failure>> {
    const { stores, ids, clock } = this.#deps;
    const { name, chat } = placeIn(target);
    const channel = this.#open.get(name);
    if (!channel)
      return err(
        failure(
          "UPSTREAM_ERROR",
          `${name} is not connected, so nothing was sent to ${target}. Connect it, or choose another target.`,
        ),
      );
    if (!(await this.#isKnown(channel, chat)))
      return err(
        failure(
          "NOT_FOUND",
          `Nobody whom you let in writes in ${target}, so nothing was sent there. Choose a chat that Elwood knows.`,
        ),
      );
    const item = await stores.outbox.open(tenant, {
      id: ids.next("outbox"),
      channel: name,
      chat,
      kind: runId === undefined ? "notice" : "reply",
      subject: `${DELIVERY}${key}`,
      ...(runId === undefined ? {} : { runId }),
      messages: channel.connection.render(await this.#contentOf(channel, { text, evidence, runId })),
      at: clock.now(),
    });
    this.#worker.wake(name, chat);
    if (item.state === "delivered") return ok("delivered");
    return item.state === "undeliverable" ? err(undelivered(item)) : ok("accepted");
  }

  async #contentOf(
    channel: OpenChannel,
    {
      text,
      evidence,
      runId,
    }: { readonly text: string; readonly evidence?: string | undefined; readonly runId?: string | undefined },
  ): Promise<ChannelContent> {
    if (runId === undefined) return { markdown: text };
    const { tenant, stores, ledger, redact, pageLink } = this.#deps;
    const link = pageLink(`/runs/${runId}`);
    const { title, fileBytesMax } = channel.definition;
    const { files, notes } = await replyFiles({ tenant, ledger, blobs: stores.blobs, redact }, runId, {
      title,
      bytesMax: fileBytesMax.out,
      link,
    });
    const markdown = [text, notes.join("\n")].filter((part) => part !== "").join("\n\n");
    return {
      markdown,
      ...(evidence === undefined ? {} : { footer: `${evidence}\n${link}` }),
      ...(files.length > 0 ? { files } : {}),
    };
  }

  /**
   * The reply of a run is owed to a chat that the owner named, from now on and through a restart,
   * whether or not its channel is open. Saying it again changes nothing.
   */
  async owe(runId: string, target: string): Promise<void> {
    const { tenant, stores, ids, clock } = this.#deps;
    const { name, chat } = placeIn(target);
    const item = await stores.outbox.open(tenant, {
      id: ids.next("outbox"),
      channel: name,
      chat,
      kind: "reply",
      subject: runId,
      runId,
      at: clock.now(),
    });
    // What kind of chat it is nobody said; the slower pace suits both.
    if (item.state === "writing" && this.#open.has(name)) this.#replies.follow(item, "group");
  }

  /** Replies of the last days that never reached their chats. */
  async undelivered(): Promise<readonly OutboxItem[]> {
    const { tenant, stores, clock } = this.#deps;
    return stores.outbox.undelivered(tenant, clock.now() - LIMITS.undeliveredShownMs, LIMITS.pageSizeMax);
  }

  /** Told how a delivery that was accepted ended. Answers how to stop listening. */
  onSettled(listener: Settled): () => void {
    this.#settledListeners.add(listener);
    return () => this.#settledListeners.delete(listener);
  }

  #settled(item: OutboxItem): void {
    if (item.kind === "reply") this.#deps.settled?.();
    if (!item.subject.startsWith(DELIVERY)) return;
    const key = item.subject.slice(DELIVERY.length);
    const outcome = item.state === "delivered" ? ok("delivered" as const) : err(undelivered(item));
    for (const listener of this.#settledListeners) listener(this.#deps.tenant, key, outcome);
  }

  async #isKnown({ definition: { name }, access }: OpenChannel, chat: string): Promise<boolean> {
    const { tenant, stores } = this.#deps;
    const { approverIds, allowedChatIds } = access();
    const [group = ""] = chat.split(":");
    if ([...approverIds, ...allowedChatIds].includes(group)) return true;
    if (await this.pairing.isPaired(name, group)) return true;
    return (await stores.sessions.findByKey(tenant, { channel: name, chat })) !== undefined;
  }

  async stop(): Promise<void> {
    this.#unhear();
    await this.#replies.stop();
    await this.#worker.stop();
  }
}

/** `telegram:12345` */
function placeIn(target: string): { readonly name: string; readonly chat: string } {
  const [name = "", ...chat] = target.split(":");
  return { name, chat: chat.join(":") };
}

function undelivered({ channel, chat, problem = "" }: OutboxItem): Failure {
  return failure(
    "UPSTREAM_ERROR",
    `The message to ${channel}:${chat} could not be delivered. ${problem}`.trim(),
    {
      retryable: false,
    },
  );
}
