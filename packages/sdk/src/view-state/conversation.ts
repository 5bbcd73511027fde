import type { MethodResult } from "@elwood/core/protocol/results";
import { replySegments } from "@elwood/core/message/reply-segments";
import type { WireMessage, WireSession } from "@elwood/core/protocol/shapes";
import { RequestError, type GatewayClient, type Push } from "../client.ts";
import { Store } from "../store.ts";
import type { Entry } from "./outbox.ts";
import { isOwnName } from "./own-name.ts";
import { Turn } from "./turn.ts";

/** Older turns than these keep what was said of their calls in the transcript itself. */
const EVIDENCE_MAX = 30;
/** Of older runs than these the transcript tells what they took, as far as it knows. */
const RUNS_MAX = 200;
/** Runs that began since those that are asked for. */
const RUNS_BESIDE = 10;

export type TalkLink = Pick<GatewayClient, "call">;

export interface ConversationListener {
  announce(text: string): void;
  /** A turn began, ended, or came to be known. */
  changed(): void;
  /** A run of it was stopped, here or elsewhere; told before `changed`. */
  stopped(): void;
  /** The gateway's time. */
  readonly now: () => number;
}

/**
 * The open session: its turns, kept in step with the gateway.
 *
 * C1 What the gateway says always wins: a session is fetched anew after every break, and
 *    every unfinished run is resumed from where it stands.
 * C2 A turn that has ended stays as it is, so that reading and selecting are not disturbed,
 *    unless what the gateway keeps of it reads otherwise: live and after a reload it is the same.
 * C3 An answer for a session that is no longer open changes nothing.
 */
export class Conversation {
  sessionKey: string;
  readonly session = new Store<WireSession | undefined>(undefined);
  readonly turns = new Store<readonly Turn[]>([]);
  /** Messages that wait for an answer that is being written. */
  readonly queued = new Store<readonly Entry[]>([]);
  /** How full its model's window is, as far as anybody counted. */
  readonly context = new Store<MethodResult<"sessions.get">["context"]>(undefined);
  /** Why the session cannot be shown. */
  readonly problem = new Store<string | undefined>(undefined);
  /** Parts of the transcript that could not be read. */
  damaged = 0;
  loaded: boolean;
  /** All of its turns are there; of a long one the newest come first. */
  whole: boolean;
  readonly #listener: ConversationListener;
  #byRun = new Map<string, Turn>();
  #waiting: { readonly entry: Entry; readonly turn: Turn } | undefined;
  #syncing = false;
  #syncAgain = false;
  /** The last look at the session failed: what is shown may be less than there is. */
  #behind = false;
  #announcedWriting = false;
  #left = false;
  readonly #newest: number | undefined;

  /** With `newest`, the turns of so many runs are there before all others are. */
  constructor(sessionKey: string, listener: ConversationListener, { newest }: { newest?: number } = {}) {
    this.sessionKey = sessionKey;
    this.#listener = listener;
    this.#newest = newest;
    this.loaded = isOwnName(sessionKey);
    this.whole = this.loaded;
  }

  /** Another conversation takes its place (C3). */
  leave(): void {
    this.#left = true;
  }

  /** The run that Stop is about: the oldest that has not ended. */
  get unfinished(): Turn | undefined {
    return this.turns.value.find((turn) => turn.state === "live");
  }

  get isEmpty(): boolean {
    return this.turns.value.length === 0 && this.queued.value.length === 0;
  }

  turnOf(runId: string): Turn | undefined {
    return this.#byRun.get(runId);
  }

  /** The messages of this session that the gateway does not have yet. */
  showUnsent(entries: readonly Entry[]): void {
    const [first, ...rest] = entries;
    const goesNow = first && (first.tried || (!first.paused && !this.unfinished));
    if (this.#waiting && this.#waiting.entry !== first) this.#waiting = undefined;
    if (first && goesNow) this.#waiting ??= { entry: first, turn: this.#ownTurn(first) };
    else this.#waiting = undefined;
    this.queued.set(goesNow ? rest : entries);
    this.#arrange();
  }

  accepted(entry: Entry, runId: string): void {
    const turn = this.#waiting?.entry === entry ? this.#waiting.turn : this.#ownTurn(entry);
    this.#waiting = undefined;
    if (!this.#byRun.has(runId)) {
      turn.live(runId);
      this.#byRun.set(runId, turn);
    }
    this.#changed();
  }

  push(push: Push): void {
    const turn = "runId" in push.data ? this.#byRun.get(push.data.runId) : undefined;
    if (turn?.state !== "live") return;
    turn.push(push);
    const { event } = push;
    if (event === "chat.delta" && !this.#announcedWriting) {
      this.#announcedWriting = true;
      this.#listener.announce("Elwood is writing.");
    }
    if (event === "chat.final" || event === "chat.error") {
      this.#announcedWriting = false;
      if (turn.stopped) this.#listener.stopped();
      this.#listener.announce(event === "chat.final" ? "Reply ready." : "The reply failed.");
      this.#changed();
    }
  }

  /** The connection broke. */
  pause(): void {
    for (const turn of this.turns.value) turn.pause();
  }

  /**
   * Fetches the session and brings the turns in step with it (C1). Calls that come while
   * one is under way are joined into one more.
   */
  async sync(link: TalkLink): Promise<void> {
    if (isOwnName(this.sessionKey)) return;
    this.#syncAgain = true;
    if (this.#syncing) return;
    this.#syncing = true;
    try {
      while (this.#syncAgain && !this.#left) {
        this.#syncAgain = false;
        await this.#syncOnce(link);
      }
      this.#behind = false;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#behind = error.reason !== "NOT_FOUND";
      // What was lost is taken up at the next connection.
      if (!this.#left && !error.lost) this.problem.set(error.message);
    } finally {
      this.#syncing = false;
    }
  }

  /** A call of a run was undone, here or elsewhere. */
  async tellUndone(link: TalkLink, runId: string): Promise<void> {
    if (!this.#byRun.has(runId)) return;
    try {
      const { messages } = await link.call("sessions.get", { sessionKey: this.sessionKey });
      if (this.#left) return;
      // Later replies may cite the call too.
      for (const [ofRun, own] of Map.groupBy(messages, (message) => message.runId))
        if (ofRun === runId || own.some(hasUndone)) this.#byRun.get(ofRun)?.tellUndone(own);
    } catch (error) {
      // The next connection tells it.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  /** Looks again where the last look failed, or where a run has been silent since the last time. */
  async resumeSilent(link: TalkLink): Promise<void> {
    const live = this.turns.value.filter((turn) => turn.state === "live");
    const silent = live.some((turn) => !turn.stirred);
    for (const turn of live) turn.stirred = false;
    if (silent || this.#behind) await this.sync(link);
  }

  async #syncOnce(link: TalkLink): Promise<void> {
    const { sessionKey } = this;
    const last = this.loaded ? undefined : this.#newest;
    const view = await link.call("sessions.get", last === undefined ? { sessionKey } : { sessionKey, last });
    if (this.#left) return;
    const byRun = Map.groupBy(view.messages, (message) => message.runId);
    this.damaged = view.damage.length;
    this.session.set(view.session);
    this.context.set(view.context);
    this.problem.set(undefined);
    this.#place(byRun, new Set(view.runs.map((run) => run.runId)), new Set(view.hidden));
    for (const [runId, turn] of this.#byRun) {
      const versions = view.versions?.find((each) => each.runId === runId);
      turn.showVersions(versions && { of: versions.of, effects: versions.effects ?? [] });
    }
    this.loaded = true;
    this.whole = view.earlier === undefined;
    this.#changed();
    // Nobody waits for the others: they are asked for once these can be seen.
    if (!this.whole) this.#syncAgain = true;
    for (const [runId, turn] of this.#byRun) {
      if (turn.state === "live" && !this.#left) await this.#resume(link, runId, turn, byRun.get(runId) ?? []);
    }
    const bare = [...this.#byRun].filter(([, turn]) => lacksEvidence(turn)).slice(-EVIDENCE_MAX);
    for (const [runId, turn] of bare) {
      if (!this.#left) turn.showEvidence((await link.call("runs.activity", { runId })).evidence);
    }
    if (!this.#left) await this.#lookAtRuns(link, view.hidden?.length ?? 0);
  }

  /** What runs took in all is known to them alone: tries that failed are in no message. */
  async #lookAtRuns(link: TalkLink, hidden: number): Promise<void> {
    const turns = [...this.#byRun.values()].filter((turn) => turn.lacksRun).slice(-RUNS_MAX);
    if (turns.length === 0) return;
    // Runs of versions that are not shown stand among them.
    const limit = Math.min(RUNS_MAX, turns.length + hidden + RUNS_BESIDE);
    const { runs } = await link.call("runs.list", { sessionKey: this.sessionKey, limit });
    for (const turn of turns) turn.showRun(runs.find(({ runId }) => runId === turn.runId));
  }

  async #resume(link: TalkLink, runId: string, turn: Turn, messages: readonly WireMessage[]): Promise<void> {
    const { snapshot } = await link.call("chat.resume", { runId });
    turn.catchUp(snapshot, messages);
    if (turn.stopAsked && turn.state === "live") await link.call("chat.abort", { runId });
    if (turn.stopped) this.#listener.stopped();
    if (turn.state !== "live") this.#changed();
  }

  /** Every turn in the order of the transcript; those it does not have yet come last, and other versions not at all. */
  #place(
    byRun: ReadonlyMap<string, readonly WireMessage[]>,
    unfinished: ReadonlySet<string>,
    hidden: ReadonlySet<string>,
  ): void {
    const placed = new Map<string, Turn>();
    for (const [runId, messages] of byRun) {
      const known = this.#byRun.get(runId);
      known?.own(messages);
      if (!unfinished.has(runId)) known?.adopt(messages);
      placed.set(runId, known ?? Turn.ofMessages(runId, messages, unfinished.has(runId), this.#listener.now));
    }
    for (const [runId, turn] of this.#byRun)
      if (!placed.has(runId) && !hidden.has(runId)) placed.set(runId, turn);
    this.#byRun = placed;
  }

  #ownTurn(entry: Entry): Turn {
    return Turn.ofOwner(entry.key, entry, this.#listener.now);
  }

  #changed(): void {
    this.#arrange();
    this.#listener.changed();
  }

  #arrange(): void {
    const turns = [...this.#byRun.values(), ...(this.#waiting ? [this.#waiting.turn] : [])];
    const before = this.turns.value;
    if (turns.length !== before.length || turns.some((turn, i) => turn !== before[i])) this.turns.set(turns);
  }
}

function lacksEvidence(turn: Turn): boolean {
  const acted = turn.parts.some(({ kind }) => kind === "calls");
  return acted && turn.state === "settled" && turn.evidence === undefined;
}

/** Something it cites was undone since. */
function hasUndone(message: WireMessage): boolean {
  return replySegments(message)?.some(({ undone }) => undone) ?? false;
}
