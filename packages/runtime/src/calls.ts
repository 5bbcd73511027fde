import type { CallEnding } from "@elwood/core/evidence";
import type { Failure } from "@elwood/core/failure";
import type { Message, ToolUseBlock } from "@elwood/core/message";
import type { Budget } from "./budget.ts";
import type { RunFeed } from "./feed.ts";
import type { Clock, Ids, ToolHost, ToolOutcome } from "./ports.ts";

export interface CallsDeps {
  readonly tenant: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly tools: ToolHost;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly feed: RunFeed;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /** Journals a message and adds it to the run. */
  readonly addStep: (message: Message) => Promise<void>;
}

/** The tool calls of one run: made side by side, each result journaled as it comes. */
export class Calls {
  readonly endings: CallEnding[];
  readonly #deps: CallsDeps;

  constructor(deps: CallsDeps, earlierSteps: readonly Message[]) {
    this.#deps = deps;
    this.endings = endingsOf(earlierSteps);
  }

  /** Makes all calls of one answer, or none of them where a limit is reached. */
  async make(calls: readonly ToolUseBlock[]): Promise<Failure | undefined> {
    for (const call of calls) {
      const stopped = this.#deps.budget.beginCall(`${call.toolId}\n${JSON.stringify(call.input)}`);
      if (stopped) return stopped;
    }
    await Promise.all(calls.map((call) => this.#makeOne(call)));
    return undefined;
  }

  /** Calls that a dead gateway left without a result are not made again; the model is told. */
  async answerLost(steps: readonly Message[]): Promise<void> {
    const blocks = steps.flatMap((m) => m.blocks);
    const answered = new Set(blocks.flatMap((b) => (b.type === "tool_result" ? [b.callId] : [])));
    for (const block of blocks) {
      if (block.type !== "tool_use" || answered.has(block.callId)) continue;
      await this.#record(block, "gateway", {
        status: "error",
        text: "Elwood stopped while this call was running. It is unknown whether it took effect, and it was not made again.",
      });
    }
  }

  async #makeOne(call: ToolUseBlock): Promise<void> {
    const { feed, tools, tenant, sessionId, runId, signal } = this.#deps;
    const { callId, toolId } = call;
    feed.emit("tool.started", { callId, tool: toolId });
    const outcome: ToolOutcome =
      call.malformed === undefined
        ? await tools.call(
            { callId, toolId, input: call.input },
            {
              tenant,
              sessionId,
              runId,
              signal,
              progress: (message) => feed.emit("tool.progress", { callId, tool: toolId, message }),
            },
          )
        : { status: "error", text: `The arguments are not valid JSON: ${call.malformed}` };
    await this.#record(call, "tool", outcome);
    feed.emit("tool.finished", { callId, tool: toolId, status: outcome.status === "ok" ? "done" : "failed" });
  }

  async #record(call: ToolUseBlock, origin: "tool" | "gateway", outcome: ToolOutcome): Promise<void> {
    const { ids, clock, addStep } = this.#deps;
    await addStep({
      id: ids.next("message"),
      ts: clock.now(),
      role: "tool",
      origin,
      blocks: [
        {
          type: "tool_result",
          callId: call.callId,
          status: outcome.status,
          text: outcome.text,
          ...(outcome.images ? { images: [...outcome.images] } : {}),
        },
      ],
    });
    this.endings.push({ toolId: call.toolId, status: outcome.status });
  }
}

function endingsOf(steps: readonly Message[]): CallEnding[] {
  const toolOf = new Map<string, string>();
  const endings: CallEnding[] = [];
  for (const block of steps.flatMap((m) => m.blocks)) {
    if (block.type === "tool_use") toolOf.set(block.callId, block.toolId);
    if (block.type === "tool_result") {
      endings.push({ toolId: toolOf.get(block.callId) ?? "unknown", status: block.status });
    }
  }
  return endings;
}
