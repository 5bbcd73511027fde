import type {
  ChannelConnection,
  ChannelEvent,
  ChannelHealth,
  ChannelMessage,
  ChannelPress,
} from "@elwood/sdk/channel/channel";
import { startDiscord, type DiscordServer, type DiscordServerOptions } from "@elwood/testkit/discord-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import channel from "./index.ts";

/** Waits between connections pass by themselves; heartbeats and time limits do not. */
const SHORT_MS = 5_000;

/** The Discord channel against Discord on loopback, with a store that outlives it. */
export class Rig {
  readonly clock = new ManualClock({ autoAdvance: (ms) => ms <= SHORT_MS });
  readonly events: ChannelEvent[] = [];
  readonly health: ChannelHealth[] = [];
  readonly state = new Map<string, string>();
  /** What storing an event does; it may throw. */
  store: (event: ChannelEvent) => void | Promise<void> = () => undefined;
  readonly #watchers = new Set<() => void>();
  readonly #open = new Set<{ readonly connection: ChannelConnection; readonly closing: AbortController }>();
  #server: DiscordServer | undefined;

  static async start(options: Partial<DiscordServerOptions> = {}): Promise<Rig> {
    const rig = new Rig();
    rig.#server = await startDiscord({ clock: rig.clock, ...options });
    return rig;
  }

  get server(): DiscordServer {
    if (!this.#server) throw new Error("the rig was not started");
    return this.#server;
  }

  /** Opens the channel, with what it kept; resolves at once. */
  async open(settings: object = {}, token = this.server.token): Promise<ChannelConnection> {
    const closing = new AbortController();
    const { clock } = this;
    const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
    const connection = await channel.open({
      settings: { apiRoot: this.server.apiRoot, ...settings },
      secrets: { DISCORD_BOT_TOKEN: token },
      clock,
      log: silent,
      commands: [
        { name: "status", description: "How it is" },
        { name: "model", description: "Which model", argument: "provider/model" },
      ],
      state: {
        read: async (key) => this.state.get(key),
        write: async (key, value) => {
          this.state.set(key, value);
          this.#changed();
        },
      },
      receive: async (event) => {
        await this.store(event);
        this.events.push(event);
        this.#changed();
      },
      report: (health) => {
        this.health.push(health);
        this.#changed();
      },
      signal: closing.signal,
    });
    this.#open.add({ connection, closing });
    return connection;
  }

  /** Opens the channel and waits until Discord has it. */
  async connect(settings: object = {}): Promise<ChannelConnection> {
    const before = this.health.length;
    const connection = await this.open(settings);
    await this.until(() => this.health.slice(before).some(({ state }) => state === "connected"));
    return connection;
  }

  /** The process dies: nothing is stored or told from then on. */
  async kill(): Promise<void> {
    const state = new Map(this.state);
    await this.close();
    this.state.clear();
    for (const [key, value] of state) this.state.set(key, value);
  }

  async close(): Promise<void> {
    for (const each of this.#open) {
      each.closing.abort();
      await each.connection.close();
      this.#open.delete(each);
    }
  }

  async stop(): Promise<void> {
    await this.close();
    await this.server.close();
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.add(resolve);
      await promise;
    }
  }

  /** The messages that came in, once there are so many. */
  async messages(count: number): Promise<readonly ChannelMessage[]> {
    const found = (): ChannelMessage[] => this.events.filter((each) => each.kind === "message");
    await this.until(() => found().length >= count);
    return found();
  }

  async presses(count: number): Promise<readonly ChannelPress[]> {
    const found = (): ChannelPress[] => this.events.filter((each) => each.kind === "press");
    await this.until(() => found().length >= count);
    return found();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}

export const never = new AbortController().signal;
