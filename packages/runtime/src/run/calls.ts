import { plainGlyphs } from "@elwood/core/base/glyphs";
import { activityNote } from "@elwood/core/message/activity-note";
import { wordOf, type ActivityItem } from "@elwood/core/tool/activity";
import type { Failure } from "@elwood/core/base/failure";
import type { Message, ToolUseBlock } from "@elwood/core/message/message";
import { meantCall } from "@elwood/core/tool/catalog";
import type { RunJob } from "@elwood/core/schedule/job-binding";
import { STATUS_WORDS, type CallEnd } from "@elwood/core/tool/tool";
import type { Budget } from "./budget.ts";
import type { Payload, RunFeed } from "./feed.ts";
import { mustKeepOrder } from "./call-order.ts";
import type { CallSubject, Clock, Ids, ToolHost, ToolOutcome } from "../ports/ports.ts";

interface CallsDeps {
  readonly tenant: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly surface: string;
  readonly job?: RunJob | undefined;
  /** What whoever began the run is called, where that was not the owner. */
  readonly asker?: string | undefined;
  readonly tools: ToolHost;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly feed: RunFeed;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /** Whether the run waits for a person. */
  readonly waiting: (waiting: boolean) => void;
  /** Journals a message and adds it to the run. */
  readonly addStep: (message: Message) => Promise<void>;
  /** How many characters of a result the model is shown, given the number of calls in its answer; undefined for all. */
  readonly shownChars: (text: string, siblings: number) => number | undefined;
}

/**
 * The tool calls of one run: made in parallel, each result journaled as it arrives. Only calls of one
 * answer on the same thing are made one after the other, in the model's order. Each result carries the
 * number of its call; behind it stands what receipts say of the calls that a program made, and of calls
 * that stand otherwise by now than the model was told.
 */
export class Calls {
  readonly #deps: CallsDeps;
  #open = 0;
  #siblings = 0;
  #waiting = 0;
  /** Calls that are not made before another one of the same answer has ended. */
  #held = 0;
  #marked = false;
  /** By call, how it stood when the model was told last. */
  readonly #told = new Map<string, string>();

  constructor(deps: CallsDeps) {
    this.#deps = deps;
  }

  /** Makes all calls of one answer, or none if a limit is reached. */
  async make(calls: readonly ToolUseBlock[]): Promise<Failure | undefined> {
    for (const call of calls) {
      const stopped = this.#deps.budget.beginCall(`${call.toolId}\n${JSON.stringify(call.input)}`);
      if (stopped) return stopped;
    }
    await this.#makeAll(calls);
    return undefined;
  }

  /** Resumes calls that a stop or a crash left without a result. The gate knows the state of each. */
  async resume(steps: readonly Message[]): Promise<void> {
    const open = openCalls(steps);
    await this.#recallTold(steps);
    await this.#makeAll(open);
  }

  activity(): Promise<readonly ActivityItem[]> {
    return this.#deps.tools.activity(this.#deps.tenant, this.#deps.runId);
  }

  /** Calls are recorded one after another, in the model's order, which numbers them; then they run in parallel. */
  async #makeAll(calls: readonly ToolUseBlock[]): Promise<void> {
    this.#open = calls.length;
    this.#siblings = calls.length;
    const all: { readonly subject: CallSubject | undefined; readonly made: Promise<void> }[] = [];
    for (const given of calls) {
      const call = meantCall(given);
      const subject = this.#deps.tools.subjectOf?.(call, this.#deps.runId);
      const before = all.filter((each) => mustKeepOrder(each.subject, subject)).map(({ made }) => made);
      if (before.length > 0) {
        all.push({ subject, made: this.#makeAfter(before, call) });
        continue;
      }
      const entered = Promise.withResolvers<void>();
      const made = this.#makeAndRecord(call, entered.resolve);
      all.push({ subject, made });
      // A call that ends without being recorded must not block the next one.
      void made.then(entered.resolve, entered.resolve);
      await entered.promise;
    }
    // Waits for all before an error is passed on: no call may be left running.
    for (const ended of await Promise.allSettled(all.map(({ made }) => made)))
      if (ended.status === "rejected") throw ended.reason;
  }

  /** What such a call finds, and what the owner is shown of it, depends on what those before it did. */
  async #makeAfter(before: readonly Promise<void>[], call: ToolUseBlock): Promise<void> {
    this.#held += 1;
    await Promise.allSettled(before);
    this.#held -= 1;
    await this.#makeAndRecord(call, () => undefined);
  }

  async #makeAndRecord(call: ToolUseBlock, entered: () => void): Promise<void> {
    const outcome = await this.#makeOne(call, entered);
    this.#open -= 1;
    this.#mark();
    if (outcome.status !== "deferred") await this.#record(call, outcome);
  }

  async #makeOne(call: ToolUseBlock, entered: () => void): Promise<ToolOutcome> {
    const { tools, tenant, sessionId, runId, surface, job, asker, signal } = this.#deps;
    const { callId, toolId } = call;
    if (call.malformed !== undefined) {
      return {
        status: "error",
        ended: "refused",
        text: `The arguments are not valid JSON: ${call.malformed}`,
      };
    }
    return tools.call(
      { callId, toolId, input: call.input },
      {
        ...this.#listenerFor(callId, toolId),
        child: (childId, childTool) => ({
          ...this.#listenerFor(childId, childTool, callId),
          finished: (status) => this.#finished({ callId: childId, tool: childTool, parent: callId }, status),
        }),
        tenant,
        sessionId,
        runId,
        surface,
        ...(job ? { job } : {}),
        ...(asker === undefined ? {} : { asker }),
        signal,
        shownChars: (text) => this.#deps.shownChars(text, this.#siblings),
        entered,
        waiting: (waiting) => {
          this.#waiting += waiting ? 1 : -1;
          this.#mark();
        },
      },
    );
  }

  #listenerFor(callId: string, tool: string, parent?: string) {
    const { feed } = this.#deps;
    const about = { callId, tool, ...(parent === undefined ? {} : { parent }) };
    return {
      progress: (message: string) => feed.emit("tool.progress", { ...about, message: plainGlyphs(message) }),
      started: () => feed.emit("tool.started", about),
    };
  }

  #finished(call: Omit<Payload<"tool.finished">, "status" | "refused">, end: CallEnd): void {
    const ended = end === "refused" ? { status: "failed" as const, refused: true as const } : { status: end };
    this.#deps.feed.emit("tool.finished", { ...call, ...ended });
  }

  /** The run waits only while every call that is left waits, be it for one that waits. */
  #mark(): void {
    const waits = this.#waiting > 0 && this.#waiting + this.#held === this.#open;
    if (waits !== this.#marked) this.#deps.waiting(waits);
    this.#marked = waits;
  }

  /** Whatever was told before the restart; an undo is told again rather than not at all. */
  async #recallTold(steps: readonly Message[]): Promise<void> {
    const answered = answeredCalls(steps);
    if (answered.size === 0) return;
    for (const { callId, summary } of await this.activity())
      if (answered.has(callId)) this.#told.set(callId, summary.replace(/, undone since$/, ""));
  }

  /** What the model is not told by results: calls of the program that has ended now, and what changed since it was told. */
  #note(activity: readonly ActivityItem[], own: string): string {
    const noted = activity.filter(
      ({ callId, parent, rehearsal, summary }) =>
        callId !== own &&
        ((parent === own && !rehearsal) || (this.#told.has(callId) && this.#told.get(callId) !== summary)),
    );
    for (const item of activity)
      if (item.callId === own || noted.includes(item)) this.#told.set(item.callId, item.summary);
    return activityNote(
      noted.map((item) => ({
        ...item,
        plain: item.parent === own && wordOf(item) === STATUS_WORDS.succeeded && !item.undone,
      })),
    );
  }

  async #record(call: ToolUseBlock, outcome: ToolOutcome): Promise<void> {
    const { ids, clock, addStep } = this.#deps;
    const { callId, toolId } = call;
    const activity = await this.activity();
    const item = activity.find((each) => each.callId === callId);
    const status: CallEnd =
      outcome.ended === "refused"
        ? outcome.ended
        : (item?.status ?? outcome.ended ?? (outcome.status === "ok" ? "succeeded" : "failed"));
    const code = item?.exitCode === undefined ? {} : { exitCode: item.exitCode };
    const note = this.#note(activity, callId);
    const word = item && wordOf(item);
    const shownChars = this.#deps.shownChars(outcome.text, this.#siblings);
    await addStep({
      id: ids.next("message"),
      ts: clock.now(),
      role: "tool",
      origin: "tool",
      blocks: [
        {
          type: "tool_result",
          callId,
          status: outcome.status === "ok" ? "ok" : "error",
          ...(status === "succeeded" || status === "failed" ? {} : { ended: status }),
          ...code,
          ...(item ? { cite: item.cite } : {}),
          ...(word === undefined || word === STATUS_WORDS.succeeded ? {} : { word }),
          text: note === "" ? outcome.text : `${outcome.text}\n\n${note}`,
          ...(shownChars === undefined ? {} : { shownChars }),
          ...(outcome.images ? { images: [...outcome.images] } : {}),
        },
      ],
    });
    this.#finished({ callId, tool: toolId, ...code }, status);
  }
}

/** The calls in these messages that have no result. */
export function openCalls(steps: readonly Message[]): ToolUseBlock[] {
  const answered = answeredCalls(steps);
  return steps
    .flatMap((step) => step.blocks)
    .filter((b): b is ToolUseBlock => b.type === "tool_use" && !answered.has(b.callId));
}

function answeredCalls(steps: readonly Message[]): ReadonlySet<string> {
  return new Set(
    steps.flatMap(({ blocks }) => blocks.flatMap((b) => (b.type === "tool_result" ? [b.callId] : []))),
  );
}
