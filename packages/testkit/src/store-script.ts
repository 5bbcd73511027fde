import type { LapUsage } from "@elwood/core/model/price";
import {
  toTranscriptLines,
  type Block,
  type Message,
  type TranscriptLine,
  type Usage,
} from "@elwood/core/message/message";
import type { Run, Session } from "@elwood/core/message/session";
import type { NewRun, RunEnd, Stores } from "@elwood/runtime/ports/ports";
import { FixedIds } from "./fixed-ids.ts";

/** What a contract suite is given: stores over nothing yet, and a way to open the same state again. */
export interface StoreHarness {
  readonly stores: Stores;
  /** Closes and opens anew, as after a restart. */
  reopen(): Promise<Stores>;
  dispose(): Promise<void>;
}

export type OpenStoreHarness = () => Promise<StoreHarness>;

export const TENANT = "default";

/** Turns what a test asks of a harness into a test body; the harness goes when it ends. */
export function withStores(
  open: OpenStoreHarness,
  body: (script: StoreScript, harness: StoreHarness) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const harness = await open();
    try {
      await body(new StoreScript(harness.stores), harness);
    } finally {
      await harness.dispose();
    }
  };
}

/** Plays conversations into stores. Every step takes a millisecond. */
export class StoreScript {
  readonly stores: Stores;
  readonly ids = new FixedIds();
  readonly tenant: string;
  #now = 1_763_200_000_000;

  constructor(stores: Stores, tenant = TENANT) {
    this.stores = stores;
    this.tenant = tenant;
  }

  tick(ms = 1): number {
    this.#now += ms;
    return this.#now;
  }

  user(text: string | Block[], ts = this.tick()): Message {
    return {
      id: this.ids.next("message"),
      ts,
      role: "user",
      origin: "owner",
      blocks: typeof text === "string" ? [{ type: "text", text, origin: "owner" }] : text,
    };
  }

  assistant(text: string | Block[], ts = this.tick()): Message {
    return {
      id: this.ids.next("message"),
      ts,
      role: "assistant",
      origin: "model",
      blocks: typeof text === "string" ? [{ type: "text", text }] : text,
      meta: { model: "demo/demo", stopReason: "end_turn" },
    };
  }

  lines(runId: string, messages: readonly Message[]): TranscriptLine[] {
    return toTranscriptLines(runId, messages);
  }

  lap(more: Partial<LapUsage> = {}): LapUsage {
    return { model: "demo/demo", usage: usage(10, 5), costUsd: 0.25, at: this.tick(), ...more };
  }

  newRun(sessionId: string, text: string | Block[], more: Partial<NewRun> = {}): NewRun {
    const inbound = this.user(text);
    const id = this.ids.next("run");
    return { id, sessionId, surface: "web", requestHash: `hash of ${id}`, inbound, at: inbound.ts, ...more };
  }

  ending(more: Partial<RunEnd> = {}): RunEnd {
    return { status: "done", stopReason: "end_turn", at: this.tick(), transcriptOffset: 0, ...more };
  }

  async session(title = "New session"): Promise<Session> {
    const id = this.ids.next("session");
    return this.stores.sessions.create(this.tenant, { id, agentId: "assistant", title, at: this.tick() });
  }

  async accepted(
    sessionId: string,
    text: string | Block[] = "hello",
    more: Partial<NewRun> = {},
  ): Promise<Run> {
    return (await this.stores.runs.accept(this.tenant, this.newRun(sessionId, text, more))).run;
  }

  async running(sessionId: string, text: string | Block[] = "hello"): Promise<Run> {
    const { id } = await this.accepted(sessionId, text);
    return (await this.stores.runs.claim(this.tenant, id, this.tick()))!;
  }

  async ended(sessionId: string, text: string | Block[] = "hello", reply = "Hello."): Promise<Run> {
    const { id } = await this.running(sessionId, text);
    return this.stores.runs.end(this.tenant, id, [this.assistant(reply)], this.ending());
  }

  /** A whole turn: accepted, answered, in the transcript file and committed. */
  async turn(sessionId: string, text: string | Block[] = "hello", reply = "Hello."): Promise<Run> {
    const { runs, transcripts } = this.stores;
    const { id } = await this.running(sessionId, text);
    const transcriptOffset = await transcripts.size(this.tenant, sessionId);
    const last = reply === "" ? [] : [this.assistant(reply)];
    await runs.end(this.tenant, id, last, this.ending({ transcriptOffset }));
    const { steps } = await runs.journal(this.tenant, id);
    await transcripts.append(this.tenant, sessionId, this.lines(id, steps));
    await runs.commit(this.tenant, id, steps, this.tick());
    return (await runs.get(this.tenant, id))!;
  }
}

export function usage(inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage {
  return { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, ...more };
}

/** What a FailureError says, to be matched by `rejects.toMatchObject`. */
export function failsWith(reason: string): { failure: { reason: string } } {
  return { failure: { reason } };
}
