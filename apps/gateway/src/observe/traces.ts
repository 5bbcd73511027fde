import { LIMITS } from "@elwood/core/base/limits";
import type { Redactor } from "@elwood/core/base/redact";
import type { Block } from "@elwood/core/message/message";
import { serialQueue } from "@elwood/runtime/async/serial-queue";
import type { ModelFact, Observe, Observed } from "@elwood/runtime/ports/observe";
import type { Clock, Log } from "@elwood/runtime/ports/ports";

export interface TraceDeps {
  /** The collector's address, such as http://127.0.0.1:4318/v1/traces. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether what was asked and answered goes along. */
  readonly content: boolean;
  readonly fetch: typeof globalThis.fetch;
  readonly sha256: (text: string) => string;
  readonly redact: Redactor;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1 internal, 3 client, as OTLP numbers them. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: 2 };
}

interface Attribute {
  readonly key: string;
  readonly value:
    | { readonly stringValue: string }
    | { readonly intValue: string }
    | { readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] } };
}

/**
 * Spans over OTLP/HTTP as JSON, named by the semantic conventions for generative AI: a run is `invoke_agent`, a
 * request to a model `chat`, a call of a tool `execute_tool`. A run is a trace, whose id comes from the run's own.
 *
 * T1 What a span holds are names, numbers and ids; what was said only where the owner wants it, without secrets.
 * T2 Nobody waits for the collector. Spans that it does not take are dropped and counted; while it is down it is
 *    asked less and less often.
 */
export class Traces {
  readonly #deps: TraceDeps;
  readonly #stopping = new AbortController();
  readonly #sending = serialQueue();
  #queue: Span[] = [];
  #waiting = false;
  #dropped = 0;
  #failures = 0;
  #ids = 0;

  constructor(deps: TraceDeps) {
    this.#deps = deps;
  }

  /** Spans that nobody took. */
  get dropped(): number {
    return this.#dropped;
  }

  readonly observe: Observe = (fact) => {
    const span = this.#span(fact);
    if (!span) return;
    if (this.#queue.length >= LIMITS.spansQueuedMax) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (!this.#waiting) void this.#later();
  };

  /** What is left is sent, in a short time or not at all. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#sending.settled();
    if (this.#queue.length > 0 && this.#failures === 0) await this.#send();
  }

  async #later(): Promise<void> {
    this.#waiting = true;
    const { clock } = this.#deps;
    while (this.#queue.length > 0 && !this.#stopping.signal.aborted) {
      const wait = Math.min(LIMITS.spansBatchMs * 2 ** Math.min(this.#failures, 6), LIMITS.spansRetryMsMax);
      await clock.sleep(wait, this.#stopping.signal);
      if (this.#stopping.signal.aborted) break;
      await this.#sending.run(() => this.#send());
    }
    this.#waiting = false;
  }

  async #send(): Promise<void> {
    const { endpoint, headers, fetch, log } = this.#deps;
    const spans = this.#queue.splice(0, LIMITS.spansBatchMax);
    let problem: unknown;
    try {
      const answer = await fetch(endpoint, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(this.#document(spans)),
        signal: AbortSignal.timeout(LIMITS.spansSendMs),
      });
      await answer.body?.cancel();
      if (answer.ok) {
        this.#failures = 0;
        return;
      }
      problem = new Error(`the collector answered ${answer.status}`);
    } catch (error) {
      problem = error;
    }
    this.#dropped += spans.length;
    this.#failures += 1;
    // Once, not with every batch: the collector may stay away for days.
    if (this.#failures === 1)
      log.warn("traces could not be delivered; they are dropped until the collector is back", {
        event: "traces.dropped",
        dropped: this.#dropped,
        error: problem,
      });
  }

  #document(spans: readonly Span[]) {
    const resource = [text("service.name", "elwood"), text("service.version", this.#deps.version)];
    return {
      resourceSpans: [
        { resource: { attributes: resource }, scopeSpans: [{ scope: { name: "elwood" }, spans }] },
      ],
    };
  }

  #span(fact: Observed): Span | undefined {
    const { runId, tenant } = fact;
    const traceId = this.#deps.sha256(`elwood.trace.v1\n${runId}`).slice(0, 32);
    const rootId = this.#deps.sha256(`elwood.span.v1\n${runId}`).slice(0, 16);
    const common = [text("elwood.tenant", tenant), text("elwood.run.id", runId)];
    const times = (startedAt: number, endedAt: number) => ({
      startTimeUnixNano: `${startedAt}000000`,
      endTimeUnixNano: `${endedAt}000000`,
    });
    const child = { traceId, spanId: this.#nextId(runId), parentSpanId: rootId };
    switch (fact.kind) {
      case "run": {
        const { sessionId, surface, status, startedAt = fact.endedAt, endedAt } = fact;
        return {
          traceId,
          spanId: rootId,
          name: "invoke_agent elwood",
          kind: 1,
          ...times(startedAt, endedAt),
          attributes: [
            text("gen_ai.operation.name", "invoke_agent"),
            text("gen_ai.agent.name", "elwood"),
            text("gen_ai.conversation.id", sessionId),
            text("elwood.surface", surface),
            text("elwood.run.status", status),
            ...common,
            ...(status === "failed" ? [text("error.type", status)] : []),
          ],
          status: status === "failed" ? { code: 2 } : {},
        };
      }
      case "call": {
        const { toolId, callId, outcome, startedAt = fact.endedAt, endedAt } = fact;
        const isBad = outcome !== "succeeded";
        return {
          ...child,
          name: `execute_tool ${toolId}`,
          kind: 1,
          ...times(startedAt, endedAt),
          attributes: [
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", toolId),
            text("gen_ai.tool.call.id", callId),
            text("gen_ai.tool.type", "function"),
            ...common,
            ...(isBad ? [text("error.type", outcome)] : []),
          ],
          status: isBad ? { code: 2 } : {},
        };
      }
      case "model":
        return {
          ...child,
          name: `${fact.operation === "embed" ? "embeddings" : "chat"} ${fact.asked.model}`,
          kind: 3,
          ...times(fact.startedAt, fact.endedAt),
          attributes: [...modelAttributes(fact), ...common, ...(this.#deps.content ? this.#said(fact) : [])],
          status: fact.outcome === "done" ? {} : { code: 2 },
        };
      case "retry":
        return undefined;
      default:
        return fact satisfies never;
    }
  }

  /** T1 */
  #said({ messages = [], blocks = [] }: ModelFact): Attribute[] {
    const { redact } = this.#deps;
    const told = (list: readonly { readonly role: string; readonly blocks: readonly Block[] }[]) =>
      redact(JSON.stringify(list.map(({ role, blocks: parts }) => ({ role, parts: parts.flatMap(partOf) }))));
    return [
      text("gen_ai.input.messages", told(messages).slice(0, LIMITS.spanContentCharsMax)),
      text(
        "gen_ai.output.messages",
        told([{ role: "assistant", blocks }]).slice(0, LIMITS.spanContentCharsMax),
      ),
    ];
  }

  #nextId(runId: string): string {
    this.#ids += 1;
    return this.#deps
      .sha256(`elwood.span.v1\n${runId}\n${this.#ids}\n${this.#deps.clock.now()}`)
      .slice(0, 16);
  }
}

function modelAttributes(fact: ModelFact): Attribute[] {
  const { asked, answered, operation, usage, maxOutputTokens, stopReason, outcome, reason } = fact;
  return [
    text("gen_ai.operation.name", operation === "embed" ? "embeddings" : "chat"),
    text("gen_ai.provider.name", answered.provider),
    text("gen_ai.request.model", asked.model),
    text("gen_ai.response.model", answered.model),
    ...(maxOutputTokens === undefined ? [] : [number("gen_ai.request.max_tokens", maxOutputTokens)]),
    ...(stopReason === undefined
      ? []
      : [
          {
            key: "gen_ai.response.finish_reasons",
            value: { arrayValue: { values: [{ stringValue: stopReason }] } },
          },
        ]),
    ...(usage
      ? [
          number(
            "gen_ai.usage.input_tokens",
            usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
          ),
          number("gen_ai.usage.output_tokens", usage.outputTokens),
        ]
      : []),
    ...(outcome === "done" ? [] : [text("error.type", reason ?? outcome)]),
  ];
}

function partOf(block: Block): { readonly type: string; readonly content: string }[] {
  return block.type === "text" ? [{ type: "text", content: block.text }] : [];
}

function text(key: string, value: string): Attribute {
  return { key, value: { stringValue: value } };
}

function number(key: string, value: number): Attribute {
  return { key, value: { intValue: String(Math.round(value)) } };
}
