import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { loadOnce } from "@elwood/core/base/load-once";
import { isForgotten } from "@elwood/core/erase/tombstone";
import { textOf, type Block, type Message, type Origin } from "@elwood/core/message/message";
import type { EventData } from "@elwood/core/protocol/events";
import { isEnded, type Part, type Run } from "@elwood/core/message/session";
import type { RunJob } from "@elwood/core/schedule/job-binding";
import { commitSession } from "./commit.ts";
import { ContextMeter } from "../compaction/meter.ts";
import type { ModelHistory } from "./history.ts";
import { type CompactionRequest, requestBlocks } from "../compaction/request.ts";
import type { EngineDeps } from "./engine-deps.ts";
import { type EndDeps, type EndedRun, endRun, noteEnded, noteFinished } from "./end-run.ts";
import { Feeds, type RunFeed } from "./feed.ts";
import { keyedMutex } from "../async/serial-queue.ts";
import { openCalls } from "./calls.ts";
import { abortedFailure, asTimeLimit, brokenOff, internalFailure, neverBegan } from "./outcome.ts";
import { OWNER_TOKEN_ID, type Person, type Principal } from "../ports/ports.ts";
import { RecentTranscripts } from "./recent-transcripts.ts";
import { NOT_RECORDED } from "./reply.ts";
import { SessionQueue } from "./session-queue.ts";
import { type StopCause, whoStopped } from "./stop-cause.ts";
import { withDeadline } from "../async/deadline.ts";
import type { Redactor } from "@elwood/core/base/redact";

/** A start has nothing to run yet, and is faster without this half of the engine. */
const loadAttempt = loadOnce(() => import("./attempt-run.ts"));

export type SessionChange = EventData<"session.changed">;

/**
 * Accepts messages, runs them, and makes sure that none is lost.
 *
 * E1 `submit` resolves only when the message is durable; `start` is called after the
 *    acknowledgement, so that the answer never overtakes it.
 * E2 A run belongs to the engine: it goes on whether or not anybody listens.
 * E3 Stopping leaves unfinished runs in the journal as they are; `recover` resumes them.
 * E4 A run that fails is ended like any other. If its end cannot be stored, it waits here and is
 *    stored before the next run of its session begins.
 */
export class Engine {
  readonly feeds = new Feeds();
  readonly #deps: EngineDeps;
  readonly #committing: EndDeps;
  readonly #queue: SessionQueue;
  readonly #meter: ContextMeter;
  #history: ModelHistory | undefined;
  readonly #aborts = new Map<string, AbortController>();
  readonly #sessionListeners = new Set<(tenant: string, change: SessionChange) => void>();
  /** Runs that were stopped before they began; checked in the same step in which a run registers its abort. */
  readonly #cancelled = new Set<string>();
  readonly #endings = keyedMutex();
  /** By session (E4). */
  readonly #unstored = new Map<string, { tenant: string; run: Run; feed: RunFeed; outcome: EndedRun }[]>();
  /** Titles that are being asked for; a stop does not wait for them. */
  readonly #naming = new AbortController();
  #stopping = false;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#meter = new ContextMeter(deps.hash);
    const { stores, clock, log, tools, recorder, ids } = deps;
    const recent = new RecentTranscripts(stores.transcripts);
    this.#committing = { stores, clock, log, tools, recorder, ids, recent };
    this.#queue = new SessionQueue(deps.limits.parallelRuns);
  }

  get runsActive(): number {
    return this.#queue.running;
  }

  get runsQueued(): number {
    return this.#queue.queued;
  }

  /** Makes a message durable as a run. Nothing happens with it before `start`. */
  submit(inbound: Inbound): Promise<{ run: Run; repeated: boolean }> {
    const { principal } = inbound;
    const origin = originFor(principal, inbound.origin);
    const blocks = inbound.parts
      .map((part) => ({ ...redacted(part, this.#deps.redact), origin: originFor(principal, part.origin) }))
      .map(partToBlock);
    const { job, parts, model, profile } = inbound;
    const meta = { ...(job ? { job } : {}), ...(profile === undefined ? {} : { profile }) };
    const message = { role: "user", origin, blocks, meta } as const;
    return this.#accept(inbound, message, [
      parts,
      model ?? null,
      ...(profile === undefined ? [] : [profile]),
    ]);
  }

  /**
   * The message of an ended run once more, as another version of its turn: as it was, or with other
   * words and whatever came along with it. What calls of the versions before did or were denied for the
   * same words stays used up: a second answer is no second order.
   */
  async submitVersion(
    asked: Omit<Inbound, "parts" | "origin">,
    version: { readonly of: string; readonly parts?: readonly Part[] },
  ): Promise<{ run: Run; repeated: boolean }> {
    const { stores, redact } = this.#deps;
    const { principal, sessionId } = asked;
    const { tenant } = principal;
    const before = await stores.runs.get(tenant, version.of);
    const [first] = (await stores.runs.journal(tenant, version.of)).steps;
    if (first?.role !== "user" || first.meta?.reminder || first.meta?.job || isForgotten(first))
      fail("INVALID_INPUT", "Only an answer to a message can be asked for again. Nothing was sent.");
    const origin = originFor(principal, first.origin);
    const blocks = version.parts
      ? version.parts.map((part) =>
          partToBlock({ ...redacted(part, redact), origin: originFor(principal, part.origin) }),
        )
      : first.blocks.map((block) =>
          "origin" in block && block.origin
            ? { ...block, origin: originFor(principal, block.origin) }
            : block,
        );
    const model = asked.model ?? before?.modelAsked;
    // Whose account paid goes with the model that was asked then.
    const profile = asked.profile ?? (asked.model === undefined ? first.meta?.profile : undefined);
    const again = await this.#withSameWords(tenant, sessionId, version.of, blocks);
    const meta = { ...(profile === undefined ? {} : { profile }), ...(again.length > 0 ? { again } : {}) };
    const message = { role: "user", origin, blocks, meta } as const;
    return this.#accept(
      { ...asked, ...(model === undefined ? {} : { model }), versionOf: version.of },
      message,
      [version.of, blocks, model ?? null],
    );
  }

  /** The versions of a turn, the given one included, that began with these very words. */
  async #withSameWords(
    tenant: string,
    sessionId: string,
    runId: string,
    blocks: readonly Block[],
  ): Promise<string[]> {
    const { runs } = this.#deps.stores;
    const tree = await runs.tree(tenant, sessionId);
    const parent = tree.find((run) => run.runId === runId)?.parent;
    const beside =
      parent === undefined ? [runId] : tree.filter((run) => run.parent === parent).map((run) => run.runId);
    if (beside.length >= LIMITS.versionsPerTurnMax)
      fail(
        "LIMIT",
        `This message has ${LIMITS.versionsPerTurnMax} versions already. Nothing was sent; go on in a branch.`,
      );
    const words = textOf({ blocks });
    const same: string[] = [];
    for (const id of beside) {
      const [first] = (await runs.journal(tenant, id)).steps;
      if (first && textOf(first) === words) same.push(id);
    }
    return same;
  }

  /** The same for the owner's request to summarise a conversation, or to revert a summary. */
  async submitCompaction(
    asked: Omit<Inbound, "parts" | "origin" | "model">,
    request: CompactionRequest,
  ): Promise<{ run: Run; repeated: boolean }> {
    const message = { role: "assistant", origin: "gateway", blocks: requestBlocks(request) } as const;
    return this.#accept(asked, message, [request]);
  }

  /** A reminder as a run: its words are put into a session, and no model is asked. `late` says so where it comes after its time. */
  async submitReminder(
    asked: Omit<Inbound, "parts" | "origin" | "model">,
    reminder: { readonly text: string; readonly late?: string },
  ): Promise<{ run: Run; repeated: boolean }> {
    const { text, late } = reminder;
    const part = redacted({ kind: "text", text, origin: "schedule" }, this.#deps.redact);
    const meta = { reminder: late === undefined ? {} : { late } };
    const message = { role: "user", origin: "schedule", blocks: [partToBlock(part)], meta } as const;
    return this.#accept(asked, message, [text]);
  }

  async #accept(
    inbound: Omit<Inbound, "parts" | "origin">,
    message: Pick<Message, "role" | "origin" | "blocks" | "meta">,
    hashed: readonly unknown[],
  ): Promise<{ run: Run; repeated: boolean }> {
    const { principal, sessionId } = inbound;
    if (this.#stopping)
      fail("STOPPING", "Elwood is stopping. Your message was not accepted; send it again once it is back.");
    const session = await this.#deps.stores.sessions.get(principal.tenant, sessionId);
    if (!session || session.deletedAt !== undefined)
      fail("NOT_FOUND", `There is no session ${sessionId}. Your message was not sent.`);
    if (
      this.#queue.ahead(sessionId) > LIMITS.queuedRunsPerSessionMax ||
      this.#queue.queued >= LIMITS.runsQueuedMax
    ) {
      fail(
        "QUEUE_FULL",
        `${LIMITS.queuedRunsPerSessionMax} messages already wait in this session. Yours was not accepted; send it again when some are answered.`,
      );
    }
    const stored = await storeInbound(this.#deps, inbound, message, hashed);
    if (!stored.repeated) this.feeds.open(stored.run.id, sessionId);
    return stored;
  }

  /** Puts an accepted run into its session's queue. */
  start(tenant: string, run: Run): void {
    const feed = this.feeds.open(run.id, run.sessionId);
    const ahead = this.#queue.ahead(run.sessionId);
    if (ahead > 0) feed.emit("run.queued", { sessionKey: run.sessionId, ahead });
    // Other clients that show the session see the message now, not with its answer.
    this.announce(tenant, { sessionKey: run.sessionId, what: "updated", acceptedRun: run.id });
    this.#queue.push(run.sessionId, () => this.#perform(tenant, run, feed));
  }

  /** Stops a run and returns it as it was; a run that had ended is left as it is. */
  async abort(tenant: string, runId: string, by: Person): Promise<Run> {
    const run = await this.#deps.stores.runs.get(tenant, runId);
    if (!run) fail("NOT_FOUND", `There is no run ${runId}.`);
    if (isEnded(run.status) || this.#isUnstored(tenant, run)) return run;
    const running = this.#aborts.get(runId);
    if (running) {
      running.abort({ stoppedBy: by } satisfies StopCause);
    } else {
      this.#cancelled.add(runId);
      const feed = this.feeds.open(runId, run.sessionId);
      const outcome = { ...neverBegan(abortedFailure()), stoppedBy: by };
      await this.#end(tenant, run, feed, outcome);
    }
    return run;
  }

  /** After a start: commits runs that had ended and resumes those that had not. Call once, before anything else. */
  async recover(tenant: string): Promise<{ committed: number; resumed: number }> {
    const { runs } = this.#deps.stores;
    const uncommitted = await runs.uncommitted(tenant);
    for (const sessionId of new Set(uncommitted.map(({ run }) => run.sessionId))) {
      await commitSession(this.#committing, tenant, sessionId);
    }
    const unfinished = await runs.unfinished(tenant);
    await this.#closeOrphanedCalls(tenant, unfinished);
    await noteEnded(this.#deps, tenant);
    for (const run of unfinished) this.start(tenant, run);
    return { committed: uncommitted.length, resumed: unfinished.length };
  }

  /** What cannot be settled now is left to the next start, so that a full disk does not prevent this one. */
  async #closeOrphanedCalls(tenant: string, unfinished: readonly Run[]): Promise<void> {
    const { stores, tools, log } = this.#deps;
    try {
      const open = new Set<string>();
      for (const { id } of unfinished) {
        const { steps } = await stores.runs.journal(tenant, id);
        for (const { callId } of openCalls(steps)) open.add(callId);
      }
      await tools.closeOrphanedCalls(tenant, open);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      log.error("could not settle what the last process left", { reason: error.failure.reason });
    }
  }

  /** Nobody has talked for a while: what is kept to be quick is given back. */
  rest(): void {
    this.#committing.recent.rest();
  }

  /** Something in these sessions was erased: nothing in memory may still contain it. */
  clearCache(tenant: string, sessionIds: Iterable<string>): void {
    for (const sessionId of sessionIds) this.#committing.recent.forget(tenant, sessionId);
    this.feeds.forgetEnded();
  }

  /** False if something is still at work when the time for stopping is over. */
  async stop(): Promise<boolean> {
    this.#stopping = true;
    this.#naming.abort();
    for (const controller of this.#aborts.values()) controller.abort("shutdown" satisfies StopCause);
    const idle = this.#queue.stop().then(() => true);
    const rests = await withDeadline(this.#deps.clock, LIMITS.shutdownMs, idle, () => false);
    const unstored = [...this.#unstored.values()].flat();
    this.#unstored.clear();
    for (const { tenant, run, feed, outcome } of unstored) await this.#end(tenant, run, feed, outcome);
    return rests;
  }

  whenIdle(): Promise<void> {
    return this.#queue.whenIdle();
  }

  onSessionChange(listener: (tenant: string, change: SessionChange) => void): () => void {
    this.#sessionListeners.add(listener);
    return () => this.#sessionListeners.delete(listener);
  }

  announce(tenant: string, change: SessionChange): void {
    for (const listener of this.#sessionListeners) listener(tenant, change);
  }

  async #perform(tenant: string, run: Run, feed: RunFeed): Promise<void> {
    if (this.#cancelled.delete(run.id)) return;
    const controller = new AbortController();
    this.#aborts.set(run.id, controller);
    try {
      await this.#storeUnstored(tenant, run.sessionId);
      await this.#attempt(tenant, run.id, feed, controller);
    } catch (error) {
      await this.#brokeOff(tenant, run, feed, error);
    } finally {
      this.#aborts.delete(run.id);
      this.#cancelled.delete(run.id);
      this.feeds.trim();
    }
  }

  async #attempt(tenant: string, runId: string, feed: RunFeed, controller: AbortController): Promise<void> {
    const { limits } = this.#deps;
    const { attemptRun, ModelHistory } = await loadAttempt();
    this.#history ??= new ModelHistory(this.#deps.localTime);
    const attempted = await attemptRun(this.#deps, this.#committing.recent, {
      tenant,
      runId,
      feed,
      controller,
      meter: this.#meter,
      history: this.#history,
      park: (parked) => this.#queue.park(feed.sessionId, parked),
    });
    if (!attempted) return;
    const cause: unknown = controller.signal.reason;
    const stoppedBy = whoStopped(cause);
    const { run } = attempted;
    const outcome: EndedRun = { ...attempted.outcome, ...(stoppedBy && { stoppedBy }) };
    // E3: a run that stopping cut short is left as it is, for the next start.
    if (cause === ("shutdown" satisfies StopCause) && outcome.failure?.reason === "ABORTED") return;
    const timedOut = cause === ("time" satisfies StopCause);
    await this.#end(tenant, run, feed, timedOut ? asTimeLimit(outcome, limits.minutes) : outcome);
  }

  async #end(tenant: string, run: Run, feed: RunFeed, outcome: EndedRun): Promise<void> {
    const key = `${tenant}/${run.sessionId}`;
    // A run in the middle and a queued one may end at once; their lines go into one file.
    const stored = await this.#endings.run(key, () => endRun(this.#committing, tenant, run, feed, outcome));
    if (!stored) {
      this.#unstored.set(key, [...(this.#unstored.get(key) ?? []), { tenant, run, feed, outcome }]);
      return;
    }
    const aborted = outcome.failure?.reason === "ABORTED";
    await noteFinished(
      this.#deps,
      tenant,
      run,
      aborted ? { status: "aborted", by: outcome.stoppedBy } : { status: outcome.status },
    );
    this.announce(tenant, { sessionKey: run.sessionId, what: "updated" });
    if (outcome.status === "done" && this.#deps.namesSessions === true && !this.#stopping)
      void this.#name(tenant, run);
  }

  /** Nobody waits for it, and nothing depends on it. */
  async #name(tenant: string, run: Run): Promise<void> {
    const { sessionId } = run;
    try {
      const { titleSession } = await import("./session-title.ts");
      const named = await titleSession(this.#deps, tenant, run, this.#naming.signal);
      if (named) this.announce(tenant, { sessionKey: sessionId, what: "updated" });
    } catch (error) {
      this.#deps.log.warn("a session could not be given a title", { session: sessionId, error });
    }
  }

  /** It has ended, but its end is not stored yet. */
  #isUnstored(tenant: string, { id, sessionId }: Run): boolean {
    return this.#unstored.get(`${tenant}/${sessionId}`)?.some(({ run }) => run.id === id) ?? false;
  }

  /** E4 */
  async #storeUnstored(tenant: string, sessionId: string): Promise<void> {
    const key = `${tenant}/${sessionId}`;
    const waiting = this.#unstored.get(key) ?? [];
    this.#unstored.delete(key);
    for (const { run, feed, outcome } of waiting) await this.#end(tenant, run, feed, outcome);
    if (this.#unstored.has(key)) {
      fail(
        "STORAGE",
        "An earlier answer of this session could not be stored yet, so this message was not begun. Free some space on the disk, then send it again.",
      );
    }
  }

  async #brokeOff(tenant: string, run: Run, feed: RunFeed, error: unknown): Promise<void> {
    const { id, sessionId } = run;
    const reason = error instanceof FailureError ? error.failure : internalFailure();
    this.#deps.log.error("a run broke off", { run: id, session: sessionId, reason: reason.reason, error });
    if (feed.ended || this.#stopping) return;
    const outcome = brokenOff(reason, feed.text, this.#deps);
    try {
      await this.#end(tenant, run, feed, outcome);
    } catch (again) {
      // The run is still in the journal and resumes at the next start; clients are notified now.
      this.#deps.log.error("a broken run could not be ended", { run: id, session: sessionId, error: again });
      feed.emit("chat.error", {
        sessionKey: sessionId,
        message: reason.message,
        code: reason.reason,
        retryable: reason.retryable,
        text: "",
        activity: [],
        evidence: NOT_RECORDED,
      });
    }
  }
}

/** A message on its way in, from whatever surface. */
interface Inbound {
  /** Who sends it; its rows belong to the principal's tenant. */
  readonly principal: Principal;
  /** Whose words its own text is, as the surface takes them; see `originFor`. */
  readonly origin: Origin;
  readonly sessionId: string;
  readonly parts: readonly Part[];
  readonly surface: string;
  readonly model?: string;
  readonly profile?: string;
  /** The job whose words they are. */
  readonly job?: RunJob;
  readonly idempotencyKey?: string;
  /** The run in whose place it is shown. */
  readonly versionOf?: string;
}

/** Only a principal that may approve speaks as the owner; the words of any other are a program's. */
function originFor({ scopes }: Principal, origin: Origin): Origin {
  return origin === "owner" && !scopes.has("approve") ? "program" : origin;
}

function partToBlock(part: Part): Block {
  if (part.kind === "text") return { type: "text", text: part.text.toWellFormed(), origin: part.origin };
  const { blobId, mime, origin } = part;
  if (mime.startsWith("image/")) {
    return { type: "image", mime, blobId, origin, ...(part.name ? { name: part.name } : {}) };
  }
  return { type: "file", mime, blobId, origin, name: part.name ?? blobId, bytes: part.bytes };
}

/** Secrets are removed before a message is stored: what is not stored cannot leak. */
export function redacted(part: Part, redact: Redactor): Part {
  return part.kind === "text" ? { ...part, text: redact(part.text) } : part;
}

/** Stores a message and its run in one step; `hashed` distinguishes a repeated request from a reused key. */
async function storeInbound(
  { stores, clock, ids, hash, refusal }: Pick<EngineDeps, "stores" | "clock" | "ids" | "hash" | "refusal">,
  { principal, sessionId, surface, model, idempotencyKey, versionOf }: Omit<Inbound, "parts" | "origin">,
  message: Pick<Message, "role" | "origin" | "blocks" | "meta">,
  hashed: readonly unknown[],
): Promise<{ run: Run; repeated: boolean }> {
  const at = clock.now();
  const { tokenId, name } = principal;
  const sender = tokenId === OWNER_TOKEN_ID ? {} : { sender: { tokenId, name } };
  const refused = await refusal?.();
  const { kind, run } = await stores.runs.accept(principal.tenant, {
    id: ids.next("run"),
    sessionId,
    surface,
    ...(model ? { modelAsked: model } : {}),
    ...(idempotencyKey ? { idempotencyKey } : {}),
    ...(refused ? { refused } : {}),
    requestHash: hash(JSON.stringify([sessionId, ...hashed])),
    inbound: { id: ids.next("message"), ts: at, ...message, meta: { ...message.meta, surface, ...sender } },
    at,
    ...(versionOf === undefined ? {} : { versionOf }),
  });
  if (kind === "key-reused") {
    fail(
      "CONFLICT",
      "This idempotency key was used before for another message. Nothing was sent; use a new key.",
    );
  }
  return { run, repeated: kind === "repeated" };
}
