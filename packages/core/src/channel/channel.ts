/**
 * A channel: a chat service, as the gateway sees it. The types stand here because two sides are
 * written against them that do not know each other: `channels/<name>/` implements them, and
 * `runtime/channels` drives whatever implements them.
 *
 * C1 `receive` resolves once what arrived is stored, or once it is known that nothing is to be
 *    done about it. It survives the death of the process then, and a pulled plug once a later
 *    `state.write` has resolved. Only after both may a channel tell its platform that it has the
 *    update. A rejected `receive` means "not stored": the channel offers the same update again.
 * C2 The channel says who sent something by the platform's own id. It never says what they may do.
 * C3 `send` and `edit` never throw for what the platform or the network does: every way they can
 *    end is a `SendOutcome`. Only `sent` claims that the message is there, and only `unknown`
 *    leaves open whether it is.
 * C4 Nothing that a channel sends is taken for Markdown, a mention or a command by its platform,
 *    unless `render` made it so: names and texts come from strangers.
 */
export interface ChannelConnection {
  /** Who it is on its platform, as far as it has been told. */
  readonly account: ChannelAccount;
  /** Text and its buttons as the messages that the platform can show, in order; none of them is empty. Pure: the same content gives the same messages. */
  render(content: ChannelContent): readonly RenderedMessage[];
  send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome>;
  /** Replaces the text and buttons of a message. Repeating it changes nothing. */
  edit(request: EditRequest, signal: AbortSignal): Promise<SendOutcome>;
  /** Shows that an answer is being written. It may fail without a word. */
  typing(chat: string, signal: AbortSignal): Promise<void>;
  /** Tells the sender of a button press what became of it; short. It may fail without a word. */
  answerPress(press: ChannelPress, words: string, signal: AbortSignal): Promise<void>;
  /** Reads a file that came with a message. */
  fetchFile(file: ChannelFile, signal: AbortSignal): Promise<FetchedFile>;
  /** Stops receiving. Whatever was being sent ends as `unknown` or `retry`. */
  close(): Promise<void>;
}

/** The account that Elwood uses on a platform. */
export interface ChannelAccount {
  readonly id: string;
  /** `elwood_bot` */
  readonly name: string;
  /** Where people find it. */
  readonly link?: string;
}

/** What a channel is made with when the gateway opens it. */
export interface ChannelContext<Settings = unknown> {
  readonly settings: Settings;
  /** The secrets that the definition names, as far as there are any. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly clock: ChannelClock;
  readonly log: ChannelLog;
  /** Commands that the platform offers in its menu. */
  readonly commands: readonly ChannelCommand[];
  /** What the channel keeps from one start to the next, such as an offset; small. */
  readonly state: ChannelState;
  /** C1 */
  readonly receive: (event: ChannelEvent) => Promise<void>;
  /** How the connection is doing, in words for its owner. Said whenever that changes. */
  readonly report: (health: ChannelHealth) => void;
  /** Fires when the gateway closes the channel. */
  readonly signal: AbortSignal;
}

export interface ChannelClock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface ChannelLog {
  error(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  debug(message: string, fields?: Record<string, unknown>): void;
}

export interface ChannelState {
  read(key: string): Promise<string | undefined>;
  /** It survives a pulled plug once it resolves, and so does everything that was stored before. */
  write(key: string, value: string): Promise<void>;
}

export interface ChannelHealth {
  readonly state: "connecting" | "connected" | "waiting" | "failed";
  /** What is wrong and what to do about it. */
  readonly problem?: string;
}

/** A command, the same in every channel. */
export interface ChannelCommand {
  /** Lower-case letters, without a slash. */
  readonly name: string;
  readonly description: string;
  /** What may be written behind it, for platforms that ask. */
  readonly argument?: string;
}

// ── what comes in ────────────────────────────────────────────────────────────────────

export type ChannelEvent = ChannelMessage | ChannelPress | ChatGone | ChatMoved;

/** Where something was said. */
export interface ChannelChat {
  /** The platform's name for the place, topic or thread included; one session belongs to it. */
  readonly id: string;
  readonly kind: "private" | "group";
  /** What `allowedChatIds` may name it by: the chat itself, without its topic. */
  readonly groupId?: string;
  readonly title?: string;
}

export interface ChannelSender {
  /** The platform's own id, never a name that people choose. */
  readonly id: string;
  /** What people call them; only for showing. */
  readonly name: string;
  /** Another program. */
  readonly bot?: boolean;
}

export interface ChannelMessage {
  readonly kind: "message";
  /** The platform's id of this message, unique in the channel: a second one with it is a repeat. */
  readonly id: string;
  /** Its id in its chat, as `replyTo` names it. */
  readonly messageId: string;
  readonly chat: ChannelChat;
  readonly from: ChannelSender;
  /** Milliseconds since 1970, by the platform's clock. */
  readonly sentAt: number;
  /** The sender's own words. A mention of the account is left out. */
  readonly text: string;
  /** It was written to Elwood: in a private chat, by mention, or as an answer to one of its messages. */
  readonly addressed: boolean;
  /** `/status now` as `{name: "status", argument: "now"}`. */
  readonly command?: { readonly name: string; readonly argument: string };
  /** Words of somebody else that came with it. */
  readonly quotes?: readonly ChannelQuote[];
  readonly files?: readonly ChannelFile[];
  /** The message that it answers. */
  readonly replyTo?: string;
  /** Something in it that Elwood cannot read, such as "a poll". */
  readonly unsupported?: string;
  /** It is an earlier message, changed. */
  readonly edited?: boolean;
}

export interface ChannelQuote {
  readonly how: "quoted" | "forwarded";
  readonly text: string;
  /** Who said it, where the platform tells; absent for people who hide it. */
  readonly by?: ChannelSender;
  /** Elwood itself said it. */
  readonly own?: boolean;
}

export interface ChannelFile {
  /** How the platform finds it. */
  readonly ref: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes?: number;
  /** It is a spoken message. */
  readonly voice?: boolean;
}

export type FetchedFile =
  | { readonly ok: true; readonly bytes: Uint8Array }
  /** `problem` completes "The file …". */
  | { readonly ok: false; readonly problem: string };

/** Somebody pressed a button. */
export interface ChannelPress {
  readonly kind: "press";
  readonly id: string;
  readonly chat: ChannelChat;
  readonly from: ChannelSender;
  /** What the button carries. */
  readonly data: string;
  /** The message that the button belongs to. */
  readonly messageId: string;
  /** What else the platform needs to answer it. */
  readonly reply?: string;
  /** Words that came with it, where the platform can ask for some. */
  readonly note?: string;
}

/** The account can no longer write there: it was blocked, or removed. */
export interface ChatGone {
  readonly kind: "gone";
  readonly id: string;
  readonly chat: string;
  readonly why: string;
}

/** The platform gave a chat another id. */
export interface ChatMoved {
  readonly kind: "moved";
  readonly id: string;
  readonly chat: string;
  readonly to: string;
}

// ── what goes out ────────────────────────────────────────────────────────────────────

/** What is to be said, before a platform has its way with it. */
export interface ChannelContent {
  /** CommonMark with tables, as models write it; shown as formatted text, never run as anything. */
  readonly markdown: string;
  /** `markdown` is no Markdown, but text to be shown as it stands. */
  readonly plain?: boolean;
  /** Lines under it, shown smaller or set apart where the platform can; plain text. */
  readonly footer?: string;
  /** Rows of buttons under the last message. */
  readonly buttons?: readonly (readonly ChannelButton[])[];
  /** Ask for an answer to this very message, where the platform can. */
  readonly wantsReply?: boolean;
  /** Files that go out behind it, each no larger than the channel takes. */
  readonly files?: readonly OutgoingFile[];
}

/** A file that goes out. It is stored; its bytes come with the request that sends it. */
export interface OutgoingFile {
  readonly blobId: string;
  /** As people see it: one line, without a path. */
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
}

export type ChannelButton =
  | {
      readonly words: string;
      /** At most BUTTON_BYTES_MAX bytes; it comes back in a ChannelPress. */
      readonly data: string;
      readonly tone?: "good" | "bad";
      /** A field that is asked for when it is pressed, by its name, where the platform can; its text comes with the press. */
      readonly note?: string;
    }
  | { readonly words: string; readonly url: string };

/** What every platform takes. */
export const BUTTON_BYTES_MAX = 64;

/** One message, as the platform is sent it. */
export interface RenderedMessage {
  /** What people read, without formatting. */
  readonly text: string;
  /** The rest in the platform's own shape; plain JSON, since it is stored. */
  readonly form?: unknown;
  /** The message is this file. `text` is its name then, and nothing changes it later. */
  readonly file?: OutgoingFile;
}

export interface SendRequest {
  readonly chat: string;
  readonly message: RenderedMessage;
  /** What is in `message.file`. */
  readonly fileBytes?: Uint8Array;
  /** The same for every try of this message: a platform that knows such keys shows it once. */
  readonly key: string;
  /** An earlier try had no answer: say that this may be a repeat, unless `key` rules one out. */
  readonly repeat: boolean;
  /** The message that it answers; a platform may leave that out where it is plain. */
  readonly replyTo?: string;
  /** Do not ring. */
  readonly silent?: boolean;
}

export interface EditRequest {
  readonly chat: string;
  readonly messageId: string;
  readonly message: RenderedMessage;
}

export type SendOutcome =
  | { readonly kind: "sent"; readonly messageId: string }
  /** It is not there, and may be tried again after `afterMs`; absent where the platform names no time. */
  | {
      readonly kind: "retry";
      readonly why: string;
      readonly afterMs?: number;
      /** The platform could not be reached at all. */
      readonly offline?: boolean;
    }
  /** The request went out and no answer came. */
  | { readonly kind: "unknown"; readonly why: string }
  /** The chat will take nothing from this account any more. */
  | { readonly kind: "gone"; readonly why: string }
  /** The platform refuses this very message. */
  | { readonly kind: "refused"; readonly why: string }
  /** Of an edit: the message is not there, or can no longer be changed. */
  | { readonly kind: "missing"; readonly why: string }
  /** The platform gave the chat another id. */
  | { readonly kind: "moved"; readonly to: string };

/** How a platform wants to be used. */
export interface ChannelPace {
  /** Between two edits of a message that is being written. */
  readonly editMs: { readonly private: number; readonly group: number };
  /** How long "is typing" lasts there. */
  readonly typingMs: number;
  /** `edit`: an answer grows by edits; `whole`: it comes when it is whole. */
  readonly streaming: "edit" | "whole";
}

/** A channel as its author defines it; see `defineChannel` in sdk/channel. */
export interface ChannelDefinition {
  readonly kind: "elwood.channel";
  /** The name of its folder, of its group of settings, and of its surface: `telegram`. */
  readonly name: string;
  /** "Telegram" */
  readonly title: string;
  /** Names of secrets that it needs: `TELEGRAM_BOT_TOKEN`. The first one is its token. */
  readonly secrets: readonly string[];
  readonly pace: ChannelPace;
  /** The largest file that it can be sent, and that it can read. */
  readonly fileBytesMax: { readonly in: number; readonly out: number };
  /** Opens the connection. Receiving begins with the first `receive`; nothing is received once it is closed. */
  open(context: ChannelContext): Promise<ChannelConnection>;
  /** Asks the platform who the token belongs to, and changes nothing. */
  check(context: ChannelCheckContext): Promise<ChannelCheck>;
}

export type ChannelCheckContext = Pick<ChannelContext, "settings" | "secrets" | "signal" | "clock">;

export type ChannelCheck =
  | { readonly ok: true; readonly account: ChannelAccount; readonly notes: readonly string[] }
  /** What is wrong, and what to do about it. */
  | { readonly ok: false; readonly problem: string };
