import { addUsage, NO_USAGE, type Block, type Message } from "@elwood/core/message/message";
import type { ToolSpec } from "@elwood/core/model/model";
import type { AssistantDefinition, ICoreEngineClient, OwnerQuestion } from "../assistant/engine-client.ts";
import { ConversationError, HumanInputTimeoutError, ToolExecutionError } from "../assistant/errors.ts";
import type { Activity, ConversationMessage, HumanInput, StreamEvent } from "../assistant/events.ts";
import { saysYes } from "../assistant/human-in-the-loop.ts";
import { jsonSchemaOf, type Tool } from "../assistant/tool.ts";
import type { Model } from "../model-script/play.ts";
import { ToolError } from "../tool-answer.ts";

/** A call that would ask. */
export interface AskingCall {
  readonly tool: string;
  readonly input: unknown;
}

/** What a test says about a call that would ask. */
export type ApprovalRule = (call: AskingCall) => "allow" | "deny" | "ask";

/** Allows calls of these tools, those that a function says yes to, or all where nothing is given; the others ask. */
export function autoApprove(...allowed: readonly (string | ((call: AskingCall) => boolean))[]): ApprovalRule {
  const isAllowed = (call: AskingCall) =>
    allowed.some((each) => (typeof each === "string" ? each === call.tool : each(call)));
  return (call) => (allowed.length === 0 || isAllowed(call) ? "allow" : "ask");
}

export interface MemoryEngineOptions {
  readonly model: Model;
  /** Every call asks unless a rule says otherwise. */
  readonly approvals?: ApprovalRule;
  /** What the owner answers to questions; those that it leaves undefined wait for `submitHumanInput`. */
  readonly answers?: (question: OwnerQuestion) => string | undefined;
  /** A `fakeClock()` for tests that depend on time; the system's where left out. */
  readonly clock?: EngineClock;
}

/** What an engine needs of a clock. */
export interface EngineClock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How a call ended, as the gateway's receipts would say it. */
export interface MemoryReceipt {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly status: "succeeded" | "failed" | "denied" | "unknown";
  readonly input: unknown;
}

interface Thread {
  readonly assistantId: string;
  readonly messages: Message[];
  readonly told: ConversationMessage[];
  /** One run after the other. */
  queue: Promise<void>;
}

interface Run {
  readonly id: string;
  readonly conversationId: string;
  readonly stop: AbortController;
  readonly events: StreamEvent[];
  seq: number;
}

const LAPS_MAX = 50;
const MAX_OUTPUT_TOKENS = 4_096;

/**
 * An engine in memory, for tests of assistants and tools: no gateway, no model but the one it is given.
 * Calls ask as they do in a gateway; nothing outlives the process.
 */
export class MemoryEngine implements ICoreEngineClient {
  readonly #options: MemoryEngineOptions;
  readonly #clock: EngineClock;
  readonly #assistants = new Map<string, AssistantDefinition>();
  readonly #contexts = new Map<string, unknown>();
  readonly #threads = new Map<string, Thread>();
  readonly #listeners = new Map<string, Set<(event: StreamEvent) => void>>();
  readonly #runs = new Map<string, Run>();
  readonly #keys = new Map<string, string>();
  readonly #waiting = new Map<
    string,
    {
      readonly kind: HumanInput["kind"];
      readonly answer: (response: string) => void;
      readonly leave: (why: ConversationError) => void;
    }
  >();
  readonly #receipts: MemoryReceipt[] = [];
  #made = 0;

  constructor(options: MemoryEngineOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock();
  }

  /** What became of the calls of a run, or of all. */
  receipts(runId?: string): readonly MemoryReceipt[] {
    return this.#receipts.filter((receipt) => runId === undefined || receipt.runId === runId);
  }

  async define(assistant: AssistantDefinition): Promise<void> {
    this.#assistants.set(assistant.id, assistant);
  }

  newConversationId(): string {
    return this.#id("conversation");
  }

  async open(conversationId: string, assistantId: string): Promise<void> {
    if (!this.#assistants.has(assistantId))
      throw new ConversationError("NOT_FOUND", `There is no assistant ${assistantId}.`);
    if (this.#threads.has(conversationId)) return;
    this.#threads.set(conversationId, { assistantId, messages: [], told: [], queue: Promise.resolve() });
  }

  async send(conversationId: string, prompt: string, key: string): Promise<{ readonly runId: string }> {
    const thread = this.#thread(conversationId);
    const known = this.#keys.get(key);
    if (known !== undefined) return { runId: known };
    const run: Run = { id: this.#id("run"), conversationId, stop: new AbortController(), events: [], seq: 0 };
    this.#keys.set(key, run.id);
    this.#runs.set(run.id, run);
    thread.queue = thread.queue.then(() => this.#perform(run, thread, prompt));
    return { runId: run.id };
  }

  listen(conversationId: string, listener: (event: StreamEvent) => void): () => void {
    const listeners = this.#listeners.get(conversationId) ?? new Set();
    this.#listeners.set(conversationId, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  async resume(
    conversationId: string,
    { runId, afterSeq }: { readonly runId?: string; readonly afterSeq: number },
  ): Promise<void> {
    const runs = [...this.#runs.values()].filter((run) => run.conversationId === conversationId);
    const wanted = runId === undefined ? runs.at(-1) : runs.find(({ id }) => id === runId);
    for (const event of wanted?.events.filter(({ seq }) => seq > afterSeq) ?? [])
      this.#tell(conversationId, event);
  }

  async abort(runId: string): Promise<void> {
    this.#runs.get(runId)?.stop.abort("aborted");
  }

  async history(conversationId: string): Promise<ConversationMessage[]> {
    return [...this.#thread(conversationId).told];
  }

  async submit(inputStepId: string, response: string): Promise<void> {
    const waiting = this.#waiting.get(inputStepId);
    if (!waiting)
      throw new ConversationError("already_decided", "Nobody waits for this answer. It changed nothing.");
    if (waiting.kind === "approval" && saysYes(response) === undefined)
      throw new ConversationError(
        "invalid_response",
        'An approval is decided by "yes" or "no". Nothing was decided.',
      );
    this.#waiting.delete(inputStepId);
    waiting.answer(response);
  }

  async askOwner(conversationId: string, question: OwnerQuestion): Promise<string> {
    const known = this.#options.answers?.(question);
    if (known !== undefined) return known;
    const { options, timeoutMs } = question;
    const asked = { kind: "question" as const, prompt: question.question, ...(options ? { options } : {}) };
    const answer = this.#ask(conversationId, "", 0, asked);
    if (timeoutMs === undefined) return answer;
    const answered = new AbortController();
    const late = this.#clock.sleep(timeoutMs, answered.signal).then(() => {
      throw new HumanInputTimeoutError(`Nobody answered in time: ${question.question}`);
    });
    return Promise.race([answer, late]).finally(() => answered.abort());
  }

  async end(conversationId: string): Promise<void> {
    for (const run of this.#runs.values())
      if (run.conversationId === conversationId) run.stop.abort("aborted");
  }

  async getContext(assistantId: string): Promise<unknown> {
    return this.#contexts.get(assistantId) ?? null;
  }

  async setContext(assistantId: string, context: unknown): Promise<void> {
    this.#contexts.set(assistantId, structuredClone(context));
  }

  async close(): Promise<void> {
    for (const run of this.#runs.values()) run.stop.abort("closed");
    for (const { kind, leave } of this.#waiting.values())
      if (kind !== "approval")
        leave(new ConversationError("closed", "The engine was closed before anybody answered."));
    this.#waiting.clear();
  }

  async #perform(run: Run, thread: Thread, prompt: string): Promise<void> {
    const assistant = this.#assistants.get(thread.assistantId)!;
    this.#add(thread, "user", [{ type: "text", text: prompt }]);
    this.#note(thread, { sender: "user", type: "text", content: prompt });
    let usage = NO_USAGE;
    const activity: Activity = [];
    for (let lap = 0; lap < LAPS_MAX; lap += 1) {
      let ended: { readonly blocks: readonly Block[] } | undefined;
      for await (const event of this.#options.model.chat(this.#request(assistant, thread, run.stop.signal))) {
        if (event.type === "text") this.#emit(run, { type: "text_delta", text: event.text });
        else if (event.type === "thinking") this.#emit(run, { type: "thinking", text: event.text });
        else if (event.type === "failed") {
          this.#fail(run, event.failure);
          return;
        } else if (event.type === "done") {
          usage = addUsage(usage, event.usage);
          ended = event;
        }
      }
      const blocks = ended?.blocks ?? [];
      this.#add(thread, "assistant", blocks);
      const calls = blocks.filter((block) => block.type === "tool_use");
      const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
      if (calls.length === 0) {
        const message = this.#note(thread, { sender: "assistant", type: "text", content: text });
        this.#emit(run, { type: "message", message });
        this.#emit(run, { type: "activity", activity, evidence: "" });
        this.#emit(run, { type: "usage", usage });
        this.#emit(run, { type: "turn_end", reason: "answered" });
        return;
      }
      const results: Block[] = [];
      for (const call of calls) results.push(await this.#call(run, thread, assistant, call, activity));
      if (run.stop.signal.aborted) {
        this.#emit(run, { type: "turn_end", reason: "aborted" });
        return;
      }
      this.#add(thread, "user", results);
    }
    this.#fail(run, {
      reason: "LAPS_LIMIT",
      message: `The model was asked ${LAPS_MAX} times.`,
      retryable: false,
    });
  }

  async #call(
    run: Run,
    thread: Thread,
    assistant: AssistantDefinition,
    { toolId, input }: { readonly toolId: string; readonly input: unknown },
    activity: Activity,
  ): Promise<Block> {
    const callId = this.#id("call");
    const tool = assistant.tools.find(({ name }) => name === toolId);
    this.#note(thread, { sender: "assistant", type: "tool_call", content: { callId, tool: toolId, input } });
    const { status, text } = tool
      ? await this.#decided(run, callId, tool, input)
      : { status: "failed" as const, text: `There is no tool ${toolId}.` };
    this.#receipts.push({ runId: run.id, callId, tool: toolId, status, input });
    activity.push({
      cite: `c${activity.length + 1}`,
      callId,
      toolId,
      status,
      when: this.#now(),
      receiptRef: callId,
      risk: tool?.config.risk ?? "destructive",
      summary: toolId,
    });
    this.#emit(run, { type: "tool_output", callId, tool: toolId, status });
    this.#note(thread, { sender: "tool", type: "tool_output", content: { callId, status, text } });
    return { type: "tool_result", callId, status: status === "succeeded" ? "ok" : "error", text };
  }

  async #decided(
    run: Run,
    callId: string,
    tool: Tool,
    input: unknown,
  ): Promise<{ readonly status: MemoryReceipt["status"]; readonly text: string }> {
    const ruled = this.#options.approvals?.({ tool: tool.name, input }) ?? "ask";
    const asked = { kind: "approval" as const, prompt: tool.name, tool: tool.name, input };
    const answer =
      ruled === "ask"
        ? await Promise.race([this.#ask(run.conversationId, run.id, run.seq, asked), aborted(run)])
        : ruled;
    if (ruled === "deny" || (ruled === "ask" && saysYes(answer) !== true))
      return { status: "denied", text: "The owner denied this call. It was not made." };
    this.#emit(run, { type: "tool_call", callId, tool: tool.name });
    try {
      const output: unknown = await tool.execute(input, run.conversationId, {
        signal: run.stop.signal,
        runId: run.id,
        idempotencyKey: callId,
        progress: (message) => this.#emit(run, { type: "tool_progress", callId, tool: tool.name, message }),
      });
      return { status: "succeeded", text: JSON.stringify(output ?? null) };
    } catch (error) {
      const failed = error instanceof ToolExecutionError || error instanceof ToolError;
      const message = error instanceof Error ? error.message : String(error);
      return failed
        ? { status: "failed", text: message }
        : { status: "unknown", text: "This call broke off without an answer." };
    }
  }

  /** Waits for `submit`. */
  #ask(
    conversationId: string,
    runId: string,
    seq: number,
    asked: Omit<HumanInput, "inputStepId" | "expiresAt">,
  ): Promise<string> {
    const inputStepId = this.#id("input");
    return new Promise((resolve, reject) => {
      this.#waiting.set(inputStepId, { kind: asked.kind, answer: resolve, leave: reject });
      const event = { type: "human_input_required", inputStepId, expiresAt: Infinity, ...asked } as const;
      this.#tell(conversationId, { runId, seq, ...event });
    });
  }

  #request(assistant: AssistantDefinition, thread: Thread, signal: AbortSignal) {
    const { name, role, personality, tools } = assistant;
    const context = this.#contexts.get(assistant.id);
    const about = [`Your name is ${name}.`, `Your role: ${role}`, personality];
    const specs: ToolSpec[] = tools.map((tool) => ({
      toolId: tool.name,
      description: tool.description,
      inputSchema: jsonSchemaOf(tool.inputSchema, "input"),
    }));
    return {
      model: assistant.model ?? "script",
      system: [...about, context === undefined ? "" : JSON.stringify(context)].filter(Boolean).join("\n\n"),
      messages: [...thread.messages],
      tools: specs,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      readBlob: async () => undefined,
      writeBlob: async () => this.#id("blob"),
      signal,
    };
  }

  #fail(
    run: Run,
    {
      reason,
      message,
      retryable,
    }: { readonly reason: string; readonly message: string; readonly retryable: boolean },
  ): void {
    if (!run.stop.signal.aborted) this.#emit(run, { type: "error", code: reason, message, retryable });
    this.#emit(run, { type: "turn_end", reason: run.stop.signal.aborted ? "aborted" : "failed" });
  }

  #add(thread: Thread, role: "user" | "assistant", blocks: readonly Block[]): void {
    const origin = role === "user" ? "program" : "model";
    thread.messages.push({ id: this.#id("message"), ts: this.#now(), role, origin, blocks });
  }

  #note(thread: Thread, said: Omit<ConversationMessage, "timestamp">): ConversationMessage {
    const message = { ...said, timestamp: new Date(this.#now()) };
    if (said.content !== "") thread.told.push(message);
    return message;
  }

  #emit(run: Run, event: DistributedOmit<StreamEvent, "runId" | "seq">): void {
    const numbered = { ...event, runId: run.id, seq: (run.seq += 1) } as StreamEvent;
    run.events.push(numbered);
    this.#tell(run.conversationId, numbered);
  }

  #tell(conversationId: string, event: StreamEvent): void {
    for (const listener of this.#listeners.get(conversationId) ?? []) listener(event);
  }

  #thread(conversationId: string): Thread {
    const thread = this.#threads.get(conversationId);
    if (!thread) throw new ConversationError("NOT_FOUND", `There is no conversation ${conversationId}.`);
    return thread;
  }

  #now(): number {
    return this.#clock.now();
  }

  #id(what: string): string {
    return `${what}-${(this.#made += 1)}`;
  }
}

function systemClock(): EngineClock {
  return {
    now: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        const wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal?.addEventListener("abort", wake, { once: true });
      }),
  };
}

type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function aborted({ stop: { signal } }: Run): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("no");
    else signal.addEventListener("abort", () => resolve("no"), { once: true });
  });
}
