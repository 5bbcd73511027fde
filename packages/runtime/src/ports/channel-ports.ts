import type { RenderedMessage } from "@elwood/core/channel/channel";

/** What channels store: what they owe, what they have had, whom they know. Each has one contract suite. */

/** `reply`: of a run. `card`: an approval or a question, with its buttons. `notice`: anything else that Elwood says. */
export const OUTBOX_KINDS = ["reply", "card", "notice"] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** One message of an item, and how far it is. */
export interface OutboxMessage {
  /** What the chat is to show; absent once it shows it. */
  readonly content?: RenderedMessage;
  /** The platform's id. With it, showing something else is an edit. */
  readonly messageId?: string;
  /**
   * `waiting`: not sent since the content changed. `sending`: a request may be under way, or was
   * when the process died. `unknown`: it went out, and no answer came. `shown`: the platform
   * confirmed it.
   */
  readonly state: "waiting" | "sending" | "unknown" | "shown";
  /** It was sent a second time after no answer came. There is no third. */
  readonly repeated?: true;
}

/**
 * `gone`: the chat takes nothing any more. `refused`: the platform refuses the message. `unconfirmed`:
 * it was sent twice without an answer. `too-late`: it could not be sent for too long. `erased`: what
 * it said was forgotten before it was sent.
 */
export const UNDELIVERABLE_REASONS = ["gone", "refused", "unconfirmed", "too-late", "erased"] as const;
export type UndeliverableReason = (typeof UNDELIVERABLE_REASONS)[number];

/** Something that Elwood owes a chat. */
export interface OutboxItem {
  readonly id: string;
  readonly channel: string;
  readonly chat: string;
  readonly kind: OutboxKind;
  /** What it is about: the run, the approval, or a key of the notice. There is one item of a kind about it in a chat. */
  readonly subject: string;
  readonly runId?: string;
  /** The message that it answers. */
  readonly replyTo?: string;
  /** `writing`: its text is not whole yet. `ready`: it is, and has to be shown. */
  readonly state: "writing" | "ready" | "delivered" | "undeliverable";
  readonly messages: readonly OutboxMessage[];
  /** When its text was last whole; items of a chat are delivered in this order. */
  readonly readyAt?: number;
  /** Not to be tried before. */
  readonly notBefore?: number;
  /** Tries in a row that came to nothing. */
  readonly failures: number;
  /** Why it could not be delivered, or was not yet, in words. */
  readonly problem?: string;
  /** Of an undeliverable one. */
  readonly reason?: UndeliverableReason;
  readonly createdAt: number;
  readonly settledAt?: number;
}

export interface NewOutboxItem {
  readonly id: string;
  readonly channel: string;
  readonly chat: string;
  readonly kind: OutboxKind;
  readonly subject: string;
  readonly runId?: string;
  readonly replyTo?: string;
  /** Absent: it is being written. */
  readonly messages?: readonly RenderedMessage[];
  readonly at: number;
}

/** How far a message is. `null` drops an id whose message is not there any more. */
export interface MessageMark {
  readonly state: OutboxMessage["state"];
  readonly messageId?: string | null;
  readonly repeated?: boolean;
  /** With `shown`: what the chat shows. Where the item says something else by now, that has to be shown still. */
  readonly content?: RenderedMessage;
}

/**
 * What is owed to chats. When a promise resolves, what it wrote survives the death of the process,
 * and a pulled plug with the next write that does: `mark`, `adopt`, `postpone` and `open` with
 * messages do at once. The others wait for no disk, since a reply is waited for by somebody, and what
 * they say can be told again: from the run, from the approval, or by the event that comes again.
 *
 * O1 An item is there from the moment it is owed until long after it is settled; what it says is
 *    there only until it is shown.
 * O2 A second `open` for the same subject changes nothing, and answers with what is there.
 * O3 A message is marked `sending` before a request for it goes out.
 * O4 A settled item changes only by `revise`, which makes it ready again.
 * O5 An item is delivered once the chat shows everything that it says: what was revised while it was
 *    being sent is not lost.
 */
export interface Outbox {
  open(tenant: string, item: NewOutboxItem): Promise<OutboxItem>;
  get(tenant: string, id: string): Promise<OutboxItem | undefined>;
  /** All items about a subject, in every chat. */
  about(tenant: string, kind: OutboxKind, subject: string): Promise<readonly OutboxItem[]>;
  /** The item that a message of a chat belongs to. */
  ofMessage(
    tenant: string,
    place: { readonly channel: string; readonly chat: string; readonly messageId: string },
  ): Promise<OutboxItem | undefined>;
  /**
   * Its text is whole, or another one: it has to be shown. Messages that are there already are
   * changed in their place; those that are no longer needed stay as they are. With
   * `writing`, more text follows: whatever there is may be shown, and the item is not settled.
   */
  revise(
    tenant: string,
    id: string,
    change: {
      readonly messages: readonly RenderedMessage[];
      readonly at: number;
      readonly writing?: boolean;
    },
  ): Promise<OutboxItem | undefined>;
  /** Notes how far one message is. `shown` drops what it says. */
  mark(tenant: string, id: string, index: number, change: MessageMark): Promise<OutboxItem | undefined>;
  /** A message of the item turned up whose sending had no answer: it belongs to the item from now on, as one that is shown. */
  adopt(tenant: string, id: string, messageId: string): Promise<OutboxItem | undefined>;
  /** It could not be delivered now. */
  postpone(
    tenant: string,
    id: string,
    change: { readonly notBefore: number; readonly problem: string },
  ): Promise<void>;
  /** An item that has something left to show is not delivered, and stays as it is (O5). */
  settle(
    tenant: string,
    id: string,
    change: { readonly at: number } & (
      | { readonly state: "delivered" }
      | { readonly state: "undeliverable"; readonly reason: UndeliverableReason; readonly problem: string }
    ),
  ): Promise<OutboxItem | undefined>;
  /** The first item of a chat that is ready, in the order in which they became so. */
  next(tenant: string, channel: string, chat: string): Promise<OutboxItem | undefined>;
  /** Items in `writing` or `ready`, those ready first and in their order. */
  unsettled(tenant: string, limit: number): Promise<readonly OutboxItem[]>;
  /** Settled items about which something is left to do: a reply without its receipt, a card that can still be decided. */
  unclosed(tenant: string, limit: number): Promise<readonly OutboxItem[]>;
  /** Replies that could not be delivered since a moment, newest first, in chats to which nothing was delivered later. */
  undelivered(tenant: string, since: number, limit: number): Promise<readonly OutboxItem[]>;
  /** Nothing is left to do about it. */
  close(tenant: string, id: string): Promise<void>;
  /** The platform gave a chat another id. */
  moveChat(tenant: string, channel: string, from: string, to: string): Promise<void>;
  /** Drops settled items from before a moment; answers how many. */
  prune(tenant: string, before: number): Promise<number>;
}

/**
 * Which events of a channel were dealt with: a platform may deliver one twice.
 *
 * I1 An event is noted after everything that it led to is stored. Until then it may come again,
 *    and whatever it leads to must be the same then.
 * I2 Where that cannot be the same by itself, `plan` stores what is going to be done, once.
 * I3 What is noted survives the death of the process, and a pulled plug once the channel has stored
 *    its own position.
 */
export interface Inbox {
  seen(tenant: string, channel: string, eventId: string): Promise<boolean>;
  /** The plan that is stored for an event: this one, or the one from the last time it came. */
  plan(tenant: string, channel: string, eventId: string, plan: string, at: number): Promise<string>;
  note(tenant: string, channel: string, eventId: string, at: number): Promise<void>;
  prune(tenant: string, before: number): Promise<number>;
}

/** What a channel keeps from one start to the next. */
export interface ChannelStates {
  read(tenant: string, channel: string, key: string): Promise<string | undefined>;
  write(tenant: string, channel: string, key: string, value: string): Promise<void>;
}

/** Somebody who may write, or asks to be let in. */
export interface Pairing {
  readonly channel: string;
  readonly senderId: string;
  readonly name: string;
  readonly state: "asked" | "paired";
  /** Of one who asks: hash of the code, and when it expires. */
  readonly codeHash?: string;
  readonly expiresAt?: number;
  readonly at: number;
}

/** People whom the owner let in, and those who ask for it, by channel and the platform's id. */
export interface Pairings {
  find(tenant: string, channel: string, senderId: string): Promise<Pairing | undefined>;
  list(tenant: string): Promise<readonly Pairing[]>;
  put(tenant: string, pairing: Pairing): Promise<void>;
  remove(tenant: string, channel: string, senderId: string): Promise<boolean>;
}

export interface ChannelStores {
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly channelStates: ChannelStates;
  readonly pairings: Pairings;
}
