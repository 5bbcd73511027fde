import { failure } from "@elwood/core/base/failure";
import { ID_RANDOM_BYTES, makeId } from "@elwood/core/base/ids";
import type { EventData } from "@elwood/core/protocol/events";
import type { ClientTool, MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { agentIdOf } from "@elwood/core/tool/client-tool";
import type { AssistantDefinition, ICoreEngineClient, OwnerQuestion } from "./engine-client.ts";
import {
  AssistantError,
  ConversationError,
  GatewayUnavailableError,
  HumanInputTimeoutError,
} from "./errors.ts";
import type { ConversationMessage, StreamEvent } from "./events.ts";
import { saysYes } from "./human-in-the-loop.ts";
import { jsonSchemaOf, type Tool } from "./tool.ts";
import {
  ConnectError,
  GatewayClient,
  growingWaits,
  RequestError,
  type Connection,
  type Push,
} from "../client.ts";
import { ToolRunner } from "./tool-runner.ts";

export interface ProtocolEngineOptions {
  /** Makes a connection: the first one, and another each time one broke. */
  readonly open: (signal: AbortSignal) => Promise<Connection>;
  /** What tools log. */
  readonly log?: (message: string) => void;
}

const FIRST_WAIT_MS = 100;
const MOST_WAIT_MS = 5_000;
const HISTORY_PAGE = 200;
const HISTORY_PAGES_MAX = 1_000;
/** Pushes of runs that nobody here has sent, until it turns out that somebody has. */
const EARLY_MAX = 1_000;
const RUNS_SHOWN = 5;
const RUNS_MAX = 1_000;

/** A run that this process follows. */
interface FollowedRun {
  readonly conversationId: string;
  ended: boolean;
  /** The number of its last event. */
  seq: number;
}

type Listener = (event: StreamEvent) => void;

/**
 * An engine that is spoken to by the gateway's protocol, wherever it runs. The connection is made with the
 * first request and again whenever it breaks; tools are registered again, and runs taken up, each time.
 */
export class ProtocolEngine implements ICoreEngineClient {
  readonly #options: ProtocolEngineOptions;
  /** The same for all connections of this engine: the gateway knows who came back. */
  readonly #clientId = crypto.randomUUID();
  readonly #assistants = new Map<string, AssistantDefinition>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #runs = new Map<string, FollowedRun>();
  /** Those who wait for the owner: told that something has changed, or why nothing more will be heard. */
  readonly #questions = new Map<string, (why?: AssistantError) => void>();
  readonly #runner: ToolRunner;
  /** Conversations that the gateway does not know yet, with the agents that they are with. */
  readonly #unopened = new Map<string, string>();
  #early: Push[] = [];
  #client: Promise<GatewayClient> | undefined;
  #closed = false;

  constructor(options: ProtocolEngineOptions) {
    this.#options = options;
    this.#runner = new ToolRunner({
      toolOf: (assistantId, name) => this.#tool(assistantId, name),
      send: async (invocationId, outcome) => {
        try {
          return (await this.#call("tool.result", { invocationId, outcome }, true)).accepted;
        } catch (error) {
          options.log?.(`an answer of a tool could not be handed over: ${String(error)}`);
          return undefined;
        }
      },
      log: (message) => options.log?.(message),
    });
  }

  async define(assistant: AssistantDefinition): Promise<void> {
    this.#assistants.set(assistant.id, assistant);
    await this.#register(assistant);
  }

  newConversationId(): string {
    return makeId("session", Date.now(), crypto.getRandomValues(new Uint8Array(ID_RANDOM_BYTES)));
  }

  /** With its first message, which saves a request and a write; sooner where something else needs it. */
  async open(conversationId: string, assistantId: string): Promise<void> {
    this.#unopened.set(conversationId, agentIdOf(assistantId));
  }

  async #openNow(conversationId: string): Promise<void> {
    const agentId = this.#unopened.get(conversationId);
    if (agentId === undefined) return;
    await this.#call("sessions.create", { sessionKey: conversationId, agentId }, true);
    this.#unopened.delete(conversationId);
  }

  async send(conversationId: string, prompt: string, key: string): Promise<{ readonly runId: string }> {
    const agentId = this.#unopened.get(conversationId);
    const { runId } = await this.#call(
      "chat.send",
      {
        sessionKey: conversationId,
        message: prompt,
        idempotencyKey: key,
        ...(agentId === undefined ? {} : { agentId }),
      },
      true,
    );
    this.#unopened.delete(conversationId);
    this.#follow(runId, conversationId);
    return { runId };
  }

  listen(conversationId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(conversationId) ?? new Set();
    this.#listeners.set(conversationId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(conversationId);
    };
  }

  async resume(
    conversationId: string,
    { runId, afterSeq }: { readonly runId?: string; readonly afterSeq: number },
  ): Promise<void> {
    const { runs } = await this.#call("runs.list", { sessionKey: conversationId, limit: RUNS_SHOWN }, true);
    const last = runId ?? runs[0]?.runId;
    const open = runs.filter(({ endedAt }) => endedAt === undefined).map((run) => run.runId);
    const wanted = [...new Set([...(last === undefined ? [] : [last]), ...open])].reverse();
    for (const each of wanted) {
      this.#runs.set(each, { conversationId, ended: false, seq: 0 });
      await this.#catchUp(each, each === last ? afterSeq : 0);
    }
    const { approvals } = await this.#call(
      "approvals.list",
      { status: "pending", sessionKey: conversationId },
      true,
    );
    for (const approval of approvals) {
      const { approvalId, kind, summary, expiresAt, options, toolName, details } = approval;
      const asked = { inputStepId: approvalId, kind, prompt: summary, expiresAt };
      const more = kind === "approval" ? { tool: toolName, input: details } : {};
      this.#emit(conversationId, {
        type: "human_input_required",
        runId: approval.runId,
        seq: this.#seqIn(conversationId, approval.runId),
        ...asked,
        ...more,
        ...(options ? { options } : {}),
      });
    }
  }

  async abort(runId: string): Promise<void> {
    await this.#call("chat.abort", { runId }, true);
  }

  async history(conversationId: string): Promise<ConversationMessage[]> {
    const found: ConversationMessage[] = [];
    let before: string | undefined;
    await this.#openNow(conversationId);
    for (let page = 0; page < HISTORY_PAGES_MAX; page += 1) {
      const { messages, more } = await this.#call(
        "chat.history",
        { sessionKey: conversationId, limit: HISTORY_PAGE, ...(before === undefined ? {} : { before }) },
        true,
      );
      found.unshift(...messages.flatMap(toMessages));
      before = messages[0]?.id;
      if (!more || before === undefined) break;
    }
    return found;
  }

  async submit(inputStepId: string, response: string): Promise<void> {
    const { approval } = await this.#call("approvals.get", { approvalId: inputStepId }, true);
    if (approval.kind !== "approval") {
      const { ok, decided } = await this.#call("owner.answer", { questionId: inputStepId, answer: response });
      if (!ok) throw alreadyDecided(decided.status);
      return;
    }
    const allowed = saysYes(response);
    if (allowed === undefined)
      throw new ConversationError(
        "invalid_response",
        'An approval is decided by "yes" or "no". Nothing was decided.',
      );
    const { ok, decided } = allowed
      ? await this.#call("exec.approve", { approvalId: inputStepId })
      : await this.#call("exec.deny", { approvalId: inputStepId });
    if (!ok) throw alreadyDecided(decided.status);
  }

  async askOwner(
    conversationId: string,
    { question, options, timeoutMs, key }: OwnerQuestion,
  ): Promise<string> {
    await this.#openNow(conversationId);
    const { questionId } = await this.#call(
      "owner.ask",
      {
        sessionKey: conversationId,
        question,
        ...(options ? { options: [...options] } : {}),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        key: key ?? crypto.randomUUID(),
      },
      true,
    );
    try {
      return await this.#answerTo(questionId, question);
    } finally {
      this.#questions.delete(questionId);
    }
  }

  async #answerTo(questionId: string, question: string): Promise<string> {
    for (;;) {
      // Heard before the row is read: an answer in between is not missed.
      const changed = new Promise<void>((resolve, reject) =>
        this.#questions.set(questionId, (why) => (why ? reject(why) : resolve())),
      );
      // Where the row says it all, or cannot be read, nobody waits for this any more.
      changed.catch(() => undefined);
      const { approval } = await this.#call("approvals.get", { approvalId: questionId }, true);
      const { status, note = "" } = approval.decided;
      // A gateway of before says "approved".
      if (status === "answered" || status === "approved") return note;
      if (status === "expired")
        throw new HumanInputTimeoutError(`Nobody answered in time: ${question}`, { cause: questionId });
      if (status === "denied")
        throw new ConversationError("withdrawn", "The question was withdrawn before it was answered.");
      await changed;
    }
  }

  async end(conversationId: string): Promise<void> {
    for (const [runId, run] of this.#runs)
      if (run.conversationId === conversationId && !run.ended) await this.abort(runId);
  }

  async getContext(assistantId: string): Promise<unknown> {
    return (await this.#call("assistant.context", { assistantId }, true)).context;
  }

  async setContext(assistantId: string, context: unknown): Promise<void> {
    await this.#call("assistant.context", { assistantId, context: context ?? null }, true);
  }

  async close(): Promise<void> {
    this.#runner.close();
    this.#closed = true;
    this.#leave(engineClosed());
    await (await this.#client?.catch(() => undefined))?.close();
  }

  #tool(assistantId: string, name: string): Tool | undefined {
    return this.#assistants.get(assistantId)?.tools.find((tool) => tool.name === name);
  }

  async #register({
    id,
    name,
    role,
    personality,
    model,
    engineTools,
    tools,
  }: AssistantDefinition): Promise<void> {
    await this.#call(
      "assistant.define",
      {
        assistantId: id,
        name,
        role,
        personality,
        ...(model === undefined ? {} : { model }),
        ...(engineTools === undefined ? {} : { gatewayTools: [...engineTools] }),
      },
      true,
    );
    await this.#call(
      "tools.register",
      { assistantId: id, clientId: this.#clientId, tools: tools.map(toWire) },
      true,
    );
  }

  async #call<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    again = false,
  ): Promise<MethodResult<M>> {
    const client = await this.#connected();
    try {
      if (client.hello.value && !client.has(method))
        throw new GatewayUnavailableError(
          "version",
          `The gateway is version ${client.hello.value.version}, which does not know ${method}. Nothing was sent. Update the gateway, or use an SDK of its version.`,
        );
      return await client.call(method, params, { again });
    } catch (error) {
      if (error instanceof RequestError && error.lost) {
        if (client.state.value === "refused") throw tokenRefused(error);
        if (this.#closed) throw engineClosed();
      }
      throw asSdkError(error);
    }
  }

  async #connected(): Promise<GatewayClient> {
    if (this.#closed) throw engineClosed();
    const connecting = (this.#client ??= this.#connect());
    connecting.catch(() => {
      if (this.#client === connecting) this.#client = undefined;
    });
    return connecting;
  }

  async #connect(): Promise<GatewayClient> {
    const opening = this.#options.open;
    // The first connection has to come about; the next ones are waited for.
    let first: Promise<Connection> | undefined;
    try {
      first = opening(new AbortController().signal);
      await first;
    } catch (error) {
      throw asSdkError(error);
    }
    const client = new GatewayClient({
      open: (signal) => {
        const made = first ?? opening(signal).catch(tryAgain);
        first = undefined;
        return made;
      },
      waitMs: growingWaits(FIRST_WAIT_MS, MOST_WAIT_MS),
    });
    client.onPush((push) => this.#pushed(push));
    client.onGap((runId) => void this.#catchUpSafely(runId));
    const ready = Promise.withResolvers<void>();
    let times = 0;
    client.onReady(() => {
      times += 1;
      if (times > 1) void this.#cameBack();
      else ready.resolve();
    });
    client.start();
    await ready.promise;
    void client.closed.then(() => this.#lost(client));
    return client;
  }

  /** No other connection will follow: the gateway refuses this program, or it cannot be found any more. */
  #lost(client: GatewayClient): void {
    if (this.#closed) return;
    const why = client.state.value === "refused" ? tokenRefused(client.refusal) : asSdkError(client.over);
    this.#leave(why instanceof AssistantError ? why : new ConversationError("INTERNAL", why.message));
  }

  /** Nothing more will be heard: whoever waits is told so. What runs in a gateway goes on there. */
  #leave(why: AssistantError): void {
    const { code, message, retryable } = why;
    for (const [runId, run] of this.#runs) {
      if (run.ended) continue;
      run.ended = true;
      const { conversationId, seq } = run;
      this.#emit(conversationId, { type: "error", runId, seq, code, message, retryable });
      this.#emit(conversationId, { type: "turn_end", runId, seq, reason: "failed" });
    }
    for (const tell of this.#questions.values()) tell(why);
  }

  /** After a break: the gateway is told of the tools again, and asked for what was missed. */
  async #cameBack(): Promise<void> {
    try {
      for (const assistant of this.#assistants.values()) await this.#register(assistant);
    } catch (error) {
      this.#options.log?.(`tools could not be registered again: ${String(error)}`);
    }
    for (const [runId, { ended }] of this.#runs) if (!ended) await this.#catchUpSafely(runId);
    for (const look of this.#questions.values()) look();
  }

  async #catchUpSafely(runId: string): Promise<void> {
    try {
      await this.#catchUp(runId, 0);
    } catch (error) {
      this.#options.log?.(`a run could not be taken up: ${String(error)}`);
    }
  }

  async #catchUp(runId: string, afterSeq: number): Promise<void> {
    const run = this.#runs.get(runId);
    if (!run || run.ended) return;
    const { snapshot, seq } = await this.#call("chat.resume", { runId, afterSeq }, true);
    if (snapshot.final) {
      if (snapshot.final.seq > afterSeq) this.#pushed({ event: "chat.final", data: snapshot.final });
      else run.ended = true;
    } else if (snapshot.error) {
      if (snapshot.error.seq > afterSeq) this.#pushed({ event: "chat.error", data: snapshot.error });
      else run.ended = true;
    } else if (snapshot.text !== "" && seq > afterSeq)
      this.#emit(run.conversationId, { type: "text_delta", runId, seq, text: snapshot.text, reset: true });
  }

  #follow(runId: string, conversationId: string): void {
    if (!this.#runs.has(runId)) this.#runs.set(runId, { conversationId, ended: false, seq: 0 });
    const early = this.#early;
    this.#early = [];
    for (const push of early) this.#pushed(push);
  }

  #pushed(push: Push): void {
    if (push.event === "tool.invoke") void this.#runner.take(push.data);
    else if (push.event === "tool.cancel") this.#runner.cancel(push.data.invocationId, push.data.reason);
    else if (push.event === "exec.approval_request" || push.event === "owner.question") this.#asked(push);
    else if (push.event === "exec.approval_resolved") this.#resolved(push.data);
    else if ("seq" in push.data) this.#ofRun(push, push.data.runId);
  }

  #asked(push: Extract<Push, { event: "exec.approval_request" | "owner.question" }>): void {
    const { runId, sessionKey, expiresAt } = push.data;
    const seq = this.#seqIn(sessionKey, runId);
    const input =
      push.event === "owner.question"
        ? {
            inputStepId: push.data.questionId,
            kind: push.data.kind,
            prompt: push.data.question,
            ...(push.data.options ? { options: push.data.options } : {}),
          }
        : {
            inputStepId: push.data.approvalId,
            kind: "approval" as const,
            prompt: push.data.summary,
            tool: push.data.toolName,
            input: push.data.details,
          };
    this.#emit(sessionKey, { type: "human_input_required", runId, seq, expiresAt, ...input });
  }

  #resolved({ approvalId, runId, decided }: EventData<"exec.approval_resolved">): void {
    this.#questions.get(approvalId)?.();
    const conversationId = this.#runs.get(runId)?.conversationId;
    if (conversationId !== undefined)
      this.#emit(conversationId, {
        type: "human_input_resolved",
        runId,
        seq: this.#seqIn(conversationId, runId),
        inputStepId: approvalId,
        decided,
      });
  }

  #ofRun(push: Push, runId: string): void {
    const run = this.#runs.get(runId);
    if (!run) {
      // Its acknowledgement may still be on the way to whoever sent it.
      this.#early.push(push);
      if (this.#early.length > EARLY_MAX) this.#early.shift();
      return;
    }
    if (run.ended) return;
    if (push.event === "chat.final" || push.event === "chat.error") this.#ended(run);
    for (const event of eventsOf(push)) this.#emit(run.conversationId, event);
  }

  /** Where a conversation stands: what is asked has no number of its own. */
  #seqIn(conversationId: string, runId: string): number {
    const runs = [...this.#runs.values()];
    return (this.#runs.get(runId) ?? runs.findLast((run) => run.conversationId === conversationId))?.seq ?? 0;
  }

  /** Ended runs are remembered for a while: their end may be told twice. */
  #ended(run: FollowedRun): void {
    run.ended = true;
    if (this.#runs.size <= RUNS_MAX) return;
    for (const [runId, { ended }] of this.#runs) {
      if (ended) this.#runs.delete(runId);
      if (this.#runs.size <= RUNS_MAX) return;
    }
  }

  #emit(conversationId: string, event: StreamEvent): void {
    const run = this.#runs.get(event.runId);
    if (run) run.seq = Math.max(run.seq, event.seq);
    for (const listener of this.#listeners.get(conversationId) ?? []) listener(event);
  }
}

/** While a gateway is being started again, there is no word of it. */
function tryAgain(error: unknown): never {
  if (!(error instanceof GatewayUnavailableError) || !error.retryable) throw error;
  throw new ConnectError(failure("NETWORK", error.message), { code: 0, reason: "" }, undefined);
}

/** What a push of a run means to a conversation. */
function eventsOf(push: Push): StreamEvent[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others are not about a run's answer
  switch (push.event) {
    case "chat.delta": {
      const { runId, seq, text, reset } = push.data;
      return [{ type: "text_delta", runId, seq, text, ...(reset ? { reset } : {}) }];
    }
    case "chat.thinking": {
      const { runId, seq, text } = push.data;
      return [{ type: "thinking", runId, seq, text }];
    }
    case "tool.started": {
      const { runId, seq, callId, tool } = push.data;
      return [{ type: "tool_call", runId, seq, callId, tool }];
    }
    case "tool.progress": {
      const { runId, seq, callId, tool, message } = push.data;
      return [{ type: "tool_progress", runId, seq, callId, tool, message }];
    }
    case "tool.finished": {
      const { runId, seq, callId, tool, status } = push.data;
      return [{ type: "tool_output", runId, seq, callId, tool, status }];
    }
    case "chat.final": {
      const { runId, seq, text, activity, evidence, usage, costUsd, aborted } = push.data;
      const message = textMessage("assistant", text, new Date(), { runId });
      return [
        { type: "message", runId, seq, message },
        { type: "activity", runId, seq, activity, evidence },
        { type: "usage", runId, seq, usage, ...(costUsd === undefined ? {} : { costUsd }) },
        { type: "turn_end", runId, seq, reason: aborted ? "aborted" : "answered" },
      ];
    }
    case "chat.error": {
      const { runId, seq, message, code, retryable } = push.data;
      return [
        { type: "error", runId, seq, message, code, retryable },
        { type: "turn_end", runId, seq, reason: code === "ABORTED" ? "aborted" : "failed" },
      ];
    }
    default:
      return [];
  }
}

function textMessage(
  sender: ConversationMessage["sender"],
  content: string,
  timestamp: Date,
  metadata: object,
): ConversationMessage {
  return { sender, type: "text", content, timestamp, metadata };
}

/** One message of the gateway may hold text, calls and their results. */
function toMessages({ id, runId, ts, role, origin, blocks, content }: WireMessage): ConversationMessage[] {
  const timestamp = new Date(ts);
  const metadata = { id, runId, origin };
  const found: ConversationMessage[] = [];
  if (content !== "")
    found.push(textMessage(role === "assistant" ? "assistant" : "user", content, timestamp, metadata));
  for (const block of blocks) {
    if (block.type === "tool_use") {
      const { callId, toolId, input } = block;
      found.push({
        sender: "assistant",
        type: "tool_call",
        content: { callId, tool: toolId, input },
        timestamp,
        metadata,
      });
    } else if (block.type === "tool_result") {
      const { callId, status, text } = block;
      found.push({
        sender: "tool",
        type: "tool_output",
        content: { callId, status, text },
        timestamp,
        metadata,
      });
    }
  }
  return found;
}

function toWire(tool: Tool): ClientTool {
  const { config, inputSchema, outputSchema } = tool;
  const { name, description, risk, sends, requiresApproval, idempotent, timeoutMs, canUndo, canReconcile } =
    config;
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(inputSchema, "input"),
    ...(outputSchema === undefined ? {} : { outputSchema: jsonSchemaOf(outputSchema, "output") }),
    ...(risk === undefined ? {} : { risk }),
    ...(sends === undefined ? {} : { sends }),
    ...(requiresApproval === undefined ? {} : { requiresApproval }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(canUndo ? { canUndo } : {}),
    ...(canReconcile ? { canReconcile } : {}),
  };
}

function alreadyDecided(status: string): ConversationError {
  return new ConversationError(
    "already_decided",
    `Somebody else was faster, or its time was over: it is ${status}. Your answer changed nothing.`,
  );
}

function engineClosed(): ConversationError {
  return new ConversationError(
    "closed",
    "The engine is closed, and nothing more is heard of this here. Another one can take the conversation up.",
  );
}

function tokenRefused(cause: unknown): GatewayUnavailableError {
  return new GatewayUnavailableError(
    "UNAUTHENTICATED",
    "The gateway no longer takes this program's token. Nothing more was sent. Make another with: npx elwood token create",
    { cause },
  );
}

/** Failures of the gateway, with its own reason as the code. */
function asSdkError(error: unknown): Error {
  if (!(error instanceof RequestError)) return error instanceof Error ? error : new Error(String(error));
  const { reason, failure } = error;
  const more = { retryable: failure.retryable, cause: error };
  return reason === "NETWORK" || reason === "UNAUTHENTICATED" || reason === "SCOPE_MISSING"
    ? new GatewayUnavailableError(reason, error.message, more)
    : new ConversationError(reason, error.message, more);
}
