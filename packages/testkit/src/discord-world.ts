import type { Clock } from "@elwood/runtime/ports/ports";

/** What Discord knows: people, places and messages. Shapes are those of API version 10, as far as a bot meets them. */

export type Json = Readonly<Record<string, unknown>>;

export interface DiscordUser {
  readonly id: string;
  readonly username: string;
  readonly global_name?: string;
  readonly bot?: boolean;
}

export const CHANNEL_TYPES = { text: 0, dm: 1, thread: 11 } as const;

export interface DiscordChannel {
  readonly id: string;
  readonly type: number;
  readonly guild_id?: string;
  readonly name?: string;
  /** Of a thread: the channel it belongs to. */
  readonly parent_id?: string;
  readonly owner_id?: string;
  readonly recipients?: readonly DiscordUser[];
}

export interface DiscordAttachment {
  readonly id: string;
  readonly filename: string;
  readonly size: number;
  readonly url: string;
  readonly content_type?: string;
}

export interface DiscordMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly guild_id?: string;
  readonly author: DiscordUser;
  readonly timestamp: string;
  readonly type: number;
  readonly mention_everyone: boolean;
  /** Who was rung. */
  readonly mentions: readonly DiscordUser[];
  readonly message_reference?: Json;
  readonly referenced_message?: DiscordMessage;
  readonly message_snapshots?: readonly Json[];
  readonly sticker_items?: readonly Json[];
  readonly poll?: Json;
  readonly nonce?: string | number;
  content: string;
  attachments: readonly DiscordAttachment[];
  components: readonly Json[];
  embeds: readonly Json[];
  flags: number;
  edited_timestamp: string | null;
  /** Seen by one person only. Not on the wire: such messages go to them alone. */
  readonly ephemeralFor?: string;
}

export interface DiscordGuild {
  readonly id: string;
  readonly name: string;
  readonly channels: readonly string[];
}

export interface StoredFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const DISCORD_EPOCH = 1_420_070_400_000;
const INCREMENT_BITS = 22n;

export class DiscordWorld {
  readonly channels = new Map<string, DiscordChannel>();
  readonly guilds = new Map<string, DiscordGuild>();
  readonly messages = new Map<string, DiscordMessage>();
  /** Contents of attachments, by the attachment's id. */
  readonly files = new Map<string, StoredFile>();
  readonly #byChannel = new Map<string, DiscordMessage[]>();
  readonly #clock: Pick<Clock, "now">;
  #count = 0n;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** An id as Discord makes them: the time it was made, and a number. */
  nextId(): string {
    this.#count += 1n;
    return String((BigInt(this.#clock.now() - DISCORD_EPOCH) << INCREMENT_BITS) + this.#count);
  }

  timestamp(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  addChannel(channel: Omit<DiscordChannel, "id"> & { id?: string }): DiscordChannel {
    const added = { id: this.nextId(), ...channel };
    this.channels.set(added.id, added);
    return added;
  }

  /** The private channel of one person with the bot; the same one every time. */
  privateChannel(user: DiscordUser): DiscordChannel {
    const known = [...this.channels.values()].find(
      ({ type, recipients }) => type === CHANNEL_TYPES.dm && recipients?.[0]?.id === user.id,
    );
    return known ?? this.addChannel({ type: CHANNEL_TYPES.dm, recipients: [user] });
  }

  addMessage(
    given: Partial<DiscordMessage> & Pick<DiscordMessage, "channel_id" | "author" | "content">,
  ): DiscordMessage {
    const guild = this.channels.get(given.channel_id)?.guild_id;
    const message: DiscordMessage = {
      id: this.nextId(),
      ...(guild === undefined ? {} : { guild_id: guild }),
      timestamp: this.timestamp(),
      type: given.message_reference !== undefined && given.referenced_message ? 19 : 0,
      mention_everyone: false,
      mentions: [],
      attachments: [],
      components: [],
      embeds: [],
      flags: 0,
      edited_timestamp: null,
      ...given,
    };
    this.messages.set(message.id, message);
    const there = this.#byChannel.get(message.channel_id) ?? [];
    there.push(message);
    this.#byChannel.set(message.channel_id, there);
    return message;
  }

  messagesIn(channelId: string): readonly DiscordMessage[] {
    return this.#byChannel.get(channelId) ?? [];
  }

  addFile(file: StoredFile, base: string): DiscordAttachment {
    const id = this.nextId();
    this.files.set(id, file);
    return {
      id,
      filename: file.name,
      size: file.bytes.length,
      url: `${base}/attachments/${id}/${encodeURIComponent(file.name)}?ex=1`,
      content_type: file.type,
    };
  }
}
