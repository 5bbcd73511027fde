import { LIMITS } from "@elwood/core/base/limits";
import type { EventData, EventName } from "@elwood/core/protocol/events";
import { CLOSE_CODES } from "@elwood/core/protocol/frames";
import type { Feeds, RunEvent, RunFeed } from "@elwood/runtime/run/feed";
import type { Log } from "@elwood/runtime/ports/ports";
import type { ServerSocket } from "./socket-pair.ts";

type Delta = EventData<"chat.delta">;

/**
 * All frames that the gateway sends to one client, in order.
 *
 * P1 Deltas of a run that come in the same moment are one push that names the numbers it stands
 *    for: a model's words arrive many at a time, and a frame for each costs more than the words. A
 *    client that reads slowly gets larger pieces still: while more than the soft limit lies unsent,
 *    deltas are merged until it has left. Nothing but deltas is ever merged, nothing is dropped, and
 *    no other frame goes out before words that came before it, unless the client reads slowly.
 * P2 A client that does not read at all is closed at the hard limit, which includes merged text that
 *    is not sent yet; its runs go on, and it can resume. A single frame that is larger than the limit
 *    is allowed until a second one follows.
 * P3 A client that cannot show drafts gets text until the run's first call, or until its reply is
 *    rewritten; after that only the final text. If the final text differs from what was sent, it is
 *    sent whole, with a note.
 */
export class PushStream {
  drafts = false;
  readonly #socket: ServerSocket;
  readonly #feeds: Feeds;
  readonly #log: Log;
  readonly #following = new Map<string, { stop: () => void; readonly feed: RunFeed; shown: string }>();
  readonly #merged = new Map<string, Delta>();
  /** Runs whose merged words go out as soon as this moment is over. */
  readonly #soon = new Set<string>();
  /** Size of the one frame on its way that is larger than the hard limit (P2). */
  #oversized = 0;

  constructor(socket: ServerSocket, feeds: Feeds, log: Log) {
    this.#socket = socket;
    this.#feeds = feeds;
    this.#log = log;
  }

  answer(frame: Record<string, unknown>): void {
    this.#flushSoon();
    this.#write(JSON.stringify(frame));
  }

  send(event: EventName, data: unknown): void {
    this.#flushSoon();
    this.#write(JSON.stringify({ event, data }));
  }

  follow(runId: string): void {
    if (this.#following.has(runId)) return;
    const feed = this.#feeds.get(runId);
    if (!feed || feed.ended) return;
    const shown = feed.held ? "" : feed.text;
    this.#following.set(runId, { feed, shown, stop: feed.subscribe((event) => this.#take(event)) });
  }

  stop(): void {
    for (const { stop } of this.#following.values()) stop();
    this.#following.clear();
    this.#merged.clear();
    this.#soon.clear();
  }

  #take({ event, data }: RunEvent): void {
    const followed = this.#following.get(data.runId);
    if (!followed) return;
    const ended = event === "chat.final" || event === "chat.error";
    if (ended) this.#following.delete(data.runId);
    if (event === "chat.delta") {
      if (this.drafts) this.#delta(data);
      else if (!followed.feed.held) followed.shown += this.#plainDelta(data);
      return;
    }
    this.#flush(data.runId);
    if (ended && !this.drafts) {
      const { runId, seq, text } = data;
      const rest = restOf(followed.shown, text);
      if (rest !== "") this.send("chat.delta", { runId, seq, text: rest });
    }
    this.send(event, data);
  }

  /** P3. A client that cannot replace text gets a note when an answer starts again. */
  #plainDelta(delta: Delta): string {
    const text = delta.reset ? RESTARTED : delta.text;
    this.#delta({ ...delta, reset: undefined, draft: undefined, text });
    return text;
  }

  #delta(delta: Delta): void {
    const before = this.#merged.get(delta.runId);
    if (before) {
      const firstSeq = before.firstSeq ?? before.seq;
      const text = delta.reset ? delta.text : before.text + delta.text;
      this.#merged.set(delta.runId, {
        ...before,
        ...delta,
        firstSeq,
        text,
        reset: delta.reset ?? before.reset,
      });
      if (this.#soon.has(delta.runId)) {
        if (text.length > LIMITS.sendBufferSoftBytes) this.#flush(delta.runId);
      } else if (this.#unsent() > LIMITS.sendBufferHardBytes) this.#giveUp();
      return;
    }
    this.#merged.set(delta.runId, delta);
    if (this.#socket.bufferedAmount >= LIMITS.sendBufferSoftBytes) {
      this.#flushWhenDrained(delta.runId);
      return;
    }
    if (this.#soon.size === 0) setImmediate(() => this.#flushSoon());
    this.#soon.add(delta.runId);
  }

  #flush(runId: string): void {
    const held = this.#merged.get(runId);
    this.#soon.delete(runId);
    if (!held) return;
    this.#merged.delete(runId);
    this.#write(JSON.stringify({ event: "chat.delta", data: held }));
  }

  #flushSoon(): void {
    for (const runId of this.#soon) this.#flush(runId);
  }

  /** The callback of an empty ping comes when all that was written before it has left. */
  #flushWhenDrained(runId: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.ping(undefined, undefined, () => this.#flush(runId));
  }

  #write(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const large = text.length > LIMITS.sendBufferHardBytes;
    if (this.#unsent() > LIMITS.sendBufferHardBytes || (large && this.#oversized > 0)) {
      this.#giveUp();
    } else if (large) {
      const bytes = Buffer.from(text);
      this.#oversized = bytes.length;
      this.#socket.send(bytes, { binary: false }, () => (this.#oversized = 0));
    } else {
      this.#socket.send(text);
    }
  }

  #unsent(): number {
    let held = 0;
    for (const { text } of this.#merged.values()) held += text.length;
    return this.#socket.bufferedAmount - this.#oversized + held;
  }

  #giveUp(): void {
    this.stop();
    this.#log.warn("closed a client that does not read", { unsentBytes: this.#socket.bufferedAmount });
    this.#socket.close(CLOSE_CODES.tooSlow, "too slow; reconnect and resume");
    // The close frame comes after what was not read; a client that reads on in time still learns why.
    setTimeout(() => this.#socket.terminate(), LIMITS.tooSlowGraceMs).unref();
  }
}

/** What has to be sent so that the client has the whole final text. */
function restOf(shown: string, final: string): string {
  const begun = shown.slice(
    shown.lastIndexOf(RESTARTED) < 0 ? 0 : shown.lastIndexOf(RESTARTED) + RESTARTED.length,
  );
  if (final.startsWith(begun)) return final.slice(begun.length);
  if (final === "" || begun.trim() === final.trim()) return "";
  return `${REPLACED}${final}`;
}

const REPLACED = "\n\n[The answer, as it is kept:]\n\n";
const RESTARTED = "\n\n[The connection to the model broke; the answer begins again.]\n\n";
