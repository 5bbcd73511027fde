import type { ChannelState } from "@elwood/sdk/channel/channel";
import { z } from "zod";
import type { GatewaySession } from "./gateway.ts";

const KEY = "position";
const PLACES_MAX = 100;
const THREADS_MAX = 200;

const schema = z.object({
  session: z.object({ id: z.string(), url: z.string(), seq: z.number(), intents: z.number() }).optional(),
  places: z.array(z.tuple([z.string(), z.string()])).default([]),
  threads: z.array(z.object({ id: z.string(), channel: z.string(), name: z.string() })).default([]),
});

/** A thread that is begun with the first message to it. */
export interface PlannedThread {
  /** Of the thread, and of the message that it is begun from. */
  readonly id: string;
  readonly channel: string;
  readonly name: string;
}

/**
 * Where the channel stands: the session and the last event that is stored, the last message that was
 * read in each place, and threads that are to be begun. It survives a restart.
 */
export class Position {
  readonly #state: ChannelState;
  readonly #intents: number;
  #session: GatewaySession | undefined;
  /** By place; the one that was written in last is last. */
  readonly #places: Map<string, string>;
  readonly #threads: Map<string, PlannedThread>;

  private constructor(state: ChannelState, intents: number, stored: z.infer<typeof schema>) {
    this.#state = state;
    this.#intents = intents;
    // A session has the intents that it began with.
    if (stored.session?.intents === intents) {
      const { id, url, seq } = stored.session;
      this.#session = { id, url, seq };
    }
    this.#places = new Map(stored.places);
    this.#threads = new Map(stored.threads.map((each) => [each.id, each]));
  }

  static async load(state: ChannelState, intents: number): Promise<Position> {
    const stored = schema.safeParse(parseJson(await state.read(KEY)));
    return new Position(state, intents, stored.data ?? { places: [], threads: [] });
  }

  get session(): GatewaySession | undefined {
    return this.#session;
  }

  /** Places, with the last message that was read there. */
  get places(): readonly (readonly [place: string, message: string])[] {
    return [...this.#places];
  }

  begin(session: GatewaySession | undefined): void {
    this.#session = session;
  }

  /** Every event of the session up to this one is stored, or led to nothing. */
  settle(session: string, seq: number): void {
    if (this.#session?.id === session && seq > this.#session.seq) this.#session = { ...this.#session, seq };
  }

  read(place: string, message: string): void {
    const before = this.#places.get(place);
    if (before !== undefined && BigInt(before) > BigInt(message)) return;
    this.#places.delete(place);
    this.#places.set(place, message);
    dropOldest(this.#places, PLACES_MAX);
  }

  leave(place: string): void {
    this.#places.delete(place);
    this.#threads.delete(place);
  }

  plan(thread: PlannedThread): void {
    this.#threads.set(thread.id, thread);
    dropOldest(this.#threads, THREADS_MAX);
  }

  planned(id: string): PlannedThread | undefined {
    return this.#threads.get(id);
  }

  begun(id: string): void {
    this.#threads.delete(id);
  }

  async save(): Promise<void> {
    const session = this.#session;
    const value: z.infer<typeof schema> = {
      ...(session ? { session: { ...session, intents: this.#intents } } : {}),
      places: [...this.#places],
      threads: [...this.#threads.values()],
    };
    await this.#state.write(KEY, JSON.stringify(value));
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "{}");
  } catch {
    // Written by something else: a new session does no harm.
    return {};
  }
}
