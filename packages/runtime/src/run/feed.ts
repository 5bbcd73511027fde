import type { EventData, EventName } from "@elwood/core/protocol/events";
import type { Snapshot } from "@elwood/core/protocol/shapes";
import { isEnded, type RunStatus } from "@elwood/core/message/session";
import { LIMITS } from "@elwood/core/base/limits";

export type RunEventName = Exclude<
  EventName,
  | "session.changed"
  | "attention.changed"
  | "exec.approval_request"
  | "exec.approval_resolved"
  | "owner.question"
  | "call.undone"
  | "tool.invoke"
  | "tool.cancel"
>;

export type RunEvent<E extends RunEventName = RunEventName> = {
  readonly [K in E]: { readonly event: K; readonly data: EventData<K> };
}[E];

export type Payload<E extends RunEventName> = Omit<EventData<E>, "runId" | "seq" | "firstSeq">;

export type RunListener = (event: RunEvent) => void;

/**
 * The events of one run so far, and its listeners.
 *
 * F1 `seq` rises by one with each event of an attempt, and never falls: a resumed run starts at the
 *    time of day in milliseconds, which is more than any earlier attempt can have counted to, so that
 *    no client gets a number twice.
 * F2 `snapshot()` and `subscribe()` are synchronous: called together in one step, no event
 *    falls between them and none comes twice.
 * F3 After `chat.final` or `chat.error` nothing follows.
 * F4 Once `held`, text is a draft until the final one: a call was made, or the reply is being
 *    rewritten, and has yet to be compared with receipts.
 */
export class RunFeed {
  readonly runId: string;
  readonly sessionId: string;
  #seq = 0;
  #text = "";
  #thinking = "";
  #status: RunStatus = "queued";
  #held = false;
  #calls = new Map<string, Snapshot["calls"][number]>();
  #final: EventData<"chat.final"> | undefined;
  #error: EventData<"chat.error"> | undefined;
  #listeners = new Set<RunListener>();

  constructor(runId: string, sessionId: string) {
    this.runId = runId;
    this.sessionId = sessionId;
  }

  get seq(): number {
    return this.#seq;
  }

  get text(): string {
    return this.#text;
  }

  /** How much text it keeps. */
  get chars(): number {
    return this.#text.length + this.#thinking.length;
  }

  get held(): boolean {
    return this.#held && !this.ended;
  }

  /** Also once it has ended. */
  get wasHeld(): boolean {
    return this.#held;
  }

  /** F4 */
  hold(): void {
    this.#held = true;
  }

  get ended(): boolean {
    return isEnded(this.#status);
  }

  /** The run begins, or resumes at `resumedAt` (F1). */
  startAttempt(attempt: number, resumedAt = 0): void {
    this.#seq = Math.max(this.#seq, resumedAt);
    this.#status = "running";
    this.emit("run.started", { sessionKey: this.sessionId, attempt });
  }

  emit<E extends RunEventName>(event: E, payload: Payload<E>): void {
    if (this.ended) return;
    this.#seq += 1;
    // The payload type plus these two fields is EventData<E>; TypeScript cannot see it through the generic.
    const numbered = {
      event,
      data: { runId: this.runId, seq: this.#seq, ...payload },
    } as unknown as RunEvent;
    this.#apply(numbered);
    for (const listener of this.#listeners) listener(numbered);
    if (this.ended) this.#listeners.clear();
  }

  snapshot(): Snapshot {
    return {
      seq: this.#seq,
      text: this.#text,
      ...(this.#thinking === "" ? {} : { thinking: this.#thinking }),
      calls: [...this.#calls.values()].map((c) => ({ ...c })),
      status: this.#status,
      ...(this.#final ? { final: this.#final } : {}),
      ...(this.#error ? { error: this.#error } : {}),
    };
  }

  subscribe(listener: RunListener): () => void {
    if (this.ended) return () => undefined;
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #apply({ event, data }: RunEvent): void {
    if (event === "chat.delta") {
      this.#text = data.reset ? data.text : this.#text + data.text;
      if (data.reset) this.#thinking = "";
    } else if (event === "chat.thinking") {
      this.#thinking += data.text;
    } else if (event === "tool.started") {
      // What led to a call is in the transcript by now.
      this.#thinking = "";
      const { callId, tool } = data;
      this.#calls.set(callId, { callId, tool, status: "running" });
    } else if (event === "tool.finished") {
      const { callId, tool, status, refused, exitCode } = data;
      const more = { ...(refused && { refused }), ...(exitCode !== undefined && { exitCode }) };
      this.#calls.set(callId, { callId, tool, status, ...more });
    } else if (event === "chat.final") {
      this.#final = data;
      this.#text = data.text;
      this.#status = data.aborted ? "aborted" : "done";
    } else if (event === "chat.error") {
      this.#error = data;
      this.#status = "failed";
    }
  }
}

/** The feeds of runs that have not ended, and of the last that have. */
export class Feeds {
  readonly #open = new Map<string, RunFeed>();
  /** In the order in which they were found to have ended, and how much text they keep together. */
  readonly #ended = new Map<string, RunFeed>();
  #endedChars = 0;

  open(runId: string, sessionId: string): RunFeed {
    const known = this.get(runId);
    if (known) return known;
    const feed = new RunFeed(runId, sessionId);
    this.#open.set(runId, feed);
    return feed;
  }

  get(runId: string): RunFeed | undefined {
    return this.#open.get(runId) ?? this.#ended.get(runId);
  }

  /** Drops all that have ended; the store still has those runs. */
  forgetEnded(): void {
    this.#gatherEnded();
    this.#ended.clear();
    this.#endedChars = 0;
  }

  /** Called when a run ends: drops the oldest ended feeds beyond the limits; the store still has those runs. */
  trim(): void {
    this.#gatherEnded();
    for (const feed of this.#ended.values()) {
      if (this.#ended.size <= LIMITS.feedsEndedMax && this.#endedChars <= LIMITS.feedsEndedCharsMax) return;
      this.#ended.delete(feed.runId);
      this.#endedChars -= feed.chars;
    }
  }

  /** One that has ended keeps the text that it has (F3). */
  #gatherEnded(): void {
    for (const feed of this.#open.values()) {
      if (!feed.ended) continue;
      this.#open.delete(feed.runId);
      this.#ended.set(feed.runId, feed);
      this.#endedChars += feed.chars;
    }
  }
}
