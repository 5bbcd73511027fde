import type {
  ChannelCheck,
  ChannelConnection,
  ChannelDefinition,
  ChannelEvent,
  ChannelHealth,
  ChannelMessage,
  ChannelPress,
} from "@elwood/core/channel/channel";
import { ManualClock } from "./manual-clock.ts";
import { memoryLog } from "./memory-log.ts";

/** Waits between connections pass by themselves; heartbeats and time limits do not. */
const SHORT_MS = 5_000;

/** Where a platform is on loopback, and what lets a bot in. */
export interface ChannelAddress {
  readonly settings: object;
  readonly token: string;
}

/** A channel as the gateway opens it, with a store that outlives its process. */
export class ChannelRig {
  readonly clock = new ManualClock({ autoAdvance: (ms) => ms <= SHORT_MS });
  readonly events: ChannelEvent[] = [];
  readonly health: ChannelHealth[] = [];
  readonly state = new Map<string, string>();
  /** What storing an event does; it may throw. */
  store: (event: ChannelEvent) => void | Promise<void> = () => undefined;
  readonly #definition: ChannelDefinition;
  readonly #address: () => ChannelAddress;
  readonly #watchers = new Set<() => void>();
  readonly #open = new Set<{ readonly connection: ChannelConnection; readonly closing: AbortController }>();

  constructor(definition: ChannelDefinition, address: () => ChannelAddress) {
    this.#definition = definition;
    this.#address = address;
  }

  /** Opens the channel, with what it kept; resolves at once. */
  async open(settings: object = {}, token = this.#address().token): Promise<ChannelConnection> {
    const closing = new AbortController();
    const connection = await this.#definition.open({
      settings: { ...this.#address().settings, ...settings },
      secrets: this.#secrets(token),
      clock: this.clock,
      log: memoryLog(),
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

  /** Opens the channel and waits until its platform has it. */
  async connect(settings: object = {}): Promise<ChannelConnection> {
    const before = this.health.length;
    const connection = await this.open(settings);
    await this.until(() => this.health.slice(before).some(({ state }) => state === "connected"));
    return connection;
  }

  check(token = this.#address().token): Promise<ChannelCheck> {
    return this.#definition.check({
      settings: this.#address().settings,
      secrets: this.#secrets(token),
      signal: new AbortController().signal,
      clock: this.clock,
    });
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

  #secrets(token: string): Record<string, string> {
    return { [this.#definition.secrets[0] ?? ""]: token };
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}
