import type { Approval } from "@elwood/core/policy/approval";
import type {
  ChannelCheck,
  ChannelDefinition,
  ChannelHealth,
  ChannelState,
} from "@elwood/core/channel/channel";
import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { WireChannel } from "@elwood/core/protocol/channel-shapes";
import type { ChannelAccess, OpenChannel } from "@elwood/runtime/channels/open-channel";
import type { Announcement, Channels } from "@elwood/runtime/channels/channels";
import { CHANNEL_COMMANDS } from "@elwood/runtime/channels/commands";
import type { Pairing } from "@elwood/runtime/ports/channel-ports";
import type { ChannelStates } from "@elwood/runtime/ports/channel-ports";
import type { Clock, Log, Person } from "@elwood/runtime/ports/ports";
import { keyedMutex } from "@elwood/runtime/async/serial-queue";
import type { ConfigWriter, SettingChange } from "../config/config-writer.ts";
import type { LoadedConfig } from "../config/load.ts";
import { channelNames, loadChannel } from "./channel-folders.ts";
import { settingsOf, tokenOf } from "./channel-settings.ts";

export interface ChannelServiceDeps {
  readonly tenant: string;
  readonly loaded: LoadedConfig;
  readonly channels: Channels;
  readonly states: ChannelStates;
  readonly config: ConfigWriter;
  readonly clock: Clock;
  readonly log: Log;
  /** False for a gateway that ends with its work: it changes settings, and listens to nobody. */
  readonly listens: boolean;
  /** What needs the owner's attention may have changed. */
  readonly changed: () => void;
}

interface Running {
  readonly channel: OpenChannel;
  readonly stop: AbortController;
  health: ChannelHealth;
}

/**
 * Opens the channels that are configured, and is what methods use of them: how they are doing, and
 * connecting or disconnecting one while the gateway runs.
 */
export class ChannelService {
  readonly #deps: ChannelServiceDeps;
  readonly #running = new Map<string, Running>();
  readonly #changing = keyedMutex();
  #loaded: LoadedConfig;
  #closed = false;

  constructor(deps: ChannelServiceDeps) {
    this.#deps = deps;
    this.#loaded = deps.loaded;
  }

  /** Whether a channel has a token, so that something can be sent there. */
  isConfigured(name: string): boolean {
    return tokenOf(this.#loaded, name) !== undefined;
  }

  /** Brings a text of the gateway's own to a chat, once per key. */
  deliver(...given: Parameters<Channels["deliver"]>): ReturnType<Channels["deliver"]> {
    return this.#deps.channels.deliver(...given);
  }

  onSettled(...given: Parameters<Channels["onSettled"]>): () => void {
    return this.#deps.channels.onSettled(...given);
  }

  /** Opens every channel that has a token. One that cannot be opened is told, and prevents no other. */
  async start(): Promise<void> {
    for (const name of await channelNames())
      if (tokenOf(this.#loaded, name)) await this.#changing.run(name, () => this.#open(name));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const name of this.#running.keys()) await this.#changing.run(name, () => this.#close(name));
    await this.#deps.channels.stop();
  }

  async list(): Promise<readonly WireChannel[]> {
    const names = await channelNames();
    const undelivered = await this.#deps.channels.undelivered();
    return Promise.all(
      names.map(async (name) => {
        const there = undelivered.filter(({ channel }) => channel === name);
        const [newest] = there;
        const told = newest && { undelivered: { count: there.length, problem: newest.problem ?? "" } };
        return { ...(await this.#wire(name)), ...told };
      }),
    );
  }

  async test(name: string): Promise<ChannelCheck> {
    return this.#check(await this.#known(name), this.#loaded);
  }

  /** Checks the token with the platform, stores it, and opens the channel. Nothing is stored where it is refused. */
  async connect(name: string, token: string | undefined, by: Person): Promise<WireChannel> {
    const definition = await this.#known(name);
    const [secret = ""] = definition.secrets;
    const given = token ?? tokenOf(this.#loaded, name)?.value;
    if (given === undefined)
      fail("INVALID_INPUT", `${definition.title} needs a token, and there is none. Nothing was changed.`);
    const checked = await this.#check(definition, this.#loaded, given);
    if (!checked.ok) fail("UPSTREAM_ERROR", `${checked.problem} Nothing was changed.`, { retryable: false });
    if (token !== undefined) {
      const settings = [{ path: [name, "token"], value: `\${${secret}}` }];
      await this.#change({ settings, secrets: { [secret]: token } }, by);
    }
    await this.#changing.run(name, () => this.#open(name));
    return { ...(await this.#wire(name)), account: checked.account };
  }

  async disconnect(name: string, by: Person): Promise<WireChannel> {
    const definition = await this.#known(name);
    const [secret = ""] = definition.secrets;
    const settings = [{ path: [name, "token"], value: undefined }];
    await this.#change({ settings, secrets: { [secret]: undefined } }, by);
    await this.#changing.run(name, () => this.#close(name));
    return this.#wire(name);
  }

  /** Shows the card of an approval in a chat, once. False where the channel is not open. */
  show(approval: Approval, channel: string, chat: string): Promise<boolean> {
    return this.#deps.channels.cards.show(approval, channel, chat);
  }

  /** Says something in a chat without a run. False where the channel is not open. */
  announce(announcement: Announcement): Promise<boolean> {
    return this.#deps.channels.announce(announcement);
  }

  /** The reply of a run is owed to a chat from now on. */
  owe(runId: string, target: string): Promise<void> {
    return this.#deps.channels.owe(runId, target);
  }

  /** People who are let in, and those with a code that is still good. */
  people(): Promise<readonly Pairing[]> {
    return this.#deps.channels.pairing.list();
  }

  approve(code: string): Promise<Pairing> {
    return this.#deps.channels.pairing.approve(code);
  }

  async remove(channel: string, senderId: string, by: Person): Promise<void> {
    const removed = await this.#deps.channels.pairing.remove(channel, senderId);
    const { approverIds } = this.#access(channel);
    if (approverIds.includes(senderId)) {
      const value = approverIds.filter((id) => id !== senderId);
      await this.#change({ settings: [{ path: [channel, "approverIds"], value }] }, by);
    } else if (!removed)
      fail("NOT_FOUND", `Nobody with the id ${senderId} was let in to ${channel}. Nothing was changed.`);
  }

  /** From now on this id speaks as the owner. */
  async makeApprover(channel: string, senderId: string, by: Person): Promise<void> {
    const { approverIds } = this.#access(channel);
    if (approverIds.includes(senderId)) return;
    const value = [...approverIds, senderId];
    await this.#change({ settings: [{ path: [channel, "approverIds"], value }] }, by);
  }

  async #change(
    change: { settings: readonly SettingChange[]; secrets?: Readonly<Record<string, string | undefined>> },
    by: Person,
  ): Promise<void> {
    const changed = await this.#deps.config.change(change, by);
    if (!changed.ok) throw new FailureError(changed.error);
    this.#loaded = changed.value.loaded;
  }

  #access(name: string): ChannelAccess {
    const { approverIds = [], allowedChatIds = [] } = settingsOf(this.#loaded, name) ?? {};
    return { approverIds, allowedChatIds };
  }

  async #known(name: string): Promise<ChannelDefinition> {
    const names = await channelNames();
    if (!names.includes(name))
      fail(
        "NOT_FOUND",
        `There is no channel ${JSON.stringify(name)}. There are ${names.join(", ")}. Nothing was changed.`,
      );
    return loadChannel(name);
  }

  #check(definition: ChannelDefinition, loaded: LoadedConfig, token?: string): Promise<ChannelCheck> {
    const { clock } = this.#deps;
    const stop = new AbortController();
    void clock.sleep(LIMITS.channelCheckMs, stop.signal).then(() => stop.abort());
    const secrets = secretsOf(definition, loaded, token);
    return definition
      .check({ settings: settingsOf(loaded, definition.name) ?? {}, secrets, signal: stop.signal, clock })
      .finally(() => stop.abort());
  }

  async #open(name: string): Promise<void> {
    const { tenant, channels, states, clock, log, changed } = this.#deps;
    await this.#close(name);
    if (this.#closed || !this.#deps.listens) return;
    const stop = new AbortController();
    try {
      const definition = await loadChannel(name);
      const attached = Promise.withResolvers<OpenChannel>();
      const state: ChannelState = {
        read: (key) => states.read(tenant, name, key),
        write: (key, value) => states.write(tenant, name, key, value),
      };
      const connection = await definition.open({
        settings: settingsOf(this.#loaded, name) ?? {},
        secrets: secretsOf(definition, this.#loaded),
        clock,
        log,
        commands: CHANNEL_COMMANDS,
        state,
        // What arrives before the channel is attached waits for that.
        receive: async (event) => channels.receive(await attached.promise, event),
        report: (health) => {
          const running = this.#running.get(name);
          if (!running || running.stop !== stop) return;
          const before = JSON.stringify(running.health);
          running.health = health;
          if (JSON.stringify(health) !== before) changed();
        },
        signal: stop.signal,
      });
      const channel: OpenChannel = { definition, connection, access: () => this.#access(name) };
      this.#running.set(name, { channel, stop, health: { state: "connecting" } });
      await channels.attach(channel);
      attached.resolve(channel);
      log.info("a channel is open", { channel: name });
    } catch (error) {
      stop.abort();
      log.error("a channel could not be opened", { channel: name, error });
      throw error;
    }
  }

  async #close(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (!running) return;
    this.#running.delete(name);
    running.stop.abort();
    await running.channel.connection.close();
    this.#deps.channels.detach(name, running.channel.connection);
  }

  async #wire(name: string): Promise<WireChannel> {
    const running = this.#running.get(name);
    const { approverIds, allowedChatIds } = this.#access(name);
    const token = tokenOf(this.#loaded, name);
    const account = running?.channel.connection.account;
    const title = running?.channel.definition.title ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    return {
      name,
      title,
      state: running?.health.state ?? "off",
      ...(running?.health.problem === undefined ? {} : { problem: running.health.problem }),
      ...(account && account.id !== "" ? { account } : {}),
      ...(token ? { tokenFrom: token.source } : {}),
      approverIds: [...approverIds],
      allowedChatIds: [...allowedChatIds],
    };
  }
}

/** Only what the definition names is handed to it. */
function secretsOf(
  definition: ChannelDefinition,
  loaded: LoadedConfig,
  token?: string,
): Readonly<Record<string, string>> {
  const [first] = definition.secrets;
  return Object.fromEntries(
    definition.secrets.flatMap((name) => {
      const value =
        name === first ? (token ?? tokenOf(loaded, definition.name)?.value) : loaded.secrets.get(name)?.value;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
